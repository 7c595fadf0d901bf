// The page of a scenario file: its text in the same editor as a flow's. Bundled by esbuild; without the bundle the
// plain field stays.
import { diagnosticsOf, makeEditor } from "./editor.js";

const field = document.getElementById("text");
const parent = document.querySelector("[data-editor]");
const { schema: schemaUrl, check: checkUrl, label, mend: fixPhrase, nonce } = parent.dataset;
let problems = [];

parent.hidden = false;
field.hidden = true;
const view = makeEditor(
  { parent, text: field.value, label, nonce, isWritable: true, schema: fetchSchema(schemaUrl) },
  {
    keys: [{ key: "Mod-s", run: submit, preventDefault: true }, { key: "Escape", run: leave }],
    textChanged: () => { field.value = view.state.sliceDoc(); },
    caretMoved() {},
    lint,
  },
);
if (!document.querySelector("[autofocus]")) view.focus();

// CodeMirror takes a key as handled when its command returns true.
function submit() {
  field.form.requestSubmit();
  return true;
}

// Tab indents in the editor, so Esc leads on to the button.
function leave(editorView) {
  editorView.contentDOM.blur();
  field.form.querySelector("[data-send]").focus();
  return true;
}

async function fetchSchema(url) {
  const response = await fetch(url).catch(() => null);
  return response?.ok ? response.json() : null;
}

async function lint(editorView) {
  const text = editorView.state.sliceDoc(), body = new FormData(field.form);
  const response = await fetch(checkUrl, { method: "POST", body }).catch(() => null);
  // The problems of a text that has changed meanwhile would stand at wrong places.
  if (response?.ok && editorView.state.sliceDoc() === text) problems = (await response.json()).problems;
  return diagnosticsOf(editorView, problems, fixPhrase);
}
