// The end user's page. A text stays in the box's queue until the server says "accepted"; after a reconnect it is sent again
// under the same id, so that it arrives once.
import { refresh as refreshClocks } from "../shared/clocks.js";
import "../shared/theme.js";
import { freshId } from "../shared/ids.js";
import { Live, showState } from "../shared/live.js";
import { watchPast } from "./older_lines.js";
import { filled } from "../shared/phrases.js";
import { buttonsElement, lineElement, make, markRead, typingElement } from "../shared/transcript.js";
import { address } from "../shared/addresses.js";

const page = document.getElementById("chat");
const log = page.querySelector("[data-log]");
const form = page.querySelector("form[data-say]");
const status = page.querySelector("[data-status]");
const words = page.dataset;
const waiting = new Map();
const KEPT = `soni-unsent-${words.assistant}`;
const TYPING_SHOWN = 4_000;
const TYPING_EVERY = 2_000;
let live = null, opening = null, dots = null, dotsTimer = 0, typedAt = -Infinity, read = 0, person = null;
let standing = { state: words.state, pending: JSON.parse(words.pending) };

function names(frame) {
  return { user: words.you, assistant: words.bot, operator: frame.author || words.person }[frame.role] ?? "";
}

function atEnd() {
  const scroller = log.parentElement;
  return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80;
}

function toEnd() {
  log.parentElement.scrollTop = log.parentElement.scrollHeight;
}

function add(element, follow = atEnd()) {
  if (dots) log.insertBefore(element, dots);
  else log.append(element);
  if (follow) toEnd();
}

function takeLine({ detail: frame }) {
  if (log.querySelector(`[data-seq="${frame.seq}"]`)) return;
  if (frame.role === "user") settle(frame);
  log.querySelector("[data-empty]")?.remove();
  log.querySelector(".buttons")?.remove();
  const line = lineElement(frame, { mine: "user", label: names });
  if (frame.buttons?.length) line.append(buttonsElement(frame.buttons, choose));
  if (frame.role === "operator") typing(false);
  add(line);
  showRead(read);
}

// Our own line comes back from the server: the dashed one, which was only a promise, goes.
function settle(frame) {
  for (const [id, entry] of waiting) {
    if (entry.seq !== frame.seq) continue;
    entry.element.remove();
    waiting.delete(id);
  }
  keep();
}

function accepted({ detail: { id, seq } }) {
  const entry = waiting.get(id);
  if (!entry) return;
  if (log.querySelector(`[data-seq="${seq}"]`)) {
    entry.element.remove();
    waiting.delete(id);
  } else entry.seq = seq;
  keep();
}

function refused({ detail: { code, detail, ref } }) {
  const entry = waiting.get(ref);
  say(detail, true);
  if (!entry || code === "try_again" || code === "rate_limited") return retryLater();
  waiting.delete(ref);
  entry.element.remove();
  if (entry.frame.text !== undefined && !form.elements.text.value) form.elements.text.value = entry.frame.text;
  keep();
}

function retryLater() {
  setTimeout(resend, 3_000);
}

function resend() {
  for (const { frame, seq } of waiting.values()) if (seq === undefined) live?.send(frame);
}

// What was typed survives a reload too, until it is accepted.
function keep() {
  const unsent = [...waiting.values()].filter(entry => entry.seq === undefined).map(entry => [entry.frame, entry.label]);
  if (unsent.length) sessionStorage.setItem(KEPT, JSON.stringify(unsent));
  else sessionStorage.removeItem(KEPT);
}

function promise(frame, label) {
  const element = make("div", "turn out me waiting");
  element.append(make("p", "draft", label));
  element.append(make("small", "", words.sending));
  waiting.set(frame.id, { frame, label, element });
  log.querySelector("[data-empty]")?.remove();
  log.querySelector(".buttons")?.remove();
  add(element, true);
  keep();
  live?.send(frame);
}

async function write(text) {
  promise({ type: "user.message", id: freshId(), text }, text);
  await connect();
}

function choose(value, label) {
  promise({ type: "user.choice", id: freshId(), value }, label);
}

function typing(on, label = words.answering) {
  clearTimeout(dotsTimer);
  dots?.remove();
  dots = null;
  if (!on) return;
  dots = typingElement(label);
  const follow = atEnd();
  log.append(dots);
  if (follow) toEnd();
}

// While a person has the chat the assistant writes nothing, so that a turn is nothing to wait for.
function started() {
  if (!person) typing(true);
}

function finished({ detail }) {
  if (!person) typing(false);
  standing = detail;
  showPlace();
}

function personTypes({ detail }) {
  if (detail.role !== "operator") return;
  typing(true, filled(words.types, detail.by ?? words.person));
  dotsTimer = setTimeout(() => typing(false), TYPING_SHOWN);
}

function takePerson({ detail }) {
  person = detail.session ? detail : null;
  if (!person) typing(false);
  else live.seen();
  showPlace();
}

function personWords() {
  if (person.state === "here") return filled(words.here, person.by ?? words.person);
  return person.desk ? words.desk : words.nobody;
}

// How far the person has read stands under the last line of ours that they have seen.
function showRead(upTo) {
  read = Math.max(read, upTo);
  markRead(log, read, words.read);
}

function showWaiting() {
  const waits = page.querySelector("[data-waiting]");
  waits.hidden = person?.state !== "waiting";
  if (person) waits.querySelector("time").dataset.since = person.since;
  page.querySelector("[data-leave]").hidden = !person;
  refreshClocks(waits);
}

async function leave(event) {
  event.preventDefault();
  const answer = await fetch(event.target.action, { method: "POST", body: new FormData(event.target), headers: { accept: "application/json" } }).catch(() => null);
  if (!answer?.ok) say(words.leaveFailed, true);
  form.elements.text.focus();
}

function tellTyping() {
  if (!person || performance.now() - typedAt < TYPING_EVERY) return;
  typedAt = performance.now();
  live?.send({ type: "typing" });
}

function showPlace({ state, pending } = standing) {
  const staff = pending.filter(each => each.audience === "staff");
  const over = state === "done" || state === "cancelled";
  if (over) say(words.over);
  else if (state === "failed") say(words.failed, true);
  else if (person) say(personWords());
  else if (staff.some(each => each.kind === "handoff")) say(words.handoff);
  else if (staff.length) say(words.waitingPerson);
  else say("");
  form.elements.text.disabled = over;
  form.querySelector("button").disabled = over;
  page.querySelector("[data-again]").hidden = !over;
  showWaiting();
}

function say(text, bad = false) {
  status.hidden = !text;
  status.classList.toggle("bad", bad);
  status.classList.toggle("good", !bad && person?.state === "here");
  status.querySelector("[data-words]").textContent = text;
}

function connect() {
  if (live) return Promise.resolve();
  return opening ??= open().finally(() => { opening = null; });
}

async function open() {
  try {
    const place = words.conversation ? words : await create();
    if (!live) listen(place);
  } catch (error) {
    say(error.detail || words.away, true);
    setTimeout(connect, (error.seconds || 4) * 1_000);
  }
}

async function create() {
  const body = new FormData(form);
  body.delete("text");
  const answer = await fetch(words.open, { method: "POST", body, headers: { accept: "application/json" } });
  if (answer.status === 429) throw await limitError(answer);
  if (!answer.ok) throw new Error(String(answer.status));
  const { id, token } = await answer.json();
  Object.assign(words, { conversation: id, token });
  say("");
  return words;
}

// Too many chats were opened from here: what the server says of it, and when it is worth another try.
async function limitError(answer) {
  const { detail } = await answer.json();
  return Object.assign(new Error(detail), { detail, seconds: Number(answer.headers.get("retry-after")) });
}

function listen({ conversation, token, after = "0" }) {
  live = new Live(address(`ws/conversations/${conversation}/`), { after: Number(after), number: "seq", token });
  showState(live, document.getElementById("connection"));
  live.addEventListener("state", ({ detail }) => {
    if (detail.state === "live") resend();
    else typing(false);
  });
  live.addEventListener("message", takeLine);
  live.addEventListener("accepted", accepted);
  live.addEventListener("error", refused);
  live.addEventListener("turn.started", started);
  live.addEventListener("turn.finished", finished);
  live.addEventListener("typing", personTypes);
  live.addEventListener("person", takePerson);
  live.addEventListener("read", ({ detail }) => showRead(detail.staff));
}

form.addEventListener("submit", event => {
  event.preventDefault();
  const text = form.elements.text.value;
  if (!text.trim()) return;
  form.elements.text.value = "";
  write(text);
});

form.elements.text.addEventListener("input", tellTyping);
page.querySelector("[data-leave]").addEventListener("submit", leave);

form.elements.text.addEventListener("keydown", event => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});

for (const button of log.querySelectorAll("[data-choice]")) {
  button.addEventListener("click", () => choose(button.dataset.choice, button.textContent.trim()));
}

watchPast(log.querySelector("[data-before]"), words, frame => lineElement(frame, { mine: "user", label: names }));

const left = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
for (const [frame, label] of left) promise(frame, label);
if (words.conversation || left.length) connect();
showPlace();
toEnd();
form.elements.text.focus();
