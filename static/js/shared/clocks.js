// Times on the server's clock and in the reader's zone: <time data-until> counts down, <time data-since> counts up, and
// every other <time data-zone> is a moment. The visitor's clock may be wrong by hours, so this uses only the time that
// passed since page load.
import { makeElement } from "./elements.js";
import { dayText, fullMomentText, momentText } from "./moments.js";
import { pageZone } from "./zone.js";

import { fillPhrase } from "./phrases.js";

const LANGUAGE = document.documentElement.lang || "en";
const SERVER_TIME_AT_LOAD_MS = Date.parse(document.documentElement.dataset.now);
const LOADED_AT_MS = performance.now();
const REFRESH_INTERVAL_MS = 5_000;
const URGENT_BELOW_SECONDS = 300;
const SOON_BELOW_SECONDS = 1_800;
const DIAL_LENGTH = 20; // the circumference of the drawn clock, in units of its viewBox
const writtenDays = new WeakMap(); // by element
const UNIT_SECONDS = [["day", 86_400], ["hour", 3_600], ["minute", 60]];

/** The server's time now, in milliseconds since 1970. */
export function serverNow() {
  return SERVER_TIME_AT_LOAD_MS + performance.now() - LOADED_AT_MS;
}

/**
 * A new `<time>` for a moment in ISO 8601, with its words and its title. The full moment for screen readers follows with
 * the next refresh: most new elements are in live regions, where each message would be read with its whole date.
 */
export function timeElement(at) {
  const time = makeElement("time");
  time.dateTime = at;
  time.dataset.zone = "";
  time.setAttribute("aria-live", "off"); // for what is written later
  time.append(makeElement("span"));
  writeMoment(time, { isLater: false });
  return time;
}

/** Let this `<time>` count up from a moment in ISO 8601. */
export function countSince(element, at) {
  if (element.dataset.since === at) return;
  element.dateTime = at;
  element.dataset.since = at;
  element.dataset.zone = "";
  writtenDays.delete(element);
}

// What was written stays right until the day or the zone changes. `time_elements.py` writes the same parts.
function writeMoment(element, { isLater = true } = {}) {
  const reader = { language: LANGUAGE, zone: pageZone() }, today = dayText(serverNow(), reader);
  const at = Date.parse(element.dateTime);
  if (Number.isNaN(at) || writtenDays.get(element) === today) return;
  if (element.dataset.zone !== reader.zone) {
    element.dataset.zone = reader.zone;
    element.title = fullMomentText(at, reader);
  }
  const isRelative = "since" in element.dataset || "until" in element.dataset;
  const { dated, seconds } = element.dataset;
  const form = { isDated: dated !== undefined, hasSeconds: seconds !== undefined };
  if (!isRelative) setText(wordsOf(element), momentText(at, serverNow(), reader, form));
  if (!isLater) return;
  writtenDays.set(element, today);
  writeFullMoment(element, isRelative);
}

// What is seen: the first part. Elements without full moment have no parts.
function wordsOf(element) {
  return element.firstElementChild ?? element;
}

// A title is for the mouse only. Screen readers hear the full moment in place of the short one, and after a span.
function writeFullMoment(element, isRelative) {
  const words = element.firstElementChild;
  if (!words) return;
  if (!words.nextElementSibling) words.after(makeElement("span", "full-moment"));
  setText(words.nextElementSibling, isRelative ? `, ${element.title}` : element.title);
  if (!isRelative) words.setAttribute("aria-hidden", "true");
}

function durationText(seconds) {
  const [unit, unitSeconds] = UNIT_SECONDS.find(([, length]) => seconds >= length) ?? UNIT_SECONDS.at(-1);
  const format = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 0 };
  const number = Math.floor(seconds / unitSeconds), words = new Intl.NumberFormat(LANGUAGE, format);
  return number < 1 ? `<${words.format(1)}` : words.format(number);
}

/** Write every time below `root`, and what depends on it: colours, drawn clocks, marks of lateness, masks. */
export function refreshTimes(root = document) {
  for (const element of root.querySelectorAll("time[data-zone]")) writeMoment(element);
  for (const element of root.querySelectorAll("[data-until]")) {
    const secondsLeft = (Date.parse(element.dataset.until) - serverNow()) / 1000;
    const words = fillPhrase(element.dataset.words ?? "%s", durationText(secondsLeft));
    setText(wordsOf(element), secondsLeft <= 0 ? element.dataset.past ?? words : words);
    setUrgency(element.closest("[data-urgency]"), secondsLeft);
    setDial(element.closest(".clock"), secondsLeft);
  }
  for (const element of root.querySelectorAll("[data-since]:not([data-since=''])")) {
    setText(wordsOf(element), durationText((serverNow() - Date.parse(element.dataset.since)) / 1000));
  }
  for (const element of root.querySelectorAll("[data-shown-until]")) {
    if (isPast(element.dataset.shownUntil)) reloadMasked();
  }
  for (const element of root.querySelectorAll("[data-late-after]")) {
    setLate(element, isPast(element.dataset.lateAfter));
  }
}

function isPast(time) {
  return Date.parse(time) <= serverNow();
}

// The server masks the value by now. While a field has unsaved input the page waits, because a reload would lose it.
function reloadMasked() {
  const fields = [...document.querySelectorAll("input:not([type=hidden]), textarea")];
  if (fields.every(field => field.value === field.defaultValue)) location.reload();
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text; // live regions announce each change
}

function setUrgency(element, secondsLeft) {
  if (!element) return;
  element.classList.toggle("bad", secondsLeft <= URGENT_BELOW_SECONDS);
  element.classList.toggle("warm", secondsLeft > URGENT_BELOW_SECONDS && secondsLeft <= SOON_BELOW_SECONDS);
}

// In words too, because colour alone does not reach everyone.
function setLate(element, isLate) {
  element.classList.toggle("late", isLate);
  for (const words of element.querySelectorAll("[data-late]")) words.hidden = !isLate;
}

function setDial(clock, secondsLeft) {
  const totalSeconds = Number(clock?.dataset.whole);
  if (!totalSeconds) return;
  const length = Math.max(0, Math.min(DIAL_LENGTH, DIAL_LENGTH * secondsLeft / totalSeconds));
  clock.querySelector(".time-left").setAttribute("stroke-dasharray", `${length} ${DIAL_LENGTH}`);
}

refreshTimes();
setInterval(refreshTimes, REFRESH_INTERVAL_MS);
for (const type of ["htmx:afterSwap", "soni:session", "soni:rows"]) {
  document.addEventListener(type, () => refreshTimes());
}
