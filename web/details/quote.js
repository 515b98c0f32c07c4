/* The words that a decision or commitment rests on, where its summary does not have them already, and the way to them. */

import { nodeLink } from "../parts/address.js";
import { el } from "../parts/elements.js";

export function quoteOf(item) {
  const first = item.evidence?.[0];
  if (!first) return null;
  const source = el("a", { href: nodeLink(first.artifact_id ?? item.artifact_id, first) }, "in its text");
  return item.summary.includes(first.quote) ? el("p", { class: "quiet" }, source) : el("blockquote", {}, first.quote, " ", source);
}
