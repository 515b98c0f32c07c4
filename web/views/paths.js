/* How are these connected? Two names in, the best few ways out, each step with the sentence behind it. */

import { get } from "../parts/api.js";
import { go, link, nodeLink, scope } from "../parts/address.js";
import { el, given, replace } from "../parts/elements.js";
import { drawn } from "../details/quote.js";
import { kindOf, relation, swatch } from "../graph/kinds.js";
import { meant, nameField } from "../parts/names.js";

const MOST = 3;

export function title(at) {
  return at.from && at.to ? `${at.from} and ${at.to}` : "Paths";
}

export async function show(content, { at, signal }) {
  const find = (event) => {
    event.preventDefault();
    go(link("paths", given(event.target)));
  };
  const answer = el("div", { role: "status" });
  replace(content,
    el("h1", {}, "How are these connected?"),
    el("form", { class: "row", onsubmit: find }, nameField("From", "from", at.from ?? ""), nameField("To", "to", at.to ?? ""),
      el("button", {}, "Connect")),
    answer);
  if (!at.from || !at.to) return;
  try {
    const found = await get("paths", { project: scope().project, from: at.from, to: at.to, limit: MOST }, signal);
    replace(answer, paths(found));
  } catch (error) {
    if (!error.code) throw error;
    replace(answer, el("p", { class: "failure", role: "alert" }, error.message), await choices(at, "from", signal), await choices(at, "to", signal));
  }
}

/* Where a name fits several things or none: what could be meant. */
async function choices(at, end, signal) {
  const found = await meant(at[end], signal);
  if (found.length === 1 && found[0].name === at[end]) return null;
  return el("section", {}, el("h2", {}, found.length ? `Which “${at[end]}”?` : `No match for “${at[end]}”`),
    el("ul", { class: "chips" }, found.map((one) => el("li", {},
      el("a", { class: "chip", href: link("paths", { ...at, [end]: one.id }) }, swatch(kindOf({ kind: "entity", type: one.type })), one.name)))));
}

function paths(found) {
  const nodes = new Map(found.nodes.map((node) => [node.id, node]));
  // What two did together says more than a text that names both.
  const ways = [...(found.paths ?? [])].sort((a, b) => acts(b) - acts(a));
  if (!ways.length) return el("p", {}, found.hint ?? "Nothing in this memory connects them.");
  return [
    found.hint && el("p", { class: "quiet" }, found.hint),
    el("div", { class: "ways" }, ways.map((edges, i) => el("section", { class: "card" }, el("h2", {}, `Path ${i + 1}`), el("ol", { class: "way" }, steps(edges, nodes, found.nodes[0].id))))),
  ];
}

function acts(edges) {
  return edges.some((edge) => edge.type !== "MENTIONS") ? 1 : 0;
}

/* Every node of the way, and between two the relation and its words. */
function steps(edges, nodes, start) {
  const made = [];
  let from = edges[0].source === start || edges[0].target === start ? start : edges[0].source;
  made.push(named(nodes.get(from)));
  for (const edge of edges) {
    const next = edge.source === from ? edge.target : edge.source;
    const words = edge.evidence?.[0];
    made.push(el("li", { class: "hop" }, el("span", { class: "quiet" }, relation(edge, from), edge.role ? ` (${edge.role})` : ""),
      words && el("blockquote", {}, drawn(words.quote), " ", el("a", { href: nodeLink(words.artifact_id, words) }, "Show in text"))));
    made.push(named(nodes.get(next)));
    from = next;
  }
  return made;
}

function named(node) {
  return el("li", {}, swatch(kindOf(node)), el("a", { href: nodeLink(node.id) }, node.name));
}
