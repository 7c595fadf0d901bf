// The switch between light and dark. A cookie keeps the choice, so that the server's first byte has the right colours.

const COOKIE_SECONDS = 31_536_000; // a year
const root = document.documentElement;

function currentTheme() {
  return root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function setTheme(theme) {
  root.dataset.theme = theme;
  const path = root.dataset.root ?? "/";
  document.cookie = `soni_theme=${theme};path=${path};max-age=${COOKIE_SECONDS};samesite=lax`;
}

function showSwitches() {
  for (const button of document.querySelectorAll("[data-theme-switch][aria-pressed]")) {
    button.setAttribute("aria-pressed", String(currentTheme() === "dark"));
  }
}

document.addEventListener("click", event => {
  if (!event.target.closest("[data-theme-switch]")) return;
  setTheme(currentTheme() === "dark" ? "light" : "dark");
  showSwitches();
});
showSwitches();
