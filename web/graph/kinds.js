/* The kinds of things in the graph, told apart by shape as well as by colour. */

import { el, grouped, svg } from "../parts/elements.js";

const POLYGONS = {
  diamond: "8,0 16,8 8,16 0,8",
  triangle: "8,1 16,15 0,15",
  hexagon: "4,1 12,1 16,8 12,15 4,15 0,8",
  octagon: "5,0 11,0 16,5 16,11 11,16 5,16 0,11 0,5",
  pentagon: "8,0 16,6 13,16 3,16 0,6",
  rectangle: "0,2 16,2 16,14 0,14",
  tag: "0,2 11,2 16,8 11,14 0,14",
  star: "8,0 10,6 16,6 11,10 13,16 8,12 3,16 5,10 0,6 6,6",
  rhomboid: "0,3 11,3 16,13 5,13",
};

/* Every kind: what it is called, one and many, its shape in Cytoscape and here; its colour is --kind-<name>. */
export const KINDS = {
  person: ["Person", "People", "ellipse"],
  org: ["Organisation", "Organisations", "hexagon"],
  project: ["Project", "Projects", "star"],
  place: ["Place", "Places", "tag"],
  object: ["Thing", "Things", "octagon"],
  decision: ["Decision", "Decisions", "diamond"],
  commitment: ["Commitment", "Commitments", "pentagon"],
  risk: ["Risk", "Risks", "triangle"],
  event: ["Other event", "Other events", "rhomboid"],
  conversation: ["Conversation", "Conversations", "round-rectangle"],
  item: ["Text", "Texts", "rectangle"],
};

const EVENTS = { Decision: "decision", Commitment: "commitment", QualityRisk: "risk" };

/* The kind of a node of the graph, a key of KINDS. */
export function kindOf(node) {
  if (node.kind === "event") return EVENTS[node.type] ?? "event";
  if (node.kind === "item") return node.type === "conversation" || node.type === "chat" ? "conversation" : "item";
  return node.type in KINDS ? node.type : "object";
}

export function eventKind(category) {
  return EVENTS[category] ?? "event";
}

/* What a category of events is called: QualityRisk is a risk. */
export function categoryName(category) {
  const kind = eventKind(category);
  return kind === "event" ? category : KINDS[kind][0];
}

/* What a node is, in words: Person, Decision, Feedback, note. */
export function kindName(node) {
  const kind = kindOf(node);
  if (kind === "event") return categoryName(node.type);
  return kind === "item" ? `Text (${node.type})` : KINDS[kind][0];
}

/* The sign of a kind, as the canvas draws it. */
export function swatch(kind) {
  const shape = KINDS[kind][2];
  const drawn =
    shape === "ellipse" ? svg("circle", { cx: 8, cy: 8, r: 7.5 })
    : shape === "round-rectangle" ? svg("rect", { x: 0, y: 2, width: 16, height: 12, rx: 5 })
    : svg("polygon", { points: POLYGONS[shape] });
  return svg("svg", { class: `swatch kind-${kind}`, viewBox: "0 0 16 16", "aria-hidden": "true" }, drawn);
}

export function badge(status, overdue = false) {
  if (!status) return null;
  const word = overdue ? "overdue" : status;
  return el("span", { class: `badge badge-${word}` }, word);
}

/* The status where it is not what a list of decisions or promises is mostly of. */
export function unusual({ status, overdue }) {
  return overdue || !["current", "open"].includes(status) ? badge(status, overdue) : null;
}

/* Whose it is, where the summary does not say so itself. */
export function ownersOf({ owners = [], summary }) {
  return owners.filter((name) => !summary.includes(name)).join(", ");
}

/* What one text says more than once on a day in the same words is listed once, with how often. */
export function once(items) {
  return grouped(items, (one) => JSON.stringify([one.summary, one.event_time, one.artifact_id])).map(([, same]) => ({ ...same[0], times: same.length }));
}

const RELATIONS = {
  MENTIONS: ["mentions", "is mentioned in"],
  ACTED_IN: ["takes part in", "involves"],
  ABOUT: ["is about", "is the subject of"],
  EVIDENCED_BY: ["stands in", "says"],
  SUPERSEDES: ["supersedes", "is superseded by"],
  COMPLETES: ["completes", "is completed by"],
  CANCELS: ["cancels", "is cancelled by"],
  POSSIBLY_SAME: ["may be the same as", "may be the same as"],
  TOGETHER: ["is mentioned with", "is mentioned with"],
  ECHOES: ["repeats", "is repeated in"],
};

/* How an edge reads from one of its ends. */
export function relation(edge, from) {
  const words = RELATIONS[edge.type] ?? [edge.type.toLowerCase(), edge.type.toLowerCase()];
  return edge.source === from ? words[0] : words[1];
}

/* same_actor:Lena Fischer, 2_hop_via:Decision: why a related event is shown, in words. */
export function reasonWords(reason) {
  const [what, name = ""] = reason.split(/:(.*)/s);
  if (what === "same_actor") return `the same person: ${name}`;
  if (what === "same_subject") return `the same subject: ${name}`;
  const hops = /^(\d+)_hop_via$/.exec(what);
  return hops ? `${count(hops[1])} away, through a ${name}` : reason;
}

function count(hops) {
  return hops === "1" ? "one step" : `${hops} steps`;
}
