// Menus under a <summary>: the first field of an opened menu, or of an entry that opens in one, has the focus. Esc closes
// a menu and leads back to its summary; a press elsewhere closes it.

const FIELD = "input:not([type=hidden]), select, textarea";
const FIELDS_THAT_OPEN = "details.popup-menu[data-menu][open], .moves details[open]";

// "toggle" does not bubble, so it is captured.
document.addEventListener("toggle", ({ target }) => {
  if (target.matches(FIELDS_THAT_OPEN)) target.querySelector(FIELD)?.focus();
}, { capture: true });

document.addEventListener("pointerdown", ({ target }) => {
  for (const menu of document.querySelectorAll("details[data-menu][open]:has(> .menu)")) {
    if (!menu.contains(target)) menu.open = false;
  }
});

// Captured, so that Esc does nothing else in an open menu.
document.addEventListener("keydown", event => {
  const menu = event.key === "Escape" && event.target.closest?.("details[data-menu][open]");
  if (!menu) return;
  event.preventDefault();
  event.stopPropagation();
  menu.open = false;
  menu.querySelector("summary").focus();
}, { capture: true });
