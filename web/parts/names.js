/* A field for a name that the memory knows, completed while it is written. */

import { get } from "./api.js";
import { scope } from "./address.js";
import { el, labelled, replace } from "./elements.js";

const PAUSE = 150;

export function nameField(label, name, value = "") {
  const options = el("datalist", { id: `names-${name}` });
  const field = el("input", { name, value, list: options.id, autocomplete: "off", required: true, maxlength: 500 });
  let timer;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => complete(field.value, options), PAUSE);
  });
  return [labelled(label, field), options];
}

async function complete(text, options) {
  if (text.trim().length < 2) return;
  const found = await get("names", { project: scope().project, q: text, limit: 10 }).catch(() => ({ names: [] }));
  replace(options, found.names.map((one) => el("option", { value: one.name }, `${one.type}, ${one.mention_count}`)));
}

/* The things that a name may mean. */
export async function meant(name, signal) {
  const { names } = await get("names", { project: scope().project, q: name, limit: 10 }, signal);
  const same = names.filter((one) => one.name.toLowerCase() === name.toLowerCase());
  return same.length ? same : names;
}
