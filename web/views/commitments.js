/* Commitments as a board: overdue, open, done; by person or by due date, settled in place. */

import { every, get, post } from "../parts/api.js";
import { changed, go, link, nodeLink, scope } from "../parts/address.js";
import { choice, count, day, el, folded, given, grouped, labelled, replace } from "../parts/elements.js";
import { exports } from "../parts/export.js";
import { completed } from "../parts/names.js";
import { unusual } from "../graph/kinds.js";
import { plain } from "../details/marks.js";
import { quoteOf } from "../details/quote.js";
import { resolveForm } from "../details/resolve_form.js";

const MOST = 100;

export function title() {
  return "Commitments";
}

export async function show(content, { at, signal, session }) {
  const { owner, topic, due_before } = at;
  const filtered = { ...scope(), owner, topic, due_before };
  const asked = { ...filtered, limit: MOST };
  const of = (status) => get("commitments", { ...asked, status }, signal);
  const [overdue, open, done, cancelled] = await Promise.all(["overdue", "open", "done", "cancelled"].map(of));
  const late = new Set(overdue.items.map((item) => item.id));
  const still = { ...open, items: open.items.filter((item) => !late.has(item.id) && !item.overdue), total_count: open.total_count - overdue.total_count };
  const over = { items: [...done.items, ...cancelled.items], total_count: done.total_count + cancelled.total_count };
  const groups = at.by === "person" ? byPerson : byDue;
  const past = open.stale ? await old(open.stale, overdue.stale, () => of("stale"), at, session) : null;
  const columns = [["Overdue", overdue], ["Open", still], ["Done or cancelled", over]].filter(([, found]) => found.total_count);
  replace(content,
    el("h1", {}, "Commitments"), filters(at),
    open.held_back ? el("p", { class: "quiet", role: "status" }, `${count(open.held_back, "more sentence")} may be ${open.held_back === 1 ? "a promise" : "promises"}: `, el("a", { href: link("review", { show: "uncertain" }) }, "review them")) : null,
    el("div", { class: "row" }, session.read_only ? null : settleMany(content, signal), exports("Commitments", () => every("commitments", { ...filtered, status: "all" }))),
    el("div", { class: "board" }, columns.map(([name, found]) => (
      el("section", { "aria-label": name }, el("h2", {}, `${name} (${found.total_count.toLocaleString("en-GB")})${found === overdue && found.stale ? `, ${found.stale.toLocaleString("en-GB")} older than a year folded below` : ""}`),
        groups(found.items).map(([group, items]) => [group && el("h3", {}, group), items.map((item) => card(item, session))]),
        more(found))))),
    columns.length || past ? null : el("p", {}, "No commitments."), past);
}

function more({ items, total_count: total }) {
  return items.length < total ? el("p", { class: "quiet" }, `${(total - items.length).toLocaleString("en-GB")} more: filter by person, topic or due date.`) : null;
}

/* What nobody has settled for more than a year, folded away unless somebody looks for it. */
async function old(number, overdue, listed, at, session) {
  const sought = Boolean(at.owner || at.topic || at.due_before || at.old);
  const list = el("div");
  const fill = async () => {
    if (list.firstChild) return;
    const stale = await listed();
    const newest = [...stale.items].sort((a, b) => (b.due ?? b.said_at ?? "").localeCompare(a.due ?? a.said_at ?? ""));
    replace(list, el("div", { class: "board" }, newest.map((item) => card(item, session))), more(stale));
  };
  if (sought) await fill();
  return el("details", { class: "old", open: sought, ontoggle: fill, "data-arrive": Boolean(at.old) }, el("summary", {}, el("h2", {}, `Open for more than a year (${number.toLocaleString("en-GB")}${overdue ? `, ${overdue.toLocaleString("en-GB")} of them overdue` : ""})`)), list);
}

function filters(at) {
  const set = (event) => {
    event.preventDefault();
    go(changed({ owner: null, topic: null, due_before: null, by: null, ...given(event.target) }));
  };
  const owner = el("input", { type: "search", name: "owner", value: at.owner ?? "" });
  return folded(el("form", { class: "row", onsubmit: set },
    labelled("Whose", owner), completed(owner),
    labelled("About", el("input", { type: "search", name: "topic", value: at.topic ?? "" })),
    labelled("Due before", el("input", { type: "date", name: "due_before", value: at.due_before ?? "" })),
    labelled("Sort by", choice("by", [["", "due date"], ["person", "person"]], at.by)),
    el("button", {}, "Show")), at.owner || at.topic || at.due_before || at.by);
}

const CHOSEN = "input[name=chosen]:checked";

/* Settle all that are chosen at once, and take it back. */
function settleMany(content, signal) {
  const says = el("span", { role: "status", class: "quiet" }, "Choose some to settle them together.");
  const undo = el("button", { type: "button", class: "plain small", hidden: true }, "Undo");
  const set = async (ids, status) => {
    let done = 0;
    try {
      for (const id of ids) {
        await post("resolve", { id, status }, { project: scope().project });
        done += 1;
      }
      replace(says, `${count(done, "commitment")} set to ${status}.`);
    } catch (error) {
      replace(says, `${done} of ${ids.length} set to ${status}. ${error.message}`);
    }
    return ids.slice(0, done);
  };
  const settle = (status) => async () => {
    const boxes = [...content.querySelectorAll(CHOSEN)];
    if (!boxes.length) return;
    const done = await set(boxes.map((box) => box.value), status);
    for (const box of boxes) box.closest("article").classList.toggle("settled", done.includes(box.value));
    for (const box of boxes) box.checked = !done.includes(box.value);
    enable();
    undo.hidden = !done.length;
    undo.onclick = async () => {
      for (const id of await set(done, "open")) document.getElementById(id)?.classList.remove("settled");
      undo.hidden = true;
    };
  };
  const button = (status, name) => el("button", { type: "button", class: "plain small", onclick: settle(status) }, name);
  const buttons = [button("done", "Done"), button("cancelled", "Cancelled")];
  const enable = () => { for (const one of buttons) one.disabled = !content.querySelector(CHOSEN); };
  content.addEventListener("change", enable, { signal });
  enable();
  return el("span", { class: "row", role: "group", "aria-label": "Settle the chosen" }, buttons, undo, says);
}

/* Those with a due date by it, then the newest; what has no date at all is last. */
export function soonest(items) {
  return [...items].sort((a, b) => (a.due ?? "9999").localeCompare(b.due ?? "9999") || (b.said_at ?? "").localeCompare(a.said_at ?? ""));
}

function byDue(items) {
  return [["", soonest(items)]];
}

function byPerson(items) {
  return grouped(byDue(items)[0][1], (item) => item.owners?.join(", ") || "No owner").sort(([a], [b]) => a.localeCompare(b));
}

function card(item, session) {
  return el("article", { class: "card", id: item.id },
    el("p", { class: "quiet" }, session.read_only || item.status !== "open" ? null
      : el("input", { type: "checkbox", name: "chosen", value: item.id, "aria-label": `Choose: ${item.summary}` }), " ", unusual(item), " ", item.owners?.length ? item.owners.join(", ") : "no owner", " · ",
      el("span", { class: "date" }, item.due ? `due ${day(item.due)}` : item.said_at ? `said ${day(item.said_at)}` : "no date known")),
    el("p", { class: "said" }, el("a", { href: nodeLink(item.id) }, plain(item.summary))),
    quoteOf(item),
    settled("Completed by", item.completed_by), settled("Cancelled by", item.cancelled_by),
    item.history?.length ? el("p", { class: "quiet" }, `Set to ${item.history.at(-1).status}${item.history.at(-1).note ? `: ${item.history.at(-1).note}` : ""}`) : null,
    session.read_only ? null : resolveForm(item, ["done", "cancelled", "open"]));
}

function settled(words, cause) {
  return cause ? el("p", { class: "then" }, `${words} `, el("a", { href: nodeLink(cause.id) }, plain(cause.summary))) : null;
}
