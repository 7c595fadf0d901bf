// The check of the audit trail: how far it is, then its result, with each broken entry as a line. Without this script the
// button opens the same report on a page of its own.
import { makeElement } from "../shared/elements.js";

const button = document.querySelector("[data-check]");
const report = document.querySelector("[data-report]");
const state = document.querySelector("[data-state]");
const SIGNS = { good: "check", bad: "warn", busy: "clock" };
const BROKEN = "BROKEN "; // how the server begins the line of a broken entry
const { busy: BUSY, failed: FAILED } = button.dataset;

button.addEventListener("click", async event => {
  event.preventDefault();
  if (state.dataset.state === "busy") return;
  document.querySelector("[data-last]")?.remove(); // it is not the last one any more
  report.replaceChildren();
  report.hidden = true;
  showState("busy", BUSY);
  try {
    const result = await readReport(await fetch(button.href));
    showState(report.childElementCount ? "bad" : "good", result);
  } catch {
    showState("bad", FAILED);
  }
});

// Returns the last line, which is the result.
async function readReport(response) {
  if (!response.ok) throw new Error(String(response.status));
  let text = "", line = "";
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (text + part).split("\n");
    text = lines.pop();
    for (line of lines) showLine(line);
  }
  return line;
}

function showLine(line) {
  if (line.startsWith(BROKEN)) {
    report.append(makeElement("li", "", line.slice(BROKEN.length)));
    report.hidden = false;
  } else {
    showState("busy", `${BUSY} ${line}`);
  }
}

function showState(kind, words) {
  state.dataset.state = kind;
  state.className = `box ${kind === "busy" ? "" : kind}`;
  const sign = state.querySelector("use"); // the admin's page has none
  sign?.setAttribute("href", `${sign.dataset.sprite}#i-${SIGNS[kind]}`);
  state.querySelector("[data-words]").textContent = words;
}
