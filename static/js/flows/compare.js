// Two versions of a flow beside each other: both graphs are drawn, and the edges that only one of them has are marked.
import { selectStep, startGraph } from "../graph/draw.js";

const NARROW_SCREEN = "(width < 760px)";
const graphs = [...document.querySelectorAll("[data-side]")];
const dataOf = new Map(graphs.map(graph => [graph, readData(`graph-${graph.dataset.side}`)]));

function readData(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

// An edge is the same in both versions when it leads from and to the same steps under the same label.
function edgeKey({ from, to, label }) {
  return JSON.stringify([from, to, label]);
}

function otherGraph(graph) {
  return graphs.find(other => other !== graph);
}

// A step that is selected on one side is selected on the other too, where it has it.
function selectOnOtherSide(graph, step) {
  const twin = otherGraph(graph)?.querySelector(`[data-step="${CSS.escape(step.dataset.step)}"]`);
  if (twin) selectStep(twin);
  step.setAttribute("aria-current", "true"); // selecting the twin has taken it away
}

function markChangedEdges(graph) {
  const other = otherGraph(graph);
  const otherEdges = new Set(other && dataOf.get(other).edges.map(edgeKey));
  const changed = dataOf.get(graph).edges.filter(edge => other && !otherEdges.has(edgeKey(edge)));
  const changedPairs = new Set(changed.map(({ from, to }) => `${from} ${to}`));
  const mark = graph.dataset.side === "old" ? "gone" : "added";
  for (const element of graph.querySelectorAll(".edges > path, .case-label")) {
    element.classList.toggle(mark, changedPairs.has(`${element.dataset.from} ${element.dataset.to}`));
  }
}

for (const graph of graphs) {
  startGraph(graph, dataOf.get(graph));
  markChangedEdges(graph);
  graph.addEventListener("click", event => {
    const step = event.target.closest("[data-step]");
    if (step) selectOnOtherSide(graph, step);
  });
}
// The graph is drawn again when the screen becomes wide, and the marks with it.
matchMedia(NARROW_SCREEN).addEventListener("change", () => {
  requestAnimationFrame(() => graphs.forEach(markChangedEdges));
});
