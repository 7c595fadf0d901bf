// The live feed of gates and chats, which every page of the console follows. Rows on the page change in place; new
// ones are counted and announced, so that no row moves under the pointer.
import { address } from "../shared/addresses.js";
import { LiveConnection, showConnectionState } from "../shared/live.js";
import { fillPhrase } from "../shared/phrases.js";
import { watchPresence } from "./presence.js";

const MAX_COUNT = 100; // the server counts no further
const newSessions = new Set(); // numbers of sessions whose rows are not on the page yet

/** `after` is the number of the last event that the page shows already. */
export function watchInbox(after) {
  const connection = new LiveConnection(address("ws/inbox/"), { after, number: "event" });
  showConnectionState(connection, document.querySelector("[data-inbox-state]"));
  connection.addEventListener("session", ({ detail }) => {
    sessionChanged(detail);
    document.dispatchEvent(new CustomEvent("soni:session", { detail }));
  });
  connection.addEventListener("counts", ({ detail }) => {
    showCounts(detail);
    document.dispatchEvent(new CustomEvent("soni:counts", { detail }));
  });
  watchPresence(connection);
  document.querySelector("[data-new]")?.addEventListener("click", loadNewRows);
}

function sessionChanged({ type, number, html }) {
  const newRow = document.createRange().createContextualFragment(html).querySelector("[data-row]");
  const row = document.getElementById(`row-g${number}`);
  if (row) return updateRow(row, newRow);
  const queue = document.querySelector("[data-queue]");
  const kind = newRow.dataset.kind ?? "";
  if (!queue || queue.dataset.queue !== kind) return; // the inbox announces chats, the queue of gates announces gates
  // Every line of a chat changes its row, also when that row is on another page of the list; only a new chat is news.
  if (kind === "handoff" && type !== "session.opened") return;
  newSessions.add(number);
  announceNewRows();
}

// Only the content is replaced, so that the row keeps its place, its focus and its mark.
function updateRow(row, newRow) {
  const link = row.querySelector("[data-row]");
  link.className = newRow.className;
  Object.assign(link.dataset, newRow.dataset);
  link.replaceChildren(...newRow.childNodes);
  if (newRow.classList.contains("ended")) row.querySelector(".bulk-target")?.remove();
}

function announceNewRows() {
  const button = document.querySelector("[data-new]");
  if (!button) return;
  button.hidden = false;
  button.querySelector("[data-words]").textContent = fillPhrase(button.dataset.words, newSessions.size);
}

async function loadNewRows(event) {
  if ("wholePage" in event.currentTarget.dataset) return location.reload();
  const queue = document.querySelector("[data-queue]");
  const response = await fetch(location.href, { headers: { "hx-request": "true", "hx-target": "queue-list" } });
  if (!response.ok) return;
  const rows = new DOMParser().parseFromString(await response.text(), "text/html");
  queue.replaceChildren(...rows.body.childNodes);
  document.dispatchEvent(new CustomEvent("soni:rows"));
  newSessions.clear();
  document.querySelector("[data-new]").hidden = true;
  queue.querySelector("[data-row]")?.focus();
}

function showCounts({ views, badges }) {
  for (const [name, count] of Object.entries({ ...views })) {
    for (const element of document.querySelectorAll(`[data-view="${name}"]`)) {
      showCount(element, count);
      element.classList.toggle("quiet", count === 0 || !("warm" in element.dataset));
    }
  }
  for (const [name, count] of Object.entries({ ...badges })) {
    for (const element of document.querySelectorAll(`[data-badge="${name}"]`)) {
      showCount(element, count);
      element.hidden = count === 0;
    }
  }
}

function showCount(element, count) {
  const number = element.querySelector("[data-number]") ?? element;
  number.textContent = count < MAX_COUNT ? count : `${MAX_COUNT - 1}+`;
}
