/* Review: pairs that may be the same, side by side with the words around each; a verdict can be taken back. One key
   decides the pair that has the focus, and goes to the next. */

import { get, post } from "../parts/api.js";
import { nodeLink, scope } from "../parts/address.js";
import { count, el, replace } from "../parts/elements.js";
import { kindName, kindOf, swatch } from "../graph/kinds.js";
import { pageLinks } from "../parts/page_links.js";

const PAGE = 20;
const KEYS = { s: "same", d: "different", u: "undo" };

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
    el("p", { class: "quiet" }, session.read_only ? "This session is read-only: deciding needs a token with write access."
      : found.pairs.length ? ["On the keyboard: ", key("s"), " the same, ", key("d"), " different, ", key("u"), " undo, ", key("j"), " and ", key("k"), " next and previous."] : null),
    found.pairs.map((pair) => card(pair, project, session)),
    pageLinks(offset, PAGE, found.pairs.length, found.total_count));
}

function key(name) {
  return el("kbd", {}, name);
}

function card(pair, project, session) {
  const says = el("p", { role: "status" });
  const judge = (verdict) => async () => {
    if (undo.hidden === (verdict === "undo")) return;
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
  const pressed = (event) => {
    const steps = { j: "nextElementSibling", k: "previousElementSibling" };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = (side) => { if (event.currentTarget[side]?.matches(".pair")) event.currentTarget[side].focus(); };
    if (steps[event.key]) to(steps[event.key]);
    else if (KEYS[event.key] && !session.read_only) {
      judge(KEYS[event.key])();
      if (event.key !== "u") to("nextElementSibling");
    } else return;
    event.preventDefault();
  };
  return el("article", { class: "card pair", tabindex: 0, onkeydown: pressed, "aria-label": `${pair.a.name} and ${pair.b.name}` },
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
    own.map((one) => el("blockquote", {}, linesAround(one.quote, node.name), " ", el("a", { href: nodeLink(one.artifact_id, one) }, "Show in text"))));
}

/* The line that a name is in, and those beside it. */
function linesAround(quote, name) {
  const lines = quote.split("\n").filter((line) => line.trim());
  const at = lines.findIndex((line) => line.includes(name));
  return at < 0 ? quote : lines.slice(Math.max(0, at - 1), at + 2).join("\n");
}

/* Whether the longer name of the other one stands there, of which this one is a part. */
function namesBetter(quote, node, { a, b }) {
  const other = node === a ? b : a;
  return other.name.length > node.name.length && other.name.includes(node.name) && quote.includes(other.name);
}
