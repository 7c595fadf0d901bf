// The check of the audit trail, shown line by line while it runs. Without this script the button opens the same
// report on a page of its own.

const button = document.querySelector("[data-check]");
const report = document.querySelector("[data-report]");
const state = document.querySelector("[data-state]");

button.addEventListener("click", async event => {
  event.preventDefault();
  if (state.textContent === button.dataset.busy) return; // it is running
  report.hidden = false;
  report.textContent = "";
  state.textContent = button.dataset.busy;
  try {
    await showReport(await fetch(button.href));
    state.textContent = button.dataset.over;
  } catch {
    state.textContent = button.dataset.failed;
  }
});

async function showReport(response) {
  if (!response.ok) throw new Error(String(response.status));
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) report.textContent += text;
}
