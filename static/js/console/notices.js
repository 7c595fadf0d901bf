// Toasts about what is new. Quiet hours hold them back, except for a gate of this person that is about to expire and
// for a decision of theirs that was not carried out.
// To announce: document.dispatchEvent(new CustomEvent("soni:notice", { detail: { text, key, href } })).
import { alertPerson, watchAlertSwitches } from "./alerts.js";
import { address } from "../shared/addresses.js";
import { serverNow } from "../shared/clocks.js";
import { fillPhrase } from "../shared/phrases.js";

const SHOWN_MS = 7_000;
const URGENT_SHOWN_MS = 30_000;
const EXPIRY_CHECK_INTERVAL_MS = 15_000;
const REFRESH_INTERVAL_MS = 60_000;
const ANNOUNCED_KEY = "soni-announced"; // in sessionStorage: "g12 DEADLINE", so that each is announced once a session
const toast = document.getElementById("toast");
const announcedExpiries = new Set(storedAnnouncements());
let quietHours = { until: null, urgent: [] };
let timer = 0;

export function watchNotices() {
  if (!toast?.dataset.quiet) return;
  watchAlertSwitches();
  watchToast();
  document.addEventListener("soni:session", ({ detail }) => sessionChanged(detail));
  document.addEventListener("soni:notice", ({ detail }) => isQuiet() || showToast(detail));
  document.addEventListener("soni:counts", ({ detail }) => detail.quiet && setQuietHours(detail.quiet));
  document.addEventListener("soni:changed", refreshQuietHours);
  for (const button of quietSwitches()) button.addEventListener("click", toggleQuiet);
  setInterval(refreshQuietHours, REFRESH_INTERVAL_MS);
  setInterval(announceExpiries, EXPIRY_CHECK_INTERVAL_MS);
  refreshQuietHours();
}

async function refreshQuietHours() {
  const response = await fetch(toast.dataset.quiet, { headers: { accept: "application/json" } }).catch(() => null);
  if (response?.ok) setQuietHours(await response.json());
}

// `{until, urgent: [{number, title, breaks_at}]}`, where the urgent gates are those that this person holds.
function setQuietHours(newQuietHours) {
  quietHours = newQuietHours;
  for (const button of quietSwitches()) button.setAttribute("aria-pressed", String(isQuiet()));
  announceExpiries();
}

function quietSwitches() {
  return document.querySelectorAll("[data-quiet-switch]");
}

function isQuiet() {
  return quietHours.until !== null && Date.parse(quietHours.until) > serverNow();
}

// New to this person are a gate that was opened and one that waited so long that they may decide it too.
function sessionChanged({ type, html, number, escalated, text }) {
  const gate = `g${number}`, href = address(`gates/g${number}/`);
  if (type === "session.overtaken" && text) {
    showToast({ text: `${gate}: ${text}`, key: `${gate}-overtaken`, href, urgent: true });
    return;
  }
  if ((type !== "session.opened" && !escalated) || isQuiet()) return;
  const words = escalated ? toast.dataset.escalated : toast.dataset.opened;
  const key = `${gate}${escalated ? "-escalated" : ""}`;
  showToast({ text: fillPhrase(words, `${gate} ${rowText(html)}`), key, href });
}

// What a row says of its gate: the title and the values at stake.
function rowText(html) {
  const row = new DOMParser().parseFromString(html, "text/html");
  return [row.querySelector("[data-row] > b")?.textContent.trim(), valuesOf(row)].filter(Boolean).join(": ");
}

function valuesOf(row) {
  return [...row?.querySelectorAll(".row-values bdi:not(.customer)") ?? []].map(value => value.textContent).join(" · ");
}

// The values of a gate whose row is on this page; "" without one.
function valuesInRow(number) {
  return valuesOf(document.getElementById(`row-g${number}`));
}

// Quiet hours do not hold these back: the gate ends without this person's answer if they do not look.
function announceExpiries() {
  for (const { number, title, breaks_at: breaksAt } of quietHours.urgent) {
    const announcement = `g${number} ${breaksAt}`, href = address(`gates/g${number}/`);
    if (announcedExpiries.has(announcement) || Date.parse(breaksAt) > serverNow() || isOnPage(href)) continue;
    rememberAnnouncement(announcement);
    const name = [title, valuesInRow(number)].filter(Boolean).join(": ");
    const text = fillPhrase(toast.dataset.expiring, `g${number} ${name}`);
    showToast({ text, key: `g${number}-expiring`, href, urgent: true });
  }
}

function isOnPage(href) {
  return new URL(href, location.href).pathname === location.pathname;
}

function storedAnnouncements() {
  try {
    return JSON.parse(sessionStorage.getItem(ANNOUNCED_KEY) ?? "[]");
  } catch {
    return []; // a browser that keeps nothing
  }
}

function rememberAnnouncement(announcement) {
  announcedExpiries.add(announcement);
  try {
    sessionStorage.setItem(ANNOUNCED_KEY, JSON.stringify([...announcedExpiries]));
  } catch {
    // A browser that keeps nothing announces again on the next page.
  }
}

// An urgent notice stays while the pointer or the focus is in it, and goes at its button, at Escape, and with its link.
function watchToast() {
  for (const type of ["pointerenter", "focusin"]) toast.addEventListener(type, () => clearTimeout(timer));
  for (const type of ["pointerleave", "focusout"]) toast.addEventListener(type, () => hideToastAfter(SHOWN_MS));
  toast.addEventListener("click", ({ target }) => target.closest("a, button") && hideToast());
  toast.addEventListener("keydown", event => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    hideToast();
  });
}

function hideToastAfter(milliseconds) {
  clearTimeout(timer);
  timer = setTimeout(hideToast, milliseconds);
}

function hideToast() {
  clearTimeout(timer);
  toast.replaceChildren();
}

function showToast({ text, key = text, href = location.href, urgent = false }) {
  const element = document.createElement(urgent ? "a" : "span");
  if (urgent) element.href = href;
  element.textContent = text;
  toast.replaceChildren(element, ...(urgent ? [makeCloseButton()] : []));
  toast.dataset.kind = urgent ? "urgent" : "";
  hideToastAfter(urgent ? URGENT_SHOWN_MS : SHOWN_MS);
  alertPerson(text, { key, href });
}

function makeCloseButton() {
  const button = document.getElementById("toast-close").cloneNode(true);
  button.removeAttribute("id");
  button.hidden = false;
  return button;
}

// The switch sends the same line that a person types into the command bar.
async function toggleQuiet() {
  const form = document.getElementById("command");
  const body = new FormData(form);
  body.set("line", isQuiet() ? "unmute" : "mute 1h");
  const request = { method: "POST", body, headers: { accept: "application/json" } };
  const response = await fetch(form.action, request).catch(() => null);
  refreshQuietHours();
  if (!response?.ok) return;
  const { said: text, undo } = await response.json();
  document.dispatchEvent(new CustomEvent("soni:done", { detail: { text, undo } }));
}
