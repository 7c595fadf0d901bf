// The command bar: it shows what it understands while a line is typed, and the server's answer once the line is sent.
import { makeElement } from "../shared/elements.js";
import * as history from "./command_history.js";

const PREVIEW_DELAY_MS = 180;

class CommandBar {
  #form; #field; #output; #person; #history; #historyIndex;
  #lastRequest = 0;
  #sentLine = ""; // the line that is on its way
  #timer = 0;
  #completedLine = null; // the line for which Tab has no more to add

  constructor(form) {
    this.#form = form;
    this.#field = form.elements.line;
    this.#output = form.querySelector("output");
    this.#person = form.dataset.me;
    this.#history = history.readLines(this.#person);
    this.#historyIndex = this.#history.length;
    this.#field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#preview(), PREVIEW_DELAY_MS);
    });
    this.#field.addEventListener("keydown", event => this.#completeOnTab(event));
    this.#field.addEventListener("keydown", event => this.#recallOnArrow(event));
    form.addEventListener("submit", event => this.#submit(event));
  }

  async #preview() {
    const request = ++this.#lastRequest;
    if (!this.#field.value.trim()) return this.#show({});
    try {
      const answer = await this.#post(this.#form.dataset.preview);
      if (request === this.#lastRequest) this.#show(answer);
    } catch { /* The answer to the line itself follows when it is sent. */ }
  }

  async #submit(event) {
    event.preventDefault();
    const line = this.#field.value;
    if (!line.trim() || line === this.#sentLine) return; // a second Enter would send the line twice
    clearTimeout(this.#timer);
    this.#lastRequest += 1; // a preview that is on its way would overwrite the answer
    this.#sentLine = line;
    try {
      const answer = await this.#post(this.#form.action);
      this.#show(answer);
      if (answer.good) this.#done(line, answer);
    } catch {
      this.#show({ said: this.#form.dataset.failed, good: false });
    } finally {
      if (this.#sentLine === line) this.#sentLine = "";
    }
  }

  #done(line, { said, keep, href, changed, undo }) {
    this.#history.push(line);
    if (keep) history.addLine(this.#person, line);
    this.#historyIndex = this.#history.length;
    if (this.#field.value === line) this.#field.value = ""; // else the person has typed on meanwhile
    if (href) location.assign(href);
    else if (changed) document.dispatchEvent(new CustomEvent("soni:changed"));
    if (undo) document.dispatchEvent(new CustomEvent("soni:done", { detail: { text: said, undo } }));
  }

  // Tab completes the line. Where nothing more is known, a second Tab leaves the bar as it leaves any field.
  #completeOnTab(event) {
    const hasModifier = event.shiftKey || event.ctrlKey || event.altKey || event.metaKey;
    if (event.key !== "Tab" || hasModifier) return;
    if (!this.#field.value.trim() || this.#completedLine === this.#field.value) return;
    event.preventDefault();
    this.#complete();
  }

  async #complete() {
    const line = this.#field.value;
    this.#completedLine = line;
    const { lines } = await this.#post(this.#form.dataset.complete).catch(() => ({ lines: [] }));
    if (this.#field.value !== line || !lines.length) return; // the person has typed on meanwhile
    this.#field.value = lines.reduce(commonPrefix);
    if (this.#field.value !== line) this.#completedLine = null;
    if (lines.length === 1) this.#preview();
    else this.#show({ more: lines.map(completion => completion.trim()).join("   ") });
  }

  #recallOnArrow(event) {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    const index = this.#historyIndex + (event.key === "ArrowUp" ? -1 : 1);
    this.#historyIndex = Math.max(0, Math.min(this.#history.length, index));
    this.#field.value = this.#history[this.#historyIndex] ?? "";
    event.preventDefault();
    this.#preview();
  }

  // `said` and `more` as the server words them; `good` is false for a line that is refused or not understood.
  #show({ said = "", more = "", good = true }) {
    const chip = makeElement("span", `chip ${good ? "good" : "bad"}`, said);
    const rest = makeElement("small", "", more);
    if (said) this.#output.replaceChildren(chip, rest);
    else this.#output.replaceChildren(...(more ? [rest] : []));
  }

  async #post(url) {
    const request = { method: "POST", body: new FormData(this.#form), headers: { accept: "application/json" } };
    const response = await fetch(url, request);
    const type = response.headers.get("content-type") ?? "";
    if (!type.includes("json")) throw new Error(String(response.status)); // the sign-in page, or an error page
    return response.json();
  }
}

function commonPrefix(one, other) {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
}

const form = document.getElementById("command");
if (form) new CommandBar(form);
