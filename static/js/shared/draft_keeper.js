// Drafts: what was typed and not sent stays in the page until the server has it, also when its pane was left.

const SAVE_DELAY_MS = 1_200;
const RETRY_DELAY_MS = 5_000;
const keepers = new Map(); // by address

/** The keeper of what is typed for this address of drafts: the same one whenever its pane is opened again. */
export function draftKeeper(url) {
  if (!keepers.has(url)) keepers.set(url, new DraftKeeper(url));
  return keepers.get(url);
}

/** One request at a time, each with the newest input, so that an older text never replaces a newer one. */
class DraftKeeper {
  #url;
  #newest = null; // the FormData that was typed last; null when it was sent
  #storedAt = -Infinity; // when the server had the newest; Infinity while it does not
  #request = null; // the promise of the requests on their way
  #isDue = false; // the newest is to be sent after the request on its way
  #isHeld = false;
  #timer = 0;

  /** Hears `{status, body}` of each request, with status 0 when the server did not answer. The open pane sets it. */
  onAnswer = () => {};

  constructor(url) {
    this.#url = url;
  }

  /** Remember this FormData until the server has it. */
  keep(fields) {
    this.#newest = fields;
    this.#storedAt = Infinity;
  }

  /** Save a moment after the last call. */
  saveSoon(delay = SAVE_DELAY_MS) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), delay);
  }

  /** Wait with the next request until `save()` or `saveSoon()` is called. */
  postpone() {
    clearTimeout(this.#timer);
    this.#isDue = false;
  }

  /** Save what the server does not have. Resolves when that was tried. */
  async save() {
    this.postpone();
    if (!this.#isUnsaved) return;
    this.#isDue = true;
    if (!this.#isHeld) await (this.#request ??= this.#sendWhileDue());
  }

  /** Forget what was typed, because it was sent. */
  clear() {
    this.postpone();
    this.#newest = null;
    this.#storedAt = this.#isHeld ? Infinity : performance.now();
  }

  /** Send no draft until `release()`. Resolves when none is on its way. */
  async hold() {
    this.#isHeld = true;
    await this.#request;
  }

  release() {
    this.#isHeld = false;
    if (this.#newest === null) this.#storedAt = performance.now();
    if (this.#isDue) this.save();
  }

  /**
   * What a pane has to show instead of the draft that came with it, when the server made it at `moment` or later
   * (performance.now()): the FormData, null for an empty form, or undefined when the server's draft is the newest.
   */
  newerThan(moment) {
    return this.#storedAt > moment ? this.#newest : undefined;
  }

  /** The page is left: a request with keepalive outlives it. */
  sendInBackground() {
    if (!this.#isUnsaved) return;
    fetch(this.#url, { method: "POST", body: this.#newest, keepalive: true }).catch(() => {});
  }

  get isOnItsWay() { return this.#request !== null; }

  /** Whether the server has what was typed on this page. */
  get isStored() { return this.#newest !== null && this.#storedAt < Infinity; }

  get #isUnsaved() { return this.#newest !== null && this.#storedAt === Infinity; }

  async #sendWhileDue() {
    while (this.#isDue && this.#isUnsaved && !this.#isHeld) {
      this.#isDue = false;
      await this.#send(this.#newest);
    }
    this.#request = null;
  }

  async #send(fields) {
    const request = { method: "POST", body: fields, headers: { accept: "application/json" } };
    const response = await fetch(this.#url, request).catch(() => null);
    const body = await response?.json().catch(() => ({})) ?? {};
    const status = response?.status ?? 0;
    if (this.#newest === fields && isStored(status)) this.#storedAt = performance.now();
    const isUnanswered = status === 0 || status >= 500;
    if (this.#newest === fields && isUnanswered) this.saveSoon(RETRY_DELAY_MS);
    this.onAnswer({ status, body });
  }
}

// A draft of a gate that a colleague has, or that is decided, is refused and stored all the same.
function isStored(status) {
  return status < 300 ? status >= 200 : status === 409 || status === 410;
}

addEventListener("pagehide", () => {
  for (const keeper of keepers.values()) keeper.sendInBackground();
});
