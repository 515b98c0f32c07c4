"""Exploration shape: a neighbourhood in the shape and within the tokens asked for, and what was left out."""

from dataclasses import replace
from itertools import chain
from typing import Final

from core.interface.question import Edge, Exploration, Neighbourhood, Node, token_limit
from retrieval.messages.message import Cut, Limit, explain_too_long, fit_to_limit

#: Other names, and reasons for a name, of a node in brief; quotes of an edge, of which a merge candidate needs two.
_ALIASES, _REASONS, _PROOFS = 5, 2, 2


def shape_neighbourhood(answer: Neighbourhood, asked: Exploration) -> Neighbourhood:
    """Return what was found as it was asked for: the nearest nodes first, with the edges between those that stay."""
    limit = Limit(token_limit(asked.detail, asked.max_tokens), asked.detail)
    way = 'pass detail="full"' if asked.detail == "brief" else "raise max_tokens"

    def add_hint(cut: Neighbourhood) -> Neighbourhood:
        parts = [
            f"{number} {name}"
            for name, number in (
                ("nodes", len(answer.nodes) - len(cut.nodes)),
                ("edges", len(answer.edges) - len(cut.edges)),
                ("paths", len(answer.paths or ()) - len(cut.paths or ())),
                ("quotes", _quotes(answer) - _quotes(cut)),
                ("names and reasons", _names(answer) - _names(cut)),
            )
            if number
        ]
        said = [answer.hint, f"Left out {', '.join(parts)}: {way}." if parts else None]
        return replace(cut, hint=" ".join(filter(None, said)) or None)

    shown = answer
    if asked.detail == "brief":
        shown = replace(answer, nodes=[_brief(n) for n in answer.nodes], edges=[_brief_edge(e) for e in answer.edges])
    cut = fit_to_limit(add_hint(shown), limit, _CUTS if answer.paths is None else _PATH_CUTS, add_hint)
    if limit.fits(cut) or not answer.nodes:
        return cut
    return Neighbourhood(truncated=True, hint=explain_too_long(answer.nodes[0].id))


def _brief(node: Node) -> Node:
    return replace(
        node,
        aliases=(node.aliases or [])[:_ALIASES] or None,
        reasons=(node.reasons or [])[:_REASONS] or None,
        mention_count=None,
        confidence=None,
        author=None,
    )


def _brief_edge(edge: Edge) -> Edge:
    return replace(edge, evidence=(edge.evidence or [])[:_PROOFS] or None)


def _quotes(answer: Neighbourhood) -> int:
    return sum(len(edge.evidence or ()) for edge in chain(answer.edges, *answer.paths or ()))


def _names(answer: Neighbourhood) -> int:
    return sum(len(node.aliases or ()) + len(node.reasons or ()) for node in answer.nodes)


def _quoted_edges(answer: Neighbourhood) -> int:
    return len(answer.edges) if _quotes(answer) else 0


def _with_quotes(answer: Neighbourhood, count: int) -> Neighbourhood:
    edges = [edge if at < count else replace(edge, evidence=None) for at, edge in enumerate(answer.edges)]
    return replace(answer, edges=edges)


def _with_nodes(answer: Neighbourhood, count: int) -> Neighbourhood:
    nodes = answer.nodes[:count]
    there = {node.id for node in nodes}
    edges = [edge for edge in answer.edges if edge.source in there and edge.target in there]
    return replace(answer, nodes=nodes, edges=edges, truncated=answer.truncated or count < len(answer.nodes))


def _with_paths(answer: Neighbourhood, count: int) -> Neighbourhood:
    """Return the first paths, with the nodes and edges on them; the ends stay."""
    paths = (answer.paths or [])[:count]
    steps = {(edge.source, edge.target, edge.type) for edge in chain.from_iterable(paths)}
    there = {node.id for node in answer.nodes[:2]}.union(*((source, target) for source, target, _ in steps))
    nodes = [node for node in answer.nodes if node.id in there]
    edges = [edge for edge in answer.edges if (edge.source, edge.target, edge.type) in steps]
    return replace(answer, nodes=nodes, edges=edges, paths=paths, truncated=count < len(answer.paths or ()))


def _with_proven_steps(answer: Neighbourhood, count: int) -> Neighbourhood:
    """Return the paths with the sentences of their first steps only."""
    paths = [
        [edge if at < count else replace(edge, evidence=None) for at, edge in enumerate(path)]
        for path in answer.paths or ()
    ]
    return replace(answer, paths=paths)


def _with_names(answer: Neighbourhood, count: int) -> Neighbourhood:
    nodes = [node if at < count else replace(node, aliases=None, reasons=None) for at, node in enumerate(answer.nodes)]
    return replace(answer, nodes=nodes)


#: What is left out, first to last.
_CUTS: Final[tuple[Cut[Neighbourhood], ...]] = (
    Cut(_quoted_edges, _with_quotes, 5),
    Cut(lambda a: len(a.nodes), _with_nodes, 5),
    Cut(_quoted_edges, _with_quotes),
    Cut(lambda a: len(a.nodes) if _names(a) else 0, _with_names),
    Cut(lambda a: len(a.nodes), _with_nodes, 1),
    Cut(
        lambda a: len(a.nodes[0].name) if a.nodes else 0,
        lambda a, n: replace(a, nodes=[replace(a.nodes[0], name=a.nodes[0].name[:n])], edges=[]),
    ),
)
#: The same of paths.
_PATH_CUTS: Final[tuple[Cut[Neighbourhood], ...]] = (
    Cut(lambda a: len(a.nodes) if _names(a) else 0, _with_names),
    Cut(lambda a: len(a.paths or ()), _with_paths, 1),
    Cut(lambda a: max(map(len, a.paths or ()), default=0), _with_proven_steps),
    Cut(lambda a: len(a.paths or ()), _with_paths),
)
