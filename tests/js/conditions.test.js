import assert from "node:assert/strict";
import test from "node:test";
import { parseCondition, writeCondition } from "../../static/js/studio/panel/conditions.js";

const TYPES = { amount: "money", known: "boolean", edition: "choice", day: "date", name: "text" };
const typeOf = slot => TYPES[slot] ?? "";

test("a condition of comparisons comes back as it was", () => {
  for (const text of [
    "amount > 5000 or not known", "edition == 'audio'", "known", "filled(name) and not filled(day)",
    "day >= '2026-01-31' and amount <= 0.5", "name != 'Ana'",
  ]) assert.equal(writeCondition(parseCondition(text), typeOf), text);
});

test("a condition that says more stays text", () => {
  for (const text of [
    "amount > 1 and known or filled(name)", "amount + 1 > 2", "(known)", "edition in ['a', 'b']", "sum(items, price) > 3",
    "name == 'salt and pepper'", "amount > limit",
  ]) assert.equal(parseCondition(text), null, text);
});

test("always is no comparison", () => {
  assert.deepEqual(parseCondition("true").terms, []);
});

test("a value with an apostrophe is quoted so that it can be read", () => {
  const condition = { joint: "and", terms: [{ slot: "name", operator: "==", value: "O'Neill" }] };
  assert.equal(writeCondition(condition, typeOf), "name == \"O'Neill\"");
});
