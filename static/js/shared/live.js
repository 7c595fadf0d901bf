// A WebSocket that reconnects with backoff and asks for what came after the last number it saw, so that frames arrive
// in order and once each. The first load, live updates, reconnects and slow readers take the same path.

const MAX_RECONNECT_DELAY_MS = 30_000;
const FIRST_RECONNECT_DELAY_MS = 500;
const STALE_AFTER_MS = 60_000;
const PING_INTERVAL_MS = 20_000;
const ACK_AFTER_FRAMES = 50;
const ACK_DELAY_MS = 250;
// A hidden page has not been read, so it acknowledges only when it is visible again, or before the server stops
// sending.
const MAX_UNSEEN_FRAMES = 150;
// Not signed in, not allowed, not found: the server would give the same answer again.
const FINAL_CLOSE_CODES = new Set([4401, 4403, 4404]);

// A chat on another site may be closed, and its frame hidden, while the site itself is in sight.
function isOutOfSight() {
  return document.hidden || document.documentElement?.dataset.closed !== undefined;
}

/**
 * Events: "state" with `{state: "live" | "lost" | "stale" | "over", code}`, and each frame under its own type with the
 * frame as detail. Frames of the types "session.…" are also dispatched as "session".
 */
export class LiveConnection extends EventTarget {
  #url; #numberField; #after; #socket; #attempts = 0; #unacknowledged = 0; #stopped = false; #lostAt = 0; #intervals;

  /**
   * `after` is the number of the last frame that the page shows already, and `number` the field that carries a frame's
   * number: "seq" in conversations, "event" in the inbox. `token` is the secret of a customer's conversation.
   */
  constructor(path, { after, number, token = "" }) {
    super();
    this.#url = new URL(path, location.href.replace(/^http/, "ws"));
    if (token) this.#url.searchParams.set("token", token);
    this.#numberField = number;
    this.#after = after;
    this.#open();
    this.#intervals = [
      setInterval(() => this.#reportLoss(), PING_INTERVAL_MS / 4),
      setInterval(() => this.send({ type: "ping" }), PING_INTERVAL_MS),
    ];
    addEventListener("online", () => this.#reconnectNow());
    document.addEventListener("visibilitychange", () => isOutOfSight() || this.#pageShown());
  }

  /** Send a frame and return whether the socket was open. Whether the frame was accepted only the server says. */
  send(frame) {
    if (this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  /** Acknowledge also what came with the page itself, as soon as the page is visible. */
  markSeen() {
    this.#unacknowledged ||= 1;
    this.#acknowledge();
  }

  /** Close for good. */
  stop() {
    this.#stopped = true;
    for (const interval of this.#intervals) clearInterval(interval);
    const socket = this.#socket;
    // Closing a socket that is still connecting is reported as an error in the console.
    if (socket.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close();
    else socket.close();
  }

  #open() {
    this.#url.searchParams.set("after", this.#after);
    const socket = this.#socket = new WebSocket(this.#url);
    this.#unacknowledged = 0;
    socket.onopen = () => this.#opened();
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    socket.onclose = ({ code }) => socket === this.#socket && this.#closed(code);
  }

  #opened() {
    this.#attempts = 0;
    this.#lostAt = 0;
    this.#reportState("live");
  }

  #closed(code) {
    if (this.#stopped) return;
    if (FINAL_CLOSE_CODES.has(code)) return this.#reportState("over", code);
    this.#lostAt ||= Date.now();
    this.#reportLoss();
    const delay = Math.min(MAX_RECONNECT_DELAY_MS, FIRST_RECONNECT_DELAY_MS * 2 ** this.#attempts++);
    // Half of the delay is random, so that all pages do not come back at once after a restart of the server.
    setTimeout(() => this.#reconnect(), delay / 2 + Math.random() * delay / 2);
  }

  #reconnect() {
    if (!this.#stopped && this.#socket.readyState === WebSocket.CLOSED) this.#open();
  }

  #reconnectNow() {
    if (this.#lostAt) this.#reconnect();
  }

  #pageShown() {
    this.#reconnectNow();
    this.#acknowledge();
  }

  #reportLoss() {
    if (this.#lostAt) this.#reportState(Date.now() - this.#lostAt > STALE_AFTER_MS ? "stale" : "lost");
  }

  #receive(frame) {
    const number = frame[this.#numberField];
    // The answer "accepted" names the number of a message that is still to come; it is not that message.
    const isNumbered = Number.isInteger(number) && frame.type !== "accepted";
    if (isNumbered) this.#countFrame();
    if (isNumbered && number <= this.#after) return;
    if (isNumbered) this.#after = number;
    this.dispatchEvent(new CustomEvent(frame.type, { detail: frame }));
    if (frame.type.startsWith("session.")) this.dispatchEvent(new CustomEvent("session", { detail: frame }));
  }

  #countFrame() {
    this.#unacknowledged += 1;
    if (this.#unacknowledged >= ACK_AFTER_FRAMES) this.#acknowledge();
    else if (this.#unacknowledged === 1) setTimeout(() => this.#acknowledge(), ACK_DELAY_MS);
  }

  #acknowledge() {
    if (isOutOfSight() && this.#unacknowledged < MAX_UNSEEN_FRAMES) return;
    if (this.#unacknowledged && this.send({ type: "ack", seq: this.#after })) this.#unacknowledged = 0;
  }

  #reportState(state, code = 0) {
    this.dispatchEvent(new CustomEvent("state", { detail: { state, code } }));
  }
}

/** Write the state of a connection into an element, in the words that the element carries as data attributes. */
export function showConnectionState(connection, element) {
  if (!element) return;
  const words = element.querySelector("[data-words]");
  connection.addEventListener("state", ({ detail: { state } }) => {
    if (element.dataset.state === state) return;
    element.dataset.state = state;
    words.textContent = element.dataset[state] ?? "";
  });
}
