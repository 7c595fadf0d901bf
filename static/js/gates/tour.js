// The tour of the gate: a few steps above the conversation of the open gate. It never takes the focus by itself and
// covers nothing, so that the gate can be decided at any moment. Skip, Esc and the last step end it for good.
import { makeElement } from "../shared/elements.js";
import { fillPhrase } from "../shared/phrases.js";

const TARGET_CLASS = "tour-target";
const START_HASH = "#tour";
const template = document.getElementById("gate-tour");

class GateTour {
  #pane = null; // the element of the open gate
  #section = null; // the tour's element in it
  #steps = []; // the elements of the steps whose targets the gate has
  #index = 0;
  #isRunning = "begins" in template.dataset;

  constructor() {
    document.addEventListener("click", event => this.#startOnLink(event));
    document.addEventListener("keydown", event => this.#endOnEscape(event), { capture: true });
    document.addEventListener("htmx:afterSwap", ({ detail }) => detail.target.id === "card" && this.#cardReplaced());
    if (location.hash !== START_HASH) return;
    history.replaceState(null, "", location.pathname + location.search);
    this.#isRunning = true;
    if (!document.querySelector("[data-gate]")) this.#sayThatItWaits();
  }

  /** Go on in this gate, from the step at which the tour was in the gate before it. */
  show(pane) {
    this.#pane = pane;
    this.#section = null;
    if (this.#isRunning && pane.querySelector("form#card")) this.#insert();
  }

  #startOnLink(event) {
    if (!event.target.closest?.("a[data-tour]") || !this.#pane?.isConnected) return;
    if (!this.#pane.querySelector("form#card")) return; // a decided gate: the link leads to one that waits
    event.preventDefault();
    event.target.closest("dialog")?.close();
    event.target.closest("details")?.removeAttribute("open");
    this.#section?.remove();
    this.#isRunning = true;
    this.#index = 0;
    this.#insert();
    this.#button("next").focus();
  }

  #sayThatItWaits() {
    document.querySelector("#case .empty")?.append(makeElement("p", "", template.dataset.waits));
  }

  #insert() {
    this.#section = template.content.firstElementChild.cloneNode(true);
    this.#steps = [...this.#section.querySelectorAll("[data-target]")].filter(step => this.#targetOf(step));
    this.#index = Math.min(this.#index, this.#steps.length - 1);
    this.#button("next").addEventListener("click", () => this.#goTo(this.#index + 1));
    this.#button("back").addEventListener("click", () => this.#goTo(this.#index - 1));
    this.#button("skip").addEventListener("click", () => this.#end());
    this.#pane.querySelector(".gate-work").before(this.#section);
    this.#showStep();
  }

  #button(name) { return this.#section.querySelector(`[data-tour-${name}]`); }

  #targetOf(step) {
    const isVisible = element => element.getClientRects().length > 0;
    return [...this.#pane.querySelectorAll(step.dataset.target)].find(isVisible);
  }

  #goTo(index) {
    if (index === this.#steps.length) return this.#end();
    this.#index = index;
    if (index === 0) this.#button("next").focus(); // "Back" goes away
    this.#showStep();
    this.#targetOf(this.#steps[index])?.scrollIntoView({ block: "nearest" });
  }

  #showStep() {
    const step = this.#steps[this.#index], isLast = this.#index === this.#steps.length - 1;
    const place = `${fillPhrase(template.dataset.place, this.#index + 1)} ${this.#steps.length}`;
    const words = [...step.childNodes].map(node => node.cloneNode(true));
    // A frame later, because a screen reader announces what changes in a live region and not a region that comes.
    const status = this.#section.querySelector("[role=status]");
    requestAnimationFrame(() => status.replaceChildren(makeElement("small", "", place), ...words));
    this.#button("next").textContent = isLast ? template.dataset.done : template.dataset.next;
    this.#button("back").hidden = this.#index === 0;
    this.#mark();
  }

  #mark() {
    for (const element of this.#pane.querySelectorAll(`.${TARGET_CLASS}`)) element.classList.remove(TARGET_CLASS);
    if (this.#section) this.#targetOf(this.#steps[this.#index])?.classList.add(TARGET_CLASS);
  }

  // The first decision shows that the tour is not needed any more.
  #cardReplaced() {
    if (!this.#section) return;
    if (this.#pane.querySelector("form#card")) this.#mark();
    else this.#end();
  }

  // Before the page's own Esc, which leaves the gate. An open dialog or menu has the key first.
  #endOnEscape(event) {
    if (event.key !== "Escape" || !this.#section?.isConnected) return;
    if (document.querySelector("dialog[open], details[data-menu][open]")) return;
    event.preventDefault();
    event.stopPropagation();
    this.#end();
  }

  #end() {
    const form = this.#section.querySelector("form");
    const hadFocus = this.#section.contains(document.activeElement);
    fetch(form.action, { method: "POST", body: new FormData(form) }).catch(() => {}); // shown once more at worst
    this.#section.remove();
    this.#section = null;
    this.#isRunning = false;
    this.#index = 0;
    this.#mark();
    if (hadFocus) this.#pane.querySelector("#card-title")?.focus({ preventScroll: true });
  }
}

const tour = template ? new GateTour() : null;

/** Show the tour in the gate that was opened, for people who have not ended it. */
export function showTour(pane) {
  tour?.show(pane);
}
