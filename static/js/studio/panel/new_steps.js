// The steps that were added on this page, with the fields that the author has changed or left since then. What the other
// fields lack is a hint and no error yet.
export class NewSteps {
  #touched = new Map(); // name of a step → keys of its fields

  add(step) {
    this.#touched.set(step, new Set());
  }

  rename(step, name) {
    const keys = this.#touched.get(step);
    this.#touched.delete(step);
    if (keys) this.#touched.set(name, keys);
  }

  /** Note that the field at this place was changed or left; returns whether that is news. */
  touch({ step, path }) {
    const keys = this.#touched.get(step), key = String(path[0]), isNews = Boolean(keys) && !keys.has(key);
    keys?.add(key);
    return isNews;
  }

  /** Whether the field was not touched since the step was added. */
  isUntouched(step, key) {
    const keys = this.#touched.get(step);
    return Boolean(keys) && !keys.has(key);
  }

  get names() {
    return [...this.#touched.keys()];
  }

  clear() {
    this.#touched.clear();
  }
}
