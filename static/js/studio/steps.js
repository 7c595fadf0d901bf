// Where steps stand in the text, found by their lines, so that it works while the text is invalid too.
const STEP = /(?:^|[\s{,-])step:\s*["']?([a-z][a-z0-9_]*)/;

/** The step around a position of a CodeMirror text; "" before the first. */
export function stepAt(doc, position) {
  for (let number = doc.lineAt(position).number; number >= 1; number--) {
    const found = STEP.exec(doc.line(number).text);
    if (found) return found[1];
    if (/^[a-z]/.test(doc.line(number).text)) return "";
  }
  return "";
}

/** The first and last position of a step's lines; null when the text has no such step. */
export function placeOf(doc, name) {
  for (let number = 1; number <= doc.lines; number++) {
    const line = doc.line(number);
    if (STEP.exec(line.text)?.[1] === name) return { from: line.from, to: endOf(doc, number) };
  }
  return null;
}

function endOf(doc, first) {
  const indent = doc.line(first).text.search(/\S/);
  let last = first;
  for (let number = first + 1; number <= doc.lines; number++) {
    const text = doc.line(number).text;
    if (!text.trim() || text.trim().startsWith("#")) continue;
    if (text.search(/\S/) <= indent) break;
    last = number;
  }
  return doc.line(last).to;
}

/** The names of all steps, in the order of the text. */
export function stepNames(text) {
  return [...text.matchAll(new RegExp(STEP, "gm"))].map(found => found[1]);
}
