// Places the steps of a flow in the order of its text. The main path goes straight down in the first column; what
// leaves it opens columns to the right. The gaps between rows and columns are as wide as their lines and labels need.
import { placeAll } from "./route.js";

/** In pixels. A slot is where a line leaves a step's side; a lane is the room of one line beside another. */
export const SIZE = {
  width: 176, height: 48, columnGap: 34, rowGap: 36, lane: 14, slot: 24,
  label: { height: 20, maxWidth: 150, padding: 16 },
};
const ESTIMATED_LETTER_WIDTH = 7;

/**
 * Positions and lines of a flow: `{nodes, edges, width, height}`. A node gets `x` and `y` of its middle and its
 * `height`; an edge gets the corners of its line as `points`, and `labelPoint`, the middle of its label, with
 * `labelWidth`. `textWidth(label)` measures the words of a label. Edges to or from unknown steps are left out.
 */
export function layout(nodes, edges, size = SIZE, textWidth = estimateWidth) {
  const order = new Map(nodes.map((node, index) => [node.id, index]));
  const labelWidth = ({ label }) => label ? Math.min(size.label.maxWidth, textWidth(label) + size.label.padding) : 0;
  const knownEdges = edges
    .filter(edge => order.has(edge.from) && order.has(edge.to))
    .map(edge => ({ ...edge, labelWidth: labelWidth(edge) }));
  const forwardEdges = groupBySource(knownEdges.filter(edge => order.get(edge.to) > order.get(edge.from)));
  const mainEdges = mainEdgesOf(forwardEdges, order);
  const rows = rowsOf(nodes, forwardEdges);
  const columns = columnsOf(nodes, forwardEdges, rows, mainEdges);
  return placeAll(nodes, knownEdges, { rows, columns, mainEdges }, size);
}

function groupBySource(edges) {
  const groups = new Map();
  for (const edge of edges) groups.set(edge.from, [...(groups.get(edge.from) ?? []), edge]);
  return groups;
}

// For each step the edge that the main path takes: the plain way on, which for a loop is the way past it; for a step
// with several answers the one to the next step of the text, or else the first.
function mainEdgesOf(forwardEdges, order) {
  const leadsToNextStep = edge => order.get(edge.to) === order.get(edge.from) + 1;
  const mainOf = edges => edges.find(edge => edge.way === "next") ?? edges.find(leadsToNextStep) ?? edges[0];
  return new Map([...forwardEdges].map(([id, edges]) => [id, mainOf(edges)]));
}

// A step stands below everything that leads to it.
function rowsOf(nodes, forwardEdges) {
  const rows = new Map(nodes.map(node => [node.id, 0]));
  for (const { id } of nodes) {
    for (const edge of forwardEdges.get(id) ?? []) rows.set(edge.to, Math.max(rows.get(edge.to), rows.get(id) + 1));
  }
  return rows;
}

// A chain of main edges has a strip of a column for itself, also in rows where it has no step, so that its lines are
// straight. The column of a step beside the chain is at least one to the right of the step that leads to it.
function columnsOf(nodes, forwardEdges, rows, mainEdges) {
  const columns = new Map(), occupied = new Set(), firstColumns = new Map();
  for (const { id } of nodes) {
    if (columns.has(id)) continue;
    const chain = chainFrom(id, mainEdges, columns), firstRow = rows.get(id), lastRow = rows.get(chain.at(-1));
    let column = firstColumns.get(id) ?? 0;
    while (!isFree(occupied, column, firstRow, lastRow)) column += 1;
    for (let row = firstRow; row <= lastRow; row++) occupied.add(`${row},${column}`);
    for (const step of chain) columns.set(step, column);
    for (const step of chain) {
      for (const edge of forwardEdges.get(step) ?? []) {
        if (!firstColumns.has(edge.to)) firstColumns.set(edge.to, column + 1);
      }
    }
  }
  return columns;
}

function chainFrom(id, mainEdges, columns) {
  const chain = [id];
  let next = mainEdges.get(id)?.to;
  while (next !== undefined && !columns.has(next)) {
    chain.push(next);
    next = mainEdges.get(next)?.to;
  }
  return chain;
}

function isFree(occupied, column, firstRow, lastRow) {
  for (let row = firstRow; row <= lastRow; row++) if (occupied.has(`${row},${column}`)) return false;
  return true;
}

// For tests, where nothing can be measured.
function estimateWidth(text) {
  return [...text].length * ESTIMATED_LETTER_WIDTH;
}
