// The graph beside the text: drawn anew from what the compiler says, chosen with the caret, and edited in place.
import { show, update } from "../graph/draw.js";
import { filled } from "../shared/phrases.js";
import { dragging } from "./dragging.js";

const LOOK = "http://www.w3.org/2000/svg";
const WAYS = {
  say: ["next"], collect: ["next", "on_failure"], confirm: ["on_confirm", "on_deny"], action: ["next", "on_error"], set: ["next"],
  branch: ["else"], while: ["next"], call: ["next"], link: [], human: ["on_timeout"], handoff: ["next", "on_timeout"],
};

/**
 * The canvas of a page; `told.act(name, ...words)` does an edit and resolves to its refusal, `told.chosen(step)` hears choices,
 * `told.drawn()` that it was drawn anew. */
export class Canvas {
  #graph = document.querySelector("[data-graph]");
  #stage = document.getElementById("graph");
  #dialog = document.querySelector("[data-dialog]");
  #icons;
  #data;
  #told;
  #step = "";
  #doing = { act: "", step: "" }; // what the open dialog does, and to which step: the caret may move meanwhile
  #toNeighbour = false;

  constructor(icons, told) {
    this.#icons = icons;
    this.#told = told;
    this.#data = JSON.parse(document.getElementById("graph-data").textContent);
    this.#graph.addEventListener("click", event => this.#clicked(event.target.closest("[data-step]")));
    this.#graph.addEventListener("keydown", event => this.#pressed(event));
    for (const button of document.querySelectorAll("[data-act]")) button.addEventListener("click", () => this.begin(button.dataset.act));
    if (this.#dialog) for (const button of this.#graph.querySelectorAll("[data-step]")) button.append(port());
    if (this.#dialog) dragging(this.#graph, { reorder: (step, act, other) => this.#reorder(step, act, other), connect: (step, target) => this.#connect(step, target) });
    this.#dialog?.addEventListener("submit", event => this.#submitted(event));
    this.#dialog?.querySelector("[data-cancel]").addEventListener("click", () => this.#dialog.close());
  }

  /** Draws the compiler's graph; null leaves the last good one, marked. */
  draw(data) {
    const old = !data && this.#graph.querySelector("[data-step]") !== null;
    this.#stage.classList.toggle("old", old);
    this.#stage.querySelector("[data-old]").hidden = !old;
    if (!data || JSON.stringify(data) === JSON.stringify(this.#data)) return;
    const focused = this.#graph.contains(document.activeElement) ? document.activeElement.dataset.step : "";
    this.#data = data;
    this.#graph.replaceChildren(...data.nodes.map(node => this.#item(node)));
    update(this.#graph, data);
    const count = this.#stage.querySelector("[data-steps]");
    count.textContent = data.nodes.length === 1 ? count.dataset.one : filled(count.dataset.many, data.nodes.length);
    this.choose(this.#step);
    this.#told.drawn();
    if (focused || this.#toNeighbour) ((!this.#toNeighbour && this.#button(focused)) || this.#button(this.#step) || this.#graph.querySelector("[data-step]"))?.focus();
    this.#toNeighbour = false;
  }

  /** Marks a step, as the caret or a click chose it. */
  choose(name) {
    this.#step = name;
    const button = name && this.#button(name);
    const bar = document.querySelector("[data-of-step]");
    if (bar) bar.hidden = !button;
    if (button && button.getAttribute("aria-current") !== "true") show(button);
  }

  begin(act) {
    if (["up", "down", "delete"].includes(act)) return this.#do(act, this.#step);
    this.#open(act);
  }

  #button(name) {
    return this.#graph.querySelector(`[data-step="${CSS.escape(name)}"]`);
  }

  #clicked(button) {
    if (!button) return;
    this.choose(button.dataset.step);
    this.#told.chosen(button.dataset.step);
  }

  #pressed(event) {
    const button = event.target.closest("[data-step]");
    const act = { F2: "rename", Delete: "delete", Insert: "add" }[event.key] ?? (event.altKey && { ArrowUp: "up", ArrowDown: "down" }[event.key]);
    if (!button || !act || !this.#dialog) return;
    event.preventDefault();
    this.choose(button.dataset.step);
    this.begin(act);
  }

  // A step moves among those of its own list; what an edit refuses is told in words.
  #reorder(step, act, other) {
    this.choose(step);
    this.#do(act, step, other);
  }

  // A line that was drawn: at once where the step has one way on, else the dialog asks which of them.
  #connect(step, target) {
    this.choose(step);
    const ways = this.#ways();
    if (ways.size === 0) return;
    if (ways.size === 1) return this.#do("connect", step, [...ways.keys()][0], target);
    this.#open("connect");
    const { elements } = this.#dialog.querySelector("form");
    elements.target.value = target;
    elements.way.onchange = null;
  }

  #open(act) {
    const { elements } = this.#dialog.querySelector("form");
    const title = this.#dialog.querySelector("[data-title]");
    this.#doing = { act, step: this.#step };
    title.textContent = title.dataset[act];
    for (const label of this.#dialog.querySelectorAll("[data-for]")) label.hidden = !label.dataset.for.split(" ").includes(act);
    elements.name.value = act === "rename" ? this.#step : "";
    if (act === "connect") this.#offerWays(elements);
    this.#refuse("");
    this.#dialog.showModal();
    (act === "add" ? elements.type : act === "rename" ? elements.name : elements.way).focus();
    if (act === "rename") elements.name.select();
  }

  // The ways on of the chosen step: those that the language knows for its type, and those that are drawn, by their labels.
  #ways() {
    const node = this.#data.nodes.find(each => each.id === this.#step);
    const drawn = this.#data.edges.filter(each => each.from === this.#step && each.way);
    return new Map([...WAYS[node.type].map(each => [each, each]), ...drawn.map(each => [each.way, each.label || each.way])]);
  }

  #offerWays({ way, target }) {
    const drawn = this.#data.edges.filter(each => each.from === this.#step && each.way);
    way.replaceChildren(...[...this.#ways()].map(([value, label]) => new Option(label, value)));
    target.replaceChildren(...this.#data.nodes.map(each => new Option(each.id)), new Option("end"));
    const set = () => (target.value = drawn.find(each => each.way === way.value)?.to ?? "end");
    way.onchange = set;
    set();
  }

  async #submitted(event) {
    event.preventDefault();
    const { name, type, way, target } = this.#dialog.querySelector("form").elements;
    const { act, step } = this.#doing, last = this.#data.nodes.at(-1)?.id ?? "";
    const words = { add: [step || last, type.value, name.value.trim()], rename: [step, name.value.trim()], connect: [step, way.value, target.value] };
    const refusal = await this.#told.act(act, ...words[act]);
    if (refusal) return this.#refuse(refusal);
    this.#dialog.close();
    this.#button(this.#step)?.focus();
  }

  async #do(act, ...words) {
    const refusal = await this.#told.act(act, ...words);
    if (refusal) return this.#told.failed(refusal);
    this.#toNeighbour = act === "delete"; // the step that the edit chose, as soon as it is drawn
  }

  #refuse(words) {
    const place = this.#dialog.querySelector("[data-refusal]");
    place.hidden = !words;
    place.textContent = words;
  }

  #item(node) {
    const item = document.createElement("li");
    const button = element("button", `node ${node.kind}${node.waits ? " waits" : ""}`);
    Object.assign(button, { type: "button", id: `step-${node.id}` });
    Object.assign(button.dataset, { type: node.type, step: node.id, line: node.line });
    const kind = element("span", "kind"), words = element("span", "grow"), sub = element("span", "sub clip");
    kind.append(this.#icon(node.icon));
    sub.append(element("span", "hidden", `${node.type} `), node.sub);
    words.append(element("b", "clip", node.id), sub);
    button.append(kind, words);
    if (this.#dialog) button.append(port());
    if (node.waits) button.append(this.#waits(node.waits));
    item.append(button, this.#exits(node.id));
    return item;
  }

  #waits(number) {
    const badge = element("span", "count", String(number));
    badge.append(element("span", "hidden", ` ${this.#graph.dataset.waits}`));
    return badge;
  }

  #exits(name) {
    const exits = element("span", "exits");
    for (const edge of this.#data.edges.filter(each => each.from === name)) {
      const line = element("span", "");
      if (edge.label) line.append(element("em", "", edge.label), " ");
      line.append(`→ ${edge.to}`);
      exits.append(line);
    }
    return exits;
  }

  #icon(name) {
    const svg = document.createElementNS(LOOK, "svg"), use = document.createElementNS(LOOK, "use");
    svg.setAttribute("class", "icon s");
    svg.setAttribute("aria-hidden", "true");
    use.setAttribute("href", `${this.#icons}#i-${name}`);
    svg.append(use);
    return svg;
  }
}

// Where a line begins that is drawn with the pointer.
function port() {
  const spot = element("span", "port");
  spot.setAttribute("aria-hidden", "true");
  return spot;
}

function element(name, className, text = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}
