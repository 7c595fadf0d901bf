// Opens and closes gates without loading the page again: the list keeps its scroll position, and the address follows.
// Links still work as links: with a modifier key, without scripts, and when the server answers with another page.
import { refreshTimes } from "../shared/clocks.js";
import { GatePane } from "./gate_pane.js";
import { watchTableRows } from "./table_rows.js";

const SKELETON_AFTER_MS = 300;
const GATE_PATH = /\/gates\/g\d+\/$/;
const GATE_LINKS = ".queue a[data-row], .acts a[data-key=n], .queue a[data-key=n], .decision a.link";
const CLOSE_LINK = ".back-link";
const board = document.querySelector("[data-gates]");
let openPane = null; // a GatePane
let request = null; // the AbortController of the gate that is being fetched
const listQuery = location.search; // the filters of the list beside the gate
let openPath = location.pathname;

/** Show the gate that came with the page, and follow the links to others. */
export function watchGateLinks() {
  if (!board) return;
  showPane();
  document.addEventListener("click", followLink, { capture: true }); // before the listeners for real navigation
  addEventListener("popstate", () => showAddress());
}

function followLink(event) {
  if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const link = event.target.closest?.("a[href]");
  if (!link || !board.contains(link)) return;
  if (link.matches(CLOSE_LINK)) {
    event.preventDefault();
    closeGate();
  } else if (link.matches(GATE_LINKS)) {
    event.preventDefault();
    const url = new URL(link.href);
    if (link.matches("[data-row]")) url.search = listQuery;
    openGate(url);
  }
}

// The address was changed by Back or Forward. Another view of the list is another page.
function showAddress() {
  if (location.search !== listQuery) return location.reload();
  if (location.pathname === openPath) return; // a place on the same page, such as #context
  if (GATE_PATH.test(location.pathname)) openGate(new URL(location.href), { isNew: false });
  else closeGate({ isNew: false });
}

async function openGate(url, { isNew = true } = {}) {
  request?.abort();
  request = new AbortController();
  const { signal } = request;
  const timer = setTimeout(() => showSkeleton(), SKELETON_AFTER_MS);
  markRow(url.pathname);
  openPath = url.pathname;
  try {
    const headers = { "hx-request": "true", "hx-target": "case" };
    const response = await fetch(url, { headers, signal });
    const text = await response.text();
    if (signal.aborted) return;
    const page = new DOMParser().parseFromString(text, "text/html");
    const pane = page.getElementById("case");
    if (!response.ok || !pane?.dataset.gate) return location.assign(response.url || url); // an error, a chat, the list
    const shownUrl = new URL(response.url);
    shownUrl.search = listQuery;
    replacePane(pane, page.getElementById("context"));
    if (isNew && shownUrl.href !== location.href) history.pushState(null, "", shownUrl);
    openPath = shownUrl.pathname;
    markRow(openPath);
    announce(page.title);
  } catch (error) {
    if (error.name !== "AbortError") location.assign(url);
  } finally {
    clearTimeout(timer);
  }
}

function closeGate({ isNew = true } = {}) {
  request?.abort();
  const row = document.querySelector(".queue [data-row][aria-current]");
  const { list, listTitle } = board.dataset;
  replacePane(document.getElementById("no-gate").content.firstElementChild.cloneNode(true));
  if (isNew) history.pushState(null, "", `${list}${listQuery}`);
  openPath = list;
  markRow("");
  announce(listTitle);
  (row ?? document.querySelector(".queue [data-row]"))?.focus();
}

function replacePane(pane, context = null) {
  openPane?.dispose();
  openPane = null;
  document.getElementById("context")?.remove();
  document.getElementById("case").replaceWith(pane);
  if (context) pane.after(context);
  board.classList.toggle("detail-open", context !== null || pane.ariaBusy === "true");
  for (const part of [pane, context]) if (part) htmx.process(part);
  refreshTimes(board);
  showPane();
}

function showPane() {
  const pane = board.querySelector("[data-gate]");
  if (!pane) return;
  watchTableRows(pane);
  openPane = new GatePane(pane);
  openPane.start();
}

// The list says at once which gate was chosen; the gate before it is left only when the server takes long.
function showSkeleton() {
  const skeleton = document.getElementById("gate-skeleton").content.firstElementChild.cloneNode(true);
  replacePane(skeleton);
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
