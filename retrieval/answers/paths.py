"""Paths: the best few ways between two things, each step with the sentence that it rests on."""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Final

from core.errors import InvalidInput
from core.interface.question import ID_PREFIXES, Edge, EdgeType, Exploration, Neighbourhood
from core.knowledge.findings import Evidence
from graph.store import Store
from graph.text.sentences import sentences
from retrieval.answers.exploration import CAP, Walk, current_entity_id, explain_merge, find_entities_by_name, find_name
from retrieval.scoring.rolls import find_rolls
from retrieval.shapes.exploration_shape import shape_neighbourhood

if TYPE_CHECKING:
    import networkx as nx

#: Most paths of an answer.
MOST_PATHS: Final = 3
#: Steps that are taken from either end, nodes that are looked at in all, and those that a step leads on from.
_ROUNDS, _SEARCHED, _FRONTIER = 3, 1_000, 40
#: Rounds after which one path is enough.
_PATIENCE: Final = 2
#: The cost of a step besides how connected its ends are: to be named in one text is a weaker link than to act together.
_COSTS: Final[dict[EdgeType, float]] = {"MENTIONS": 1.5, "ECHOES": 1.5}
#: What a step costs besides if an item only lists the name, as of one who was there; how often such paths are replaced.
_LISTED, _REPLACED = 2.0, 5
#: Steps that are guesses: no path takes one.
_GUESS: Final[EdgeType] = "POSSIBLY_SAME"


def find_paths(store: Store, project_id: str, asked: Exploration) -> Neighbourhood:
    """Return the best few paths between what `asked` names and its `to`, over nodes that are not connected with all.

    None leads over two that may be the same; where only such a path was found, the hint names the pair.

    Both ends are walked from until they meet, so that the cost is bounded whatever the size of the graph.

    Raises:
        NotFound: nothing has one of these ids or names.
        InvalidInput: both are the same thing.
    """
    one, said = _end(store, project_id, asked.id or asked.name or "", by_id=asked.id is not None)
    to = asked.to or ""
    other, said_too = _end(store, project_id, to, by_id=to.startswith(ID_PREFIXES))
    if one == other:
        raise InvalidInput(f"Both ends are {one}: name two different things, by id if their names are alike.")
    walk = Walk(store, project_id, _SEARCHED)
    proofs = _Proofs(walk)
    found = _search(walk, one, other, proofs)
    edges = {(edge.source, edge.target, edge.type): replace(edge, evidence=None) for edge in chain.from_iterable(found)}
    lost = f"No way of up to {2 * _ROUNDS} steps leads from {one} to {other}: {_guessed(walk, one, other)}."
    return shape_neighbourhood(
        Neighbourhood(
            [walk.nodes[id_] for id_ in dict.fromkeys((one, other, *_passed(found)))],
            list(edges.values()),
            paths=[[proofs.of(edge) for edge in path] for path in found],
            hint=" ".join(filter(None, (said, said_too, None if found else lost))) or None,
        ),
        asked,
    )


def _end(store: Store, project_id: str, name: str, *, by_id: bool) -> tuple[str, str | None]:
    """Return the id of an end, and what is to be said about it."""
    if by_id:
        onward = current_entity_id(store, project_id, name) if name.startswith("ent_") else name
        return onward, None if onward == name else explain_merge(name, onward)
    first, *others = find_entities_by_name(store, project_id, name)
    also = ", ".join(f"{entity.name} ({entity.id})" for entity in others[:MOST_PATHS])
    said = f"{len(others) + 1} are called {name!r}: the most mentioned is meant. To mean another, give its id: {also}."
    return first.id, said if others else None


def _search(walk: Walk, one: str, other: str, proofs: "_Proofs") -> list[list[Edge]]:
    """Walk from both ends until they meet in more than lists of names; return the best paths."""
    fronts = [walk.enter([one], first=True), walk.enter([other], first=True)]
    _meet(walk, one, other)
    found = _told(walk, one, other, proofs)
    for number in range(1, _ROUNDS + 1):
        telling = sum(not any(_ends(edge) in proofs.listed for edge in path) for path in found)
        if telling >= (1 if number > _PATIENCE else MOST_PATHS):
            break
        fronts = [walk.step(front[:_FRONTIER]) for front in fronts]
        walk.connect()
        found = _told(walk, one, other, proofs)
    return found


def _told(walk: Walk, one: str, other: str, proofs: "_Proofs") -> list[list[Edge]]:
    """Return the best paths, those over lists of names only where there is no other."""
    found = _best(walk, one, other, listed=proofs.listed)
    for _ in range(_REPLACED):
        listed = {_ends(edge) for edge in chain.from_iterable(found) if proofs.is_listed(edge)}
        if listed <= proofs.listed:
            break
        proofs.listed |= listed
        found = _best(walk, one, other, listed=proofs.listed)
    return found


def _meet(walk: Walk, one: str, other: str) -> None:
    """Enter items that name both in one passage, with their events: a step from a hub might lead past them."""
    if one.startswith("ent_") and other.startswith("ent_"):
        hits = walk.store.mentions(walk.project_id, [one, other], walk.filters, CAP)
        walk.name_together(list(dict.fromkeys(hit.artifact_id for hit in hits if hit.score > 1)), (one, other))
        walk.connect()


def _guessed(walk: Walk, one: str, other: str) -> str:
    """Return what to do where no path was found: to settle a pair that one would lead over, else to explore."""
    for path in _best(walk, one, other, most=1, guesses=True):
        for guess in (edge for edge in path if edge.type == _GUESS):
            pair = f"{walk.nodes[guess.source].name} and {walk.nodes[guess.target].name}"
            return f"one would if {pair} are the same, which review asks"
    return "explore either of them"


def _best(
    walk: Walk,
    one: str,
    other: str,
    most: int = MOST_PATHS,
    *,
    guesses: bool = False,
    listed: Collection[tuple[str, str]] = (),
) -> list[list[Edge]]:
    """Return the cheapest paths. `listed` are the ends of steps to names that an item only lists."""
    import networkx as nx

    graph = _graph(walk, (one, other), guesses=guesses, listed=listed)
    try:
        paths = list(islice(nx.shortest_simple_paths(graph, one, other, weight="cost"), most))
    except (nx.NetworkXNoPath, nx.NodeNotFound):
        return []
    return [[graph.edges[step]["edge"] for step in pairwise(path)] for path in paths]


def _graph(walk: Walk, ends: Sequence[str], *, guesses: bool, listed: Collection[tuple[str, str]]) -> "nx.Graph[str]":
    """Return what was walked over; a step to a thing with a thousand connections says little, and costs more."""
    import networkx as nx

    graph = nx.Graph()
    for edge in walk.edges.values():
        if edge.source in walk.nodes and edge.target in walk.nodes and (guesses or edge.type != _GUESS):
            cost = _COSTS.get(edge.type, 1.0) + _LISTED * (_ends(edge) in listed)
            if graph.get_edge_data(edge.source, edge.target, {"base": math.inf})["base"] > cost:
                graph.add_edge(edge.source, edge.target, edge=edge, base=cost)
    fame = {
        id_: 0.0 if id_ in ends else math.log10(1 + max(graph.degree[id_], walk.nodes[id_].mention_count or 0))
        for id_ in graph
    }
    for source, target, data in graph.edges(data=True):
        data["cost"] = data["base"] + (fame[source] + fame[target]) / 2
    return graph


def _passed(paths: Sequence[Sequence[Edge]]) -> Iterator[str]:
    for edge in chain.from_iterable(paths):
        yield from (edge.source, edge.target)


def _ends(edge: Edge) -> tuple[str, str]:
    return edge.source, edge.target


@dataclass(slots=True)
class _Proofs:
    """The sentences that steps rest on. `listed` are the ends of steps to names that their items only list."""

    walk: Walk
    listed: set[tuple[str, str]] = field(default_factory=set)
    _texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    _named: dict[tuple[str, str], list[Evidence] | None] = field(default_factory=dict)

    def of(self, edge: Edge) -> Edge:
        """Return an edge with its sentence: of its event, or the one that names the entity."""
        if edge.evidence:
            return edge
        event = next((self.walk.events[id_] for id_ in _ends(edge) if id_ in self.walk.events), None)
        if event is not None:
            return replace(edge, evidence=list(event.evidence[:1]))
        return replace(edge, evidence=self._naming(edge)) if edge.type == "MENTIONS" else edge

    def is_listed(self, edge: Edge) -> bool:
        """Whether the item names the entity only where it lists who was there or what follows."""
        if edge.type != "MENTIONS" or edge.evidence or not (said := self._naming(edge)):
            return False
        _, outside = self._text(edge.source)
        return not any(outside[one.start_char : one.end_char].strip() for one in said)

    def _text(self, item_id: str) -> tuple[str, str]:
        """Return the text of an item, and the same with blanks instead of its lists of people or contents."""
        if item_id not in self._texts:
            item = self.walk.store.get(self.walk.project_id, [item_id]).get(item_id)
            text = "" if item is None else item.memory.content
            parts, at = [], 0
            for roll in find_rolls(text):
                parts += [text[at : roll.start_char], " " * (roll.end_char - roll.start_char)]
                at = roll.end_char
            self._texts[item_id] = text, "".join([*parts, text[at:]])
        return self._texts[item_id]

    def _naming(self, edge: Edge) -> list[Evidence] | None:
        """Return what `_find_naming` does, which is asked for again with each search for the best paths."""
        if (ends := _ends(edge)) not in self._named:
            self._named[ends] = self._find_naming(edge)
        return self._named[ends]

    def _find_naming(self, edge: Edge) -> list[Evidence] | None:
        """Return the first sentence with the name, of a list only if there is no other; None if only the title or the
        author has it."""
        text, outside = self._text(edge.source)
        entity = self.walk.nodes[edge.target]
        names = entity.name, *(entity.aliases or ())
        place = find_name(outside, names) or find_name(text, names)
        if place is None:
            return None
        at, after = place
        end = text.find("\n", after)
        spans = sentences(text, text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end)
        span = next((span for span in spans if span.start_char <= at < span.end_char), None)
        if span is None:
            return None
        return [Evidence(edge.source, text[span.start_char : span.end_char], span.start_char, span.end_char)]
