// The keyboard. An element with data-key is pressed by that key; rows with data-row are walked with j and k. Single letters
// are off in text fields, under a dialog, and for whoever switched them off. The key of an action selects it: it is sent
// by Ctrl+Enter, or by a press on its button.
import { actionsOf, decisionForm, isAction, selectAction, sendSelected } from "./actions.js";

const SWITCH = "soni_letters";
const dialog = document.getElementById("keys");

const TEXTS = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=button], [type=submit])";

function typing(target) {
  return target instanceof Element && target.matches(TEXTS);
}

function walk(step) {
  const rows = [...document.querySelectorAll("[data-row]")].filter(row => row.offsetParent);
  const current = document.querySelector("[data-row][aria-current]");
  const at = rows.indexOf(rows.includes(document.activeElement) ? document.activeElement : current);
  rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
}

function back(event) {
  const target = event.target;
  if (typing(target)) {
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
  document.querySelector("[data-key=Escape]")?.click();
}

function lettersOn() {
  return localStorage.getItem(SWITCH) !== "off";
}

function pressed(key) {
  const found = [...document.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)].find(each => each.offsetParent && !each.disabled);
  if (!found) return false;
  if (isAction(found)) selectAction(found);
  else if (found.matches("input, textarea")) found.focus();
  else found.click();
  if (found.matches("summary")) found.parentElement.querySelector(".menu :is(button, select, input):not([disabled], [hidden], [type=hidden])")?.focus();
  return true;
}

function letter(event) {
  const moves = { j: 1, k: -1 };
  if (event.key in moves) walk(moves[event.key]);
  else if (event.key === "?") dialog?.showModal();
  else if (event.key === "v") document.dispatchEvent(new CustomEvent("soni:pick"));
  else if (!pressed(event.key)) return;
  event.preventDefault();
}

// The button is pressed, not only the form sent: htmx sends the value of a button that was pressed. A form that Enter
// must not send, as its hidden button says, is sent by its own button only.
function send(event) {
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
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    pressed(":");
  } else if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
    send(event);
  } else if (event.key === "Escape") back(event);
  else if (!typing(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey && lettersOn()) letter(event);
});

// One level back is the row that one came from; where it is gone, the first.
const LEFT = "soni_left";
document.addEventListener("click", event => {
  if (event.target.closest?.("a[data-key=Escape]")) sessionStorage.setItem(LEFT, location.pathname);
});
const left = sessionStorage.getItem(LEFT);
sessionStorage.removeItem(LEFT);
if (left && document.activeElement === document.body) {
  const rows = [...document.querySelectorAll("a[data-row]")];
  (rows.find(row => row.pathname === left) ?? rows[0])?.focus();
}

for (const button of document.querySelectorAll("[data-letters]")) {
  button.setAttribute("aria-pressed", String(lettersOn()));
  button.addEventListener("click", () => {
    localStorage.setItem(SWITCH, lettersOn() ? "off" : "on");
    button.setAttribute("aria-pressed", String(lettersOn()));
  });
}
