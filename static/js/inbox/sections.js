// The parts of the inbox: a chat that changes hands moves from one to the other, for its holder and for colleagues.

const queue = document.querySelector("[data-queue]");

/** Follow the live events: a row goes to the part that it names, at the place that its wait gives it. */
export function watchSections() {
  document.addEventListener("soni:session", ({ detail }) => moveRow(document.getElementById(`row-g${detail.number}`)));
}

function moveRow(item) {
  const row = item?.querySelector("[data-row]");
  const section = queue.querySelector(`section[data-section="${row?.dataset.section}"]`);
  if (!section || section.contains(item)) return;
  const hadFocus = item.contains(document.activeElement);
  const rows = [...section.querySelectorAll("[data-row]")];
  const next = rows.find(other => isBefore(row, other))?.closest("li") ?? section.querySelector("li.pager");
  section.querySelector("ol").insertBefore(item, next);
  if (hadFocus) row.focus({ preventScroll: true });
  for (const part of queue.querySelectorAll("section[data-section]")) part.hidden = !part.querySelector("li");
}

// Longest wait first; the server writes the times in one form, so that their texts compare as the times do.
function isBefore(row, other) {
  return row.dataset.waits < other.dataset.waits;
}
