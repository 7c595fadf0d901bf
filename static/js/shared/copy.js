// Buttons that copy a piece of code, or the value of a field. Browsers offer the clipboard only on pages with TLS and on localhost.

const SHOWN_DONE_MS = 2_000;

for (const button of document.querySelectorAll("[data-copies]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}

async function copy(button) {
  const words = button.querySelector("[data-words]"), text = words.textContent;
  const source = document.getElementById(button.dataset.copies);
  await navigator.clipboard.writeText(source.value ?? source.textContent);
  words.textContent = button.dataset.done;
  setTimeout(() => { words.textContent = text; }, SHOWN_DONE_MS);
}
