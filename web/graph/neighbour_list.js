/* The list: all that the canvas shows, in words, for whoever reads rather than looks. */

import { nodeLink } from "../parts/address.js";
import { count, el } from "../parts/elements.js";
import { plain } from "../details/marks.js";
import { badge, kindName, kindOf, KINDS, relation, swatch } from "./kinds.js";

const NAMED = 12;

/* `on` has the functions picked(id), which grows or folds, and entered(id), which shows the details. */
export function neighbourList(graph, selected, on) {
  const groups = Object.keys(KINDS)
    .map((kind) => [kind, [...graph.nodes.values()].filter((node) => kindOf(node) === kind)])
    .filter(([, nodes]) => nodes.length);
  return groups.map(([kind, nodes]) => el("section", {},
    el("h3", {}, swatch(kind), ` ${KINDS[kind][1]} (${nodes.length})`),
    el("ul", { class: "nodes" }, nodes.sort((a, b) => a.name.localeCompare(b.name)).map((node) => row(node, graph, selected, on)))));
}

function row(node, graph, selected, on) {
  const grown = graph.isGrown(node.id);
  const folded = graph.folded(node.id);
  const links = graph.links(node.id);
  return el("li", { class: node.id === selected ? "chosen" : null },
    el("button", { type: "button", class: "link", "data-node": node.id, "aria-current": node.id === selected ? "true" : null,
      onclick: () => on.entered(node.id) }, plain(node.name)),
    " ", badge(node.status), el("span", { class: "quiet" }, ` ${kindName(node)}${folded ? `, ${count(folded, "more neighbour")} folded` : ""} `),
    node.id !== graph.root && el("button", { type: "button", class: "small", "aria-expanded": String(grown), "aria-label": `${grown ? "Fold" : "Grow"} ${node.name}`,
      onclick: () => on.picked(node.id, { force: true }) }, grown ? "Fold" : "Grow"),
    el("ul", { class: "links" }, links.slice(0, NAMED).map(({ edge, other }) => el("li", {},
      `${relation(edge, node.id)} `, el("a", { href: nodeLink(other) }, plain(graph.nodes.get(other).name)))),
    links.length > NAMED && el("li", { class: "quiet" }, `and ${links.length - NAMED} more`)));
}
