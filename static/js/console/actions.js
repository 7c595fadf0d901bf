// The actions of a form that decides something. None is selected to begin with, unless there is no other; a key selects
// one, a press on its button sends it, and Ctrl+Enter sends the one that is selected or asks which.
import { filled } from "../shared/phrases.js";

const ACTION = "button[name=action]";
const inFlight = new WeakSet();  // forms whose answer is on its way

export function actionsOf(form) {
  return [...form.querySelectorAll(ACTION)].filter(button => !button.disabled);
}

export function selectedAction(form) {
  return form.querySelector(`${ACTION}[aria-pressed=true]`);
}

export function isAction(element) {
  return element.matches(ACTION);
}

export function selectAction(button) {
  mark(button);
  const reason = button.form.querySelector('[name="value.reason"]');
  if ("needsReason" in button.dataset && reason && !reason.value.trim()) reason.focus();
}

// The form that Ctrl+Enter means when the focus is outside of every form.
export function decisionForm() {
  const button = document.querySelector(`${ACTION}[aria-pressed=true]`) ?? document.querySelector(ACTION);
  return button?.form ?? null;
}

// The selected one is named beside the buttons, so it counts before a button that only has the focus.
export function sendSelected(form, focused) {
  if (inFlight.has(form)) return;
  if (form.matches(".htmx-request")) {  // just swapped in: it carries the old form's class until it has settled
    document.addEventListener("htmx:afterSettle", () => sendSelected(form, focused), { once: true });
    return;
  }
  const button = selectedAction(form) ?? (isAction(focused) ? focused : null);
  if (button) button.click();
  else askWhich(form);
}

function mark(button) {
  for (const action of actionsOf(button.form)) action.setAttribute("aria-pressed", String(action === button));
  show(button.form);
  button.form.dispatchEvent(new CustomEvent("soni:selected", { bubbles: true }));
}

function show(form) {
  const place = form.querySelector("[data-selection]");
  const button = selectedAction(form);
  if (!place) return;
  const words = matchMedia("(hover: none)").matches ? place.dataset.byTouch : place.dataset.byKey;
  place.textContent = button ? filled(words, labelOf(button)) : "";
  delete place.dataset.kind;
}

function askWhich(form) {
  const place = form.querySelector("[data-selection]");
  if (!place) return;
  place.textContent = filled(place.dataset.which, actionsOf(form).map(labelOf).join(", "));
  place.dataset.kind = "bad";
}

function labelOf(button) { return button.textContent.trim(); }

// What was pressed stays visible while it is on its way, and after the line has failed.
document.addEventListener("submit", event => {
  if (event.submitter && isAction(event.submitter)) mark(event.submitter);
}, true);
document.addEventListener("htmx:beforeRequest", ({ detail: { elt } }) => inFlight.add(elt));
document.addEventListener("htmx:afterRequest", ({ detail: { elt } }) => inFlight.delete(elt));
document.addEventListener("htmx:afterSwap", ({ detail: { target } }) => {
  const form = document.getElementById(target.id);
  if (form?.matches("form")) show(form);
});
for (const place of document.querySelectorAll("[data-selection]")) show(place.closest("form"));
