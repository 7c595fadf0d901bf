// Sets values in the text: one request at a time, each with all that was changed meanwhile. The answer brings the
// changes of the text together with its problems, its graph and its values.
import * as server from "./server.js";

export class ValueEdits {
  #page; #waiting = []; #running = null; #isTyped = true;

  /**
   * `page.text()` is the text now, `page.apply(changes, isTyped)` changes it, `page.checked(text, body)` hears what the
   * check said of the new text, `page.refused()` that values were refused, and `page.away` are the words for no
   * connection.
   */
  constructor(page) {
    this.#page = page;
  }

  /** Set values: `[{step, path, value, order}]`. Resolves to why they were refused, or "". */
  set(edits, isTyped) {
    for (const edit of edits) this.#add(edit);
    this.#isTyped &&= isTyped;
    this.#running ??= this.#run().finally(() => { this.#running = null; });
    return this.#running;
  }

  /** Resolves when the text has all values. */
  async settled() {
    while (this.#running) await this.#running;
  }

  /** Change the text by `work()` between two requests: values that are set meanwhile wait. Resolves as `work()` does. */
  async doBetween(work) {
    await this.settled();
    const done = work();
    this.#running = done.then(() => this.#run()).finally(() => { this.#running = null; });
    return done;
  }

  /** A step has another name in the text now: values that wait for it go there. */
  stepRenamed(step, name) {
    this.#waiting = this.#waiting.map(edit => edit.step === step ? { ...edit, step: name } : edit);
  }

  // What a person types letter by letter is one value.
  #add(edit) {
    const last = this.#waiting.at(-1);
    const isSame = last && last.step === edit.step && last.path.join() === edit.path.join();
    if (isSame) this.#waiting.pop();
    this.#waiting.push(edit);
  }

  async #run() {
    let refusal = "";
    while (this.#waiting.length) {
      const edits = this.#waiting, isTyped = this.#isTyped, text = this.#page.text();
      this.#waiting = [];
      this.#isTyped = true;
      const { status, body } = await server.setValues(text, edits);
      if (status === 200 && this.#page.text() !== text) {
        this.#waiting = [...edits, ...this.#waiting]; // the changes are those of another text
        continue;
      }
      refusal = status === 200 ? "" : body.detail || this.#page.away;
      if (status === 200) this.#page.apply(body.changes, isTyped);
      if (status === 200 && !this.#waiting.length) this.#page.checked(this.#page.text(), body);
      if (status !== 200) this.#page.refused();
    }
    return refusal;
  }
}
