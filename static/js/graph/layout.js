// Places a flow the way its file reads: steps go down in order, a branch's first case stays in the column, its other cases
// open columns to the right, and jumps to earlier steps run up lanes on the left.
import { router } from "./route.js";

export const SIZE = { width: 176, height: 48, column: 34, rank: 36, lane: 20 };

export function layout(nodes, edges, size = SIZE) {
  const place = new Map(nodes.map((node, index) => [node.id, index]));
  const known = edges.filter(edge => place.has(edge.from) && place.has(edge.to));
  const forward = known.filter(edge => place.get(edge.to) > place.get(edge.from));
  const back = known.filter(edge => !forward.includes(edge));
  const onward = grouped(forward);
  const rows = rowsOf(nodes, onward);
  const { columns, taken } = columnsOf(nodes, onward, rows);
  const lanes = lanesOf(back, rows);
  const left = size.lane * (back.length + 1) + 10;
  const at = id => ({
    x: left + size.width / 2 + columns.get(id) * (size.width + size.column),
    y: size.height / 2 + rows.get(id) * (size.height + size.rank),
  });
  const route = router({ rows, columns, taken, lanes, left, at, size });
  return {
    nodes: nodes.map(node => ({ ...node, ...at(node.id) })),
    edges: spread(known.map(edge => ({ ...edge, ...route(edge) }))),
    width: left + Math.max(0, ...columns.values()) * (size.width + size.column) + size.width,
    height: Math.max(0, ...rows.values()) * (size.height + size.rank) + size.height,
  };
}

// The ways on of each step.
function grouped(edges) {
  const groups = new Map();
  for (const edge of edges) groups.set(edge.from, [...(groups.get(edge.from) ?? []), edge]);
  return groups;
}

// A step stands below everything that leads to it.
function rowsOf(nodes, onward) {
  const rows = new Map(nodes.map(node => [node.id, 0]));
  for (const { id } of nodes)
    for (const edge of onward.get(id) ?? []) rows.set(edge.to, Math.max(rows.get(edge.to), rows.get(id) + 1));
  return rows;
}

export const cell = (row, column) => `${row},${column}`;

function columnsOf(nodes, onward, rows) {
  const columns = new Map(), taken = new Set();
  const put = (id, wished) => {
    let column = wished;
    while (taken.has(cell(rows.get(id), column))) column += 1;
    taken.add(cell(rows.get(id), column));
    columns.set(id, column);
  };
  for (const { id } of nodes) {
    if (!columns.has(id)) put(id, 0);
    (onward.get(id) ?? []).forEach((edge, index) => columns.has(edge.to) || put(edge.to, columns.get(id) + (index > 0 ? 1 : 0)));
  }
  return { columns, taken };
}

// Short jumps run inside, long ones outside, so that lanes do not cross.
function lanesOf(back, rows) {
  const span = edge => rows.get(edge.from) - rows.get(edge.to);
  const sorted = [...back].sort((one, other) => span(one) - span(other));
  return new Map(sorted.map((edge, index) => [edge, index]));
}

// Two labels on one spot would hide each other: the later one stands beside the first.
function spread(edges) {
  const seen = new Set();
  for (const edge of edges) {
    if (!edge.label) continue;
    while (seen.has(String(edge.spot.map(Math.round)))) edge.spot = [edge.spot[0] + 56, edge.spot[1]];
    seen.add(String(edge.spot.map(Math.round)));
  }
  return edges;
}
