// One answer for several gates waits a few seconds in the page before it is sent, and can be taken back until then. It is
// never lost: who leaves the page, or closes it, sends it at once, and the keys of the form let it count only once.
import { filled } from "../shared/phrases.js";

const GRACE = 8;
const form = document.querySelector("form.together");
const box = form?.querySelector("[data-grace]");
const address = form?.getAttribute("action");  // its own buttons are named so too
let action = null, left = 0, timer = 0, isSent = false;

if (box) {
  form.addEventListener("submit", submitted);
  box.querySelector("[data-undo]").addEventListener("click", undo);
  box.querySelector("[data-now]").addEventListener("click", sendNow);
  document.addEventListener("visibilitychange", () => document.hidden && sendNow());
  addEventListener("pagehide", sendBehind);
  document.addEventListener("keydown", escaped, { capture: true });
}

async function submitted(event) {
  if (!event.submitter?.value) return;
  event.preventDefault();
  if (action) return;
  action = event.submitter;
  if (await isWrong()) return sendNow();  // the page that comes back says what is wrong
  if (action) wait();
}

async function isWrong() {
  const body = filledForm();
  body.set("only_check", "1");
  const answer = await fetch(address, { method: "POST", body }).catch(() => null);
  return answer !== null && answer.status !== 204;
}

function wait() {
  left = GRACE;
  box.hidden = false;
  const words = box.querySelector("[data-words]");
  words.textContent = filled(words.dataset.words, action.textContent.trim());
  box.querySelector("[data-undo]").focus();
  setFields(true);
  count();
}

function count() {
  box.querySelector("[data-left]").textContent = left;
  if (left === 0) return sendNow();
  left -= 1;
  timer = setTimeout(count, 1_000);
}

function undo() {
  clearTimeout(timer);
  const pressed = action;
  action = null;
  box.hidden = true;
  setFields(false);
  pressed.focus();
}

// One level back from an answer that waits is the form, not the queue.
function escaped(event) {
  if (event.key !== "Escape" || box.hidden) return;
  event.preventDefault();
  undo();
}

// What is on its way is what was checked: nothing is typed into it any more.
function setFields(fixed) {
  for (const part of form.querySelectorAll(".asks, .acts")) part.inert = fixed;
}

function sendNow() {
  if (!action) return;
  clearTimeout(timer);
  const chosen = document.createElement("input");
  Object.assign(chosen, { type: "hidden", name: "action", value: action.value });
  form.append(chosen);
  isSent = !document.hidden;  // a page that is being closed may not get as far as that
  form.submit();
}

// The page is going away: the answer goes without it.
function sendBehind() {
  if (action && !isSent) fetch(address, { method: "POST", body: filledForm(), keepalive: true });
}

function filledForm() {
  const body = new FormData(form);
  body.set("action", action.value);
  return body;
}
