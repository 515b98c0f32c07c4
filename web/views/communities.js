/* Communities: what belongs together in this memory, and who and what matters most in it. */

import { get } from "../parts/api.js";
import { nodeLink, scope } from "../parts/address.js";
import { count, day, el, replace } from "../parts/elements.js";
import { kindName, kindOf, swatch } from "../graph/kinds.js";
import { welcome } from "../parts/welcome.js";

const MOST = 5000;
const [CENTRAL, GROUPS] = [30, 40];

export function title() {
  return "Communities";
}

export async function show(content, { signal }) {
  const shape = await get("shape", { project: scope().project, limit: MOST }, signal);
  if (!shape.communities.length && !shape.central.length) {
    replace(content, welcome());
    return;
  }
  const top = shape.central[0]?.score || 1;
  replace(content,
    el("h1", {}, "Communities"),
    el("p", { class: "quiet", role: "status" }, said(shape)),
    el("div", { class: "columns" },
      el("section", { "aria-label": "Communities" }, shape.communities.slice(0, GROUPS).map(community),
        shape.communities.length > GROUPS && el("p", { class: "quiet" }, `and ${shape.communities.length - GROUPS} smaller ones`)),
      el("aside", { "aria-label": "Central" }, el("h2", {}, "Most central"),
        el("ol", { class: "plain-list central" }, shape.central.slice(0, CENTRAL).map((one) => central(one, top))))));
}

function said(shape) {
  const loose = shape.components?.length ?? 0;
  const left = typeof shape.left_out === "number" ? shape.left_out : shape.left_out?.total;
  return [count(shape.communities.length, "community", "communities"), loose > 1 && `in ${loose} parts that nothing connects`,
    left && `${count(left, "node")} left out`, shape.computed_at && `computed ${day(shape.computed_at)}`].filter(Boolean).join(" · ");
}

function community(one) {
  return el("article", { class: "card" }, el("h2", {}, el("a", { href: nodeLink(one.node_ids[0]) }, one.name)), el("p", { class: "quiet" }, count(one.size, "node")));
}

function central(one, top) {
  const node = { kind: "entity", type: one.type };
  return el("li", {}, swatch(kindOf(node)), el("a", { href: nodeLink(one.id) }, one.name), el("span", { class: "quiet" }, ` ${kindName(node)} `),
    el("meter", { min: 0, max: 1, value: one.score / top, "aria-label": `${Math.round((100 * one.score) / top)} % of the most central` }));
}
