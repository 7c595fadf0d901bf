// The look of the widget: the line to copy and the preview follow what is chosen.
import { fillPhrase } from "../shared/phrases.js";

const COLOUR = /^#[0-9a-f]{6}$/;
const form = document.getElementById("look");
if (form) begin();

function begin() {
  form.querySelector("[data-without-script]").hidden = true;
  for (const swatch of form.querySelectorAll("[data-brand]")) {
    swatch.hidden = false;
    swatch.style.backgroundColor = swatch.dataset.brand;
    swatch.addEventListener("click", () => {
      form.brand.value = swatch.dataset.brand;
      show();
    });
  }
  form.addEventListener("input", show);
  form.addEventListener("submit", event => event.preventDefault());
  show();
}

function show() {
  const brand = form.brand.value.trim().toLowerCase(), note = document.getElementById("contrast");
  const isColour = COLOUR.test(brand);
  form.brand.setAttribute("aria-invalid", String(!isColour));
  for (const swatch of form.querySelectorAll("[data-brand]")) {
    swatch.setAttribute("aria-pressed", String(swatch.dataset.brand === brand));
  }
  // What is no colour stays out of the line and the preview, as the server leaves it out.
  const shown = isColour ? brand : form.dataset.defaultBrand, { ink, contrast } = readableOn(shown);
  note.textContent = isColour ? fillPhrase(note.dataset.words, contrast.toFixed(1)) : note.dataset.wrong;
  note.classList.toggle("error", !isColour);
  showPreview(shown, ink);
  showSnippet(shown);
}

function showPreview(brand, ink) {
  const stage = document.getElementById("stage");
  stage.style.setProperty("--site-brand", brand);
  stage.style.setProperty("--site-brand-ink", ink);
  stage.style.colorScheme = form.theme.value || "inherit";
  stage.classList.toggle("left", form.corner.value === "left");
}

function showSnippet(brand) {
  const line = document.getElementById("snippet");
  const chosen = { brand: brand === form.dataset.defaultBrand ? "" : brand, theme: form.theme.value,
    corner: form.corner.value };
  const end = Object.entries(chosen).map(([name, value]) => value && ` data-${name}="${value}"`).join("");
  line.textContent = line.textContent.replace(/(data-assistant="[^"]*").*/, `$1${end}></script>`);
}

// White or black, whichever can be read better, with its contrast (WCAG 2, 1 to 21). The widget chooses the same.
function readableOn(colour) {
  const parts = [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16) / 255);
  const [red, green, blue] = parts.map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const [onWhite, onBlack] = [1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05];
  return onWhite >= onBlack ? { ink: "#fff", contrast: onWhite } : { ink: "#000", contrast: onBlack };
}
