// The text field of an operator who writes to a customer.
import { draftKeeper } from "../shared/draft_keeper.js";
import { pendingLineElement } from "../shared/transcript.js";
import { outboxOf, textsTogether } from "./outbox.js";
import { watchSavedReplies } from "./saved_replies.js";

const TYPING_INTERVAL_MS = 2_000;

/** What was sent stands in the transcript as a pending line until its own line arrives. */
export class Composer {
  #form; #words; #log; #addLine; #reportTyping; #outbox; #drafts;
  #pendingLines = new Map(); // entry of the outbox → element
  #typingSentAt = -Infinity;

  /**
   * `words` is the dataset with the page's texts, `log` the element of the transcript, `addLine(element)` appends to
   * it, and `reportTyping()` tells the customer. The form was requested from the server at `requestedAt`
   * (performance.now()).
   */
  constructor(form, words, { log, addLine, reportTyping, requestedAt }) {
    this.#form = form;
    this.#words = words;
    this.#log = log;
    this.#addLine = addLine;
    this.#reportTyping = reportTyping;
    this.#outbox = outboxOf(form);
    this.#drafts = draftKeeper(form.dataset.draft);
    this.#showUnsent(requestedAt);
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
    this.#outbox.view = null;
    this.#drafts.onAnswer = () => {};
    this.#drafts.save();
  }

  /** Put a draft that the server keeps into the empty text field. */
  takeDraft(text) {
    if (!this.textField.value && this.#pendingLines.size === 0) this.textField.value = text;
  }

  /** Remove the pending line of a message that has arrived in the transcript. */
  removePendingLine(seq) {
    for (const entry of this.#outbox.entries) if (entry.seq === seq) this.#discard(entry);
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

  // A page that was requested before the newest text was saved or sent came with an older draft.
  #showUnsent(requestedAt) {
    const typed = this.#drafts.newerThan(requestedAt);
    if (typed !== undefined) this.textField.value = typed?.get("text") ?? "";
    for (const entry of this.#outbox.entries) this.#showPending(entry);
    for (const entry of this.#outbox.entries) this.#removeArrived(entry);
    this.#outbox.view = {
      sent: entry => this.#sent(entry),
      answered: (entry, text) => this.#sentToGate(entry, text),
      refused: (entry, why) => this.#refused(entry, why),
      away: () => this.#showError(this.#form.dataset.away),
    };
    const showSaved = () => this.showNote(this.textField.value ? this.#form.dataset.saved : "");
    this.#drafts.onAnswer = ({ status }) => status === 200 && showSaved();
    if (this.#drafts.isStored) showSaved(); // the answer came while the pane was exchanged
  }

  #textChanged() {
    this.#keepDraft();
    this.#drafts.saveSoon();
    if (performance.now() - this.#typingSentAt < TYPING_INTERVAL_MS) return;
    this.#typingSentAt = performance.now();
    this.#reportTyping();
  }

  #keepDraft() {
    this.#drafts.keep(new FormData(this.#form));
  }

  #submit(event) {
    event.preventDefault();
    const text = this.textField.value.trimEnd(); // Enter begins a new line, and many press it before they send
    if (!text.trim()) return;
    this.textField.value = "";
    this.#showError("");
    this.#showPending(this.#outbox.add(text));
  }

  #showPending(entry) {
    const element = pendingLineElement(entry.text, this.#words.sending);
    this.#pendingLines.set(entry, element);
    this.#addLine(element);
  }

  #sent(entry) {
    this.#showError("");
    this.#removeArrived(entry);
  }

  // The connection, or the page, may have brought the line before the answer to its text arrived.
  #removeArrived(entry) {
    if (this.#log.querySelector(`[data-seq="${entry.seq}"]`)) this.#discard(entry);
  }

  // The text was a command to a gate and not a line for the customer.
  #sentToGate(entry, confirmation) {
    this.#discard(entry);
    this.#showError("");
    this.showNote(confirmation);
  }

  #refused(entry, why) {
    this.#discard(entry);
    this.textField.value = textsTogether(entry.text, this.textField.value);
    this.#keepDraft();
    this.#drafts.saveSoon();
    this.#showError(why);
    this.focus();
  }

  #discard(entry) {
    this.#pendingLines.get(entry)?.remove();
    this.#pendingLines.delete(entry);
    this.#outbox.remove(entry);
  }
}
