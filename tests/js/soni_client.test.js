import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import test from "node:test";

import {
  Client, ReceiptRefused, Refusal, StillWaiting, Unreachable, WebhookRefused, verifyReceipt, verifyWebhook,
} from "../../clients/javascript/soni-client.js";

const OPTIONS = { id: "r-1", source: { name: "refunds", thread: "t1" }, timeout: "30m", on_timeout: "reject" };
const WAITING = { id: "r-1", dialect: "plain", state: "waiting", answer: null, sessions: [] };
const ANSWERED = { ...WAITING, state: "answered", answer: { action: "approve", values: {} } };

function prepared(...answers) {
  const calls = [], pauses = [];
  const fetch = async (url, { method, body, headers }) => {
    calls.push({ line: `${method} ${url.replace("https://soni.example/api/v1", "")}`, body, headers });
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    const [status, content, more] = answer;
    const text = typeof content === "string" ? content : JSON.stringify(content);
    return new Response(text, { status, headers: more });
  };
  const sleep = async seconds => { pauses.push(seconds); };
  const client = (options = {}) => new Client("https://soni.example/", "a-token", { fetch, sleep, ...options });
  return { calls, pauses, client };
}

test("ask opens the request and waits until people decide", async () => {
  const server = prepared([201, WAITING], [200, WAITING], [200, ANSWERED]);

  const answer = await server.client().ask({ question: "May I?" }, OPTIONS);

  const waiting = "GET /requests/r-1?wait=30";
  assert.deepEqual(server.calls.map(call => call.line), ["POST /requests", waiting, waiting]);
  assert.equal(server.calls[0].headers.Authorization, "Bearer a-token");
  assert.deepEqual(answer.answer, ANSWERED.answer);
});

test("patience ends the wait, and a request without a deadline is not sent", async () => {
  const server = prepared([201, WAITING], [200, WAITING]);

  await assert.rejects(server.client().ask({ question: "May I?" }, { ...OPTIONS, patience: 0 }), StillWaiting);
  await assert.rejects(server.client().ask({ question: "May I?" }, { id: "r-2" }), /source, timeout, on_timeout/);
  assert.equal(server.calls.length, 2);
});

test("a refusal has the code and the sentence", async () => {
  const problem = { code: "invalid_ask", detail: "ask: is wrong", fields: [{ name: "ask" }] };
  const server = prepared([422, problem], [501, "<html>"]);

  await assert.rejects(server.client().requests.get("r-1"), error => {
    assert.ok(error instanceof Refusal);
    assert.deepEqual([error.status, error.code, error.fields], [422, "invalid_ask", [{ name: "ask" }]]);
    return true;
  });
  await assert.rejects(server.client().sessions.read("g1"), /501 http_501/);
});

test("calls are repeated while the server is away, and an opening that broke off is not", async () => {
  const broken = new TypeError("fetch failed");
  const server = prepared(broken, [503, {}], [429, {}, { "retry-after": "7" }], [200, ANSWERED], broken, broken);

  assert.equal((await server.client().requests.get("r-1")).state, "answered");
  assert.deepEqual(server.pauses.filter(Boolean), [0.2, 0.4, 7]);
  await assert.rejects(server.client().conversations.begin("bank"), Unreachable);
  await assert.rejects(server.client({ retrySeconds: 0 }).requests.get("r-1"), Unreachable);
});

test("a message keeps its id until its reply is there, and a decision its key", async () => {
  const reply = { turn: 1, messages: [], state: "idle", pending: [] };
  const server = prepared(
    [201, { id: "c1", token: "of-the-chat", state: "idle" }], [202, { event: 1 }], [200, reply],
    new TypeError("broken"), [201, {}],
  );

  const chat = await server.client().conversations.begin("bank");
  assert.deepEqual(await chat.send("hello"), reply);
  await server.client().sessions.decide("g1", "approve");
  assert.equal(server.calls[1].body, server.calls[2].body);
  assert.equal(server.calls[1].headers.Authorization, "Bearer of-the-chat");
  assert.equal(server.calls[3].body, server.calls[4].body);
});

test("events continue after a break from the last one that arrived", async () => {
  const event = seq => `id: ${seq}\nevent: message\ndata: {"seq": ${seq}}\n\n: nothing new\n\n`;
  const server = prepared([200, event(4)], new TypeError("broken"), [200, event(5)]);

  const numbers = [];
  for await (const { kind, data } of server.client().conversations.resume("c1", "t").events(3)) {
    assert.equal(kind, "message");
    numbers.push(data.seq);
    if (numbers.length === 2) break;
  }
  assert.deepEqual(numbers, [4, 5]);
  assert.deepEqual(server.calls.map(call => call.headers["Last-Event-ID"]), ["3", "4", "4"]);
});

test("a name cannot lead to another address", async () => {
  const server = prepared([200, ANSWERED]);

  await server.client().requests.get("../sessions/g1?x=1");
  assert.throws(() => server.client().requests.get(".."), TypeError);
  assert.deepEqual(server.calls.map(call => call.line), ["GET /requests/..%2Fsessions%2Fg1%3Fx%3D1"]);
});

const KEY = Buffer.from("0123456789abcdef"), SECRET = `whsec_${KEY.toString("base64")}`, NOW = 1_800_000_000;
const signed = (body, at = NOW, key = KEY) => ({
  "Webhook-Id": "req_1",
  "webhook-timestamp": String(at),
  "webhook-signature": `v1a,x v1,?? v1,${createHmac("sha256", key).update(`req_1.${at}.${body}`).digest("base64")}`,
});

test("a genuine webhook is read, and any other is refused", async () => {
  const body = '{"id": "é"}', now = NOW, other = `whsec_${Buffer.from("another").toString("base64")}`;

  assert.deepEqual(await verifyWebhook(signed(body), body, [other, SECRET], { now }), { id: "é" });
  assert.deepEqual(await verifyWebhook(new Headers(signed(body)), Buffer.from(body), SECRET, { now }), { id: "é" });
  for (const [headers, text, secret] of [
    [signed(body), `${body} `, SECRET], [signed(body), body, other], [signed(body), body, "whsec_?"],
    [signed(body, NOW - 301), body, SECRET], [signed(body, NOW + 301), body, SECRET], [{}, body, SECRET],
    [{ ...signed(body), "webhook-timestamp": "soon" }, body, SECRET], [signed("{"), "{", SECRET],
    [{ ...signed(body), "Webhook-Id": "req_2" }, body, SECRET],
  ]) {
    await assert.rejects(verifyWebhook(headers, text, secret, { now }), WebhookRefused);
  }
});

test("a genuine receipt is read, and an altered one is refused", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
  const keys = { keys: [{ name: "k1", public_key: raw, retired_at: null }] };
  const question = "Refund 1 \\u20ac \\ud83d\\ude00?";
  const text = `{"decided_at":"2026-11-23T20:00:00+00:00","key":"k1","question":"${question}","receipt":1}`;
  const receipt = { payload: JSON.parse(text), signature: sign(null, Buffer.from(text), privateKey).toString("hex") };

  assert.equal((await verifyReceipt(receipt, keys)).question, "Refund 1 € 😀?");
  const altered = { ...receipt, payload: { ...receipt.payload, question: "Refund 9 €?" } };
  await assert.rejects(verifyReceipt(altered, keys), ReceiptRefused);
  const retired = { keys: [{ ...keys.keys[0], retired_at: "2026-11-23T19:00:00+00:00" }] };
  await assert.rejects(verifyReceipt(receipt, retired), /retired/);
  await assert.rejects(verifyReceipt({}, keys), ReceiptRefused);
});
