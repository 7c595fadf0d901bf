// The operator's box. What is written stays here, dashed, until the server has it; it is sent again under the same key, so
// that it arrives once. What is not sent yet is a draft on the server.
import { freshId } from "../shared/ids.js";
import { make } from "../shared/transcript.js";
import { watchReplies } from "./saved_replies.js";

const DRAFT_AFTER = 1_200;
const TYPING_EVERY = 2_000;
const AGAIN_AFTER = 2_000;

export class Composer {
  #form; #words; #log; #waiting = []; #sending = false; #timer = 0; #typedAt = -Infinity; #draft = "";

  // `add` puts an element at the end of the talk; `typing` tells the other side.
  constructor(form, words, { log, add, typing }) {
    Object.assign(this, { add, typing });
    this.#form = form;
    this.#words = words;
    this.#log = log;
    this.#draft = this.text.value;
    form.addEventListener("submit", event => this.#submit(event));
    this.text.addEventListener("input", () => this.#typed());
    const open = watchReplies(form.querySelector("[data-replies]"), text => this.insert(text));
    this.text.addEventListener("keydown", event => {
      if (event.key !== "/" || this.text.value || event.isComposing) return;
      event.preventDefault();
      open();
    });
  }

  get text() { return this.#form.elements.text; }

  focus() { this.text.focus({ preventScroll: true }); }

  insert(text) {
    this.focus();
    if (!text) return;
    const names = { customer: this.#words.customer, me: this.#words.me };
    const filled = text.replace(/\{(customer|me)\}/g, (_whole, name) => names[name]);
    this.text.setRangeText(filled, this.text.selectionStart, this.text.selectionEnd, "end");
    this.text.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // A draft that stands on the server, where nothing is typed yet.
  take(text) {
    if (!this.text.value && this.#waiting.length === 0) this.text.value = this.#draft = text;
  }

  // Our own line came back from the server: the dashed one, which was only a promise, goes.
  settle(seq) {
    for (const entry of this.#waiting) if (entry.seq === seq) entry.element.remove();
    this.#waiting = this.#waiting.filter(entry => entry.seq !== seq);
  }

  say(text) {
    const place = this.#form.querySelector("#composer-says");
    place.hidden = !text;
    place.textContent = text;
  }

  // What is true of the chat, and no fault.
  note(text) {
    this.#form.querySelector(".saved").textContent = text;
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#saveDraft(), DRAFT_AFTER);
    if (performance.now() - this.#typedAt < TYPING_EVERY) return;
    this.#typedAt = performance.now();
    this.typing();
  }

  #submit(event) {
    event.preventDefault();
    const text = this.text.value;
    if (!text.trim()) return;
    clearTimeout(this.#timer);
    const element = make("div", "turn out me waiting");
    element.append(make("p", "draft", text), make("small", "", this.#words.sending));
    this.#waiting.push({ text, key: freshId(), element });
    this.text.value = this.#draft = "";
    this.say("");
    this.add(element);
    this.#sendNext();
  }

  // One after the other, so that they arrive in the order in which they were written.
  async #sendNext() {
    const entry = this.#waiting.find(each => each.seq === undefined);
    if (!entry || this.#sending) return;
    this.#sending = true;
    const wait = await this.#send(entry);
    this.#sending = false;
    if (wait) setTimeout(() => this.#sendNext(), wait);
    else this.#sendNext();
  }

  // How long to wait before it is tried again; 0 when it is settled either way.
  async #send(entry) {
    const answer = await this.#post(this.#form.action, { text: entry.text, key: entry.key });
    if (answer === null || answer.status >= 500) {
      this.say(this.#form.dataset.away);
      return AGAIN_AFTER;
    }
    const told = answer.status === 401 ? { detail: this.#form.dataset.out } : await answer.json().catch(() => ({}));
    if (answer.ok && told.said) this.#did(entry, told.said);
    else if (answer.ok) this.#arrived(entry, told.seq);
    else this.#refused(entry, told.detail ?? String(answer.status));
    return 0;
  }

  #arrived(entry, seq) {
    this.say("");
    entry.seq = seq;
    if (this.#log.querySelector(`[data-seq="${seq}"]`)) this.settle(seq);
  }

  // The line went to a gate, not to the customer.
  #did(entry, said) {
    entry.element.remove();
    this.#waiting = this.#waiting.filter(each => each !== entry);
    this.say("");
    this.note(said);
    document.dispatchEvent(new CustomEvent("soni:changed"));
  }

  // Nothing that was typed is lost: it goes back into the box, before what was typed since.
  #refused(entry, detail) {
    entry.element.remove();
    this.#waiting = this.#waiting.filter(each => each !== entry);
    this.text.value = [entry.text, this.text.value].filter(Boolean).join("\n");
    this.say(detail);
    this.focus();
  }

  async #saveDraft() {
    const text = this.text.value;
    if (text === this.#draft) return;
    const answer = await this.#post(this.#form.dataset.draft, { text });
    if (answer?.ok) this.#draft = text;
    if (answer?.ok) this.note(text ? this.#form.dataset.saved : "");
  }

  #post(url, facts) {
    const body = new FormData();
    body.set("csrfmiddlewaretoken", this.#form.elements.csrfmiddlewaretoken.value);
    for (const [name, value] of Object.entries(facts)) body.set(name, value);
    return fetch(url, { method: "POST", body, headers: { accept: "application/json" } }).catch(() => null);
  }
}
