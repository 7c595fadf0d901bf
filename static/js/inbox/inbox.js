// One chat of the inbox: the talk grows, what stands beside it is renewed part by part, and nothing that is being edited
// is swapped from under the hand.
import { Composer } from "./composer.js";
import { Live } from "../shared/live.js";
import { filled } from "../shared/phrases.js";
import { lineElement, make, markRead, typingElement } from "../shared/transcript.js";
import { address } from "../shared/addresses.js";

const TYPING_SHOWN = 4_000;
const COUNT_AFTER = 1_000;
const pane = document.querySelector("[data-chat]");
const log = pane?.querySelector("[data-log]");
const words = pane?.dataset ?? {};
let live = null, composer = null, dots = null, typingTimer = 0, freshTimer = 0, read = 0;

watchCounts();
if (pane) begin();

function begin() {
  const form = document.getElementById("composer");
  composer = new Composer(form, words, { log, add: element => add(element, true), typing: () => place() === "mine" && live.send({ type: "typing" }) });
  live = new Live(address(`ws/conversations/${words.conversation}/`), { after: Number(words.after), number: "seq" });
  live.addEventListener("message", ({ detail }) => takeLine(detail));
  live.addEventListener("typing", ({ detail }) => detail.role === "user" && showTyping());
  live.addEventListener("read", ({ detail }) => showRead(detail.customer));
  live.addEventListener("person", ({ detail }) => takePerson(detail));
  live.addEventListener("turn.finished", refreshSoon);
  document.addEventListener("soni:session", ({ detail }) => String(detail.number) === words.chat && refreshSoon());
  document.addEventListener("soni:changed", refreshSoon);
  document.addEventListener("htmx:oobBeforeSwap", keepContext);
  document.addEventListener("htmx:afterSwap", swapped);
  pane.parentElement.addEventListener("toggle", opened, true);
  pane.parentElement.addEventListener("click", closed);
  pane.parentElement.addEventListener("keydown", escaped);
  toEnd();
  showPlace();
  if (place() === "mine" && !matchMedia("(width < 760px)").matches) composer.focus();
}

// ---- the talk -------------------------------------------------------------------------------------------------------

function scroller() { return log.parentElement; }

function atEnd() { return scroller().scrollHeight - scroller().scrollTop - scroller().clientHeight < 80; }

function toEnd() { scroller().scrollTop = scroller().scrollHeight; }

function add(element, follow = atEnd()) {
  if (dots) log.insertBefore(element, dots);
  else log.append(element);
  if (follow) toEnd();
}

function takeLine(frame) {
  if (log.querySelector(`[data-seq="${frame.seq}"]`)) return;
  if (frame.role === "user") hideTyping();
  if (frame.role === "operator") answered();
  const line = lineElement(frame, { mine: "operator", label: nameOf });
  add(line);
  if (frame.role === "operator") composer.settle(frame.seq);
  showRead(read);
}

function nameOf(frame) {
  if (frame.role === "assistant") return words.bot;
  return frame.role === "operator" && frame.author === words.me ? words.you : frame.author;
}

// The clock of the mark "waits" stands still once somebody has answered.
function answered() {
  for (const clock of log.querySelectorAll(".mark [data-since]")) clock.removeAttribute("data-since");
}

function showTyping() {
  clearTimeout(typingTimer);
  typingTimer = setTimeout(hideTyping, TYPING_SHOWN);
  if (dots) return;
  dots = typingElement(words.types);
  const follow = atEnd();
  log.append(dots);
  if (follow) toEnd();
  markRow(true);
}

function hideTyping() {
  clearTimeout(typingTimer);
  dots?.remove();
  dots = null;
  markRow(false);
}

function markRow(on) {
  const row = document.querySelector(`#row-g${words.chat} [data-row]`);
  row?.querySelector("[data-types]")?.remove();
  if (!row || !on) return;
  const note = make("small", "", words.typing);
  note.dataset.types = "";
  row.querySelector("b").after(note);
}

// How far the customer has read stands under the last line of ours that they have seen.
function showRead(upTo) {
  read = Math.max(read, upTo);
  markRead(log, read, words.read);
}

// ---- who has the chat -----------------------------------------------------------------------------------------------

function place() { return document.querySelector("#holding [data-place]")?.dataset.place ?? "over"; }

function takePerson({ session, by }) {
  live.seen();
  if ((session && place() === "over") || (by ?? "") !== document.querySelector("#holding [data-holder]").dataset.holder) refreshSoon();
}

function showPlace() {
  const form = document.getElementById("composer");
  form.hidden = place() === "over";
  const holder = document.querySelector("#holding [data-holder]")?.dataset.holder ?? "";
  composer.note(place() === "other" ? filled(form.dataset.taken, holder) : handedOn());
}

// What the last holder wrote and did not send, in a box in which nothing stands yet.
function handedOn() {
  const handed = document.querySelector("#holding [data-handed]")?.dataset;
  if (handed) composer.take(handed.handed);
  return handed && composer.text.value === handed.handed ? handed.words : "";
}

function refreshSoon() {
  clearTimeout(freshTimer);
  freshTimer = setTimeout(refresh, 120);
}

async function refresh() {
  const answer = await fetch(words.aside, { headers: { "hx-request": "true" } }).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const context = fresh.getElementById("context");
  context.remove();
  const holding = document.getElementById("holding");
  if (!busy(holding)) {
    const had = holding.contains(document.activeElement);
    holding.replaceChildren(...fresh.body.childNodes);
    htmx.process(holding);
    if (had) holding.querySelector("[data-key]")?.focus();
  }
  renewContext(context);
  showPlace();
}

// A menu that is open, a form that is being filled in, or a request on its way.
function busy(element) {
  const typed = [...element.querySelectorAll("input:not([type=hidden]), textarea")].some(field => field.value !== field.defaultValue);
  return typed || element.querySelector("details[open], .htmx-request") !== null;
}

function renewContext(fresh) {
  for (const part of fresh.querySelectorAll("[data-part]")) {
    const old = document.querySelector(`#context [data-part="${part.dataset.part}"]`);
    if (part.dataset.part === "slots") renewSlots(old, part);
    else if (!busy(old) && !old.contains(document.activeElement)) replace(old, part);
  }
}

// Slot by slot, because one of them may be open.
function renewSlots(old, fresh) {
  const names = part => [...part.querySelectorAll("[data-slot]")].map(row => row.dataset.slot).join();
  if (names(old) !== names(fresh)) return old.querySelector("details[open]") ? undefined : replace(old, fresh);
  for (const row of fresh.querySelectorAll("[data-slot]")) {
    const before = document.getElementById(row.id);
    if (before.querySelector("details[open]")) continue;
    const had = before.contains(document.activeElement);
    replace(before, row);
    if (had) row.querySelector("summary").focus();
  }
}

function replace(old, fresh) {
  old.replaceWith(fresh);
  htmx.process(fresh);
}

function keepContext(event) {
  if (event.detail.target.id !== "context") return;
  event.detail.shouldSwap = false;
  const fresh = event.detail.fragment.querySelector?.("[data-part]") ? event.detail.fragment : null;
  if (fresh) renewContext(fresh.cloneNode(true));
}

function swapped({ detail: { target, requestConfig } }) {
  if (target.id === "holding") {
    showPlace();
    if (requestConfig?.path.endsWith("/note/")) return noted();
    if (place() === "mine") composer.focus();
    else document.querySelector("#holding [data-key]")?.focus();
    return;
  }
  const row = document.getElementById(target.id);
  (row?.querySelector("[data-first]") ?? row?.querySelector("summary"))?.focus();
}

function noted() {
  const field = document.getElementById("note-text");
  if (document.querySelector("#holding [role=alert]")) return;
  field.value = "";
  refresh();
}

// ---- values ---------------------------------------------------------------------------------------------------------

function opened({ target }) {
  if (target.matches?.("[data-edit]") && target.open) target.querySelector("form :is(input:not([type=hidden]), textarea, select)")?.focus();
}

function closed({ target }) {
  if (target.closest("[data-close]")) close(target.closest("[data-edit]"));
}

function escaped(event) {
  const edit = event.key === "Escape" && event.target.closest("[data-edit][open]");
  if (!edit) return;
  event.preventDefault();
  close(edit);
}

function close(edit) {
  edit.querySelector("form")?.reset();
  edit.open = false;
  edit.querySelector("summary").focus();
}

// ---- counts ---------------------------------------------------------------------------------------------------------

// Only a chat that comes, goes or changes hands moves these counts. Many desks hear of it at once, and do not all ask at
// once; nor does one that nobody looks at, until somebody does.
function watchCounts() {
  const queue = document.querySelector("[data-counts]");
  let timer = 0, old = false;
  const soon = () => {
    old = true;
    timer ||= setTimeout(() => {
      timer = 0;
      if (document.hidden) return;
      old = false;
      count(queue);
    }, COUNT_AFTER * (1 + Math.random()));
  };
  document.addEventListener("soni:session", ({ detail }) => movesCounts(detail) && soon());
  document.addEventListener("visibilitychange", () => old && soon());
}

function movesCounts({ type, html, escalated }) {
  return html.includes('data-kind="handoff"') && (type !== "session.changed" || escalated);
}

async function count(queue) {
  const answer = await fetch(queue.dataset.counts, { headers: { accept: "application/json" } }).catch(() => null);
  if (!answer?.ok) return;
  for (const [name, number] of Object.entries(await answer.json())) {
    for (const place of document.querySelectorAll(`[data-chats="${name}"]`)) {
      place.textContent = number;
      if (name === "waiting") place.classList.toggle("quiet", number === 0);
    }
  }
}
