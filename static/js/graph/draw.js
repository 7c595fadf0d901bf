// Draws the list of steps that the server rendered as a graph: the same buttons, placed, with lines between them. On a phone
// the list stays a list.
import { layout, SIZE } from "./layout.js";
import { rounded } from "./route.js";

const SVG = "http://www.w3.org/2000/svg";
const NARROW = matchMedia("(width < 760px)");
const ZOOMS = [.4, .55, .7, .815, 1, 1.25];

const PLACED = new WeakMap();
let drawn = 0;

const list = document.querySelector("[data-graph]");
if (list) start(list);

// `graph` is the list of steps, in the page's own order; a page that shows another flow later starts it again.
export function start(graph, data = JSON.parse(document.getElementById("graph-data").textContent)) {
  update(graph, data);
  NARROW.addEventListener("change", () => draw(graph));
  new ResizeObserver(() => NARROW.matches || fit(graph, PLACED.get(graph))).observe(graph.parentElement);
  for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => zoom(graph, PLACED.get(graph), button.dataset.zoom));
  graph.addEventListener("click", event => show(event.target.closest("[data-step]")));
  if (location.hash.startsWith("#step-")) show(graph.querySelector(`[data-step="${CSS.escape(location.hash.slice(6))}"]`));
}

// The list holds other steps now.
export function update(graph, { nodes, edges }) {
  PLACED.set(graph, layout(nodes, edges, SIZE, labelRuler()));
  graph.querySelector(".edges")?.parentElement.remove();
  draw(graph);
}

function draw(graph) {
  if (NARROW.matches) undraw(graph);
  else place(graph, PLACED.get(graph));
}

function undraw(graph) {
  graph.classList.remove("graph");
  graph.querySelector(".edges")?.parentElement.remove();
  for (const item of graph.querySelectorAll("[data-step]")) item.removeAttribute("style");
  graph.removeAttribute("style");
}

function place(graph, placed) {
  graph.classList.add("graph");
  Object.assign(graph.style, { width: `${placed.width}px`, height: `${placed.height}px` });
  for (const node of placed.nodes) {
    const button = graph.querySelector(`[data-step="${CSS.escape(node.id)}"]`);
    Object.assign(button.style, { left: `${node.x - SIZE.width / 2}px`, top: `${node.y - node.height / 2}px`, height: `${node.height}px` });
  }
  if (!graph.querySelector(".edges")) graph.prepend(lines(placed));
  fit(graph, placed);
}

function lines({ edges, width, height }) {
  const item = document.createElement("li");
  item.setAttribute("aria-hidden", "true");
  const svg = svgElement("svg", { class: "edges", width, height });
  const tip = `tip-${(drawn += 1)}`;
  const marker = svgElement("marker", { id: tip, viewBox: "0 0 8 8", refX: 7.4, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" });
  marker.append(svgElement("path", { d: "M0 .5 7.6 4 0 7.5z" }));
  svg.append(svgElement("defs"), ...edges.map(edge => svgElement("path", { d: rounded(edge.points), "marker-end": `url(#${tip})`, "data-from": edge.from, "data-to": edge.to })));
  svg.firstChild.append(marker);
  item.append(svg, ...edges.filter(edge => edge.label).map(label));
  return item;
}

function label({ label: text, labelWidth, spot, from, to }) {
  const element = document.createElement("span");
  element.className = "case-label";
  element.textContent = text;
  element.title = text;
  Object.assign(element.dataset, { from, to });
  Object.assign(element.style, { left: `${spot[0]}px`, top: `${spot[1]}px`, maxWidth: `${labelWidth}px` });
  return element;
}

// Measures a label's words as the style sheet writes them.
function labelRuler() {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `540 11.5px ${getComputedStyle(document.body).fontFamily}`;
  return text => Math.ceil(pen.measureText(text).width);
}

function svgElement(name, attributes = {}) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function fit(graph, { width, height }) {
  if (graph.dataset.zoomed) return;
  const room = graph.parentElement;
  const scale = Math.min(1, (room.clientWidth - 32) / width, Math.max(.6, (room.clientHeight - 90) / height));
  graph.style.setProperty("--zoom", Math.max(.4, scale));
}

function zoom(graph, placed, way) {
  if (way === "fit") {
    delete graph.dataset.zoomed;
    return fit(graph, placed);
  }
  const now = Number(graph.style.getPropertyValue("--zoom"));
  const next = way === "in" ? ZOOMS.find(each => each > now + .01) : ZOOMS.findLast(each => each < now - .01);
  graph.dataset.zoomed = "yes";
  graph.style.setProperty("--zoom", next ?? now);
}

// A step that is chosen shows its line of the text and, where no test is followed, its ways on.
export function show(step) {
  if (!step) return;
  const line = document.getElementById(`line-${step.dataset.line}`);
  for (const each of document.querySelectorAll(".source .at")) each.classList.remove("at");
  for (const each of document.querySelectorAll("[data-step][aria-current]")) unchoose(each);
  if (!step.closest(".followed")) light(document, ({ from }) => from === step.dataset.step);
  step.setAttribute("aria-current", "true");
  line?.classList.add("at");
  line?.scrollIntoView({ block: "center" });
  step.scrollIntoView({ block: "nearest" });
}

/** Lights the ways that `chosen` picks by `{from, to}`; they lie over the others, with which they may run to one step. */
export function light(root, chosen) {
  for (const each of root.querySelectorAll(".edges > path, .case-label")) {
    const on = chosen(each.dataset);
    each.classList.toggle("on", on);
    if (on && each.tagName === "path") each.parentNode.append(each);
  }
}

function unchoose(step) {
  if (step.classList.contains("now")) step.setAttribute("aria-current", "step");
  else step.removeAttribute("aria-current");
}
