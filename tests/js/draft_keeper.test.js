import assert from "node:assert/strict";
import test from "node:test";

const page = new EventTarget();
const requests = []; // {url, body, keepalive, answer(status)}, the oldest first
globalThis.addEventListener = page.addEventListener.bind(page);
globalThis.fetch = (url, { body, keepalive = false }) => new Promise((resolve, reject) => {
  const answer = status => status ? resolve(new Response("{}", { status })) : reject(new TypeError("no connection"));
  requests.push({ url, body, keepalive, answer });
});
const { draftKeeper } = await import("../../static/js/shared/draft_keeper.js");

let number = 0;

function newKeeper(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  requests.length = 0;
  return draftKeeper(`/drafts/${number += 1}/`);
}

// The other tests' drafts are sent then, too.
function leavePage() {
  page.dispatchEvent(new Event("pagehide"));
  const own = requests.filter(({ url }) => url === `/drafts/${number}/`);
  requests.splice(0, Infinity, ...own);
}

function typed(text) {
  const fields = new FormData();
  fields.set("text", text);
  return fields;
}

const sentTexts = () => requests.map(({ body }) => body.get("text"));
const settled = () => new Promise(resolve => { setImmediate(resolve); });

test("one draft is sent at a time, and after it only the newest", async t => {
  const keeper = newKeeper(t);
  for (const text of ["a", "ab", "abc"]) {
    keeper.keep(typed(text));
    keeper.save();
  }
  assert.deepEqual(sentTexts(), ["a"]);

  requests[0].answer(200);
  await settled();

  assert.deepEqual(sentTexts(), ["a", "abc"]);
});

test("a draft is stored once the server answered, and no more when something else was typed", async t => {
  const keeper = newKeeper(t);
  assert.equal(keeper.isStored, false);
  keeper.keep(typed("Good mor"));
  keeper.save();
  assert.equal(keeper.isStored, false);

  requests[0].answer(200);
  await settled();
  assert.equal(keeper.isStored, true);

  keeper.keep(typed("Good morning"));
  assert.equal(keeper.isStored, false);
});

test("a pane that was requested before the draft was stored gets what was typed", async t => {
  const keeper = newKeeper(t);
  const before = performance.now();
  keeper.keep(typed("Good mor"));
  keeper.save();
  assert.equal(keeper.newerThan(performance.now()).get("text"), "Good mor");

  requests[0].answer(200);
  await settled();

  assert.equal(keeper.newerThan(before).get("text"), "Good mor");
  assert.equal(keeper.newerThan(performance.now()), undefined);
});

test("a draft that the server did not take is kept and sent again", async t => {
  const keeper = newKeeper(t);
  keeper.keep(typed("Good mor"));
  for (const status of [0, 503]) {
    keeper.save();
    requests.at(-1).answer(status);
    await settled();
    assert.equal(keeper.newerThan(performance.now()).get("text"), "Good mor");
  }

  t.mock.timers.tick(5_000);

  assert.deepEqual(sentTexts(), Array(3).fill("Good mor"));
});

test("what was sent is no draft any more, and a request that failed meanwhile is not repeated", async t => {
  const keeper = newKeeper(t);
  keeper.keep(typed("Hello"));
  keeper.save();
  keeper.hold();
  keeper.clear();
  requests[0].answer(503);
  await settled();
  t.mock.timers.tick(60_000);
  assert.equal(keeper.newerThan(performance.now()), null);

  keeper.release();

  assert.equal(requests.length, 1);
  assert.equal(keeper.newerThan(performance.now()), undefined);
});

test("what is typed while drafts are held is saved when they are released", t => {
  const keeper = newKeeper(t);
  keeper.hold();
  keeper.keep(typed("The next"));
  keeper.save();
  assert.equal(requests.length, 0);

  keeper.release();

  assert.deepEqual(sentTexts(), ["The next"]);
});

test("what is not stored is sent in the background when the page is left", async t => {
  const keeper = newKeeper(t);
  keeper.keep(typed("Good mor"));
  keeper.saveSoon();

  leavePage();

  assert.deepEqual(sentTexts(), ["Good mor"]);
  assert.equal(requests[0].keepalive, true);
  keeper.save();
  requests[1].answer(200);
  await settled();
  leavePage();
  assert.equal(requests.length, 2);
});
