// Gates open beside their queue without a load of the page.
import { PaneLinks } from "../shared/pane_links.js";
import { GatePane } from "./gate_pane.js";
import { watchTableRows } from "./table_rows.js";
import { showTour } from "./tour.js";

const GATE_PATH = /\/gates\/(g\d+|next)\/$/; // "next" leads to a gate, or to the list

/** Show the gate that came with the page, and follow the links to others. */
export function watchGateLinks() {
  const board = document.querySelector("[data-gates]");
  if (!board) return;
  new PaneLinks(board, {
    path: GATE_PATH,
    links: ".queue a[data-row], .acts a[data-key=n], .queue a[data-key=n], .decision a.link",
    paneKey: "gate",
    showPane: startPane,
  }).watch();
}

function startPane(element, requestedAt) {
  watchTableRows(element);
  const pane = new GatePane(element, requestedAt);
  pane.start();
  showTour(element);
  return pane;
}
