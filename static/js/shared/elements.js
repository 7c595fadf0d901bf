// Making elements.

/** A new element; `text` goes in as text, so that what a person typed is never markup. */
export function makeElement(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}

// A name between backquotes, of letters and what joins them. Other backquotes are an author's own and stay.
const QUOTED_NAME = /(?<![^\s(])`(\{?[\p{L}\p{N}_](?:[\p{L}\p{N}_ .!:/[\]-]*[\p{L}\p{N}_\]])?\}?)`(?![^\s.,:;?)])/u;

/** The nodes of a text in which `names` stand between backquotes: those as `<code>`, the rest as text. */
export function codeNodes(text) {
  return text.split(QUOTED_NAME).map((part, index) => (index % 2 ? makeElement("code", "", part) : part));
}
