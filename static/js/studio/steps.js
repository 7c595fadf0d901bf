// Where the steps of a flow stand in its text. Found line by line, so that it works while the text is no valid YAML.

const STEP = /(?<!^[ \t]*#.*)(?:^|[\s{,-])step:\s*["']?([a-z][a-z0-9_]*)/;
const TOP_LEVEL_KEY = /^[a-z]/;

/** The name of the step around a position of a CodeMirror text; "" outside of all steps. */
export function stepAt(doc, position) {
  for (let number = doc.lineAt(position).number; number >= 1; number--) {
    const match = STEP.exec(doc.line(number).text);
    if (match) return match[1];
    if (TOP_LEVEL_KEY.test(doc.line(number).text)) return "";
  }
  return "";
}

/** `{from, to}`, the first and last position of a step's lines; null when the text has no such step. */
export function stepRange(doc, name) {
  for (let number = 1; number <= doc.lines; number++) {
    const line = doc.line(number);
    if (STEP.exec(line.text)?.[1] === name) return { from: line.from, to: stepEnd(doc, number) };
  }
  return null;
}

// A step ends before the next line that is not indented further than its first; comments and empty lines do not count.
function stepEnd(doc, firstLine) {
  const indent = doc.line(firstLine).text.search(/\S/);
  let lastLine = firstLine;
  for (let number = firstLine + 1; number <= doc.lines; number++) {
    const text = doc.line(number).text;
    if (!text.trim() || text.trim().startsWith("#")) continue;
    if (text.search(/\S/) <= indent) break;
    lastLine = number;
  }
  return doc.line(lastLine).to;
}

/** The names of all steps, in the order of the text. */
export function stepNames(text) {
  return [...text.matchAll(new RegExp(STEP, "gm"))].map(match => match[1]);
}
