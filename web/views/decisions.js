/* Decisions on a time line with what superseded what, or as a table. */

import { every, get } from "../parts/api.js";
import { changed, go, link, nodeLink, scope } from "../parts/address.js";
import { choice, count, day, el, folded, given, grouped, labelled, replace } from "../parts/elements.js";
import { exports } from "../parts/export.js";
import { badge, once, unusual } from "../graph/kinds.js";
import { pageLinks } from "../parts/page_links.js";
import { plain } from "../details/marks.js";
import { drawn, repeats } from "../details/quote.js";
import { completed } from "../parts/names.js";

const PAGE = 50;
const STATUSES = [["", "all"], ["current", "current"], ["superseded", "superseded"], ["withdrawn", "withdrawn"]];

export function title() {
  return "Decisions";
}

export async function show(content, { at, signal }) {
  const { topic, person, status, date_from, date_to } = at;
  const offset = Number(at.offset ?? 0);
  const asked = { ...scope(), topic, person, status: status ?? "all", date_from, date_to };
  const found = await get("decisions", { ...asked, offset, limit: PAGE }, signal);
  const group = GROUPS[at.by] ?? GROUPS.month;
  replace(content,
    el("h1", {}, "Decisions"), filters(at),
    el("p", { class: "quiet", role: "status" }, count(found.total_count, "decision"), offset ? ` · from number ${offset + 1}` : "",
      found.held_back ? [` · ${count(found.held_back, "more sentence")} may be ${found.held_back === 1 ? "one" : "some"}: `, el("a", { href: link("review", { show: "uncertain" }) }, "review them")] : null),
    el("div", { class: "row" }, views(at), exports("Decisions", () => every("decisions", asked))),
    at.show === "table" ? table(grouped(newestFirst(once(found.items)), group))
      : grouped(newestFirst(once(found.items)), group).map(([name, items]) => el("section", {}, el("h2", {}, name), el("ol", { class: "timeline" }, items.map(decision)))),
    pageLinks(offset, PAGE, found.items.length, found.total_count));
}

function filters(at) {
  const set = (event) => {
    event.preventDefault();
    go(changed({ topic: null, person: null, status: null, date_from: null, date_to: null, offset: null, ...given(event.target) }));
  };
  const field = (name, type = "search") => el("input", { name, type, value: at[name] ?? "" });
  const person = field("person");
  return folded(el("form", { class: "row", onsubmit: set },
    labelled("About", field("topic")), labelled("By", person), completed(person), labelled("Status", choice("status", STATUSES, at.status)),
    labelled("From", field("date_from", "date")), labelled("To", field("date_to", "date")), el("button", {}, "Show")), at.topic || at.person || at.status || at.date_from || at.date_to);
}

const GROUPS = {
  month: (item) => (item.event_time ? day(item.event_time.slice(0, 7)) : "Without a date"),
  body: (item) => item.owners?.join(", ") || "Nobody named",
  text: (item) => item.title || "Untitled text",
};

function newestFirst(items) {
  return [...items].sort((a, b) => (b.event_time ?? "").localeCompare(a.event_time ?? ""));
}

function views(at) {
  const tab = (show, name) => el("a", { href: changed({ show }), "aria-current": (at.show ?? null) === show ? "true" : null }, name);
  const by = choice("by", [["month", "month"], ["body", "who decided"], ["text", "text"]], at.by);
  by.addEventListener("change", () => go(changed({ by: by.value === "month" ? null : by.value })));
  return [el("span", { class: "tabs", role: "group", "aria-label": "Show as" }, tab(null, "Time line"), tab("table", "Table")),
    labelled("Grouped by", by, { class: "field inline" })];
}

function table(groups) {
  const columns = ["Date", "Decision", "By", "Status", "Text"];
  return el("div", { class: "scroll" }, el("table", { class: "dense" },
    el("thead", {}, el("tr", {}, columns.map((name) => el("th", { scope: "col" }, name)))),
    groups.map(([name, items]) => el("tbody", {}, el("tr", {}, el("th", { scope: "rowgroup", colspan: columns.length }, el("h2", {}, name))), items.map((item) => el("tr", {},
      el("td", {}, item.event_time?.slice(0, 10) ?? ""), el("td", {}, el("a", { href: nodeLink(item.id) }, plain(item.summary))),
      el("td", {}, item.owners?.join(", ") ?? ""), el("td", {}, unusual(item)),
      el("td", {}, item.evidence?.[0] ? el("a", { href: nodeLink(item.evidence[0].artifact_id ?? item.artifact_id, item.evidence[0]) }, item.title || "Text") : "")))))));
}

function decision(item) {
  const past = item.status === "superseded" || item.status === "withdrawn";
  const [first] = item.evidence ?? [];
  const after = item.superseding;
  return el("li", { class: past ? "past" : null, id: item.id },
    el("p", { class: "said" }, el("a", { href: nodeLink(item.id) }, plain(item.summary)), item.times > 1 ? ` (${item.times} times)` : "", " ", past ? badge(item.status) : null),
    el("p", { class: "quiet" }, [day(item.event_time), item.owners?.join(", ")].filter(Boolean).map((said) => `${said} · `),
      first && el("a", { href: nodeLink(first.artifact_id ?? item.artifact_id, first) }, item.title || "Untitled text")),
    first && !repeats(item) && el("blockquote", {}, drawn(first.quote)),
    item.superseded_by && el("p", { class: "then" }, "↳ superseded by ",
      el("a", { href: nodeLink(item.superseded_by) }, after ? plain(after.summary) : "a later decision"), after?.event_time ? `, ${day(after.event_time)}` : ""),
    item.supersedes && el("p", { class: "then" }, "↰ supersedes ", el("a", { href: nodeLink(item.supersedes) }, "an earlier decision")),
    declared(item.history));
}

function declared(history) {
  const last = history?.at(-1);
  return last ? el("p", { class: "quiet" }, `Set to ${last.status} on ${day(last.at)}${last.note ? `: ${last.note}` : ""}`) : null;
}
