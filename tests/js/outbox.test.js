import assert from "node:assert/strict";
import test from "node:test";

const page = new EventTarget();
const requests = []; // {url, body, keepalive, answer(status, body)}, the oldest first
globalThis.addEventListener = page.addEventListener.bind(page);
globalThis.document = new EventTarget();
globalThis.fetch = (url, { body, keepalive = false }) => new Promise(resolve => {
  const answer = (status, facts = {}) => resolve(new Response(JSON.stringify(facts), { status }));
  requests.push({ url, body, keepalive, answer });
});
const { draftKeeper } = await import("../../static/js/shared/draft_keeper.js");
const { outboxOf } = await import("../../static/js/inbox/outbox.js");

let number = 0;

function newChat(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  requests.length = 0;
  const draft = `/g${number += 1}/draft/`;
  const elements = { csrfmiddlewaretoken: { value: "token" } };
  return { outbox: outboxOf({ action: `/g${number}/say/`, dataset: { draft }, elements }), drafts: draftKeeper(draft) };
}

// The other tests' texts are sent then, too.
function leavePage() {
  page.dispatchEvent(new Event("pagehide"));
  const own = requests.filter(({ url }) => url.startsWith(`/g${number}/`));
  requests.splice(0, Infinity, ...own);
}

function typed(text) {
  const fields = new FormData();
  fields.set("text", text);
  return fields;
}

const sent = () => requests.map(({ url, body }) => `${url.split("/")[2]} ${body.get("text")}`);
const settled = () => new Promise(resolve => { setImmediate(resolve); });

test("a text waits for the draft on its way, and the next draft waits for the text", async t => {
  const { outbox, drafts } = newChat(t);
  drafts.keep(typed("Hel"));
  drafts.save();
  outbox.add("Hello");
  drafts.keep(typed("How"));
  drafts.save();
  await settled();
  assert.deepEqual(sent(), ["draft Hel"]);

  requests[0].answer(200);
  await settled();
  assert.deepEqual(sent(), ["draft Hel", "say Hello"]);
  requests[1].answer(200, { seq: 7 });
  await settled();

  assert.deepEqual(sent(), ["draft Hel", "say Hello", "draft How"]);
});

test("a text that is refused after the chat was left becomes a draft, before what was typed since", async t => {
  const { outbox, drafts } = newChat(t);
  outbox.add("Hello");
  await settled();
  drafts.keep(typed("How are you?"));
  drafts.save();

  requests[0].answer(409, { detail: "Oscar has g1." });
  await settled();

  assert.deepEqual(sent(), ["say Hello", "draft Hello\nHow are you?"]);
  assert.deepEqual(outbox.entries, []);
});

test("a text that the server does not take is sent again under its key, also when the page is left", async t => {
  const { outbox } = newChat(t);
  outbox.add("Hello");
  await settled();
  requests[0].answer(503);
  await settled();
  t.mock.timers.tick(2_000);

  leavePage();

  const keys = new Set(requests.map(({ body }) => body.get("key")));
  assert.deepEqual(requests.map(({ keepalive }) => keepalive), [false, false, true]);
  assert.equal(keys.size, 1);
});

test("a text that the server has is not sent when the page is left", async t => {
  const { outbox } = newChat(t);
  outbox.add("Hello");
  await settled();
  requests[0].answer(200, { seq: 7 });
  await settled();

  leavePage();

  assert.equal(requests.length, 1);
});
