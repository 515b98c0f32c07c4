/* The head of the page: search, views, project, the moment that everything is seen from, colours. */

import { go, here, link, nodeLink, scope } from "./address.js";
import { endSession, get } from "./api.js";
import { asOf } from "./as_of.js";
import { choice, count, el, labelled } from "./elements.js";
import { completed } from "./names.js";
import { themeButton } from "./theme.js";

const VIEWS = [
  ["", "Home"],
  ["explore", "Explore"],
  ["paths", "Paths"],
  ["decisions", "Decisions"],
  ["commitments", "Commitments"],
  ["communities", "Communities"],
  ["review", "Review"],
  ["health", "Health"],
];

export function header(session) {
  return [
    el("div", { class: "bar" },
      el("a", { class: "brand", href: "#/" }, el("img", { src: "icon.svg", alt: "", width: 24, height: 24 }), el("span", {}, "Remembrancer")),
      searchForm(), menuButton(),
      el("div", { class: "bar folds" }, project(session), themeButton(),
        el("button", { type: "button", class: "plain", onclick: signOut }, "Sign out"))),
    el("div", { class: "under" },
      el("nav", { "aria-label": "Views", class: "folds" }, VIEWS.map(([view, name]) => el("a", { "data-view": view, href: link(view) }, name))),
      asOf()),
  ];
}

/* On a narrow page all but the search is behind a button. */
function menuButton() {
  const button = el("button", { type: "button", class: "plain menu", "aria-expanded": "false", "aria-label": "Menu" }, "☰");
  button.addEventListener("click", () => unfold(button.getAttribute("aria-expanded") !== "true"));
  return button;
}

function unfold(open) {
  document.querySelector("#header .menu").setAttribute("aria-expanded", String(open));
  document.getElementById("header").classList.toggle("open", open);
}

/* What was shown goes with the page; if the memory does not answer the session stays, and the page says so. */
async function signOut() {
  try {
    await endSession();
    location.reload();
  } catch {
    document.dispatchEvent(new Event("away"));
  }
}

/* Names, titles and tags complete what is written; a title leads to its text, a tag to all that have it. */
function searchForm() {
  const titles = new Map();
  const box = el("input", { type: "search", name: "q", id: "q", value: here().at.q ?? "", maxlength: 5000,
    placeholder: "Who promised the estimate?", "aria-label": "Search the memory" });
  const more = async (text) => {
    const [{ results }, { tags }] = await Promise.all([get("search", { ...scope(), q: text, limit: 20, expand: false, include_events: false }), get("facets", { ...scope(), limit: 200 })]);
    const has = (name) => name?.toLowerCase().includes(text.trim().toLowerCase());
    const called = results.filter((one) => has(one.title)).slice(0, 5);
    for (const one of called) titles.set(one.title, one.id);
    return [...called.map((one) => [one.title, "text"]), ...tags.filter(({ value }) => has(value)).slice(0, 5).map(({ value, items }) => [`tag:${value}`, count(items, "text")])];
  };
  const find = (event) => {
    event.preventDefault();
    const q = box.value.trim();
    const tag = /^tag:\s*(.+)$/.exec(q)?.[1];
    go(titles.has(q) ? nodeLink(titles.get(q)) : link("search", tag ? { tag } : { q }));
  };
  return el("form", { class: "search", role: "search", onsubmit: find }, box, completed(box, more), el("button", {}, "Search"));
}

function project(session) {
  const named = here().at.project ?? "default";
  const names = [...new Set([named, ...session.projects])].sort((a, b) => a.localeCompare(b));
  if (names.length < 2) return null;
  const select = choice("project", names.map((name) => [name, name]), named);
  select.addEventListener("change", () => go(`#/?project=${encodeURIComponent(select.value)}`));
  return labelled("Project", select, { class: "field inline" });
}

let searched = null;

/* Mark the view that is shown; links go along with project and moment. */
export function markHere(view, at) {
  unfold(false);
  mark(document.querySelector("#header select[name=project]"), at.project ?? "default");
  document.querySelector("#header .brand").href = link("");
  const box = document.getElementById("q");
  const place = JSON.stringify([view, at.q]);
  if (box && (document.activeElement !== box || place !== searched)) box.value = at.q ?? ""; // not while it is written in
  searched = place;
  for (const anchor of document.querySelectorAll("nav a[data-view]")) {
    anchor.href = link(anchor.dataset.view);
    if (anchor.dataset.view === view) anchor.setAttribute("aria-current", "page");
    else anchor.removeAttribute("aria-current");
  }
  document.dispatchEvent(new CustomEvent("moment", { detail: at.as_of }));
}

/* Choose the project that the address names, also one that was not known when the page began. */
function mark(select, project) {
  if (!select) return;
  if (![...select.options].some((option) => option.value === project)) select.append(el("option", { value: project }, project));
  select.value = project;
}
