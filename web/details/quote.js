/* The words that something rests on, and the way to them in their text. */

import { nodeLink } from "../parts/address.js";
import { markdown, marked, plain } from "./marks.js";
import { day, el } from "../parts/elements.js";

const AROUND = 350;

/* The quote of a decision or commitment, where its summary does not have it already. */
export function quoteOf(item) {
  const first = item.evidence?.[0];
  if (!first) return null;
  const source = el("a", { href: nodeLink(first.artifact_id ?? item.artifact_id, first) }, item.title ?? "Show in text");
  return repeats(item) ? el("p", { class: "quiet" }, source) : el("blockquote", {}, drawn(first.quote), " ", source);
}

/* Whether the summary says all that the quote does. */
export function repeats({ summary, evidence: [first] }) {
  const letters = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  const [said, quoted] = [letters(summary), letters(first.quote)];
  return said.includes(quoted) || (quoted.includes(said) && quoted.length < said.length + 20);
}

/* A quote marked in the lines around it, under the heading that it stands under; `text` is a part of the item. */
export function quoteInPlace(text, quote) {
  const points = [...text.text]; // the API counts characters as Unicode does
  const from = quote.start_char - text.text_offset;
  const to = quote.end_char - text.text_offset;
  const before = points.slice(0, from).join("");
  const after = points.slice(to).join("");
  const heading = [...before.matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].at(-1);
  const said = heading?.[1].replace(/\]\([^)]*\)|[*_`[\]]/g, "");
  const left = before.slice(Math.max(heading ? heading.index + heading[0].length : 0, cut(before, before.length - AROUND)));
  const right = after.slice(0, after.length > AROUND ? after.lastIndexOf("\n", AROUND) + 1 || AROUND : AROUND);
  return el("figure", { class: "in-place" },
    el("figcaption", {}, el("a", { href: nodeLink(quote.artifact_id, quote) }, text.title || "Untitled text"),
      el("span", { class: "quiet" }, ` ${day(text.date)}${said && said !== text.title && said !== text.date?.slice(0, 10) ? ` · ${said}` : ""}`)),
    el("blockquote", {}, drawn(left.trimStart()), el("mark", {}, drawn(quote.quote)), drawn(right.trimEnd())));
}

/* The summary of a quote with what was cut off in it, as far as the text has it. */
export function whole(summary, quote, text) {
  if (!summary.includes("…")) return plain(summary);
  const [lead, ...said] = summary.split("…: ");
  if (!said.length) return plain(quote.quote.replace(/\s+/g, " "));
  const before = [...text.text].slice(0, Math.max(0, quote.start_char - text.text_offset)).join("").replace(/!?\[([^\]]{0,300})\]\([^)\s]{0,2000}\)/g, "$1");
  const last = (plain(lead).match(/[\p{L}\p{N}]+/gu) ?? []).slice(-4);
  const place = last.length ? [...before.matchAll(new RegExp(last.join("[^\\p{L}\\p{N}]+"), "gu"))].at(-1) : null;
  const rest = place ? /^[^]*?(?=[.!?:]\s|[.!?:]?$|\n\s*(?:\n|[-*+#]))/.exec(before.slice(place.index + place[0].length))[0] : "…";
  return plain(`${lead}${rest.replace(/\s+/g, " ")}: ${(said.join("…: ").endsWith("…") ? quote.quote : said.join("…: ")).replace(/\s+/g, " ")}`);
}

/* Words of a text without the signs of its Markdown. */
export function drawn(text) {
  return marked(text, markdown(text));
}

/* The first line that begins at or after this place. */
function cut(words, place) {
  if (place <= 0) return 0;
  const next = words.indexOf("\n", place);
  return next < 0 ? place : next + 1;
}
