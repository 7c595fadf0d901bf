// The editor of YAML texts, made of CodeMirror: completion, documentation of keys, problems, search and undo.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import {
  defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory, redo, redoDepth, undo, undoDepth,
} from "@codemirror/commands";
import { yaml, yamlLanguage } from "@codemirror/lang-yaml";
import {
  bracketMatching, foldGutter, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting,
} from "@codemirror/language";
import { forceLinting, linter, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField, Text } from "@codemirror/state";
import { Decoration, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { codeNodes } from "../shared/elements.js";
import { fillPhrase } from "../shared/phrases.js";
import { completionSource, explain } from "./completion.js";
import { sentences } from "./problems.js";
import { stepRange } from "./steps.js";

const HIGHLIGHTING = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: "tok-key" },
  { tag: tags.string, class: "tok-string" },
  { tag: tags.comment, class: "tok-comment" },
  { tag: [tags.keyword, tags.bool, tags.number], class: "tok-type" },
]);

const THEME = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px", background: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono-family, ui-monospace, monospace)", lineHeight: "1.6" },
  ".cm-gutters": { background: "var(--sunken)", border: "0", color: "var(--soft)" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-activeLine, .cm-activeLineGutter": { background: "light-dark(#0000000a, #ffffff0a)" },
  ".cm-step": { background: "var(--brand-wash)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "light-dark(#bcd9d2, #24463f) !important",
  },
  ".cm-tooltip": {
    background: "var(--card)", color: "var(--ink)", border: "1px solid var(--line-strong)", borderRadius: "8px",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    background: "var(--brand)", color: "light-dark(#fff, #101210)",
  },
  ".cm-panels": { background: "var(--card)", color: "var(--ink)" },
  ".cm-foldGutter span": { opacity: ".6" },
  ".cm-diagnosticAction": { background: "var(--brand)", color: "light-dark(#fff, #101210)" },
});

const LINT_DELAY_MS = 300;
const KEY_WITHOUT_VALUE = /^( *(?:- +)*)[^\s#-][^#]*:\s*$/; // the spaces and dashes before the key

// The tinted lines of a step.
const setStepLines = StateEffect.define();
const stepLinesField = StateField.define({
  create: () => Decoration.none,
  update(lines, transaction) {
    const effect = transaction.effects.find(candidate => candidate.is(setStepLines));
    return effect ? effect.value : lines.map(transaction.changes);
  },
  provide: field => EditorView.decorations.from(field),
});

/**
 * Make the editor. `schema` is the promise of the language's JSON Schema or of null. `page` is what the page does:
 * `keys` are its key bindings, `textChanged()` and `caretMoved()` hear what their names say, and `lint(view)`
 * resolves to CodeMirror's diagnostics.
 * @param {{parent: HTMLElement, text: string, label: string, nonce: string, isWritable: boolean,
 *   schema: Promise<object|null>}} options
 */
export function makeEditor({ parent, text, label, nonce, isWritable, schema }, page) {
  const extensions = [
    EditorView.cspNonce.of(nonce), THEME, lineNumbers(), foldGutter(), history(), bracketMatching(), closeBrackets(),
    indentOnInput(), indentUnit.of("  "), highlightActiveLine(), highlightSelectionMatches(), autocompletion(),
    lintGutter(), syntaxHighlighting(HIGHLIGHTING), stepLinesField,
    // Without it a text with the line ends of Windows would come back with others, and count as changed.
    ...(text.includes("\r\n") ? [EditorState.lineSeparator.of("\r\n")] : []),
    keymap.of([
      ...page.keys, { key: "Enter", run: indentBelowKey }, ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap,
      ...lintKeymap, indentWithTab,
    ]),
    EditorView.contentAttributes.of({ "aria-label": label, "aria-multiline": "true", tabindex: "0" }),
    EditorState.readOnly.of(!isWritable),
    yaml(), yamlLanguage.data.of({ autocomplete: completionSource(schema) }),
    linter(page.lint, { delay: LINT_DELAY_MS }),
    hoverTooltip(async (view, position) => keyTooltip(view, position, await schema)),
    EditorView.updateListener.of(update => {
      if (update.docChanged) page.textChanged();
      if (update.selectionSet || update.docChanged) page.caretMoved();
    }),
  ];
  return new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
}

// A new line below a key without a value: two columns further than the key, or as far as the lines that are there.
function indentBelowKey(view) {
  const { doc, selection, readOnly } = view.state, caret = selection.main.head, line = doc.lineAt(caret);
  const [, before] = KEY_WITHOUT_VALUE.exec(line.text) ?? [];
  if (readOnly || before === undefined || !selection.main.empty || doc.sliceString(caret, line.to).trim()) return false;
  const next = line.number < doc.lines ? doc.line(line.number + 1).text.search(/\S/) : -1;
  const indent = " ".repeat(next > before.length ? next : before.length + 2);
  view.dispatch({
    changes: { from: caret, to: line.to, insert: Text.of(["", indent]) },
    selection: { anchor: caret + 1 + indent.length }, scrollIntoView: true, userEvent: "input",
  });
  return true;
}

function keyTooltip(view, position, schema) {
  const explanation = schema && explain(schema, view.state.doc, position);
  if (!explanation) return explanation;
  const { from, to } = explanation;
  return { pos: from, end: to, above: true, create: () => ({ dom: explanationElement(explanation) }) };
}

function explanationElement({ name, text }) {
  const box = document.createElement("div");
  const title = document.createElement("b");
  box.className = "cm-explained";
  title.textContent = name;
  box.append(title, ` ${text}`);
  return box;
}

/** Tint the lines of a step. `scroll` brings them into sight; `moveCaret` does too, and puts the caret there. */
export function markStep(view, name, { moveCaret = false, scroll = moveCaret } = {}) {
  const { doc } = view.state;
  const range = name && stepRange(doc, name);
  const decorations = range ? Decoration.set(lineDecorations(doc, range)) : Decoration.none;
  const transaction = { effects: [setStepLines.of(decorations)] };
  if (range && scroll) transaction.effects.push(EditorView.scrollIntoView(range.from, { y: "center" }));
  if (range && moveCaret) {
    const indent = doc.lineAt(range.from).text.search(/\S/);
    transaction.selection = { anchor: range.from + indent };
  }
  view.dispatch(transaction);
}

function lineDecorations(doc, { from, to }) {
  const decorations = [];
  for (let position = from; position <= to; position = doc.lineAt(position).to + 1) {
    decorations.push(Decoration.line({ class: "cm-step" }).range(doc.lineAt(position).from));
  }
  return decorations;
}

/**
 * CodeMirror's diagnostics of the compiler's problems. Where the compiler knows what was meant, there is a quick fix.
 */
export function diagnosticsOf(view, problems, fixPhrase) {
  return problems.map(problem => {
    const { from, to } = problemRange(view.state.doc, problem);
    const message = sentences(problem.words ?? problem);
    const actions = quickFixes(problem, fixPhrase);
    return { from, to, severity: problem.severity, message, renderMessage: () => messageElement(message), actions };
  });
}

function messageElement(message) {
  const element = document.createElement("span");
  element.append(...codeNodes(message));
  return element;
}

function quickFixes({ meant }, fixPhrase) {
  if (!meant) return [];
  const apply = (view, from, to) => view.dispatch({ changes: { from, to, insert: meant } });
  return [{ name: fillPhrase(fixPhrase, meant), apply }];
}

/** Mark problems in a text that has not changed since it was checked last. */
export function markProblems(view, problems, fixPhrase) {
  view.dispatch(setDiagnostics(view.state, diagnosticsOf(view, problems, fixPhrase)));
}

/** The range of the word at a problem's line and column, without its quotes. */
export function problemRange(doc, { line: lineNumber, column }) {
  const line = doc.line(Math.max(1, Math.min(lineNumber, doc.lines))); // the text may be shorter by now
  const from = Math.min(line.from + column - 1, line.to);
  const word = /^["']?([\w-]+)/.exec(line.text.slice(from - line.from));
  const quoteLength = word && /^["']/.test(word[0]) ? 1 : 0;
  return { from: from + quoteLength, to: Math.min(line.to, from + (word ? word[0].length : 1)) };
}

/** Put the caret and the focus at a problem's place. */
export function jumpTo(view, problem) {
  const { from } = problemRange(view.state.doc, problem);
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  view.focus();
}

/** Change the text as the fields say. What is typed in one go is one undo, and everything else is one of its own. */
export function applyChanges(view, changes, isTyped) {
  if (!changes.length) return;
  const annotations = isTyped ? [] : [isolateHistory.of("full")];
  view.dispatch({ changes, annotations, userEvent: isTyped ? "input.type.field" : "input.field" });
}

/** How many edits can be undone and redone: `{undo, redo}`. */
export function editCounts({ state }) {
  return { undo: undoDepth(state), redo: redoDepth(state) };
}

export { forceLinting, redo, undo };
