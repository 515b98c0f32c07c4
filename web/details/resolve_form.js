/* Set the status of a decision or commitment, or the name of an entity, with a note, where it stands. */

import { post } from "../parts/api.js";
import { scope } from "../parts/address.js";
import { choice, el, given, labelled, replace } from "../parts/elements.js";

export function resolveForm(item, statuses) {
  const says = el("span", { role: "status", class: "quiet" });
  const others = statuses.filter((status) => status !== item.status).map((status) => [status, status]);
  const set = async (event) => {
    event.preventDefault();
    const button = event.submitter;
    button.disabled = true;
    try {
      await post("resolve", { id: item.id, ...given(event.target) }, { project: scope().project });
      document.dispatchEvent(new CustomEvent("written", { detail: item.id }));
    } catch (error) {
      replace(says, error.message);
      button.disabled = false;
    }
  };
  return el("details", { class: "status" }, el("summary", { class: "quiet" }, "Change status"),
    el("form", { class: "row", onsubmit: set }, labelled("Status", choice("status", others)),
      labelled("Note", el("input", { name: "note", maxlength: 2000 })), el("button", {}, "Set"), says));
}

/* What an entity is called, and whether it is another one or none at all. */
export function nameForm(node) {
  const says = el("span", { role: "status", class: "quiet" });
  const set = async (event) => {
    event.preventDefault();
    const dismissed = event.submitter.name === "dismissed";
    event.submitter.disabled = true;
    try {
      const done = await post("resolve", { id: node.id, ...(dismissed ? { status: "dismissed" } : given(event.target)) }, { project: scope().project });
      replace(says, done.run_id ? `Saved. To undo: remembrancer rollback ${done.run_id}` : "Nothing to change.");
    } catch (error) {
      replace(says, error.message);
      event.submitter.disabled = false;
    }
  };
  return el("details", {}, el("summary", { class: "quiet" }, "Correct its name"),
    el("form", { class: "row", onsubmit: set }, labelled("Name to show", el("input", { name: "name", maxlength: 500 })),
      labelled("The same as (name or id)", el("input", { name: "same_as", maxlength: 500 })), el("button", {}, "Set"),
      el("button", { class: "plain", name: "dismissed", formnovalidate: true }, "Not a person or thing"), says));
}
