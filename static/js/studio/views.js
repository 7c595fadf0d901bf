// The two views of what is edited: its fields, or its YAML text. Which one an author used is kept in the browser.

const STORAGE_KEY = "soni_editor_view";
const NARROW_SCREEN = matchMedia("(width < 760px)");
const WIDE_SCREEN = matchMedia("(width >= 1280px)");

export class EditorViews {
  #pane; #links; #page; #chosen = localStorage.getItem(STORAGE_KEY);

  /** `shown(view)` hears which view is shown: "fields" or "yaml". */
  constructor(root, { shown }) {
    this.#pane = root.querySelector("[data-views]");
    this.#page = { shown };
    for (const button of this.#pane.querySelectorAll("[data-view]")) {
      button.addEventListener("click", () => this.#choose(button.dataset.view));
    }
    this.#links = root.querySelectorAll(".panes a");
    for (const link of this.#links) {
      if (link.dataset.opens) link.addEventListener("click", () => this.#choose(link.dataset.opens));
    }
    addEventListener("hashchange", () => this.#markLinks());
    NARROW_SCREEN.addEventListener("change", () => this.#markLinks());
    this.show(this.#chosen ?? this.#pane.dataset.first);
  }

  get view() {
    return this.#pane.dataset.views;
  }

  /** Show one of the views, as long as the page is open. */
  show(view) {
    this.#pane.dataset.views = view;
    for (const button of this.#pane.querySelectorAll("[data-view]")) {
      button.setAttribute("aria-pressed", String(button.dataset.view === view));
    }
    this.#pane.querySelector("[data-panel]").inert = view !== "fields";
    for (const part of this.#pane.querySelectorAll("[data-of-yaml]")) part.inert = view === "fields";
    this.#markLinks();
    this.#page.shown(view);
  }

  /** Show the fields of a selected step, unless the author prefers the text. Returns whether they are shown. */
  openFields() {
    if (this.#chosen !== "yaml") this.#choose("fields");
    if (this.view === "fields" && !WIDE_SCREEN.matches) location.hash = "source";
    return this.view === "fields";
  }

  /** On a narrow screen lead back from the fields to the list of steps. */
  closeOnPhone() {
    if (NARROW_SCREEN.matches) location.hash = "graph";
  }

  // On a narrow screen the links above show one pane: that of the address, else the first. On a wider one the graph is
  // always shown, and the first pane beside it is the source.
  #markLinks() {
    const links = [...this.#links].filter(link => NARROW_SCREEN.matches || link.hash !== "#graph");
    const shown = (links.find(link => link.hash === location.hash) ?? links[0])?.hash;
    for (const link of this.#links) {
      const isShown = link.hash === shown && [undefined, this.view].includes(link.dataset.opens);
      if (isShown) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  #choose(view) {
    this.#chosen = view;
    localStorage.setItem(STORAGE_KEY, view);
    this.show(view);
  }
}
