// Opens and closes what a list leads to without loading the page again: the list keeps its scroll position, and the
// address follows. Links still work as links: with a modifier key, without scripts, and when the server answers with
// another page.
import { refreshTimes } from "./clocks.js";

const SKELETON_AFTER_MS = 300;
const RETRY_DELAY_MS = 2_000;
const AWAY_STATUSES = new Set([502, 503, 504]); // of a server that is started again, or of a proxy before it
const CLOSE_LINK = ".back-link";

/** The pane beside a list, on a board with the templates `no-pane` and `pane-skeleton`. */
export class PaneLinks {
  #board; #path; #links; #paneKey; #showPane;
  #openPane = null; // what showPane() returned, with its method dispose()
  #request = null; // the AbortController of the pane that is being fetched
  #listQuery = location.search; // the filters of the list
  #openPath = location.pathname;

  /**
   * `board` has the addresses and titles of the list in its dataset. `path` is the pattern of the addresses that open
   * in the pane, `links` the selector of the links to them, `paneKey` the name in the pane's dataset that an open pane
   * has. `showPane(element, requestedAt)` starts a pane that was requested from the server at that moment
   * (performance.now()), and returns it.
   */
  constructor(board, { path, links, paneKey, showPane }) {
    this.#board = board;
    this.#path = path;
    this.#links = links;
    this.#paneKey = paneKey;
    this.#showPane = showPane;
  }

  /** Show the pane that came with the page, and follow the links to others. */
  watch() {
    this.#startPane();
    const follow = event => this.#followLink(event);
    document.addEventListener("click", follow, { capture: true }); // before the listeners for real navigation
    addEventListener("popstate", () => this.#showAddress());
  }

  #followLink(event) {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest?.("a[href]");
    if (!link || !this.#board.contains(link)) return;
    if (link.matches(CLOSE_LINK)) {
      event.preventDefault();
      this.#close();
    } else if (link.matches(this.#links) && this.#path.test(link.pathname) && !isPlaceOnPage(link)) {
      event.preventDefault();
      const url = new URL(link.href);
      if (link.matches("[data-row]")) url.search = this.#listQuery;
      this.#open(url);
    }
  }

  // The address was changed by Back or Forward. Another view of the list is another page.
  #showAddress() {
    if (location.search !== this.#listQuery) return location.reload();
    if (location.pathname === this.#openPath) return; // a place on the same page, such as #context
    if (this.#path.test(location.pathname)) this.#open(new URL(location.href), { isNew: false });
    else this.#close({ isNew: false });
  }

  async #open(url, { isNew = true } = {}) {
    this.#request?.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    const timer = setTimeout(() => this.#showSkeleton(), SKELETON_AFTER_MS);
    markRow(url.pathname);
    this.#openPath = url.pathname;
    try {
      const { response, text, requestedAt } = await this.#fetchPane(url, signal);
      const page = new DOMParser().parseFromString(text, "text/html");
      const pane = page.getElementById("case");
      // An error, another kind of page, or the list itself.
      if (!response.ok || !pane?.dataset[this.#paneKey]) return location.assign(response.url || url);
      const shownUrl = new URL(response.url);
      shownUrl.search = this.#listQuery;
      this.#replacePane(pane, page.getElementById("context"), requestedAt);
      if (isNew && shownUrl.href !== location.href) history.pushState(null, "", shownUrl);
      this.#openPath = shownUrl.pathname;
      markRow(this.#openPath);
      announce(page.title);
    } catch (error) {
      if (error.name !== "AbortError") location.assign(url);
    } finally {
      clearTimeout(timer);
    }
  }

  // Asks again while there is no connection: the browser's error page would take the place of what was typed here.
  async #fetchPane(url, signal) {
    const headers = { "hx-request": "true", "hx-target": "case" };
    for (;;) {
      const requestedAt = performance.now();
      const response = await fetch(url, { headers, signal }).catch(() => null);
      const text = await response?.text().catch(() => null) ?? null;
      signal.throwIfAborted();
      if (text !== null && !AWAY_STATUSES.has(response.status)) return { response, text, requestedAt };
      this.#showAway();
      await new Promise(resolve => { setTimeout(resolve, RETRY_DELAY_MS); });
      signal.throwIfAborted();
    }
  }

  #close({ isNew = true } = {}) {
    this.#request?.abort();
    const row = document.querySelector(".queue [data-row][aria-current]");
    const { list, listTitle } = this.#board.dataset;
    this.#replacePane(document.getElementById("no-pane").content.firstElementChild.cloneNode(true));
    if (isNew) history.pushState(null, "", `${list}${this.#listQuery}`);
    this.#openPath = list;
    markRow("");
    announce(listTitle);
    (row ?? document.querySelector(".queue [data-row]"))?.focus();
  }

  #replacePane(pane, context = null, requestedAt = 0) {
    this.#openPane?.dispose();
    this.#openPane = null;
    document.getElementById("context")?.remove();
    document.getElementById("case").replaceWith(pane);
    if (context) pane.after(context);
    this.#board.classList.toggle("detail-open", context !== null || pane.ariaBusy === "true");
    for (const part of [pane, context]) if (part) htmx.process(part);
    refreshTimes(this.#board);
    this.#startPane(requestedAt);
  }

  #startPane(requestedAt = 0) {
    const pane = document.getElementById("case");
    if (pane?.dataset[this.#paneKey]) this.#openPane = this.#showPane(pane, requestedAt);
  }

  // The list says at once which row was chosen; the pane before it is left only when the server takes long.
  #showSkeleton() {
    if (document.getElementById("case").ariaBusy === "true") return;
    this.#replacePane(document.getElementById("pane-skeleton").content.firstElementChild.cloneNode(true));
    const back = document.querySelector(`#case ${CLOSE_LINK}`);
    if (back?.checkVisibility()) back.focus(); // the list, and in it the row with the focus, has gone
  }

  #showAway() {
    this.#showSkeleton();
    const status = document.querySelector("#case > [role=status]");
    status.className = "box warm";
    status.textContent = status.dataset.away;
  }
}

function isPlaceOnPage(link) {
  return link.hash && link.pathname === location.pathname;
}

function markRow(pathname) {
  for (const row of document.querySelectorAll(".queue [data-row]")) {
    if (row.pathname === pathname) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

function announce(title) {
  document.dispatchEvent(new CustomEvent("soni:opened", { detail: { title } }));
}
