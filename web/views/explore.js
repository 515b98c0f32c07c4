/* Explore: the neighbourhood of one thing on a canvas or as a list, grown and folded by hand, and the details beside it. */

import { get } from "../parts/api.js";
import { changed, go, link, nodeLink, scope } from "../parts/address.js";
import { details } from "../details/panel.js";
import { count, day, el, narrow, replace } from "../parts/elements.js";
import { save } from "../parts/export.js";
import { failure } from "../parts/failure.js";
import { FILTERS, filterForm, filtersOf, legend } from "../graph/filters.js";
import { Graph, MOST_NODES } from "../graph/shown_graph.js";
import { kindName, kindOf, swatch } from "../graph/kinds.js";
import { meant, nameField } from "../parts/names.js";
import { neighbourList } from "../graph/neighbour_list.js";
import { welcome } from "../parts/welcome.js";

const LIMIT = 40;
/* Neighbours that are asked for by kind; without one all of them, texts folded into who is mentioned together. */
const SOME = [["entity", "people and things"], ["event", "decisions and promises"], ["item", "texts"]];
const NAMED = Object.fromEntries(SOME);
const CATEGORIES = ["Decision", "Commitment"];
/* What changes the graph that is asked for; everything else of the address only changes what is shown of it. */
const ASKED = ["id", "project", "as_of", ...FILTERS];

let shown = null;

export function title(at) {
  return (shown?.key === keyOf(at) && shown.graph.nodes.get(at.select ?? at.id)?.name) || "Explore";
}

/* The link to what is around a node, the node selected. */
function around(id) {
  return link("explore", { id, select: id });
}

function keyOf(at) {
  return JSON.stringify(ASKED.map((name) => at[name] ?? null));
}

/* Take a change of the address in without asking for the graph again; false if it is another graph. */
export async function update(at) {
  if (!shown || shown.signal.aborted || shown.key !== keyOf(at)) return false;
  await shown.follow(at);
  return true;
}

export async function show(content, { at, signal, session }) {
  shown?.close();
  shown = null;
  if (!at.id) {
    await begin(content, at, signal);
    return;
  }
  const view = new Neighbourhood(content, at, signal, session);
  const root = await view.grow(at.id);
  if (root !== at.id) { // it has become one with another
    go(changed({ id: root, select: at.select === at.id ? root : at.select }), { instead: true });
    return;
  }
  await view.growAll(opened(at));
  shown = view;
  await view.open(at);
}

/* A phone has too little room for a drawing with names: it begins with the list. */
function shownAs(at) {
  return at.show ?? (narrow() ? "list" : "canvas");
}

function opened(at) {
  return (at.open ?? "").split(",").filter(Boolean);
}

/* Without a node: a name leads to one, or to the few that fit. */
async function begin(content, at, signal) {
  const names = at.name ? await meant(at.name, signal) : [];
  if (names.length === 1) {
    go(around(names[0].id), { instead: true });
    return;
  }
  const shape = at.name ? null : await get("shape", { ...scope(), as_of: undefined, limit: 5000 }, signal).catch(() => null);
  if (shape && !shape.central.length && !(await get("search", { ...scope(), limit: 1 }, signal)).results.length) {
    replace(content, welcome());
    return;
  }
  const search = (event) => { event.preventDefault(); go(link("explore", { name: new FormData(event.target).get("name") })); };
  replace(content, el("section", { class: "narrow" },
    el("h1", {}, "Pick a starting point"),
    el("form", { class: "row", onsubmit: search }, nameField("A person, organisation, project or thing", "name", at.name), el("button", {}, "Show")),
    at.name && el("p", { role: "status" }, names.length ? `Several things fit “${at.name}”: choose one.`
      : `Nothing here is called “${at.name}”. Search for it in the texts: `, !names.length && el("a", { href: link("search", { q: at.name }) }, at.name)),
    el("ul", { class: "chips" }, (names.length ? names : (shape?.central ?? []).slice(0, 30)).map((one) => el("li", {},
      el("a", { class: "chip", href: around(one.id) }, swatch(kindOf({ kind: "entity", type: one.type })), one.name,
        el("span", { class: "quiet" }, kindName({ kind: "entity", type: one.type }))))))));
}

class Neighbourhood {
  constructor(content, at, signal, session) {
    this.content = content;
    this.at = at;
    this.signal = signal;
    this.session = session;
    this.key = keyOf(at);
    this.graph = new Graph(at.id);
    this.refused = 0;
    this.panel = el("aside", { class: "panel", "aria-label": "Details" });
    this.says = el("p", { class: "quiet", role: "status" });
    this.place = el("div", { class: "place" });
    this.hidden = new Set();
    this.on = { picked: (id, how) => this.picked(id, how), entered: (id) => go(changed({ select: id, with: null, place: null })),
      joined: (one, other) => go(changed({ select: one, with: other, place: null })) };
  }

  close() {
    this.canvas?.close();
    this.canvas = null;
  }

  /* Grow `id`, or `id:kind` by neighbours of one kind. */
  async grow(entry) {
    const [id, kind = ""] = entry.split(":");
    const filters = filtersOf(this.at);
    const asked = { ...scope(), ...filters, kind: kind || filters.kind, category: filters.category ?? CATEGORIES, fold: (kind || filters.kind) !== "item", limit: LIMIT };
    const answer = await get(`nodes/${id}/neighbours`, asked, this.signal);
    this.refused += this.graph.grow(id, answer, kind);
    return answer.nodes[0].id;
  }

  /* Grow several, but for those that were forgotten meanwhile: their details say so. */
  async growAll(ids) {
    await Promise.all(ids.map((id) => this.grow(id).catch((error) => { if (error.code !== "not_found") throw error; })));
  }

  /* Fold what the address has not open: also what it had when it was asked for. */
  foldOthers() {
    const open = opened(this.at);
    for (const [id, kinds] of [...this.graph.grown]) {
      for (const kind of [...kinds.keys()]) if ((id !== this.graph.root || kind) && !open.includes(kind ? `${id}:${kind}` : id)) this.graph.fold(id, kind);
    }
  }

  /* A click selects a node and grows it; a click on a selected node that is grown folds it again. */
  picked(id, { force = false } = {}) {
    const open = opened(this.at);
    const others = open.filter((entry) => entry.split(":")[0] !== id);
    const left = !this.graph.isGrown(id) ? [...open, id] : (force || this.at.select === id) && id !== this.graph.root ? others : open;
    go(changed({ select: id, with: null, place: null, open: left.join(",") || null }));
  }

  /* Grow what the address has open and fold what it has not, then show it. */
  async follow(at) {
    this.at = at;
    try {
      this.foldOthers();
      const missing = opened(at).filter((entry) => {
        const [id, kind = ""] = entry.split(":");
        return !this.graph.isGrown(id, kind) && this.graph.nodes.has(id);
      });
      await this.growAll(missing);
      this.foldOthers();
      await this.draw(missing[0]?.split(":")[0]);
      await this.tell();
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.code) replace(this.panel, failure(error));
      else document.dispatchEvent(new Event("away"));
    }
  }

  async open(at) {
    const root = this.graph.nodes.get(this.graph.root);
    const toggle = (view, name) => el("a", { href: changed({ show: view }), "data-show": view }, name);
    this.tools = el("div", { class: "row tools" },
      el("span", { class: "tabs", role: "group", "aria-label": "Show as" }, toggle("canvas", "Canvas"), toggle("list", "List")));
    replace(this.content,
      el("h1", { class: "quiet-title" }, "Around ", el("a", { href: nodeLink(root.id) }, root.name)),
      filterForm(at), this.says,
      el("div", { class: "workspace" }, el("div", { class: "stage" }, this.tools, this.place), this.panel));
    await this.draw();
    await this.tell();
  }

  async draw(source) {
    this.links();
    this.say();
    if (shownAs(this.at) === "list") {
      this.close();
      const focused = document.activeElement?.dataset?.node;
      replace(this.place, neighbourList(this.graph, this.at.select, this.on));
      if (focused) this.place.querySelector(`[data-node="${CSS.escape(focused)}"]`)?.focus();
      return;
    }
    if (!this.canvas) await this.stretch();
    if (!this.canvas) return;
    this.canvas.draw(this.graph, this.at.select, source);
    if (this.hidden.size) this.canvas.hide(this.hidden);
    replace(this.legend, legend(new Set([...this.graph.nodes.values()].map(kindOf)), this.hidden, () => this.canvas.hide(this.hidden)));
  }

  async stretch() {
    const { Canvas } = await import("../graph/canvas.js");
    const area = el("div", { class: "canvas", tabindex: 0, role: "application", "aria-describedby": "canvas-help",
      "aria-label": `Graph of ${count(this.graph.nodes.size, "node")}` });
    const button = (sign, name, act) => el("button", { type: "button", "aria-label": name, title: name, onclick: act }, sign);
    replace(this.place, area,
      el("div", { class: "zoom" }, button("+", "Zoom in", () => this.canvas.zoom(1.25)), button("−", "Zoom out", () => this.canvas.zoom(0.8)),
        button("⤢", "Show all", () => this.canvas.fit()), button("⤓", "Save as a picture", () => save(this.canvas.picture(), `${this.graph.nodes.get(this.graph.root).name}.png`))),
      this.legend = el("div"),
      el("p", { id: "canvas-help", class: "quiet" }, "Click a node to expand it, and again to collapse it. On the keyboard, the arrow keys move between nodes, Enter expands and collapses, and +, − and 0 zoom. The list has the same nodes."));
    this.canvas = new Canvas(area, this.on, this.graph.nodes.size);
  }

  links() {
    for (const anchor of this.tools.querySelectorAll("a")) {
      const name = anchor.dataset.show;
      anchor.href = changed({ show: name });
      if (name === shownAs(this.at)) anchor.setAttribute("aria-current", "true");
      else anchor.removeAttribute("aria-current");
    }
  }

  say() {
    const { total, atLeast, kinds } = this.graph.leftOut();
    const parts = [...kinds].map(([kind, number]) => `${number} ${NAMED[kind]}`).join(", ");
    const full = this.refused ? ` The page holds ${MOST_NODES.toLocaleString("en-GB")} nodes: fold some to see more.` : "";
    this.says.textContent = `${count(this.graph.nodes.size, "node")}, ${count(this.graph.edges.size, "link")}. `
      + (total ? `${atLeast ? "At least " : ""}${total} more not drawn${parts ? `: ${parts}` : ""}.` : "Everything is drawn.") + full;
  }

  async tell() {
    const id = this.at.select ?? this.graph.root;
    try {
      replace(this.panel, this.at.with ? await this.both(id, this.at.with)
        : [el("div", {}, await details(id, this.at.place, this.signal, this.session)), this.growButtons(id)]);
    } catch (error) {
      if (!error.code) throw error;
      replace(this.panel, failure(error));
    }
  }

  /* The texts that two are mentioned in together. */
  async both(one, other) {
    const { nodes, left_out } = await get(`nodes/${one}/neighbours`, { ...scope(), kind: "item", person: other, limit: LIMIT }, this.signal);
    const named = (id) => el("a", { href: nodeLink(id) }, this.graph.nodes.get(id)?.name ?? id);
    return [el("h2", {}, "Mentioned together"), el("p", {}, named(one), " and ", named(other)),
      el("ul", { class: "plain-list" }, nodes.slice(1).map((item) => el("li", {}, el("a", { href: nodeLink(item.id) }, item.name),
        el("span", { class: "quiet" }, ` ${day(item.date)}`)))),
      left_out.total ? el("p", { class: "quiet" }, `and ${left_out.at_least ? "at least " : ""}${left_out.total} more`) : null];
  }

  growButtons(id) {
    if (!this.graph.nodes.has(id)) return null;
    const open = opened(this.at);
    const more = SOME.map(([kind, name]) => [`${id}:${kind}`, name]).map(([entry, name]) => el("button", { type: "button", class: "small",
      "aria-pressed": String(open.includes(entry)),
      onclick: () => go(changed({ open: (open.includes(entry) ? open.filter((one) => one !== entry) : [...open, entry]).join(",") || null })) }, name));
    return [el("p", { class: "row" }, el("span", { class: "quiet" }, "Show its "), more),
      el("p", { class: "row" }, id === this.graph.root ? null : el("a", { href: around(id) }, "Center on this"), el("a", { href: nodeLink(id) }, "Open page"))];
  }
}
