// Menus under a <summary>: the first field of an opened menu has the focus, and Esc closes it and leads back to the
// summary.

const FIELD = "input:not([type=hidden]), select, textarea";

// "toggle" does not bubble, so it is captured.
document.addEventListener("toggle", ({ target }) => {
  if (target.matches("details.popup-menu[data-menu][open]")) target.querySelector(FIELD)?.focus();
}, { capture: true });

// Captured, so that Esc does nothing else in an open menu.
document.addEventListener("keydown", event => {
  const menu = event.key === "Escape" && event.target.closest?.("details[data-menu][open]");
  if (!menu) return;
  event.preventDefault();
  event.stopPropagation();
  menu.open = false;
  menu.querySelector("summary").focus();
}, { capture: true });
