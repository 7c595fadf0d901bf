// A topic's rows, in order and once each, over a WebSocket that comes back and catches up by the last number seen.
// First load, live update, reconnect and slow reader are one path. Events: "state" (live, lost, stale), and one event per
// frame under the frame's type, with the frame as detail.

const LONGEST_WAIT = 30_000;
const STALE_AFTER = 60_000;
const PING_EVERY = 20_000;
const ACK_AT = 50;
const ACK_AFTER = 250;
// What stands on a page that nobody looks at has not been read: it is acknowledged when somebody does, or when the server
// would stop sending.
const MOST_UNSEEN = 150;
// Closed for good: the server will give the same answer again.
const FINAL = new Set([4401, 4403, 4404]);

export class Live extends EventTarget {
  #url; #numberOf; #after; #socket; #tries = 0; #unacked = 0; #stopped = false; #lostAt = 0; #beats;

  // `number` names the field that carries a frame's number: "seq" in conversations, "event" in the inbox.
  constructor(path, { after, number, token = "" }) {
    super();
    this.#url = new URL(path, location.href.replace(/^http/, "ws"));
    if (token) this.#url.searchParams.set("token", token);
    this.#numberOf = frame => frame[number];
    this.#after = after;
    this.#open();
    this.#beats = [setInterval(() => this.#look(), PING_EVERY / 4), setInterval(() => this.send({ type: "ping" }), PING_EVERY)];
    addEventListener("online", () => this.#hurry());
    document.addEventListener("visibilitychange", () => document.hidden || this.#lookAgain());
  }

  get after() { return this.#after; }
  get open() { return this.#socket.readyState === WebSocket.OPEN; }

  // True when the frame was handed to an open socket; whether it was accepted, only the server says.
  send(frame) {
    if (!this.open) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  // Everything that came with the page counts as read too, as soon as somebody looks.
  seen() {
    this.#unacked ||= 1;
    this.#ack();
  }

  stop() {
    this.#stopped = true;
    for (const beat of this.#beats) clearInterval(beat);
    this.#socket.close();
  }

  #open() {
    this.#url.searchParams.set("after", this.#after);
    const socket = this.#socket = new WebSocket(this.#url);
    this.#unacked = 0;
    socket.onopen = () => this.#opened();
    socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
    socket.onclose = ({ code }) => socket === this.#socket && this.#closed(code);
  }

  #opened() {
    this.#tries = 0;
    this.#lostAt = 0;
    this.#say("live");
  }

  #closed(code) {
    if (this.#stopped) return;
    if (FINAL.has(code)) return this.#say("over", code);
    this.#lostAt ||= Date.now();
    this.#look();
    const wait = Math.min(LONGEST_WAIT, 500 * 2 ** this.#tries++);
    setTimeout(() => this.#comeBack(), wait / 2 + Math.random() * wait / 2);
  }

  #comeBack() {
    if (!this.#stopped && socketIsGone(this.#socket)) this.#open();
  }

  #hurry() {
    if (this.#lostAt) this.#comeBack();
  }

  #lookAgain() {
    this.#hurry();
    this.#ack();
  }

  #look() {
    if (this.#lostAt) this.#say(Date.now() - this.#lostAt > STALE_AFTER ? "stale" : "lost");
  }

  #take(frame) {
    const number = this.#numberOf(frame);
    const numbered = Number.isInteger(number) && frame.type !== "accepted";
    if (numbered) this.#count();
    if (numbered && number <= this.#after) return;
    if (numbered) this.#after = number;
    this.dispatchEvent(new CustomEvent(frame.type, { detail: frame }));
    if (frame.type.startsWith("session.")) this.dispatchEvent(new CustomEvent("session", { detail: frame }));
  }

  #count() {
    this.#unacked += 1;
    if (this.#unacked >= ACK_AT) this.#ack();
    else if (this.#unacked === 1) setTimeout(() => this.#ack(), ACK_AFTER);
  }

  #ack() {
    if (document.hidden && this.#unacked < MOST_UNSEEN) return;
    if (this.#unacked && this.send({ type: "ack", seq: this.#after })) this.#unacked = 0;
  }

  #say(state, code = 0) {
    this.dispatchEvent(new CustomEvent("state", { detail: { state, code } }));
  }
}

function socketIsGone(socket) {
  return socket.readyState === WebSocket.CLOSED;
}

// Writes the connection's state, in the words of the page's own language, into an element that carries them as data.
export function showState(live, element) {
  if (!element) return;
  const words = element.querySelector("[data-words]");
  live.addEventListener("state", ({ detail }) => {
    if (element.dataset.state === detail.state) return;
    element.dataset.state = detail.state;
    words.textContent = element.dataset[detail.state] ?? "";
  });
}
