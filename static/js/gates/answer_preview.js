// What an answer to an agent's question sends back, shown while the form is filled in. The server writes it.
import { selectedAction } from "../console/actions.js";
import { makeElement } from "../shared/elements.js";

const DELAY_MS = 250;

/** The preview of one card. It shows the selected answer; before one is selected, that of the button in hand. */
export class AnswerPreview {
  #card;
  #timer = 0;
  #number = 0; // of the newest request: an older answer that comes later is dropped
  #facts = null;
  #pointed = "";

  constructor(card) {
    this.#card = card;
  }

  get #box() { return this.#card.querySelector("[data-answers]"); }

  /** Ask again soon, after something was typed. */
  update() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.load(), DELAY_MS);
  }

  async load() {
    const number = this.#number += 1, body = new FormData(this.#card);
    for (const field of this.#card.querySelectorAll("input[type=file]")) body.delete(field.name);
    const facts = await this.#ask(body);
    if (number !== this.#number || !this.#card.isConnected) return;
    this.#facts = facts;
    if (facts) this.#showChanges();
    this.#show();
  }

  async #ask(body) {
    try {
      const response = await fetch(this.#box.dataset.answers, { method: "POST", body });
      return response.ok ? await response.json() : null;
    } catch {
      return null; // without a connection the page says so beside the draft
    }
  }

  /** Show the answer of the button under the pointer or the focus. */
  point({ target }) {
    this.#pointed = target.closest?.("button[name=action]")?.value ?? "";
    this.#show();
  }

  #button(action) {
    return this.#card.querySelector(`button[name=action][value="${CSS.escape(action)}"]`);
  }

  // The buttons say how many values were changed, and the one that sends the changes comes forward.
  #showChanges() {
    const { answers, changed, changes, edit } = this.#facts;
    const chip = this.#card.querySelector("[data-changes]");
    if (chip) {
      chip.hidden = changed.length === 0;
      chip.textContent = changes;
    }
    for (const { action, label } of answers) {
      const button = this.#button(action), way = this.#card.querySelector(`[data-way="${CSS.escape(action)}"] b`);
      if (way) way.textContent = label;
      if (!button || button.hasAttribute("aria-busy")) continue;
      const words = button.querySelector("[data-words]") ?? button;
      if (words.textContent.trim() !== label) words.textContent = label;
      button.dataset.isMain ??= button.classList.contains("main");
      const isMain = changed.length && edit ? action === edit : button.dataset.isMain === "true";
      button.classList.toggle("main", isMain);
    }
  }

  #show() {
    // Without the server's answer, what stands there may be older than the form. Its place stays: nothing moves.
    this.#box.style.visibility = this.#facts ? "" : "hidden";
    if (!this.#facts) return;
    const { answers, changed, edit } = this.#facts;
    const wanted = selectedAction(this.#card)?.value ?? (this.#pointed || (changed.length ? edit : ""));
    const answer = answers.find(({ action }) => action === wanted) ?? answers[0];
    if (!answer) return;
    const [label, text] = [this.#box.querySelector("[data-answer]"), this.#box.querySelector("pre")];
    const problem = this.#box.querySelector("[data-problem]");
    this.#box.hidden = false;
    label.textContent = answer.label;
    text.hidden = !answer.body;
    text.replaceChildren(...linesOf(answer.body, answer.action === edit ? changed : []));
    problem.hidden = Boolean(answer.body);
    problem.textContent = answer.problem || problem.dataset.nothing;
  }
}

// The lines of changed values stand out.
function linesOf(body, changed) {
  const keys = changed.map(name => `${JSON.stringify(name)}:`);
  return body.split("\n").flatMap((line, index) => {
    const isChanged = keys.some(key => line.trimStart().startsWith(key));
    const text = line.trimStart(), indent = line.slice(0, line.length - text.length);
    const parts = isChanged ? [indent, makeElement("mark", "", text)] : [line];
    return index ? ["\n", ...parts] : parts;
  });
}
