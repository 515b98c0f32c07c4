/* Health: the parts of the memory, what waits and what failed, how it grew, and what is largest in it. */

import { get, post } from "../parts/api.js";
import { nodeLink, scope } from "../parts/address.js";
import { count, el, facts, replace } from "../parts/elements.js";
import { growthPlot } from "../parts/growth_plot.js";
import { badge } from "../graph/kinds.js";

export function title() {
  return "Health";
}

export async function show(content, { signal, session }) {
  const project = scope().project;
  const health = await get("health", { project }, signal);
  replace(content,
    el("h1", {}, health.healthy ? "Everything works" : "Something needs attention"),
    health.notice && el("p", { class: "warning" }, health.notice), health.hint && el("p", { class: "quiet" }, health.hint),
    el("div", { class: "columns" },
      el("div", {}, parts(health), failures(health, project, session), growth(health)),
      el("div", {}, counts(health), largest(health))),
    el("p", { class: "quiet" }, `Remembrancer ${health.version} on ${{ sqlite: "SQLite", neo4j: "Neo4j" }[session.engine] ?? session.engine}`));
}

function parts({ services, pending_jobs, failed_jobs }) {
  return el("section", {}, el("h2", {}, "Parts"),
    el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ["Part", "State", "", "Response time"].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, Object.entries(services).map(([name, one]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, badge(one.status)),
        el("td", { class: "detail" }, one.detail), el("td", {}, `${Math.round(one.latency_ms)} ms`)))))),
    el("p", {}, `${count(pending_jobs ?? 0, "job")} waiting, ${failed_jobs ?? 0} failed.`));
}

function failures({ failures: failed }, project, session) {
  if (!failed?.length) return null;
  return el("section", {}, el("h2", {}, "Failed jobs"), el("ul", { class: "plain-list" }, failed.map((one) => {
    const says = el("span", { role: "status", class: "quiet" });
    const retry = async (event) => {
      event.target.disabled = true;
      await post("retry", { id: one.id }, { project }).then(() => replace(says, "Queued again."),
        (error) => { replace(says, error.message); event.target.disabled = false; });
    };
    return el("li", { class: "card" }, el("p", {}, el("a", { href: nodeLink(one.id) }, one.title || one.id), el("span", { class: "quiet" }, ` ${one.job}`)),
      el("p", {}, one.reason), session.read_only ? null : el("p", { class: "row" }, el("button", { type: "button", class: "plain", onclick: retry }, "Try again"), says));
  })));
}

function growth({ growth: months }) {
  return months?.length ? el("section", {}, el("h2", {}, "Growth"), growthPlot(months)) : null;
}

const CONTENTS = { artifacts: "Texts", chunks: "Passages", turns: "Turns of conversations", entities: "People and things", events: "Decisions, promises and other events",
  decisions: "Decisions, with uncertain ones", commitments: "Promises, with uncertain ones", stashed: "Stashed texts" };

function counts({ counts: numbers }) {
  if (!numbers) return null;
  const languages = new Intl.DisplayNames(["en"], { type: "language" });
  const unread = Object.entries(numbers.unread_languages ?? {}).map(([code, texts]) => `${languages.of(code)} (${texts})`).join(", ");
  return el("section", {}, el("h2", {}, "Contents"), facts([...Object.entries(CONTENTS).map(([name, said]) => [said, numbers[name]?.toLocaleString("en-GB")]),
    ["Languages whose decisions are not read", unread]]));
}

function largest({ largest: items }) {
  return items?.length ? el("section", {}, el("h2", {}, "Longest texts"), el("ul", { class: "plain-list" }, [...items].sort((a, b) => b.length - a.length).map((one) => (
    el("li", {}, el("a", { href: nodeLink(one.id) }, one.title || one.id), el("span", { class: "quiet" }, ` · ${count(one.length, "character")}`)))))) : null;
}
