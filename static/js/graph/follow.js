// Shows on a graph where a test conversation is: the steps that it has passed, the present one, and the edges between.
import { highlightEdges } from "./draw.js";

/**
 * `progress` is `{done: [step], now: step, taken: [[from, to]]}`; without one the graph shows no test. `scroll`
 * brings the present step into sight.
 */
export function showProgress(graph, progress, { scroll = true } = {}) {
  const { done, now, taken } = progress ?? { done: [], now: "", taken: [] };
  const takenEdges = new Set(taken.map(([from, to]) => `${from} ${to}`));
  graph.classList.toggle("followed", Boolean(progress));
  for (const step of graph.querySelectorAll("[data-step]")) markStep(step, done, now);
  highlightEdges(graph, ({ from, to }) => takenEdges.has(`${from} ${to}`));
  if (scroll) graph.querySelector(".node.now")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// The selected step keeps aria-current="true"; the present step has "step".
function markStep(step, done, now) {
  const isNow = step.dataset.step === now, current = step.getAttribute("aria-current");
  step.classList.toggle("done", done.includes(step.dataset.step));
  step.classList.toggle("now", isNow);
  if (isNow && current !== "true") step.setAttribute("aria-current", "step");
  if (!isNow && current === "step") step.removeAttribute("aria-current");
}
