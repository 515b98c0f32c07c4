/* What was judged in this tab, the newest first: each can be taken back, also after its card is gone. */

import { el, replace } from "./elements.js";
import { post } from "./api.js";

const MOST = 100;

function kept(project) {
  return JSON.parse(sessionStorage.getItem(`judged ${project}`) ?? "[]");
}

function keep(project, entries) {
  sessionStorage.setItem(`judged ${project}`, JSON.stringify(entries.slice(0, MOST)));
  document.dispatchEvent(new Event("judged"));
}

/* Note what was judged, and the request that undoes it: {said, path, body}. */
export function judged(project, entry) {
  keep(project, [entry, ...unlike(project, entry)]);
}

/* Forget what was taken back. */
export function takenBack(project, entry) {
  keep(project, unlike(project, entry));
}

function unlike(project, { path, body }) {
  const key = JSON.stringify([path, body]);
  return kept(project).filter((one) => JSON.stringify([one.path, one.body]) !== key);
}

/* The list of them, folded away. */
export function journal(project, signal) {
  const list = el("details", { class: "journal" });
  const undo = async (entry, event) => {
    event.target.disabled = true;
    try {
      await post(entry.path, entry.body, { project });
      takenBack(project, entry);
      document.dispatchEvent(new Event("written"));
    } catch (error) {
      event.target.disabled = false;
      event.target.after(el("span", { class: "quiet", role: "alert" }, ` ${error.message}`));
    }
  };
  const draw = () => {
    const entries = kept(project);
    list.hidden = !entries.length;
    replace(list, el("summary", {}, `Undo (${entries.length})`), el("ul", { class: "plain-list" }, entries.map((entry) => el("li", {}, entry.said, " ",
      el("button", { type: "button", class: "plain small", onclick: (event) => undo(entry, event) }, "Undo")))));
  };
  document.addEventListener("judged", draw, { signal });
  draw();
  return list;
}
