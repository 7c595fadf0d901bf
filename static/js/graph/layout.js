// Places a flow the way its file reads. The main path goes straight down in the first column; what leaves it opens columns
// to the right. Gaps between rows and columns are as wide as the lines and labels in them need.
import { plan } from "./route.js";

export const SIZE = { width: 176, height: 48, column: 34, rank: 36, lane: 14, slot: 24, label: { height: 20, most: 150, frame: 16 } };

/**
 * Positions and lines of a flow. A node gets its middle and its height; an edge the corners of its line, and for its label
 * the middle and the width. `textWidth(label)` measures a label's words in pixels.
 */
export function layout(nodes, edges, size = SIZE, textWidth = estimate) {
  const order = new Map(nodes.map((node, index) => [node.id, index]));
  const known = edges.filter(edge => order.has(edge.from) && order.has(edge.to)).map(edge => ({ ...edge, labelWidth: edge.label ? Math.min(size.label.most, textWidth(edge.label) + size.label.frame) : 0 }));
  const onward = grouped(known.filter(edge => order.get(edge.to) > order.get(edge.from)));
  const rows = rowsOf(nodes, onward), main = mainWays(onward, order);
  return plan(nodes, known, { rows, columns: columnsOf(nodes, onward, rows, main), main }, size);
}

// The ways on of each step.
function grouped(edges) {
  const groups = new Map();
  for (const edge of edges) groups.set(edge.from, [...(groups.get(edge.from) ?? []), edge]);
  return groups;
}

// The plain way on, which of a loop is the way past it; of a step with answers the one to the next step of the text, or else
// the first.
function mainWays(onward, order) {
  const below = edge => order.get(edge.to) === order.get(edge.from) + 1;
  return new Map([...onward].map(([id, ways]) => [id, ways.find(edge => edge.way === "next") ?? ways.find(below) ?? ways[0]]));
}

// A step stands below everything that leads to it.
function rowsOf(nodes, onward) {
  const rows = new Map(nodes.map(node => [node.id, 0]));
  for (const { id } of nodes)
    for (const edge of onward.get(id) ?? []) rows.set(edge.to, Math.max(rows.get(edge.to), rows.get(id) + 1));
  return rows;
}

// A chain of main ways has a strip of a column for itself, also where it passes rows without a step of its own, so that its
// lines are straight.
function columnsOf(nodes, onward, rows, main) {
  const columns = new Map(), strips = new Set(), wished = new Map();
  for (const { id } of nodes) {
    if (columns.has(id)) continue;
    const chain = chainFrom(id, main, columns), last = rows.get(chain.at(-1));
    let column = wished.get(id) ?? 0;
    while (!free(strips, column, rows.get(id), last)) column += 1;
    for (let row = rows.get(id); row <= last; row++) strips.add(`${row},${column}`);
    for (const step of chain) columns.set(step, column);
    for (const step of chain) for (const edge of onward.get(step) ?? []) if (!wished.has(edge.to)) wished.set(edge.to, column + 1);
  }
  return columns;
}

function chainFrom(id, main, columns) {
  const chain = [id];
  for (let next = main.get(id)?.to; next !== undefined && !columns.has(next); next = main.get(next)?.to) chain.push(next);
  return chain;
}

function free(strips, column, first, last) {
  for (let row = first; row <= last; row++) if (strips.has(`${row},${column}`)) return false;
  return true;
}

// Where nothing can be measured.
function estimate(text) {
  return [...text].length * 7;
}
