// Keeps what is typed: as a draft a moment after the last key, as a version when the author saves.
import { filled } from "../shared/phrases.js";
import { keepDraft, save } from "./server.js";

const AFTER = 1200;

export class Keeper {
  #page;
  #text;
  #base;
  #timer = 0;
  #kept = null;

  /** `text()` is the text as it is now. */
  constructor(page, text) {
    this.#page = page;
    this.#text = text;
    this.#base = Number(page.dataset.base);
    addEventListener("pagehide", () => this.#timer && this.#keep());
    document.addEventListener("keydown", event => {
      if (!(event.ctrlKey || event.metaKey) || event.key !== "s" || event.defaultPrevented) return;
      event.preventDefault();
      this.save();
    });
  }

  typed() {
    this.#say("typing");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keep(), AFTER);
  }

  async #keep() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const text = this.#text();
    this.#kept = keepDraft(text, this.#base);
    const { status } = await this.#kept;
    if (status === 200) this.#say("kept", new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }));
    else this.typed(this.#say("away"));
  }

  /** Resolves when what was typed is kept. */
  async settle() {
    await (this.#timer ? this.#keep() : this.#kept);
  }

  async save() {
    if (!("writes" in this.#page.dataset)) return;
    clearTimeout(this.#timer);
    this.#timer = 0;
    await this.#kept;
    const note = document.getElementById("note");
    const { status, body } = await save(this.#text(), this.#base, note?.value ?? "");
    this.fail("");
    if (status === 200 || status === 201) return this.#saved(body, note);
    if (status === 409) return this.#conflict(body.detail);
    if (status === 422 && body.problems) return this.#refused(body.problems);
    this.fail(body.detail ?? "");
    this.#say("away");
  }

  /** Shows why something could not be done; empty: nothing is wrong any more. */
  fail = words => {
    const box = this.#page.querySelector("[data-failure]");
    box.hidden = !words;
    box.textContent = words;
  };

  #saved({ version }, note) {
    this.#base = version;
    if (note) note.value = "";
    this.#page.querySelector("[data-conflict]").hidden = true;
    const chip = this.#page.querySelector("[data-version]");
    chip.textContent = this.#say("saved", version);
  }

  #conflict(detail) {
    const box = this.#page.querySelector("[data-conflict]");
    box.querySelector("[data-words]").textContent = detail;
    box.hidden = false;
    box.querySelector("a").focus();
  }

  #refused(problems) {
    this.#say("refused");
    document.dispatchEvent(new CustomEvent("soni:checked", { detail: problems }));
  }

  #say(name, fact = "") {
    const place = this.#page.querySelector("[data-status]");
    place.textContent = filled(place.dataset[name], fact);
    return place.textContent;
  }
}
