// Light or dark, kept in a cookie so that the server's first byte already has the right colours.

const root = document.documentElement;

function shown() {
  return root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function choose(theme) {
  root.dataset.theme = theme;
  document.cookie = `soni_theme=${theme};path=${document.documentElement.dataset.root ?? "/"};max-age=31536000;samesite=lax`;
}

document.addEventListener("click", event => {
  if (event.target.closest("[data-theme-switch]")) choose(shown() === "dark" ? "light" : "dark");
});
