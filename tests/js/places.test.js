import assert from "node:assert/strict";
import test from "node:test";
import {
  fullPath, nameFrom, readablePath, valueAt, withRenamedKey, withValue,
} from "../../static/js/studio/panel/places.js";

const tree = { flow: "send", steps: [{ step: "ask", slot: "amount" }, { step: "each", do: [{ step: "tell" }] }] };
const document = { tree, steps: { ask: { path: ["steps", 0] }, tell: { path: ["steps", 1, "do", 0] } } };

test("a place is found below its step", () => {
  assert.deepEqual(fullPath(document, { step: "tell", path: ["message"] }), ["steps", 1, "do", 0, "message"]);
  assert.equal(valueAt(document, { step: "ask", path: ["slot"] }), "amount");
  assert.equal(valueAt(document, { step: "gone", path: ["slot"] }), undefined);
});

test("a value is set in a copy", () => {
  const changed = withValue(tree, ["steps", 0, "next"], "end");
  assert.equal(changed.steps[0].next, "end");
  assert.equal(tree.steps[0].next, undefined);
  assert.deepEqual(withValue({ a: [1, 2] }, ["a", 0], undefined), { a: [2] });
  assert.deepEqual(withValue({}, ["slots", "who", "type"], "text"), { slots: { who: { type: "text" } } });
});

test("a path reads as problems write it", () => {
  assert.equal(readablePath("send", tree, ["steps", 1, "do", 0, "message"]), "send.steps.each.do.tell.message");
});

test("names are made of words, and keys keep their place", () => {
  assert.equal(nameFrom("New daily límit (€)"), "new_daily_limit");
  assert.deepEqual(Object.keys(withRenamedKey({ a: 1, b: 2, c: 3 }, "b", "x")), ["a", "x", "c"]);
});
