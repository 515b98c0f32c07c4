/* What a reader without a session sees: how to come in, or a field for a token. */

import { post } from "./api.js";
import { el, replace } from "./elements.js";

export function signIn(begin) {
  const token = el("input", { type: "password", name: "token", autocomplete: "current-password", required: true, "aria-label": "Token" });
  const says = el("p", { role: "alert" });
  const enter = async (event) => {
    event.preventDefault();
    if (!/^[\x20-\x7e]+$/.test(token.value.trim())) {
      replace(says, "This is no token: it has only letters, digits and signs of ASCII. Copy it once more.");
      return;
    }
    try {
      await post("session", undefined, {}, { Authorization: `Bearer ${token.value.trim()}` });
      await begin();
    } catch (error) {
      replace(says, error.message);
    }
  };
  return el("section", { class: "narrow" },
    el("h1", {}, "Sign in"),
    el("p", {}, "On the machine that keeps it, run ", el("code", {}, "remembrancer browse"),
      ": it opens this page with a link that works once. Or enter a token that ", el("code", {}, "remembrancer token create"), " made."),
    el("form", { class: "row", onsubmit: enter }, token, el("button", {}, "Enter")),
    says);
}
