// Menus under a summary: one with a field has the caret there when it opens, and Esc leads from it back to the summary.
const FIELD = "input:not([type=hidden]), select, textarea";

document.addEventListener("toggle", ({ target }) => {
  if (target.matches("details.pop[data-menu][open]")) target.querySelector(FIELD)?.focus();
}, { capture: true });

document.addEventListener("keydown", event => {
  const menu = event.key === "Escape" && event.target.closest?.("details[data-menu][open]");
  if (!menu) return;
  event.preventDefault();
  event.stopPropagation();
  menu.open = false;
  menu.querySelector("summary").focus();
}, { capture: true });
