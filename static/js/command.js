// The command bar: what was understood is shown while the line is typed, and said again by the server when it is sent.

const form = document.getElementById("command");

if (form) {
  const line = form.elements.line;
  const output = form.querySelector("output");
  const past = [];
  let at = 0, asked = 0, timer = 0;

  const say = ({ said = "", more = "", good = true }) => {
    const chip = document.createElement("span");
    chip.className = `chip ${good ? "good" : "bad"}`;
    chip.textContent = said;
    const rest = document.createElement("small");
    rest.textContent = more;
    output.replaceChildren(...(said ? [chip, rest] : []));
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
      at = past.length;
      line.value = "";
      if (answer.href) location.assign(answer.href);
      else if (answer.changed) document.dispatchEvent(new CustomEvent("soni:changed"));
    } catch {
      say({ said: form.dataset.failed, good: false });
    }
  });
}
