// Requests of the editor to the API. Each resolves to `{status, body}`; status 0 means that the server did not answer.

/**
 * @typedef {{code: string, rule: string, severity: "error" | "warning", file: string, line: number, column: number,
 *   text: string, advice: string, meant: string, words: Words}} Problem
 * @typedef {{text: string, advice: string, field_text: string, field_advice: string}} Words in the reader's language
 * @typedef {{nodes: object[], edges: object[]}} Graph
 * @typedef {{tree: object, steps: Object<string, {path: (string|number)[], from: number, to: number}>}} DocumentValues
 */

const page = document.querySelector("[data-studio]");
const { flow } = page.dataset;

const MAX_KEEPALIVE_CHARACTERS = 30_000; // browsers allow 64 KiB; a character may take two bytes and more

let runningCheck = null, lastCheck = 0;

/** Compile the text. One check runs at a time, and of those that wait for it only the newest is sent. */
export async function check(text) {
  const number = ++lastCheck;
  while (runningCheck) await runningCheck;
  if (number !== lastCheck) return { status: 0, body: {} };
  runningCheck = request("POST", "check", { flow, text }).finally(() => { runningCheck = null; });
  return runningCheck;
}

export function fetchSchema() {
  return request("GET", "schema.json");
}

/** The saved text of a document, with its version and the author's draft. */
export function fetchDocument(name) {
  return request("GET", `flows/${name}`);
}

/** Save a version; `baseVersion` is the one that the text was made from. */
export function saveVersion(text, baseVersion, note, name = flow) {
  return request("PUT", `flows/${name}`, { text, base_version: baseVersion, note });
}

/** Save a draft; with `outlivesPage` the request goes on when the page is left. */
export function saveDraft(text, baseVersion, { outlivesPage = false } = {}) {
  return request("POST", `flows/${flow}/draft`, { text, base_version: baseVersion }, outlivesPage);
}

/** Do an edit of the graph on the text; `args` are its arguments, such as the names of steps. */
export function edit(text, act, ...args) {
  return request("POST", `flows/${flow}/edit`, { text, act, words: args });
}

/** Set values in the text: `[{step, path, value, order}]`; one without `value` is deleted. */
export function setValues(text, edits, name = flow) {
  return request("POST", `flows/${name}/values`, { text, edits });
}

export function format(text) {
  return request("POST", `flows/${flow}/format`, { flow, text });
}

async function request(method, path, body, outlivesPage = false) {
  const headers = { "content-type": "application/json", "x-csrftoken": csrfToken() };
  const text = body && JSON.stringify(body);
  const keepalive = outlivesPage && text.length < MAX_KEEPALIVE_CHARACTERS;
  try {
    const response = await fetch(page.dataset.api + path, { method, headers, body: text, keepalive });
    return { status: response.status, body: await response.json().catch(() => ({})) };
  } catch {
    return { status: 0, body: {} };
  }
}

// The cookie is newer than the page after a sign-in in another tab. A project may hide it from scripts, or have none.
function csrfToken() {
  const cookie = document.cookie.split("; ").find(text => text.startsWith(`${page.dataset.csrfCookie}=`));
  return cookie?.split("=")[1] ?? page.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}
