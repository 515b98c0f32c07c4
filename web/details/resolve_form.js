/* Set the status of a decision or commitment, with a note, where it stands. */

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
  return el("details", {}, el("summary", { class: "quiet" }, "Set its status"),
    el("form", { class: "row", onsubmit: set }, labelled("Status", choice("status", others)),
      labelled("Note", el("input", { name: "note", maxlength: 2000 })), el("button", {}, "Set"), says));
}
