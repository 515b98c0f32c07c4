/* A page a thing, its words first: a decision or promise, a person or project, a text. The graph is one link away. */

import { get } from "../parts/api.js";
import { go, link, nodeLink, scope } from "../parts/address.js";
import { count, day, el, facts, grouped, replace } from "../parts/elements.js";
import { badge, eventKind, kindName, kindOf, swatch } from "../graph/kinds.js";
import { nameForm, resolveForm } from "../details/resolve_form.js";
import { quoteInPlace } from "../details/quote.js";
import { aboutText, offsetOf, sourceText } from "../details/source_text.js";

const LISTED = 20;
/* Neighbours that are named beside one thing, itself included. */
const BESIDE_ONE = 17;
const SETTLED = { Decision: ["current", "withdrawn"], Commitment: ["done", "cancelled", "open"] };
const BESIDE = { Decision: "Promised in the same text", Commitment: "Decided in the same text" };
const OTHER = { Decision: "Commitment", Commitment: "Decision" };

let shown = { id: null, name: null };

export function title(at) {
  return (shown.id === at.id && shown.name) || "Thing";
}

export async function show(content, { at, signal, session }) {
  if (!at.id) {
    go(link("explore"), { instead: true });
    return;
  }
  const [name, page] = at.id.startsWith("art_") ? await textPage(at, signal)
    : at.id.startsWith("evt_") ? await eventPage(at.id, signal, session) : await entityPage(at.id, signal, session);
  shown = { id: at.id, name };
  replace(content, page);
}

function graphLink(id) {
  return el("p", { class: "quiet" }, el("a", { href: link("explore", { id }) }, "Show in the graph"));
}

async function textPage(at, signal) {
  const item = await get(`items/${at.id}`, { ...scope(), text_offset: offsetOf(at.place) }, signal);
  return [item.title || "Untitled text", el("article", { class: "thing columns" },
    el("div", { class: "reading" }, sourceText(item, at.place, "h1")),
    el("aside", { class: "beside", "aria-label": "About it" }, aboutText(item), graphLink(item.id)))];
}

async function eventPage(id, signal, session) {
  const known = await get(`nodes/${id}`, scope(), signal);
  const { node } = known;
  const first = known.evidence[0];
  const text = first && await get(`items/${first.artifact_id}`, { ...scope(), text_offset: offsetOf(`${first.start_char}`) }, signal);
  return [node.name, el("article", { class: "thing columns" },
    el("div", {},
      el("p", { class: "quiet" }, swatch(kindOf(node)), `${kindName(node)} `, badge(node.status)),
      el("h1", {}, node.name),
      eventFacts(known),
      el("section", {}, el("h2", {}, known.evidence.length > 1 ? "Quotes" : "Quote"),
        first && text ? quoteInPlace(text, first) : null,
        known.evidence.slice(1).map((one) => el("blockquote", {}, one.quote, " ", source(one)))),
      line(known),
      session.read_only || !SETTLED[node.type] ? null : resolveForm(node, SETTLED[node.type])),
    el("aside", { "aria-label": "Related" }, beside(node, first, text), graphLink(id)))];
}

function source(one) {
  return el("span", { class: "quiet" }, el("a", { href: nodeLink(one.artifact_id, one) }, one.title || "Open the text"), ` ${day(one.date)}`);
}

function eventFacts({ node, actors, subjects }) {
  const people = (some) => some?.map((one, i) => [i ? ", " : "", one.entity_id ? el("a", { href: nodeLink(one.entity_id) }, one.name) : one.name]).flat();
  const owners = actors.filter((one) => one.role === "owner");
  const others = actors.filter((one) => one.role !== "owner");
  return facts([
    [node.type === "Decision" ? "Decided by" : "By", people(owners)],
    ["For", people(others.filter((one) => one.role === "recipient"))],
    ["Also", people(others.filter((one) => one.role !== "recipient"))],
    ["About", people(subjects)],
    [node.type === "Decision" ? "Decided on" : "Said on", day(node.event_time)],
    ["Due", day(node.due)],
  ]);
}

/* What came before and after, in order of time; and what people set by hand. */
function line({ node, supersedes, superseded_by, completes, completed_by, history }) {
  const linked = (entries, said) => entries.map((one) => ({ ...one, said }));
  const steps = [...linked(supersedes, "replaced by this"), ...linked(completes, "settled by this"),
    { id: node.id, summary: node.name, event_time: node.event_time, said: "" },
    ...linked(superseded_by, "replaces this"), ...linked(completed_by, "settles this")];
  if (steps.length < 2 && !history.length) return null;
  return el("section", {}, el("h2", {}, "Timeline"), el("ol", { class: "timeline" },
    steps.map((one) => el("li", { class: one.id === node.id ? "now" : null }, el("span", { class: "quiet" }, `${day(one.event_time)} ${one.said}`),
      el("p", { class: "said" }, one.id === node.id ? one.summary : el("a", { href: nodeLink(one.id) }, one.summary)))),
    history.map((one) => el("li", {}, el("span", { class: "quiet" }, day(one.at)), el("p", {}, `Set to ${one.status}`, one.note ? `: ${one.note}` : "")))));
}

/* Decisions and promises of one text belong together: those nearest to the words come first. */
function beside(node, first, text) {
  if (!text) return null;
  const wanted = OTHER[node.type] ?? "Decision";
  const near = new Map(text.quotes.filter((one) => one.category === wanted).map((one) => [one.event_id, one]));
  const sorted = [...near.values()].sort((a, b) => Math.abs(a.start_char - first.start_char) - Math.abs(b.start_char - first.start_char));
  return events(BESIDE[node.type] ?? "Decided in the same text", sorted.map((one) => ({ ...one, id: one.event_id })), sorted.length);
}

async function entityPage(id, signal, session) {
  const known = await get(`nodes/${id}`, scope(), signal);
  const { node } = known;
  const asked = { ...scope(), limit: LISTED };
  const mine = (path, more) => get(path, { ...asked, ...more }, signal).catch((error) => {
    if (!error.code) throw error;
    return { items: [], total_count: 0 };
  });
  const [around, open, done, decided] = await Promise.all([
    get(`nodes/${node.id}/neighbours`, { ...scope(), kind: "entity", fold: true, limit: BESIDE_ONE }, signal), mine("commitments", { owner: node.id, status: "open" }),
    mine("commitments", { owner: node.id, status: "done" }), mine("decisions", { person: node.id })]);
  return [node.name, el("article", { class: "thing columns" },
    el("div", {},
      el("p", { class: "quiet" }, swatch(kindOf(node)), kindName(node)),
      el("h1", {}, node.name),
      facts([["Role", node.role], ["Organisation", node.organization], ["Mentioned", node.mention_count ? count(node.mention_count, "time") : ""]]),
      events("Open", open.items, open.total_count, "commitments", { owner: node.name }),
      events("Decided", decided.items, decided.total_count, "decisions", { person: node.name }),
      events("Done", done.items, done.total_count, "commitments", { owner: node.name }),
      open.items.length + decided.items.length + done.items.length ? null
        : el("p", {}, "No decision or commitment in this memory names this as its owner."),
      session.read_only ? null : nameForm(node)),
    el("aside", { "aria-label": "Where it is mentioned" }, together(node, around), texts(known.items), aliases(known), graphLink(node.id)))];
}

/* Who and what is mentioned beside it most often; the number leads to the texts. */
function together({ id }, { nodes, together: pairs }) {
  const number = new Map(pairs.filter((pair) => pair.one === id || pair.other === id).map((pair) => [pair.one === id ? pair.other : pair.one, pair.items]));
  const named = nodes.slice(1).filter((one) => number.has(one.id));
  if (!named.length) return null;
  return el("section", {}, el("h2", {}, "Mentioned together with"), el("ul", { class: "chips" }, named.map((one) => el("li", {},
    el("span", { class: "chip" }, swatch(kindOf(one)), el("a", { href: nodeLink(one.id) }, one.name),
      el("a", { class: "quiet", "aria-label": `${number.get(one.id)}: texts that mention ${one.name} too`, href: link("explore", { id, select: id, with: one.id }) }, number.get(one.id)))))));
}

function events(name, entries, total, view, at) {
  if (!entries.length) return null;
  return el("section", {}, el("h2", {}, `${name} (${total})`),
    el("ul", { class: "events" }, entries.slice(0, LISTED).map((one) => el("li", {}, swatch(eventKind(one.category)),
      el("span", {}, el("a", { href: nodeLink(one.id) }, one.summary), " ", badge(one.status, one.overdue),
        el("span", { class: "quiet" }, one.due ? ` due ${day(one.due)}` : one.event_time ? ` ${day(one.event_time)}` : ""))))),
    view && total > entries.length ? el("p", {}, el("a", { href: link(view, at) }, `All ${total}`)) : null);
}

/* Texts by year, the newest first. */
function texts(items) {
  if (!items.length) return null;
  const years = grouped(items, (one) => one.date.slice(0, 4));
  return el("section", {}, el("h2", {}, `Texts (${items.length >= 50 ? "the newest 50" : items.length})`),
    years.map(([year, some], i) => el("details", { open: i === 0 }, el("summary", {}, `${year} (${some.length})`),
      el("ul", { class: "plain-list" }, some.map((one) => el("li", {}, el("a", { href: nodeLink(one.id) }, one.title), el("span", { class: "quiet" }, ` ${day(one.date)}`)))))));
}

function aliases({ aliases: names, reasons }) {
  if (!names.length) return null;
  return el("details", {}, el("summary", {}, `Also called (${names.length})`), el("p", {}, names.join(", ")),
    reasons.length ? el("ul", {}, reasons.map((one) => el("li", {}, `“${one.name}”: ${one.reason} `, el("a", { href: nodeLink(one.artifact_id) }, "text")))) : null);
}
