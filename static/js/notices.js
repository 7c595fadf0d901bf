// Toasts for what is new. Who asked for quiet hears nothing until then, but for a gate of theirs that is about to expire.
import { serverNow } from "./clocks.js";

const SHOWN_FOR = 7_000;
const LOOK_EVERY = 15_000;
const toast = document.getElementById("toast");
const told = new Set();
let quiet = { until: null, urgent: [] }, timer = 0;

export function watchNotices() {
  if (!toast?.dataset.quiet) return;
  document.addEventListener("soni:session", ({ detail }) => opened(detail));
  document.addEventListener("soni:changed", refresh);
  for (const button of document.querySelectorAll("[data-quiet-switch]")) button.addEventListener("click", flip);
  setInterval(refresh, 60_000);
  setInterval(breakThrough, LOOK_EVERY);
  refresh();
}

async function refresh() {
  const answer = await fetch(toast.dataset.quiet, { headers: { accept: "application/json" } }).catch(() => null);
  if (!answer?.ok) return;
  quiet = await answer.json();
  for (const button of document.querySelectorAll("[data-quiet-switch]")) button.setAttribute("aria-pressed", String(silent()));
  breakThrough();
}

function silent() {
  return quiet.until !== null && Date.parse(quiet.until) > serverNow();
}

function opened({ type, html, number }) {
  if (type !== "session.opened" || silent()) return;
  const title = new DOMParser().parseFromString(html, "text/html").querySelector("b")?.textContent ?? "";
  say(toast.dataset.opened.replace("%s", `g${number} ${title}`));
}

function breakThrough() {
  for (const { number, title, breaks_at: at } of quiet.urgent) {
    if (told.has(number) || Date.parse(at) > serverNow()) continue;
    told.add(number);
    say(toast.dataset.expiring.replace("%s", `g${number} ${title}`));
  }
}

function say(text) {
  toast.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => { toast.textContent = ""; }, SHOWN_FOR);
}

// The same line that the command bar takes.
async function flip() {
  const form = document.getElementById("command");
  const body = new FormData(form);
  body.set("line", silent() ? "unmute" : "mute 1h");
  await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } });
  refresh();
}
