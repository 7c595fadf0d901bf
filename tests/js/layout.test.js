// Random flows, laid out: no step lies over another, and no line runs through a step.
import assert from "node:assert/strict";
import test from "node:test";
import { layout, SIZE } from "../../static/js/graph/layout.js";

// A small generator with a seed (mulberry32), so that a failure can be played again.
function dice(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function flowOf(seed) {
  const roll = dice(seed), count = 1 + Math.floor(roll() * 24), name = place => `s${place}`;
  const nodes = Array.from({ length: count }, (_, place) => ({ id: name(place) })), edges = [];
  for (let place = 0; place < count; place++) {
    if (place + 1 < count && roll() < .85) edges.push({ from: name(place), to: name(place + 1), label: "" });
    for (let more = roll(); more > .6; more -= .2) edges.push({ from: name(place), to: name(Math.floor(roll() * count)), label: "way" });
  }
  return { nodes, edges };
}

const box = node => ({ left: node.x - SIZE.width / 2, right: node.x + SIZE.width / 2, top: node.y - SIZE.height / 2, bottom: node.y + SIZE.height / 2 });
const over = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > .5 && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > .5;
const line = ([x1, y1], [x2, y2]) => ({ left: Math.min(x1, x2) - .3, right: Math.max(x1, x2) + .3, top: Math.min(y1, y2) - .3, bottom: Math.max(y1, y2) + .3 });

test("of 300 random flows no step lies over another, and no line runs through a step", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const { nodes, edges } = flowOf(seed), placed = layout(nodes, edges);
    const boxes = placed.nodes.map(node => [node.id, box(node)]);
    for (const [at, [id, one]] of boxes.entries()) for (const [other, two] of boxes.slice(at + 1)) assert.ok(!over(one, two), `${seed}: ${id} over ${other}`);
    for (const edge of placed.edges)
      for (let at = 1; at < edge.points.length; at++)
        for (const [id, one] of boxes) assert.ok(!over(line(edge.points[at - 1], edge.points[at]), one), `${seed}: ${edge.from} → ${edge.to} through ${id} ${JSON.stringify(edge.points)}`);
  }
});

test("steps stand in the order of the text, and a jump back runs on the left of them all", () => {
  const nodes = ["a", "b", "c"].map(id => ({ id }));
  const placed = layout(nodes, [{ from: "a", to: "b" }, { from: "b", to: "c" }, { from: "c", to: "a", label: "again" }]);

  assert.deepEqual(placed.nodes.map(node => node.y), [...placed.nodes.map(node => node.y)].sort((one, two) => one - two));
  const back = placed.edges.find(edge => edge.from === "c"), leftmost = Math.min(...placed.nodes.map(node => node.x)) - SIZE.width / 2;
  assert.ok(back.points.some(([x]) => x < leftmost));
});
