// The page of a flow: the text, its problems and its graph, kept together. Bundled by esbuild.
import { filled } from "../shared/phrases.js";
import { Beside } from "./test_pane.js";
import { Canvas } from "./canvas.js";
import { depths, diagnostics, forceLinting, jump, makeEditor, markStep, redo, undo } from "./editor.js";
import * as server from "./server.js";
import { Keeper } from "./flow_saver.js";
import { entryOf, isHere } from "./problems.js";
import { stepAt } from "./steps.js";

const page = document.querySelector("[data-studio]");
const field = document.getElementById("text");
const place = page.querySelector("[data-editor]");
const list = page.querySelector("[data-problems]");
const writes = "writes" in page.dataset;
const pane = page.querySelector("[data-trial]");
let problems = [], beside = null;

const keeper = new Keeper(page, () => view.state.sliceDoc());
const canvas = new Canvas(page.dataset.icons, { act, chosen: step => markStep(view, step, { reveal: true }), drawn: () => beside?.follow(), failed: keeper.fail });
const view = makeEditor(
  { parent: place, text: field.value, label: place.dataset.label, nonce: page.dataset.nonce, writes, schema: server.schema().then(answer => (answer.status === 200 ? answer.body : null)) },
  { keys: [{ key: "Mod-s", run: () => (keeper.save(), true), preventDefault: true }, { key: "Shift-Alt-f", run: () => (format(), true) }, { key: "Escape", run: leave }, { key: "Mod-Enter", run: tryIt }], typed, moved, problemsOf },
);
if (pane) beside = new Beside(pane, page.dataset.flow, { text: () => view.state.sliceDoc(), settle: () => keeper.settle(), stands });
page.querySelector(".source")?.remove();
page.querySelector("[data-save]")?.addEventListener("click", () => keeper.save());
page.querySelector("[data-format]")?.addEventListener("click", format);
page.querySelector("[data-problems-jump]").addEventListener("click", () => problems.some(isHere) && jump(view, problems.find(isHere)));
page.querySelector("[data-undo]")?.addEventListener("click", () => undo(view));
page.querySelector("[data-redo]")?.addEventListener("click", () => redo(view));
document.addEventListener("keydown", takeBack);
document.addEventListener("soni:checked", event => take(event.detail));
list.addEventListener("click", event => pick(event.target.closest("[data-at]")));
addEventListener("hashchange", follow);
follow();

// Esc leads from the text to the graph's first step or the chosen one, so that Tab may indent.
function leave(inside) {
  inside.contentDOM.blur();
  (document.querySelector("[data-graph] [aria-current]") ?? document.querySelector("[data-graph] [data-step]"))?.focus();
  return true;
}

function tryIt() {
  beside?.focus();
  return Boolean(beside);
}

function typed() {
  if (writes) keeper.typed();
  beside?.typed();
  const edits = depths(view);
  for (const name of ["undo", "redo"]) page.querySelector(`[data-${name}]`)?.setAttribute("aria-disabled", String(!edits[name]));
}

// Outside of the text, on the graph above all, the keys take back what was done there; a field has its own history.
function takeBack(event) {
  if (event.defaultPrevented || !(event.ctrlKey || event.metaKey) || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
  const key = event.key.toLowerCase(), again = key === "y" || (key === "z" && event.shiftKey);
  if (!again && key !== "z") return;
  event.preventDefault();
  (again ? redo : undo)(view);
}

// The lines of the step where the test stands; the caret stays where it is.
function stands(step) {
  markStep(view, step, { scroll: true });
  shown = null;
}

async function problemsOf(inside) {
  const text = inside.state.doc.toString();
  const { status, body } = await server.check(text);
  if (status !== 200 || inside.state.doc.toString() !== text) return diagnostics(inside, problems.filter(isHere), place.dataset.mend);
  problems = body.problems;
  canvas.draw(body.graph);
  tell();
  return diagnostics(inside, problems.filter(isHere), place.dataset.mend);
}

function take(found) {
  problems = found;
  tell();
  forceLinting(view);
}

function tell() {
  const count = page.querySelector("[data-count]"), chip = count.parentElement;
  chip.classList.toggle("warm", problems.length > 0);
  count.textContent = problems.length === 0 ? chip.dataset.none : problems.length === 1 ? chip.dataset.one : filled(chip.dataset.many, problems.length);
  list.replaceChildren(...problems.map(line));
}

function line(problem) {
  const item = entryOf(problem);
  if (problem.meant && writes && isHere(problem)) item.append(mending(problem));
  return item;
}

function mending(problem) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "btn tiny" });
  button.textContent = filled(place.dataset.mend, problem.meant);
  button.addEventListener("click", () => mend(problem));
  return button;
}

function mend(problem) {
  const [{ from, to }] = diagnostics(view, [problem], "");
  view.dispatch({ changes: { from, to, insert: problem.meant }, selection: { anchor: from } });
  view.focus();
}

function pick(button) {
  if (!button) return;
  const [lineNumber, column] = button.dataset.at.split(":").map(Number);
  jump(view, { line: lineNumber, column });
}

let shown = "";
function moved() {
  if (!view) return;
  const step = stepAt(view.state.doc, view.state.selection.main.head);
  canvas.choose(step);
  if (step === shown) return;
  shown = step;
  queueMicrotask(() => markStep(view, step));
}

// An edit of the graph is a change of the text, so that one Ctrl+Z takes it back.
async function act(name, ...words) {
  const text = view.state.doc.toString();
  const { status, body } = await server.edit(text, name, ...words);
  if (status !== 200) return body.detail ?? page.querySelector("[data-status]").dataset.away;
  if (view.state.doc.toString() !== text) return act(name, ...words);
  if (body.changes.length) view.dispatch({ changes: body.changes, userEvent: "input.graph" });
  shown = body.select;
  markStep(view, body.select, { reveal: true });
  canvas.choose(body.select);
  forceLinting(view);
  return "";
}

async function format() {
  const text = view.state.doc.toString();
  const { status, body } = await server.format(text);
  if (status !== 200) return keeper.fail(body.detail ?? "");
  keeper.fail("");
  view.dispatch({ changes: smallest(text, body.text) });
}

// What differs between two texts, so that the caret and the undo history keep their places.
function smallest(old, text) {
  let from = 0, end = 0;
  while (from < old.length && old[from] === text[from]) from += 1;
  while (end < Math.min(old.length, text.length) - from && old.at(-1 - end) === text.at(-1 - end)) end += 1;
  return { from, to: old.length - end, insert: text.slice(from, text.length - end) };
}

function follow() {
  const [, number] = /^#line-(\d+)$/.exec(location.hash) ?? [];
  if (number) jump(view, { line: Number(number), column: 1 });
}
