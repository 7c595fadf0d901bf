/**
 * Client of Soni Admin for browsers and Node 20 or newer, without dependencies: agents ask people, programs chat with
 * assistants and decide sessions.
 *
 *     const client = new Client("https://soni.example", token);
 *     const answer = await client.ask({ question: "Refund 420 €?" }, {
 *       id: "refund-4711", source: { name: "refunds", thread: "t1" }, timeout: "30m", on_timeout: "reject",
 *     });
 */

const API_PATH = "/api/v1";
const RETRY_SECONDS = 120;
const MAX_POLL_SECONDS = 30;
const MAX_PAUSE_SECONDS = 10;
const REOPEN_SECONDS = 0.5;
const REPLY_SECONDS = 40;
const TOLERANCE_SECONDS = 300;
const RECEIPT_GRACE_MILLISECONDS = 5 * 60 * 1000;
const TRY_AGAIN = new Set([429, 502, 503, 504]);

/**
 * @typedef {object} Source
 * @property {string} name which agent asks
 * @property {string} thread in which thread of its own
 * @property {string} [run]
 * @property {string} [link] where people can look at it
 */
/**
 * @typedef {object} RequestOptions
 * @property {string} id your own id: the same id and body find the same request
 * @property {Source} source
 * @property {string} timeout a duration, such as "30m"
 * @property {string} on_timeout the answer after that: a refusal, or "no_answer"
 * @property {string} [dialect] "plain" unless given
 * @property {string} [due]
 * @property {string} [group]
 * @property {string} [queue]
 * @property {number} [people]
 * @property {boolean} [four_eyes]
 * @property {object[]} [channels]
 * @property {string[]} [context]
 * @property {string} [callback]
 */
/**
 * @typedef {object} AgentRequest
 * @property {string} id
 * @property {string} dialect
 * @property {"waiting"|"answered"|"expired"|"cancelled"|"withdrawn"} state
 * @property {any} answer in the dialect's own shape; null until all questions are decided
 * @property {object[]} sessions
 * @property {string} [callback_secret]
 */
/** @typedef {{ kind: string, data: any, id: string }} ServerEvent */
/** @typedef {{ method: string, path: string, body?: any, query?: object, token?: string, once?: boolean,
 *   seconds?: number }} Call */

/** Base of all errors of this module. */
export class SoniError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The server did not answer, also after retries. The call may have arrived: send it again with the same id. */
export class Unreachable extends SoniError {}

/** The people have not decided within the caller's patience. The request stays open. */
export class StillWaiting extends SoniError {
  /** @param {string} requestId */
  constructor(requestId) {
    super(`request ${requestId} is not decided yet`);
    this.requestId = requestId;
  }
}

/** The webhook is not genuine, too old, or unreadable. Answer it with 400. */
export class WebhookRefused extends SoniError {}

/** The receipt is not what the installation has signed. */
export class ReceiptRefused extends SoniError {}

/** The API refused a call: `status`, its `code` for programs, its sentence `detail`, and the wrong `fields`. */
export class Refusal extends SoniError {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    const code = body?.code || `http_${status}`;
    const detail = body?.detail || body?.title || "The server gave no reason.";
    super(`${status} ${code}: ${detail}`);
    /** @type {number} */ this.status = status;
    /** @type {string} */ this.code = code;
    /** @type {string} */ this.detail = detail;
    /** @type {object[]} */ this.fields = body?.fields ?? [];
    /** A session as it is now, after a conflict. @type {object|null} */ this.current = body?.current ?? null;
    /** @type {any} */ this.body = body;
  }
}

/** Calls an installation with the API token of one account. */
export class Client {
  /**
   * @param {string} url the installation's address, such as https://soni.example
   * @param {string} [token]
   * @param {{ retrySeconds?: number, fetch?: typeof fetch, sleep?: (seconds: number) => Promise<void> }} [options]
   *   `retrySeconds`: how long a call that may be repeated is repeated while the server does not answer
   */
  constructor(url, token = "", { retrySeconds = RETRY_SECONDS, fetch: send, sleep = pause } = {}) {
    this.api = new URL(url).href.replace(/\/+$/, "") + API_PATH;
    this.token = token;
    this.retrySeconds = retrySeconds;
    this.fetch = send ?? globalThis.fetch.bind(globalThis);
    this.sleep = sleep;
    this.requests = new Requests(this);
    this.conversations = new Conversations(this);
    this.sessions = new Sessions(this);
  }

  /**
   * Ask people, and wait for what they decide. Throws Refusal, Unreachable, and StillWaiting after `patience` seconds.
   * @param {any} ask what the framework paused with, in the words of `dialect`
   * @param {RequestOptions & { patience?: number }} options
   * @returns {Promise<AgentRequest>}
   */
  async ask(ask, { patience, ...options }) {
    const request = await this.requests.create(ask, options);
    return request.state === "waiting" || request.answer === null ? this.requests.wait(options.id, patience) : request;
  }

  /** The public keys of the installation's receipts, for `verifyReceipt`. @returns {Promise<{ keys: object[] }>} */
  receiptKeys() {
    return this.call({ method: "GET", path: "/receipts/keys" });
  }

  /** Make a call, and return its answer's body. Throws Refusal and Unreachable. @param {Call} call */
  async call(call) {
    const retries = new Retries(this.retrySeconds);
    for (;;) {
      const response = await this.#attempt(call, retries);
      if (response?.ok) return response.json();
      const wait = response === null ? 0 : retries.pauseAfter(response, call);
      if (wait === null) throw new Refusal(response.status, await response.json().catch(() => null));
      await this.sleep(wait);
    }
  }

  /**
   * The events of a stream, which continues after a break, until the caller stops. Throws Refusal and Unreachable.
   * @param {Call} call @param {string} [lastId]
   * @returns {AsyncGenerator<ServerEvent>}
   */
  async *stream(call, lastId = "") {
    let retries = new Retries(this.retrySeconds);
    for (;;) {
      const headers = { Accept: "text/event-stream", ...(lastId ? { "Last-Event-ID": lastId } : {}) };
      const response = await this.#attempt({ ...call, seconds: 0 }, retries, headers);
      if (response?.ok) {
        try {
          for await (const event of eventsIn(response.body)) {
            lastId = event.id || lastId;
            yield event;
          }
        } catch (error) {
          if (!(error instanceof TypeError)) throw error; // a TypeError is a connection that broke
        }
        retries = new Retries(this.retrySeconds);
        await this.sleep(REOPEN_SECONDS);
      } else if (response) {
        const wait = retries.pauseAfter(response, call);
        if (wait === null) throw new Refusal(response.status, await response.json().catch(() => null));
        await this.sleep(wait);
      }
    }
  }

  /** The response; null after a failure of the network that is over once this returns. Throws Unreachable. */
  async #attempt(call, retries, headers = { Accept: "application/json" }) {
    try {
      return await this.fetch(addressOf(this.api, call), requestOf(call, this.token, headers));
    } catch (error) {
      if (call.once) throw new Unreachable(`${error}; whether the call arrived is unknown`, { cause: error });
      const wait = retries.next();
      if (wait === null) throw new Unreachable(String(error), { cause: error });
      await this.sleep(wait);
      return null;
    }
  }
}

/** Requests of an agent, each a question to people. */
class Requests {
  constructor(client) {
    this.client = client;
  }

  /**
   * Open a request without waiting.
   * @param {any} ask @param {RequestOptions} options @returns {Promise<AgentRequest>}
   */
  async create(ask, options) {
    const missing = ["id", "source", "timeout", "on_timeout"].filter(key => options?.[key] === undefined);
    if (missing.length) throw new TypeError(`a request needs ${missing.join(", ")}`);
    return this.client.call({ method: "POST", path: "/requests", body: { dialect: "plain", ...options, ask } });
  }

  /** @param {string} id @param {number} [wait] seconds, at most 60 @returns {Promise<AgentRequest>} */
  get(id, wait = 0) {
    const query = wait ? { wait } : {};
    return this.client.call({ method: "GET", path: `/requests/${part(id)}`, query, seconds: REPLY_SECONDS + wait });
  }

  /** What people decide. Throws StillWaiting. @param {string} id @param {number} [patience] seconds */
  async wait(id, patience = Infinity) {
    const until = Date.now() + patience * 1000;
    for (;;) {
      const remaining = Math.max(0, Math.floor((until - Date.now()) / 1000));
      const request = await this.get(id, Math.min(MAX_POLL_SECONDS, remaining));
      if (request.state !== "waiting") return request;
      if (Date.now() >= until - 1000) throw new StillWaiting(id);
    }
  }

  /** `request` events at each change, and the `answer` as the last one. @param {string} id */
  async *events(id) {
    for await (const event of this.client.stream({ method: "GET", path: `/requests/${part(id)}/events` })) {
      yield event;
      if (event.kind === "answer") return;
    }
  }

  /** Close a request that is not needed any more. @param {string} id @returns {Promise<AgentRequest>} */
  withdraw(id) {
    return this.client.call({ method: "DELETE", path: `/requests/${part(id)}` });
  }
}

/** Conversations with an assistant. */
class Conversations {
  constructor(client) {
    this.client = client;
  }

  /** Open a conversation. @param {string} assistant @param {object} [options] as the API's call takes them */
  async begin(assistant, options = {}) {
    const body = { assistant, ...options };
    const opened = await this.client.call({ method: "POST", path: "/conversations", body, once: true });
    return new Conversation(this.client, opened.id, opened.token);
  }

  /** A conversation that was opened before. @param {string} id @param {string} [token] */
  resume(id, token = "") {
    return new Conversation(this.client, id, token);
  }
}

/** One conversation, used with its own token. */
export class Conversation {
  constructor(client, id, token) {
    this.client = client;
    /** @type {string} */ this.id = id;
    /** @type {string} */ this.token = token;
    this.path = `/conversations/${part(id)}`;
  }

  /** Send a line, and return the reply. @param {string} text @param {{ id?: string }} [options] your id of the line */
  send(text, { id = crypto.randomUUID() } = {}) {
    return this.#post({ id, text });
  }

  /** Press a button. @param {string} choice its value @param {{ id?: string }} [options] */
  choose(choice, { id = crypto.randomUUID() } = {}) {
    return this.#post({ id, choice });
  }

  /** `{id, state, pending}`, and more for staff. */
  state() {
    return this.client.call({ method: "GET", path: this.path, token: this.token });
  }

  /** All lines with a number greater than `after`. @param {number} [after] @returns {Promise<object[]>} */
  async history(after = 0) {
    const lines = [];
    for (let position = after; position !== null; ) {
      const query = position ? { after: position } : {};
      const page = await this.client.call({
        method: "GET", path: `${this.path}/messages`, query, token: this.token,
      });
      lines.push(...page.messages);
      position = page.next;
    }
    return lines;
  }

  /** `message` and `turn.finished` events, also over breaks. @param {number} [after] */
  events(after = 0) {
    const call = { method: "GET", path: `${this.path}/events`, token: this.token };
    return this.client.stream(call, after ? String(after) : "");
  }

  async #post(body) {
    for (;;) {
      const call = { method: "POST", path: `${this.path}/messages`, body, token: this.token };
      const reply = await this.client.call(call);
      if (reply.messages) return reply; // after a 202 the same message asks again
    }
  }
}

/** Sessions in which people decide. */
class Sessions {
  constructor(client) {
    this.client = client;
  }

  /** The sessions of all pages, most urgent first. @param {object} [filters] @returns {AsyncGenerator<object>} */
  async *list(filters = {}) {
    for (let cursor = ""; cursor !== null; ) {
      const query = { ...filters, ...(cursor ? { cursor } : {}) };
      const page = await this.client.call({ method: "GET", path: "/sessions", query });
      yield* page.sessions;
      cursor = page.next || null;
    }
  }

  /** One session with form, values, actions, version and history. @param {string} session such as g12 */
  read(session) {
    return this.client.call({ method: "GET", path: `/sessions/${part(session)}` });
  }

  /** Keep the session for this account. @param {string} session @param {{ version?: number }} [options] */
  claim(session, options = {}) {
    return this.#post(session, "claim", options);
  }

  /** Give a claimed session back. @param {string} session @param {{ version?: number }} [options] */
  release(session, options = {}) {
    return this.#post(session, "release", options);
  }

  /**
   * Decide a session, once however often the call is repeated.
   * @param {string} session @param {string} action
   * @param {{ values?: object, reason?: string, version?: number, idempotency_key?: string }} [options]
   */
  decide(session, action, options = {}) {
    return this.#post(session, "submit", { idempotency_key: crypto.randomUUID(), ...options, action });
  }

  /** The receipt of a decision, for `verifyReceipt`. @param {string} session */
  receipt(session) {
    return this.client.call({ method: "GET", path: `/sessions/${part(session)}/receipt` });
  }

  #post(session, act, body) {
    return this.client.call({ method: "POST", path: `/sessions/${part(session)}/${act}`, body });
  }
}

/** The attempts of one call. */
class Retries {
  constructor(seconds) {
    this.until = Date.now() + seconds * 1000;
    this.attempts = 0;
  }

  /** Seconds until the next attempt; null if there is none. */
  next(wished = 0) {
    const seconds = Math.max(wished, Math.min(0.2 * 2 ** this.attempts, MAX_PAUSE_SECONDS));
    this.attempts += 1;
    return Date.now() + seconds * 1000 < this.until ? seconds : null;
  }

  /** Seconds until the call that was answered so is sent again; null if the answer counts. */
  pauseAfter(response, call) {
    if (!TRY_AGAIN.has(response.status) || (call.once && response.status !== 429)) return null;
    const wished = response.headers.get("retry-after") ?? "";
    return this.next(/^\d+$/.test(wished) ? Number(wished) : 0);
  }
}

/**
 * The JSON body of a genuine webhook. Throws WebhookRefused. Do what a webhook says once for each `webhook-id`.
 * @param {Headers | Record<string, string | string[] | undefined>} headers
 * @param {string | Uint8Array} body as it arrived, byte for byte
 * @param {string | string[]} secret while a secret is being replaced, both
 * @param {{ toleranceSeconds?: number, now?: number }} [options] `now`: seconds since 1970
 * @returns {Promise<any>}
 */
export async function verifyWebhook(headers, body, secret, options = {}) {
  const { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() / 1000 } = options;
  const [id, sentAt, signatures] = ["id", "timestamp", "signature"].map(name => headerOf(headers, `webhook-${name}`));
  if (!id || !sentAt || !signatures) {
    throw new WebhookRefused("webhook-id, webhook-timestamp or webhook-signature is missing");
  }
  if (!/^\d{1,15}$/.test(sentAt)) throw new WebhookRefused("webhook-timestamp is not a number of seconds");
  if (Math.abs(now - Number(sentAt)) > toleranceSeconds) {
    throw new WebhookRefused("webhook-timestamp is too far from this machine's clock");
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${id}.${sentAt}.`), bytes);
  const keys = await Promise.all([secret].flat().map(hmacKey));
  const digests = signatures.split(" ").filter(text => text.startsWith("v1,")).map(text => bytesOf(text.slice(3)));
  const pairs = keys.flatMap(key => digests.filter(Boolean).map(digest => [key, digest]));
  // WebCrypto compares in constant time; all pairs are compared.
  const matches = await Promise.all(pairs.map(([key, digest]) => crypto.subtle.verify("HMAC", key, digest, signed)));
  if (!matches.includes(true)) throw new WebhookRefused("no signature belongs to this body and secret");
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new WebhookRefused("the body is not JSON");
  }
}

/**
 * The payload of a genuine receipt. Throws ReceiptRefused.
 * @param {{ payload: any, signature: string }} receipt
 * @param {{ keys: any[] }} keys what `client.receiptKeys()` returned at a time when you trusted it
 * @returns {Promise<any>}
 */
export async function verifyReceipt(receipt, keys) {
  const { payload, signature } = receipt ?? {};
  const isWhole = payload?.receipt === 1 && Object.keys(receipt).length === 2;
  if (!isWhole || !/^[0-9a-f]{128}$/.test(signature)) throw new ReceiptRefused("this is no receipt of version 1");
  const key = keys.keys.find(entry => entry.name === payload.key);
  if (!key) throw new ReceiptRefused("it names a key that the installation does not have");
  const publicKey = await crypto.subtle.importKey("raw", ofHex(key.public_key), "Ed25519", false, ["verify"]);
  const signed = new TextEncoder().encode(canonicalJson(payload));
  if (!(await crypto.subtle.verify("Ed25519", publicKey, ofHex(signature), signed))) {
    throw new ReceiptRefused("the signature does not belong to this payload");
  }
  const end = key.retired_at ? Date.parse(key.retired_at) + RECEIPT_GRACE_MILLISECONDS : Infinity;
  if (!(Date.parse(payload.decided_at) <= end)) {
    throw new ReceiptRefused("it was decided after its key had been retired");
  }
  return payload;
}

/** The events in a body of lines. @param {ReadableStream<Uint8Array>} body @returns {AsyncGenerator<ServerEvent>} */
async function* eventsIn(body) {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of chunksOf(body)) {
    text += decoder.decode(bytes, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop();
    for (const block of blocks) {
      const event = eventOf(block);
      if (event) yield event;
    }
  }
}

/** The chunks of a body; not every browser can iterate over one. A reader that stops early ends the connection. */
async function* chunksOf(body) {
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function eventOf(block) {
  const fields = { event: "message", id: "", data: [] };
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w*):? ?(.*)$/.exec(line) ?? [];
    if (name === "data") fields.data.push(value);
    else if (name === "event" || name === "id") fields[name] = value;
  }
  return fields.data.length ? { kind: fields.event, data: JSON.parse(fields.data.join("\n")), id: fields.id } : null;
}

function addressOf(api, { path, query = {} }) {
  const words = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  return api + path + (words ? `?${words}` : "");
}

function requestOf({ method, body, token, seconds = REPLY_SECONDS }, own, headers) {
  const bearer = token || own;
  return {
    method,
    redirect: "manual",
    headers: {
      ...headers,
      ...(bearer ? { Authorization: `Bearer ${bearer}` } : {}),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(seconds ? { signal: AbortSignal.timeout(seconds * 1000) } : {}),
  };
}

/** A name in a path; it cannot lead to another address. */
function part(name) {
  if (["", ".", ".."].includes(name)) throw new TypeError(`“${name}” is not a name`);
  return encodeURIComponent(name);
}

function pause(seconds) {
  return new Promise(resolve => {
    setTimeout(resolve, seconds * 1000);
  });
}

function headerOf(headers, name) {
  if (typeof headers.get === "function") return headers.get(name) ?? "";
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return String(entry?.[1] ?? "");
}

async function hmacKey(secret) {
  const bytes = bytesOf(secret.replace(/^whsec_/, ""));
  if (!bytes?.length) throw new WebhookRefused("the secret is not base64, as whsec_… is");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

function bytesOf(base64) {
  try {
    return Uint8Array.from(atob(base64), character => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function ofHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], pair => parseInt(pair, 16));
}

function joined(first, second) {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** JSON with sorted keys, without blanks, in ASCII: what a receipt's signature is over. */
function canonicalJson(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const pairs = Object.keys(value).sort().map(key => `${canonicalJson(key)}:${canonicalJson(value[key])}`);
    return `{${pairs.join(",")}}`;
  }
  const text = JSON.stringify(value);
  return text.replace(/[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
