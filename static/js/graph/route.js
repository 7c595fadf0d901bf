// Lines between placed steps, along rows, gutters (between columns) and channels (between rows).
//
// Every stretch of a line belongs to one target: each way leaves its step at a slot of its own, and in a gutter or channel
// lines to different targets have tracks of their own. So lines to one step may flow together, and all others only cross.

/** The way of an edge: where it leaves, along which gutter and channel it runs, and where it arrives. */
function ways(nodes, edges, { rows, columns, main }) {
  const cells = new Set(nodes.map(({ id }) => `${rows.get(id)},${columns.get(id)}`));
  const clear = (row1, column1, row2, column2) => {
    for (let row = row1; row <= row2; row++)
      for (let column = column1; column <= column2; column++) if (cells.has(`${row},${column}`)) return false;
    return true;
  };
  const below = new Set(); // steps whose lower side is taken: one line leaves there
  const straight = (edge, row, column, toRow, toColumn) =>
    column === toColumn && toRow > row && !below.has(edge.from) && clear(row + 1, column, toRow - 1, column);
  const wayOf = edge => {
    const row = rows.get(edge.from), column = columns.get(edge.from), toRow = rows.get(edge.to), toColumn = columns.get(edge.to);
    const way = { edge, row, column, toRow, toColumn, up: toRow <= row };
    if (straight(edge, row, column, toRow, toColumn)) return below.add(edge.from), { ...way, leaves: "below", arrives: "above" };
    if (toColumn > column && toRow > row && clear(row, column + 1, row, toColumn) && clear(row, toColumn, toRow - 1, toColumn)) return { ...way, leaves: "right", arrives: "above" };
    if (column === toColumn) return way.up ? { ...way, leaves: "left", gutter: column, arrives: "left" } : { ...way, leaves: "right", gutter: column + 1, arrives: "right" };
    const leaves = toColumn > column ? "right" : "left", gutter = toColumn > column ? column + 1 : column;
    if (Math.abs(column - toColumn) === 1) return { ...way, leaves, gutter, arrives: leaves === "right" ? "left" : "right" };
    return { ...way, leaves, gutter, channel: toRow, arrives: "above" };
  };
  const mainFirst = [...edges].sort((one, other) => (main.get(other.from) === other) - (main.get(one.from) === one));
  const found = new Map(mainFirst.map(edge => [edge, wayOf(edge)]));
  return edges.map(edge => found.get(edge));
}

/** Positions for all of it: `{nodes, edges, width, height}`. */
export function plan(nodes, edges, grid, size) {
  const { rows, columns } = grid;
  const all = ways(nodes, edges, grid);
  const slots = slotsOf(all);
  const gutters = tracksOf(all, "gutter", way => [2 * way.row + 1, way.channel === undefined ? 2 * way.toRow + 1 : 2 * way.channel]);
  const channels = tracksOf(all, "channel", way => [2 * way.gutter, 2 * way.toColumn + 1]);
  const heights = new Map(nodes.map(({ id }) => [id, heightOf(id, slots, size)]));
  const xs = across(nodes, all, columns, gutters, size), ys = down(nodes, all, rows, heights, channels, size);
  const placed = nodes.map(node => ({ ...node, x: xs.middle[columns.get(node.id)], y: ys.middle[rows.get(node.id)], height: heights.get(node.id) }));
  const at = new Map(placed.map(node => [node.id, node]));
  return { nodes: placed, edges: all.map(way => line(way, at, { slots, gutters, channels, xs, ys, size })), width: xs.total, height: ys.total };
}

// ---- slots: where on the sides of a step lines leave and arrive --------------------------------------------------------

// By step and side, from the top: `{edge}` leaves there; one slot of a side is for all that arrive there.
function slotsOf(all) {
  const slots = new Map(), sideOf = (id, side) => slots.get(`${id} ${side}`) ?? slots.set(`${id} ${side}`, []).get(`${id} ${side}`);
  for (const way of [...all].sort(fromTheTop)) if (way.leaves !== "below") sideOf(way.edge.from, way.leaves).push(way.edge);
  for (const way of all) {
    if (way.arrives === "above") continue;
    const side = sideOf(way.edge.to, way.arrives);
    if (side.includes("arrivals")) continue;
    if (way.up) side.push("arrivals");
    else side.unshift("arrivals");
  }
  return slots;
}

// Lines that leave one side do not cross: those that go up stand on top, then those that go far to the right, then those
// that go down, the longest first.
function fromTheTop(one, other) {
  const rank = way => (way.gutter !== undefined && way.up ? 0 : way.gutter === undefined ? 1 : 2);
  const order = [way => way.row - way.toRow, way => -way.toColumn, way => -way.toRow][rank(one)];
  return rank(one) - rank(other) || order(one) - order(other);
}

function heightOf(id, slots, size) {
  const count = side => slots.get(`${id} ${side}`)?.length ?? 0;
  const shifted = count("left") && size.slot * count("left") + size.slot / 2;
  return Math.max(size.height, size.slot * count("right"), shifted);
}

// Slots of facing sides are never at one height, so that a line into a gutter does not meet the one from its other side.
function slotHeight(node, side, which, { slots, size }) {
  const list = slots.get(`${node.id} ${side}`);
  return node.y + (list.indexOf(which) - (list.length - 1) / 2) * size.slot + (side === "left" ? size.slot / 4 : 0);
}

// ---- tracks: lines to different targets beside each other --------------------------------------------------------------

// By gutter (or channel), the track of each target and how many tracks there are; the shortest is the innermost.
function tracksOf(all, kind, reach) {
  const lanes = new Map();
  for (const way of all) {
    if (way[kind] === undefined) continue;
    const targets = lanes.get(way[kind]) ?? lanes.set(way[kind], new Map()).get(way[kind]);
    const [from, to] = targets.get(way.edge.to) ?? [Infinity, -Infinity];
    targets.set(way.edge.to, [Math.min(from, ...reach(way)), Math.max(to, ...reach(way))]);
  }
  return new Map([...lanes].map(([index, targets]) => [index, packed(targets)]));
}

function packed(targets) {
  const tracks = [], of = new Map();
  for (const [target, [from, to]] of [...targets].sort(([, one], [, other]) => one[1] - one[0] - other[1] + other[0])) {
    let track = tracks.findIndex(spans => spans.every(([first, last]) => to < first || from > last));
    if (track < 0) track = tracks.push([]) - 1;
    tracks[track].push([from, to]);
    of.set(target, track);
  }
  return { of, count: tracks.length };
}

// ---- positions ---------------------------------------------------------------------------------------------------------

// The middles of the columns and the tracks' beginnings in the gutters, which hold: labels of the step on the left, tracks,
// labels of the step on the right.
function across(nodes, all, columns, gutters, size) {
  const count = 1 + Math.max(-1, ...nodes.map(({ id }) => columns.get(id)));
  const labels = (side, column) => Math.max(0, ...all.filter(way => way.leaves === side && way.column === column && way.edge.label).map(way => way.edge.labelWidth + size.lane));
  const middle = [], tracks = [];
  let x = 0;
  for (let gutter = 0; gutter <= count; gutter++) {
    const lines = (gutters.get(gutter)?.count ?? -1) + 1, leastWidth = gutter > 0 && gutter < count ? size.column : 0;
    const before = labels("right", gutter - 1), behind = labels("left", gutter);
    tracks[gutter] = { first: x + before + size.lane, last: x + before + (lines - 1) * size.lane };
    x += Math.max(leastWidth, before + lines * size.lane + behind);
    if (gutter === count) break;
    middle[gutter] = x + size.width / 2;
    x += size.width;
  }
  return { middle, tracks, total: x };
}

// The middles of the rows and the tracks' beginnings in the channels; the label of a line that goes straight down stands
// above the tracks.
function down(nodes, all, rows, heights, channels, size) {
  const count = 1 + Math.max(-1, ...nodes.map(({ id }) => rows.get(id)));
  const middle = [], tracks = [];
  let y = 0;
  for (let row = 0; row < count; row++) {
    const lines = (channels.get(row)?.count ?? -1) + 1;
    const labelled = all.some(way => way.leaves === "below" && way.row === row - 1 && way.edge.label) ? size.label.height + 8 : 0;
    tracks[row] = y + labelled + size.lane;
    y += Math.max(row > 0 ? size.rank : 0, labelled + lines * size.lane + (row > 0 || lines ? size.lane : 0));
    const height = Math.max(...nodes.filter(({ id }) => rows.get(id) === row).map(({ id }) => heights.get(id)));
    middle[row] = y + height / 2;
    y += height;
  }
  return { middle, tracks, total: y };
}

function line(way, at, places) {
  const { edge, leaves, arrives } = way, { size, gutters, channels, xs, ys } = places;
  const source = at.get(edge.from), target = at.get(edge.to), half = size.width / 2;
  const top = [target.x, target.y - target.height / 2];
  if (leaves === "below") {
    const bottom = source.y + source.height / 2;
    return { ...edge, points: [[source.x, bottom], top], spot: [source.x, bottom + 4 + size.label.height / 2] };
  }
  const outward = leaves === "right" ? 1 : -1, edgeX = source.x + outward * half;
  const y = slotHeight(source, leaves, edge, places);
  const spot = [edgeX + outward * (size.lane / 2 + edge.labelWidth / 2), y];
  if (way.gutter === undefined) return { ...edge, spot, points: [[edgeX, y], [target.x, y], top] };
  const x = trackX(xs.tracks[way.gutter], gutters.get(way.gutter).of.get(edge.to), way.gutter, size);
  const start = [[edgeX, y], [x, y]];
  if (arrives !== "above") {
    const into = slotHeight(target, arrives, "arrivals", places);
    return { ...edge, spot, points: [...start, [x, into], [target.x + (arrives === "right" ? half : -half), into]] };
  }
  const over = ys.tracks[way.channel] + channels.get(way.channel).of.get(edge.to) * size.lane;
  return { ...edge, spot, points: [...start, [x, over], [target.x, over], top] };
}

// The innermost track lies beside the steps: on the right of the outer left gutter, on the left of all others.
function trackX({ first, last }, track, gutter, size) {
  return gutter === 0 ? last - track * size.lane : first + track * size.lane;
}

/** An SVG path through right-angled points with rounded corners. */
export function rounded(points, radius = 10) {
  const toward = ([x, y], [tx, ty]) => {
    const length = Math.hypot(tx - x, ty - y) || 1;
    const part = Math.min(radius, length / 2) / length;
    return [x + (tx - x) * part, y + (ty - y) * part];
  };
  const piece = (point, index) => {
    if (index === 0) return `M${point}`;
    if (index === points.length - 1) return `L${point}`;
    return `L${toward(point, points[index - 1])}Q${point} ${toward(point, points[index + 1])}`;
  };
  return points.map(piece).join("");
}
