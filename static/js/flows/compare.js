// Two graphs beside each other: drawn as the flow's own is, with the ways that only one of them has marked.
import { show, start } from "../graph/draw.js";

const graphs = [...document.querySelectorAll("[data-side]")];
const data = new Map(graphs.map(graph => [graph, JSON.parse(document.getElementById(`graph-${graph.dataset.side}`).textContent)]));
const wayOf = ({ from, to, label }) => JSON.stringify([from, to, label]);
const ways = new Map(graphs.map(graph => [graph, new Set(data.get(graph).edges.map(wayOf))]));

// What is chosen on one side is shown on the other too.
function follow(graph, step) {
  const other = graphs.find(each => each !== graph)?.querySelector(`[data-step="${CSS.escape(step.dataset.step)}"]`);
  if (other) show(other);
  step.setAttribute("aria-current", "true");
}

function mark(graph) {
  const others = graphs.filter(each => each !== graph).map(each => ways.get(each));
  const only = new Set(data.get(graph).edges.filter(edge => others.some(known => !known.has(wayOf(edge)))).map(({ from, to }) => `${from} ${to}`));
  for (const drawn of graph.querySelectorAll(".edges > path, .case-label")) drawn.classList.toggle(graph.dataset.side === "old" ? "gone" : "added", only.has(`${drawn.dataset.from} ${drawn.dataset.to}`));
}

for (const graph of graphs) {
  start(graph, data.get(graph));
  mark(graph);
  graph.addEventListener("click", event => event.target.closest("[data-step]") && follow(graph, event.target.closest("[data-step]")));
}
matchMedia("(width < 760px)").addEventListener("change", () => requestAnimationFrame(() => graphs.forEach(mark)));
