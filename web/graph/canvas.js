/* The canvas: the graph drawn by Cytoscape, shapes and colours by kind. It tells what was clicked, and decides nothing. */

import cytoscape from "../vendor/cytoscape.esm.min.mjs";
import { edgeKey } from "./shown_graph.js";
import { plain } from "../details/marks.js";
import { kindOf, KINDS } from "./kinds.js";
import { places } from "./places.js";

/* Up to this many nodes those that are added are moved apart by forces; more are set in rings, which takes no time. */
const FORCES = 300;
/* Up to this many nodes have their own places at first. */
const PLACED = 60;
const LABEL = 44;
/* How large a name is at least on the screen, and in the drawing, in pixels. */
const [SMALLEST, FONT] = [11.5, 14];
const SQUARE = 200;
const ARROWS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] };

export class Canvas {
  /* `on` has the functions picked(id), entered(id) and joined(one, other). A canvas that begins with many nodes is moved as a picture. */
  constructor(container, on, nodes) {
    this.on = on;
    this.container = container;
    this.cy = cytoscape({
      container, style: styles(), minZoom: 0.1, maxZoom: 3, boxSelectionEnabled: false, autounselectify: true,
      textureOnViewport: nodes > FORCES, pixelRatio: Math.min(2, devicePixelRatio),
    });
    this.cy.on("tap", "node", (event) => on.picked(event.target.id()));
    this.cy.on("tap", "edge[type = 'TOGETHER']", (event) => on.joined(event.target.data("source"), event.target.data("target")));
    this.cy.on("mouseover", "node", ({ target }) => {
      target.addClass("pointed");
      container.title = target.data("says");
    });
    this.cy.on("mouseout", "node", ({ target }) => {
      target.removeClass("pointed");
      container.title = "";
    });
    this.cy.on("zoom", () => {
      clearTimeout(this.zoomed);
      this.zoomed = setTimeout(() => this.label(), 150);
    });
    this.cy.on("free", "node", () => this.label());
    this.recolour = () => this.cy.style(styles());
    document.addEventListener("theme", this.recolour);
    container.addEventListener("keydown", (event) => this.key(event));
    this.watcher = new ResizeObserver(() => this.cy.resize());
    this.watcher.observe(container);
  }

  close() {
    document.removeEventListener("theme", this.recolour);
    this.watcher.disconnect();
    clearTimeout(this.zoomed);
    this.cy.destroy();
  }

  /* Draw what the graph holds now; nodes that stay keep their places, new ones begin around `source`. */
  draw(graph, selected, source = graph.root) {
    const cy = this.cy;
    const keys = new Set([...graph.nodes.keys(), ...graph.edges.keys()]);
    const stay = cy.nodes().filter((node) => graph.nodes.has(node.id()));
    let grows = false;
    cy.batch(() => {
      cy.elements().filter((element) => !keys.has(element.id())).remove();
      const added = [...graph.nodes.values()].filter((node) => cy.getElementById(node.id).empty());
      grows = added.length > 0;
      const centre = cy.getElementById(source).nonempty() ? cy.getElementById(source).position() : { x: 0, y: 0 };
      cy.add(added.map((node, i) => ({ group: "nodes", data: { id: node.id }, position: ring(centre, i, added.length) })));
      cy.add([...graph.edges.values()].filter((edge) => cy.getElementById(edgeKey(edge)).empty()).map((edge) => (
        { group: "edges", data: { id: edgeKey(edge), source: edge.source, target: edge.target, type: edge.type, width: edge.items ? 1 + 1.5 * Math.log2(edge.items) : 1.2 } })));
      for (const node of graph.nodes.values()) this.dress(node, graph);
    });
    if (grows) this.arrange(stay, graph);
    this.select(selected);
    this.label();
  }

  /* Set names large enough to be read at this zoom. */
  size() {
    const font = Math.max(FONT, SMALLEST / this.cy.zoom());
    if (Math.abs(font - (this.font ?? FONT)) > 0.1) this.cy.nodes().style({ "font-size": font, "text-max-width": (150 * font) / FONT });
    this.font = font;
  }

  /* Show the names that have room on a side of their node, those of the nearest first, and always that of the selected; the others show when they are pointed at. */
  label() {
    this.size();
    const drawn = this.cy.nodes(":visible").removeClass("unlabelled above right left");
    const rank = (node) => (node.id() === this.selected ? 0 : 1);
    const whole = this.cy.extent();
    const view = inside(drawn.boundingBox({ includeLabels: false }), whole) ? whole : { x1: -Infinity, x2: Infinity, y1: -Infinity, y2: Infinity };
    const taken = new Boxes();
    for (const node of drawn.toArray()) taken.add(node.id(), node.boundingBox({ includeLabels: false }));
    const without = drawn.toArray().sort((a, b) => rank(a) - rank(b)).filter((node) => {
      for (const side of drawn.length > FORCES ? [""] : ["", "above", "right", "left"]) {
        node.removeClass("above right left").addClass(side);
        const box = node.boundingBox({ includeNodes: false });
        if (taken.meet(node.id(), box) || !inside(box, view)) continue;
        taken.add(node.id(), box);
        return false;
      }
      node.removeClass("left");
      return node.id() !== this.selected;
    });
    this.cy.batch(() => without.forEach((node) => node.addClass("unlabelled")));
  }

  /* Draw only the kinds of nodes that are not hidden. */
  hide(kinds) {
    this.cy.batch(() => {
      for (const kind of Object.keys(KINDS)) this.cy.nodes(`.${kind}`).style("display", kinds.has(kind) ? "none" : "element");
    });
    this.label();
  }

  /* The drawing as a picture. */
  picture() {
    return this.cy.png({ output: "blob", full: true, scale: 2, bg: getComputedStyle(this.container).backgroundColor });
  }

  dress(node, graph) {
    const folded = graph.folded(node.id);
    const element = this.cy.getElementById(node.id);
    const [name, more] = [plain(node.name), folded ? `${folded} more` : ""];
    element.data({ label: shortened(name) + (more && `\n${more}`), says: name + (more && `: ${more} neighbours, shown by a click`), size: 18 + 5 * Math.log2(1 + (node.degree ?? 1)) });
    const status = node.status === "superseded" || node.status === "withdrawn" || node.status === "cancelled" ? " past" : "";
    element.classes(`${kindOf(node)}${graph.isGrown(node.id) ? " grown" : ""}${folded ? " hub" : ""}${status}`);
  }

  /* Move nodes apart; those that were there keep their places, as long as forces do it. */
  arrange(stay, graph) {
    const first = stay.empty();
    const few = this.cy.nodes().length <= FORCES;
    const own = first && this.cy.nodes().length <= PLACED ? places([...graph.nodes.values()]) : null;
    const options = own ? { name: "preset", positions: (node) => own.get(node.id()), padding: 30, fit: true } : few
      ? { name: "cose", randomize: false, animate: false, numIter: first ? 400 : 150, nodeRepulsion: () => 250_000,
        idealEdgeLength: () => 110, nodeOverlap: 40, gravity: 0.4, padding: 30, fit: first }
      : { name: "concentric", animate: false, concentric: (node) => node.degree(), levelWidth: () => 3, minNodeSpacing: 6, fit: true };
    if (few) stay.lock();
    this.cy.layout(options).run();
    stay.unlock();
    if (first) {
      this.size(); // larger names need more room
      this.cy.fit(30);
      if (this.cy.zoom() > 1.4) this.cy.zoom(1.4).center();
    } else if (!inside(this.cy.nodes().boundingBox(), this.cy.extent())) this.cy.fit(30);
  }

  select(id) {
    this.cy.batch(() => {
      this.cy.elements(".chosen, .near").removeClass("chosen near");
      const node = this.cy.getElementById(id ?? "");
      node.addClass("chosen");
      node.connectedEdges().addClass("near");
    });
    this.selected = id;
  }

  fit() {
    this.cy.animate({ fit: { padding: 30 }, duration: 150 });
  }

  zoom(factor) {
    const box = this.container.getBoundingClientRect();
    this.cy.zoom({ level: this.cy.zoom() * factor, renderedPosition: { x: box.width / 2, y: box.height / 2 } });
  }

  /* Arrows go to the next node in their direction, Enter grows or folds, + and - zoom, 0 shows all. */
  key(event) {
    const arrow = ARROWS[event.key.replace("Arrow", "").toLowerCase()];
    if (arrow) this.step(arrow);
    else if (event.key === "Enter" && this.selected) this.on.picked(this.selected);
    else if (event.key === "+" || event.key === "=") this.zoom(1.25);
    else if (event.key === "-") this.zoom(0.8);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }

  step([x, y]) {
    const from = this.cy.getElementById(this.selected ?? "");
    if (from.empty()) return;
    const start = from.position();
    let best = null;
    let least = Infinity;
    for (const node of this.cy.nodes()) {
      const dx = node.position("x") - start.x;
      const dy = node.position("y") - start.y;
      const along = dx * x + dy * y;
      const cost = along + 2 * Math.abs(dx * y + dy * x);
      if (node.id() !== this.selected && along > 0 && cost < least) [best, least] = [node, cost];
    }
    if (best) this.on.entered(best.id());
  }
}

/* Two lines of a name; the details have all of it. */
function shortened(name) {
  return name.length > LABEL ? `${name.slice(0, LABEL - 1).trimEnd()}…` : name;
}

/* Boxes on the canvas, found by the squares that they lie in. */
class Boxes {
  squares = new Map();

  *near({ x1, x2, y1, y2 }) {
    for (let x = Math.floor(x1 / SQUARE); x <= x2 / SQUARE; x += 1) for (let y = Math.floor(y1 / SQUARE); y <= y2 / SQUARE; y += 1) yield `${x} ${y}`;
  }

  add(id, box) {
    for (const square of this.near(box)) this.squares.set(square, [...(this.squares.get(square) ?? []), { id, ...box }]);
  }

  /* Whether the box covers a part of one that belongs to another. */
  meet(id, a) {
    const covers = (b) => b.id !== id && a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2;
    return [...this.near(a)].some((square) => this.squares.get(square)?.some(covers));
  }
}

function inside(box, view) {
  return box.x1 >= view.x1 && box.x2 <= view.x2 && box.y1 >= view.y1 && box.y2 <= view.y2;
}

function ring(centre, i, number) {
  const turn = (2 * Math.PI * i) / Math.max(1, number);
  const radius = number < 2 ? 0 : 60 + 4 * number;
  return { x: centre.x + radius * Math.cos(turn), y: centre.y + radius * Math.sin(turn) };
}

/* Cytoscape knows no custom properties: a colour is read off an element that has it, anew with every change. */
function styles() {
  const probe = document.createElement("i");
  document.body.append(probe);
  const colours = new Map();
  for (const name of ["ink", "ground", "accent", "line", ...Object.keys(KINDS).map((kind) => `kind-${kind}`)]) {
    probe.style.color = `var(--${name})`;
    colours.set(name, getComputedStyle(probe).color);
  }
  probe.remove();
  const colour = (name) => colours.get(name);
  return [
    { selector: "node", style: {
      "width": "data(size)", "height": "data(size)", "label": "data(label)", "color": colour("ink"), "font-size": 14,
      "font-family": "system-ui, sans-serif", "text-valign": "bottom", "text-margin-y": 4, "text-wrap": "wrap",
      "text-max-width": 150, "text-outline-color": colour("ground"), "text-outline-width": 2,
      "border-width": 0 } },
    ...Object.entries(KINDS).map(([kind, [, , shape]]) => (
      { selector: `node.${kind}`, style: { "shape": shape, "background-color": colour(`kind-${kind}`) } })),
    { selector: "node.hub", style: { "border-width": 3, "border-style": "double", "border-color": colour("ink") } },
    { selector: "node.grown", style: { "border-width": 2, "border-color": colour("ink") } },
    { selector: "node.past", style: { "background-opacity": 0.45 } },
    { selector: "node.above", style: { "text-valign": "top", "text-margin-y": -4 } },
    { selector: "node.right", style: { "text-valign": "center", "text-halign": "right", "text-margin-y": 0, "text-margin-x": 4 } },
    { selector: "node.left", style: { "text-valign": "center", "text-halign": "left", "text-margin-y": 0, "text-margin-x": -4 } },
    { selector: "node.unlabelled", style: { "text-opacity": 0 } },
    { selector: "node.pointed", style: { "text-opacity": 1, "z-index": 20, "text-outline-width": 4 } },
    { selector: "node.chosen", style: {
      "border-width": 4, "border-style": "solid", "border-color": colour("accent"), "font-weight": "bold", "z-index": 10 } },
    { selector: "edge", style: { "width": "data(width)", "line-color": colour("line"), "curve-style": "haystack" } },
    { selector: "edge[type = 'TOGETHER']", style: { "opacity": 0.3 } },
    { selector: "edge[type = 'SUPERSEDES'], edge[type = 'COMPLETES'], edge[type = 'CANCELS']", style: {
      "curve-style": "straight", "target-arrow-shape": "triangle", "target-arrow-color": colour("ink"), "line-color": colour("ink") } },
    { selector: "edge[type = 'POSSIBLY_SAME'], edge[type = 'ECHOES']", style: { "curve-style": "straight", "line-style": "dashed" } },
    { selector: "edge.near", style: { "line-color": colour("accent"), "opacity": 1 } },
  ];
}
