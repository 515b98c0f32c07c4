/* What of the graph is on the page: nodes that were grown from the first one, and fold back into those they came from. */

/* More is not drawn: the reader folds or filters first. */
export const MOST_NODES = 2000;
/* Of the pairs that are mentioned together beside a node, as many are drawn as have the most texts. */
const PAIRS = 40;

export class Graph {
  constructor(root) {
    this.root = root;
    this.nodes = new Map();
    this.edges = new Map();
    /* What each grown node brought, by the kind of neighbours ("" is all of them): their ids, and what was left out. */
    this.grown = new Map();
    this.hubs = new Map();
  }

  /* Take the answer of /neighbours in; returns how many nodes found no room. */
  grow(id, answer, kind = "") {
    const brought = new Set();
    let refused = 0;
    for (const node of answer.nodes) {
      if (!this.nodes.has(node.id) && this.nodes.size >= MOST_NODES) {
        refused += 1;
        continue;
      }
      this.nodes.set(node.id, { ...this.nodes.get(node.id), ...node });
      if (node.id !== id) brought.add(node.id);
    }
    for (const edge of answer.edges) {
      if (this.nodes.has(edge.source) && this.nodes.has(edge.target)) this.edges.set(edgeKey(edge), edge);
    }
    const [own, others] = [[], []];
    for (const pair of answer.together ?? []) (pair.one === id || pair.other === id ? own : others).push(pair);
    for (const { one, other, items } of [...own, ...others.slice(0, PAIRS)]) {
      const edge = { id: `${one}-TOGETHER-${other}`, source: one, target: other, type: "TOGETHER", items };
      if (this.nodes.has(one) && this.nodes.has(other)) this.edges.set(edge.id, edge);
    }
    for (const hub of answer.hubs ?? []) this.hubs.set(hub.id, hub.folded);
    if (!this.grown.has(id)) this.grown.set(id, new Map());
    this.grown.get(id).set(kind, { brought, leftOut: answer.left_out });
    return refused;
  }

  /* Take away what only this node brought, of one kind or all of it. */
  fold(id, kind = undefined) {
    if (kind === undefined) this.grown.delete(id);
    else this.grown.get(id)?.delete(kind);
    if (!this.grown.get(id)?.size) this.grown.delete(id);
    const kept = new Set([this.root]);
    for (const reached of kept) {
      for (const { brought } of this.grown.get(reached)?.values() ?? []) for (const next of brought) kept.add(next);
    }
    for (const node of [...this.nodes.keys()]) {
      if (kept.has(node)) continue;
      this.nodes.delete(node);
      this.grown.delete(node);
    }
    for (const [key, edge] of [...this.edges]) {
      if (!kept.has(edge.source) || !kept.has(edge.target)) this.edges.delete(key);
    }
  }

  isGrown(id, kind = undefined) {
    return kind === undefined ? this.grown.has(id) : this.grown.get(id)?.has(kind) ?? false;
  }

  /* How many neighbours a hub that is not grown hides. */
  folded(id) {
    return this.isGrown(id) ? 0 : (this.hubs.get(id) ?? 0);
  }

  /* The edges of a node, each with the id at its other end. */
  links(id) {
    return [...this.edges.values()]
      .filter((edge) => edge.source === id || edge.target === id)
      .map((edge) => ({ edge, other: edge.source === id ? edge.target : edge.source }));
  }

  /* What the limit kept from the page, for every grown node together. */
  leftOut() {
    const total = { total: 0, atLeast: false, kinds: new Map() };
    for (const { leftOut } of [...this.grown.values()].flatMap((kinds) => [...kinds.values()])) {
      total.total += leftOut?.total ?? 0;
      total.atLeast ||= leftOut?.at_least ?? false;
      for (const [kind, number] of Object.entries(leftOut?.by_kind ?? {})) {
        total.kinds.set(kind, (total.kinds.get(kind) ?? 0) + number);
      }
    }
    return total;
  }
}

export function edgeKey(edge) {
  return edge.id ?? `${edge.source} ${edge.type} ${edge.target}`;
}
