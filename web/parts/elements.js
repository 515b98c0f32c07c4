/* Elements of the page. Whatever was stored comes in as text and only as text: nothing here reads HTML. */

const SVG = "http://www.w3.org/2000/svg";

/* el("a", {href, class, onclick}, "text", other, [more]): null and false are left out, of attributes as of children. */
export function el(tag, attributes = {}, ...children) {
  const element = filled(document.createElement(tag), attributes, children);
  return OF_TEXT.has(tag) ? inItsLanguage(element) : element;
}

/* Elements that hold what was stored, which are drawn in the direction of their text and named by its language. */
const OF_TEXT = new Set(["p", "blockquote", "q", "h1", "h2", "h3", "li", "dd", "td", "pre", "a", "cite"]);

/* The likeliest language of a script other than Latin. */
const LANGUAGES = [
  ["ja", /^\P{L}*[\p{Script=Han}]*[\p{Script=Hiragana}\p{Script=Katakana}]/u], ["zh", /^\P{L}*\p{Script=Han}/u],
  ["ko", /^\P{L}*\p{Script=Hangul}/u], ["ar", /^\P{L}*\p{Script=Arabic}/u], ["he", /^\P{L}*\p{Script=Hebrew}/u],
  ["th", /^\P{L}*\p{Script=Thai}/u], ["hi", /^\P{L}*\p{Script=Devanagari}/u], ["ru", /^\P{L}*\p{Script=Cyrillic}/u],
  ["el", /^\P{L}*\p{Script=Greek}/u],
];

function inItsLanguage(element) {
  if (!element.hasAttribute("dir")) element.dir = "auto";
  const begins = element.textContent.slice(0, 200);
  const found = LANGUAGES.find(([, script]) => script.test(begins));
  if (found && !element.lang) element.lang = found[0];
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function replace(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/* A label above its field. */
export function labelled(text, field, attributes = {}) {
  return el("label", { class: "field", ...attributes }, el("span", {}, text), field);
}

/* Whether the page is as narrow as a phone; styles have the same bound. */
export function narrow() {
  return matchMedia("(max-width: 45rem)").matches;
}

/* A form of filters: in sight where there is room, and else folded away unless one is set. */
export function folded(form, used) {
  return el("details", { class: "filters wide", open: used || !narrow() }, el("summary", {}, "Filters"), form);
}

export function choice(name, options, chosen, attributes = {}) {
  return el("select", { name, ...attributes },
    options.map(([value, text]) => el("option", { value, selected: value === (chosen ?? "") }, text)));
}

/* The day of an ISO moment where it was written, as people write it: 5 February 2026. */
export function day(moment) {
  if (!moment) return "";
  const date = new Date(moment.length === 7 ? `${moment}-01` : moment.slice(0, 10));
  if (Number.isNaN(date.getTime())) return moment;
  const long = { year: "numeric", month: "long", timeZone: "UTC" };
  return date.toLocaleDateString("en-GB", moment.length === 7 ? long : { ...long, day: "numeric" });
}

export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en-GB")} ${number === 1 ? one : many}`;
}

/* A list of [name, value], without those that have no value; nothing if none has. */
export function facts(rows) {
  const filled = rows.filter(([, value]) => value?.length);
  return filled.length ? el("dl", { class: "facts" }, filled.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])) : null;
}

/* [key, items] for each value of `key`, in the order of the first of each. */
export function grouped(items, key) {
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    if (groups.has(name)) groups.get(name).push(item);
    else groups.set(name, [item]);
  }
  return [...groups];
}

/* The fields of a form that are not empty, by name. */
export function given(form) {
  return Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
}
