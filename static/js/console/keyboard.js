// The keyboard. An element with data-key is pressed by that key, and j and k walk through the rows with data-row.
// Single letters are off in text fields, while a dialog is open, and for people who switched them off. The key of an
// action only selects it: Ctrl+Enter or a press on its button sends it.
import { actionsOf, decisionForm, isAction, selectAction, sendSelected } from "./actions.js";
import { openPalette } from "./palette.js";

const LETTERS_KEY = "soni_letters"; // in the local storage: "off" when single letters do nothing
const LEFT_PAGE_KEY = "soni_left"; // in the session storage: the path of the page that Esc has left
const TEXT_FIELDS =
  "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=button], [type=submit])";
const MENU_FIELDS = ".menu :is(button, select, input):not([disabled], [hidden], [type=hidden])";
const ROW_STEPS = { j: 1, k: -1 };
const dialog = document.getElementById("keys");

function isTextField(target) {
  return target instanceof Element && target.matches(TEXT_FIELDS);
}

/** Whether single letters are keys for this person. */
export function areLettersOn() {
  return localStorage.getItem(LETTERS_KEY) !== "off";
}

function focusRow(step) {
  const rows = [...document.querySelectorAll("[data-row]")].filter(row => row.offsetParent);
  const openRow = document.querySelector("[data-row][aria-current]");
  const index = rows.indexOf(rows.includes(document.activeElement) ? document.activeElement : openRow);
  rows[Math.max(0, Math.min(rows.length - 1, index + step))]?.focus();
}

// Escape goes back one level: from a text field to the rows, from a menu to its button, from what is selected on a page
// to the page, from a page to the one above.
function goBack({ target }) {
  if (isTextField(target)) {
    const panel = target.closest(".new-panel");
    if (panel) return leavePanel(panel);
    target.blur();
    (document.querySelector("[data-row][aria-current]") ?? document.querySelector("[data-row]"))?.focus();
    return;
  }
  const menu = document.querySelector("details[data-menu][open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
    return;
  }
  const level = document.querySelector("[data-level]:not([hidden])");
  (level ?? document.querySelector("[data-key=Escape]"))?.click();
}

// The form of something new is closed, unless something was typed into it: then the next Escape closes it.
function leavePanel(panel) {
  const cancel = panel.querySelector("[data-level]");
  if ([...panel.querySelector("form").elements].some(isChanged)) cancel.focus();
  else cancel.click();
}

function isChanged(field) {
  if (field.options) {
    const first = [...field.options].findIndex(option => option.defaultSelected);
    return field.selectedIndex !== Math.max(0, first);
  }
  if (["checkbox", "radio"].includes(field.type)) return field.checked !== field.defaultChecked;
  return "defaultValue" in field && field.value !== field.defaultValue;
}

// Returns whether there is an element with this key.
function pressElement(key) {
  const elements = [...document.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)];
  const element = elements.find(({ offsetParent, disabled }) => offsetParent && !disabled);
  if (!element) return false;
  if (isAction(element)) selectAction(element);
  else if (element.matches("input, textarea")) element.focus();
  else element.click();
  if (element.matches("summary")) element.parentElement.querySelector(MENU_FIELDS)?.focus();
  return true;
}

// Only the keys of what is on the page: claiming, say, needs a gate that is open.
function openKeys() {
  if (!dialog) return;
  for (const group of dialog.querySelectorAll("[data-when]")) {
    group.hidden = !document.querySelector(group.dataset.when);
  }
  dialog.showModal();
}

function pressLetter(event) {
  if (event.key in ROW_STEPS) focusRow(ROW_STEPS[event.key]);
  else if (event.key === "?") openKeys();
  else if (event.key === "v") document.dispatchEvent(new CustomEvent("soni:pick"));
  else if (!pressElement(event.key)) return;
  event.preventDefault();
}

// The button is clicked, because htmx sends the value only of a button that was pressed. A form with a hidden, disabled
// button is not sent by Enter; only its own button sends it.
function sendForm(event) {
  const form = event.target.form ?? decisionForm();
  if (!form) return;
  event.preventDefault();
  if (actionsOf(form).length) return sendSelected(form, event.target);
  const button = form.querySelector("[data-send]");
  if (button) button.click();
  else if (!form.querySelector("button[hidden][disabled]")) form.requestSubmit();
}

document.addEventListener("keydown", event => {
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const hasControl = event.ctrlKey || event.metaKey;
  if (hasControl && event.key.toLowerCase() === "k") {
    event.preventDefault();
    openPalette();
  } else if (hasControl && event.key === "Enter") sendForm(event);
  else if (event.key === "Escape") goBack(event);
  else if (!isTextField(event.target) && !hasControl && !event.altKey && areLettersOn()) pressLetter(event);
});

// After Escape the focus is on the row of the page that was left, or on the first row where that one is gone.
document.addEventListener("click", event => {
  if (event.defaultPrevented) return; // the page stays
  if (event.target.closest?.("a[data-key=Escape]")) sessionStorage.setItem(LEFT_PAGE_KEY, location.pathname);
});
const leftPage = sessionStorage.getItem(LEFT_PAGE_KEY);
sessionStorage.removeItem(LEFT_PAGE_KEY);
if (leftPage && document.activeElement === document.body) {
  const rows = [...document.querySelectorAll("a[data-row]")];
  (rows.find(row => row.pathname === leftPage) ?? rows[0])?.focus();
}

document.addEventListener("click", ({ target }) => {
  if (target.closest?.("[data-opens=keys]")) openKeys();
});
for (const button of document.querySelectorAll("[data-letters]")) {
  button.setAttribute("aria-pressed", String(areLettersOn()));
  button.addEventListener("click", () => {
    localStorage.setItem(LETTERS_KEY, areLettersOn() ? "off" : "on");
    button.setAttribute("aria-pressed", String(areLettersOn()));
  });
}
