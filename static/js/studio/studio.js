// The page of a flow: its text in the editor, its problems, its graph and its test, kept in step. Bundled by esbuild;
// without the bundle plain.js takes its place.
import { fillPhrase } from "../shared/phrases.js";
import { Canvas } from "./canvas.js";
import {
  applyChanges, diagnosticsOf, editCounts, forceLinting, jumpTo, makeEditor, markProblems, markStep, problemRange, redo,
  undo,
} from "./editor.js";
import { FlowSaver } from "./flow_saver.js";
import { Panel } from "./panel/panel.js";
import { isOnPage, problemItem, showProblems, watchProblems } from "./problems.js";
import * as server from "./server.js";
import { stepAt } from "./steps.js";
import { TestPane } from "./test_pane.js";
import { ValueEdits } from "./value_edits.js";
import { EditorViews } from "./views.js";

const page = document.querySelector("[data-studio]");
const editor = page.querySelector("[data-editor]");
const isWritable = "writes" in page.dataset;
const fixPhrase = editor.dataset.mend;
let problems = [];
let testPane = null;
let lastCheck = null; // {text, body} of the newest check
let isFieldChange = false; // the text is changed by a field, so the caret selects no step
let markedStep = ""; // the step whose lines are tinted, while it is the one at the caret; else null

const saver = new FlowSaver(page, editorText, () => valueEdits.settled());
const canvas = new Canvas(page.dataset.icons, {
  edit: editGraph,
  stepSelected,
  focusFields,
  drawn: () => testPane?.showOnGraph(),
  showFailure: text => saver.showFailure(text),
  wayWords,
});
const schema = server.fetchSchema().then(({ status, body }) => status === 200 ? body : null);
const view = makeEditor(
  {
    parent: editor,
    text: document.getElementById("text").value,
    label: editor.dataset.label,
    nonce: page.dataset.nonce,
    isWritable,
    schema,
  },
  {
    keys: [
      { key: "Mod-s", run: handled(() => saver.save()), preventDefault: true },
      { key: "Shift-Alt-f", run: handled(format) },
      { key: "Escape", run: handled(leaveText) },
      { key: "Mod-Enter", run: focusTest },
    ],
    textChanged,
    caretMoved,
    lint,
  },
);
const valueEdits = new ValueEdits({
  text: () => view.state.doc.toString(),
  apply: applyFieldChanges,
  checked: showCheck,
  refused: checkAgain,
  away: page.querySelector("[data-status]").dataset.away,
});
const words = panelWords();
const panel = new Panel(page.querySelector("[data-views]"), words, {
  edit: (edits, { isTyped = false }) => valueEdits.set(edits, isTyped),
  rename: (step, name) => editGraph("rename", step, name),
  fix: fixInText,
  judged: showAllProblems,
  leave: leavePanel,
  flow: page.dataset.flow,
  file: page.querySelector("[data-problems]").dataset.file,
  icons: page.dataset.icons,
  isWritable,
  declareAction,
});
const views = new EditorViews(page, { shown: () => view.requestMeasure() });
schema.then(loaded => loaded && panel.schemaLoaded(loaded));
page.querySelector("[data-panel-yaml]").addEventListener("click", showInText);
page.querySelector("[data-panel-close]").addEventListener("click", closeStep);
const pane = page.querySelector("[data-trial]");
if (pane) {
  testPane = new TestPane(pane, page.dataset.flow, {
    text: editorText, draftSaved: () => saver.draftSaved(), stepReached: showTestedStep,
  });
}
page.querySelector(".source")?.remove(); // the text as the server rendered it
page.querySelector("[data-save]")?.addEventListener("click", () => saver.save());
page.querySelector("[data-format]")?.addEventListener("click", format);
for (const button of page.querySelectorAll("[data-problems-jump], [data-problems-show]")) {
  button.addEventListener("click", jumpToFirstProblem);
}
page.querySelector("[data-undo]")?.addEventListener("click", () => takeBack(undo));
page.querySelector("[data-redo]")?.addEventListener("click", () => takeBack(redo));
document.addEventListener("keydown", undoOutsideText);
document.addEventListener("soni:checked", event => setProblems(event.detail));
watchProblems(jumpInText);
addEventListener("hashchange", followAddress);
followAddress();

function editorText() {
  return view.state.sliceDoc();
}

// ---- keys ---------------------------------------------------------------------------------------------------------

// CodeMirror takes a key as handled when its command returns true.
function handled(command) {
  return () => {
    command();
    return true;
  };
}

// Tab indents in the text, so Esc leads from it to the selected or the first step of the graph.
function leaveText() {
  view.contentDOM.blur();
  const selected = document.querySelector("[data-graph] [aria-current]");
  (selected ?? document.querySelector("[data-graph] [data-step]"))?.focus();
}

function focusTest() {
  testPane?.focus();
  return Boolean(testPane);
}

// Outside of the text, on the graph and in the fields of a step, the usual keys undo edits of the text. Other fields
// have their own history.
function undoOutsideText(event) {
  const hasControl = (event.ctrlKey || event.metaKey) && !event.altKey;
  if (event.defaultPrevented || !hasControl || document.querySelector("dialog[open]")) return;
  const isField = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (isField && !event.target.closest("[data-panel]")) return;
  const key = event.key.toLowerCase(), isRedo = key === "y" || (key === "z" && event.shiftKey);
  if (!isRedo && key !== "z") return;
  event.preventDefault();
  takeBack(isRedo ? redo : undo);
}

// The fields follow at once, not after the pause of the typing.
async function takeBack(command) {
  await valueEdits.settled();
  isFieldChange = true;
  command(view);
  isFieldChange = false;
  forceLinting(view);
}

// ---- the text -----------------------------------------------------------------------------------------------------

function textChanged() {
  if (isWritable) saver.textChanged();
  testPane?.textChanged();
  const counts = editCounts(view);
  for (const name of ["undo", "redo"]) {
    page.querySelector(`[data-${name}]`)?.setAttribute("aria-disabled", String(!counts[name]));
  }
}

function caretMoved() {
  if (!view || isFieldChange) return;
  const step = stepAt(view.state.doc, view.state.selection.main.head);
  canvas.select(step);
  panel?.select(step);
  if (step === markedStep) return;
  markedStep = step;
  queueMicrotask(() => markStep(view, step)); // CodeMirror allows no change while it reports one
}

// The caret stays where it is, because the author may be typing.
function showTestedStep(step) {
  markStep(view, step, { scroll: true });
  markedStep = null;
}

// An edit of the graph is a change of the text, so that one Ctrl+Z undoes it. Resolves to why it was refused, or "".
function editGraph(act, ...args) {
  return valueEdits.doBetween(() => changeGraph(act, args));
}

async function changeGraph(act, args) {
  const text = view.state.doc.toString();
  const { status, body } = await server.edit(text, act, ...args);
  if (status !== 200) return body.detail ?? page.querySelector("[data-status]").dataset.away;
  if (view.state.doc.toString() !== text) return changeGraph(act, args); // the changes are those of another text
  if (act === "rename") {
    valueEdits.stepRenamed(args[0], body.select);
    panel.stepRenamed(args[0], body.select);
  }
  if (body.changes.length) view.dispatch({ changes: body.changes, userEvent: "input.graph" });
  markedStep = body.select;
  markStep(view, body.select, { moveCaret: true });
  canvas.select(body.select);
  if (act === "add") panel.stepAdded(body.select);
  panel.select(body.select);
  if (act === "add") views.openFields();
  forceLinting(view);
  return "";
}

// ---- the fields ---------------------------------------------------------------------------------------------------

function panelWords() {
  return JSON.parse(document.getElementById("panel-words").textContent);
}

// What a key of a step type that leads to another step is called, such as "If it fails" for "on_error".
function wayWords(type, way) {
  const { labels } = words, part = type.charAt(0).toUpperCase() + type.slice(1);
  return labels[`${part}.${way}`] ?? labels[way] ?? way;
}

function stepSelected(step, { byKeyboard }) {
  markStep(view, step, { moveCaret: true });
  panel.select(step);
  if (views.openFields() && byKeyboard) panel.select(step, { focus: true });
}

// Returns whether the fields are shown.
function focusFields() {
  if (views.view !== "fields") return false;
  panel.select(panel.step, { focus: true });
  return true;
}

function applyFieldChanges(changes, isTyped) {
  isFieldChange = true;
  applyChanges(view, changes, isTyped);
  isFieldChange = false;
}

function showCheck(text, body) {
  lastCheck = { text, body };
  problems = body.problems;
  canvas.draw(body.graph, body.sketch);
  panel.update(body.document, problems.filter(isOnPage));
  showAllProblems();
  forceLinting(view);
  document.dispatchEvent(new CustomEvent("soni:fields-written")); // for measurements
}

// Writes a contract into the assistant's own document. Resolves to why it was refused, or "".
async function declareAction(name) {
  const { phrases } = words;
  const { status, body } = await server.fetchDocument("assistant");
  if (status !== 200) return body.detail ?? page.querySelector("[data-status]").dataset.away;
  if (body.draft) return phrases.settings_have_draft;
  const edit = { step: "", path: ["actions", name], value: {}, order: [] };
  const changed = await server.setValues(body.text, [edit], "assistant");
  if (changed.status !== 200) return changed.body.detail ?? "";
  const text = withChanges(body.text, changed.body.changes);
  const note = fillPhrase(phrases.action_declared, name);
  const saved = await server.saveVersion(text, body.version, note, "assistant");
  if (saved.status >= 300 || !saved.status) return saved.body.detail ?? "";
  const loaded = await server.fetchSchema();
  if (loaded.status === 200) panel.schemaLoaded(loaded.body);
  await checkAgain();
  return "";
}

// The text is the same, but other documents have changed.
async function checkAgain() {
  const text = editorText();
  const { status, body } = await server.check(text);
  await valueEdits.settled();
  if (status !== 200 || editorText() !== text) return;
  showCheck(text, body);
  markProblems(view, problems.filter(isOnPage), fixPhrase);
}

// The changes are those of the given text, so they are made from its end.
function withChanges(text, changes) {
  const last = [...changes].sort((one, other) => other.from - one.from);
  return last.reduce((done, { from, to, insert }) => done.slice(0, from) + insert + done.slice(to), text);
}

function leavePanel(step) {
  views.closeOnPhone();
  canvas.focusStep(step);
}

function closeStep() {
  const { step } = panel;
  views.closeOnPhone();
  canvas.deselect();
  panel.select("");
  canvas.focusStep(step);
}

function showInText() {
  const { step } = panel;
  views.show("yaml");
  if (step) markStep(view, step, { moveCaret: true });
  view.focus();
}

function jumpInText(position) {
  views.show("yaml");
  jumpTo(view, position);
}

function fixInText(problem) {
  const { from, to } = problemRange(view.state.doc, problem);
  applyFieldChanges([{ from, to, insert: problem.meant }], false);
  forceLinting(view);
}

async function format() {
  const text = view.state.doc.toString();
  const { status, body } = await server.format(text);
  if (status !== 200) return saver.showFailure(body.detail ?? "");
  saver.showFailure("");
  view.dispatch({ changes: changedRange(text, body.text) });
}

// The part that differs between two texts, so that the caret and the undo history keep their places.
function changedRange(oldText, newText) {
  let start = 0, end = 0; // the lengths of what both texts begin and end with
  while (start < oldText.length && oldText[start] === newText[start]) start += 1;
  const maxEnd = Math.min(oldText.length, newText.length) - start;
  while (end < maxEnd && oldText.at(-1 - end) === newText.at(-1 - end)) end += 1;
  return { from: start, to: oldText.length - end, insert: newText.slice(start, newText.length - end) };
}

// An address with "#line-12" leads to that line.
function followAddress() {
  const [, line] = /^#line-(\d+)$/.exec(location.hash) ?? [];
  if (line) jumpInText({ line: Number(line), column: 1 });
  const [, field] = /^#field=(.+)$/.exec(location.hash) ?? [];
  if (!field) return;
  views.show("fields");
  panel.focusField(decodeURIComponent(field));
}

// ---- problems -----------------------------------------------------------------------------------------------------

async function lint(editorView) {
  const text = editorView.state.doc.toString();
  if (lastCheck?.text !== text) {
    const { status, body } = await server.check(text);
    await valueEdits.settled(); // until then the fields are ahead of the text
    if (status === 200 && editorView.state.doc.toString() === text) {
      lastCheck = { text, body };
      problems = body.problems;
      canvas.draw(body.graph, body.sketch);
      panel.update(body.document, problems.filter(isOnPage));
      showAllProblems();
    }
  }
  return diagnosticsOf(editorView, problems.filter(isOnPage), fixPhrase);
}

// The text was to be saved and is refused.
function setProblems(newProblems) {
  problems = newProblems;
  panel.judgeAll();
  showAllProblems();
  forceLinting(view);
}

function showAllProblems() {
  showProblems(panel.asShown(problems), itemWithFix);
  canvas.showProblems(problemsByStep());
}

// The innermost step around the line of each problem.
function problemsByStep() {
  const steps = Object.entries(lastCheck?.body.document?.steps ?? {}), found = new Map();
  for (const problem of panel.asShown(problems.filter(isOnPage))) {
    const around = steps.filter(([, { from, to }]) => from <= problem.line && problem.line <= to);
    const [name] = around.sort(([, one], [, other]) => other.from - one.from)[0] ?? [];
    if (name) found.set(name, [...found.get(name) ?? [], problem]);
  }
  return found;
}

function itemWithFix(problem) {
  const item = problemItem(problem);
  if (problem.meant && isWritable && isOnPage(problem)) item.append(fixButton(problem));
  return item;
}

function fixButton(problem) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "btn tiny" });
  button.textContent = fillPhrase(fixPhrase, problem.meant);
  button.addEventListener("click", () => fix(problem));
  return button;
}

function fix(problem) {
  const { from, to } = problemRange(view.state.doc, problem);
  view.dispatch({ changes: { from, to, insert: problem.meant }, selection: { anchor: from } });
  views.show("yaml");
  view.focus();
}

// The problems of other documents are links in the list below the text.
function showOtherProblems() {
  if (!problems.length) return;
  views.show("yaml");
  page.querySelector("[data-problems] a")?.focus();
}

function jumpToFirstProblem() {
  const problem = problems.find(isOnPage);
  if (!problem) return showOtherProblems();
  if (views.view === "fields" && panel.showProblem(problem)) canvas.select(panel.step);
  else jumpInText(problem);
}
