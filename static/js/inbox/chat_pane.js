// One open chat of the inbox.
import { address } from "../shared/addresses.js";
import { LiveConnection } from "../shared/live.js";
import { makeElement } from "../shared/elements.js";
import { fillPhrase } from "../shared/phrases.js";
import { TranscriptView } from "../shared/transcript.js";
import { Composer } from "./composer.js";

const TYPING_SHOWN_MS = 4_000;
const REFRESH_DELAY_MS = 120;
const NARROW_SCREEN = "(width < 760px)";

/**
 * The transcript grows, and the heading and the context beside it are fetched again and replaced part by part. A part
 * in which the operator is editing is never replaced.
 */
export class ChatPane {
  #pane; #words; #log; #transcript; #form; #composer; #connection; #typingTimer = 0; #refreshTimer = 0;
  #disposal = new AbortController(); // ends the listeners outside the pane

  /** The pane was requested from the server at `requestedAt` (performance.now()). */
  constructor(pane, requestedAt) {
    this.#pane = pane;
    this.#words = pane.dataset;
    this.#log = pane.querySelector("[data-log]");
    this.#form = document.getElementById("composer");
    this.#transcript = new TranscriptView(this.#log, {
      ownRole: "operator", nameOf: frame => this.#nameOf(frame), readWord: this.#words.read,
    });
    this.#composer = new Composer(this.#form, this.#words, {
      log: this.#log,
      addLine: element => this.#transcript.append(element, true),
      reportTyping: () => this.#holderKind() === "mine" && this.#connection.send({ type: "typing" }),
      requestedAt,
    });
    const url = address(`ws/conversations/${this.#words.conversation}/`);
    this.#connection = new LiveConnection(url, { after: Number(this.#words.after), number: "seq" });
  }

  start() {
    this.#listen();
    this.#transcript.scrollToEnd();
    this.#showHolder();
    if (this.#holderKind() === "mine" && !matchMedia(NARROW_SCREEN).matches) this.#composer.focus();
    else this.#log.closest(".scroll").focus({ preventScroll: true, focusVisible: false }); // arrows scroll it
  }

  /** Leave the chat: what was typed last is saved as a draft, and nothing of the pane acts any more. */
  dispose() {
    clearTimeout(this.#refreshTimer);
    this.#hideTyping();
    this.#disposal.abort();
    this.#composer.dispose();
    this.#connection.stop();
  }

  #listen() {
    const refresh = () => this.#refreshSoon();
    const { signal } = this.#disposal;
    this.#connection.addEventListener("message", ({ detail }) => this.#receiveLine(detail));
    this.#connection.addEventListener("typing", ({ detail }) => detail.role === "user" && this.#showTyping());
    this.#connection.addEventListener("read", ({ detail }) => this.#transcript.markRead(detail.customer));
    this.#connection.addEventListener("person", ({ detail }) => this.#receiveHolder(detail));
    this.#connection.addEventListener("turn.finished", refresh);
    document.addEventListener("soni:session", ({ detail }) => {
      if (String(detail.number) === this.#words.chat) refresh();
    }, { signal });
    document.addEventListener("soni:changed", refresh, { signal });
    document.addEventListener("htmx:oobBeforeSwap", event => this.#swapContextInParts(event), { signal });
    document.addEventListener("htmx:afterSwap", event => this.#swapped(event), { signal });
    const board = this.#pane.parentElement;
    board.addEventListener("toggle", focusOpenedField, { capture: true, signal }); // "toggle" does not bubble
    board.addEventListener("click", closeOnButton, { signal });
    board.addEventListener("keydown", closeOnEscape, { signal });
  }

  // ---- the transcript ---------------------------------------------------------------------------------------------

  #receiveLine(frame) {
    if (this.#transcript.hasLine(frame.seq)) return;
    if (frame.role === "user") this.#hideTyping();
    if (frame.role === "operator") this.#stopWaitingClocks();
    this.#transcript.addLine(frame);
    if (frame.role === "operator") this.#composer.removePendingLine(frame.seq);
    this.#transcript.markRead();
  }

  #nameOf(frame) {
    if (frame.role === "assistant") return this.#words.bot;
    return frame.role === "operator" && frame.author === this.#words.me ? this.#words.you : frame.author;
  }

  // The mark "waits" shows how long the customer waited until an operator answered.
  #stopWaitingClocks() {
    for (const mark of this.#log.querySelectorAll(".mark[data-answered]")) mark.textContent = mark.dataset.answered;
  }

  #showTyping() {
    clearTimeout(this.#typingTimer);
    this.#typingTimer = setTimeout(() => this.#hideTyping(), TYPING_SHOWN_MS);
    if (this.#transcript.isTyping) return;
    this.#transcript.showTyping(this.#words.types);
    this.#markRow(true);
  }

  #hideTyping() {
    clearTimeout(this.#typingTimer);
    this.#transcript.hideTyping();
    this.#markRow(false);
  }

  #markRow(isTyping) {
    const row = document.querySelector(`#row-g${this.#words.chat} [data-row]`);
    row?.querySelector("[data-types]")?.remove();
    if (!row || !isTyping) return;
    const note = makeElement("small", "", this.#words.typing);
    note.dataset.types = "";
    row.querySelector("b").after(note);
  }

  // ---- who has the chat -------------------------------------------------------------------------------------------

  // "mine", "other", "free" or "over", as the server wrote it into the heading.
  #holderKind() {
    return document.querySelector("#holding [data-place]")?.dataset.place ?? "over";
  }

  #receiveHolder({ session, by }) {
    this.#connection.markSeen();
    const { holder } = document.querySelector("#holding [data-holder]").dataset;
    if ((session && this.#holderKind() === "over") || (by ?? "") !== holder) this.#refreshSoon();
  }

  #showHolder() {
    this.#form.hidden = this.#holderKind() === "over";
    const holder = document.querySelector("#holding [data-holder]")?.dataset.holder ?? "";
    const isOthers = this.#holderKind() === "other";
    this.#composer.showNote(isOthers ? fillPhrase(this.#form.dataset.taken, holder) : this.#takeHandedDraft());
  }

  // What the last holder wrote and did not send goes into the text field while that is empty. Returns the note about
  // it.
  #takeHandedDraft() {
    const handed = document.querySelector("#holding [data-handed]")?.dataset;
    if (handed) this.#composer.takeDraft(handed.handed);
    return handed && this.#composer.textField.value === handed.handed ? handed.words : "";
  }

  // ---- the heading and the context --------------------------------------------------------------------------------

  #refreshSoon() {
    clearTimeout(this.#refreshTimer);
    this.#refreshTimer = setTimeout(() => this.#refresh(), REFRESH_DELAY_MS);
  }

  async #refresh() {
    const response = await fetch(this.#words.aside, { headers: { "hx-request": "true" } }).catch(() => null);
    if (!response?.ok || this.#disposal.signal.aborted) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const context = page.getElementById("context");
    context.remove();
    const holding = document.getElementById("holding");
    if (!isInUse(holding)) {
      const hadFocus = holding.contains(document.activeElement);
      holding.replaceChildren(...page.body.childNodes);
      htmx.process(holding);
      if (hadFocus) holding.querySelector("[data-key]")?.focus();
    }
    replaceContextParts(context);
    this.#showHolder();
  }

  // htmx would replace the context as a whole, and with it a part that is being edited.
  #swapContextInParts({ detail }) {
    if (detail.target.id !== "context") return;
    detail.shouldSwap = false;
    if (detail.fragment.querySelector?.("[data-part]")) replaceContextParts(detail.fragment.cloneNode(true));
  }

  #swapped({ detail: { target, requestConfig } }) {
    if (target.id !== "holding") {
      const row = document.getElementById(target.id);
      (row?.querySelector("[data-first]") ?? row?.querySelector("summary"))?.focus();
      return;
    }
    this.#showHolder();
    if (requestConfig?.path.endsWith("/note/")) this.#noteSaved();
    else if (this.#holderKind() === "mine") this.#composer.focus();
    else document.querySelector("#holding [data-key]")?.focus();
  }

  #noteSaved() {
    const field = document.getElementById("note-text");
    if (document.querySelector("#holding [role=alert]")) return; // it was refused, so it stays in its field
    field.value = "";
    this.#refresh();
  }
}

// An open menu, a form with unsaved input, or a request on its way.
function isInUse(element) {
  const fields = [...element.querySelectorAll("input:not([type=hidden]), textarea")];
  const hasInput = fields.some(field => field.value !== field.defaultValue);
  return hasInput || element.querySelector("details[open], .htmx-request") !== null;
}

function replaceContextParts(context) {
  for (const part of context.querySelectorAll("[data-part]")) {
    const oldPart = document.querySelector(`#context [data-part="${part.dataset.part}"]`);
    if (part.dataset.part === "slots") replaceSlots(oldPart, part);
    else if (!isInUse(oldPart) && !oldPart.contains(document.activeElement)) replaceElement(oldPart, part);
  }
}

// One slot at a time, because the operator may have opened one of them.
function replaceSlots(oldPart, newPart) {
  if (slotNames(oldPart) !== slotNames(newPart)) {
    if (!oldPart.querySelector("details[open]")) replaceElement(oldPart, newPart);
    return;
  }
  for (const newRow of newPart.querySelectorAll("[data-slot]")) {
    const oldRow = document.getElementById(newRow.id);
    if (oldRow.querySelector("details[open]")) continue;
    const hadFocus = oldRow.contains(document.activeElement);
    replaceElement(oldRow, newRow);
    if (hadFocus) newRow.querySelector("summary").focus();
  }
}

function slotNames(part) {
  return [...part.querySelectorAll("[data-slot]")].map(row => row.dataset.slot).join();
}

function replaceElement(oldElement, newElement) {
  oldElement.replaceWith(newElement);
  htmx.process(newElement);
}

// ---- editing a value ----------------------------------------------------------------------------------------------

function focusOpenedField({ target }) {
  if (!target.matches?.("[data-edit]") || !target.open) return;
  target.querySelector("form :is(input:not([type=hidden]), textarea, select)")?.focus();
}

function closeOnButton({ target }) {
  if (target.closest("[data-close]")) closeEdit(target.closest("[data-edit]"));
}

function closeOnEscape(event) {
  const edit = event.key === "Escape" && event.target.closest("[data-edit][open]");
  if (!edit) return;
  event.preventDefault();
  closeEdit(edit);
}

function closeEdit(edit) {
  edit.querySelector("form")?.reset();
  edit.open = false;
  edit.querySelector("summary").focus();
}
