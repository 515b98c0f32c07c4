/* What of the graph is on the page: nodes that were grown from the first one, and fold back into those they came from. */

/* More is not drawn: the reader folds or filters first. */
export const MOST_NODES = 2000;

export class Graph {
  constructor(root) {
    this.root = root;
    this.nodes = new Map();
    this.edges = new Map();
    /* What each grown node brought: the ids of its neighbours, and what was left out. */
    this.grown = new Map();
    this.hubs = new Map();
  }

  /* Take the answer of /neighbours in; returns how many nodes found no room. */
  grow(id, answer) {
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
    for (const hub of answer.hubs ?? []) this.hubs.set(hub.id, hub.folded);
    this.grown.set(id, { brought, leftOut: answer.left_out });
    return refused;
  }

  /* Take away what only this node brought. */
  fold(id) {
    this.grown.delete(id);
    const kept = new Set([this.root]);
    for (const reached of kept) for (const next of this.grown.get(reached)?.brought ?? []) kept.add(next);
    for (const node of [...this.nodes.keys()]) {
      if (kept.has(node)) continue;
      this.nodes.delete(node);
      this.grown.delete(node);
    }
    for (const [key, edge] of [...this.edges]) {
      if (!kept.has(edge.source) || !kept.has(edge.target)) this.edges.delete(key);
    }
  }

  isGrown(id) {
    return this.grown.has(id);
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
    for (const { leftOut } of this.grown.values()) {
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
