/* Home: what is due, what was decided lately, who is in it, and how the memory grew. */

import { get } from "../parts/api.js";
import { link, nodeLink, scope } from "../parts/address.js";
import { count, day, el, replace } from "../parts/elements.js";
import { growthPlot } from "../parts/growth_plot.js";
import { plain } from "../details/marks.js";
import { badge, eventKind, kindOf, once, ownersOf, swatch } from "../graph/kinds.js";
import { soonest } from "./commitments.js";
import { welcome } from "../parts/welcome.js";

const [LATELY, NAMES, MOST] = [6, 16, 100];
/* An approval of minutes is a formality: other decisions go before it. */
const FORMALITY = /\bminutes\b.*\b(approv|accept|adopt|merged|no objection)|\b(approv|accept|adopt)\w* (of )?(the |all )?([\w-]+ )?minutes\b/i;

export function title() {
  return "Home";
}

export async function show(content, { signal }) {
  const asked = { ...scope(), limit: LATELY };
  const [newest, overdue, open, decided, names, facets] = await Promise.all([
    get("search", asked, signal), get("commitments", { ...asked, status: "overdue" }, signal), get("commitments", { ...asked, limit: MOST, status: "open" }, signal),
    get("decisions", { ...asked, limit: 4 * LATELY }, signal),
    asked.as_of ? { names: [] } /* mentions are counted as of now */ : get("names", { project: asked.project, limit: NAMES }, signal), get("facets", { ...scope(), limit: 1 }, signal)]);
  if (!newest.results.length && !asked.as_of) {
    replace(content, welcome());
    return;
  }
  replace(content,
    el("h1", {}, "What this memory holds"),
    el("p", { class: "quiet", role: "status" }, [count(newest.total_count, "text"), count(decided.total_count, "decision"),
      `${count(open.total_count, "open promise")} (${overdue.total_count.toLocaleString("en-GB")} overdue)${open.stale ? `, ${open.stale.toLocaleString("en-GB")} older than a year` : ""}`].join(" · ")),
    el("div", { class: "columns" },
      el("div", {}, due(overdue, open), ledger("Latest decisions", lately(decided), "decisions"), texts(newest)),
      el("aside", { "aria-label": "People and things" }, known(names.names),
        facets.months.length ? el("section", {}, el("h2", {}, "Growth"), growthPlot(growth(facets.months))) : null)));
}

function growth(months) {
  return months.map(({ value, items }) => ({ month: value, items })).sort((a, b) => a.month.localeCompare(b.month));
}

function due(overdue, open) {
  const late = new Set(overdue.items.map((one) => one.id));
  const items = [...overdue.items, ...soonest(open.items.filter((one) => !late.has(one.id)))].slice(0, LATELY);
  return [ledger("Open commitments", { items, total_count: open.total_count }, "commitments"),
    open.stale ? el("p", { class: "quiet" }, el("a", { href: link("commitments", { old: 1 }) }, `${open.stale.toLocaleString("en-GB")} more`), open.stale === 1 ? " has" : " have", " been open for more than a year.") : null];
}

function lately({ items, total_count }) {
  const isFormal = (one) => FORMALITY.test(one.summary);
  return { items: once(items).sort((a, b) => isFormal(a) - isFormal(b)).slice(0, LATELY), total_count };
}

function ledger(name, { items, total_count: total }, view) {
  return el("section", {}, el("h2", {}, name),
    items.length ? el("ul", { class: "events" }, once(items).map((one) => el("li", {}, swatch(eventKind(one.category)), el("span", {},
      el("a", { href: nodeLink(one.id) }, plain(one.summary)), " ", one.overdue ? badge("open", true) : null,
      el("span", { class: "quiet" }, [ownersOf(one), el("span", { class: "date" }, one.due ? `due ${day(one.due)}` : day(one.event_time) || "no date known")].filter(Boolean).map((said) => [" · ", said]))))))
      : el("p", { class: "quiet" }, view === "decisions" ? "No decisions yet." : "No open commitments."),
    total > items.length && items.length ? el("p", {}, el("a", { href: link(view) }, `All ${total}`)) : null);
}

function texts(newest) {
  return el("section", {}, el("h2", {}, "Newest texts"), el("ul", { class: "plain-list" }, newest.results.map((one) => el("li", {},
    el("a", { href: nodeLink(one.id) }, one.title || one.content.slice(0, 70)), el("span", { class: "quiet" }, ` · ${one.context} · ${day(one.metadata?.date ?? one.date)}`)))),
    newest.total_count > newest.results.length ? el("p", {}, el("a", { href: link("search") }, `All ${newest.total_count}`)) : null);
}

function known(names) {
  if (!names.length) return null;
  return el("section", {}, el("h2", {}, "Mentioned most often"), el("ul", { class: "chips" }, names.map((one) => el("li", {},
    el("a", { class: "chip", href: nodeLink(one.id) }, swatch(kindOf({ kind: "entity", type: one.type })), one.name, el("span", { class: "quiet" }, one.mention_count))))));
}
