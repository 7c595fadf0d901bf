// Dragging on the canvas: a step to another place in its list, or a line from its port to where a way shall lead. Whatever is
// done here can be done with the keyboard and the tools too; a touch scrolls, and drags nothing.

const SVG = "http://www.w3.org/2000/svg";
const FAR = 6, EDGE = 28, PACE = 14;

/** `told.reorder(step, act, other)` with "before" or "move", and `told.connect(step, target)` hear what was dropped. */
export function dragging(graph, told) {
  let drag = null;

  graph.addEventListener("pointerdown", event => {
    const button = event.target.closest("[data-step]");
    if (!button || event.button || event.pointerType === "touch" || !graph.classList.contains("graph")) return;
    drag = { button, line: Boolean(event.target.closest(".port")), x: event.clientX, y: event.clientY, begun: false, pointer: event.pointerId };
  });
  addEventListener("pointermove", event => drag?.pointer === event.pointerId && moved(event));
  addEventListener("pointerup", event => drag?.pointer === event.pointerId && dropped(event));
  addEventListener("pointercancel", () => end());
  addEventListener("keydown", event => {
    if (event.key !== "Escape" || !drag?.begun) return;
    event.preventDefault();
    event.stopPropagation();
    end();
  }, { capture: true });

  function moved(event) {
    if (!drag.begun && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < FAR) return;
    if (!drag.begun) begin();
    event.preventDefault();
    scroll(event);
    if (drag.line) drawLine(event);
    else drag.button.style.translate = `${(event.clientX - drag.x) / zoom()}px ${(event.clientY - drag.y) / zoom()}px`;
    point(event);
  }

  function begin() {
    drag.begun = true;
    graph.classList.add(drag.line ? "connecting" : "reordering");
    drag.button.classList.add("dragged");
    if (drag.line) graph.querySelector(".edges").append((drag.path = document.createElementNS(SVG, "path")));
    drag.path?.setAttribute("class", "on");
  }

  // The step that is meant: under the pointer, or, for another place in the list, the nearest.
  function point(event) {
    const under = document.elementsFromPoint(event.clientX, event.clientY).map(each => each.closest("[data-step]")).find(each => each && each !== drag.button && graph.contains(each));
    const target = under ?? (drag.line ? null : nearest(event));
    clear();
    drag.target = target;
    if (!target) return;
    const { top, height } = target.getBoundingClientRect();
    drag.above = event.clientY < top + height / 2;
    target.classList.add(drag.line ? "drop-on" : drag.above ? "drop-before" : "drop-behind");
  }

  function nearest({ clientX, clientY }) {
    const far = button => {
      const { left, top, width, height } = button.getBoundingClientRect();
      return Math.hypot(left + width / 2 - clientX, top + height / 2 - clientY);
    };
    const others = [...graph.querySelectorAll("[data-step]")].filter(each => each !== drag.button);
    return others.reduce((best, each) => (!best || far(each) < far(best) ? each : best), null);
  }

  function dropped(event) {
    const { button, begun, line, target, above } = drag;
    end();
    if (!begun) return;
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }));
    if (!target) return;
    event.preventDefault();
    if (line) told.connect(button.dataset.step, target.dataset.step);
    else told.reorder(button.dataset.step, above ? "before" : "move", target.dataset.step);
  }

  function end() {
    if (!drag) return;
    clear();
    drag.path?.remove();
    drag.button.classList.remove("dragged");
    drag.button.style.translate = "";
    graph.classList.remove("connecting", "reordering");
    drag = null;
  }

  function clear() {
    drag.target?.classList.remove("drop-on", "drop-before", "drop-behind");
  }

  function drawLine({ clientX, clientY }) {
    const box = graph.getBoundingClientRect(), own = drag.button.getBoundingClientRect();
    const at = (x, y) => `${(x - box.left) / zoom()} ${(y - box.top) / zoom()}`;
    drag.path.setAttribute("d", `M${at(own.left + own.width / 2, own.bottom)}L${at(clientX, clientY)}`);
  }

  function scroll({ clientX, clientY }) {
    const room = graph.parentElement, { left, right, top, bottom } = room.getBoundingClientRect();
    const pace = (at, low, high) => (at < low + EDGE ? -PACE : at > high - EDGE ? PACE : 0);
    room.scrollBy(pace(clientX, left, right), pace(clientY, top, bottom));
  }

  const zoom = () => graph.getBoundingClientRect().width / graph.offsetWidth || 1;
}

function swallow(event) {
  event.preventDefault();
  event.stopPropagation();
}
