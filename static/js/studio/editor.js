// The text as CodeMirror shows it: YAML, completion, documentation, problems, search, undo.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { yaml, yamlLanguage } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { forceLinting, linter, lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { filled } from "../shared/phrases.js";
import { completion, explain } from "./completion.js";
import { placeOf } from "./steps.js";

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: "tok-key" },
  { tag: tags.string, class: "tok-string" },
  { tag: tags.comment, class: "tok-comment" },
  { tag: [tags.keyword, tags.bool, tags.number], class: "tok-type" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px", background: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono-family, ui-monospace, monospace)", lineHeight: "1.6" },
  ".cm-gutters": { background: "var(--sunken)", border: "0", color: "var(--soft)" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-activeLine, .cm-activeLineGutter": { background: "light-dark(#0000000a, #ffffff0a)" },
  ".cm-step": { background: "var(--brand-wash)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "light-dark(#bcd9d2, #24463f) !important" },
  ".cm-tooltip": { background: "var(--card)", color: "var(--ink)", border: "1px solid var(--line-strong)", borderRadius: "8px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--brand)", color: "light-dark(#fff, #101210)" },
  ".cm-panels": { background: "var(--card)", color: "var(--ink)" },
  ".cm-foldGutter span": { opacity: ".6" },
  ".cm-diagnosticAction": { background: "var(--brand)", color: "light-dark(#fff, #101210)" },
});

const mark = StateEffect.define();
const marked = StateField.define({
  create: () => Decoration.none,
  update(lines, transaction) {
    const asked = transaction.effects.find(effect => effect.is(mark));
    return asked ? asked.value : lines.map(transaction.changes);
  },
  provide: field => EditorView.decorations.from(field),
});

/**
 * The editor in its place. `told` are what the page wants to know: `typed()`, `moved()`, `problemsOf(view)`.
 * @param {{parent: HTMLElement, text: string, label: string, nonce: string, writes: boolean, schema: Promise<object|null>}} place
 */
export function makeEditor({ parent, text, label, nonce, writes, schema }, told) {
  const separator = text.includes("\r\n") ? [EditorState.lineSeparator.of("\r\n")] : [];
  const extensions = [
    EditorView.cspNonce.of(nonce), look, lineNumbers(), foldGutter(), history(), bracketMatching(), closeBrackets(), indentOnInput(),
    indentUnit.of("  "), highlightActiveLine(), highlightSelectionMatches(), autocompletion(), lintGutter(), syntaxHighlighting(colours), marked, ...separator,
    keymap.of([...told.keys, ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap, indentWithTab]),
    EditorView.contentAttributes.of({ "aria-label": label, "aria-multiline": "true", tabindex: "0" }),
    EditorState.readOnly.of(!writes),
    yaml(), yamlLanguage.data.of({ autocomplete: completion(schema) }),
    linter(told.problemsOf, { delay: 300 }),
    hoverTooltip(async (view, position) => tooltip(view, position, await schema)),
    EditorView.updateListener.of(update => {
      if (update.docChanged) told.typed();
      if (update.selectionSet || update.docChanged) told.moved();
    }),
  ];
  return new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
}

function tooltip(view, position, root) {
  const found = root && explain(root, view.state.doc, position);
  return found && { pos: found.from, end: found.to, above: true, create: () => ({ dom: explanation(found) }) };
}

function explanation({ name, text }) {
  const box = document.createElement("div");
  const title = document.createElement("b");
  box.className = "cm-explained";
  title.textContent = name;
  box.append(title, ` ${text}`);
  return box;
}

/** Tints the lines of a step; `scroll` brings them into sight, `reveal` takes the caret along. */
export function markStep(view, name, { reveal = false, scroll = reveal } = {}) {
  const place = name && placeOf(view.state.doc, name);
  const effects = [mark.of(place ? Decoration.set(linesIn(view, place)) : Decoration.none)];
  if (place && scroll) effects.push(EditorView.scrollIntoView(place.from, { y: "center" }));
  view.dispatch({ effects, ...(place && reveal ? { selection: { anchor: place.from + view.state.doc.lineAt(place.from).text.search(/\S/) } } : {}) });
}

function linesIn(view, { from, to }) {
  const lines = [];
  for (let at = from; at <= to; at = view.state.doc.lineAt(at).to + 1) lines.push(Decoration.line({ class: "cm-step" }).range(view.state.doc.lineAt(at).from));
  return lines;
}

/** CodeMirror's diagnostics of the compiler's problems; those with a name that was meant have a quick fix. */
export function diagnostics(view, problems, mend) {
  return problems.map(problem => {
    const { from, to } = span(view.state.doc, problem);
    const message = problem.advice ? `${problem.text}. ${problem.advice}` : problem.text;
    const actions = problem.meant ? [{ name: filled(mend, problem.meant), apply: (inside, at, end) => inside.dispatch({ changes: { from: at, to: end, insert: problem.meant } }) }] : [];
    return { from, to, severity: problem.severity, message, actions };
  });
}

/** The word at a problem's place. */
export function span(doc, { line, column }) {
  const found = doc.line(Math.max(1, Math.min(line, doc.lines)));
  const from = Math.min(found.from + column - 1, found.to);
  const word = /^["']?([\w-]+)/.exec(found.text.slice(from - found.from));
  const quoted = word && /^["']/.test(word[0]) ? 1 : 0;
  return { from: from + quoted, to: Math.min(found.to, from + (word ? word[0].length : 1)) };
}

export function jump(view, problem) {
  const { from } = span(view.state.doc, problem);
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  view.focus();
}

/** What can be taken back, and what of it done again: `{undo, redo}`, as numbers of edits. */
export function depths({ state }) {
  return { undo: undoDepth(state), redo: redoDepth(state) };
}

export { forceLinting, redo, undo };
