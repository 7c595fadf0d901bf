// The publish dialog: it opens with its page, the note has the focus, and Esc leads back to the page before.
const dialog = document.getElementById("publish");

dialog.close(); // the server rendered it open and not modal, for browsers without scripts
dialog.showModal();
dialog.querySelector("textarea").focus({ preventScroll: true });
dialog.addEventListener("cancel", event => {
  event.preventDefault();
  location.assign(dialog.dataset.leave);
});
