// Saves the text of a flow: as a draft a moment after the last key, as a version when the author saves.
import { codeNodes } from "../shared/elements.js";
import { momentText } from "../shared/moments.js";
import { fillPhrase } from "../shared/phrases.js";
import { pageZone } from "../shared/zone.js";
import { saveDraft, saveVersion } from "./server.js";

const DRAFT_DELAY_MS = 1_200;

export class FlowSaver {
  #page; #text; #settled; #baseVersion; #hasUnsaved; #timer = 0; #lastDraft = null;

  /** `text()` returns the text as it is now; `settled()` resolves when it has what was typed in fields. */
  constructor(page, text, settled = async () => {}) {
    this.#page = page;
    this.#text = text;
    this.#settled = settled;
    this.#baseVersion = Number(page.dataset.base);
    this.#hasUnsaved = "drafted" in page.dataset;
    document.addEventListener("soni:before-publish", event => event.detail.saved.push(this.#saveChanges()));
    addEventListener("pagehide", () => this.#timer && this.#saveDraft());
    document.addEventListener("keydown", event => {
      if (!(event.ctrlKey || event.metaKey) || event.key !== "s" || event.defaultPrevented) return;
      event.preventDefault();
      this.save();
    });
  }

  /** Save a draft a moment after the last call. */
  textChanged() {
    this.#hasUnsaved = true;
    this.#showStatus("typing");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#saveDraft(), DRAFT_DELAY_MS);
  }

  /** Resolve when the text is saved as a draft. */
  async draftSaved() {
    await this.#settled();
    await (this.#timer ? this.#saveDraft() : this.#lastDraft);
  }

  /** Save a version, with the author's note. */
  async save() {
    if (!("writes" in this.#page.dataset)) return;
    await this.#settled();
    clearTimeout(this.#timer);
    this.#timer = 0;
    await this.#lastDraft; // a draft that arrived after the version would bring the older text back
    const note = document.getElementById("note");
    const { status, body } = await saveVersion(this.#text(), this.#baseVersion, note?.value ?? "");
    this.showFailure("");
    if (status === 200 || status === 201) return this.#versionSaved(body.version, note);
    if (status === 409) return this.#showConflict(body.detail);
    if (status === 422 && body.problems) return this.#showProblems(body.problems);
    this.showFailure(body.detail ?? "");
    this.#showStatus("away");
  }

  /** Say why something could not be done; an empty text removes the message. */
  showFailure(text) {
    const box = this.#page.querySelector("[data-failure]");
    box.hidden = !text;
    box.replaceChildren(...codeNodes(text));
  }

  async #saveDraft() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#lastDraft = saveDraft(this.#text(), this.#baseVersion);
    const { status } = await this.#lastDraft;
    if (status === 200) {
      const reader = { language: document.documentElement.lang || "en", zone: pageZone() };
      this.#showStatus("kept", momentText(Date.now(), Date.now(), reader));
      this.#page.querySelector("[data-unpublished]")?.removeAttribute("hidden"); // a draft is one, too
      return;
    }
    this.#showStatus("away");
    this.textChanged(); // tries again
  }

  #versionSaved(version, note) {
    this.#baseVersion = version;
    this.#hasUnsaved = false;
    this.#page.querySelector("[data-unpublished]")?.removeAttribute("hidden");
    if (note) note.value = "";
    this.#page.querySelector("[data-conflict]").hidden = true;
    const chip = this.#page.querySelector("[data-version]");
    chip.textContent = fillPhrase(chip.dataset.version, version);
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
