// The panel beside the graph: the fields of the selected step, or of the whole document when none is selected. Every
// change is told as the value that a place of the document shall have; the panel never writes YAML.
import { codeNodes, makeElement } from "../../shared/elements.js";
import { fillPhrase } from "../../shared/phrases.js";
import { sentences } from "../problems.js";
import { iconElement, textElement, wordButton } from "./elements.js";
import { emptyValue, fieldRow, orderOf, partRows } from "./fields.js";
import { fullPath, keyOf, readablePath, valueAt, withRenamedKey, withValue } from "./places.js";
import { alternativesOf, kindOf, resolve, stepSchema } from "./schema.js";
import { expandSlot, slotControl } from "./slot_fields.js";
import { documentSpecials } from "./document_fields.js";
import { NewSteps } from "./new_steps.js";
import { sectionsBelow, specialRows, USUAL_KEYS } from "./step_fields.js";

const FOCUSABLE = "input:not([type=hidden]), select, textarea, button, summary";
const SHORT_SLOTS = ["inputs", "outputs", "payload", "fields"]; // mappings whose new slots are written as "text"
const HIDDEN_KEYS = { Flow: ["flow", "steps"], Assistant: ["version", "assistant"] };
const HIDDEN_STEP_KEYS = ["step", "type", "do"];
const PRESSED = "button, summary, input[type=checkbox]"; // what a press acts on when it is released

export class Panel {
  #root; #words; #page; #schema = null; #document = null; #problems = []; #step = "";
  #opened = new Set();
  #newSteps = new NewSteps();
  #ctx;

  /**
   * `root` is the pane with the panel and its head, `page` what the page does: `edit(edits, {isTyped})` resolves to
   * why the edits were refused or "", `rename(step, name)` and `declareAction(name)` too, `fix(problem)` writes what was
   * meant, `judged()` hears that hints became errors; `flow`, `file`, `icons` and `isWritable` say what is edited.
   */
  constructor(root, words, page) {
    this.#root = root;
    this.#words = words;
    this.#page = page;
    this.#ctx = this.#context();
    root.querySelector("[data-panel]").addEventListener("focusout", event => this.#fieldLeft(event));
    root.querySelector("[data-panel]").addEventListener("pointerdown", ({ target }) => {
      this.#isPressed = Boolean(target.closest(PRESSED));
    });
    for (const end of ["pointerup", "pointercancel"]) {
      document.addEventListener(end, () => setTimeout(() => this.#release()));
    }
    root.querySelector("[data-panel]").addEventListener("keydown", event => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      event.stopPropagation();
      page.leave(this.#step);
    });
  }

  get step() {
    return this.#step;
  }

  schemaLoaded(schema) {
    this.#schema = schema;
    this.#render();
    if (this.#focusWhenKnown) this.select(this.#step, { focus: true });
  }

  /** Show the fields of a step, or of the document for "". */
  select(step, { focus = false } = {}) {
    const waitsForFocus = focus || (step === this.#step && this.#focusWhenKnown);
    if (step !== this.#step) {
      this.#step = step;
      this.#render();
      this.#body.scrollTop = 0;
    }
    const isKnown = this.#schema && (!step || this.#document?.steps[step]);
    this.#focusWhenKnown = waitsForFocus && !isKnown;
    if (waitsForFocus && isKnown) this.#body.querySelector(FOCUSABLE)?.focus();
  }

  /** The document was checked: `{tree, steps}`, null while it cannot be read, and its problems. */
  update(document, problems) {
    const edits = this.#edits;
    this.#whenReleased(() => { if (edits === this.#edits) this.#show(document, problems); });
  }

  #show(document, problems) {
    this.#renamed.clear();
    const isSame = document && this.#document && sameValue(document.tree, this.#document.tree) && !this.#isUnreadable;
    this.#isUnreadable = !document;
    if (document) this.#document = document;
    this.#problems = problems;
    if (!isSame) this.#render();
    this.#showProblems();
    this.#showFoot();
    if (this.#focusWhenKnown) this.select(this.#step, { focus: true });
  }

  /** A step was added: what it lacks is a hint until the author has changed or left the field. */
  stepAdded(step) {
    this.#newSteps.add(step);
    this.#renamed.delete(step);
  }

  /** A step has another name; the fields stay as they are, with the focus. */
  stepRenamed(step, name) {
    this.#newSteps.rename(step, name);
    const { tree, steps } = this.#document ?? {};
    if (!steps?.[step]) return;
    this.#renamed.set(step, name);
    this.#document = {
      tree: withValue(tree, [...steps[step].path, "step"], name), steps: withRenamedKey(steps, step, name),
    };
    if (step !== this.#step) return;
    this.#step = name;
    this.#whenReleased(() => this.#render());
  }

  /** The flow was to be saved: what new steps lack is an error from now on. */
  judgeAll() {
    this.#newSteps.clear();
    this.#showProblems();
  }

  /** The problems as people are told of them: those of untouched fields of new steps are of severity "hint". */
  asShown(problems) {
    return problems.map(problem => this.#isHint(problem) ? { ...problem, severity: "hint" } : problem);
  }

  /** Select the step of a problem and focus the problem's field; returns whether there is one. */
  showProblem(problem) {
    const steps = Object.keys(this.#document?.steps ?? {});
    const around = steps.filter(name => isWithin(problem.path, this.#readable({ step: name, path: [] })));
    this.select(around.at(-1) ?? "");
    const described = this.#body.querySelector("[aria-describedby^='problem-'], .fix button");
    const shown = described ?? this.#body.querySelector(".fix[id^='problem-']");
    if (!shown) return false;
    shown.scrollIntoView({ block: "nearest" });
    (described ?? shown.parentElement.querySelector(FOCUSABLE))?.focus({ preventScroll: true });
    return true;
  }

  /** Focus the field with this key, such as "/actions/pay", as soon as it is there; a closed card opens. */
  focusField(key) {
    this.#wantedField = key;
    this.#opened.add(`card ${key}`);
    this.#render();
  }

  #wantedField = "";
  #isUnreadable = true;
  #edits = 0; // how many there were
  #renamed = new Map(); // steps by the names that fields on the page may still have for them
  #isPressed = false;
  #postponed = [];
  #focusWhenKnown = false; // the step is new: its fields come with the next check or with the schema

  get #body() {
    return this.#root.querySelector("[data-panel-body]");
  }

  // ---- what the fields ask for ------------------------------------------------------------------------------------

  #context() {
    const panel = this, { icons, isWritable } = this.#page;
    return {
      icons, isWritable, opened: this.#opened,
      get root() { return panel.#schema; },
      get language() { return panel.#schema["x-language"]; },
      value: place => valueAt(panel.#document, panel.#renamedPlace(place)),
      edit: (place, value, options) => panel.#edit([{ place, value, order: options?.order }], options),
      editAll: (edits, options) => panel.#edit(edits, options),
      refresh: focusKey => panel.#render(focusKey),
      phrase: key => panel.#words.phrases[key] ?? key,
      label: (part, key) => panel.#label(part, String(key)),
      value_label: word => panel.#words.values[word] ?? humanised(String(word)),
      readable: place => panel.#readable(place),
      usual: name => USUAL_KEYS[name] ?? [],
      definition: name => resolve(panel.#schema, { $ref: `#/$defs/${name}` }),
      orderOf: name => orderOf(panel.#schema.$defs[name]),
      names: (kind, place) => panel.#names(kind, place),
      knownKeys: place => place.path.join() === "responses" ? Object.keys(panel.#words.responses) : [],
      keyWords: (place, key) => place.path.join() === "responses" ? panel.#words.responses[key] : null,
      slotType: name => panel.#slotType(name),
      slotOptions: name => panel.#slotOptions(name),
      slotControl: (place, options) => slotControl(panel.#ctx, place, options),
      declareAction: name => panel.#page.declareAction(name),
      contracts: () => panel.#schema["x-actions"],
      summary: value => panel.#summary(value),
      newEntry: (place, entries) => panel.#newEntry(place, entries),
    };
  }

  #label(part, key) {
    const { labels } = this.#words;
    return labels[`${part}.${key}`] ?? labels[key] ?? humanised(key);
  }

  #renamedPlace({ step, path }) {
    return { step: this.#renamed.get(step) ?? step, path };
  }

  #readable(place) {
    const path = fullPath(this.#document, place) ?? place.path;
    return readablePath(this.#page.flow, this.#document?.tree, path);
  }

  #names(kind, place) {
    const { tree, steps } = this.#document, schema = this.#schema;
    const own = key => Object.keys(tree[key] ?? {});
    const unique = names => [...new Set(names)].filter(Boolean);
    switch (kind) {
      case "step": return [...unique(Object.keys(steps)), "end", ...(this.#isInLoop(place) ? ["continue"] : [])];
      case "slot": return unique([...own("slots"), ...Object.keys(schema["x-slots"]), ...this.#loopItems()]);
      case "child_slot": return Object.keys(schema["x-flows"][this.#stepValue("flow")] ?? {});
      case "flow": return Object.keys(schema["x-flows"]).filter(name => name !== this.#page.flow);
      case "action": return unique([...Object.keys(schema["x-actions"]), ...own("actions")]);
      case "event": return unique([...enumOf(schema.$defs, "event"), ...own("events")]);
      case "record": return unique([...enumOf(schema.$defs, "record"), ...own("records")]);
      case "slot_type_word": return unique([...this.#slotTypes(), ...this.#names("record")]);
      default: return [];
    }
  }

  #stepValue(key) {
    return valueAt(this.#document, { step: this.#step, path: [key] });
  }

  #slotTypes() {
    const types = alternativesOf(this.#schema, this.#schema.$defs.Slot.properties.type);
    return types.find(schema => schema.enum)?.enum ?? [];
  }

  #loopItems() {
    const steps = Object.keys(this.#document.steps).map(step => valueAt(this.#document, { step, path: [] }));
    return steps.filter(step => step?.type === "for_each").map(step => step.item);
  }

  #isInLoop(place) {
    return Boolean(place?.step) && (fullPath(this.#document, place) ?? []).includes("do");
  }

  #slotType(name) {
    const slot = this.#document.tree.slots?.[name];
    return slot === undefined ? this.#schema["x-slots"][name] ?? "" : expandSlot(slot).type;
  }

  #slotOptions(name) {
    const options = expandSlot(this.#document.tree.slots?.[name]).options;
    if (!Array.isArray(options)) return [];
    return options.map(option => typeof option === "string" ? [option, option] : [option.value, option.value]);
  }

  #summary(value) {
    if (typeof value === "string") return value;
    const words = value?.type ? this.#ctx.value_label(value.type) : value?.description ?? value?.answer ?? "";
    const text = words && typeof words === "object" ? Object.values(words)[0] : words;
    return String(text ?? "");
  }

  #newEntry(place, entries) {
    const { kind } = kindOf(this.#schema, entries);
    if (kind === "slot") return SHORT_SLOTS.includes(place.path.at(-1)) ? "text" : { type: "text" };
    if (kind === "part") return emptyValue(this.#ctx, entries);
    return kind === "mapping" ? {} : "";
  }

  // ---- edits ------------------------------------------------------------------------------------------------------

  // A press counts if it is released on the same element, so nothing is drawn meanwhile.
  #whenReleased(work) {
    if (this.#isPressed) this.#postponed.push(work);
    else work();
  }

  #release() {
    const postponed = this.#postponed;
    this.#isPressed = false;
    this.#postponed = [];
    for (const work of postponed) work();
  }

  // The fields show the new values at once; the text follows.
  async #edit(edits, { isTyped = false } = {}) {
    this.#edits += 1;
    edits = edits.map(edit => ({ ...edit, place: this.#renamedPlace(edit.place) }));
    for (const { place, value } of edits) {
      const path = fullPath(this.#document, place);
      if (path) this.#document = { ...this.#document, tree: withValue(this.#document.tree, path, value) };
    }
    if (!isTyped) this.#whenReleased(() => this.#render());
    const plain = edits.map(({ place, value, order = [] }) => ({ ...place, value, order }));
    this.#showRefusal(await this.#page.edit(plain, { isTyped }));
    this.#touch(edits.map(({ place }) => place));
  }

  // By the keyboard or the pointer to another field; a field that was drawn again was not left.
  #fieldLeft({ target, relatedTarget }) {
    const row = target.closest("[data-field]");
    if (!row || !relatedTarget || row.contains(relatedTarget) || relatedTarget.closest(".fix")) return;
    const [step, ...path] = row.dataset.field.split("/");
    if (path[0] !== "step") this.#whenReleased(() => this.#touch([{ step, path }])); // its name may stay
  }

  #touch(places) {
    if (!places.filter(place => this.#newSteps.touch(place)).length) return;
    this.#showProblems();
    this.#page.judged();
  }

  #isHint({ path, severity }) {
    const names = severity === "error" ? this.#newSteps.names.filter(name => this.#document?.steps[name]) : [];
    return names.some(step => {
      const own = this.#readable({ step, path: [] });
      return isWithin(path, own) && this.#newSteps.isUntouched(step, path.slice(own.length + 1).split(".")[0]);
    });
  }

  #showRefusal(text) {
    const box = this.#root.querySelector("[data-panel-refusal]");
    box.hidden = !text;
    box.textContent = text;
  }

  // ---- drawing ----------------------------------------------------------------------------------------------------

  #render(focusKey = "") {
    if (!this.#schema || !this.#document) return;
    const focus = focusKey ? null : this.#focusedField(), scroll = this.#body.scrollTop;
    this.#body.replaceChildren(...this.#rows());
    this.#body.dataset.path = this.#readable({ step: this.#step, path: [] });
    for (const field of this.#body.querySelectorAll(FOCUSABLE)) if (!this.#ctx.isWritable) lock(field);
    this.#showHead();
    this.#showProblems();
    this.#showFoot();
    this.#body.scrollTop = scroll;
    if (!focusKey && this.#wantedField && this.#rowOf(this.#wantedField)) {
      this.#focusRow(this.#wantedField);
      this.#wantedField = "";
    } else if (focusKey) this.#focusRow(focusKey);
    else if (focus) this.#restoreFocus(focus);
  }

  #rows() {
    if (this.#isUnreadable) return [makeElement("p", "panel-note", this.#words.phrases.unreadable)];
    const step = this.#step && valueAt(this.#document, { step: this.#step, path: [] });
    if (this.#step && !step) return [makeElement("p", "panel-note", this.#words.phrases.no_step)];
    return step ? this.#stepRows(step) : this.#documentRows();
  }

  #stepRows(step) {
    const schema = stepSchema(this.#schema, step.type), place = { step: this.#step, path: [] };
    const rows = [this.#nameRow()];
    if (!schema) return [...rows, makeElement("p", "panel-note", this.#words.phrases.unknown_type)];
    const special = specialRows(this.#ctx, step.type, place);
    const fields = partRows(this.#ctx, place, schema, {
      usual: USUAL_KEYS[schema.name] ?? [], special, hidden: HIDDEN_STEP_KEYS,
    });
    return [...rows, ...fields, ...sectionsBelow(this.#ctx, step.type, place)];
  }

  #documentRows() {
    const name = this.#page.flow === "assistant" ? "Assistant" : "Flow";
    const schema = resolve(this.#schema, { $ref: `#/$defs/${name}` }), special = documentSpecials(this.#ctx, name);
    const options = { usual: USUAL_KEYS[name], hidden: HIDDEN_KEYS[name], special };
    return partRows(this.#ctx, { step: "", path: [] }, schema, options);
  }

  #nameRow() {
    const field = textElement(this.#step, () => {}), step = this.#step;
    field.classList.add("mono");
    field.addEventListener("change", async () => {
      if (field.value.trim() === step) return;
      const refusal = await this.#page.rename(step, field.value.trim());
      this.#showRefusal(refusal);
      if (refusal) field.value = step;
    });
    return fieldRow(this.#ctx, { step, path: ["step"] }, this.#label("Step", "step"), field);
  }

  #showHead() {
    const { phrases } = this.#words, type = valueAt(this.#document, { step: this.#step, path: ["type"] });
    const title = this.#root.querySelector("[data-panel-title]"), icon = this.#root.querySelector("[data-panel-icon]");
    const isSettings = !this.#step && this.#page.flow === "assistant";
    title.querySelector("b").textContent = isSettings ? phrases.settings : this.#step || this.#page.flow;
    title.querySelector("b").classList.toggle("plain", isSettings);
    const whole = isSettings ? phrases.of_the_assistant : phrases.whole_document;
    const kind = this.#step ? this.#words.types[type] ?? humanised(String(type)) : whole;
    title.querySelector("small").textContent = kind;
    const [look, name] = this.#words.looks[type] ?? ["closed", "note"];
    icon.className = `kind ${this.#step ? look : "closed"}`;
    icon.replaceChildren(iconElement(this.#page.icons, this.#step ? name : "flow"));
    this.#root.querySelector("[data-panel-close]").hidden = !this.#step;
  }

  #showFoot() {
    const found = this.#document?.steps[this.#step], { phrases } = this.#words;
    const lines = found?.from === found?.to ? phrases.writes_line : phrases.writes_lines;
    const words = found ? [lines, linesOf(found)] : [phrases.writes_file, ""];
    const foot = this.#root.querySelector("[data-panel-writes]");
    foot.textContent = `${fillPhrase(words[0], words[1])} `;
    foot.append(makeElement("code", "", this.#page.file));
  }

  // Each problem is shown at the innermost field whose path it begins with.
  #showProblems() {
    for (const old of this.#body.querySelectorAll(".fix[id^='problem-']")) old.remove();
    for (const field of this.#body.querySelectorAll("[aria-describedby^='problem-']")) {
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
    }
    for (const problem of this.asShown(this.#problems)) {
      const places = [this.#body, ...this.#body.querySelectorAll("[data-path]")];
      const fitting = places.filter(({ dataset }) => isWithin(problem.path, dataset.path));
      const place = fitting.reduce((best, other) => {
        return !best || other.dataset.path.length >= best.dataset.path.length ? other : best;
      }, null);
      if (place && (place !== this.#body || this.#isOwn(problem))) this.#showProblem(place, problem);
    }
  }

  #isOwn(problem) {
    const step = Object.keys(this.#document?.steps ?? {}).some(name => {
      return name !== this.#step && isWithin(problem.path, this.#readable({ step: name, path: [] }));
    });
    return !step;
  }

  #showProblem(place, problem) {
    const line = makeElement("p", `fix ${problem.severity}`), words = makeElement("span", "grow");
    line.id = `problem-${this.#body.querySelectorAll(".fix[id^='problem-']").length}`;
    const { field_text: text, field_advice: advice } = problem.words ?? {};
    words.append(...codeNodes(asSentences(text ? { text, advice } : problem)));
    line.append(iconElement(this.#page.icons, problem.severity === "hint" ? "arrow" : "warn"), words);
    if (problem.meant && this.#ctx.isWritable) {
      const use = fillPhrase(this.#words.phrases.use, problem.meant);
      line.append(wordButton("btn tiny", use, () => this.#page.fix(problem)));
    }
    const room = place.querySelector(":scope > .field-value") ?? place;
    if (place === this.#body) room.prepend(line);
    else room.append(line);
    const field = place !== this.#body && place.querySelector("input, select, textarea");
    if (!field || problem.severity === "warning") return;
    if (problem.severity === "error") field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", line.id);
  }

  // ---- focus ------------------------------------------------------------------------------------------------------

  #focusedField() {
    const field = document.activeElement;
    if (!this.#body.contains(field)) return null;
    const row = field.closest("[data-field], [data-card]");
    const [step, ...path] = row ? (row.dataset.field ?? row.dataset.card).split("/") : [];
    const key = row ? keyOf(this.#renamedPlace({ step, path })) : "";
    const index = [...(row ?? this.#body).querySelectorAll(FOCUSABLE)].indexOf(field);
    const { selectionStart: start, selectionEnd: end } = field;
    return { key, index, start, end };
  }

  #restoreFocus({ key, index, start, end }) {
    const row = key ? this.#rowOf(key) : this.#body;
    const fields = row ? [...row.querySelectorAll(FOCUSABLE)] : [];
    const field = fields[index] ?? fields.at(-1) ?? this.#body.querySelector(FOCUSABLE);
    field?.focus({ preventScroll: true });
    if (field?.matches("input[type=text], textarea") && start !== null) field.setSelectionRange(start, end);
  }

  #focusRow(key) {
    const row = this.#rowOf(key);
    row?.scrollIntoView({ block: "nearest" });
    row?.querySelector(FOCUSABLE)?.focus();
  }

  #rowOf(key) {
    return this.#body.querySelector(`[data-field="${CSS.escape(key)}"], [data-card="${CSS.escape(key)}"]`);
  }
}

// "This is empty. Fill it in." of a finding that begins with a small letter, as compilers write.
function asSentences(finding) {
  const words = sentences(finding);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.?!…]$/.test(words) ? "" : "."}`;
}

function linesOf({ from, to }) {
  return from === to ? String(from) : `${from}–${to}`;
}

function enumOf(definitions, refers) {
  const schemas = Object.values(definitions).flatMap(({ properties = {} }) => Object.values(properties));
  const all = schemas.flatMap(schema => [schema, ...(schema.anyOf ?? [])]);
  return all.find(schema => schema["x-refers"] === refers && schema.enum)?.enum ?? [];
}

function humanised(name) {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function isWithin(path, outer) {
  return Boolean(path && outer) && (path === outer || path.startsWith(`${outer}.`));
}

function lock(field) {
  if (field.matches("summary")) return;
  if (field.matches("input[type=text], textarea")) field.readOnly = true;
  else field.disabled = true;
}

/** Whether two JSON values are the same; the order of keys does not count. */
export function sameValue(one, other) {
  if (one === other) return true;
  if (!one || !other || typeof one !== "object" || typeof other !== "object") return false;
  const keys = Object.keys(one);
  return Array.isArray(one) === Array.isArray(other) && keys.length === Object.keys(other).length
    && keys.every(key => key in other && sameValue(one[key], other[key]));
}

