/* What went wrong, in a sentence that says what to do. */

import { ApiError, Unreachable } from "./api.js";
import { link } from "./address.js";
import { el } from "./elements.js";

const ADVICE = {
  not_found: "It may have been forgotten since the link was made, or belong to another project.",
  unauthorized: "Reload this page to sign in with a token.",
  forbidden: "Ask for a token with more rights, or choose another project.",
};

export function failure(error) {
  if (error instanceof ApiError) {
    return el("div", { class: "failure", role: "alert" },
      el("p", {}, error.code === "not_found" ? error.message.replace(/^(?:Nothing|No item) is stored under id.*/, "Not found.") : error.message),
      ADVICE[error.code] && el("p", {}, ADVICE[error.code]),
      el("p", {}, el("a", { href: link("") }, "Search the memory")));
  }
  if (error instanceof Unreachable) return el("p", { class: "quiet" }, "Waiting for the memory …");
  throw error;
}
