// What an operator sent to a customer stays in the page until the server has it, also when the chat was left.
import { draftKeeper } from "../shared/draft_keeper.js";
import { newId } from "../shared/ids.js";

const RETRY_DELAY_MS = 2_000;
const outboxes = new Map(); // by the address to which a chat's texts are sent

/** The outbox of the chat with this form: the same one whenever the chat is opened again. */
export function outboxOf(form) {
  const outbox = outboxes.get(form.action) ?? new Outbox(form);
  outboxes.set(form.action, outbox);
  outbox.form = form; // its token against forged requests is the newest
  return outbox;
}

/**
 * Texts are sent one after the other, so that they arrive in the order in which they were written, and again under the
 * same key while the server does not answer, so that they arrive once. No draft is on its way meanwhile: the server
 * deletes the draft when a text arrives.
 */
class Outbox {
  #drafts;
  #entries = []; // {text, key, seq}; seq is there once the server has the text
  #isSending = false;

  form = null; // of the chat, as it was opened last

  /** The open chat, which hears `sent(entry)`, `answered(entry, text)`, `refused(entry, why)` and `away()`. */
  view = null;

  constructor(form) {
    this.#drafts = draftKeeper(form.dataset.draft);
  }

  get entries() { return [...this.#entries]; }

  /** Send a text. Returns its entry. */
  add(text) {
    const entry = { text, key: newId() };
    this.#entries.push(entry);
    const draftsAnswered = this.#drafts.hold();
    this.#drafts.clear();
    draftsAnswered.then(() => this.#sendNext());
    return entry;
  }

  /** Forget a text that has arrived in the transcript, or that is no line of it. */
  remove(entry) {
    this.#entries = this.#entries.filter(other => other !== entry);
  }

  /** The page is left: requests with keepalive outlive it. */
  sendInBackground() {
    for (const entry of this.#unsent) this.#post(entry, { keepalive: true });
  }

  get #unsent() { return this.#entries.filter(({ seq }) => seq === undefined); }

  async #sendNext() {
    const [entry] = this.#unsent;
    if (!entry) return this.#drafts.release();
    if (this.#isSending) return;
    this.#isSending = true;
    const delay = await this.#send(entry);
    this.#isSending = false;
    if (delay) setTimeout(() => this.#sendNext(), delay);
    else this.#sendNext();
  }

  // Returns the milliseconds until the next try, 0 when the server has accepted or refused the text.
  async #send(entry) {
    const response = await this.#post(entry);
    if (response === null || response.status >= 500) {
      this.view?.away();
      return RETRY_DELAY_MS;
    }
    const isSignedOut = response.status === 401;
    const answer = isSignedOut ? { detail: this.form.dataset.out } : await response.json().catch(() => ({}));
    if (response.ok && !answer.said) {
      entry.seq = answer.seq;
      if (this.view) this.view.sent(entry);
      else this.remove(entry); // the transcript has the line when the chat is opened again
      return 0;
    }
    this.remove(entry);
    if (response.ok) this.#lineAnswered(entry, answer.said);
    else this.#refused(entry, answer.detail ?? String(response.status));
    return 0;
  }

  // The text was a command to a gate and not a line for the customer.
  #lineAnswered(entry, text) {
    this.view?.answered(entry, text);
    document.dispatchEvent(new CustomEvent("soni:changed"));
  }

  // Nothing is lost: the text goes back into the field, or into the draft of a chat that was left.
  #refused(entry, why) {
    if (this.view) return this.view.refused(entry, why);
    const typedSince = this.#drafts.newerThan(-Infinity)?.get("text");
    this.#drafts.keep(this.#formData({ text: textsTogether(entry.text, typedSince) }));
    this.#drafts.save();
  }

  #post({ text, key }, options = {}) {
    const request = { method: "POST", body: this.#formData({ text, key }), headers: { accept: "application/json" } };
    return fetch(this.form.action, { ...request, ...options }).catch(() => null);
  }

  #formData(fields) {
    const body = new FormData();
    body.set("csrfmiddlewaretoken", this.form.elements.csrfmiddlewaretoken.value);
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return body;
  }
}

/** A text that came back, before what was typed since. */
export function textsTogether(returned, typedSince) {
  return [returned, typedSince].filter(Boolean).join("\n");
}

// Before the listener of the drafts: a draft that arrives first would be deleted with the text that was sent.
addEventListener("pagehide", () => {
  for (const outbox of outboxes.values()) outbox.sendInBackground();
}, { capture: true });
