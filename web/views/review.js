/* Review: pairs that may be the same, side by side with the words around each; a verdict can be taken back. */

import { get, post } from "../parts/api.js";
import { nodeLink, scope } from "../parts/address.js";
import { count, el, replace } from "../parts/elements.js";
import { kindName, kindOf, swatch } from "../graph/kinds.js";
import { pageLinks } from "../parts/page_links.js";

const PAGE = 20;

export function title() {
  return "Review";
}

export async function show(content, { at, signal, session }) {
  const offset = Number(at.offset ?? 0);
  const project = scope().project;
  const found = await get("review", { project, offset, limit: PAGE }, signal);
  replace(content,
    el("h1", {}, "Are these the same?"),
    el("p", { class: "quiet", role: "status" }, found.total_count ? `${count(found.total_count, "pair")} to look at` : "Nothing to review."),
    session.read_only ? el("p", { class: "quiet" }, "This session is read-only: deciding needs a token with write access.") : null,
    found.pairs.map((pair) => card(pair, project, session)),
    pageLinks(offset, PAGE, found.pairs.length, found.total_count));
}

function card(pair, project, session) {
  const says = el("p", { role: "status" });
  const judge = (verdict) => async () => {
    try {
      await post("review", { a: pair.a.id, b: pair.b.id, verdict }, { project });
      replace(says, verdict === "undo" ? "Undone." : verdict === "same" ? "Merged. " : "Kept separate. ");
      for (const button of buttons) button.hidden = verdict !== "undo";
      undo.hidden = verdict === "undo";
    } catch (error) {
      replace(says, error.message);
    }
  };
  const buttons = [
    el("button", { type: "button", onclick: judge("same") }, "The same"),
    el("button", { type: "button", class: "plain", onclick: judge("different") }, "Different"),
  ];
  const undo = el("button", { type: "button", class: "plain", hidden: true, onclick: judge("undo") }, "Undo");
  const sure = pair.confidence ? ` · likeness ${Math.round(pair.confidence * 100)} %` : "";
  return el("article", { class: "card pair", "aria-label": `${pair.a.name} and ${pair.b.name}` },
    el("p", { class: "quiet" }, pair.reason ?? "", sure),
    el("div", { class: "sides" }, side(pair.a, pair), side(pair.b, pair)),
    session.read_only ? null : el("div", { class: "row" }, buttons, undo, says));
}

function side(node, pair) {
  const own = (pair.evidence ?? []).filter((one) => one.quote.includes(node.name) && (pair.a.name === pair.b.name || !namesBetter(one.quote, node, pair)));
  return el("section", {},
    el("h2", {}, swatch(kindOf(node)), el("a", { href: nodeLink(node.id) }, node.name)),
    el("p", { class: "quiet" }, [kindName(node), node.role, node.organization, node.aliases?.length && `also ${node.aliases.join(", ")}`,
      node.mention_count && count(node.mention_count, "mention")].filter(Boolean).join(" · ")),
    own.map((one) => el("blockquote", {}, one.quote, " ", el("a", { href: nodeLink(one.artifact_id, one) }, "Show in text"))));
}

/* Whether the longer name of the other one stands there, of which this one is a part. */
function namesBetter(quote, node, { a, b }) {
  const other = node === a ? b : a;
  return other.name.length > node.name.length && other.name.includes(node.name) && quote.includes(other.name);
}
