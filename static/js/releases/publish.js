// The publish dialog over its page: the note has the focus, Esc leads back.
const dialog = document.getElementById("publish");

dialog.close();
dialog.showModal();
dialog.querySelector("textarea").focus({ preventScroll: true });
dialog.addEventListener("cancel", event => {
  event.preventDefault();
  location.assign(dialog.dataset.leave);
});
