import assert from "node:assert/strict";
import test from "node:test";

class Element {
  dataset = {};
  children = [];
  classes = [];
  classList = { add: (...names) => this.classes.push(...names) };

  constructor(tag) {
    this.tag = tag;
  }

  append(...children) {
    this.children.push(...children);
  }
}

const list = { dataset: { file: "assistant.yaml", line: "Line %s" } };
globalThis.document = { querySelector: () => list, createElement: tag => new Element(tag) };
const { problemItem } = await import("../../static/js/studio/problems.js");

const problem = { line: 11, column: 3, severity: "warning", text: "it ends", advice: "Write on_error" };

test("what is wrong in this text is a button to its place", () => {
  const [button] = problemItem({ ...problem, file: "assistant.yaml" }).children;

  assert.deepEqual([button.tag, button.dataset.at], ["button", "11:3"]);
  assert.deepEqual([button.children[0].textContent, button.children[1]], ["Line 11", " it ends. Write on_error"]);
});

test("names between backquotes are shown as code", () => {
  const [button] = problemItem({ ...problem, file: "assistant.yaml", text: "`amount` is not set" }).children;
  const [, before, name, after] = button.children;

  assert.deepEqual([before, name.tag, name.textContent, after], [" ", "code", "amount", " is not set. Write on_error"]);
});

test("a name before a question mark is a name too", () => {
  const [button] = problemItem({ ...problem, file: "assistant.yaml", advice: "Did you mean `amount`?" }).children;

  assert.equal(button.children[2].textContent, "amount");
});

test("what is wrong in another document leads to its page", () => {
  const [link] = problemItem({ ...problem, file: "block_card.yaml" }).children;

  assert.deepEqual([link.tag, link.href], ["a", "../block_card/#line-11"]);
  assert.equal(link.children[0].textContent, "block_card.yaml:11");
});
