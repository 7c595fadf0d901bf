// A field for files that covers its drop zone: the browser takes what is dropped on it or chosen by click or key, and
// the zone says the name and size of each file that was chosen.
import { fillPhrase } from "./phrases.js";

const ZONE = "[data-drop-zone]";
const BYTES_OF_UNITS = [["megabyte", 1e6], ["kilobyte", 1e3], ["byte", 1]];

function sizeText(bytes) {
  const [unit, size] = BYTES_OF_UNITS.find(([, size]) => bytes >= size) ?? BYTES_OF_UNITS.at(-1);
  const format = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: unit === "megabyte" ? 1 : 0 };
  return new Intl.NumberFormat(document.documentElement.lang || "en", format).format(bytes / size);
}

function showFiles(zone) {
  const { files } = zone.querySelector("input[type=file]"), words = zone.querySelector("[data-words]");
  words.dataset.empty ??= words.textContent;
  const names = [...files].map(file => `${file.name} (${sizeText(file.size)})`).join(", ");
  words.textContent = names ? fillPhrase(words.dataset.chosen, names) : words.dataset.empty;
  zone.classList.toggle("chosen", files.length > 0);
}

// On the document, because the card of a gate is replaced.
document.addEventListener("change", ({ target }) => {
  const zone = target.closest(ZONE);
  if (zone) showFiles(zone);
});
for (const type of ["dragenter", "dragover", "dragleave", "drop"]) {
  document.addEventListener(type, ({ target }) => {
    target.closest?.(ZONE)?.classList.toggle("over", type === "dragenter" || type === "dragover");
  });
}
// A browser may keep the choice when the page is shown again.
for (const zone of document.querySelectorAll(ZONE)) showFiles(zone);
