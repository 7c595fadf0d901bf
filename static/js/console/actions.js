// The buttons of a form that decides a gate. At first none is selected, unless there is only one. A key selects a
// button and a press on it sends it; Ctrl+Enter sends the selected one or asks which one is meant.
import { fillPhrase } from "../shared/phrases.js";

const ACTION = "button[name=action]";
const formsInFlight = new WeakSet(); // forms whose answer is on its way

/** The buttons of a form that can be pressed. */
export function actionsOf(form) {
  return [...form.querySelectorAll(ACTION)].filter(button => !button.disabled);
}

/** The selected button of a form, or null. */
export function selectedAction(form) {
  return form.querySelector(`${ACTION}[aria-pressed=true]`);
}

export function isAction(element) {
  return element.matches(ACTION);
}

/** Select an action; the focus goes to the reason where the action needs one. */
export function selectAction(button) {
  markSelected(button);
  const reason = button.form.querySelector('[name="value.reason"]');
  if ("needsReason" in button.dataset && reason && !reason.value.trim()) reason.focus();
}

/** The form that Ctrl+Enter means when the focus is outside of every form, or null. */
export function decisionForm() {
  const button = document.querySelector(`${ACTION}[aria-pressed=true]`) ?? document.querySelector(ACTION);
  return button?.form ?? null;
}

/**
 * Send the selected action of a form, else the button that has the focus. The selected one comes first, because the
 * page names it beside the buttons.
 */
export function sendSelected(form, focused) {
  if (formsInFlight.has(form)) return;
  if (form.matches(".htmx-request")) { // just swapped in: it has the old form's class until htmx has settled it
    document.addEventListener("htmx:afterSettle", () => sendSelected(form, focused), { once: true });
    return;
  }
  const button = selectedAction(form) ?? (isAction(focused) ? focused : null);
  if (button) button.click();
  else askWhich(form);
}

function markSelected(button) {
  for (const action of actionsOf(button.form)) action.setAttribute("aria-pressed", String(action === button));
  showSelection(button.form);
  button.form.dispatchEvent(new CustomEvent("soni:selected", { bubbles: true }));
}

function showSelection(form) {
  const note = form.querySelector("[data-selection]");
  const button = selectedAction(form);
  if (!note) return;
  const words = matchMedia("(hover: none)").matches ? note.dataset.byTouch : note.dataset.byKey;
  note.textContent = button ? fillPhrase(words, labelOf(button)) : "";
  delete note.dataset.kind;
}

function askWhich(form) {
  const note = form.querySelector("[data-selection]");
  if (!note) return;
  note.textContent = fillPhrase(note.dataset.which, actionsOf(form).map(labelOf).join(", "));
  note.dataset.kind = "bad";
}

function labelOf(button) { return button.textContent.trim(); }

// A pressed button is marked too, so that it is visible while its request is on its way and after that has failed.
document.addEventListener("submit", event => {
  if (event.submitter && isAction(event.submitter)) markSelected(event.submitter);
}, true);
document.addEventListener("htmx:beforeRequest", ({ detail: { elt } }) => formsInFlight.add(elt));
document.addEventListener("htmx:afterRequest", ({ detail: { elt } }) => formsInFlight.delete(elt));
document.addEventListener("htmx:afterSwap", ({ detail: { target } }) => {
  const form = document.getElementById(target.id);
  if (form?.matches("form")) showSelection(form);
});
for (const note of document.querySelectorAll("[data-selection]")) showSelection(note.closest("form"));
