// Dragging on the graph: a step to another place in its list, or a line from a step to the step where an edge shall
// lead. Everything that is done here can also be done with the keyboard and the tools. A touch scrolls and drags
// nothing.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const MIN_DRAG_PIXELS = 6; // a shorter movement is a click
const SCROLL_ZONE_PIXELS = 28;
const SCROLL_STEP_PIXELS = 14;

export class Dragging {
  #graph; #page;
  #drag = null; // {step, isLine, x, y, pointer, hasBegun, line, target, isAbove} between pressing and releasing

  /**
   * `page.reorder(step, act, target)` hears that a step was dropped before ("before") or behind ("move") another one,
   * and `page.connect(step, target)` that a line was drawn to a step.
   */
  constructor(graph, page) {
    this.#graph = graph;
    this.#page = page;
    graph.addEventListener("pointerdown", event => this.#pressed(event));
    addEventListener("pointermove", event => this.#drag?.pointer === event.pointerId && this.#moved(event));
    addEventListener("pointerup", event => this.#drag?.pointer === event.pointerId && this.#released(event));
    addEventListener("pointercancel", () => this.#end());
    // Captured, so that Esc only cancels the drag.
    addEventListener("keydown", event => {
      if (event.key !== "Escape" || !this.#drag?.hasBegun) return;
      event.preventDefault();
      event.stopPropagation();
      this.#end();
    }, { capture: true });
  }

  #pressed(event) {
    const step = event.target.closest("[data-step]");
    const isList = !this.#graph.classList.contains("graph");
    if (!step || event.button || event.pointerType === "touch" || isList) return;
    const isLine = Boolean(event.target.closest(".port"));
    const { clientX: x, clientY: y, pointerId: pointer } = event;
    this.#drag = { step, isLine, x, y, pointer, hasBegun: false };
  }

  #moved(event) {
    const { step, isLine, hasBegun, x, y } = this.#drag;
    const movedX = event.clientX - x, movedY = event.clientY - y;
    if (!hasBegun && Math.hypot(movedX, movedY) < MIN_DRAG_PIXELS) return;
    if (!hasBegun) this.#begin();
    event.preventDefault();
    this.#scrollAtEdge(event);
    if (isLine) this.#drawLine(event);
    else step.style.translate = `${movedX / this.#zoom()}px ${movedY / this.#zoom()}px`;
    this.#markTarget(event);
  }

  #begin() {
    const { step, isLine } = this.#drag;
    this.#drag.hasBegun = true;
    this.#graph.classList.add(isLine ? "connecting" : "reordering");
    step.classList.add("dragged");
    if (!isLine) return;
    this.#drag.line = document.createElementNS(SVG_NAMESPACE, "path");
    this.#graph.querySelector(".edges").append(this.#drag.line);
    this.#drag.line.setAttribute("class", "active");
  }

  // The target is the step under the pointer or, for another place in the list, the nearest one.
  #markTarget({ clientX, clientY }) {
    const drag = this.#drag;
    const steps = document.elementsFromPoint(clientX, clientY).map(element => element.closest("[data-step]"));
    const stepBelow = steps.find(step => step && step !== drag.step && this.#graph.contains(step));
    this.#unmarkTarget();
    drag.target = stepBelow ?? (drag.isLine ? null : this.#nearestStep(clientX, clientY));
    if (!drag.target) return;
    const { top, height } = drag.target.getBoundingClientRect();
    drag.isAbove = clientY < top + height / 2;
    const place = drag.isAbove ? "drop-before" : "drop-behind";
    drag.target.classList.add(drag.isLine ? "drop-on" : place);
  }

  #unmarkTarget() {
    this.#drag.target?.classList.remove("drop-on", "drop-before", "drop-behind");
  }

  #nearestStep(x, y) {
    const distance = step => {
      const { left, top, width, height } = step.getBoundingClientRect();
      return Math.hypot(left + width / 2 - x, top + height / 2 - y);
    };
    const others = [...this.#graph.querySelectorAll("[data-step]")].filter(step => step !== this.#drag.step);
    const nearer = (nearest, step) => !nearest || distance(step) < distance(nearest) ? step : nearest;
    return others.reduce(nearer, null);
  }

  #released(event) {
    const { step, hasBegun, isLine, target, isAbove } = this.#drag;
    this.#end();
    if (!hasBegun) return;
    // The browser sends a click after the drag, in the same task; that must not select the step.
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }));
    if (!target) return;
    event.preventDefault();
    if (isLine) this.#page.connect(step.dataset.step, target.dataset.step);
    else this.#page.reorder(step.dataset.step, isAbove ? "before" : "move", target.dataset.step);
  }

  #end() {
    if (!this.#drag) return;
    this.#unmarkTarget();
    const { step, line } = this.#drag;
    line?.remove();
    step.classList.remove("dragged");
    step.style.translate = "";
    this.#graph.classList.remove("connecting", "reordering");
    this.#drag = null;
  }

  #drawLine({ clientX, clientY }) {
    const graphBox = this.#graph.getBoundingClientRect(), stepBox = this.#drag.step.getBoundingClientRect();
    const zoom = this.#zoom();
    const point = (x, y) => `${(x - graphBox.left) / zoom} ${(y - graphBox.top) / zoom}`;
    const start = point(stepBox.left + stepBox.width / 2, stepBox.bottom);
    this.#drag.line.setAttribute("d", `M${start}L${point(clientX, clientY)}`);
  }

  #scrollAtEdge({ clientX, clientY }) {
    const scroller = this.#graph.parentElement, { left, right, top, bottom } = scroller.getBoundingClientRect();
    scroller.scrollBy(scrollStep(clientX, left, right), scrollStep(clientY, top, bottom));
  }

  // The graph is scaled by its style sheet; positions inside it are in its own pixels.
  #zoom() {
    return this.#graph.getBoundingClientRect().width / this.#graph.offsetWidth || 1;
  }
}

function scrollStep(position, start, end) {
  if (position < start + SCROLL_ZONE_PIXELS) return -SCROLL_STEP_PIXELS;
  return position > end - SCROLL_ZONE_PIXELS ? SCROLL_STEP_PIXELS : 0;
}

function swallow(event) {
  event.preventDefault();
  event.stopPropagation();
}
