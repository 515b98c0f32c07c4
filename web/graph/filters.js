/* What of the graph is asked for: kinds and categories, a person, a tag, a time. */

import { changed, go } from "../parts/address.js";
import { choice, el, given, labelled } from "../parts/elements.js";
import { KINDS, swatch } from "./kinds.js";

export const FILTERS = ["kind", "category", "person", "tag", "date_from", "date_to"];

const CATEGORIES = ["Decision", "Commitment", "QualityRisk", "Execution", "Collaboration", "Feedback", "Change", "Stakeholder"];
const ANY = [["", "everything"], ["entity", "people and things"], ["event", "what happened"], ["item", "texts"]];

/* The filters of the address, as the API takes them. */
export function filtersOf(at) {
  return Object.fromEntries(FILTERS.map((name) => [name, at[name]]));
}

export function filterForm(at) {
  const set = (event) => {
    event.preventDefault();
    go(changed({ ...Object.fromEntries(FILTERS.map((name) => [name, null])), ...given(event.target) }));
  };
  const clear = () => go(changed(Object.fromEntries(FILTERS.map((name) => [name, null]))));
  const field = (name, type = "text") => el("input", { name, type, value: at[name] ?? "" });
  const used = FILTERS.filter((name) => at[name]).length;
  return el("details", { class: "filters", open: used > 0 },
    el("summary", {}, used ? `Filters (${used})` : "Filters"),
    el("form", { class: "row", onsubmit: set },
      labelled("Kinds", choice("kind", ANY, at.kind)),
      labelled("Category", choice("category", [["", "any"], ...CATEGORIES.map((name) => [name, name])], at.category)),
      labelled("Person", field("person")), labelled("Tag", field("tag")),
      labelled("From", field("date_from", "date")), labelled("To", field("date_to", "date")),
      el("button", {}, "Apply"), used > 0 && el("button", { type: "button", class: "plain", onclick: clear }, "Clear")));
}

/* What the signs on the canvas mean; each shows and hides its kind: `hidden` is changed, and `then` called. */
export function legend(kinds, hidden, then) {
  const toggle = (kind) => (event) => {
    if (!hidden.delete(kind)) hidden.add(kind);
    event.currentTarget.setAttribute("aria-pressed", String(!hidden.has(kind)));
    then();
  };
  return el("ul", { class: "legend", "aria-label": "Signs" },
    Object.keys(KINDS).filter((kind) => kinds.has(kind)).map((kind) => el("li", {},
      el("button", { type: "button", class: "sign-toggle", "aria-pressed": String(!hidden.has(kind)), onclick: toggle(kind) }, swatch(kind), KINDS[kind][0]))));
}
