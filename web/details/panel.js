/* The details of one node: what it is, the words it rests on, and what came before and after it. */

import { get } from "../parts/api.js";
import { nodeLink, scope } from "../parts/address.js";
import { count, day, el, facts } from "../parts/elements.js";
import { badge, kindName, kindOf, swatch } from "../graph/kinds.js";
import { plain } from "./marks.js";
import { drawn } from "./quote.js";
import { nameForm } from "./resolve_form.js";
import { aboutText, offsetOf, sourceText } from "./source_text.js";

/* The panel for a node, an item as its text. `place` is start-end of the words to show first. */
export async function details(id, place, signal, session) {
  if (id.startsWith("art_")) {
    const item = await get(`items/${id}`, { ...scope(), text_offset: offsetOf(place) }, signal);
    return [...sourceText(item, place), ...aboutText(item)];
  }
  return panel(await get(`nodes/${id}`, scope(), signal), session);
}

function panel(known, session) {
  const { node } = known;
  return [
    el("h2", {}, swatch(kindOf(node)), " ", plain(node.name)),
    el("p", { class: "quiet" }, kindName(node), " ", badge(node.status, known.overdue)),
    factsOf(known), node.id.startsWith("ent_") && !session.read_only ? nameForm(node) : null,
    links("Supersedes", known.supersedes), links("Superseded by", known.superseded_by),
    links("Completes", known.completes), links("Completed by", known.completed_by),
    evidence(known.evidence), history(known.history), reasons(known.reasons), items(known.items),
  ];
}

function factsOf({ node, aliases, actors, subjects }) {
  return facts([
    ["By", actors?.map((actor) => (actor.role && actor.role !== "owner" ? `${actor.name} (${actor.role})` : actor.name)).join(", ")],
    ["About", subjects?.map((subject) => subject.name ?? subject).join(", ")],
    ["When", day(node.event_time)],
    ["Due", day(node.due)],
    ["Also called", (aliases ?? node.aliases)?.join(", ")],
    ["Role", node.role],
    ["Organisation", node.organization],
    ["Mentioned", node.mention_count ? count(node.mention_count, "time") : ""],
    ["Confidence", node.confidence === undefined || node.confidence === null ? "" : `${Math.round(node.confidence * 100)} %`],
  ]);
}

function section(title, entries, made) {
  return entries?.length ? el("section", {}, el("h3", {}, title), el("ul", { class: "plain-list" }, entries.map(made))) : null;
}

function links(title, entries) {
  const list = Array.isArray(entries) ? entries : entries ? [entries] : [];
  return section(title, list, (one) => el("li", {}, el("a", { href: nodeLink(one.id ?? one) }, plain(one.summary ?? one.name ?? one)),
    el("span", { class: "quiet" }, ` ${day(one.event_time)}`)));
}

function evidence(entries) {
  return section("Evidence", entries, (one) => el("li", {},
    el("blockquote", {}, drawn(one.quote)),
    el("p", { class: "source" }, el("a", { href: nodeLink(one.artifact_id, one) }, one.title || "Open the text"),
      el("span", { class: "quiet" }, ` ${day(one.date)}`))));
}

function history(entries) {
  return section("History", entries, (one) => el("li", {}, badge(one.status), ` ${day(one.at)}`, one.note && `: ${one.note}`));
}

function reasons(entries) {
  return section("Why these names were joined", entries, (one) => el("li", {}, `“${one.name}”: ${one.reason} `,
    el("a", { href: nodeLink(one.artifact_id) }, "text")));
}

function items(entries) {
  return section("Mentioned in", entries, (one) => el("li", {}, el("a", { href: nodeLink(one.id) }, one.title || one.id),
    el("span", { class: "quiet" }, ` ${day(one.date)}`)));
}
