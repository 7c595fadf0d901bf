// One answer to several gates waits a few seconds in the page and can be taken back until it is sent. It is sent at
// once when the page is left or closed, so that it is never lost; the keys in the form let it count only once.
import { fillPhrase } from "../shared/phrases.js";

const GRACE_SECONDS = 8;

class GracePeriod {
  #form; #box; #url; #button = null; #secondsLeft = 0; #timer = 0; #isSubmitted = false;

  constructor(form, box) {
    this.#form = form;
    this.#box = box;
    this.#url = form.getAttribute("action"); // form.action is one of its buttons, because they are named "action"
    form.addEventListener("submit", event => this.#start(event));
    box.querySelector("[data-undo]").addEventListener("click", () => this.#takeBack());
    box.querySelector("[data-now]").addEventListener("click", () => this.#submit());
    document.addEventListener("visibilitychange", () => document.hidden && this.#submit());
    addEventListener("pagehide", () => this.#sendInBackground());
    // Before the keyboard's own listener, for which Esc leads back to the queue.
    document.addEventListener("keydown", event => this.#takeBackOnEscape(event), { capture: true });
  }

  async #start(event) {
    if (!event.submitter?.value) return;
    event.preventDefault();
    if (this.#button) return;
    this.#button = event.submitter;
    if (await this.#isRefused()) return this.#submit(); // the page that comes back says what is wrong
    if (this.#button) this.#wait();
  }

  async #isRefused() {
    const body = this.#filledForm();
    body.set("only_check", "1");
    const response = await fetch(this.#url, { method: "POST", body }).catch(() => null);
    return response !== null && response.status !== 204;
  }

  #wait() {
    this.#removeErrors();
    this.#secondsLeft = GRACE_SECONDS;
    this.#box.hidden = false;
    const words = this.#box.querySelector("[data-words]");
    words.textContent = fillPhrase(words.dataset.words, this.#button.textContent.trim());
    this.#box.querySelector("[data-undo]").focus();
    this.#setInert(true);
    this.#tick();
  }

  // What was wrong with the answer before is right now: the server has checked it.
  #removeErrors() {
    for (const error of this.#form.querySelectorAll(".field-error")) error.remove();
    this.#form.querySelector(".part:has(> .error-summary)")?.remove();
    for (const field of this.#form.querySelectorAll("[aria-invalid]")) {
      for (const name of ["aria-invalid", "aria-describedby"]) field.removeAttribute(name);
    }
  }

  #tick() {
    this.#box.querySelector("[data-left]").textContent = this.#secondsLeft;
    if (this.#secondsLeft === 0) return this.#submit();
    this.#secondsLeft -= 1;
    this.#timer = setTimeout(() => this.#tick(), 1_000);
  }

  #takeBack() {
    clearTimeout(this.#timer);
    const button = this.#button;
    this.#button = null;
    this.#box.hidden = true;
    this.#setInert(false);
    button.focus();
  }

  #takeBackOnEscape(event) {
    if (event.key !== "Escape" || this.#box.hidden) return;
    event.preventDefault();
    this.#takeBack();
  }

  // The answer that is sent is the one that was checked, so its fields do not change while it waits.
  #setInert(isInert) {
    for (const part of this.#form.querySelectorAll(".form-fields, .acts")) part.inert = isInert;
  }

  #submit() {
    if (!this.#button) return;
    clearTimeout(this.#timer);
    const action = document.createElement("input");
    Object.assign(action, { type: "hidden", name: "action", value: this.#button.value });
    this.#form.append(action);
    this.#isSubmitted = !document.hidden; // a page that is being closed may not get as far as its navigation
    this.#form.submit();
  }

  // The page goes away: a request with keepalive outlives it.
  #sendInBackground() {
    if (this.#button && !this.#isSubmitted) {
      fetch(this.#url, { method: "POST", body: this.#filledForm(), keepalive: true });
    }
  }

  #filledForm() {
    const body = new FormData(this.#form);
    body.set("action", this.#button.value);
    return body;
  }
}

const form = document.querySelector("form.bulk-answer");
const box = form?.querySelector("[data-grace]");
if (box) new GracePeriod(form, box);
