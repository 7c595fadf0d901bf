// The customer's chat: on its own page (page.js), and in the frame that other sites show (../embed/frame.js).
import "../console/menus.js";
import { address } from "../shared/addresses.js";
import { countSince, refreshTimes, serverNow, timeElement } from "../shared/clocks.js";
import { makeElement } from "../shared/elements.js";
import "../shared/theme.js";
import { newId } from "../shared/ids.js";
import { LiveConnection, showConnectionState } from "../shared/live.js";
import { dayText } from "../shared/moments.js";
import { watchOlderMessages } from "../shared/older_lines.js";
import { fillPhrase } from "../shared/phrases.js";
import { buttonsElement, pendingLineElement, TranscriptView } from "../shared/transcript.js";
import { pageZone } from "../shared/zone.js";

const TYPING_SHOWN_MS = 4_000;
const TYPING_INTERVAL_MS = 2_000;
const SECOND_PRESS_MS = 1_000;
const RESEND_DELAY_MS = 3_000;
const WAIT_TOLD_AFTER_MS = 60_000; // before that it would be "0 min"
const REOPEN_DELAY_SECONDS = 4;
const MAY_BE_RESENT = new Set(["try_again", "rate_limited", "busy"]);

/** What the chat's own page does: it opens the conversation and leaves a person with the forms of the page. */
const PAGE = {
  get storage() { return sessionStorage; }, // read here it would fail in frames whose browser keeps nothing

  /** A new conversation, as `{id, token}`. */
  async createConversation({ form, words }) {
    const body = new FormData(form);
    body.delete("text");
    return readCreated(await fetch(words.open, { method: "POST", body, headers: { accept: "application/json" } }));
  },

  /** Wait no longer for a person. */
  leave({ form }) {
    return fetch(form.action, { method: "POST", body: new FormData(form), headers: { accept: "application/json" } });
  },
};

/**
 * A text stays in the list of pending messages until the server says "accepted"; after a reconnect it is sent again
 * under the same id, so that it arrives once.
 */
export class CustomerChat {
  #page; #site; #words; #form; #status; #log; #transcript; #storageKey;
  #connection = null;
  #opening = null; // the promise of a connection that is being opened
  #pending = new Map(); // by message id: {frame, label, element, seq}; seq is there once the server has accepted it
  #staff = null; // the last frame "person", while a handoff waits or a person has the chat
  #isBotBack = false; // a person had the chat, and the customer has written nothing since
  #progress; // {state, pending} of the conversation
  #typingTimer = 0;
  #waitingTimer = 0;
  #typingSentAt = -Infinity;
  #chosenAt = -Infinity;
  #wantsFirstButton = false; // a button was pressed by keyboard, so the focus goes to the buttons that follow

  /**
   * `site` has `createConversation`, `leave` and `storage` as `PAGE` has them. The element `page` gets the event
   * "chat-line" with each line that comes in.
   */
  constructor(page, site = PAGE) {
    this.#page = page;
    this.#site = site;
    this.#words = page.dataset;
    this.#form = page.querySelector("form[data-say]");
    this.#status = page.querySelector("[data-status]");
    this.#log = page.querySelector("[data-log]");
    this.#storageKey = `soni-unsent-${this.#words.assistant}`;
    this.#progress = { state: this.#words.state, pending: JSON.parse(this.#words.pending) };
    this.#transcript = new TranscriptView(this.#log, {
      ownRole: "user", nameOf: frame => this.#nameOf(frame), readWord: this.#words.read,
    });
    this.#form.addEventListener("submit", event => this.#submit(event));
    this.#textField.addEventListener("input", () => this.#typed());
    this.#textField.addEventListener("keydown", event => this.#submitOnEnter(event));
    page.querySelector("[data-leave]").addEventListener("submit", event => this.#leave(event));
    for (const button of this.#log.querySelectorAll("[data-choice]")) {
      button.addEventListener("click", () => this.#choose(button.dataset.choice, button.textContent.trim()));
    }
    for (const button of this.#log.querySelectorAll("[data-starter]")) {
      button.addEventListener("click", () => this.#start(button.dataset.starter));
    }
    page.querySelector("[data-files]")?.addEventListener("click", () => this.#fileField.click());
    this.#fileField?.addEventListener("change", () => this.#sendFiles());
    const olderButton = this.#log.querySelector("[data-before]");
    watchOlderMessages(olderButton, this.#words, message => this.#transcript.lineElement(message));
  }

  /** Restore what was not sent before the page was reloaded, connect where there is something to receive or send. */
  start() {
    const unsent = JSON.parse(this.#site.storage.getItem(this.#storageKey) ?? "[]");
    for (const [frame, label] of unsent) this.#sendMessage(frame, label);
    if (this.#words.conversation || unsent.length) this.#connect();
    this.#showProgress();
    this.#transcript.scrollToEnd();
    this.#textField.focus();
  }

  /** Say that what the customer asked for failed, and that they may try again. */
  showFailure() {
    this.#showStatus(this.#words.leaveFailed, true);
  }

  get #textField() { return this.#form.elements.text; }
  get #fileField() { return this.#page.querySelector("#files"); }

  #nameOf(frame) {
    const names = { user: this.#words.you, assistant: this.#words.bot, operator: frame.author || this.#words.person };
    return names[frame.role] ?? "";
  }

  // ---- writing ----------------------------------------------------------------------------------------------------

  #submit(event) {
    event.preventDefault();
    const text = this.#textField.value;
    if (!text.trim()) return;
    this.#textField.value = "";
    this.#sendMessage({ type: "user.message", id: newId(), text }, text);
    this.#connect(); // the conversation opens with the first text
  }

  // A question to begin with is sent like a typed one.
  #start(text) {
    this.#sendMessage({ type: "user.message", id: newId(), text }, text);
    this.#textField.focus();
    this.#connect();
  }

  #submitOnEnter(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#form.requestSubmit();
  }

  // Files go over HTTP; the line and the answer come through the connection, as those of a message do.
  async #sendFiles() {
    const files = [...this.#fileField.files];
    this.#fileField.value = "";
    if (!files.length) return;
    const element = pendingLineElement(files.map(file => file.name).join(", "), this.#words.sending);
    this.#transcript.append(element, true);
    this.#setFilesEnabled(false); // a second click sends nothing twice
    const refusal = await this.#postFiles(files).catch(() => this.#words.fileFailed);
    this.#setFilesEnabled(true);
    element.remove();
    this.#showStatus(refusal, Boolean(refusal));
  }

  #setFilesEnabled(enabled) {
    this.#page.querySelector("[data-files]").disabled = !enabled;
  }

  /** Send the files; the text of a refusal, or "" when they were accepted. */
  async #postFiles(files) {
    this.#connect(); // the conversation opens with the first file too
    await this.#opening;
    if (!this.#words.conversation) return this.#words.fileFailed;
    const body = new FormData();
    body.append("id", newId());
    for (const file of files) body.append("file", file);
    const headers = { accept: "application/json", prefer: "respond-async" };
    if (this.#words.token) headers.authorization = `Bearer ${this.#words.token}`;
    else headers["x-csrftoken"] = this.#form.elements.csrfmiddlewaretoken.value;
    const url = address(`api/v1/conversations/${this.#words.conversation}/files`);
    const response = await fetch(url, { method: "POST", body, headers });
    return response.ok ? "" : (await response.json()).detail ?? this.#words.fileFailed;
  }

  #choose(value, label) {
    this.#chosenAt = performance.now();
    this.#sendMessage({ type: "user.choice", id: newId(), value }, label);
  }

  #sendMessage(frame, label) {
    this.#isBotBack = false;
    const element = pendingLineElement(label, this.#words.sending);
    this.#pending.set(frame.id, { frame, label, element });
    this.#removeEmptyNoteAndButtons();
    this.#transcript.append(element, true);
    this.#storeUnsent();
    this.#connection?.send(frame);
  }

  #removeEmptyNoteAndButtons() {
    this.#log.querySelector("[data-empty]")?.remove();
    const buttons = this.#log.querySelector(".buttons");
    // A touch sets no visible focus: it would open the keyboard of a phone.
    if (buttons?.querySelector(":focus-visible")) {
      this.#wantsFirstButton = true;
      this.#textField.focus();
    }
    buttons?.remove();
    this.#log.querySelector(".next-steps")?.remove();
  }

  #focusFirstButton(line) {
    const stayed = document.activeElement === this.#textField && !this.#textField.value;
    if (this.#wantsFirstButton && stayed) line.querySelector(".buttons button").focus();
    this.#wantsFirstButton = false;
  }

  #resend() {
    for (const { frame, seq } of this.#pending.values()) if (seq === undefined) this.#connection?.send(frame);
  }

  // The session storage keeps what is not accepted yet over a reload.
  #storeUnsent() {
    const entries = [...this.#pending.values()].filter(entry => entry.seq === undefined);
    const unsent = entries.map(({ frame, label }) => [frame, label]);
    if (unsent.length) this.#site.storage.setItem(this.#storageKey, JSON.stringify(unsent));
    else this.#site.storage.removeItem(this.#storageKey);
  }

  // Only a person sees that the customer is typing; the assistant has no use for it.
  #typed() {
    this.#wantsFirstButton = false;
    if (!this.#staff || performance.now() - this.#typingSentAt < TYPING_INTERVAL_MS) return;
    this.#typingSentAt = performance.now();
    this.#connection?.send({ type: "typing" });
  }

  async #leave(event) {
    event.preventDefault();
    const response = await this.#site.leave({ form: event.target, words: this.#words }).catch(() => null);
    if (!response?.ok) this.#showStatus(this.#words.leaveFailed, true);
    this.#textField.focus();
  }

  // ---- what the server sends --------------------------------------------------------------------------------------

  #receiveLine(frame) {
    if (this.#transcript.hasLine(frame.seq)) return;
    if (frame.role === "user") this.#removePendingLine(frame.seq);
    if (frame.role !== "system") this.#removeEmptyNoteAndButtons(); // after a refused file the question still stands
    const line = this.#transcript.lineElement(frame);
    if (frame.buttons?.length) line.append(buttonsElement(frame.buttons, (value, label) => this.#choose(value, label)));
    if (frame.role === "operator") this.#hideTyping();
    this.#markNewDay(frame.at);
    this.#transcript.append(line);
    if (frame.buttons?.length) this.#focusFirstButton(line);
    this.#transcript.markRead();
    this.#page.dispatchEvent(new CustomEvent("chat-line", { detail: frame }));
  }

  // The page was opened on an earlier day, or this is its first line.
  #markNewDay(at) {
    const reader = { language: document.documentElement.lang || "en", zone: pageZone() };
    const lastTime = [...this.#log.querySelectorAll(".turn time")].at(-1);
    if (lastTime && dayText(Date.parse(lastTime.dateTime), reader) === dayText(Date.parse(at), reader)) return;
    this.#transcript.append(makeElement("p", "mark day", this.#words.today));
  }

  #removePendingLine(seq) {
    for (const [id, entry] of this.#pending) {
      if (entry.seq !== seq) continue;
      entry.element.remove();
      this.#pending.delete(id);
    }
    this.#storeUnsent();
  }

  #accepted({ id, seq }) {
    const entry = this.#pending.get(id);
    if (!entry) return;
    if (this.#transcript.hasLine(seq)) { // the message itself may arrive before its acceptance
      entry.element.remove();
      this.#pending.delete(id);
    } else entry.seq = seq;
    this.#storeUnsent();
  }

  #refused({ code, detail, ref, retry_after: seconds }) {
    const entry = this.#pending.get(ref);
    this.#showStatus(detail, true);
    if (!entry || MAY_BE_RESENT.has(code)) {
      setTimeout(() => this.#resend(), seconds ? spread(seconds) * 1_000 : RESEND_DELAY_MS);
      return;
    }
    this.#pending.delete(ref);
    entry.element.remove();
    const typedSince = this.#textField.value;
    if (entry.frame.text !== undefined) {
      this.#textField.value = [entry.frame.text, typedSince].filter(Boolean).join("\n");
    }
    this.#storeUnsent();
  }

  #showTyping(label) {
    clearTimeout(this.#typingTimer);
    this.#transcript.showTyping(label);
  }

  #hideTyping() {
    clearTimeout(this.#typingTimer);
    this.#transcript.hideTyping();
  }

  // While a person has the chat the assistant writes nothing, so no answer is announced.
  #turnStarted() {
    if (!this.#staff) this.#showTyping(this.#words.answering);
  }

  #turnFinished(frame) {
    if (!this.#staff) this.#hideTyping();
    this.#wantsFirstButton = false;
    this.#progress = frame;
    this.#showProgress();
  }

  #receiveTyping({ role, by }) {
    if (role !== "operator") return;
    this.#showTyping(fillPhrase(this.#words.types, by ?? this.#words.person));
    this.#typingTimer = setTimeout(() => this.#hideTyping(), TYPING_SHOWN_MS);
  }

  #receiveStaff(frame) {
    this.#isBotBack = !frame.session && (this.#isBotBack || this.#staff?.state === "here");
    this.#staff = frame.session ? frame : null;
    if (this.#staff) this.#connection.markSeen();
    else this.#hideTyping();
    this.#showProgress();
  }

  // ---- where the conversation stands ------------------------------------------------------------------------------

  #showProgress() {
    const { state, pending } = this.#progress;
    const isOver = state === "done" || state === "cancelled";
    if (isOver) this.#showStatus(this.#words.over);
    else if (state === "failed") this.#showStatus(this.#words.failed, true);
    else if (this.#staff) this.#showStatus(this.#staffWords());
    else this.#showStatus(this.#waitingWords(pending), false, decisionAmong(pending));
    this.#textField.disabled = isOver;
    this.#form.querySelector("button").disabled = isOver;
    this.#page.querySelector("[data-again]").hidden = !isOver;
    this.#offerNextSteps();
    this.#showWaitingTime();
  }

  // Where nothing is asked the customer sees what they can do, also after a refusal; and after a "no", how to stop.
  #offerNextSteps() {
    this.#log.querySelector(".next-steps")?.remove();
    const last = [...this.#log.querySelectorAll(".turn")].at(-1), { state, pending } = this.#progress;
    if (this.#staff || this.#pending.size || !last) return;
    if (last.classList.contains("by-reader") || last.querySelector(".buttons")) return;
    const offer = makeElement("div", "next-steps"), { nextSteps, whatNext, cancel } = this.#words;
    const send = text => this.#sendMessage({ type: "user.message", id: newId(), text }, text);
    if (state === "idle" && !pending.length) {
      offer.append(makeElement("small", "", whatNext), buttonsElement(JSON.parse(nextSteps), send));
    } else if (last.dataset.key === "ask_change") {
      offer.append(buttonsElement([{ value: cancel, label: cancel }], send));
    } else return;
    this.#holdBack(offer.querySelectorAll("button"));
    this.#transcript.append(offer);
  }

  // A second press on a button that was chosen would hit what stands there by then.
  #holdBack(buttons) {
    const left = this.#chosenAt + SECOND_PRESS_MS - performance.now();
    if (left <= 0) return;
    for (const button of buttons) button.disabled = true;
    setTimeout(() => { for (const button of buttons) button.disabled = false; }, left);
  }

  #staffWords() {
    if (this.#staff.state === "here") return fillPhrase(this.#words.here, this.#staff.by ?? this.#words.person);
    return this.#staff.desk ? this.#words.desk : this.#words.nobody;
  }

  #waitingWords(pending) {
    if (pending.some(isHandoff)) return this.#words.handoff;
    if (decisionAmong(pending)) return this.#words.waitingPerson;
    return this.#isBotBack ? this.#words.botBack : "";
  }

  // The conversation was erased, or the token or the sign-in counts no longer: nothing more can be written here.
  #closedForGood() {
    this.#showStatus(this.#words.closed, true);
    this.#textField.disabled = true;
    this.#form.querySelector("button").disabled = true;
    this.#page.querySelector("[data-again]").hidden = false;
  }

  // While the customer waits for a person: since when, how long, and when the assistant goes on without one.
  #showWaitingTime() {
    const waiting = this.#page.querySelector("[data-waiting]");
    this.#page.querySelector("[data-leave]").hidden = !this.#staff;
    clearTimeout(this.#waitingTimer);
    waiting.hidden = this.#staff?.state !== "waiting";
    if (waiting.hidden) return;
    const { since } = this.#staff, waited = waiting.querySelector("[data-waited]");
    const waitedMs = serverNow() - Date.parse(since);
    waiting.querySelector("time").replaceWith(timeElement(since));
    waited.hidden = waitedMs < WAIT_TOLD_AFTER_MS;
    if (waited.hidden) {
      this.#waitingTimer = setTimeout(() => this.#showWaitingTime(), WAIT_TOLD_AFTER_MS - waitedMs);
    }
    countSince(waited.querySelector("time"), since);
    showMoment(waiting.querySelector("[data-wait-ends]"), this.#progress.pending.find(isHandoff)?.expires_at);
    refreshTimes(waiting);
  }

  #showStatus(text, isBad = false, decision = null) {
    this.#transcript.keepPosition(() => { // the note takes room from the lines
      this.#status.hidden = !text;
      this.#showDecision(decision);
    });
    this.#status.classList.toggle("bad", isBad);
    this.#status.classList.toggle("good", !isBad && (this.#isBotBack || this.#staff?.state === "here"));
    this.#status.querySelector("[data-words]").textContent = text;
  }

  // While staff decide: since when, and when it goes on at the latest.
  #showDecision(decision) {
    const part = this.#status.querySelector("[data-deciding]");
    this.#status.classList.toggle("deciding", Boolean(decision));
    part.hidden = !decision;
    if (!decision) return;
    part.querySelector("time").replaceWith(timeElement(decision.opened_at));
    showMoment(part.querySelector("[data-latest]"), decision.expires_at);
  }

  // ---- connecting -------------------------------------------------------------------------------------------------

  #connect() {
    if (this.#connection) return;
    this.#opening ??= this.#open().finally(() => { this.#opening = null; });
  }

  async #open() {
    try {
      if (!this.#words.conversation) await this.#createConversation();
      if (!this.#connection) this.#listen(this.#words);
    } catch (error) {
      this.#showStatus(error.detail || this.#words.away, true);
      if (error.isFinal) return; // the server would give the same answer again
      setTimeout(() => this.#connect(), (error.seconds ? spread(error.seconds) : REOPEN_DELAY_SECONDS) * 1_000);
    }
  }

  async #createConversation() {
    const { id, token } = await this.#site.createConversation({ form: this.#form, words: this.#words });
    Object.assign(this.#words, { conversation: id, token });
    this.#showStatus("");
  }

  #listen({ conversation, token, after = "0" }) {
    const url = address(`ws/conversations/${conversation}/`);
    const connection = this.#connection = new LiveConnection(url, { after: Number(after), number: "seq", token });
    showConnectionState(connection, document.getElementById("connection"));
    connection.addEventListener("state", ({ detail }) => {
      if (detail.state === "live") this.#resend();
      else this.#hideTyping();
      if (detail.state === "over") this.#closedForGood();
    });
    connection.addEventListener("message", ({ detail }) => this.#receiveLine(detail));
    connection.addEventListener("accepted", ({ detail }) => this.#accepted(detail));
    connection.addEventListener("error", ({ detail }) => this.#refused(detail));
    connection.addEventListener("turn.started", () => this.#turnStarted());
    connection.addEventListener("turn.finished", ({ detail }) => this.#turnFinished(detail));
    connection.addEventListener("typing", ({ detail }) => this.#receiveTyping(detail));
    connection.addEventListener("person", ({ detail }) => this.#receiveStaff(detail));
    connection.addEventListener("read", ({ detail }) => this.#transcript.markRead(detail.staff));
  }
}

/** The `{id, token}` of the response; an error with the server's words, and after how many seconds to try again. */
export async function readCreated(response) {
  if (response.ok) return response.json();
  const { code, detail } = await response.json().catch(() => ({}));
  const seconds = Number(response.headers.get("retry-after"));
  if (response.status === 429 || code === "busy") throw Object.assign(new Error(detail), { detail, seconds });
  throw new Error(String(response.status));
}

// Show words with a moment that is still to come; without one, or when it is over, they are hidden.
function showMoment(words, at) {
  words.hidden = !at || Date.parse(at) < serverNow();
  if (!words.hidden) words.querySelector("time").replaceWith(timeElement(at));
}

function isHandoff({ audience, kind }) {
  return audience === "staff" && kind === "handoff";
}

// What staff decide first of all that they are asked; null while a person is asked to talk, or nothing is asked.
function decisionAmong(pending) {
  return pending.some(isHandoff) ? null : pending.find(({ audience }) => audience === "staff") ?? null;
}

// Those who are told to wait for the same time do not all come again at the same moment.
function spread(seconds) {
  return seconds * (1 + Math.random() / 4);
}
