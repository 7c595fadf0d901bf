// Making elements.

/** A new element; `text` goes in as text, so that what a person typed is never markup. */
export function makeElement(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}
