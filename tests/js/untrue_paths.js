// What would make a drawn flow say something that its text does not: a list of faults in words, empty when the
// picture is true.
import { SIZE } from "../../static/js/graph/layout.js";

const LABEL_WIDTH = 150;
const LABEL_HEIGHT = 20;
const LABEL_MAX_DISTANCE = 16; // pixels between a step and the label of a line that leaves it
const LINE_MARGIN = .3;
const MIN_OVERLAP = .5;

/** The faults of a flow as `layout` returns it. */
export function untruePaths({ nodes, edges }) {
  const boxes = nodes.map(node => [node.id, nodeBox(node)]);
  return [
    ...nodesOverNodes(boxes),
    ...linesThroughNodes(edges, boxes),
    ...sharedLines(edges),
    ...misplacedLabels(edges, boxes),
    ...crookedMainPath(nodes, edges),
  ];
}

// ---- geometry: boxes are {left, right, top, bottom} ---------------------------------------------------------------

function boxAround(x, y, width, height) {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

function nodeBox({ x, y, height = SIZE.height }) {
  return boxAround(x, y, SIZE.width, height);
}

function labelBox({ labelPoint: [x, y], labelWidth = LABEL_WIDTH }) {
  return boxAround(x, y, labelWidth, LABEL_HEIGHT);
}

function segmentBox([x1, y1], [x2, y2], margin = LINE_MARGIN) {
  return {
    left: Math.min(x1, x2) - margin, right: Math.max(x1, x2) + margin,
    top: Math.min(y1, y2) - margin, bottom: Math.max(y1, y2) + margin,
  };
}

function overlap(one, other) {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return width > MIN_OVERLAP && height > MIN_OVERLAP;
}

function distance(one, other) {
  const across = Math.max(other.left - one.right, one.left - other.right);
  return Math.max(across, other.top - one.bottom, one.top - other.bottom, 0);
}

function segmentsOf({ points }) {
  return points.slice(1).map((end, index) => [points[index], end]);
}

function nameOf({ from, to, label }) {
  return `${from} → ${to}${label && ` (${label})`}`;
}

function* pairs(items) {
  for (const [index, one] of items.entries()) for (const other of items.slice(index + 1)) yield [one, other];
}

// ---- faults -------------------------------------------------------------------------------------------------------

function* nodesOverNodes(boxes) {
  for (const [[one, first], [other, second]] of pairs(boxes)) {
    if (overlap(first, second)) yield `${one} lies over ${other}`;
  }
}

function* linesThroughNodes(edges, boxes) {
  for (const edge of edges) {
    for (const [start, end] of segmentsOf(edge)) {
      if (start[0] !== end[0] && start[1] !== end[1]) yield `${nameOf(edge)} has a slanted line`;
      for (const [id, box] of boxes) {
        if (overlap(segmentBox(start, end), box)) yield `${nameOf(edge)} runs through ${id}`;
      }
    }
  }
}

// Lines to different steps may cross. Where they run along each other, or one turns on the other, the eye follows the
// wrong one.
function* sharedLines(edges) {
  for (const [one, other] of pairs(edges)) {
    if (one.to === other.to) continue;
    const others = segmentsOf(other);
    if (segmentsOf(one).some(first => others.some(second => runAlong(first, second)))) {
      yield `${nameOf(one)} shares a line with ${nameOf(other)}`;
    } else if (turnsOn(one, other) || turnsOn(other, one)) yield `${nameOf(one)} touches ${nameOf(other)}`;
  }
}

function runAlong([start, end], [from, to]) {
  const sameAxis = [0, 1].find(axis => [end, from, to].every(point => Math.abs(point[axis] - start[axis]) < 2));
  if (sameAxis === undefined) return false;
  const axis = 1 - sameAxis;
  const first = Math.max(Math.min(start[axis], end[axis]), Math.min(from[axis], to[axis]));
  const last = Math.min(Math.max(start[axis], end[axis]), Math.max(from[axis], to[axis]));
  return last - first > MIN_OVERLAP;
}

function turnsOn(one, other) {
  return one.points.some(([x, y]) => segmentsOf(other).some(([start, end]) => {
    const { left, right, top, bottom } = segmentBox(start, end, 1);
    return x > left && x < right && y > top && y < bottom;
  }));
}

function* misplacedLabels(edges, boxes) {
  const labelled = edges.filter(edge => edge.label), boxById = new Map(boxes);
  for (const edge of labelled) {
    const box = labelBox(edge), name = nameOf(edge);
    if (distance(box, boxById.get(edge.from)) > LABEL_MAX_DISTANCE) {
      yield `the label of ${name} stands away from its source`;
    }
    if (!segmentsOf(edge).some(([start, end]) => overlap(segmentBox(start, end, 1), box))) {
      yield `the label of ${name} is not on its line`;
    }
    for (const [id, node] of boxes) if (overlap(box, node)) yield `the label of ${name} lies over ${id}`;
    for (const other of edges) {
      if (other !== edge && segmentsOf(other).some(([start, end]) => overlap(segmentBox(start, end), box))) {
        yield `${nameOf(other)} runs through the label of ${name}`;
      }
    }
  }
  for (const [one, other] of pairs(labelled)) {
    if (overlap(labelBox(one), labelBox(other))) {
      yield `the labels of ${nameOf(one)} and ${nameOf(other)} lie over each other`;
    }
  }
}

// From the first step, the plain way on; without one, the way to the next step of the text, or else the first.
function* crookedMainPath(nodes, edges) {
  const order = new Map(nodes.map((node, index) => [node.id, index]));
  for (let id = nodes[0]?.id; id !== undefined;) {
    const forward = edges.filter(edge => edge.from === id && order.get(edge.to) > order.get(id));
    const leadsToNextStep = edge => order.get(edge.to) === order.get(id) + 1;
    const main = forward.find(edge => edge.way === "next") ?? forward.find(leadsToNextStep) ?? forward[0];
    if (main && (main.points.length !== 2 || main.points[0][0] !== main.points[1][0])) {
      yield `the main way ${nameOf(main)} does not run straight down`;
    }
    id = main?.to;
  }
}
