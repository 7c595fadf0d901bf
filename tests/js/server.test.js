import assert from "node:assert/strict";
import test from "node:test";

const questions = [];

const page = { dataset: { flow: "pay", api: "/api/v1/" }, querySelector: () => null };
globalThis.document = { cookie: "", querySelector: () => page };
globalThis.fetch = (_path, { body }) => new Promise(resolve => {
  const { text } = JSON.parse(body);
  questions.push({ text, answer: () => resolve({ status: 200, json: async () => ({ problems: [], of: text }) }) });
});
const { check } = await import("../../static/js/studio/server.js");

const settled = () => new Promise(resolve => { setImmediate(resolve); });

test("one question at a time: of those that wait for it only the newest is asked at all", async () => {
  const answers = ["a", "b", "c"].map(text => check(text));
  assert.deepEqual(questions.map(question => question.text), ["a"]);

  questions[0].answer();
  await settled();
  assert.deepEqual(questions.map(question => question.text), ["a", "c"]);
  questions[1].answer();

  const [first, overtaken, newest] = await Promise.all(answers);
  assert.equal(first.body.of, "a");
  assert.equal(overtaken.status, 0);
  assert.equal(newest.body.of, "c");
});

test("after the answer the next question is asked at once", async () => {
  questions.length = 0;

  const answer = check("d");
  questions[0].answer();

  assert.equal((await answer).body.of, "d");
});
