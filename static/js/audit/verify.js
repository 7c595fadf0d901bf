// The check of the record, line by line while it runs. Without this the button shows the same text on a page of its own.

const button = document.querySelector("[data-check]");
const report = document.querySelector("[data-report]");
const state = document.querySelector("[data-state]");

button.addEventListener("click", async event => {
  event.preventDefault();
  if (state.textContent === button.dataset.busy) return;
  report.hidden = false;
  report.textContent = "";
  state.textContent = button.dataset.busy;
  try {
    await follow(await fetch(button.href));
    state.textContent = button.dataset.over;
  } catch {
    state.textContent = button.dataset.failed;
  }
});

async function follow(answer) {
  if (!answer.ok) throw new Error(String(answer.status));
  for await (const text of answer.body.pipeThrough(new TextDecoderStream())) report.textContent += text;
}
