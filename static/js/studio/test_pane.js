// The test beside the text. It runs on the text as it was kept when the test began, and is followed on the page's own graph.
import { follow } from "../graph/follow.js";
import { Trial } from "../testing/test_conversation.js";

const KEY = "soni_test:";

export class Beside {
  #pane; #told; #trial; #flow;
  #place = null;
  #way = null;

  /** `told`: `text()` as it is now, `settle()` until it is kept, `stands(step)` hears where the test stands in this flow. */
  constructor(pane, flow, told) {
    this.#pane = pane;
    this.#flow = flow;
    this.#told = told;
    this.#trial = new Trial(pane, { flow: () => flow, followed: way => this.#followed(way), begin: () => this.#begin({}), gone: () => this.#forget() });
    this.#part("restart").addEventListener("click", () => this.#beginAnew({}));
    this.#part("again").addEventListener("click", () => this.#beginAnew({ again: this.#place.test }));
    pane.addEventListener("submit", event => this.#wentBack(event));
    this.#part("untried").addEventListener("click", event => this.#offered(event.target.closest("[data-of]")));
    matchMedia("(width < 760px)").addEventListener("change", () => requestAnimationFrame(() => this.follow()));
    this.#resume();
  }

  /** To the line that is said next; on a narrow page the pane is shown first. */
  focus() {
    if (!this.#pane.offsetParent) location.hash = "test";
    this.#trial.focus();
  }

  /** The text may be another one now. */
  typed() {
    this.#part("earlier").hidden = !this.#place || this.#place.text === this.#told.text();
  }

  /** Where the test stands, on a graph that was drawn anew: nobody asked to look there. */
  follow({ look = false } = {}) {
    const graph = document.querySelector("[data-graph]"), note = document.querySelector("[data-follows]");
    if (note) note.hidden = !this.#way;
    if (this.#way || graph.matches(".followed")) follow(graph, this.#way, { look });
  }

  #part(name) {
    return this.#pane.querySelector(`[data-${name}]`);
  }

  async #begin(fields) {
    await this.#told.settle();
    const text = this.#told.text();
    const answer = await fetch(this.#pane.dataset.begin, { method: "POST", body: this.#trial.body(fields) });
    if (answer.status === 422) return this.#refused(await answer.text());
    if (answer.status === 409) return this.#say("note", (await answer.json()).detail);
    if (!answer.ok) throw new Error(`The test did not begin: ${answer.status}`);
    const place = await answer.json();
    this.#open({ ...place, text: place.same ? text : null });
    return true;
  }

  async #beginAnew(fields) {
    try {
      if (await this.#begin(fields)) this.#trial.soon(0);
    } catch {
      this.#say("note", this.#pane.dataset.away);
    }
    this.#trial.focus();
  }

  #offered(button) {
    if (button) this.#beginAnew({ of: button.dataset.of });
  }

  // The turn's own form leads to a page of its own; here the test goes on in its place.
  #wentBack(event) {
    const form = event.target.closest("[data-back]");
    if (!form) return;
    event.preventDefault();
    this.#beginAnew({ again: this.#place.test, turn: form.elements.turn.value });
  }

  #refused(html) {
    this.#part("untried").replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
    return false;
  }

  #open(place) {
    this.#place = place;
    sessionStorage.setItem(KEY + this.#pane.dataset.begin, JSON.stringify(place));
    this.#part("untried").replaceChildren();
    this.#part("restart").hidden = false;
    this.#say("tried", place.tried);
    this.#say("note", place.note);
    this.#trial.open(place);
    this.typed();
  }

  // The test that was open here before the page was loaded anew.
  #resume() {
    const kept = sessionStorage.getItem(KEY + this.#pane.dataset.begin);
    if (!kept) return;
    this.#open({ ...JSON.parse(kept), note: "" });
    this.#trial.soon(0);
  }

  // It was erased meanwhile; the next line begins another.
  #forget() {
    sessionStorage.removeItem(KEY + this.#pane.dataset.begin);
    this.#trial.close();
    this.#place = null;
    this.typed();
  }

  #say(name, words) {
    const place = this.#part(name);
    place.hidden = !words;
    place.textContent = words;
  }

  #followed(way) {
    const before = this.#way?.now;
    this.#way = way.flow === this.#flow && (way.now || way.done.length) ? way : null;
    this.follow({ look: true });
    if (this.#way?.now && this.#way.now !== before && this.#pane.contains(document.activeElement)) this.#told.stands(this.#way.now);
  }
}
