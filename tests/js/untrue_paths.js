// What would make a drawn flow say something that its text does not: a plain list of faults, empty when the picture
// is true.
import { SIZE } from "../../static/js/graph/layout.js";

const LABEL = { width: 150, height: 20 };
const TOUCH = .3;

const box = ({ x, y, height = SIZE.height }) => ({ left: x - SIZE.width / 2, right: x + SIZE.width / 2, top: y - height / 2, bottom: y + height / 2 });
const labelBox = ({ labelPoint: [x, y], labelWidth = LABEL.width }) => ({ left: x - labelWidth / 2, right: x + labelWidth / 2, top: y - LABEL.height / 2, bottom: y + LABEL.height / 2 });
const over = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > .5 && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > .5;
const distance = (one, other) => Math.max(other.left - one.right, one.left - other.right, other.top - one.bottom, one.top - other.bottom, 0);
const segments = ({ points }) => points.slice(1).map((end, at) => [points[at], end]);
const span = ([x1, y1], [x2, y2], more = TOUCH) => ({ left: Math.min(x1, x2) - more, right: Math.max(x1, x2) + more, top: Math.min(y1, y2) - more, bottom: Math.max(y1, y2) + more });
const name = edge => `${edge.from} → ${edge.to}${edge.label && ` (${edge.label})`}`;

/** The faults of a placed flow, in words. */
export function untruePaths({ nodes, edges }) {
  const boxes = nodes.map(node => [node.id, box(node)]);
  return [...nodesOverNodes(boxes), ...linesThroughNodes(edges, boxes), ...sharedLines(edges), ...labels(edges, boxes), ...crookedMainPath(nodes, edges)];
}

function* pairs(list) {
  for (const [at, one] of list.entries()) for (const other of list.slice(at + 1)) yield [one, other];
}

function* nodesOverNodes(boxes) {
  for (const [[one, first], [other, second]] of pairs(boxes)) if (over(first, second)) yield `${one} lies over ${other}`;
}

function* linesThroughNodes(edges, boxes) {
  for (const edge of edges)
    for (const [start, end] of segments(edge)) {
      if (start[0] !== end[0] && start[1] !== end[1]) yield `${name(edge)} has a slanted line`;
      for (const [id, node] of boxes) if (over(span(start, end), node)) yield `${name(edge)} runs through ${id}`;
    }
}

// Lines to different steps may cross. Where they run along each other, or one turns on the other, the eye follows the
// wrong one.
function* sharedLines(edges) {
  for (const [one, other] of pairs(edges)) {
    if (one.to === other.to) continue;
    if (segments(one).some(first => segments(other).some(second => along(first, second)))) yield `${name(one)} shares a line with ${name(other)}`;
    else if (turnsOn(one, other) || turnsOn(other, one)) yield `${name(one)} touches ${name(other)}`;
  }
}

function along([start, end], [from, to]) {
  const same = [0, 1].find(axis => [end, from, to].every(point => Math.abs(point[axis] - start[axis]) < 2));
  if (same === undefined) return false;
  const axis = 1 - same;
  return Math.min(Math.max(start[axis], end[axis]), Math.max(from[axis], to[axis])) - Math.max(Math.min(start[axis], end[axis]), Math.min(from[axis], to[axis])) > .5;
}

function turnsOn(one, other) {
  return one.points.some(([x, y]) => segments(other).some(([start, end]) => {
    const { left, right, top, bottom } = span(start, end, 1);
    return x > left && x < right && y > top && y < bottom;
  }));
}

function* labels(edges, boxes) {
  const labelled = edges.filter(edge => edge.label), sources = new Map(boxes);
  for (const edge of labelled) {
    const own = labelBox(edge);
    if (distance(own, sources.get(edge.from)) > 16) yield `the label of ${name(edge)} stands away from its source`;
    if (!segments(edge).some(([start, end]) => over(span(start, end, 1), own))) yield `the label of ${name(edge)} is not on its line`;
    for (const [id, node] of boxes) if (over(own, node)) yield `the label of ${name(edge)} lies over ${id}`;
    for (const other of edges) if (other !== edge && segments(other).some(([start, end]) => over(span(start, end), own))) yield `${name(other)} runs through the label of ${name(edge)}`;
  }
  for (const [one, other] of pairs(labelled)) if (over(labelBox(one), labelBox(other))) yield `the labels of ${name(one)} and ${name(other)} lie over each other`;
}

// From the first step, the plain way on; without one, the way to the next step of the text, or else the first.
function* crookedMainPath(nodes, edges) {
  const order = new Map(nodes.map((node, index) => [node.id, index]));
  for (let at = nodes[0]?.id; at !== undefined;) {
    const forward = edges.filter(edge => edge.from === at && order.get(edge.to) > order.get(at));
    const main = forward.find(edge => edge.way === "next") ?? forward.find(edge => order.get(edge.to) === order.get(at) + 1) ?? forward[0];
    if (main && (main.points.length !== 2 || main.points[0][0] !== main.points[1][0])) yield `the main way ${name(main)} does not run straight down`;
    at = main?.to;
  }
}
