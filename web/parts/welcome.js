/* What an empty memory says: how to begin. */

import { el } from "./elements.js";

export function welcome() {
  const code = (text) => el("pre", {}, el("code", {}, text));
  return el("section", { class: "narrow" },
    el("h1", {}, "Nothing is remembered here yet"),
    el("p", {}, "What you or your agent remember shows up here as soon as it is stored; who decided and promised what follows in seconds."),
    el("h2", {}, "Start with your own files"),
    code("remembrancer ingest ~/notes"),
    el("p", {}, "reads notes, documents, mail, chats and exports (", el("code", {}, "remembrancer formats"), " lists them)."),
    el("h2", {}, "Or store one sentence"),
    code('remembrancer remember "We chose the blue tiles." --author "Ann Lee" --date 2026-03-02'),
    el("p", {}, "Your agent does the same with the tool ", el("code", {}, "remember"), ". Then reload this page."));
}
