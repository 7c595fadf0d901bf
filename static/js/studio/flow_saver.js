// Saves the text of a flow: as a draft a moment after the last key, as a version when the author saves.
import { codeNodes } from "../shared/elements.js";
import { momentText } from "../shared/moments.js";
import { fillPhrase } from "../shared/phrases.js";
import { pageZone } from "../shared/zone.js";
import { saveDraft, saveVersion } from "./server.js";

const DRAFT_DELAY_MS = 1_200;
const RETRY_DELAY_MS = 5_000;

/** Drafts and versions are sent one after the other, so that an older text replaces no newer one. */
export class FlowSaver {
  #page; #text; #settled; #baseVersion; #hasUnsaved; #timer = 0;
  #lastRequest = Promise.resolve();
  #queuedDraft = null; // the promise of the draft that is sent after the request on its way
  #isDraftDue = false; // the server does not have what was typed last, not as a draft either

  /** `text()` returns the text as it is now; `settled()` resolves when it has what was typed in fields. */
  constructor(page, text, settled = async () => {}) {
    this.#page = page;
    this.#text = text;
    this.#settled = settled;
    this.#baseVersion = Number(page.dataset.base);
    this.#hasUnsaved = "drafted" in page.dataset;
    document.addEventListener("soni:before-publish", event => event.detail.saved.push(this.#saveChanges()));
    addEventListener("pagehide", () => {
      if (this.#isDraftDue) saveDraft(this.#text(), this.#baseVersion, { outlivesPage: true });
    });
    document.addEventListener("keydown", event => {
      if (!(event.ctrlKey || event.metaKey) || event.key !== "s" || event.defaultPrevented) return;
      event.preventDefault();
      this.save();
    });
  }

  /** Save a draft a moment after the last call. */
  textChanged() {
    this.#hasUnsaved = this.#isDraftDue = true;
    this.#showStatus("typing");
    this.#saveSoon(DRAFT_DELAY_MS);
  }

  /** Resolve when the text is saved as a draft. */
  async draftSaved() {
    await this.#settled();
    await (this.#isDraftDue ? this.#saveDraft() : this.#lastRequest);
  }

  /** Save a version, with the author's note. */
  async save() {
    if (!("writes" in this.#page.dataset)) return;
    await this.#settled();
    await this.#inTurn(() => this.#saveVersion());
  }

  /** Say why something could not be done; an empty text removes the message. */
  showFailure(text) {
    const box = this.#page.querySelector("[data-failure]");
    box.hidden = !text;
    box.replaceChildren(...codeNodes(text));
  }

  // Run `send()` after the requests before it.
  #inTurn(send) {
    return this.#lastRequest = this.#lastRequest.then(send, send);
  }

  #saveSoon(delay) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#saveDraft(), delay);
  }

  #saveDraft() {
    clearTimeout(this.#timer);
    return this.#queuedDraft ??= this.#inTurn(() => {
      this.#queuedDraft = null;
      return this.#sendDraft();
    });
  }

  async #sendDraft() {
    const text = this.#text();
    const { status } = await saveDraft(text, this.#baseVersion);
    if (status !== 200) {
      this.#showStatus("away");
      return this.#saveSoon(RETRY_DELAY_MS);
    }
    if (this.#text() === text) this.#isDraftDue = false;
    const reader = { language: document.documentElement.lang || "en", zone: pageZone() };
    this.#showStatus("kept", momentText(Date.now(), Date.now(), reader));
    this.#page.querySelector("[data-unpublished]")?.removeAttribute("hidden"); // a draft is one, too
  }

  async #saveVersion() {
    clearTimeout(this.#timer);
    const text = this.#text(), note = document.getElementById("note")?.value ?? "";
    const { status, body } = await saveVersion(text, this.#baseVersion, note);
    this.showFailure("");
    if (status === 200 || status === 201) return this.#versionSaved(body.version, text, note);
    const isKept = status === 409 || (status === 422 && body.problems); // as the author's draft
    if (isKept && this.#text() === text) this.#isDraftDue = false;
    if (status === 409) return this.#showConflict(body.detail);
    if (isKept) return this.#showProblems(body.problems);
    this.showFailure(body.detail ?? "");
    this.#showStatus("away");
    this.#saveSoon(RETRY_DELAY_MS); // as a draft
  }

  #versionSaved(version, text, note) {
    this.#baseVersion = version;
    this.#page.querySelector("[data-unpublished]")?.removeAttribute("hidden");
    const noteField = document.getElementById("note");
    if (noteField?.value === note) noteField.value = "";
    this.#page.querySelector("[data-conflict]").hidden = true;
    const chip = this.#page.querySelector("[data-version]");
    chip.textContent = fillPhrase(chip.dataset.version, version);
    if (this.#text() !== text) return this.textChanged(); // it was typed while the version was on its way
    this.#hasUnsaved = this.#isDraftDue = false;
    this.#showStatus("saved", version);
  }

  // What is typed is saved before it is published. Resolves to whether everything is saved.
  async #saveChanges() {
    await this.#settled();
    if (this.#hasUnsaved) await this.save();
    return !this.#hasUnsaved;
  }

  // A colleague has saved a version meanwhile; the page says so and leads to a comparison.
  #showConflict(detail) {
    const box = this.#page.querySelector("[data-conflict]");
    box.querySelector("[data-words]").textContent = detail;
    box.hidden = false;
    box.querySelector("a").focus();
  }

  #showProblems(problems) {
    this.#showStatus("refused");
    document.dispatchEvent(new CustomEvent("soni:checked", { detail: problems }));
  }

  // `name` is one of the words that the status carries as data.
  #showStatus(name, value = "") {
    const status = this.#page.querySelector("[data-status]");
    status.textContent = fillPhrase(status.dataset[name], value);
  }
}
