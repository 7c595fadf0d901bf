// What the editor asks of the server. Every answer is {status, body}; status 0 means that nobody answered.

/**
 * @typedef {{code: string, rule: string, severity: "error" | "warning", file: string, line: number, column: number,
 *   text: string, advice: string, meant: string}} Problem
 * @typedef {{nodes: object[], edges: object[]}} Graph
 */

const page = document.querySelector("[data-studio]");
const flow = page.dataset.flow;

// The cookie is newer than the page after a sign-in in another tab. A project may keep it from scripts, or have none.
function token() {
  const cookie = document.cookie.split("; ").find(text => text.startsWith(`${page.dataset.csrfCookie}=`));
  return cookie?.split("=")[1] ?? page.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "";
}

async function ask(method, path, body) {
  const headers = { "content-type": "application/json", "x-csrftoken": token() };
  try {
    const answer = await fetch(page.dataset.api + path, { method, headers, body: body && JSON.stringify(body) });
    return { status: answer.status, body: await answer.json().catch(() => ({})) };
  } catch {
    return { status: 0, body: {} };
  }
}

let checking = null, newest = 0;

/** The compiler's answer. One question at a time: of those that wait for it only the newest is asked at all. */
export async function check(text) {
  const mine = ++newest;
  while (checking) await checking;
  if (mine !== newest) return { status: 0, body: {} };
  checking = ask("POST", "check", { flow, text }).finally(() => (checking = null));
  return checking;
}

export const schema = () => ask("GET", "schema.json");
export const save = (text, base_version, note) => ask("PUT", `flows/${flow}`, { text, base_version, note });
export const keepDraft = (text, base_version) => ask("POST", `flows/${flow}/draft`, { text, base_version });
export const edit = (text, act, ...words) => ask("POST", `flows/${flow}/edit`, { text, act, words });
export const format = text => ask("POST", `flows/${flow}/format`, { flow, text });
