// The command bar: what was understood is shown while the line is typed, and said again by the server when it is sent.

import * as lines from "./command_history.js";

const form = document.getElementById("command");

if (form) {
  const line = form.elements.line;
  const output = form.querySelector("output");
  const past = lines.read(form.dataset.me);
  let at = past.length, asked = 0, timer = 0;

  const say = ({ said = "", more = "", good = true }) => {
    const chip = document.createElement("span");
    chip.className = `chip ${good ? "good" : "bad"}`;
    chip.textContent = said;
    const rest = document.createElement("small");
    rest.textContent = more;
    output.replaceChildren(...(said ? [chip, rest] : more ? [rest] : []));
  };

  const post = async (url, body) => {
    const answer = await fetch(url, { method: "POST", body, headers: { accept: "application/json" } });
    if (!(answer.headers.get("content-type") ?? "").includes("json")) throw new Error(String(answer.status));
    return answer.json();
  };

  const preview = async () => {
    const mine = ++asked;
    if (!line.value.trim()) return say({});
    try {
      const understood = await post(form.dataset.preview, new FormData(form));
      if (mine === asked) say(understood);
    } catch { /* The line is shown again when it is sent. */ }
  };

  line.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(preview, 180);
  });

  // Tab completes what can be completed; pressed again where nothing more is known, it leaves the bar as everywhere.
  let completed = null;
  const complete = async () => {
    const typed = line.value;
    completed = typed;
    const { lines } = await post(form.dataset.complete, new FormData(form)).catch(() => ({ lines: [] }));
    if (line.value !== typed || !lines.length) return;
    line.value = shared(lines);
    if (line.value !== typed) completed = null;
    if (lines.length === 1) preview();
    else say({ more: lines.map(each => each.trim()).join("   ") });
  };
  const shared = lines => lines.reduce((begun, each) => {
    let same = 0;
    while (same < begun.length && begun[same] === each[same]) same += 1;
    return begun.slice(0, same);
  });

  line.addEventListener("keydown", event => {
    const plain = !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (event.key !== "Tab" || !plain || !line.value.trim() || completed === line.value) return;
    event.preventDefault();
    complete();
  });

  line.addEventListener("keydown", event => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    at = Math.max(0, Math.min(past.length, at + (event.key === "ArrowUp" ? -1 : 1)));
    line.value = past[at] ?? "";
    event.preventDefault();
    preview();
  });

  form.addEventListener("submit", async event => {
    event.preventDefault();
    clearTimeout(timer);
    asked += 1;
    const sent = line.value;
    if (!sent.trim()) return;
    try {
      const answer = await post(form.action, new FormData(form));
      say(answer);
      if (!answer.good) return;
      past.push(sent);
      if (answer.keep) lines.keep(form.dataset.me, sent);
      at = past.length;
      line.value = "";
      if (answer.href) location.assign(answer.href);
      else if (answer.changed) document.dispatchEvent(new CustomEvent("soni:changed"));
      if (answer.undo) document.dispatchEvent(new CustomEvent("soni:done", { detail: { text: answer.said, undo: answer.undo } }));
    } catch {
      say({ said: form.dataset.failed, good: false });
    }
  });
}
