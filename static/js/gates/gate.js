// The page of gates: one gate is open at a time, and opening another one changes the pane only.
import { watchGateLinks } from "./gate_links.js";

watchGateLinks();
