// The text of scenarios, with the flow editor's completion and problems. Bundled by esbuild; without it the field stays.
import { diagnostics, makeEditor } from "./editor.js";

const field = document.getElementById("text");
const place = document.querySelector("[data-editor]");
const { schema: schemaAt, check, label, mend, nonce } = place.dataset;
let problems = [];

const save = () => (field.form.requestSubmit(), true);
place.hidden = false;
field.hidden = true;
const view = makeEditor(
  { parent: place, text: field.value, label, nonce, writes: true, schema: fetched(schemaAt) },
  { keys: [{ key: "Mod-s", run: save, preventDefault: true }, { key: "Escape", run: leave }], typed: () => (field.value = view.state.sliceDoc()), moved() {}, problemsOf },
);
if (!document.querySelector("[autofocus]")) view.focus();

// Esc leads on to the button, so that Tab may indent.
function leave(inside) {
  inside.contentDOM.blur();
  field.form.querySelector("[data-send]").focus();
  return true;
}

async function fetched(address) {
  const answer = await fetch(address).catch(() => null);
  return answer?.ok ? answer.json() : null;
}

async function problemsOf(inside) {
  const text = inside.state.sliceDoc(), body = new FormData(field.form);
  const answer = await fetch(check, { method: "POST", body }).catch(() => null);
  if (answer?.ok && inside.state.sliceDoc() === text) problems = (await answer.json()).problems;
  return diagnostics(inside, problems, mend);
}
