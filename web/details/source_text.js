/* A text as it was stored, drawn as Markdown is read, with every quote that something rests on marked in its place. */

import { changed, nodeLink } from "../parts/address.js";
import { count, day, el, replace } from "../parts/elements.js";
import { categoryName, eventKind, kindOf, ownersOf, swatch, unusual } from "../graph/kinds.js";
import { markdown, marked, plain } from "./marks.js";

export function sourceText(item, place, heading = "h2") {
  const who = [item.context, day(item.date), item.author].filter(Boolean).join(" · ");
  const body = el("div", { class: "source-text", tabindex: 0, role: "region", "aria-label": "Text" });
  fill(body, item, place);
  return [
    el(heading, {}, swatch(kindOf({ kind: "item", type: item.context })), " ", item.title || "Untitled text"),
    el("p", { class: "quiet" }, who),
    item.metadata?.source_url ? el("p", { class: "quiet" }, `From ${item.metadata.source_url}`) : null,
    body,
    rest(item),
  ];
}

/* What is known of a text: what was found in it, who and what it names, its earlier versions, all that was kept with it. */
export function aboutText(item) {
  return [
    quotes(item.quotes),
    named(item.entities),
    item.revisions?.length ? el("section", {}, el("h3", {}, "Earlier versions"),
      el("ul", {}, item.revisions.map((one) => el("li", {}, el("a", { href: nodeLink(one.id ?? one) }, day(one.at) || one.id || one))))) : null,
    kept(item),
  ];
}

/* Parts of a long text begin at multiples of 100,000 characters. */
export function offsetOf(place) {
  const start = Number((place ?? "0").split("-")[0]);
  return Math.floor(start / 100_000) * 100_000 || undefined;
}

function fill(body, item, place) {
  const [start, end] = (place ?? "").split("-").map(Number);
  const sought = (mark) => mark.found || (end > start && mark.start_char === start);
  const made = (words, mark, over) => el("mark", { class: `${mark.found ? "" : `kind-${eventKind(mark.category)}`}${over.some(sought) ? " found" : ""}` },
    mark.found ? words : el("a", { href: nodeLink(mark.event_id), title: `${categoryName(mark.category)}: ${plain(mark.summary)}` }, words));
  const marks = (item.quotes ?? []).map((quote) => (
    { ...quote, start: quote.start_char - item.text_offset, end: quote.end_char - item.text_offset, made }));
  if (end > start && !marks.some(sought)) {
    marks.unshift(...lines(item.text, start - item.text_offset, end - item.text_offset).map((line) => ({ ...line, found: true, made })));
  }
  replace(body, marked(item.text, [...markdown(item.text), ...heading(item), ...marks]));
  const goal = body.querySelector("mark.found");
  if (goal) requestAnimationFrame(() => goal.scrollIntoView({ block: "center" }));
}

/* The places of the lines between two places, from the first whole word, without bullets, blank lines and space around them. */
function lines(text, start, end) {
  const points = [...text];
  let at = start;
  while (at > 0 && at < end && /[\p{L}\p{N}]/u.test(points[at - 1]) && /[\p{L}\p{N}]/u.test(points[at])) at += 1;
  const found = [];
  for (const line of points.slice(at, end).join("").split("\n")) {
    const words = /^(\s*(?:(?:[-*+]|#{1,6})\s+)?)(.*?)\s*$/u.exec(line);
    const from = at + [...words[1]].length;
    if (words[2]) found.push({ start: from, end: from + [...words[2]].length });
    at += [...line].length + 1;
  }
  return found;
}

/* A heading that says the title again is left out. */
function heading(item) {
  const [line, words] = /^\s*(?:#{1,2}[ \t]+)?([^\n]*?)[ \t]*#*(?:\n\s*|$)/.exec(item.text);
  return item.text_offset === 0 && item.title && words === item.title ? [{ start: 0, end: [...line].length, hides: true, made: () => "" }] : [];
}

/* The ways to the other parts of a long text: a place without words is where a part begins. */
function rest(item) {
  const parts = [];
  const next = item.next_text_offset;
  if (item.text_offset > 0) parts.push(el("a", { href: changed({ place: null }) }, "From the start"));
  if (next) {
    parts.push(el("a", { href: changed({ place: `${next}-${next}` }) }, "Next part"),
      el("span", { class: "quiet" }, ` ${count(item.length, "character")} in all`));
  }
  return parts.length ? el("p", { class: "row" }, parts) : null;
}

function quotes(entries) {
  const seen = new Map((entries ?? []).map((quote) => [quote.event_id, quote]));
  if (!seen.size) return null;
  const sorted = [...seen.values()].sort((a, b) => a.start_char - b.start_char);
  const list = (some, named) => el("ul", { class: "events" }, some.map((quote) => el("li", {}, swatch(eventKind(quote.category)), el("span", {}, named ? `${categoryName(quote.category)}: ` : "",
    el("a", { href: nodeLink(quote.event_id) }, plain(quote.summary)), " ", unusual(quote),
    el("span", { class: "quiet" }, [ownersOf(quote), quote.due && `due ${day(quote.due)}`].filter(Boolean).map((said) => ` · ${said}`).join(""))))));
  const groups = [["Decided", "Decision"], ["Promised", "Commitment"]].map(([name, category]) => [name, sorted.filter((quote) => quote.category === category)]);
  const others = sorted.filter((quote) => quote.category !== "Decision" && quote.category !== "Commitment");
  return el("section", { "aria-label": "Found in this text" },
    groups.filter(([, some]) => some.length).map(([name, some]) => [el("h3", {}, `${name} (${some.length})`), list(some)]),
    others.length ? el("details", { open: others.length === seen.size }, el("summary", {}, `Also noted (${others.length})`), list(others, true)) : null);
}

function named(entities) {
  if (!entities?.length) return null;
  return el("section", {}, el("h3", {}, "People and things"), el("ul", { class: "chips" }, entities.map((one) => el("li", {},
    el("a", { class: "chip", href: nodeLink(one.id) }, swatch(kindOf({ kind: "entity", type: one.type })), one.name)))));
}

function kept(item) {
  const rows = Object.entries(item.metadata ?? {}).filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && !value.length));
  if (!rows.length) return null;
  return el("details", {}, el("summary", {}, "All metadata"), el("dl", { class: "facts" },
    rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, typeof value === "object" ? JSON.stringify(value) : String(value))])));
}
