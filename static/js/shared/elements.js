// Making elements.

/** A new element; `text` goes in as text, so that what a person typed is never markup. */
export function makeElement(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

/** The nodes of a text in which `names` stand between backquotes: those as `<code>`, the rest as text. */
export function codeNodes(text) {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 ? makeElement("code", "", part) : part));
}
