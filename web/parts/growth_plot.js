/* How many items a memory had, month by month: a plot, and the same as a table. */

import { count, day, el, svg } from "./elements.js";

const [WIDTH, HEIGHT] = [600, 160];

export function growthPlot(months) {
  let sum = 0;
  const sums = months.map((month) => (sum += month.items));
  const x = (i) => (months.length < 2 ? WIDTH / 2 : (WIDTH * i) / (months.length - 1));
  const y = (number) => HEIGHT - (HEIGHT * number) / Math.max(1, sum);
  const line = sums.map((number, i) => `${x(i).toFixed(1)},${y(number).toFixed(1)}`).join(" ");
  const from = day(months[0].month);
  const to = day(months.at(-1).month);
  const shape = svg("svg", { viewBox: `-4 -4 ${WIDTH + 8} ${HEIGHT + 8}`, role: "img", class: "plot", "aria-label": `${count(sum, "item")} by ${to}` },
    svg("polygon", { points: `${x(0)},${HEIGHT} ${line} ${x(months.length - 1)},${HEIGHT}`, class: "under" }),
    svg("polyline", { points: line }));
  return el("figure", {}, shape,
    el("figcaption", { class: "quiet" }, `${from} to ${to}: ${count(sum, "item")}`),
    el("details", {}, el("summary", { class: "quiet" }, "As a table"), el("table", {},
      el("thead", {}, el("tr", {}, ["Month", "New", "In all"].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, months.map((month, i) => el("tr", {}, el("td", {}, day(month.month)), el("td", {}, month.items), el("td", {}, sums[i])))))));
}
