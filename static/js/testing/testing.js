// The test console: a test conversation, and beside it the graph that follows it.
import { startGraph } from "../graph/draw.js";
import { showProgress } from "../graph/follow.js";
import { TestConversation } from "./test_conversation.js";

const NARROW_SCREEN = "(width < 760px)";
const page = document.getElementById("main");
const flowSelect = page.querySelector("[data-flow]");
const conversation = new TestConversation(page, {
  shownFlow: () => flowSelect.value, progressChanged: showOnGraph, replaceSteps,
});

// While the graph shows the same flow it stays as it is drawn and zoomed.
function replaceSteps(part, newPart) {
  if (graphName(part) === graphName(newPart)) {
    part.querySelector("#graph-data").replaceWith(newPart.querySelector("#graph-data"));
    return;
  }
  part.replaceChildren(...newPart.childNodes);
  const graph = part.querySelector("[data-graph]");
  if (graph) startGraph(graph);
}

function graphName(part) {
  return part.querySelector("[data-graph]")?.dataset.name;
}

function showOnGraph(progress) {
  const graph = page.querySelector("[data-graph]");
  if (graph) showProgress(graph, progress);
}

function showPageProgress() {
  const data = document.getElementById("graph-data");
  if (data) showOnGraph(JSON.parse(data.textContent));
}

conversation.open(page.dataset);
flowSelect.addEventListener("change", () => conversation.refreshSoon(0));
// The graph is drawn again when the screen becomes wide, and the marks with it.
matchMedia(NARROW_SCREEN).addEventListener("change", () => requestAnimationFrame(showPageProgress));
showPageProgress();
conversation.scrollToEnd();
conversation.focus();
