// The list of what is wrong, below the text. A change of the assistant's own document is felt in its flows too: what is
// wrong there leads to their pages.
import { filled } from "../shared/phrases.js";

const list = document.querySelector("[data-problems]");

/** Whether a problem is in the text of this page. */
export function isHere(problem) {
  return problem.file === list.dataset.file;
}

/** A problem's entry: a button to its place, or the way to the page of its document. */
export function entryOf(problem) {
  const item = document.createElement("li"), place = document.createElement("b");
  const way = isHere(problem) ? buttonTo(problem) : linkTo(problem);
  way.classList.add("problem", "grow", problem.severity);
  place.textContent = isHere(problem) ? filled(list.dataset.line, problem.line) : `${problem.file}:${problem.line}`;
  way.append(place, ` ${problem.text}${problem.advice ? `. ${problem.advice}` : ""}`);
  item.append(way);
  return item;
}

function buttonTo({ line, column }) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.at = `${line}:${column}`;
  return button;
}

function linkTo({ file, line }) {
  const link = document.createElement("a");
  link.href = `../${file.replace(/\.yaml$/, "")}/#line-${line}`;
  return link;
}
