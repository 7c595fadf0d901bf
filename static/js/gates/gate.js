// The page of one gate.
import { GatePane } from "./gate_pane.js";

const pane = document.querySelector("[data-gate]");

if (pane) new GatePane(pane).start();
