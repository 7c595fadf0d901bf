// Moments in words, by the rules of `moment_text` and `full_moment_text` in dialogue/desk/forms/deadlines.py, so that
// what the server rendered and what came through a socket read alike.

const DAY_AND_MONTH = { day: "numeric", month: "short" };
const FULL_DATE = { weekday: "long", day: "numeric", month: "long", year: "numeric" };
const TIME_WITH_SECONDS = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
const WORD_BEFORE_MONTH = { es: " de " };
const formats = new Map(); // making one costs more than everything else here

/**
 * "14:17", "23 Nov, 14:17" on another day or "23 Nov 2025, 14:17" in another year; `reader` is {language, zone}. With
 * `isDated` the day is there today too, with `hasSeconds` it is "14:17:05".
 */
export function momentText(atMs, nowMs, reader, { isDated = false, hasSeconds = false } = {}) {
  const time = partsOf(atMs, TIME_WITH_SECONDS, reader), day = partsOf(atMs, DAY_AND_MONTH, reader);
  const clock = `${time.hour}:${time.minute}${hasSeconds ? `:${time.second}` : ""}`;
  if (!isDated && dayText(atMs, reader) === dayText(nowMs, reader)) return clock;
  const year = yearOf(atMs, reader);
  return `${day.day} ${day.month}${year === yearOf(nowMs, reader) ? "" : ` ${year}`}, ${clock}`;
}

/** "Monday, 23 November 2026, 14:17:05 (UTC+01:00, Europe/Madrid)". */
export function fullMomentText(atMs, reader) {
  const { weekday, day, month, year } = partsOf(atMs, FULL_DATE, reader);
  const { hour, minute, second } = partsOf(atMs, TIME_WITH_SECONDS, reader);
  const before = WORD_BEFORE_MONTH[reader.language] ?? " ";
  return `${weekday}, ${day}${before}${month}${before}${year}, ${hour}:${minute}:${second} (${zoneText(atMs, reader)})`;
}

function zoneText(atMs, { zone }) {
  if (zone === "UTC") return zone;
  const name = partsOf(atMs, { timeZoneName: "longOffset" }, { language: "en", zone }).timeZoneName;
  const offset = name === "GMT" ? "UTC+00:00" : name.replace("GMT", "UTC").replace("\u2212", "-");
  return `${offset}, ${zone}`;
}

/** The reader's calendar day as a text, to compare days and zones. */
export function dayText(ms, reader) {
  const { day, month, year } = partsOf(ms, { day: "numeric", month: "numeric", year: "numeric" }, reader);
  return `${year}-${month}-${day} ${reader.zone}`;
}

function yearOf(ms, reader) {
  return partsOf(ms, { year: "numeric" }, reader).year;
}

function partsOf(ms, options, { language, zone }) {
  const key = JSON.stringify([language, zone, options]);
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(language, { ...options, timeZone: zone }));
  return Object.fromEntries(formats.get(key).formatToParts(ms).map(({ type, value }) => [type, value]));
}
