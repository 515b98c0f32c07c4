/* Where nodes stand when a neighbourhood is first drawn: the same each time. People and things are on arcs around the
   middle, the nearest inside; what has a day is below them, from left to right in order of time. */

const ARCS = [[8, 230, 160], [13, 380, 265], [Infinity, 520, 360]];
/* The arcs leave the side open below which the days are. */
const [FROM, TO] = [(-205 * Math.PI) / 180, (25 * Math.PI) / 180];
const [COLUMNS, WIDTH, HEIGHT] = [6, 170, 104];

/* The position of each node by its id; `nodes` are in order of nearness, the first in the middle. */
export function places(nodes) {
  const [root, ...others] = nodes;
  const found = new Map([[root.id, { x: 0, y: 0 }]]);
  const around = others.filter((node) => node.kind === "entity");
  for (let [first, arc] = [0, 0]; first < around.length; arc += 1) {
    const [room, width, height] = ARCS[arc];
    const some = around.slice(first, first + room);
    some.forEach((node, i) => {
      const angle = some.length === 1 ? -Math.PI / 2 : FROM + ((TO - FROM) * i) / (some.length - 1);
      const out = i % 2 ? 1.16 : 1; // names beside each other are at different heights
      found.set(node.id, { x: width * out * Math.cos(angle), y: height * out * Math.sin(angle) });
    });
    first += some.length;
  }
  const dated = others.filter((node) => node.kind !== "entity").sort((a, b) => timeOf(a).localeCompare(timeOf(b)));
  const rows = Math.ceil(dated.length / COLUMNS);
  const columns = Math.ceil(dated.length / Math.max(1, rows));
  const top = Math.max(0, ...[...found.values()].map(({ y }) => y)) + 120;
  dated.forEach((node, i) => {
    const [column, row] = [Math.floor(i / rows), i % rows];
    found.set(node.id, { x: (column - (columns - 1) / 2) * WIDTH + (row % 2) * 20, y: top + row * HEIGHT });
  });
  return found;
}

function timeOf(node) {
  return node.event_time ?? node.date ?? "";
}
