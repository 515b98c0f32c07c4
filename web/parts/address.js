/* Where the reader is: every view is a link, `#/view?parameter=value`. Project and moment go along everywhere. */

const ALONG = ["project", "as_of"];

export function here() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { view: path, at: Object.fromEntries(new URLSearchParams(query)) };
}

function text(view, parameters) {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return `#/${view}${pairs.length ? `?${new URLSearchParams(pairs)}` : ""}`;
}

/* The link to a view with these parameters, and those that go along. */
export function link(view, parameters = {}) {
  const { at } = here();
  const along = Object.fromEntries(ALONG.map((name) => [name, at[name]]));
  return text(view, { ...along, ...parameters });
}

/* The link to this view with some parameters changed; null takes one away. */
export function changed(changes) {
  const { view, at } = here();
  return text(view, { ...at, ...changes });
}

export function go(hash, { instead = false } = {}) {
  if (instead) location.replace(hash);
  else location.hash = hash;
}

/* What every read takes: the project and the moment. */
export function scope() {
  const { at } = here();
  return { project: at.project, as_of: at.as_of };
}

/* The link to the page of a thing, or to a place in a text. */
export function nodeLink(id, place = undefined) {
  return link("thing", { id, place: place ? `${place.start_char}-${place.end_char}` : undefined });
}
