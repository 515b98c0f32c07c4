/* What is dated, as bars over the months or years; a range of them is chosen with the mouse, or by two sliders. */

import { day, el, replace, svg } from "./elements.js";

const [WIDTH, HEIGHT, FEWEST, MOST] = [720, 72, 6, 96];

/* A chart of `items` ({kind, date}); `chosen(from, to)` is told the months of a choice, or nulls. Null if they are of fewer than six months. */
export function timeline(items, kinds, { from, to }, chosen) {
  const dated = items.filter((one) => one.date).sort((a, b) => a.date.localeCompare(b.date));
  const bins = dated.length ? binsOf(dated[0].date, dated.at(-1).date) : [];
  if (bins.length < FEWEST) return null;
  const at = (date) => bins.findLastIndex((bin) => bin.from <= date.slice(0, 7));
  for (const one of dated) bins[at(one.date)][one.kind] = (bins[at(one.date)][one.kind] ?? 0) + 1;
  const total = (bin) => kinds.reduce((sum, [kind]) => sum + (bin[kind] ?? 0), 0);
  const most = Math.max(...bins.map(total));
  const width = WIDTH / bins.length;
  const brush = svg("rect", { class: "brush", y: 0, height: HEIGHT });
  const chart = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 16}`, class: "timechart", "aria-hidden": "true" },
    brush, bins.map((bin, i) => bars(bin, i, width, kinds, most)), years(bins, width));
  const slider = (name) => el("input", { type: "range", min: 0, max: bins.length - 1, "aria-label": name });
  const [low, high] = [slider("From"), slider("To")];
  const says = el("span", { class: "quiet", role: "status" });
  const all = el("button", { type: "button", class: "plain small", onclick: () => set(0, bins.length - 1) }, "All years");
  const draw = (first, last) => {
    const part = first > 0 || last < bins.length - 1;
    low.value = first;
    high.value = last;
    low.setAttribute("aria-valuetext", day(bins[first].from));
    high.setAttribute("aria-valuetext", day(bins[last].to));
    brush.setAttribute("x", first * width);
    brush.setAttribute("width", part ? (last - first + 1) * width : 0);
    all.hidden = !part;
    replace(says, part ? `${day(bins[first].from)} to ${day(bins[last].to)}` : "Drag over the bars to choose a time.");
  };
  const set = (one, other) => {
    const [first, last] = [Math.min(one, other), Math.max(one, other)];
    draw(first, last);
    const part = first > 0 || last < bins.length - 1;
    chosen(part ? bins[first].from : null, part ? bins[last].to : null);
  };
  for (const one of [low, high]) one.addEventListener("change", () => set(Number(low.value), Number(high.value)));
  draggable(chart, bins.length, draw, set);
  draw(from ? Math.max(0, at(from)) : 0, to ? Math.max(0, at(to)) : bins.length - 1);
  return el("figure", { class: "time" }, chart,
    el("figcaption", { class: "row" }, kinds.map(([kind, name]) => el("span", { class: `quiet kind-${kind}` }, el("i", { class: "dot" }), name)), says, all,
      el("span", { class: "ranges" }, low, high)));
}

/* Months, or as many together as leave at most so many bars. */
function binsOf(first, last) {
  const number = (date) => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;
  const month = (n) => `${String(Math.floor(n / 12)).padStart(4, "0")}-${String((n % 12) + 1).padStart(2, "0")}`;
  const months = number(last) - number(first) + 1;
  const size = [1, 3, 6, 12].find((n) => months / n <= MOST) ?? 12 * Math.ceil(months / 12 / MOST);
  const begin = number(first) - (number(first) % size);
  return Array.from({ length: Math.ceil((number(last) + 1 - begin) / size) }, (_, i) => ({ from: month(begin + i * size), to: month(begin + (i + 1) * size - 1) }));
}

function bars(bin, i, width, kinds, most) {
  let top = HEIGHT;
  return kinds.map(([kind]) => {
    const height = ((bin[kind] ?? 0) / most) * (HEIGHT - 4);
    top -= height;
    return height ? svg("rect", { class: `bar-of kind-${kind}`, x: i * width + width * 0.12, width: width * 0.76, y: top, height }) : null;
  });
}

/* The years below the bars, as many as have room. */
function years(bins, width) {
  const first = bins.map((bin, i) => [bin.from.slice(0, 4), i]).filter(([year], i) => i === 0 || bins[i - 1].from.slice(0, 4) !== year);
  const step = Math.ceil((first.length * 44) / WIDTH);
  const roomy = first.filter(([, at], i) => i === first.length - 1 || (first[i + 1][1] - at) * width > 36);
  return roomy.filter((_, i) => i % step === 0).map(([year, i]) => svg("text", { x: i * width, y: HEIGHT + 13 }, year));
}

function draggable(chart, number, draw, set) {
  let begun = null;
  const place = (event) => {
    const box = chart.getBoundingClientRect();
    return Math.max(0, Math.min(number - 1, Math.floor(((event.clientX - box.left) / box.width) * number)));
  };
  chart.addEventListener("pointerdown", (event) => { begun = place(event); chart.setPointerCapture(event.pointerId); });
  chart.addEventListener("pointermove", (event) => { if (begun !== null) draw(Math.min(begun, place(event)), Math.max(begun, place(event))); });
  chart.addEventListener("pointerup", (event) => { if (begun !== null) set(begun, place(event)); begun = null; });
  chart.addEventListener("pointercancel", () => { begun = null; });
}
