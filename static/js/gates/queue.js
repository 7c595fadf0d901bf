// The queue beside a gate: rows are ticked for one answer to all of them.
import { fillPhrase } from "../shared/phrases.js";

const bar = document.getElementById("together");
const queue = document.querySelector("[data-queue]");

if (bar && queue) {
  queue.addEventListener("change", showCount);
  bar.querySelector("[data-unpick]").addEventListener("click", clearSelection);
  bar.querySelector("[data-pick-kind]").addEventListener("click", tickAllOfKind);
  document.addEventListener("soni:pick", toggleFocusedRow);
  document.addEventListener("soni:session", showCount);
  document.addEventListener("soni:rows", showCount);
  showCount();
}

function tickedBoxes() {
  return [...queue.querySelectorAll(".bulk-checkbox:checked")];
}

function showCount() {
  const count = tickedBoxes().length;
  bar.hidden = count === 0;
  queue.classList.toggle("bulk-selecting", count > 0);
  bar.querySelector("[data-words]").textContent = fillPhrase(bar.dataset.words, count);
}

// All gates in the list that one form answers together with those that are ticked.
function tickAllOfKind() {
  const forms = new Set(tickedBoxes().map(box => box.dataset.form));
  for (const box of queue.querySelectorAll(".bulk-checkbox")) box.checked ||= forms.has(box.dataset.form);
  showCount();
}

function clearSelection() {
  for (const box of tickedBoxes()) box.checked = false;
  showCount();
  (document.querySelector("[data-row][aria-current]") ?? document.querySelector("[data-row]"))?.focus();
}

// The key v ticks the row that has the focus, or unticks it.
function toggleFocusedRow() {
  const box = document.activeElement?.closest("li")?.querySelector(".bulk-checkbox");
  if (!box?.offsetParent) return; // people who only look have none
  box.checked = !box.checked;
  showCount();
}
