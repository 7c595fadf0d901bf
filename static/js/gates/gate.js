// The page of one gate.
import { GatePane } from "./gate_pane.js";
import { watchTableRows } from "./table_rows.js";

const pane = document.querySelector("[data-gate]");

if (pane) {
  watchTableRows(pane);
  new GatePane(pane).start();
}
