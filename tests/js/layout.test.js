// Random flows, laid out: the picture says what the text says.
import assert from "node:assert/strict";
import test from "node:test";
import { layout, SIZE } from "../../static/js/graph/layout.js";
import { untruePaths } from "./untrue_paths.js";

// A small generator with a seed (mulberry32), so that a failure can be played again.
function dice(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const LABELS = ["", "yes", "error", "amount > 5000 or not known", "not understood"];

function flowOf(seed) {
  const roll = dice(seed), count = 1 + Math.floor(roll() * 24);
  const nodes = Array.from({ length: count }, (_, index) => ({ id: `s${index}` })), edges = [];
  for (let index = 0; index < count; index++) {
    const from = `s${index}`;
    if (index + 1 < count && roll() < .85) edges.push({ from, to: `s${index + 1}`, label: roll() < .3 ? "yes" : "" });
    for (let more = roll(); more > .6; more -= .1) {
      const to = `s${Math.floor(roll() * count)}`;
      edges.push({ from, to, label: LABELS[Math.floor(roll() * LABELS.length)] });
    }
  }
  return { nodes, edges };
}

test("in 500 random flows lines only cross, labels stand at their sources and the main path is straight", () => {
  for (let seed = 1; seed <= 500; seed++) {
    const { nodes, edges } = flowOf(seed);
    assert.deepEqual(untruePaths(layout(nodes, edges)), [], `seed ${seed}`);
  }
});

test("a step with many ways grows, and each way leaves it at a height of its own", () => {
  const nodes = ["ask", ..."abcdefgh"].map(id => ({ id }));
  const placed = layout(nodes, [..."abcdefgh"].map(to => ({ from: "ask", to, label: `way ${to}` })));

  assert.deepEqual(untruePaths(placed), []);
  assert.ok(placed.nodes[0].height > SIZE.height);
  assert.equal(new Set(placed.edges.map(edge => String(edge.points[0]))).size, 8);
});

test("a jump to the step itself and two ways to one step are drawn apart", () => {
  const nodes = ["ask", "done"].map(id => ({ id }));
  const placed = layout(nodes, [
    { from: "ask", to: "done", label: "yes" },
    { from: "ask", to: "done", label: "no" },
    { from: "ask", to: "ask", label: "again" },
  ]);

  assert.deepEqual(untruePaths(placed), []);
});

test("of a step with answers the way to the next step of the text goes straight down, whichever is named first", () => {
  const nodes = ["worked", "done", "blocked"].map(id => ({ id }));
  const placed = layout(nodes, [
    { from: "worked", to: "blocked", label: "blocked" },
    { from: "worked", to: "done", label: "else" },
  ]);
  const [worked, done, blocked] = placed.nodes;

  assert.deepEqual(untruePaths(placed), []);
  assert.equal(done.x, worked.x);
  assert.ok(blocked.x > worked.x);
});

test("the way past a loop goes straight down, and the loop stands beside it", () => {
  const nodes = ["while", "ask", "done"].map(id => ({ id }));
  const placed = layout(nodes, [
    { from: "while", to: "ask", label: "while", way: "" },
    { from: "while", to: "done", label: "done", way: "next" },
    { from: "ask", to: "while", label: "" },
  ]);
  const [loop, ask, done] = placed.nodes;

  assert.deepEqual(untruePaths(placed), []);
  assert.equal(done.x, loop.x);
  assert.ok(ask.x > loop.x);
});

test("steps stand in the order of the text, and a jump back runs on the left of them all", () => {
  const nodes = ["a", "b", "c"].map(id => ({ id }));
  const edges = [{ from: "a", to: "b" }, { from: "b", to: "c" }, { from: "c", to: "a", label: "again" }];
  const placed = layout(nodes, edges);

  const heights = placed.nodes.map(node => node.y);
  assert.deepEqual(heights, [...heights].sort((one, other) => one - other));
  const back = placed.edges.find(edge => edge.from === "c");
  const leftmost = Math.min(...placed.nodes.map(node => node.x)) - SIZE.width / 2;
  assert.ok(back.points.some(([x]) => x < leftmost));
});
