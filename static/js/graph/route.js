// Routes the lines between steps whose rows and columns are known, and turns all of it into positions. Lines run
// along rows, gutters (between columns) and channels (between rows).
//
// Each stretch of a line belongs to one target: each edge leaves its step at a slot of its own, and in a gutter or
// channel lines to different targets have tracks of their own. So lines to the same step may join, and all others
// only cross.

const ARRIVALS = "arrivals"; // the one slot of a side at which all lines arrive
const LABEL_GAP = 4; // pixels between a step and the label below it

/**
 * Positions of all nodes and edges, as `layout` returns them. `grid` has the row and the column of each step and the
 * edges of the main path, by the id of the step: `{rows, columns, mainEdges}`.
 */
export function placeAll(nodes, edges, grid, size) {
  const { rows, columns } = grid;
  const routes = routesOf(nodes, edges, grid);
  const slots = slotsOf(routes);
  // Stretches in half rows and half columns: channels and gutters have even numbers, rows and columns odd ones.
  const gutters = tracksOf(routes, "gutter", ({ row, toRow, channel }) => {
    return [2 * row + 1, channel === undefined ? 2 * toRow + 1 : 2 * channel];
  });
  const channels = tracksOf(routes, "channel", ({ gutter, toColumn }) => [2 * gutter, 2 * toColumn + 1]);
  const heights = new Map(nodes.map(({ id }) => [id, stepHeight(id, slots, size)]));
  const horizontal = horizontalPositions(nodes, routes, columns, gutters, size);
  const vertical = verticalPositions(nodes, routes, rows, heights, channels, size);
  const placedNodes = nodes.map(node => ({
    ...node,
    x: horizontal.middles[columns.get(node.id)],
    y: vertical.middles[rows.get(node.id)],
    height: heights.get(node.id),
  }));
  const nodeById = new Map(placedNodes.map(node => [node.id, node]));
  const places = { nodeById, slots, gutters, channels, horizontal, vertical, size };
  return {
    nodes: placedNodes,
    edges: routes.map(route => ({ ...route.edge, ...lineOf(route, places) })),
    width: horizontal.total,
    height: vertical.total,
  };
}

// ---- routes -------------------------------------------------------------------------------------------------------

// For each edge where it leaves its step, along which gutter and channel it runs, and where it arrives. The edges of
// the main path choose first, because only one line can leave a step straight down.
function routesOf(nodes, edges, { rows, columns, mainEdges }) {
  const cells = new Set(nodes.map(({ id }) => `${rows.get(id)},${columns.get(id)}`));
  const usedBottoms = new Set(); // steps that a line leaves at the bottom
  const isMain = edge => mainEdges.get(edge.from) === edge;
  const mainFirst = [...edges].sort((one, other) => isMain(other) - isMain(one));
  const routes = new Map(mainFirst.map(edge => {
    const [row, column] = [rows.get(edge.from), columns.get(edge.from)];
    const [toRow, toColumn] = [rows.get(edge.to), columns.get(edge.to)];
    const route = { edge, row, column, toRow, toColumn, goesUp: toRow <= row };
    return [edge, { ...route, ...passage(route, cells, usedBottoms) }];
  }));
  return edges.map(edge => routes.get(edge));
}

// `{leaves, arrives}` with the sides of the steps, and the `gutter` and `channel` that the line runs along, if any.
function passage({ edge, row, column, toRow, toColumn, goesUp }, cells, usedBottoms) {
  const isStraightDown = column === toColumn && toRow > row && isClear(cells, row + 1, column, toRow - 1, column);
  if (isStraightDown && !usedBottoms.has(edge.from)) {
    usedBottoms.add(edge.from);
    return { leaves: "below", arrives: "above" };
  }
  const isRightAndDown = toColumn > column && toRow > row
    && isClear(cells, row, column + 1, row, toColumn) && isClear(cells, row, toColumn, toRow - 1, toColumn);
  if (isRightAndDown) return { leaves: "right", arrives: "above" };
  if (column === toColumn && goesUp) return { leaves: "left", gutter: column, arrives: "left" };
  if (column === toColumn) return { leaves: "right", gutter: column + 1, arrives: "right" };
  const goesRight = toColumn > column;
  const leaves = goesRight ? "right" : "left", gutter = goesRight ? column + 1 : column;
  if (Math.abs(column - toColumn) === 1) return { leaves, gutter, arrives: goesRight ? "left" : "right" };
  return { leaves, gutter, channel: toRow, arrives: "above" };
}

function isClear(cells, firstRow, firstColumn, lastRow, lastColumn) {
  for (let row = firstRow; row <= lastRow; row++) {
    for (let column = firstColumn; column <= lastColumn; column++) if (cells.has(`${row},${column}`)) return false;
  }
  return true;
}

// ---- slots: where on the sides of a step lines leave and arrive ---------------------------------------------------

// By step and side a list from the top: the edges that leave there, and once ARRIVALS for all lines that arrive there.
function slotsOf(routes) {
  const slots = new Map();
  const slotsAt = (id, side) => {
    const key = `${id} ${side}`;
    if (!slots.has(key)) slots.set(key, []);
    return slots.get(key);
  };
  for (const route of [...routes].sort(byExitFromTop)) {
    if (route.leaves !== "below") slotsAt(route.edge.from, route.leaves).push(route.edge);
  }
  for (const route of routes) {
    if (route.arrives === "above") continue;
    const side = slotsAt(route.edge.to, route.arrives);
    if (side.includes(ARRIVALS)) continue;
    if (route.goesUp) side.push(ARRIVALS);
    else side.unshift(ARRIVALS);
  }
  return slots;
}

// In this order the lines that leave one side do not cross: first those that go up, then those that go far to the
// right, then those that go down, the longest first.
function byExitFromTop(one, other) {
  const rank = exitRank(one);
  if (rank !== exitRank(other)) return rank - exitRank(other);
  const sortKey = [route => route.row - route.toRow, route => -route.toColumn, route => -route.toRow][rank];
  return sortKey(one) - sortKey(other);
}

function exitRank({ gutter, goesUp }) {
  if (gutter === undefined) return 1;
  return goesUp ? 0 : 2;
}

// A step grows with the number of lines at its sides.
function stepHeight(id, slots, size) {
  const count = side => slots.get(`${id} ${side}`)?.length ?? 0;
  const leftHeight = count("left") && size.slot * count("left") + size.slot / 2;
  return Math.max(size.height, size.slot * count("right"), leftHeight);
}

// The slots of facing sides are never at one height, so that a line into a gutter does not meet one from its other
// side.
function slotY(node, side, occupant, { slots, size }) {
  const sideSlots = slots.get(`${node.id} ${side}`);
  const offset = (sideSlots.indexOf(occupant) - (sideSlots.length - 1) / 2) * size.slot;
  return node.y + offset + (side === "left" ? size.slot / 4 : 0);
}

// ---- tracks: lines to different targets beside each other ---------------------------------------------------------

// By gutter (or channel) the track of each target and the number of tracks, `{trackOf, count}`. `reach(route)` is the
// stretch from where to where a line runs in it.
function tracksOf(routes, kind, reach) {
  const lanes = new Map();
  for (const route of routes) {
    if (route[kind] === undefined) continue;
    if (!lanes.has(route[kind])) lanes.set(route[kind], new Map());
    const targets = lanes.get(route[kind]);
    const [from, to] = targets.get(route.edge.to) ?? [Infinity, -Infinity];
    targets.set(route.edge.to, [Math.min(from, ...reach(route)), Math.max(to, ...reach(route))]);
  }
  return new Map([...lanes].map(([index, targets]) => [index, packTracks(targets)]));
}

// The shortest stretch is on the innermost track; stretches that do not overlap share a track.
function packTracks(targets) {
  const tracks = [], trackOf = new Map();
  const shortestFirst = [...targets].sort(([, one], [, other]) => one[1] - one[0] - other[1] + other[0]);
  for (const [target, [from, to]] of shortestFirst) {
    let track = tracks.findIndex(spans => spans.every(([first, last]) => to < first || from > last));
    if (track < 0) track = tracks.push([]) - 1;
    tracks[track].push([from, to]);
    trackOf.set(target, track);
  }
  return { trackOf, count: tracks.length };
}

// ---- positions ----------------------------------------------------------------------------------------------------

// The middles of the columns and the first and last track of each gutter. From left to right a gutter holds the
// labels of the steps on its left, its tracks, and the labels of the steps on its right.
function horizontalPositions(nodes, routes, columns, gutters, size) {
  const count = 1 + Math.max(-1, ...nodes.map(({ id }) => columns.get(id)));
  const widestLabel = (side, column) => {
    const labelled = routes.filter(route => route.leaves === side && route.column === column && route.edge.label);
    return Math.max(0, ...labelled.map(route => route.edge.labelWidth + size.lane));
  };
  const middles = [], tracks = [];
  let x = 0;
  for (let gutter = 0; gutter <= count; gutter++) {
    const lanes = (gutters.get(gutter)?.count ?? -1) + 1; // one more than tracks: room at both sides of them
    const minWidth = gutter > 0 && gutter < count ? size.columnGap : 0;
    const leftLabels = widestLabel("right", gutter - 1), rightLabels = widestLabel("left", gutter);
    tracks[gutter] = { first: x + leftLabels + size.lane, last: x + leftLabels + (lanes - 1) * size.lane };
    x += Math.max(minWidth, leftLabels + lanes * size.lane + rightLabels);
    if (gutter === count) break;
    middles[gutter] = x + size.width / 2;
    x += size.width;
  }
  return { middles, tracks, total: x };
}

// The middles of the rows and the first track of each channel. The label of a line that goes straight down stands
// above the tracks.
function verticalPositions(nodes, routes, rows, heights, channels, size) {
  const count = 1 + Math.max(-1, ...nodes.map(({ id }) => rows.get(id)));
  const hasLabelBelow = row => routes.some(
    route => route.leaves === "below" && route.row === row && route.edge.label,
  );
  const middles = [], tracks = [];
  let y = 0;
  for (let row = 0; row < count; row++) {
    const lanes = (channels.get(row)?.count ?? -1) + 1;
    const labelHeight = hasLabelBelow(row - 1) ? size.label.height + 2 * LABEL_GAP : 0;
    tracks[row] = y + labelHeight + size.lane;
    const channelHeight = labelHeight + lanes * size.lane + (row > 0 || lanes ? size.lane : 0);
    y += Math.max(row > 0 ? size.rowGap : 0, channelHeight);
    const height = Math.max(...nodes.filter(({ id }) => rows.get(id) === row).map(({ id }) => heights.get(id)));
    middles[row] = y + height / 2;
    y += height;
  }
  return { middles, tracks, total: y };
}

// The corners of a line and the middle of its label: `{points, labelPoint}`.
function lineOf(route, places) {
  const { edge, leaves, arrives, gutter, channel } = route;
  const { nodeById, gutters, channels, horizontal, vertical, size } = places;
  const source = nodeById.get(edge.from), target = nodeById.get(edge.to), halfWidth = size.width / 2;
  const targetTop = [target.x, target.y - target.height / 2];
  if (leaves === "below") {
    const bottom = source.y + source.height / 2;
    const labelPoint = [source.x, bottom + LABEL_GAP + size.label.height / 2];
    return { points: [[source.x, bottom], targetTop], labelPoint };
  }
  const direction = leaves === "right" ? 1 : -1, startX = source.x + direction * halfWidth;
  const startY = slotY(source, leaves, edge, places);
  const labelPoint = [startX + direction * (size.lane / 2 + edge.labelWidth / 2), startY];
  if (gutter === undefined) return { labelPoint, points: [[startX, startY], [target.x, startY], targetTop] };
  const trackX = gutterX(horizontal.tracks[gutter], gutters.get(gutter).trackOf.get(edge.to), gutter, size);
  const start = [[startX, startY], [trackX, startY]];
  if (arrives !== "above") {
    const endX = target.x + (arrives === "right" ? halfWidth : -halfWidth);
    const endY = slotY(target, arrives, ARRIVALS, places);
    return { labelPoint, points: [...start, [trackX, endY], [endX, endY]] };
  }
  const trackY = vertical.tracks[channel] + channels.get(channel).trackOf.get(edge.to) * size.lane;
  return { labelPoint, points: [...start, [trackX, trackY], [target.x, trackY], targetTop] };
}

// The innermost track is the one beside the steps: on the right in the outer left gutter, on the left in all others.
function gutterX({ first, last }, track, gutter, size) {
  return gutter === 0 ? last - track * size.lane : first + track * size.lane;
}

/** An SVG path through right-angled points with rounded corners. */
export function roundedPath(points, radius = 10) {
  // The point at most `radius` from a corner towards its neighbour, but never past the middle between them.
  const towards = ([x, y], [otherX, otherY]) => {
    const length = Math.hypot(otherX - x, otherY - y) || 1;
    const part = Math.min(radius, length / 2) / length;
    return [x + (otherX - x) * part, y + (otherY - y) * part];
  };
  const command = (point, index) => {
    if (index === 0) return `M${point}`;
    if (index === points.length - 1) return `L${point}`;
    return `L${towards(point, points[index - 1])}Q${point} ${towards(point, points[index + 1])}`;
  };
  return points.map(command).join("");
}
