// The end user's page. A text stays in the box's queue until the server says "accepted"; after a reconnect it is sent again
// under the same id, so that it arrives once.
import "./clocks.js";
import "./theme.js";
import { Live, showState } from "./live.js";
import { buttonsElement, lineElement, make } from "./transcript.js";

const page = document.getElementById("chat");
const log = page.querySelector("[data-log]");
const form = page.querySelector("form[data-say]");
const status = page.querySelector("[data-status]");
const words = page.dataset;
const waiting = new Map();
const KEPT = `soni-unsent-${words.assistant}`;
let live = null, opening = null, dots = null;

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
  add(line);
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

function newId() {
  return crypto.randomUUID?.() ?? `${Date.now()}-${Math.random().toString(36).slice(2)}`;
}

async function write(text) {
  promise({ type: "user.message", id: newId(), text }, text);
  await connect();
}

function choose(value, label) {
  promise({ type: "user.choice", id: newId(), value }, label);
}

function typing(on) {
  dots?.remove();
  dots = null;
  if (!on) return;
  dots = make("div", "turn");
  const picture = make("span", "typing");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", words.answering);
  picture.append(make("i"), make("i"), make("i"));
  dots.append(picture);
  const follow = atEnd();
  log.append(dots);
  if (follow) toEnd();
}

function finished({ detail }) {
  typing(false);
  showPlace(detail.state, detail.pending);
}

function showPlace(state, pending) {
  const staff = pending.filter(each => each.audience === "staff");
  const over = state === "done" || state === "cancelled";
  if (over) say(words.over);
  else if (state === "failed") say(words.failed, true);
  else if (staff.some(each => each.kind === "handoff")) say(words.handoff);
  else if (staff.length) say(words.waitingPerson);
  else say("");
  form.elements.text.disabled = over;
  form.querySelector("button").disabled = over;
  page.querySelector("[data-again]").hidden = !over;
}

function say(text, bad = false) {
  status.hidden = !text;
  status.classList.toggle("bad", bad);
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
  } catch {
    say(words.away, true);
    setTimeout(connect, 4_000);
  }
}

async function create() {
  const body = new FormData(form);
  body.delete("text");
  const answer = await fetch(words.open, { method: "POST", body, headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(String(answer.status));
  const { id, token } = await answer.json();
  Object.assign(words, { conversation: id, token });
  say("");
  return words;
}

function listen({ conversation, token, after = "0" }) {
  live = new Live(`/ws/conversations/${conversation}/`, { after: Number(after), number: "seq", token });
  showState(live, document.getElementById("connection"));
  live.addEventListener("state", ({ detail }) => {
    if (detail.state === "live") resend();
    else typing(false);
  });
  live.addEventListener("message", takeLine);
  live.addEventListener("accepted", accepted);
  live.addEventListener("error", refused);
  live.addEventListener("turn.started", () => typing(true));
  live.addEventListener("turn.finished", finished);
}

form.addEventListener("submit", event => {
  event.preventDefault();
  const text = form.elements.text.value;
  if (!text.trim()) return;
  form.elements.text.value = "";
  write(text);
});

form.elements.text.addEventListener("keydown", event => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});

for (const button of log.querySelectorAll("[data-choice]")) {
  button.addEventListener("click", () => choose(button.dataset.choice, button.textContent.trim()));
}

const left = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]");
for (const [frame, label] of left) promise(frame, label);
if (words.conversation || left.length) connect();
showPlace(words.state, JSON.parse(words.pending));
toEnd();
form.elements.text.focus();
