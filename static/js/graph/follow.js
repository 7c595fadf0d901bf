// Shows on a graph where a test stands: the steps that it passed, the one where it is now, and the arrows that it went.
import { light } from "./draw.js";

/** `way` is `{done: [step], now: step, taken: [[from, to]]}`; without one nothing is followed. `look` brings the step where it is into sight. */
export function follow(graph, way, { look = true } = {}) {
  const { done, now, taken } = way ?? { done: [], now: "", taken: [] };
  const went = new Set(taken.map(([from, to]) => `${from} ${to}`));
  graph.classList.toggle("followed", Boolean(way));
  for (const step of graph.querySelectorAll("[data-step]")) mark(step, done, now);
  light(graph, ({ from, to }) => went.has(`${from} ${to}`));
  if (look) graph.querySelector(".node.now")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function mark(step, done, now) {
  const here = step.dataset.step === now, current = step.getAttribute("aria-current");
  step.classList.toggle("done", done.includes(step.dataset.step));
  step.classList.toggle("now", here);
  if (here && current !== "true") step.setAttribute("aria-current", "step");
  if (!here && current === "step") step.removeAttribute("aria-current");
}
