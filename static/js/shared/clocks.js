// Relative times by the server's clock: <time data-until> counts down, <time data-since> counts up, both in words of the
// page's language. A page's own clock may be wrong by hours; only the distance from when the page was made is used.

const LANGUAGE = document.documentElement.lang || "en";
const SERVER_AT_LOAD = Date.parse(document.documentElement.dataset.now);
const LOADED = performance.now();
const UNITS = [["day", 86_400], ["hour", 3_600], ["minute", 60]];

export function serverNow() {
  return SERVER_AT_LOAD + performance.now() - LOADED;
}

export function spanWords(seconds) {
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? UNITS.at(-1);
  const shape = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 0 };
  return new Intl.NumberFormat(LANGUAGE, shape).format(Math.max(0, Math.floor(seconds / size)));
}

export function refresh(root = document) {
  for (const element of root.querySelectorAll("[data-until]")) {
    const left = (Date.parse(element.dataset.until) - serverNow()) / 1000;
    write(element, left <= 0 ? element.dataset.past ?? spanWords(0) : spanWords(left));
    colour(element.closest(".chip"), left);
    turn(element.closest(".clock"), left);
  }
  for (const element of root.querySelectorAll("[data-since]:not([data-since=''])")) {
    write(element, spanWords((serverNow() - Date.parse(element.dataset.since)) / 1000));
  }
  for (const element of root.querySelectorAll("[data-shown-until]")) if (Date.parse(element.dataset.shownUntil) <= serverNow()) maskAgain();
  for (const element of root.querySelectorAll("[data-late-after]")) late(element, Date.parse(element.dataset.lateAfter) <= serverNow());
}

// The server shows the mask by now. What somebody has typed is not taken from them: then the page waits.
function maskAgain() {
  const fields = [...document.querySelectorAll("input:not([type=hidden]), textarea")];
  if (fields.every(field => field.value === field.defaultValue)) location.reload();
}

function write(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

function colour(chip, left) {
  if (!chip?.dataset.urgency) return;
  chip.classList.toggle("bad", left <= 300);
  chip.classList.toggle("warm", left > 300 && left <= 1800);
}

// Who waits too long is told apart by colour and in words.
function late(element, now) {
  element.classList.toggle("late", now);
  for (const words of element.querySelectorAll("[data-late]")) words.hidden = !now;
}

function turn(clock, left) {
  const whole = Number(clock?.dataset.whole);
  if (!whole) return;
  const part = Math.max(0, Math.min(20, 20 * left / whole));
  clock.querySelector(".left").setAttribute("stroke-dasharray", `${part} 20`);
}

refresh();
setInterval(refresh, 5_000);
document.addEventListener("htmx:afterSwap", () => refresh());
