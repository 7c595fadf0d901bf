// A field for one file that covers its drop zone: the browser takes what is dropped on it or chosen by click or key,
// and the zone says what was chosen.
import { fillPhrase } from "../shared/phrases.js";

for (const zone of document.querySelectorAll("[data-drop-zone]")) {
  const field = zone.querySelector("input[type=file]"), words = zone.querySelector("[data-words]");
  const emptyWords = words.textContent;
  const showFile = () => {
    const file = field.files[0];
    words.textContent = file ? fillPhrase(words.dataset.chosen, file.name) : emptyWords;
    zone.classList.toggle("chosen", Boolean(file));
  };
  field.addEventListener("change", showFile);
  for (const type of ["dragenter", "dragover"]) zone.addEventListener(type, () => zone.classList.add("over"));
  for (const type of ["dragleave", "drop"]) zone.addEventListener(type, () => zone.classList.remove("over"));
  showFile(); // a browser may keep the choice when the page is shown again
}
