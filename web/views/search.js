/* Search: what `recall` finds, with the words that were asked for set off, and what the graph connects with it. */

import { get } from "../parts/api.js";
import { changed, go, nodeLink, scope } from "../parts/address.js";
import { choice, count, day, el, given, labelled, replace } from "../parts/elements.js";
import { eventKind, kindOf, reasonWords, swatch, unusual } from "../graph/kinds.js";
import { meant } from "../parts/names.js";
import { pageLinks } from "../parts/page_links.js";
import { excerpt, highlighted, plain, sentencePlace } from "../details/marks.js";
import { welcome } from "../parts/welcome.js";

const PAGE = 10;
const [UNLIKELY, LIKELY] = [0.1, 0.9];
/* Decisions and promises of a text that are listed under it. */
const LISTED = 3;
const NAMED = 12;
const CONTEXTS = ["meeting", "email", "document", "chat", "transcript", "note", "preference", "fact", "decision", "project",
  "conversation", "task", "reference", "correction", "anti_pattern", "insight", "stash"];

export function title(at) {
  return at.q ? `${at.q}: search` : "Search";
}

export async function show(content, { at, signal }) {
  const { q, context, tag, person, date_from, date_to } = at;
  const offset = Number(at.offset ?? 0);
  const asked = { q, context, tag, person, date_from, date_to };
  const [found, facets, called] = await Promise.all([get("search", { ...scope(), ...asked, offset, limit: PAGE }, signal),
    get("facets", { ...scope(), context, tag, date_from, date_to }, signal), q && !offset ? meant(q, signal) : []]);
  const filtered = Object.values(asked).some(Boolean);
  if (!filtered && !found.results.length && !at.as_of) {
    replace(content, welcome());
    return;
  }
  replace(content,
    el("h1", {}, q ? `“${q}”` : filtered ? "Matches of the filters" : "Newest in this memory"),
    called.length ? el("ul", { class: "chips", "aria-label": "Called so" }, called.map(entity)) : null,
    filters(at, facets),
    found.degraded?.length ? el("p", { class: "warning" }, `Answered without ${found.degraded.join(" and ")}: see Health.`) : null,
    el("p", { class: "quiet", role: "status" }, summary(found, offset)),
    el("div", { class: "columns" },
      el("section", { "aria-label": "Results" }, found.results.map((one) => result(one, q)), pageLinks(offset, PAGE, found.results.length, found.total_count)),
      el("aside", { "aria-label": "Connected" }, connected(found, q))));
}

/* Years of the months that are counted, newest first; of one year its months. */
function times(at, months) {
  const year = at.date_from?.slice(0, 4);
  const within = year && at.date_to?.startsWith(year);
  const counted = new Map();
  for (const { value, items } of months) {
    const key = within ? value : value.slice(0, 4);
    counted.set(key, (counted.get(key) ?? 0) + items);
  }
  return [...counted].sort().reverse();
}

/* The first and the last day of 2026 or 2026-05. */
function span(time) {
  if (time.length === 4) return { date_from: `${time}-01-01`, date_to: `${time}-12-31` };
  const [year, month] = time.split("-").map(Number);
  return { date_from: `${time}-01`, date_to: `${time}-${new Date(Date.UTC(year, month, 0)).getUTCDate()}` };
}

/* What narrows the search in one click, each with the number of texts that have it. */
function counts(at, facets) {
  const chip = (text, number, chosen, changes) => el("li", {}, el("a", { class: "chip", "aria-current": chosen ? "true" : null,
    href: changed({ offset: null, ...changes }) }, text, el("span", { class: "quiet" }, number.toLocaleString("en-GB"))));
  const group = (name, chips) => chips.length ? el("ul", { class: "chips counts", "aria-label": name }, el("li", { class: "quiet" }, name), chips) : null;
  return [
    group("Type", facets.types.map(({ value, items }) => chip(value.replaceAll("_", " "), items, at.context === value, { context: at.context === value ? null : value }))),
    group("Time", times(at, facets.months).map(([time, items]) => {
      const days = span(time);
      const chosen = at.date_from === days.date_from && at.date_to === days.date_to;
      return chip(time.length === 4 ? time : day(time), items, chosen, chosen ? { date_from: null, date_to: null } : days);
    })),
    group("Tag", facets.tags.map(({ value, items }) => chip(value, items, at.tag === value, { tag: at.tag === value ? null : value }))),
  ];
}

function filters(at, facets) {
  const set = (event) => {
    event.preventDefault();
    const none = { context: null, tag: null, person: null, date_from: null, date_to: null, offset: null };
    go(changed({ ...none, ...given(event.target) }));
  };
  const field = (name, type = "text") => el("input", { name, type, value: at[name] ?? "" });
  const used = ["context", "tag", "person", "date_from", "date_to"].some((name) => at[name]);
  return el("details", { class: "filters", open: used },
    el("summary", {}, "Filter by type, time, tag or person"),
    counts(at, facets),
    el("form", { class: "row", onsubmit: set },
      labelled("Type of text", choice("context", [["", "any"], ...CONTEXTS.map((name) => [name, name])], at.context)),
      labelled("Person", field("person")), labelled("Tag", field("tag")),
      labelled("From", field("date_from", "date")), labelled("To", field("date_to", "date")),
      el("button", {}, "Apply")));
}

function summary(found, offset) {
  const sure = found.answer_likelihood;
  const likely = sure === undefined || sure === null ? "" : sure < UNLIKELY ? " · probably not in this memory" : sure >= LIKELY ? " · very likely among these" : "";
  return `${count(found.total_count, "text")}${offset ? `, from number ${offset + 1}` : ""}${likely}`;
}

/* Where nothing was asked for: the first words that are no heading. */
function beginning({ content }) {
  const text = content.replace(/^(?:\s*(?:#.*|-{3,}|={3,}|\s*)\n)+/, "");
  const words = [...text.slice(0, 500)].slice(0, 200).join("").replaceAll(/\n\s*\n/g, "\n");
  return { text: words.trim(), marks: [], cut: text.length > words.length };
}

/* Decisions and promises of a text, those first that say most of the words asked for. */
function nearest({ events = [] }, q = "") {
  return events.filter(({ category }) => category === "Decision" || category === "Commitment").sort((a, b) => saidOf(b, q) - saidOf(a, q));
}

/* How many words of a question a summary has. */
function saidOf({ summary }, q) {
  const words = [...new Set(q.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu))];
  return words.filter((word) => summary.toLowerCase().includes(word)).length;
}

function result(one, q) {
  const date = one.date ?? one.metadata?.date ?? one.metadata?.document_date;
  const author = one.author ?? one.metadata?.author;
  const seen = q ? excerpt(one) : beginning(one);
  const events = nearest(one, q);
  return el("article", { class: "card result" },
    el("h2", {}, el("a", { href: nodeLink(one.id, q ? sentencePlace(one) : one.chunk) }, one.title || one.content.slice(0, 70))),
    el("p", { class: "quiet" }, [one.context, day(date), author, one.stashed && "stashed"].filter(Boolean).join(" · ")),
    el("p", { class: "passage" }, highlighted(seen.text, seen.marks), seen.cut ? " …" : null),
    events.length ? el("ul", { class: "events" }, events.slice(0, LISTED).map(event)) : null,
    events.length > LISTED ? el("p", {}, el("a", { class: "quiet", href: nodeLink(one.id) }, `${events.length - LISTED} more decided or promised in it`)) : null);
}

function event(one) {
  return el("li", {}, swatch(eventKind(one.category)),
    el("span", {}, el("a", { href: nodeLink(one.id) }, plain(one.summary)), " ", unusual(one),
      one.due && el("span", { class: "quiet" }, ` due ${day(one.due)}`)));
}

function connected(found, q = "") {
  const elsewhere = found.related.filter((one) => saidOf(one, q));
  return [
    found.entities.length ? [el("h2", {}, "People and things"), el("ul", { class: "chips" }, found.entities.slice(0, NAMED).map(entity))] : null,
    elsewhere.length ? [el("h2", {}, "Decided and promised elsewhere"), el("ul", { class: "events" }, elsewhere.map(related))] : null,
  ];
}

function related(one) {
  return el("li", {}, swatch(eventKind(one.category)), el("span", {}, el("a", { href: nodeLink(one.id) }, plain(one.summary)), " ", unusual(one),
    el("span", { class: "quiet" }, ` · ${reasonWords(one.reason)}`)));
}

function entity(one) {
  return el("li", {}, el("a", { class: "chip", href: nodeLink(one.id) }, swatch(kindOf({ kind: "entity", type: one.type })), one.name,
    one.mention_count ? el("span", { class: "quiet" }, one.mention_count.toLocaleString("en-GB")) : null));
}
