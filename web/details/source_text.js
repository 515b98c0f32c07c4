/* A text as it was stored, with every quote that something rests on marked in its place. */

import { changed, nodeLink } from "../parts/address.js";
import { count, day, el, replace } from "../parts/elements.js";
import { badge, eventKind, kindOf, swatch } from "../graph/kinds.js";
import { marked } from "./marks.js";

export function sourceText(item, place) {
  const who = [item.context, day(item.date), item.author].filter(Boolean).join(" · ");
  const body = el("div", { class: "source-text", tabindex: 0, role: "region", "aria-label": "Text" });
  fill(body, item, place);
  return [
    el("h2", {}, swatch(kindOf({ kind: "item", type: item.context })), " ", item.title || "Untitled text"),
    el("p", { class: "quiet" }, who),
    item.metadata?.source_url ? el("p", { class: "quiet" }, `From ${item.metadata.source_url}`) : null,
    body,
    rest(item),
    quotes(item.quotes),
    named(item.entities),
    item.revisions?.length ? el("section", {}, el("h3", {}, "Earlier versions"),
      el("ul", {}, item.revisions.map((one) => el("li", {}, el("a", { href: nodeLink(one.id ?? one) }, day(one.at) || one.id || one))))) : null,
    kept(item),
  ];
}

function fill(body, item, place) {
  const [start, end] = (place ?? "").split("-").map(Number);
  const made = (words, mark) => (mark.found
    ? el("mark", { class: "found", id: "found" }, words)
    : el("mark", { class: `kind-${eventKind(mark.category)}` }, el("a", { href: nodeLink(mark.event_id), title: `${mark.category}: ${mark.summary}` }, words)));
  const marks = (item.quotes ?? []).map((quote) => (
    { ...quote, start: quote.start_char - item.text_offset, end: quote.end_char - item.text_offset, made }));
  if (end > start && !marks.some((mark) => mark.start_char === start && mark.end_char === end)) {
    marks.unshift({ start: start - item.text_offset, end: end - item.text_offset, found: true, made });
  }
  replace(body, marked(item.text, marks));
  const goal = [...body.querySelectorAll("mark")][marks.length && end > start ? nearest(item, marks, start) : -1];
  if (goal) requestAnimationFrame(() => { body.scrollTop = goal.offsetTop - body.offsetTop - 40; goal.classList.add("found"); });
}

/* The number of the mark in the text at which these words begin. */
function nearest(item, marks, start) {
  const starts = [...new Set(marks.flatMap((mark) => [mark.start, mark.end]).filter((at) => at >= 0))].sort((a, b) => a - b);
  const inside = starts.filter((at) => marks.some((mark) => mark.start <= at && at < mark.end));
  return inside.indexOf(start - item.text_offset);
}

/* The ways to the other parts of a long text: a place without words is where a part begins. */
function rest(item) {
  const parts = [];
  const next = item.next_text_offset;
  if (item.text_offset > 0) parts.push(el("a", { href: changed({ place: null }) }, "From the beginning"));
  if (next) {
    parts.push(el("a", { href: changed({ place: `${next}-${next}` }) }, "Next part"),
      el("span", { class: "quiet" }, ` ${count(item.length, "character")} in all`));
  }
  return parts.length ? el("p", { class: "row" }, parts) : null;
}

function quotes(entries) {
  const seen = new Map((entries ?? []).map((quote) => [quote.event_id, quote]));
  if (!seen.size) return null;
  return el("section", {}, el("h3", {}, "What was found in it"), el("ul", { class: "events" }, [...seen.values()].map((quote) => (
    el("li", {}, swatch(eventKind(quote.category)), el("span", {}, `${quote.category}: `,
      el("a", { href: nodeLink(quote.event_id) }, quote.summary), " ", badge(quote.status)))))));
}

function named(entities) {
  if (!entities?.length) return null;
  return el("section", {}, el("h3", {}, "Who and what"), el("ul", { class: "chips" }, entities.map((one) => el("li", {},
    el("a", { class: "chip", href: nodeLink(one.id) }, swatch(kindOf({ kind: "entity", type: one.type })), one.name)))));
}

function kept(item) {
  const rows = Object.entries(item.metadata ?? {}).filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && !value.length));
  if (!rows.length) return null;
  return el("details", {}, el("summary", {}, "All that was kept with it"), el("dl", { class: "facts" },
    rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, typeof value === "object" ? JSON.stringify(value) : String(value))])));
}
