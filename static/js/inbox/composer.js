// The text field of an operator who writes to a customer.
import { newId } from "../shared/ids.js";
import { pendingLineElement } from "../shared/transcript.js";
import { watchSavedReplies } from "./saved_replies.js";

const DRAFT_DELAY_MS = 1_200;
const TYPING_INTERVAL_MS = 2_000;
const RETRY_DELAY_MS = 2_000;

/**
 * A text that was sent stays here as a pending line until the server has it, and is sent again under the same key, so
 * that it arrives once. The server keeps what is not sent yet as a draft.
 */
export class Composer {
  #form; #words; #log; #addLine; #reportTyping;
  #pending = []; // {text, key, element, seq}; seq is there once the server has the text
  #isSending = false;
  #draftTimer = 0;
  #typingSentAt = -Infinity;
  #savedDraft;
  #isDisposed = false; // the chat was left; what is pending is sent all the same

  /**
   * `words` is the dataset with the page's texts, `log` the element of the transcript, `addLine(element)` appends to
   * it, and `reportTyping()` tells the customer.
   */
  constructor(form, words, { log, addLine, reportTyping }) {
    this.#form = form;
    this.#words = words;
    this.#log = log;
    this.#addLine = addLine;
    this.#reportTyping = reportTyping;
    this.#savedDraft = this.textField.value;
    form.addEventListener("submit", event => this.#submit(event));
    this.textField.addEventListener("input", () => this.#textChanged());
    const openReplies = watchSavedReplies(form.querySelector("[data-replies]"), text => this.#insert(text));
    this.textField.addEventListener("keydown", event => {
      if (event.key !== "/" || this.textField.value || event.isComposing) return;
      event.preventDefault();
      openReplies();
    });
  }

  get textField() { return this.#form.elements.text; }

  focus() { this.textField.focus({ preventScroll: true }); }

  /** Leave the chat: what was typed and not sent is saved as a draft. */
  dispose() {
    this.#isDisposed = true;
    clearTimeout(this.#draftTimer);
    this.#saveDraft();
  }

  /** Put a draft that the server keeps into the empty text field. */
  takeDraft(text) {
    if (!this.textField.value && this.#pending.length === 0) this.textField.value = this.#savedDraft = text;
  }

  /** Remove the pending line of a message that has arrived in the transcript. */
  removePendingLine(seq) {
    for (const entry of this.#pending) if (entry.seq === seq) entry.element.remove();
    this.#pending = this.#pending.filter(entry => entry.seq !== seq);
  }

  /** Show a fact about the chat that is not an error. */
  showNote(text) {
    this.#form.querySelector(".save-note").textContent = text;
  }

  #showError(text) {
    const box = this.#form.querySelector("#composer-says");
    box.hidden = !text;
    box.textContent = text;
  }

  // A saved reply at the caret, with the names filled in; an empty text only brings the focus back.
  #insert(text) {
    this.focus();
    if (!text) return;
    const names = { customer: this.#words.customer, me: this.#words.me };
    const reply = text.replace(/\{(customer|me)\}/g, (_whole, name) => names[name]);
    this.textField.setRangeText(reply, this.textField.selectionStart, this.textField.selectionEnd, "end");
    this.textField.dispatchEvent(new Event("input", { bubbles: true }));
  }

  #textChanged() {
    clearTimeout(this.#draftTimer);
    this.#draftTimer = setTimeout(() => this.#saveDraft(), DRAFT_DELAY_MS);
    if (performance.now() - this.#typingSentAt < TYPING_INTERVAL_MS) return;
    this.#typingSentAt = performance.now();
    this.#reportTyping();
  }

  #submit(event) {
    event.preventDefault();
    const text = this.textField.value.trimEnd(); // Enter begins a new line, and many press it before they send
    if (!text.trim()) return;
    clearTimeout(this.#draftTimer);
    const element = pendingLineElement(text, this.#words.sending);
    this.#pending.push({ text, key: newId(), element });
    this.textField.value = this.#savedDraft = "";
    this.#showError("");
    this.#addLine(element);
    this.#sendNext();
  }

  // One after the other, so that they arrive in the order in which they were written.
  async #sendNext() {
    const entry = this.#pending.find(({ seq }) => seq === undefined);
    if (!entry || this.#isSending) return;
    this.#isSending = true;
    const delay = await this.#send(entry);
    this.#isSending = false;
    if (delay) setTimeout(() => this.#sendNext(), delay);
    else this.#sendNext();
  }

  // Returns the milliseconds until the next try, 0 when the server has accepted or refused the text.
  async #send(entry) {
    const response = await this.#post(this.#form.action, { text: entry.text, key: entry.key });
    if (response === null || response.status >= 500) {
      this.#showError(this.#form.dataset.away);
      return RETRY_DELAY_MS;
    }
    const isSignedOut = response.status === 401;
    const answer = isSignedOut ? { detail: this.#form.dataset.out } : await response.json().catch(() => ({}));
    if (response.ok && answer.said) this.#sentToGate(entry, answer.said);
    else if (response.ok) this.#sent(entry, answer.seq);
    else this.#refused(entry, answer.detail ?? String(response.status));
    return 0;
  }

  #sent(entry, seq) {
    this.#showError("");
    entry.seq = seq;
    // The connection may have brought the line before this answer arrived.
    if (this.#log.querySelector(`[data-seq="${seq}"]`)) this.removePendingLine(seq);
  }

  // The text was a command to a gate and not a line for the customer.
  #sentToGate(entry, confirmation) {
    this.#discard(entry);
    this.#showError("");
    this.showNote(confirmation);
    document.dispatchEvent(new CustomEvent("soni:changed"));
  }

  // The text goes back into the field, before what was typed since, so that nothing is lost.
  #refused(entry, detail) {
    this.#discard(entry);
    this.textField.value = [entry.text, this.textField.value].filter(Boolean).join("\n");
    if (this.#isDisposed) return this.#saveDraft();
    this.#showError(detail);
    this.focus();
  }

  #discard(entry) {
    entry.element.remove();
    this.#pending = this.#pending.filter(other => other !== entry);
  }

  async #saveDraft() {
    const text = this.textField.value;
    if (text === this.#savedDraft) return;
    const response = await this.#post(this.#form.dataset.draft, { text });
    if (!response?.ok) return;
    this.#savedDraft = text;
    this.showNote(text ? this.#form.dataset.saved : "");
  }

  #post(url, fields) {
    const body = new FormData();
    body.set("csrfmiddlewaretoken", this.#form.elements.csrfmiddlewaretoken.value);
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return fetch(url, { method: "POST", body, headers: { accept: "application/json" } }).catch(() => null);
  }
}
