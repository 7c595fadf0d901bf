// A pressed button says "Sending…" while its form is on its way, as soon as that takes longer than a moment. The card
// of a gate says so itself, at once.
const SHOWN_AFTER_MS = 250;
const words = document.getElementById("toast")?.dataset.sending;
const buttons = new Map(); // form that is on its way → what ends the words on its button

document.addEventListener("htmx:beforeRequest", ({ detail: { elt, requestConfig } }) => {
  const button = requestConfig?.triggeringEvent?.submitter;
  if (!words || !button || elt.closest("#card")) return;
  buttons.get(elt)?.();
  buttons.set(elt, showSending(button));
});
document.addEventListener("htmx:afterRequest", ({ detail: { elt } }) => {
  buttons.get(elt)?.();
  buttons.delete(elt);
});

// Returns what puts the button's own words back, or keeps them if "Sending…" was not shown yet.
function showSending(button) {
  const content = [...button.childNodes];
  const timer = setTimeout(() => {
    button.replaceChildren(words);
    button.setAttribute("aria-busy", "true");
  }, SHOWN_AFTER_MS);
  return () => {
    clearTimeout(timer);
    if (!button.hasAttribute("aria-busy")) return;
    button.replaceChildren(...content);
    button.removeAttribute("aria-busy");
  };
}
