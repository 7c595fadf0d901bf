// The live queue: known rows change in place, new ones are announced and counted, and nothing moves under the hand.
import { Live, showState } from "../shared/live.js";
import { filled } from "../shared/phrases.js";
import { watchPresence } from "./presence.js";
import { address } from "../shared/addresses.js";

const news = new Set();
// The server counts no further.
const MANY = 100;

export function watchInbox(after) {
  const live = new Live(address("ws/inbox/"), { after, number: "event" });
  showState(live, document.querySelector("[data-inbox-state]"));
  live.addEventListener("session", ({ detail }) => {
    takeRow(detail);
    document.dispatchEvent(new CustomEvent("soni:session", { detail }));
  });
  live.addEventListener("counts", ({ detail }) => {
    takeCounts(detail);
    document.dispatchEvent(new CustomEvent("soni:counts", { detail }));
  });
  watchPresence(live);
  document.querySelector("[data-new]")?.addEventListener("click", reload);
  return live;
}

function takeRow({ type, number, html }) {
  const fresh = document.createRange().createContextualFragment(html).querySelector("[data-row]");
  const row = document.getElementById(`row-g${number}`);
  if (row) return replaceRow(row, fresh);
  // Chats are announced in the inbox, gates in the queue of gates.
  const queue = document.querySelector("[data-queue]");
  const kind = fresh.dataset.kind ?? "";
  if (!queue || queue.dataset.queue !== kind) return;
  // Every line that is said changes its chat's row, on whichever page of the list that is: only a new chat is news.
  if (kind === "handoff" && type !== "session.opened") return;
  news.add(number);
  announce();
}

// The row keeps its place, its focus and its mark; only what it says is new.
function replaceRow(row, fresh) {
  const link = row.querySelector("[data-row]");
  link.className = fresh.className;
  link.replaceChildren(...fresh.childNodes);
  if (fresh.classList.contains("over")) row.querySelector(".picker")?.remove();
}

function announce() {
  const pill = document.querySelector("[data-new]");
  if (!pill) return;
  pill.hidden = false;
  pill.querySelector("[data-words]").textContent = filled(pill.dataset.words, news.size);
}

async function reload(event) {
  if ("wholePage" in event.currentTarget.dataset) return location.reload();
  const queue = document.querySelector("[data-queue]");
  const answer = await fetch(location.href, { headers: { "hx-request": "true", "hx-target": "queue-list" } });
  if (!answer.ok) return;
  const rows = new DOMParser().parseFromString(await answer.text(), "text/html");
  queue.replaceChildren(...rows.body.childNodes);
  document.dispatchEvent(new CustomEvent("soni:rows"));
  news.clear();
  document.querySelector("[data-new]").hidden = true;
  queue.querySelector("[data-row]")?.focus();
}

function takeCounts({ views, badges }) {
  for (const [name, count] of Object.entries({ ...views })) write(`[data-view="${name}"]`, count);
  for (const [name, count] of Object.entries({ ...badges })) write(`[data-badge="${name}"]`, count, true);
}

function write(selector, count, hideZero = false) {
  for (const element of document.querySelectorAll(selector)) {
    (element.querySelector("[data-number]") ?? element).textContent = count < MANY ? count : `${MANY - 1}+`;
    if (hideZero) element.hidden = count === 0;
    else element.classList.toggle("quiet", count === 0 || !("warm" in element.dataset));
  }
}
