/* Rectangles that fill a rectangle, each as large as its weight and as near to a square as may be. */

/* `weights` are in descending order; the boxes are {x, y, width, height} in parts of 1 of a rectangle of this aspect. */
export function treemap(weights, aspect) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const areas = weights.map((weight) => (weight / total) * aspect);
  const boxes = [];
  let room = { x: 0, y: 0, width: aspect, height: 1 };
  for (let first = 0; first < areas.length;) {
    const side = Math.min(room.width, room.height);
    let last = first + 1;
    while (last < areas.length && worst(areas.slice(first, last + 1), side) <= worst(areas.slice(first, last), side)) last += 1;
    room = row(areas.slice(first, last), room, boxes);
    first = last;
  }
  return boxes.map(({ x, y, width, height }) => ({ x: x / aspect, y, width: width / aspect, height }));
}

/* How far the worst box of a row along a side is from a square. */
function worst(areas, side) {
  const depth = areas.reduce((sum, area) => sum + area, 0) / side;
  return Math.max(...areas.map((area) => Math.max(depth / (area / depth), area / depth / depth)));
}

/* Lay a row along the shorter side; returns the room that is left. */
function row(areas, { x, y, width, height }, boxes) {
  const tall = width >= height;
  const depth = areas.reduce((sum, area) => sum + area, 0) / (tall ? height : width);
  let along = tall ? y : x;
  for (const area of areas) {
    const length = area / depth;
    boxes.push(tall ? { x, y: along, width: depth, height: length } : { x: along, y, width: length, height: depth });
    along += length;
  }
  return tall ? { x: x + depth, y, width: width - depth, height } : { x, y: y + depth, width, height: height - depth };
}
