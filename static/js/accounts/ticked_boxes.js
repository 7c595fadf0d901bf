// How many boxes of a group are ticked, kept up to date while a person ticks.

import { fillPhrase } from "../shared/phrases.js";

for (const group of document.querySelectorAll("[data-ticked-boxes]")) {
  const words = group.querySelector("[data-words]");
  group.addEventListener("change", () => {
    const ticked = group.querySelectorAll('input[type="checkbox"]:checked').length;
    words.textContent = fillPhrase(words.dataset.words, ticked);
  });
}
