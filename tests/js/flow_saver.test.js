import assert from "node:assert/strict";
import test from "node:test";

const window = new EventTarget();
const requests = []; // {line, body, keepalive, answer(status, facts)}, the oldest first
const words = { typing: "", kept: "", saved: "", away: "", version: "" };
const element = () => ({ dataset: words, value: "", replaceChildren() {}, removeAttribute() {} });
const page = { dataset: { flow: "pay", api: "", base: "3", writes: "" }, querySelector: element };
globalThis.addEventListener = window.addEventListener.bind(window);
globalThis.document = Object.assign(new EventTarget(), {
  cookie: "", documentElement: { lang: "en", dataset: {} }, querySelector: () => page, getElementById: element,
});
globalThis.fetch = (path, { method, body, keepalive }) => new Promise(resolve => {
  const answer = (status, facts = {}) => resolve(new Response(JSON.stringify(facts), { status }));
  requests.push({ line: `${method} ${path}`, body: JSON.parse(body), keepalive, answer });
});
const { FlowSaver } = await import("../../static/js/studio/flow_saver.js");

const settled = () => new Promise(resolve => { setImmediate(resolve); });
const sent = () => requests.map(({ line, body }) => `${line} ${body.text} on ${body.base_version}`);

function newAuthor(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  requests.length = 0;
  const author = { text: "", type(text) { this.text = text; this.saver.textChanged(); } };
  author.saver = new FlowSaver(page, () => author.text);
  return author;
}

test("what is typed while a version is on its way is a draft of the new version", async t => {
  const author = newAuthor(t);
  author.type("a");
  author.saver.save();
  await settled();
  author.type("ab");
  t.mock.timers.tick(1_200);
  await settled();
  assert.deepEqual(sent(), ["PUT flows/pay a on 3"]);

  requests[0].answer(201, { version: 4 });
  await settled();

  assert.deepEqual(sent(), ["PUT flows/pay a on 3", "POST flows/pay/draft ab on 4"]);
});

test("a second save waits for the first and is made from its version", async t => {
  const author = newAuthor(t);
  author.type("a");
  author.saver.save();
  author.saver.save();
  await settled();
  assert.equal(requests.length, 1);

  requests[0].answer(201, { version: 4 });
  await settled();

  assert.deepEqual(sent(), ["PUT flows/pay a on 3", "PUT flows/pay a on 4"]);
});

test("one draft is on its way at a time, and the next has the newest text", async t => {
  const author = newAuthor(t);
  for (const text of ["a", "ab", "abc"]) {
    author.type(text);
    t.mock.timers.tick(1_200);
    await settled();
  }
  assert.equal(requests.length, 1);

  requests[0].answer(200);
  await settled();

  assert.deepEqual(sent(), ["POST flows/pay/draft a on 3", "POST flows/pay/draft abc on 3"]);
});

test("a version that the server did not take is sent as a draft, also when the page is left", async t => {
  const author = newAuthor(t);
  author.type("a");
  author.saver.save();
  await settled();
  requests[0].answer(503);
  await settled();
  t.mock.timers.tick(5_000);
  await settled();
  assert.equal(sent()[1], "POST flows/pay/draft a on 3");

  window.dispatchEvent(new Event("pagehide"));

  assert.equal(requests.filter(({ keepalive }) => keepalive).at(-1).body.text, "a");
});
