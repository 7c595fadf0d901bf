// The flow's text in a plain field: keeping, checking and saving without the bundled editor.
import { filled } from "../shared/phrases.js";
import { Beside } from "./test_pane.js";
import { Keeper } from "./flow_saver.js";
import { entryOf } from "./problems.js";
import * as server from "./server.js";

const page = document.querySelector("[data-studio]");
const field = document.getElementById("text");
const list = page.querySelector("[data-problems]");
const keeper = new Keeper(page, () => field.value);

const pane = page.querySelector("[data-trial]");
const beside = pane && new Beside(pane, page.dataset.flow, { text: () => field.value, settle: () => keeper.settle(), stands: () => {} });

field.addEventListener("input", () => {
  keeper.typed();
  beside?.typed();
});
page.querySelector("[data-save]")?.addEventListener("click", () => keeper.save());
page.querySelector("[data-format]")?.addEventListener("click", format);
page.querySelector("[data-check]")?.addEventListener("click", check);
document.addEventListener("soni:checked", event => tell(event.detail));
list.addEventListener("click", event => jump(event.target.closest("[data-at]")));

async function check() {
  const { status, body } = await server.check(field.value);
  if (status === 200) tell(body.problems);
}

async function format() {
  const { status, body } = await server.format(field.value);
  keeper.fail(status === 200 ? "" : body.detail ?? "");
  if (status === 200) field.value = body.text;
}

function tell(problems) {
  const count = page.querySelector("[data-count]"), words = count.parentElement.dataset;
  count.textContent = problems.length === 0 ? words.none : problems.length === 1 ? words.one : filled(words.many, problems.length);
  list.replaceChildren(...problems.map(entryOf));
}

function jump(button) {
  if (!button) return;
  const [number, column] = button.dataset.at.split(":").map(Number);
  const before = field.value.split("\n").slice(0, number - 1).join("\n");
  const at = before.length + (number > 1 ? 1 : 0) + column - 1;
  field.focus();
  field.setSelectionRange(at, at);
}
