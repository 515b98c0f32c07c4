/* A field for a name that the memory knows, completed while it is written. */

import { get } from "./api.js";
import { scope } from "./address.js";
import { el, labelled, replace } from "./elements.js";

const PAUSE = 150;

export function nameField(label, name, value = "") {
  const field = el("input", { name, value, required: true, maxlength: 500 });
  return [labelled(label, field), completed(field)];
}

/* Names are offered for a field while it is written, and what `more` finds, as [what to write, what it is]; put the list
   beside the field. */
export function completed(field, more = () => []) {
  const options = el("datalist", { id: `names-${field.name}` });
  field.setAttribute("list", options.id);
  field.setAttribute("autocomplete", "off");
  let timer;
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => complete(field.value, options, more), PAUSE);
  });
  return options;
}

async function complete(text, options, more) {
  if (/^[\x00-\x7f]?$/.test(text.trim())) return;
  const [{ names }, others] = await Promise.all([get("names", { project: scope().project, q: text, limit: 10 }), more(text)]).catch(() => [{ names: [] }, []]);
  replace(options, names.map((one) => el("option", { value: one.name }, `${one.type}, ${one.mention_count}`)), others.map(([value, what]) => el("option", { value }, what)));
}

/* The things that a name may mean. */
export async function meant(name, signal) {
  const { names } = await get("names", { project: scope().project, q: name, limit: 10 }, signal);
  const plain = (text) => text.normalize("NFKC").toLowerCase();
  const same = names.filter((one) => plain(one.name) === plain(name));
  return same.length ? same : names;
}
