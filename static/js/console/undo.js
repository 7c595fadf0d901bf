// The toast for something that was just done: it stays for a few seconds, with a button that takes it back. Taking
// back is a line of the command bar, and is refused as any other line when a colleague has changed the same thing
// meanwhile.
// To announce: document.dispatchEvent(new CustomEvent("soni:done", { detail: { text, undo } })), where `undo` is that
// line.

const UNDO_SHOWN_MS = 8_000;
const TEXT_SHOWN_MS = 6_000;
const toast = document.getElementById("done");
const form = document.getElementById("command");
let timer = 0, undoLine = "";

if (toast && form) {
  document.addEventListener("soni:done", ({ detail }) => announce(detail));
  document.addEventListener("soni:decided", ({ detail: gate }) => withdrawOffer(gate));
  toast.querySelector("button").addEventListener("click", undo);
  // It does not vanish under the pointer or the focus of a person who is about to press it.
  for (const type of ["pointerenter", "focusin"]) toast.addEventListener(type, () => clearTimeout(timer));
  for (const type of ["pointerleave", "focusout"]) toast.addEventListener(type, () => hideAfter(UNDO_SHOWN_MS));
}

function announce({ text, undo: line = "" }) {
  undoLine = line;
  toast.hidden = false;
  toast.querySelector("[data-words]").textContent = text;
  toast.querySelector("button").hidden = !line;
  hideAfter(line ? UNDO_SHOWN_MS : TEXT_SHOWN_MS);
}

function hideAfter(milliseconds) {
  clearTimeout(timer);
  timer = setTimeout(() => { toast.hidden = true; }, milliseconds);
}

// A decision cannot be undone, and beside it the undo of the claim would read as if it could.
function withdrawOffer(gate) {
  if (!undoLine.split(" ").includes(gate)) return;
  undoLine = "";
  clearTimeout(timer);
  toast.hidden = true;
}

async function undo() {
  const body = new FormData(form);
  body.set("line", undoLine);
  undoLine = ""; // a second press must not take back twice
  try {
    const response = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } });
    const { said, changed } = await response.json();
    announce({ text: said });
    if (changed) document.dispatchEvent(new CustomEvent("soni:changed"));
  } catch {
    announce({ text: form.dataset.failed });
  }
}
