// Lines between placed steps: straight or one elbow where the cells they cross are empty, otherwise along the gaps between
// rows and columns; jumps back run up a lane on the left.
import { cell } from "./layout.js";

export function router({ rows, columns, taken, lanes, left, at, size }) {
  const half = { w: size.width / 2, h: size.height / 2 };
  const clear = (row1, column1, row2, column2) => {
    for (let row = row1; row <= row2; row++)
      for (let column = column1; column <= column2; column++) if (taken.has(cell(row, column))) return false;
    return true;
  };

  function around(edge) {
    const source = at(edge.from), target = at(edge.to);
    return {
      source, target,
      row: rows.get(edge.from), column: columns.get(edge.from),
      toRow: rows.get(edge.to), toColumn: columns.get(edge.to),
      below: source.y + half.h + size.rank / 2,
      above: target.y - half.h - size.rank / 2,
    };
  }

  function backward(edge, { source, target, column, toColumn, below, above }) {
    const x = left - size.lane * (lanes.get(edge) + 1) - 6;
    const out = column ? [[source.x, source.y + half.h], [source.x, below], [x, below]] : [[source.x - half.w, source.y], [x, source.y]];
    const into = toColumn ? [[target.x, above], [target.x, target.y - half.h]] : [[target.x - half.w, target.y]];
    const spot = column ? [source.x, below] : [x, (source.y + target.y) / 2];
    return { points: [...out, [x, toColumn ? above : target.y], ...into], spot };
  }

  function straight({ source, target, row, column, toRow, toColumn }) {
    if (column !== toColumn || !clear(row + 1, column, toRow - 1, column)) return null;
    return { points: [[source.x, source.y + half.h], [target.x, target.y - half.h]], spot: [source.x, (source.y + target.y) / 2] };
  }

  function rightThenDown({ source, target, row, column, toRow, toColumn }) {
    if (toColumn <= column || !clear(row, column + 1, row, toColumn) || !clear(row, toColumn, toRow - 1, toColumn)) return null;
    return { points: [[source.x + half.w, source.y], [target.x, source.y], [target.x, target.y - half.h]], spot: [target.x, source.y + half.h + size.rank / 2] };
  }

  function downThenLeft({ source, target, row, column, toRow, toColumn }) {
    if (toColumn >= column || !clear(row + 1, column, toRow, column) || !clear(toRow, toColumn + 1, toRow, column)) return null;
    return { points: [[source.x, source.y + half.h], [source.x, target.y], [target.x + half.w, target.y]], spot: [source.x, source.y + half.h + size.rank / 2] };
  }

  function alongGaps({ source, target, row, toRow, below, above }) {
    const gutter = target.x - half.w - size.column / 2;
    const near = toRow === row + 1;
    const across = near ? [[target.x, below]] : [[gutter, below], [gutter, above], [target.x, above]];
    const spot = near ? [target.x, above] : [gutter, (below + above) / 2];
    return { points: [[source.x, source.y + half.h], [source.x, below], ...across, [target.x, target.y - half.h]], spot };
  }

  return edge => {
    const place = around(edge);
    if (lanes.has(edge)) return backward(edge, place);
    return straight(place) ?? rightThenDown(place) ?? downThenLeft(place) ?? alongGaps(place);
  };
}

// An SVG path through right-angled points with rounded corners.
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
