// What is offered at the caret, in texts that are no valid YAML yet. "|" is the caret.
import assert from "node:assert/strict";
import test from "node:test";
import { completionsAt, explain } from "../../static/js/studio/completion.js";
import { stepRange, stepAt, stepNames } from "../../static/js/studio/steps.js";

const ASSIGN = { $ref: "#/$defs/Assign" };
const STEPS = {
  type: "array",
  items: { oneOf: [{ $ref: "#/$defs/Say" }, { $ref: "#/$defs/Branch" }, { $ref: "#/$defs/Action" }, ASSIGN] },
};
const step = (type, properties) => ({
  type: "object", required: ["step", "type"],
  properties: {
    step: { type: "string" },
    type: { const: type },
    next: { "x-refers": "step", enum: ["elsewhere"], description: "Where the flow goes on." },
    ...properties,
  },
});
const SCHEMA = {
  anyOf: [{ $ref: "#/$defs/Flow" }],
  "x-functions": { sum: { usage: "sum(list, value)", summary: "the sum" } },
  "x-fields": { order: ["status", "address.zip"], orders: ["status", "address.zip"] },
  $defs: {
    Flow: { properties: { flow: { type: "string" }, start: { type: "boolean" }, steps: STEPS } },
    Say: step("say", { message: { type: "string" }, ack: { anyOf: [{ type: "boolean" }, { type: "null" }] } }),
    Action: step("action", {
      call: { "x-refers": "action", enum: ["pay", "ship"] },
      inputs: { type: "object", patternProperties: { "^[a-z]+$": { "x-expression": true, type: "string" } } },
    }),
    Branch: step("branch", { cases: { type: "array", items: { $ref: "#/$defs/Case" } } }),
    Case: { properties: { when: { type: "string", "x-expression": true }, next: { "x-refers": "step" } } },
    Assign: step("set", { slots: { type: "object", additionalProperties: { "x-expression": true } } }),
    Collect: step("collect", { slot: { "x-refers": "slot", enum: ["order", "orders"] } }),
  },
};

function docOf(text) {
  const lines = text.split("\n");
  const starts = lines.map((_, index) => lines.slice(0, index).reduce((sum, line) => sum + line.length + 1, 0));
  const line = number => {
    const content = lines[number - 1], from = starts[number - 1];
    return { number, text: content, from, to: from + content.length };
  };
  const lineAt = position => line(starts.findLastIndex(start => start <= position) + 1);
  return { lines: lines.length, line, lineAt, toString: () => text };
}

function offered(marked, explicit = true, schema = SCHEMA) {
  const pos = marked.indexOf("|"), doc = docOf(marked.replace("|", ""));
  const completions = completionsAt(schema, { state: { doc }, pos, explicit });
  return completions ? completions.options.map(option => option.label).sort() : [];
}

test("keys that are not there yet are offered, with those of the step's own type", () => {
  assert.deepEqual(offered("fl|"), ["flow", "start", "steps"]);
  assert.deepEqual(offered("steps:\n  - step: a\n    type: say\n    |"), ["ack", "message", "next"]);
  const twoSteps = "steps:\n  - step: a\n    type: action\n    c|\n  - step: b\n    type: say";
  assert.deepEqual(offered(twoSteps), ["call", "inputs", "next"]);
  assert.deepEqual(offered("steps:\n  - {step: a, type: action, |"), ["call", "inputs", "next"]);
});

test("values are those that the language and the assistant know", () => {
  assert.deepEqual(offered("steps:\n  - step: a\n    type: |"), ["action", "branch", "say", "set"]);
  assert.deepEqual(offered("steps:\n  - step: a\n    type: action\n    call: p|"), ["pay", "ship"]);
  assert.deepEqual(offered("steps:\n  - {step: a, type: action, call: |"), ["pay", "ship"]);
  assert.deepEqual(offered("start: |"), ["false", "true"]);
  assert.deepEqual(offered("steps:\n  - step: a\n    type: say\n    ack: |"), ["false", "true"]);
});

test("steps are those of the text as it is, however broken it is", () => {
  const text = `steps:
  - step: ask: it
  - {step: done, type: say
  - step: way
    type: branch
    cases:
      - when: [
        next: |`;

  assert.deepEqual(offered(text), ["ask", "done", "end", "way"]);
});

const SCENARIOS = {
  properties: {
    stubs: { type: "object", properties: {
      pay: { type: "array", items: { properties: { returns: { properties: { receipt: {} } }, raises: {} } } },
    } },
    scenarios: { type: "array", items: { properties: {
      name: {}, turns: { type: "array", items: { $ref: "#/$defs/Turn" } },
    } } },
  },
  $defs: {
    Turn: { properties: {
      user: {},
      commands: { type: "array", items: { anyOf: [{ enum: ["affirm", "deny"] }, { properties: {
        start_flow: { enum: ["book", "pay_fine"] },
        set_slot: { properties: { edition: { enum: ["print", "audio"] }, title: {} } },
      } }] } },
      expect: { properties: {
        messages: { type: "array", items: { anyOf: [
          { enum: ["ask:title", "done"] }, { properties: { "ask:title": { properties: { contains: {} } } } },
        ] } },
        slots: { properties: { "book.edition": { enum: ["print", "audio"] } } },
        stack: { type: "array", items: { enum: ["book", "book?title", "book!confirm"] } },
      } },
    } },
  },
};

test("in scenarios the assistant's own flows, slots, messages and standings are offered", () => {
  const start = "scenarios:\n  - name: a\n    turns:\n      - user: hi\n        ";
  const turn = rest => offered(start + rest, true, SCENARIOS);

  assert.deepEqual(turn("commands:\n          - |"), ["affirm", "deny", "set_slot", "start_flow"]);
  assert.deepEqual(turn("commands: [aff|"), ["affirm", "deny", "set_slot", "start_flow"]);
  assert.deepEqual(turn("commands:\n          - {start_flow: |"), ["book", "pay_fine"]);
  assert.deepEqual(turn("commands:\n          - {set_slot: {edition: |"), ["audio", "print"]);
  assert.deepEqual(turn("expect:\n          messages: [ask:t|"), ["ask:title", "done"]);
  assert.deepEqual(turn("expect: {stack: [\"book?|"), ["book", "book!confirm", "book?title"]);
  assert.deepEqual(turn("expect:\n          slots:\n            b|"), ["book.edition"]);
  assert.deepEqual(turn("expect:\n          slots:\n            book.edition: |"), ["audio", "print"]);
  assert.deepEqual(offered("stubs:\n  p|", true, SCENARIOS), ["pay"]);
  assert.deepEqual(offered("stubs:\n  pay:\n    - re|", true, SCENARIOS), ["raises", "returns"]);
});

test("nothing is offered unasked where nothing was typed", () => {
  assert.deepEqual(offered("steps:\n  - step: a\n    |", false), []);
});

test("a key explains itself", () => {
  const text = "steps:\n  - step: a\n    type: say\n    next: end";

  assert.equal(explain(SCHEMA, docOf(text), text.indexOf("next") + 1).text, "Where the flow goes on.");
  assert.equal(explain(SCHEMA, docOf(text), text.indexOf("end")), null);
});

test("a step is found from the caret, and its lines from its name", () => {
  const text = `flow: x
steps:
  # first
  - {step: a, type: say}
  - type: say
    step: b
    message: hi
# end`;
  const doc = docOf(text);

  assert.deepEqual(stepNames(text), ["a", "b"]);
  assert.equal(stepAt(doc, text.indexOf("hi")), "b");
  assert.equal(stepAt(doc, 2), "");
  assert.equal(text.slice(stepRange(doc, "a").from, stepRange(doc, "a").to), "  - {step: a, type: say}");
});

const CASE = "steps:\n  - step: a\n    type: branch\n    cases:\n      - ";
const SLOTS = "slots:\n  own: text\n";

test("in a condition the functions, the slots and the fields of records are offered", () => {
  const names = ["order", "orders", "own", "sum"];
  assert.deepEqual(offered(`${SLOTS}${CASE}when: |`), names);
  assert.deepEqual(offered(`${SLOTS}${CASE}when: "own > 1 and s|`), names);
  assert.deepEqual(offered(`${SLOTS}${CASE}{when: "own > s|`), names);
  assert.ok(offered(`${SLOTS}${CASE}when: order.s|`).includes("order.status"));
  assert.ok(!offered(`${SLOTS}${CASE}when: order.s|`).includes("sum"));
  assert.ok(offered(`${SLOTS}${CASE}when: "sum(orders, |`).includes("status"));
  assert.ok(offered("steps:\n  - step: a\n    type: action\n    inputs: {total: s|").includes("sum"));
  assert.ok(offered("steps:\n  - step: a\n    type: action\n    inputs:\n      total: o|").includes("orders"));
});

test("in a text, and in a value of set without an equals sign, no expression is offered", () => {
  assert.deepEqual(offered(`${SLOTS}${CASE}when: "own == 'su|`), []);
  const assign = "steps:\n  - step: a\n    type: set\n    slots:\n      total: ";
  assert.deepEqual(offered(`${SLOTS}${assign}"=o|`), ["order", "orders", "own", "sum"]);
  assert.deepEqual(offered(`${SLOTS}${assign}o|`), []);
  assert.deepEqual(offered(`${SLOTS}steps:\n  - step: a\n    type: say\n    message: su|`), []);
});

test("the records of the text are types of its slots, in long and short form, beside those that are saved", () => {
  const type = { anyOf: [{ enum: ["text", "list"] }, { "x-refers": "record", enum: ["order"] }] };
  const short = { "x-refers": "slot_type", enum: ["text", "order", "list of order"] };
  const Slot = { properties: { type } };
  const slots = { type: "object", patternProperties: { "^[a-z]+$": { anyOf: [{ $ref: "#/$defs/Slot" }, short] } } };
  const schema = { anyOf: [{ $ref: "#/$defs/Head" }], $defs: { Head: { properties: { slots } }, Slot } };
  const text = "records:\n  item:\n    fields: {name: text}\n";

  const types = offered(`${text}slots:\n  current: {type: |`, true, schema);
  assert.deepEqual(types, ["item", "list", "order", "text"]);
  const words = offered(`${text}slots:\n  current: |`, true, schema);
  const expected = ["item", "list of item", "optional list of item", "list of order"];
  assert.deepEqual(expected.filter(word => !words.includes(word)), []);
});
