// The search field above a long choice of names, such as the built-in responses: it finds them by what they say.
import { makeElement } from "../../shared/elements.js";
import { named, textElement, wordButton } from "./elements.js";

const MAX_MATCHES = 8;

/** `names`: [{name, text, group}]; `choose(name)` is called with the one that is picked. */
export function nameSearch(ctx, names, label, choose) {
  const field = textElement("", () => {});
  field.type = "search";
  field.placeholder = ctx.phrase("search");
  named(field, `${ctx.phrase("search")}: ${label}`);
  const matches = makeElement("ul", "matches"), state = makeElement("small");
  state.setAttribute("role", "status");
  matches.hidden = true;
  field.addEventListener("input", () => {
    const found = matchingNames(names, field.value);
    matches.replaceChildren(...found.slice(0, MAX_MATCHES).map(entry => matchRow(entry, choose)));
    matches.hidden = !found.length;
    state.textContent = field.value.trim() && !found.length ? ctx.phrase("nothing_found") : "";
  });
  field.addEventListener("keydown", event => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    matches.querySelector("button")?.focus();
  });
  const box = makeElement("div", "name-search");
  box.append(field, matches, state);
  return box;
}

function matchingNames(names, text) {
  const words = plain(text).split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  return names.filter(entry => words.every(word => plain(`${entry.text} ${entry.group} ${entry.name}`).includes(word)));
}

function matchRow({ name, text }, choose) {
  const row = makeElement("li");
  row.append(wordButton("btn bare tiny", text, () => choose(name)));
  return row;
}

function plain(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
