// What was just done and can be taken back: the page says so for a few seconds, with a button. Taking back is a line of
// the command bar, and is refused as any other when somebody else has gone on meanwhile.
// Announce with: document.dispatchEvent(new CustomEvent("soni:done", { detail: { text, undo } })).

const SHOWN_FOR = 8_000;
const REFUSED_FOR = 6_000;
const toast = document.getElementById("done");
const form = document.getElementById("command");
let timer = 0, line = "";

if (toast && form) {
  document.addEventListener("soni:done", ({ detail }) => announce(detail));
  toast.querySelector("button").addEventListener("click", undo);
  // Somebody who is about to press it has time.
  for (const kind of ["pointerenter", "focusin"]) toast.addEventListener(kind, () => clearTimeout(timer));
  for (const kind of ["pointerleave", "focusout"]) toast.addEventListener(kind, () => hideIn(SHOWN_FOR));
}

function announce({ text, undo: back = "" }) {
  line = back;
  toast.hidden = false;
  toast.querySelector("[data-words]").textContent = text;
  toast.querySelector("button").hidden = !line;
  hideIn(line ? SHOWN_FOR : REFUSED_FOR);
}

function hideIn(milliseconds) {
  clearTimeout(timer);
  timer = setTimeout(() => { toast.hidden = true; }, milliseconds);
}

async function undo() {
  const body = new FormData(form);
  body.set("line", line);
  line = "";
  try {
    const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } });
    const { said, changed } = await answer.json();
    announce({ text: said });
    if (changed) document.dispatchEvent(new CustomEvent("soni:changed"));
  } catch {
    announce({ text: form.dataset.failed });
  }
}
