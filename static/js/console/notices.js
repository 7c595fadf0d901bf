// Toasts for what is new. Who asked for quiet hears nothing until then, but for a gate of theirs that is about to expire.
// Other pages announce with: document.dispatchEvent(new CustomEvent("soni:notice", { detail: { text, key, href } })).
import { alertAway, watchSwitches } from "./alerts.js";
import { serverNow } from "../shared/clocks.js";
import { filled } from "../shared/phrases.js";
import { address } from "../shared/addresses.js";

const SHOWN_FOR = 7_000;
const URGENT_FOR = 30_000;
const LOOK_EVERY = 15_000;
const toast = document.getElementById("toast");
const told = new Set();
let quiet = { until: null, urgent: [] }, timer = 0;

export function watchNotices() {
  if (!toast?.dataset.quiet) return;
  watchSwitches();
  document.addEventListener("soni:session", ({ detail }) => heard(detail));
  document.addEventListener("soni:notice", ({ detail }) => silent() || say(detail));
  document.addEventListener("soni:counts", ({ detail }) => detail.quiet && take(detail.quiet));
  document.addEventListener("soni:changed", refresh);
  for (const button of document.querySelectorAll("[data-quiet-switch]")) button.addEventListener("click", flip);
  setInterval(refresh, 60_000);
  setInterval(breakThrough, LOOK_EVERY);
  refresh();
}

async function refresh() {
  const answer = await fetch(toast.dataset.quiet, { headers: { accept: "application/json" } }).catch(() => null);
  if (answer?.ok) take(await answer.json());
}

function take(fresh) {
  quiet = fresh;
  for (const button of document.querySelectorAll("[data-quiet-switch]")) button.setAttribute("aria-pressed", String(silent()));
  breakThrough();
}

function silent() {
  return quiet.until !== null && Date.parse(quiet.until) > serverNow();
}

// What is new to this person: a gate that was opened, or one that waited so long that they may act too; and, muted or
// not, that what they decided was not carried out.
function heard({ type, html, number, escalated, text }) {
  if (type === "session.overtaken" && text) return say({ text: `g${number}: ${text}`, key: `g${number}-overtaken`, href: address(`gates/g${number}/`), urgent: true });
  if ((type !== "session.opened" && !escalated) || silent()) return;
  const title = new DOMParser().parseFromString(html, "text/html").querySelector("b")?.textContent ?? "";
  const words = escalated ? toast.dataset.escalated : toast.dataset.opened;
  say({ text: filled(words, `g${number} ${title}`), key: `g${number}${escalated ? "-escalated" : ""}`, href: address(`gates/g${number}/`) });
}

// No silence holds this back: a gate that I hold ends without my answer if I do not look.
function breakThrough() {
  for (const { number, title, breaks_at: at } of quiet.urgent) {
    if (told.has(number) || Date.parse(at) > serverNow()) continue;
    told.add(number);
    const text = filled(toast.dataset.expiring, `g${number} ${title}`);
    say({ text, key: `g${number}-expiring`, href: address(`gates/g${number}/`), urgent: true });
  }
}

function say({ text, key = text, href = location.href, urgent = false }) {
  const shown = document.createElement(urgent ? "a" : "span");
  if (urgent) shown.href = href;
  shown.textContent = text;
  toast.replaceChildren(shown);
  toast.dataset.kind = urgent ? "urgent" : "";
  clearTimeout(timer);
  timer = setTimeout(() => toast.replaceChildren(), urgent ? URGENT_FOR : SHOWN_FOR);
  alertAway(text, { key, href });
}

// The same line that the command bar takes.
async function flip() {
  const form = document.getElementById("command");
  const body = new FormData(form);
  body.set("line", silent() ? "unmute" : "mute 1h");
  const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } }).catch(() => null);
  refresh();
  if (!answer?.ok) return;
  const { said: text, undo } = await answer.json();
  document.dispatchEvent(new CustomEvent("soni:done", { detail: { text, undo } }));
}
