// The graph beside the text: drawn from what the compiler returns, selected together with the caret, and edited in
// place.
import { clearSelection, selectStep, updateGraph } from "../graph/draw.js";
import { codeNodes, makeElement } from "../shared/elements.js";
import { fillPhrase } from "../shared/phrases.js";
import { Dragging } from "./dragging.js";
import { hasErrors } from "./problems.js";

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
// The keys of each step type that name another step. A step's text may add more of them, such as the cases of a branch.
const WAYS_BY_TYPE = {
  say: ["next"],
  collect: ["next", "on_failure", "on_empty", "on_error", "on_timeout"],
  confirm: ["on_confirm", "on_deny"],
  action: ["next", "on_error"],
  set: ["next"],
  branch: ["else"],
  while: ["next"],
  for_each: ["next"],
  call: ["next"],
  link: [],
  human: ["on_timeout"],
  handoff: ["next", "on_timeout"],
  wait: ["next", "on_timeout"],
};
const ACTS_BY_KEY = { F2: "rename", Delete: "delete", Insert: "add" };
const ACTS_BY_ALT_KEY = { ArrowUp: "up", ArrowDown: "down" };
const ACTS_WITHOUT_DIALOG = ["up", "down", "delete"];

export class Canvas {
  #graph = document.querySelector("[data-graph]");
  #stage = document.getElementById("graph");
  #dialog = document.querySelector("[data-dialog]"); // only for people who may edit the flow
  #icons;
  #data;
  #page;
  #selectedStep = "";
  #dialogEdit = { act: "", step: "" }; // what the open dialog does, and to which step: the caret may move meanwhile
  #isSketch = !document.querySelector("[data-sketch]").hidden;
  #focusAfterDraw = false; // focus the step that an edit selected, as soon as it is drawn

  /**
   * `icons` is the address of the icon file. `page.edit(act, ...args)` does an edit and resolves to why it was
   * refused, "" when it was done; `page.stepSelected(step, {byKeyboard})` hears of selections, `page.drawn()` that the
   * graph was drawn again, `page.focusFields()` focuses the fields of the selected step where they are shown,
   * `page.showFailure(text)` shows a refusal, and `page.wayWords(type, way)` says what a step type's key that leads to
   * another step is called.
   */
  constructor(icons, page) {
    this.#icons = icons;
    this.#page = page;
    this.#data = JSON.parse(document.getElementById("graph-data").textContent);
    this.#graph.addEventListener("click", event => this.#clicked(event.target.closest("[data-step]"), event));
    this.#graph.addEventListener("keydown", event => this.#keyPressed(event));
    for (const button of document.querySelectorAll("[data-act]")) {
      button.addEventListener("click", () => this.#startEdit(button.dataset.act));
    }
    if (!this.#dialog) return;
    for (const button of this.#graph.querySelectorAll("[data-step]")) button.append(portElement());
    new Dragging(this.#graph, {
      reorder: (step, act, target) => this.#reorder(step, act, target),
      connect: (step, target) => this.#connect(step, target),
    });
    this.#dialog.addEventListener("submit", event => this.#submitDialog(event));
    this.#dialog.querySelector("[data-cancel]").addEventListener("click", () => this.#dialog.close());
  }

  /**
   * Draw the graph that the compiler returned. Without one the last good graph stays and is marked as old, unless the
   * text has other steps by now: then `sketch` is drawn, made from its keys.
   */
  draw(graph, sketch) {
    const data = graph ?? (sketch && (this.#isSketch || !this.#hasStepsOf(sketch)) ? sketch : null);
    const isOld = !data && this.#graph.querySelector("[data-step]") !== null;
    this.#isSketch = !graph && Boolean(data);
    this.#stage.classList.toggle("old", isOld);
    this.#stage.querySelector("[data-old]").hidden = !isOld;
    this.#stage.querySelector("[data-sketch]").hidden = !this.#isSketch;
    const note = this.#stage.querySelector("[data-no-graph]");
    if (note.dataset.noGraph !== "never") note.hidden = Boolean(data) || isOld;
    if (!data || JSON.stringify(data) === JSON.stringify(this.#data)) return;
    const hadFocus = this.#graph.contains(document.activeElement);
    const focusedStep = hadFocus ? document.activeElement.dataset.step : "";
    this.#data = data;
    this.#graph.replaceChildren(...data.nodes.map(node => this.#itemElement(node)));
    updateGraph(this.#graph, data);
    const count = this.#stage.querySelector("[data-steps]"), { one, many } = count.dataset;
    count.textContent = data.nodes.length === 1 ? one : fillPhrase(many, data.nodes.length);
    this.#stage.querySelector("[data-waits-legend]").hidden = !data.nodes.some(({ waits }) => waits);
    this.select(this.#selectedStep);
    this.#page.drawn();
    if (focusedStep || this.#focusAfterDraw) this.#restoreFocus(focusedStep);
    this.#focusAfterDraw = false;
  }

  /** Mark a step as selected, in the graph only. */
  select(name) {
    this.#selectedStep = name;
    const button = name && this.#buttonOf(name);
    const toolbar = document.querySelector("[data-of-step]");
    if (toolbar) toolbar.hidden = !button;
    if (button && button.getAttribute("aria-current") !== "true") selectStep(button);
  }

  /** Mark no step as selected. */
  deselect() {
    this.select("");
    clearSelection(this.#graph);
  }

  #hasStepsOf({ nodes }) {
    const names = new Set(this.#data.nodes.map(({ id }) => id));
    return nodes.length === names.size && nodes.every(({ id }) => names.has(id));
  }

  #restoreFocus(focusedStep) {
    const sameStep = this.#focusAfterDraw ? null : this.#buttonOf(focusedStep);
    const step = sameStep || this.#buttonOf(this.#selectedStep) || this.#graph.querySelector("[data-step]");
    step?.focus();
  }

  #buttonOf(name) {
    return this.#graph.querySelector(`[data-step="${CSS.escape(name)}"]`);
  }

  // A click without a pointer is Enter or the space bar.
  #clicked(button, { detail }) {
    if (!button) return;
    this.select(button.dataset.step);
    this.#page.stepSelected(button.dataset.step, { byKeyboard: detail === 0 });
  }

  /** Focus the step on the graph; without it, the first one. */
  focusStep(name) {
    (this.#buttonOf(name) ?? this.#graph.querySelector("[data-step]"))?.focus();
  }

  /** Show how many problems each step has: a Map of step → [problem]. */
  showProblems(problemsByStep) {
    for (const button of this.#graph.querySelectorAll("[data-step]")) {
      const problems = problemsByStep.get(button.dataset.step) ?? [];
      button.querySelector(".flag")?.remove();
      if (problems.length) button.append(this.#flagElement(problems));
    }
  }

  #flagElement(problems) {
    const flag = makeElement("span", hasErrors(problems) ? "flag" : "flag warning", String(problems.length));
    flag.append(makeElement("span", "hidden", ` ${this.#graph.dataset.flags}`));
    return flag;
  }

  #keyPressed(event) {
    const button = event.target.closest("[data-step]");
    const act = ACTS_BY_KEY[event.key] ?? (event.altKey && ACTS_BY_ALT_KEY[event.key]);
    if (!button || !act || !this.#dialog) return;
    event.preventDefault();
    this.select(button.dataset.step);
    this.#startEdit(act);
  }

  // ---- edits ------------------------------------------------------------------------------------------------------

  #startEdit(act) {
    if (ACTS_WITHOUT_DIALOG.includes(act)) this.#edit(act, this.#selectedStep);
    else this.#openDialog(act);
  }

  async #edit(act, ...args) {
    const refusal = await this.#page.edit(act, ...args);
    if (refusal) return this.#page.showFailure(refusal);
    this.#focusAfterDraw = act === "delete"; // the focused step is gone
  }

  // A step moves only within its own list; the server refuses other places in words.
  #reorder(step, act, target) {
    this.select(step);
    this.#edit(act, step, target);
  }

  // A line was drawn. Where the step has several ways on, the dialog asks which of them shall lead to the target.
  #connect(step, target) {
    this.select(step);
    const ways = this.#waysOfStep();
    if (ways.size === 0) return;
    if (ways.size === 1) return this.#edit("connect", step, [...ways.keys()][0], target);
    this.#openDialog("connect");
    const { elements } = this.#dialog.querySelector("form");
    elements.target.value = target;
    elements.way.onchange = null; // the target is the one that the line was drawn to, whichever way is chosen
  }

  #openDialog(act) {
    const { elements } = this.#dialog.querySelector("form");
    const title = this.#dialog.querySelector("[data-title]");
    this.#dialogEdit = { act, step: this.#selectedStep };
    const button = this.#dialog.querySelector("[data-do]");
    title.textContent = title.dataset[act];
    button.textContent = button.dataset[act];
    for (const label of this.#dialog.querySelectorAll("[data-for]")) {
      label.hidden = !label.dataset.for.split(" ").includes(act);
    }
    elements.name.value = act === "rename" ? this.#selectedStep : "";
    if (act === "connect") this.#fillWays(elements);
    this.#showRefusal("");
    this.#dialog.showModal();
    const firstField = { add: elements.type, rename: elements.name }[act] ?? elements.way;
    firstField.focus();
    if (act === "rename") elements.name.select();
  }

  // The selected step's ways on, by their keys, with their labels: those of its type and those that its text has.
  #waysOfStep() {
    const node = this.#data.nodes.find(({ id }) => id === this.#selectedStep);
    const ofType = (WAYS_BY_TYPE[node.type] ?? []).map(way => [way, this.#page.wayWords(node.type, way)]);
    const others = this.#drawnWays().map(({ way, label }) => [way, label || way]);
    return new Map([...others, ...ofType]);
  }

  #drawnWays() {
    return this.#data.edges.filter(edge => edge.from === this.#selectedStep && edge.way);
  }

  #fillWays({ way, target }) {
    const drawnWays = this.#drawnWays();
    way.replaceChildren(...[...this.#waysOfStep()].map(([key, label]) => new Option(label, key)));
    target.replaceChildren(...this.#data.nodes.map(({ id }) => new Option(id)), new Option("end"));
    const showTarget = () => { target.value = drawnWays.find(edge => edge.way === way.value)?.to ?? "end"; };
    way.onchange = showTarget;
    showTarget();
  }

  async #submitDialog(event) {
    event.preventDefault();
    const { name, type, way, target } = this.#dialog.querySelector("form").elements;
    const { act, step } = this.#dialogEdit, lastStep = this.#data.nodes.at(-1)?.id ?? "";
    const args = {
      add: [step || lastStep, type.value, name.value.trim()],
      rename: [step, name.value.trim()],
      connect: [step, way.value, target.value],
    };
    const refusal = await this.#page.edit(act, ...args[act]);
    if (refusal) return this.#showRefusal(refusal);
    this.#dialog.close();
    if (act === "add" && this.#page.focusFields()) return;
    this.#buttonOf(this.#selectedStep)?.focus();
  }

  #showRefusal(text) {
    const box = this.#dialog.querySelector("[data-refusal]");
    box.hidden = !text;
    box.replaceChildren(...codeNodes(text));
  }

  // ---- the list of steps, as the server renders it ----------------------------------------------------------------

  #itemElement(node) {
    const item = document.createElement("li");
    const button = makeElement("button", `node ${node.kind}${node.waits ? " waits" : ""}`);
    Object.assign(button, { type: "button", id: `step-${node.id}` });
    Object.assign(button.dataset, { type: node.type, step: node.id, line: node.line });
    const icon = makeElement("span", "kind"), words = makeElement("span", "grow");
    const subtitle = makeElement("span", "node-summary clip");
    icon.append(this.#iconElement(node.icon));
    subtitle.append(makeElement("span", "hidden", `${node.type} `), node.sub);
    words.append(makeElement("b", "clip", node.id), subtitle);
    button.append(icon, words);
    if (this.#dialog) button.append(portElement());
    if (node.waits) button.append(this.#waitsElement(node.waits));
    item.append(button, this.#exitsElement(node.id));
    return item;
  }

  #waitsElement(count) {
    const { waitsOne, waitsMany } = this.#graph.dataset, badge = makeElement("span", "count");
    badge.title = count === 1 ? waitsOne : fillPhrase(waitsMany, count);
    const number = makeElement("span", "", String(count));
    number.setAttribute("aria-hidden", "true");
    badge.append(number, makeElement("span", "hidden", badge.title));
    return badge;
  }

  #exitsElement(name) {
    const exits = makeElement("span", "exits");
    for (const { from, to, label } of this.#data.edges) {
      if (from !== name) continue;
      const exit = makeElement("span");
      if (label) exit.append(makeElement("em", "", label), " ");
      exit.append(`→ ${to}`);
      exits.append(exit);
    }
    return exits;
  }

  #iconElement(name) {
    const svg = document.createElementNS(SVG_NAMESPACE, "svg"), use = document.createElementNS(SVG_NAMESPACE, "use");
    svg.setAttribute("class", "icon s");
    svg.setAttribute("aria-hidden", "true");
    use.setAttribute("href", `${this.#icons}#i-${name}`);
    svg.append(use);
    return svg;
  }
}

// The handle of a step from which a line is drawn with the pointer.
function portElement() {
  const port = makeElement("span", "port");
  port.setAttribute("aria-hidden", "true");
  return port;
}
