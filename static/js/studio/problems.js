// The list of a text's problems, below the text. A change of the assistant's own document may cause problems in its
// flows: those lead to the pages of the flows.
import { codeNodes } from "../shared/elements.js";
import { fillPhrase } from "../shared/phrases.js";

const list = document.querySelector("[data-problems]");

/** Whether a problem is in the text of this page. */
export function isOnPage(problem) {
  return problem.file === list.dataset.file;
}

/** Show the problems and their number; `itemOf(problem)` makes the element of one. */
export function showProblems(problems, itemOf = problemItem) {
  const count = document.querySelector("[data-studio] [data-count]");
  count.textContent = countWords(problems, count.parentElement.dataset);
  count.parentElement.classList.toggle("warm", hasErrors(problems));
  count.parentElement.classList.toggle("warned", problems.some(({ severity }) => severity === "warning"));
  list.replaceChildren(...problems.map(problem => itemOf(problem)));
}

function countWords(problems, { none, one, many, oneWarning, manyWarnings, oneHint, manyHints }) {
  const hints = problems.filter(({ severity }) => severity === "hint"), isRefused = hasErrors(problems);
  const counted = hints.length && !isRefused ? hints : problems;
  const withoutErrors = hints.length ? [oneHint, manyHints] : [oneWarning, manyWarnings];
  const [single, several] = isRefused ? [one, many] : withoutErrors;
  if (counted.length === 0) return none;
  return counted.length === 1 ? single : fillPhrase(several, counted.length);
}

/** Whether one of them keeps the text from being saved; the others are warnings, or hints at what is still empty. */
export function hasErrors(problems) {
  return problems.some(({ severity }) => severity === "error");
}

/** Call `jump({line, column})` when a problem of this page is pressed. */
export function watchProblems(jump) {
  list.addEventListener("click", event => {
    const button = event.target.closest("[data-at]");
    if (!button) return;
    const [line, column] = button.dataset.at.split(":").map(Number);
    jump({ line, column });
  });
}

/** What a problem says and what to write instead, of `{text, advice}`. */
export function sentences({ text, advice }) {
  return advice ? `${text}. ${advice}` : text;
}

/** A list item: a button that leads to the problem's line, or a link to the page of its document. */
export function problemItem(problem) {
  const item = document.createElement("li"), position = document.createElement("b");
  const control = isOnPage(problem) ? jumpButton(problem) : documentLink(problem);
  control.classList.add("problem", "grow", problem.severity);
  if (isOnPage(problem)) position.textContent = fillPhrase(list.dataset.line, problem.line);
  else position.textContent = `${problem.file}:${problem.line}`;
  control.append(position, ...codeNodes(` ${sentences(problem.words ?? problem)}`));
  item.append(control);
  return item;
}

function jumpButton({ line, column }) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.at = `${line}:${column}`;
  return button;
}

function documentLink({ file, line }) {
  const link = document.createElement("a");
  link.href = `../${file.replace(/\.yaml$/, "")}/#line-${line}`;
  return link;
}
