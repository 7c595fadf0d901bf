// Draws the list of steps that the server rendered as a graph: the same buttons, placed, with lines between them. On a
// narrow screen the list stays a list.
import { layout, SIZE } from "./layout.js";
import { roundedPath } from "./route.js";

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const NARROW_SCREEN = matchMedia("(width < 760px)");
const ZOOM_LEVELS = [.4, .55, .7, .815, 1, 1.25];
const MIN_ZOOM = .4;
const MIN_ZOOM_TO_FIT_HEIGHT = .85; // a long flow is scrolled rather than made so small that it is hard to read
const FIT_MARGIN = { width: 32, height: 90 }; // in pixels: the padding, and the tools below the graph
const STEP_ANCHOR = "#step-";

const placements = new WeakMap(); // by graph, what `layout` returned for it
let markerCount = 0;

const firstGraph = document.querySelector("[data-graph]");
if (firstGraph) startGraph(firstGraph);

/**
 * Draw a graph and watch it. `graph` is the list of steps, in the order of the flow's text; a page that replaces the
 * list starts the new one.
 */
export function startGraph(graph, data = JSON.parse(document.getElementById("graph-data").textContent)) {
  updateGraph(graph, data);
  NARROW_SCREEN.addEventListener("change", () => drawGraph(graph));
  const resized = new ResizeObserver(() => NARROW_SCREEN.matches || fitGraph(graph));
  resized.observe(graph.parentElement);
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => zoomGraph(graph, button.dataset.zoom));
  }
  graph.addEventListener("click", event => selectStep(event.target.closest("[data-step]")));
  if (location.hash.startsWith(STEP_ANCHOR)) {
    const name = location.hash.slice(STEP_ANCHOR.length);
    selectStep(graph.querySelector(`[data-step="${CSS.escape(name)}"]`));
  }
}

/** Draw a graph whose list holds other steps now. `data` is `{nodes, edges}`. */
export function updateGraph(graph, { nodes, edges }) {
  placements.set(graph, layout(nodes, edges, SIZE, labelRuler()));
  removeLines(graph);
  drawGraph(graph);
}

function drawGraph(graph) {
  if (NARROW_SCREEN.matches) showAsList(graph);
  else placeSteps(graph);
}

function showAsList(graph) {
  graph.classList.remove("graph");
  removeLines(graph);
  for (const step of graph.querySelectorAll("[data-step]")) step.removeAttribute("style");
  graph.removeAttribute("style");
}

function placeSteps(graph) {
  const placement = placements.get(graph);
  graph.classList.add("graph");
  Object.assign(graph.style, { width: `${placement.width}px`, height: `${placement.height}px` });
  for (const { id, x, y, height } of placement.nodes) {
    const step = graph.querySelector(`[data-step="${CSS.escape(id)}"]`);
    Object.assign(step.style, {
      left: `${x - SIZE.width / 2}px`, top: `${y - height / 2}px`, height: `${height}px`,
    });
  }
  if (!graph.querySelector(".edges")) graph.prepend(linesElement(placement));
  fitGraph(graph);
}

function removeLines(graph) {
  graph.querySelector(".edges")?.parentElement.remove();
}

// A list item, because only those may stand in a list; hidden, because each step's text names its ways on.
function linesElement({ edges, width, height }) {
  const item = document.createElement("li");
  item.setAttribute("aria-hidden", "true");
  const svg = svgElement("svg", { class: "edges", width, height });
  const markerId = `tip-${(markerCount += 1)}`; // ids are unique in the page, which may have two graphs
  const definitions = svgElement("defs");
  definitions.append(arrowHead(markerId));
  svg.append(definitions, ...edges.map(edge => edgePath(edge, markerId)));
  item.append(svg, ...edges.filter(edge => edge.label).map(labelElement));
  return item;
}

function arrowHead(id) {
  const marker = svgElement("marker", {
    id, viewBox: "0 0 8 8", refX: 7.4, refY: 4, markerWidth: 8, markerHeight: 8,
    markerUnits: "userSpaceOnUse", orient: "auto",
  });
  marker.append(svgElement("path", { d: "M0 .5 7.6 4 0 7.5z" }));
  return marker;
}

function edgePath({ from, to, way = "", points }, markerId) {
  return svgElement("path", {
    d: roundedPath(points), "marker-end": `url(#${markerId})`, "data-from": from, "data-to": to, "data-way": way,
  });
}

function labelElement({ label, labelWidth, labelPoint: [x, y], from, to, way = "" }) {
  const element = document.createElement("span");
  element.className = "case-label";
  element.textContent = label;
  element.title = label;
  Object.assign(element.dataset, { from, to, way });
  Object.assign(element.style, { left: `${x}px`, top: `${y}px`, maxWidth: `${labelWidth}px` });
  return element;
}

// Returns a function that measures a label in the font of the style sheet, in pixels.
function labelRuler() {
  const context = document.createElement("canvas").getContext("2d");
  context.font = `540 11.5px ${getComputedStyle(document.body).fontFamily}`;
  return text => Math.ceil(context.measureText(text).width);
}

function svgElement(name, attributes = {}) {
  const element = document.createElementNS(SVG_NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function fitGraph(graph) {
  if (graph.dataset.zoomed) return; // the person has chosen a size
  const { width, height } = placements.get(graph);
  const { clientWidth, clientHeight } = graph.parentElement;
  const widthZoom = (clientWidth - FIT_MARGIN.width) / width;
  const heightZoom = Math.max(MIN_ZOOM_TO_FIT_HEIGHT, (clientHeight - FIT_MARGIN.height) / height);
  graph.style.setProperty("--zoom", Math.max(MIN_ZOOM, Math.min(1, widthZoom, heightZoom)));
}

// `direction` is "in", "out" or "fit".
function zoomGraph(graph, direction) {
  if (direction === "fit") {
    delete graph.dataset.zoomed;
    return fitGraph(graph);
  }
  const zoom = Number(graph.style.getPropertyValue("--zoom"));
  const larger = ZOOM_LEVELS.find(level => level > zoom + .01);
  const smaller = ZOOM_LEVELS.findLast(level => level < zoom - .01);
  graph.dataset.zoomed = "yes";
  graph.style.setProperty("--zoom", (direction === "in" ? larger : smaller) ?? zoom);
}

/** Select a step: show its line of the text and, unless the graph follows a test, the edges that leave it. */
export function selectStep(step) {
  if (!step) return;
  const line = document.getElementById(`line-${step.dataset.line}`);
  for (const selectedLine of document.querySelectorAll(".source .marked")) selectedLine.classList.remove("marked");
  for (const selected of document.querySelectorAll("[data-step][aria-current]")) deselectStep(selected);
  if (!step.closest(".followed")) highlightEdges(document, ({ from }) => from === step.dataset.step);
  step.setAttribute("aria-current", "true");
  line?.classList.add("marked");
  line?.scrollIntoView({ block: "center" });
  step.scrollIntoView({ block: "nearest" });
}

/** Select no step. */
export function clearSelection(graph) {
  const selectedSteps = graph.querySelectorAll("[data-step][aria-current]");
  for (const selected of selectedSteps) deselectStep(selected);
  if (selectedSteps.length && !graph.matches(".followed")) highlightEdges(graph, () => false);
}

function deselectStep(step) {
  if (step.classList.contains("now")) step.setAttribute("aria-current", "step");
  else step.removeAttribute("aria-current");
}

/** Highlight the edges below `root` for which `isHighlighted({from, to})` holds. */
export function highlightEdges(root, isHighlighted) {
  for (const element of root.querySelectorAll(".edges > path, .case-label")) {
    const isOn = isHighlighted(element.dataset);
    element.classList.toggle("active", isOn);
    // Drawn last it lies above the other lines, with which it may run to one step.
    if (isOn && element.tagName === "path") element.parentNode.append(element);
  }
}
