// The test console: a test conversation, and the graph that follows it.
import { start } from "../graph/draw.js";
import { follow } from "../graph/follow.js";
import { Trial } from "./test_conversation.js";

const page = document.getElementById("main");
const flow = page.querySelector("[data-flow]");

const trial = new Trial(page, { flow: () => flow.value, steps, followed });

function steps(old, part) {
  if (sameFlow(old, part)) return old.querySelector("#graph-data").replaceWith(part.querySelector("#graph-data"));
  old.replaceChildren(...part.childNodes);
  const graph = old.querySelector("[data-graph]");
  if (graph) start(graph);
}

function sameFlow(old, part) {
  return old.querySelector("[data-graph]")?.dataset.name === part.querySelector("[data-graph]")?.dataset.name;
}

function followed(way) {
  const graph = page.querySelector("[data-graph]");
  if (graph) follow(graph, way);
}

function followAgain() {
  const data = document.getElementById("graph-data");
  if (data) followed(JSON.parse(data.textContent));
}

trial.open(page.dataset);
flow.addEventListener("change", () => trial.soon(0));
matchMedia("(width < 760px)").addEventListener("change", () => requestAnimationFrame(followAgain));
followAgain();
trial.end();
trial.focus();
