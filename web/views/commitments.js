/* Commitments as a board: overdue, open, done; by person or by due date, settled in place. */

import { get } from "../parts/api.js";
import { changed, go, nodeLink, scope } from "../parts/address.js";
import { choice, count, day, el, given, labelled, replace } from "../parts/elements.js";
import { badge } from "../graph/kinds.js";
import { quoteOf } from "../details/quote.js";
import { resolveForm } from "../details/resolve_form.js";

const MOST = 100;

export function title() {
  return "Commitments";
}

export async function show(content, { at, signal, session }) {
  const { owner, topic, due_before } = at;
  const asked = { ...scope(), owner, topic, due_before, limit: MOST };
  const [overdue, open, done, cancelled] = await Promise.all(
    ["overdue", "open", "done", "cancelled"].map((status) => get("commitments", { ...asked, status }, signal)));
  const late = new Set(overdue.items.map((item) => item.id));
  const still = { ...open, items: open.items.filter((item) => !late.has(item.id) && !item.overdue), total_count: open.total_count - overdue.total_count };
  const over = { items: [...done.items, ...cancelled.items], total_count: done.total_count + cancelled.total_count };
  const groups = at.by === "person" ? byPerson : byDue;
  replace(content,
    el("h1", {}, "Commitments"), filters(at),
    el("p", { class: "quiet", role: "status" }, [open.held_back ? `${count(open.held_back, "sentence")} may be a promise: see Review` : "",
      open.stale ? `${open.stale} have been open for more than a year and are left out` : ""].filter(Boolean).join(" · ")),
    el("div", { class: "board" }, [["Overdue", overdue], ["Open", still], ["Done or cancelled", over]].map(([name, found]) => (
      el("section", { "aria-label": name }, el("h2", {}, `${name} (${found.total_count})`),
        groups(found.items).map(([group, items]) => [group && el("h3", {}, group), items.map((item) => card(item, session))]),
        found.items.length < found.total_count && el("p", { class: "quiet" }, `${found.total_count - found.items.length} more: filter by person, topic or due date.`))))));
}

function filters(at) {
  const set = (event) => {
    event.preventDefault();
    go(changed({ owner: null, topic: null, due_before: null, by: null, ...given(event.target) }));
  };
  return el("form", { class: "row", onsubmit: set },
    labelled("Whose", el("input", { type: "search", name: "owner", value: at.owner ?? "" })),
    labelled("About", el("input", { type: "search", name: "topic", value: at.topic ?? "" })),
    labelled("Due before", el("input", { type: "date", name: "due_before", value: at.due_before ?? "" })),
    labelled("Sort by", choice("by", [["", "due date"], ["person", "person"]], at.by)),
    el("button", {}, "Show"));
}

function byDue(items) {
  return [["", [...items].sort((a, b) => (a.due ?? "9999").localeCompare(b.due ?? "9999"))]];
}

function byPerson(items) {
  const found = new Map();
  for (const item of byDue(items)[0][1]) {
    const name = item.owners?.join(", ") || "No owner";
    found.set(name, [...(found.get(name) ?? []), item]);
  }
  return [...found].sort(([a], [b]) => a.localeCompare(b));
}

function card(item, session) {
  return el("article", { class: "card", id: item.id },
    el("p", { class: "quiet" }, badge(item.status, item.overdue), " ", item.owners?.join(", ") || "no owner", item.due ? ` · due ${day(item.due)}` : ""),
    el("p", { class: "said" }, el("a", { href: nodeLink(item.id) }, item.summary)),
    quoteOf(item),
    settled("Completed by", item.completed_by), settled("Cancelled by", item.cancelled_by),
    item.history?.length ? el("p", { class: "quiet" }, `Set to ${item.history.at(-1).status}${item.history.at(-1).note ? `: ${item.history.at(-1).note}` : ""}`) : null,
    session.read_only ? null : resolveForm(item, ["done", "cancelled", "open"]));
}

function settled(words, cause) {
  return cause ? el("p", { class: "then" }, `${words} `, el("a", { href: nodeLink(cause.id) }, cause.summary)) : null;
}
