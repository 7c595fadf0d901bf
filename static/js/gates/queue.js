// The queue beside a gate: rows are chosen for one answer together, and the view stays as it is when a row is opened.
import { filled } from "../shared/phrases.js";

const bar = document.getElementById("together");
const queue = document.querySelector("[data-queue]");

if (bar && queue) {
  queue.addEventListener("change", count);
  queue.addEventListener("click", keepView);
  bar.querySelector("[data-unpick]").addEventListener("click", () => {
    for (const box of chosen()) box.checked = false;
    count();
    (document.querySelector("[data-row][aria-current]") ?? document.querySelector("[data-row]"))?.focus();
  });
  document.addEventListener("soni:pick", pick);
  document.addEventListener("soni:session", count);
  document.addEventListener("soni:rows", count);
  count();
}

function chosen() {
  return [...queue.querySelectorAll(".picker:checked")];
}

function count() {
  const number = chosen().length;
  bar.hidden = number === 0;
  queue.classList.toggle("picking", number > 0);
  bar.querySelector("[data-words]").textContent = filled(bar.dataset.words, number);
}

// The key v: the row that has the focus is chosen, or not any more.
function pick() {
  const box = document.activeElement?.closest("li")?.querySelector(".picker");
  if (!box) return;
  box.checked = !box.checked;
  count();
}

function keepView(event) {
  const row = event.target.closest("[data-row]");
  if (row && location.search) row.search = location.search;
}
