/* Review: pairs that may be the same, side by side with the words around each, and decisions and promises that may be
   none. One key judges what has the focus, and goes to the next; each verdict can be taken back. */

import { get, post } from "../parts/api.js";
import { changed, nodeLink, scope } from "../parts/address.js";
import { count, el, replace } from "../parts/elements.js";
import { journal, judged, takenBack } from "../parts/journal.js";
import { kindName, kindOf, swatch } from "../graph/kinds.js";
import { drawn } from "../details/quote.js";
import { pageLinks } from "../parts/page_links.js";

const PAGE = 20;

export function title() {
  return "Review";
}

export async function show(content, { at, signal, session }) {
  const tab = (show, name) => el("a", { href: changed({ show, offset: null }), "aria-current": (at.show ?? null) === show ? "true" : null }, name);
  const tabs = el("span", { class: "tabs", role: "group", "aria-label": "Review" }, tab(null, "Same or different"), tab("uncertain", "Right or wrong"));
  await (at.show === "uncertain" ? events : names)(content, tabs, { at, signal, session });
}

async function events(content, tabs, { signal, session }) {
  const project = scope().project;
  const { items, total_count: total } = await get("uncertain", { project }, signal);
  replace(content,
    el("h1", {}, "Are these right?"), el("div", { class: "row" }, tabs, journal(project, signal)),
    el("p", { class: "quiet", role: "status" }, items.length ? total > items.length ? `The ${items.length} most worthwhile of ${total.toLocaleString("en-GB")} sentences` : `${count(items.length, "sentence")} to look at` : "Nothing to review."),
    session.read_only || !items.length ? null : el("p", { class: "quiet keys" }, "On the keyboard: ", key("r"), " right, ", key("w"), " wrong, ", key("u"), " undo, ", key("j"), " and ", key("k"), " next and previous."),
    items.map((item) => sentence(item, project, session)));
}

function sentence(item, project, session) {
  const settle = (answer) => post("resolve", { id: item.id, ...answer }, { project });
  const back = item.category === "person" ? null : { path: "resolve", body: { id: item.id, ...(item.other ? item.wrong : item.right) } };
  return judgedCard(session, project, { class: "card pair", "aria-label": item.summary }, { r: ["Right", "Kept.", () => settle(item.right)], w: ["Wrong", "Taken out.", () => settle(item.wrong)] },
    back, [
      el("p", { class: "quiet" }, item.category, item.confidence ? ` · probability ${Math.round(item.confidence * 100)} %` : ""),
      el("p", { class: "said" }, el("a", { href: nodeLink(item.id) }, item.summary)),
      item.other ? el("p", {}, el("a", { href: nodeLink(item.other) }, "The earlier one")) : null,
      item.quote && item.quote !== item.summary ? el("blockquote", {}, drawn(item.quote)) : null,
      item.artifact_id ? el("p", { class: "quiet" }, el("a", { href: nodeLink(item.artifact_id) }, "Open the text")) : null]);
}

async function names(content, tabs, { at, signal, session }) {
  const offset = Number(at.offset ?? 0);
  const project = scope().project;
  const found = await get("review", { project, offset, limit: PAGE }, signal);
  replace(content,
    el("h1", {}, "Are these the same?"), el("div", { class: "row" }, tabs, journal(project, signal)),
    el("p", { class: "quiet", role: "status" }, found.total_count ? `${count(found.total_count, "pair")} to look at` : "Nothing to review."),
    el("p", { class: session.read_only ? "quiet" : "quiet keys" }, session.read_only ? "This session is read-only: deciding needs a token with write access."
      : found.pairs.length ? ["On the keyboard: ", key("s"), " the same, ", key("d"), " different, ", key("u"), " undo, ", key("j"), " and ", key("k"), " next and previous."] : null),
    found.pairs.map((pair) => card(pair, project, session)),
    pageLinks(offset, PAGE, found.pairs.length, found.total_count));
}

function key(name) {
  return el("kbd", {}, name);
}

function card(pair, project, session) {
  const judge = (verdict) => post("review", { a: pair.a.id, b: pair.b.id, verdict }, { project });
  const sure = pair.confidence ? ` · similarity ${Math.round(pair.confidence * 100)} %` : "";
  return judgedCard(session, project, { class: "card pair", "aria-label": `${pair.a.name} and ${pair.b.name}` },
    { s: ["The same", "Merged.", () => judge("same")], d: ["Different", "Kept separate.", () => judge("different")] },
    { path: "review", body: { a: pair.a.id, b: pair.b.id, verdict: "undo" } }, [
      el("p", { class: "quiet" }, pair.reason ?? "", sure),
      el("div", { class: "sides" }, side(pair.a, pair), side(pair.b, pair))]);
}

/* A card that is judged by a button or a key; `verdicts` are [name, what is said then, act] by key. `back` is the request
   that undoes any; without it a command does, which is named. */
function judgedCard(session, project, attributes, verdicts, back, children) {
  const says = el("p", { role: "status" });
  const entry = back && { ...back, said: attributes["aria-label"] };
  let done = false;
  const judge = async (said, act, undoes) => {
    if (done !== undoes) return;
    try {
      const { run_id } = await act();
      done = !undoes;
      if (entry && done) judged(project, { ...entry, said: `${said} ${entry.said}` });
      else if (entry) takenBack(project, entry);
      replace(says, said, !back && run_id ? ` To undo: remembrancer rollback ${run_id}` : "");
      for (const button of buttons) button.hidden = done;
      undo.hidden = !done || !back;
    } catch (error) {
      replace(says, error.message);
    }
  };
  const buttons = Object.values(verdicts).map(([name, said, act], i) => (
    el("button", { type: "button", class: i ? "plain" : null, onclick: () => judge(said, act, false) }, name)));
  const takeBack = () => back && judge("Undone.", () => post(back.path, back.body, { project }), true);
  const undo = el("button", { type: "button", class: "plain", hidden: true, onclick: takeBack }, "Undo");
  const pressed = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = (side) => { if (event.currentTarget[side]?.matches(".pair")) event.currentTarget[side].focus(); };
    if (event.key === "j") to("nextElementSibling");
    else if (event.key === "k") to("previousElementSibling");
    else if (session.read_only) return;
    else if (event.key === "u") takeBack();
    else if (Object.hasOwn(verdicts, event.key)) {
      judge(...verdicts[event.key].slice(1), false);
      to("nextElementSibling");
    } else return;
    event.preventDefault();
  };
  return el("article", { ...attributes, tabindex: 0, onkeydown: pressed }, children, session.read_only ? null : el("div", { class: "row" }, buttons, undo, says));
}

function side(node, pair) {
  const own = (pair.evidence ?? []).filter((one) => one.quote.includes(node.name) && (pair.a.name === pair.b.name || !namesBetter(one.quote, node, pair)));
  return el("section", {},
    el("h2", {}, swatch(kindOf(node)), el("a", { href: nodeLink(node.id) }, node.name)),
    el("p", { class: "quiet" }, [kindName(node), node.role, node.organization, node.aliases?.length && `also ${node.aliases.join(", ")}`,
      node.mention_count && count(node.mention_count, "mention")].filter(Boolean).join(" · ")),
    own.map((one) => el("blockquote", {}, drawn(linesAround(one.quote, node.name)), " ", el("a", { href: nodeLink(one.artifact_id, one) }, "Show in text"))));
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
