// The page of a flow without the bundled editor: its text in a plain field, which is saved, checked and tested.
import { FlowSaver } from "./flow_saver.js";
import { showProblems, watchProblems } from "./problems.js";
import * as server from "./server.js";
import { TestPane } from "./test_pane.js";

const page = document.querySelector("[data-studio]");
const field = document.getElementById("text");
const saver = new FlowSaver(page, () => field.value);

const pane = page.querySelector("[data-trial]");
const testPane = pane && new TestPane(pane, page.dataset.flow, {
  text: () => field.value, draftSaved: () => saver.draftSaved(), stepReached: () => {},
});

field.addEventListener("input", () => {
  saver.textChanged();
  testPane?.textChanged();
});
page.querySelector("[data-save]")?.addEventListener("click", () => saver.save());
page.querySelector("[data-format]")?.addEventListener("click", format);
page.querySelector("[data-check]")?.addEventListener("click", check);
document.addEventListener("soni:checked", event => showProblems(event.detail));
watchProblems(jumpTo);

async function check() {
  const { status, body } = await server.check(field.value);
  if (status === 200) showProblems(body.problems);
}

async function format() {
  const { status, body } = await server.format(field.value);
  saver.showFailure(status === 200 ? "" : body.detail ?? "");
  if (status === 200) field.value = body.text;
}

function jumpTo({ line, column }) {
  const linesBefore = field.value.split("\n").slice(0, line - 1).join("\n");
  const lineStart = linesBefore.length + (line > 1 ? 1 : 0);
  const position = lineStart + column - 1;
  field.focus();
  field.setSelectionRange(position, position);
}
