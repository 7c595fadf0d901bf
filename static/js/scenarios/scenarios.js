// The page of scenarios: while they run its parts are fetched again, and the graph shows which edges the scenarios
// took.
import { startGraph } from "../graph/draw.js";

const REFRESH_INTERVAL_MS = 900;
const NARROW_SCREEN = "(width < 760px)";
const page = document.getElementById("main");

// An edge is solid that the selected turn took, dashed that it was expected to take, and pale that any scenario took.
function markEdges() {
  const data = document.getElementById("graph-data");
  if (!data) return;
  const { went, got, want } = JSON.parse(data.textContent);
  const takenEdges = new Set(went.map(([from, to]) => `${from} ${to}`));
  for (const edge of page.querySelectorAll(".edges > path, .case-label")) {
    const { from, to } = edge.dataset;
    edge.classList.toggle("executed", takenEdges.has(`${from} ${to}`));
    edge.classList.toggle("actual", from === got[0] && to === got[1]);
    edge.classList.toggle("expected", from === want[0] && to === want[1]);
  }
  for (const step of page.querySelectorAll("[data-graph] [data-step]")) {
    step.classList.toggle("marked", step.dataset.step === got[0]);
  }
}

async function refresh() {
  try {
    const response = await fetch(location.href);
    if (response.ok) showResults(new DOMParser().parseFromString(await response.text(), "text/html"));
  } catch { /* The next refresh tries again. */ }
  if ("running" in page.dataset) setTimeout(refresh, REFRESH_INTERVAL_MS);
}

function showResults(newPage) {
  for (const newPart of newPage.querySelectorAll("[data-part]")) {
    replacePart(page.querySelector(`[data-part="${newPart.dataset.part}"]`), newPart);
  }
  if (!("running" in newPage.getElementById("main").dataset)) delete page.dataset.running;
}

// The rows are the same ones in the same order, so that the scroll position and the focus can stay.
function replacePart(part, newPart) {
  if (!part || comparableHtml(part) === comparableHtml(newPart)) return;
  const scrollTop = part.querySelector(".scroll")?.scrollTop ?? 0;
  const focusedLink = part.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const graph = part.querySelector("[data-graph]");
  if (graph && graph.dataset.name === newPart.querySelector("[data-graph]")?.dataset.name) {
    return updateCoverage(part, newPart);
  }
  part.replaceChildren(...newPart.childNodes);
  const scroller = part.querySelector(".scroll");
  if (scroller) scroller.scrollTop = scrollTop;
  if (focusedLink) part.querySelector(`[href="${CSS.escape(focusedLink)}"]`)?.focus({ preventScroll: true });
  const newGraph = part.querySelector("[data-graph]");
  if (newGraph) startGraph(newGraph);
  markEdges();
}

// The token differs in each response.
function comparableHtml(part) {
  return part.innerHTML.replace(/name="csrfmiddlewaretoken" value="[^"]*"/g, "");
}

// The graph shows the same flow, so only the numbers, the marks and the sum are replaced, and the zoom stays.
function updateCoverage(part, newPart) {
  for (const newStep of newPart.querySelectorAll("[data-step]")) {
    const step = part.querySelector(`[data-step="${CSS.escape(newStep.dataset.step)}"]`);
    step?.querySelector(".runs").replaceWith(newStep.querySelector(".runs"));
    step?.classList.toggle("unreached", newStep.classList.contains("unreached"));
  }
  for (const selector of ["#graph-data", ".run-summary"]) {
    part.querySelector(selector).replaceWith(newPart.querySelector(selector));
  }
  markEdges();
}

page.querySelector("[data-flow]")?.addEventListener("change", event => event.target.form.submit());
// The graph is drawn again when the screen becomes wide, and the marks with it.
matchMedia(NARROW_SCREEN).addEventListener("change", () => requestAnimationFrame(markEdges));
markEdges();
if ("running" in page.dataset) setTimeout(refresh, REFRESH_INTERVAL_MS);
