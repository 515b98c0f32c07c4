"""Structure: communities, centrality and components of a graph of numbers, computed in a separate process."""

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Final

import networkx as nx
import numpy as np

Edges = Sequence[tuple[int, int]]

#: The same graph has the same communities.
_SEED: Final = 7
#: The share of a node's centrality that comes from its neighbours, and the number of iterations.
_DAMPING, _ROUNDS = 0.85, 50
#: By how much this process gives way to others on a busy machine.
_NICENESS: Final = 5


@dataclass(frozen=True, slots=True)
class Structure:
    """Groups of node numbers, largest first, and the centrality of each node, 1 for the most central."""

    communities: list[list[int]]
    components: list[list[int]]
    centrality: list[float]


def analyse_structure(num_nodes: int, edges: Edges) -> Structure:
    """Return the structure of a graph without directions; groups have two nodes or more."""
    graph = nx.Graph()
    graph.add_nodes_from(range(num_nodes))
    graph.add_edges_from(edges)
    communities = nx.community.louvain_communities(graph, seed=_SEED)
    return Structure(_groups(communities), _groups(nx.connected_components(graph)), _centrality(num_nodes, edges))


def _groups(found: "Sequence[set[int]]") -> list[list[int]]:
    groups = [sorted(group) for group in found if len(group) > 1]
    return sorted(groups, key=lambda group: (-len(group), group[0]))


def _centrality(num_nodes: int, edges: Edges) -> list[float]:
    """Return how much leads to each node (PageRank), as a part of what leads to the most central one."""
    if not edges:
        return [1.0] * num_nodes
    ends = np.array(edges, dtype=np.int64)
    sources, targets = np.concatenate([ends, ends[:, ::-1]]).T
    degrees = np.maximum(np.bincount(sources, minlength=num_nodes), 1)
    ranks = np.full(num_nodes, 1 / num_nodes)
    for _ in range(_ROUNDS):
        passed = np.bincount(targets, weights=(ranks / degrees)[sources], minlength=num_nodes)
        ranks = (1 - _DAMPING) / num_nodes + _DAMPING * passed
    return [round(float(rank), 6) for rank in ranks / ranks.max()]


def serve() -> None:
    """Read a graph from standard input, as JSON, and write its structure to standard output."""
    with suppress(AttributeError, OSError):  # Windows has no niceness
        os.nice(_NICENESS)
    num_nodes, edges = json.load(sys.stdin)
    json.dump(asdict(analyse_structure(num_nodes, edges)), sys.stdout)
