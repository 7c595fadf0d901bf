// The test conversation beside the text of a flow. It runs on the text that was saved as a draft when the test began,
// and is shown on the page's own graph.
import { showProgress } from "../graph/follow.js";
import { TestConversation } from "../testing/test_conversation.js";

const STORAGE_PREFIX = "soni_test:";
const NARROW_SCREEN = "(width < 760px)";

export class TestPane {
  #pane; #flow; #page; #conversation; #storageKey;
  #test = null; // {test, panel, say, after, tried, note, text}; `text` is what it runs on, null when unknown
  #progress = null; // where the test stands in this flow, as `showProgress` takes it

  /**
   * `page` is what the page does: `text()` is the flow's text now, `draftSaved()` resolves when it is saved as a
   * draft, and `stepReached(step)` hears at which step of this flow the test waits.
   */
  constructor(pane, flow, page) {
    this.#pane = pane;
    this.#flow = flow;
    this.#page = page;
    this.#storageKey = STORAGE_PREFIX + pane.dataset.begin;
    this.#conversation = new TestConversation(pane, {
      shownFlow: () => flow,
      progressChanged: progress => this.#progressChanged(progress),
      begin: () => this.#begin({}),
      erased: () => this.#forget(),
    });
    this.#part("restart").addEventListener("click", () => this.#restart({}));
    this.#part("again").addEventListener("click", () => this.#restart({ again: this.#test.test }));
    this.#part("untried").addEventListener("click", event => this.#beginOffered(event.target.closest("[data-of]")));
    pane.addEventListener("submit", event => this.#goBackToTurn(event));
    // The graph is drawn again when the screen becomes wide, and the marks with it.
    matchMedia(NARROW_SCREEN).addEventListener("change", () => requestAnimationFrame(() => this.showOnGraph()));
    this.#resume();
  }

  /** Focus the field of the next line; on a narrow screen show the pane first. */
  focus() {
    if (!this.#pane.offsetParent) location.hash = "test";
    this.#conversation.focus();
  }

  /** Say whether the test runs on an earlier text than the page's. */
  textChanged() {
    this.#part("earlier").hidden = !this.#test || this.#test.text === this.#page.text();
  }

  /** Mark on the graph where the test stands, after the graph was drawn again. */
  showOnGraph({ scroll = false } = {}) {
    const graph = document.querySelector("[data-graph]"), note = document.querySelector("[data-follows]");
    if (note) note.hidden = !this.#progress;
    if (this.#progress || graph.matches(".followed")) showProgress(graph, this.#progress, { scroll });
  }

  #part(name) {
    return this.#pane.querySelector(`[data-${name}]`);
  }

  // Returns whether there is a conversation now.
  async #begin(fields) {
    await this.#page.draftSaved();
    const text = this.#page.text();
    const body = this.#conversation.formData(fields);
    const response = await fetch(this.#pane.dataset.begin, { method: "POST", body });
    if (response.status === 422) return this.#showProblems(await response.text());
    if (response.status === 409) return this.#showText("note", (await response.json()).detail);
    if (!response.ok) throw new Error(`The test conversation could not begin: HTTP status ${response.status}`);
    const test = await response.json();
    this.#open({ ...test, text: test.same ? text : null });
    return true;
  }

  async #restart(fields) {
    try {
      if (await this.#begin(fields)) this.#conversation.refreshSoon(0);
    } catch {
      this.#showText("note", this.#pane.dataset.away);
    }
    this.#conversation.focus();
  }

  #beginOffered(button) {
    if (button) this.#restart({ of: button.dataset.of });
  }

  // The form of a turn leads to a page of its own; here the new test replaces the old one.
  #goBackToTurn(event) {
    const form = event.target.closest("[data-back]");
    if (!form) return;
    event.preventDefault();
    this.#restart({ again: this.#test.test, turn: form.elements.turn.value });
  }

  // The text does not compile: the server lists its problems and offers the last version that does.
  #showProblems(html) {
    const { body } = new DOMParser().parseFromString(html, "text/html");
    this.#part("untried").replaceChildren(...body.childNodes);
    return false;
  }

  #open(test) {
    this.#test = test;
    sessionStorage.setItem(this.#storageKey, JSON.stringify(test));
    this.#part("untried").replaceChildren();
    this.#part("restart").hidden = false;
    this.#showText("tried", test.tried);
    this.#showText("note", test.note);
    this.#conversation.open(test);
    this.textChanged();
  }

  // The test that was open before the page was reloaded.
  #resume() {
    const storedTest = sessionStorage.getItem(this.#storageKey);
    if (!storedTest) return;
    this.#open({ ...JSON.parse(storedTest), note: "" });
    this.#conversation.refreshSoon(0);
  }

  // The test was erased on the server; the next line begins another.
  #forget() {
    sessionStorage.removeItem(this.#storageKey);
    this.#conversation.close();
    this.#test = null;
    this.textChanged();
  }

  #showText(name, text) {
    const element = this.#part(name);
    element.hidden = !text;
    element.textContent = text;
  }

  #progressChanged(progress) {
    const lastStep = this.#progress?.now;
    const isInFlow = progress.flow === this.#flow && (progress.now || progress.done.length);
    this.#progress = isInFlow ? progress : null;
    this.showOnGraph({ scroll: true });
    const step = this.#progress?.now;
    // While the author types elsewhere the text does not scroll away.
    if (step && step !== lastStep && this.#pane.contains(document.activeElement)) this.#page.stepReached(step);
  }
}
