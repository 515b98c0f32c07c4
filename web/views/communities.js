/* Communities: what belongs together in this memory, and who and what matters most in it; each with all that it holds. */

import { get } from "../parts/api.js";
import { link, nodeLink, scope } from "../parts/address.js";
import { count, day, el, replace } from "../parts/elements.js";
import { badge, kindName, kindOf, KINDS, swatch } from "../graph/kinds.js";
import { treemap } from "../parts/treemap.js";

const MOST = 5000;
const [CENTRAL, GROUPS] = [30, 40];
/* Nodes that are named at once, and of each kind listed at first. */
const [BATCH, LISTED] = [100, 12];

let shown = "Communities";

export function title() {
  return shown;
}

export async function show(content, { at, signal }) {
  shown = "Communities";
  const shape = await get("shape", { project: scope().project, limit: MOST }, signal);
  if (!shape.communities.length && !shape.central.length) {
    replace(content, el("h1", {}, "Communities"), el("p", {}, "Nobody and nothing is known by name yet. Names, decisions and promises are found a few seconds after a text is stored."));
    return;
  }
  const group = at.with && shape.communities.find((one) => one.node_ids.includes(at.with));
  if (group) {
    shown = group.name;
    replace(content, await page(group, signal));
    return;
  }
  const top = shape.central[0]?.score || 1;
  replace(content,
    el("h1", {}, "Communities"),
    at.with ? el("p", { class: "quiet" }, "What was shown here belongs to no community now.") : null,
    el("p", { class: "quiet", role: "status" }, said(shape)),
    el("div", { class: "columns" },
      el("section", { "aria-label": "Communities" }, map(shape.communities.slice(0, GROUPS), shape.central),
        shape.communities.length > GROUPS && el("p", { class: "quiet" }, `and ${shape.communities.length - GROUPS} smaller ones`)),
      el("aside", { "aria-label": "Central" }, el("h2", {}, "Most central"),
        el("ol", { class: "plain-list central" }, shape.central.slice(0, CENTRAL).map((one) => central(one, top))))));
}

function said(shape) {
  const loose = shape.components?.length ?? 0;
  const left = typeof shape.left_out === "number" ? shape.left_out : shape.left_out?.total;
  return [count(shape.communities.length, "community", "communities"), loose > 1 && `in ${loose} separate groups with no links between them`,
    left && `the ${count(left, "oldest entry", "oldest entries")} not included`, shape.computed_at && `computed ${day(shape.computed_at)}`].filter(Boolean).join(" · ");
}

/* Each as large as its number of members, but that small ones keep room for their names. The first of its nodes names a
   community in an address: it leads to the community that the node is in. */
function map(communities, central) {
  const boxes = treemap(communities.map(({ size }) => Math.max(size, 12) ** 0.7), 1.2);
  const percent = (part) => `${(100 * part).toFixed(2)}%`;
  const drawn = el("ul", { class: "map" }, communities.map((one, i) => {
    const { x, y, width, height } = boxes[i];
    const members = new Set(one.node_ids);
    const others = central.filter(({ id, name }) => members.has(id) && !one.name.includes(name)).map(({ name }) => name);
    const box = el("li", {}, el("a", { href: link("communities", { with: one.node_ids[0] }), title: one.name }, el("span", { class: "unseen" }, `${one.name}: ${count(one.size, "member")}`),
      [["name", one.name], ["quiet", one.size.toLocaleString("en-GB")], ...others.map((name) => ["quiet member", name])].map(([kind, words]) => (
        el("span", { class: kind, "aria-hidden": "true" }, words)))));
    Object.assign(box.style, { left: percent(x), top: percent(y), width: percent(width), height: percent(height) });
    return box;
  }));
  new ResizeObserver(() => drawn.querySelectorAll("a").forEach(fit)).observe(drawn);
  return drawn;
}

/* Give a box the largest type in which its name has room without a broken word; else a line that ends in an ellipsis, or only
   the number; the title has the name. Others of the community are named as far as there is room. */
function fit(box) {
  const [, name, number, ...members] = box.children;
  const over = () => name.scrollWidth > name.clientWidth || box.scrollHeight > box.clientHeight;
  const called = box.title;
  box.classList.remove("one-line");
  name.hidden = number.hidden = false;
  for (const one of members) one.hidden = true;
  const fits = [called, called.split(", ")[0]].some((words) => [20, 17, 15, 13, 11].some((size) => {
    name.textContent = words;
    box.style.fontSize = `${size}px`;
    return !over();
  }));
  if (!fits) {
    box.classList.add("one-line");
    name.hidden = over() && name.clientWidth < 60;
    number.hidden = box.scrollHeight > box.clientHeight;
  }
  for (const one of fits ? members : []) {
    one.hidden = false;
    if (one.scrollWidth > one.clientWidth || box.scrollHeight > box.clientHeight) one.hidden = true;
  }
}

async function page(group, signal) {
  const batches = Array.from({ length: Math.ceil(group.node_ids.length / BATCH) }, (_, i) => group.node_ids.slice(i * BATCH, (i + 1) * BATCH));
  const answers = await Promise.all(batches.map((id) => get("nodes", { project: scope().project, id }, signal)));
  const nodes = answers.flatMap((answer) => answer.nodes);
  const of = (kind) => nodes.filter((node) => kindOf(node) === kind).sort((a, b) => (b.mention_count ?? 0) - (a.mention_count ?? 0)
    || (b.event_time ?? b.date ?? "").localeCompare(a.event_time ?? a.date ?? ""));
  return [
    el("p", { class: "quiet" }, el("a", { href: link("communities") }, "Communities")),
    el("h1", {}, group.name),
    el("p", {}, el("a", { href: link("explore", { id: group.node_ids[0] }) }, "Show it in the graph")),
    el("div", { class: "groups" }, Object.keys(KINDS).map((kind) => [kind, of(kind)]).filter(([, some]) => some.length).map(([kind, some]) => (
      el("section", {}, el("h2", {}, swatch(kind), `${KINDS[kind][1]} (${some.length})`), list(some.slice(0, LISTED)),
        some.length > LISTED ? el("details", {}, el("summary", {}, `${some.length - LISTED} more`), list(some.slice(LISTED))) : null)))),
  ];
}

function list(nodes) {
  return el("ul", { class: "plain-list" }, nodes.map((node) => el("li", {}, el("a", { href: nodeLink(node.id) }, node.name), " ", badge(node.status),
    el("span", { class: "quiet" }, node.mention_count ? ` ${count(node.mention_count, "mention")}` : ` ${day(node.event_time ?? node.date)}`))));
}

function central(one, top) {
  const node = { kind: "entity", type: one.type };
  return el("li", {}, el("span", {}, swatch(kindOf(node)), el("a", { href: nodeLink(one.id) }, one.name), el("span", { class: "quiet" }, ` · ${kindName(node)}`)),
    el("meter", { min: 0, max: 1, value: one.score / top, "aria-label": `${Math.round((100 * one.score) / top)} % of the most central` }));
}
