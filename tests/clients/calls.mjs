// Every call of the JavaScript client against a server: node calls.mjs ADDRESS AGENT_TOKEN STAFF_TOKEN
import assert from "node:assert/strict";

import { Client, Refusal, verifyReceipt } from "../../clients/javascript/soni-client.js";

const [address, agentToken, staffToken] = process.argv.slice(2);
const settings = { retrySeconds: 0 };
const agent = new Client(address, agentToken, settings);
const staff = new Client(address, staffToken, settings);
const visitor = new Client(address, "", settings);

const question = { question: "May I refund the cover?", actions: ["approve", "reject"] };
const options = { id: "r-1", source: { name: "refunds", thread: "t1" }, timeout: "30m", on_timeout: "reject" };

const opened = await agent.requests.create(question, options);
assert.equal(opened.state, "waiting");
const { session } = opened.sessions[0];

const sessions = [];
for await (const row of staff.sessions.list({ state: "open" })) sessions.push(row);
const listed = sessions.find(row => row.name === session);
const claimed = await staff.sessions.claim(session, { version: listed.version });
await staff.sessions.release(session, { version: claimed.version });
assert.equal((await staff.sessions.read(session)).state, "open");
await staff.sessions.decide(session, "approve");
await assert.rejects(staff.sessions.decide(session, "reject"), error => error.status === 409 && error.current !== null);

const answer = await agent.ask(question, options);
assert.equal(answer.answer.action, "approve");
const kinds = [];
for await (const event of agent.requests.events("r-1")) kinds.push(event.kind);
assert.deepEqual(kinds, ["answer"]);
assert.equal((await verifyReceipt(await staff.sessions.receipt(session), await agent.receiptKeys())).session, session);
await assert.rejects(agent.requests.withdraw("r-1"), Refusal);
await agent.requests.create(question, { ...options, id: "r-2" });
assert.equal((await agent.requests.withdraw("r-2")).state, "withdrawn");

const chat = await visitor.conversations.begin("bank", { language: "en" });
const reply = await chat.send("hello");
assert.ok(reply.messages.length);
assert.equal((await chat.history())[0].role, "user");
assert.equal((await chat.state()).id, chat.id);
