import assert from "node:assert/strict";
import test from "node:test";

class Socket {
  static OPEN = 1;
  static CLOSED = 3;
  static all = [];
  readyState = 0;

  constructor(url) {
    this.url = String(url);
    Socket.all.push(this);
  }

  close(code = 1000) {
    this.readyState = Socket.CLOSED;
    this.onclose?.({ code });
  }
}

Object.assign(globalThis, {
  WebSocket: Socket, location: { href: "http://soni.example/" }, document: new EventTarget(), addEventListener() {},
});
const { LiveConnection } = await import("../../static/js/shared/live.js");

function connect(t) {
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  Socket.all = [];
  return new LiveConnection("/ws/inbox/", { after: 7, number: "event" });
}

test("a connection that was lost comes back and asks for what came after the last number", t => {
  connect(t);

  Socket.all[0].close(1006);
  t.mock.timers.tick(500);

  assert.deepEqual(Socket.all.map(socket => socket.url), Array(2).fill("ws://soni.example/ws/inbox/?after=7"));
});

test("one that was stopped while it was lost stays closed", t => {
  const connection = connect(t);

  Socket.all[0].close(1006);
  connection.stop();
  t.mock.timers.tick(600_000);

  assert.equal(Socket.all.length, 1);
});
