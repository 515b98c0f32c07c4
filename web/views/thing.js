/* A page a thing, its words first: a decision or promise, a person or project, a text. The graph is one link away. */

import { get } from "../parts/api.js";
import { changed, go, link, nodeLink, scope } from "../parts/address.js";
import { count, day, el, facts, grouped, replace } from "../parts/elements.js";
import { timeline } from "../parts/timeline.js";
import { badge, eventKind, kindName, kindOf, ownersOf, swatch, unusual } from "../graph/kinds.js";
import { nameForm, resolveForm } from "../details/resolve_form.js";
import { plain } from "../details/marks.js";
import { drawn, quoteInPlace, whole } from "../details/quote.js";
import { aboutText, offsetOf, sourceText } from "../details/source_text.js";

const LISTED = 12;
/* Decisions and promises that are asked for, and texts that the memory names. */
const [MOST, NEWEST] = [100, 50];
/* Neighbours that are named beside one thing, itself included. */
const BESIDE_ONE = 17;
const SETTLED = { Decision: ["current", "withdrawn"], Commitment: ["done", "cancelled", "open"] };
const BESIDE = { Decision: "Promised in the same text", Commitment: "Decided in the same text" };
const OTHER = { Decision: "Commitment", Commitment: "Decision" };

let shown = { id: null, name: null };

export function title(at) {
  return (shown.id === at.id && shown.name) || "Thing";
}

/* Everything of the address but the chosen time. */
function placeOf({ from, to, ...place }) {
  return JSON.stringify(place);
}

/* Another time of the same thing is chosen among what is already here. */
export async function update(at) {
  if (!shown.draw || shown.signal?.aborted || shown.place !== placeOf(at)) return false;
  shown.draw(at);
  return true;
}

export async function show(content, { at, signal, session }) {
  if (!at.id) {
    go(link("explore"), { instead: true });
    return;
  }
  shown = { id: at.id };
  const [name, page] = at.id.startsWith("art_") ? await textPage(at, signal)
    : at.id.startsWith("evt_") ? await eventPage(at.id, signal, session) : await entityPage(at, signal, session);
  Object.assign(shown, { name, place: placeOf(at), signal });
  replace(content, page);
}

function graphLink(id) {
  return el("p", { class: "quiet" }, el("a", { href: link("explore", { id }) }, "Show in the graph"));
}

async function textPage(at, signal) {
  const item = await get(`items/${at.id}`, { ...scope(), text_offset: offsetOf(at.place) }, signal);
  return [item.title || "Untitled text", el("article", { class: "thing columns" },
    el("div", { class: "reading" }, sourceText(item, at.place, "h1")),
    el("aside", { class: "beside", "aria-label": "About it" }, aboutText(item), graphLink(item.id)))];
}

async function eventPage(id, signal, session) {
  const known = await get(`nodes/${id}`, scope(), signal);
  const { node } = known;
  const first = known.evidence[0];
  const [text, about] = await Promise.all([
    first && get(`items/${first.artifact_id}`, { ...scope(), text_offset: offsetOf(`${first.start_char}`) }, signal), sameSubject(known, signal)]);
  return [plain(node.name), el("article", { class: "thing columns" },
    el("div", {},
      el("p", { class: "quiet" }, swatch(kindOf(node)), `${kindName(node)} `, badge(node.status, known.overdue)),
      el("h1", {}, first && text ? whole(node.name, first, text) : plain(node.name)),
      eventFacts(known),
      el("section", {}, el("h2", {}, known.evidence.length > 1 ? "Quotes" : "Quote"),
        first && text ? quoteInPlace(text, first) : null,
        known.evidence.slice(1).map((one) => el("blockquote", {}, drawn(one.quote), " ", source(one)))),
      line(known),
      session.read_only || !SETTLED[node.type] ? null : resolveForm(node, SETTLED[node.type])),
    el("aside", { "aria-label": "Related" }, beside(node, first, text), about, graphLink(id)))];
}

/* What else was decided and promised about its subject, the newest first. */
async function sameSubject({ node, actors, subjects, supersedes, superseded_by, evidence }, signal) {
  const subject = subjects.find((one) => !actors.some(({ name }) => name === one.name)); // who decided is not the matter
  if (!subject) return null;
  const asked = { ...scope(), topic: subject.name, status: "all", limit: LISTED };
  const found = await Promise.all(["decisions", "commitments"].map((path) => get(path, asked, signal)));
  const seen = new Set([node.id, ...[...supersedes, ...superseded_by].map((one) => one.id)]);
  const items = found.flatMap((one) => one.items).filter((one) => !seen.has(one.id) && one.artifact_id !== evidence[0]?.artifact_id)
    .sort((a, b) => (b.event_time ?? "").localeCompare(a.event_time ?? ""));
  const left = found.reduce((sum, one) => sum + one.total_count - one.items.length, 0);
  const listed = events(`Elsewhere about ${subject.name}`, items, items.length + left);
  if (left) listed?.append(el("p", {}, "All ", el("a", { href: link("decisions", { topic: subject.name }) }, "decisions"), " and ", el("a", { href: link("commitments", { topic: subject.name }) }, "commitments"), " about it"));
  return listed;
}

function source(one) {
  return el("span", { class: "quiet" }, el("a", { href: nodeLink(one.artifact_id, one) }, one.title || "Open the text"), ` ${day(one.date)}`);
}

function eventFacts({ node, actors, subjects }) {
  const people = (some) => some?.map((one, i) => [i ? ", " : "", one.entity_id ? el("a", { href: nodeLink(one.entity_id) }, one.name) : one.name]).flat();
  const owners = actors.filter((one) => one.role === "owner");
  const others = actors.filter((one) => one.role !== "owner");
  return facts([
    [node.type === "Decision" ? "Decided by" : "By", people(owners)],
    ["For", people(others.filter((one) => one.role === "recipient"))],
    ["Also", people(others.filter((one) => one.role !== "recipient"))],
    ["About", people(subjects)],
    [node.type === "Decision" ? "Decided on" : "Said on", day(node.event_time)],
    ["Due", day(node.due)],
  ]);
}

/* What came before and after, in order of time; and what people set by hand. */
function line({ node, supersedes, superseded_by, completes, completed_by, history }) {
  const linked = (entries, said) => entries.map((one) => ({ ...one, said }));
  const steps = [...linked(supersedes, "replaced by this"), ...linked(completes, "settled by this"),
    { id: node.id, summary: node.name, event_time: node.event_time, said: "" },
    ...linked(superseded_by, "replaces this"), ...linked(completed_by, "settles this")];
  if (steps.length < 2 && !history.length) return null;
  return el("section", {}, el("h2", {}, "Timeline"), el("ol", { class: "timeline" },
    steps.map((one) => el("li", { class: one.id === node.id ? "now" : null }, el("span", { class: "quiet" }, `${day(one.event_time)} ${one.said}`),
      el("p", { class: "said" }, one.id === node.id ? plain(one.summary) : el("a", { href: nodeLink(one.id) }, plain(one.summary))))),
    history.map((one) => el("li", {}, el("span", { class: "quiet" }, day(one.at)), el("p", {}, `Set to ${one.status}`, one.note ? `: ${one.note}` : "")))));
}

/* Decisions and promises of one text belong together: those nearest to the words come first. */
function beside(node, first, text) {
  if (!text) return null;
  const wanted = OTHER[node.type] ?? "Decision";
  const near = new Map(text.quotes.filter((one) => one.category === wanted).map((one) => [one.event_id, one]));
  const sorted = [...near.values()].sort((a, b) => Math.abs(a.start_char - first.start_char) - Math.abs(b.start_char - first.start_char));
  return events(BESIDE[node.type] ?? "Decided in the same text", sorted.map((one) => ({ ...one, id: one.event_id })), sorted.length);
}

/* What it decided and promised, or what was decided and promised about it; the address may narrow that to some months. */
async function entityPage(at, signal, session) {
  const { node, ...known } = await get(`nodes/${at.id}`, scope(), signal);
  if (node.id !== at.id) { // it has become one with another
    go(changed({ id: node.id }), { instead: true });
    return [node.name, null];
  }
  const asked = { ...scope(), status: "all", limit: MOST };
  const person = node.type === "person";
  const list = (path, more) => get(path, { ...asked, ...more }, signal);
  const nothing = { items: [], total_count: 0 };
  const [around, promised, decided, aboutPromised, aboutDecided] = await Promise.all([
    get(`nodes/${node.id}/neighbours`, { ...scope(), kind: "entity", fold: true, limit: BESIDE_ONE }, signal),
    list("commitments", { owner: node.id }), list("decisions", { person: node.id }),
    person ? nothing : list("commitments", { topic: node.name }), person ? nothing : list("decisions", { topic: node.name })]);
  const others = (found, own) => ({ ...found, items: found.items.filter((one) => !own.items.some(({ id }) => id === one.id)) });
  const ledger = { promised, decided, aboutPromised: others(aboutPromised, promised), aboutDecided: others(aboutDecided, decided) };
  const dated = [...decided.items, ...ledger.aboutDecided.items].map((one) => ({ kind: "decision", date: one.event_time }))
    .concat([...promised.items, ...ledger.aboutPromised.items].map((one) => ({ kind: "commitment", date: one.event_time })),
      known.items.map((one) => ({ kind: "item", date: one.date })));
  const lists = el("div");
  const beside = el("div");
  const draw = ({ from, to }) => {
    const within = (date) => !from || (date && date.slice(0, 7) >= from && date.slice(0, 7) <= to);
    replace(lists, owned(node, ledger, within));
    replace(beside, texts(known.items, within));
  };
  draw(at);
  shown.draw = draw;
  const time = timeline(dated, [["decision", "Decisions"], ["commitment", "Promises"], ["item", "Texts"]], at,
    (from, to) => go(changed({ from, to }), { instead: true }));
  return [node.name, el("article", { class: "thing columns" },
    el("div", {},
      el("p", { class: "quiet" }, swatch(kindOf(node)), kindName(node)),
      el("h1", {}, node.name),
      el("p", { class: "quiet" }, [node.role, node.organization, node.mention_count && `mentioned ${count(node.mention_count, "time")}`].filter(Boolean).join(" · ")),
      time && el("section", { "aria-label": "Over the years" }, time, cut(ledger, known.items)), lists,
      session.read_only ? null : nameForm(node)),
    el("aside", { "aria-label": "Where it is mentioned" }, together(node, around), beside, aliases(known), graphLink(node.id)))];
}

/* Says what of a long history the bars leave out. */
function cut(ledger, items) {
  const left = Object.values(ledger).some((found) => found.total_count > MOST);
  return left || items.length >= NEWEST ? el("p", { class: "quiet" }, `The bars count the newest ${NEWEST} texts, and at most the newest ${MOST} decisions and ${MOST} promises.`) : null;
}

function owned(node, { promised, decided, aboutPromised, aboutDecided }, within) {
  const some = ({ items, total_count }, passes = () => true) => {
    const passing = items.filter((one) => passes(one));
    const kept = passing.filter((one) => within(one.event_time));
    return [kept, passing.length === items.length && kept.length === items.length ? total_count : kept.length];
  };
  const mine = { owner: node.name, status: "all" };
  const made = [
    events("Open", ...some(promised, (one) => one.status === "open" && !one.stale), "commitments", mine),
    events("Decided", ...some(decided), "decisions", { person: node.name }),
    events("Open for more than a year", ...some(promised, (one) => one.stale), "commitments", mine),
    events("Done or cancelled", ...some(promised, (one) => one.status !== "open"), "commitments", mine),
    events("Decided about it", ...some(aboutDecided), "decisions", { topic: node.name }),
    events("Promised about it", ...some(aboutPromised), "commitments", { topic: node.name }),
  ];
  return made.some(Boolean) ? made : el("p", {}, within("") ? "No decision or promise in this memory names it as its owner." : "Nothing was decided or promised at that time.");
}

/* Who and what is mentioned beside it most often; the number leads to the texts. */
function together({ id }, { nodes, together: pairs }) {
  const number = new Map(pairs.filter((pair) => pair.one === id || pair.other === id).map((pair) => [pair.one === id ? pair.other : pair.one, pair.items]));
  const named = nodes.slice(1).filter((one) => number.has(one.id)).sort((a, b) => number.get(b.id) - number.get(a.id));
  if (!named.length) return null;
  return el("section", {}, el("h2", {}, "Mentioned together with"), el("p", { class: "quiet" }, "in so many texts"), el("ul", { class: "chips" }, named.map((one) => el("li", {},
    el("span", { class: "chip" }, swatch(kindOf(one)), el("a", { href: nodeLink(one.id) }, one.name),
      el("a", { class: "quiet", "aria-label": `${number.get(one.id)}: texts that mention ${one.name} too`, href: link("explore", { id, select: id, with: one.id }) }, number.get(one.id)))))));
}

/* The newest first; those behind the first few are folded away, and what was not asked for is one link away. */
function events(name, entries, total, view, at) {
  if (!entries.length) return null;
  const sorted = view ? [...entries].sort((a, b) => (b.event_time ?? "").localeCompare(a.event_time ?? "")) : entries;
  const row = (one) => el("li", {}, swatch(eventKind(one.category)),
    el("span", {}, el("a", { href: nodeLink(one.id) }, plain(one.summary)), " ", unusual(one),
      el("span", { class: "quiet" }, [!view && ownersOf(one), one.due ? `due ${day(one.due)}` : day(one.event_time)].filter(Boolean).map((said) => ` · ${said}`).join(""))));
  const rest = sorted.slice(LISTED);
  return el("section", {}, el("h2", {}, `${name} (${total.toLocaleString("en-GB")})`),
    el("ul", { class: "events" }, sorted.slice(0, LISTED).map(row)),
    rest.length ? el("details", {}, el("summary", {}, `${rest.length} more`), el("ul", { class: "events" }, rest.map(row))) : null,
    view && total > entries.length ? el("p", {}, el("a", { href: link(view, at) }, `All ${total.toLocaleString("en-GB")}`)) : null);
}

/* Texts by year, the newest first. */
function texts(items, within) {
  const kept = items.filter((one) => within(one.date));
  if (!kept.length) return null;
  const list = (some) => el("ul", { class: "plain-list" }, some.map((one) => el("li", {}, el("a", { href: nodeLink(one.id) }, one.title), el("span", { class: "quiet" }, ` · ${day(one.date)}`))));
  const years = grouped(kept, (one) => one.date.slice(0, 4));
  return el("section", {}, el("h2", {}, `Texts (${items.length >= NEWEST && kept.length === items.length ? `the newest ${NEWEST}` : kept.length})`),
    kept.length <= LISTED ? list(kept) : years.map(([year, some], i) => el("details", { open: i === 0 }, el("summary", {}, `${year} (${some.length})`), list(some))));
}

function aliases({ aliases: names, reasons }) {
  if (!names.length) return null;
  return el("details", {}, el("summary", {}, `Also called (${names.length})`), el("p", {}, names.join(", ")),
    reasons.length ? el("ul", {}, reasons.map((one) => el("li", {}, `“${one.name}”: ${one.reason} `, el("a", { href: nodeLink(one.artifact_id) }, "text")))) : null);
}
