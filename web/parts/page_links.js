/* Links to the page before and the one after. */

import { changed } from "./address.js";
import { el } from "./elements.js";

export function pageLinks(offset, size, shown, total) {
  const before = offset > 0 && el("a", { href: changed({ offset: Math.max(0, offset - size) || null }) }, "Previous");
  const after = shown > 0 && offset + shown < total && el("a", { href: changed({ offset: offset + size }) }, "Next");
  return before || after ? el("p", { class: "row" }, before, after) : null;
}
