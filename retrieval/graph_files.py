"""Graph files: the graph of a project, or a part of it, as GraphML, GEXF, JSON or Cypher, written as it is read."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, TextIO
from xml.sax.saxutils import escape, quoteattr

from core.interface.question import MAX_NODES, Edge, Exploration, Neighbourhood, Node
from core.knowledge.ledger import shown_events
from graph.store import Store
from retrieval.answers.exploration import (
    explore,
    make_entity_node,
    make_event_edges,
    make_event_node,
    make_item_node,
    make_link_edge,
    make_possibly_same_edge,
)

Value = str | int | float
Values = dict[str, Value]
ValueType = Literal["string", "int", "double"]

#: The fields of nodes and of edges other than their ids and ends, with their types.
NODE_FIELDS: Final[dict[str, ValueType]] = {
    "kind": "string", "name": "string", "type": "string", "aliases": "string", "role": "string",
    "organization": "string", "mention_count": "int", "status": "string", "event_time": "string", "due": "string",
    "confidence": "double", "date": "string", "author": "string",
}  # fmt: skip
EDGE_FIELDS: Final[dict[str, ValueType]] = {
    "type": "string", "role": "string", "confidence": "double", "reason": "string", "quote": "string",
    "start_char": "int", "end_char": "int",
}  # fmt: skip
#: What XML can't hold, however it is written, and no Cypher needs.
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def node_values(node: Node) -> Values:
    """Return the fields of a node that have a value; other names in one text, apart by `; `."""
    values = {name: getattr(node, name) for name in NODE_FIELDS} | {"aliases": "; ".join(node.aliases or ())}
    return {name: value for name, value in values.items() if value is not None and value != ""}


def edge_values(edge: Edge) -> Values:
    """Return the fields of an edge that have a value, with its first quote and the offset of that in the item."""
    proof = edge.evidence[0] if edge.evidence else None
    values = {name: getattr(edge, name) for name in ("type", "role", "confidence", "reason")} | {
        name: proof and getattr(proof, name) for name in ("quote", "start_char", "end_char")
    }
    return {name: value for name, value in values.items() if value is not None}


def replace_invalid_xml(text: str) -> str:
    """Return the text with a replacement character for each that XML can't hold."""
    return _UNWRITABLE.sub("\ufffd", text)


#: Items, of which each may be long, and other nodes that are in memory at once.
_ITEMS, _PAGE = 20, 500
#: Merge candidates of a page of entities: all that there are.
_ALL: Final = 1_000_000


class ExportedGraph(Protocol):
    """Nodes and edges in a fixed order; all nodes are read before the first edge."""

    def nodes(self) -> Iterator[Node]:
        """Yield all nodes."""
        ...

    def edges(self) -> Iterator[Edge]:
        """Yield the edges between those, each with at most one quote as its evidence."""
        ...


@dataclass(slots=True)
class _Whole:
    """All of a project; of what was read, only ids are kept."""

    store: Store
    project_id: str
    _ids: set[str] = field(default_factory=set)

    def nodes(self) -> Iterator[Node]:
        for node in self._each_node():
            self._ids.add(node.id)
            yield node

    def edges(self) -> Iterator[Edge]:
        for edge in self._each_edge():
            if edge.source in self._ids and edge.target in self._ids:
                yield edge

    def _each_node(self) -> Iterator[Node]:
        for items in self.store.each(self.project_id, batch=_ITEMS):
            yield from map(make_item_node, items)
        for ids in self._pages("entity"):
            yield from map(make_entity_node, self.store.entities(self.project_id, ids).values())
        for ids in self._pages("event"):
            yield from map(make_event_node, shown_events(self.store.events(self.project_id, ids).values()))

    def _each_edge(self) -> Iterator[Edge]:
        for items in self.store.each(self.project_id, batch=_ITEMS):
            mentioned = self.store.mentioned_entities(self.project_id, [item.id for item in items])
            for item in items:
                yield from (Edge(item.id, entity, "MENTIONS") for entity in mentioned.get(item.id, ()))
                yield from (Edge(item.id, origin, "ECHOES") for origin in item.echoes)
        for ids in self._pages("entity"):
            found = self.store.merge_candidates(self.project_id, ids, _ALL)
            yield from (make_possibly_same_edge(candidate) for candidate in found if candidate.one in ids)
        for ids in self._pages("event"):
            for event in self.store.events(self.project_id, ids).values():
                yield from make_event_edges(event)
            for link in self.store.event_links(self.project_id, ids):
                if link.source in ids:
                    yield make_link_edge(link)

    def _pages(self, kind: Literal["entity", "event"]) -> Iterator[list[str]]:
        last = ""
        while ids := self.store.node_ids(self.project_id, kind, _PAGE, last):
            yield ids
            last = ids[-1]


@dataclass(frozen=True, slots=True)
class _Neighbourhood:
    found: Neighbourhood

    def nodes(self) -> Iterator[Node]:
        yield from self.found.nodes

    def edges(self) -> Iterator[Edge]:
        yield from self.found.edges


def export_whole_graph(store: Store, project_id: str) -> ExportedGraph:
    """Return all current items, entities and events of a project, and what connects them."""
    return _Whole(store, project_id)


def export_neighbourhood(store: Store, project_id: str, identity: str, depth: int) -> ExportedGraph:
    """Return what is up to `depth` steps around a thing, of up to 500 nodes.

    Raises:
        InvalidInput: the depth is not 1 to 3.
        NotFound: nothing is stored under the id.
    """
    asked = Exploration(id=identity, depth=depth, budget=MAX_NODES, detail="full")
    return _Neighbourhood(explore(store, project_id, asked))


#: GEXF has its own types.
_GEXF_TYPES: Final = {"string": "string", "int": "integer", "double": "double"}
_KIND_LABELS: Final = {"entity": "Entity", "event": "Event", "item": "Artifact"}
#: The labels of entities by their types; an event's is its category. docs/graph.md lists them.
_TYPE_LABELS: Final = {
    "person": "Person", "org": "Organization", "project": "Project", "object": "Object", "place": "Place",
    "other": "Other",
}  # fmt: skip


@dataclass(slots=True)
class Written:
    """How many nodes and edges were written."""

    nodes: int = 0
    edges: int = 0


@dataclass(frozen=True, slots=True)
class _Format:
    """The text before the nodes, between nodes and edges, and at the end; and how to write a node and an edge.

    Both are given its place, from 0.
    """

    head: str
    node: Callable[[Node, int], str]
    between: str
    edge: Callable[[Edge, int], str]
    tail: str


def write_graph(graph: ExportedGraph, out: TextIO, format_name: str) -> Written:
    """Write a graph in one of `FORMATS`, of which no more than a page is in memory."""
    form = FORMATS[format_name]
    written = Written()
    out.write(form.head)
    for written.nodes, text in enumerate(map(form.node, graph.nodes(), _numbers()), 1):
        out.write(text)
    out.write(form.between)
    for written.edges, text in enumerate(map(form.edge, graph.edges(), _numbers()), 1):
        out.write(text)
    out.write(form.tail)
    return written


def _numbers() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1


def _attribute(value: object) -> str:
    return quoteattr(replace_invalid_xml(str(value)), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _content(value: object) -> str:
    return escape(replace_invalid_xml(str(value)), {"\r": "&#13;"})


def _graphml_head() -> str:
    keys = [
        f'<key id="{what[0]}_{name}" for="{what}" attr.name="{name}" attr.type="{type_}"/>\n'
        for what, fields in (("node", NODE_FIELDS), ("edge", EDGE_FIELDS))
        for name, type_ in fields.items()
    ]
    start = '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    return f'{start}{"".join(keys)}<graph id="memory" edgedefault="directed">\n'


def _graphml_data(values: Values, prefix: str) -> str:
    return "".join(f'<data key="{prefix}_{name}">{_content(value)}</data>' for name, value in values.items())


def _graphml_node(node: Node, number: int) -> str:  # noqa: ARG001 - as `_Format.node`
    return f"<node id={_attribute(node.id)}>{_graphml_data(node_values(node), 'n')}</node>\n"


def _graphml_edge(edge: Edge, number: int) -> str:
    ends = f"source={_attribute(edge.source)} target={_attribute(edge.target)}"
    return f'<edge id="{number}" {ends}>{_graphml_data(edge_values(edge), "e")}</edge>\n'


def _gexf_head() -> str:
    parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n']
    parts.append('<graph defaultedgetype="directed" mode="static">\n')
    for what, fields in (("node", NODE_FIELDS), ("edge", EDGE_FIELDS)):
        parts.append(f'<attributes class="{what}" mode="static">\n')
        parts += [
            f'<attribute id="{what[0]}_{name}" title="{name}" type="{_GEXF_TYPES[type_]}"/>\n'
            for name, type_ in fields.items()
        ]
        parts.append("</attributes>\n")
    return f"{''.join(parts)}<nodes>\n"


def _gexf_values(values: Values, prefix: str) -> str:
    told = (f'<attvalue for="{prefix}_{name}" value={_attribute(value)}/>' for name, value in values.items())
    return f"<attvalues>{''.join(told)}</attvalues>"


def _gexf_node(node: Node, number: int) -> str:  # noqa: ARG001 - as `_Format.node`
    values = _gexf_values(node_values(node), "n")
    return f"<node id={_attribute(node.id)} label={_attribute(node.name)}>{values}</node>\n"


def _gexf_edge(edge: Edge, number: int) -> str:
    ends = f"source={_attribute(edge.source)} target={_attribute(edge.target)} label={_attribute(edge.type)}"
    return f'<edge id="{number}" {ends}>{_gexf_values(edge_values(edge), "e")}</edge>\n'


def _json_node(node: Node, number: int) -> str:
    named: Values = {"id": node.id}
    return f"{',' if number else ''}\n{_json(named | node_values(node))}"


def _json_edge(edge: Edge, number: int) -> str:
    ends: Values = {"source": edge.source, "target": edge.target, "key": number}
    return f"{',' if number else ''}\n{_json(ends | edge_values(edge))}"


def _json(values: Values) -> str:
    return json.dumps(values)


def _cypher_node(node: Node, number: int) -> str:  # noqa: ARG001 - as `_Format.node`
    labels = [_KIND_LABELS[node.kind]]
    labels += [f"`{_TYPE_LABELS.get(node.type, node.type)}`"] if node.kind != "item" else []
    set_labels = "".join(f":{label}" for label in labels)
    return f"MERGE (n:Remembered {{id: {_literal(node.id)}}}) SET n{set_labels}, n += {_map(node_values(node))};\n"


def _cypher_edge(edge: Edge, number: int) -> str:
    values = edge_values(edge)
    del values["type"]
    start, end = (f"(:Remembered {{id: {_literal(id_)}}})" for id_ in (edge.source, edge.target))
    ends = f"MATCH {start.replace('(', '(a', 1)} MATCH {end.replace('(', '(b', 1)}"
    return f"{ends} MERGE (a)-[r:{edge.type} {{number: {number}}}]->(b) SET r += {_map(values)};\n"


def _map(values: Values) -> str:
    return f"{{{', '.join(f'{name}: {_literal(value)}' for name, value in values.items())}}}"


def _literal(value: object) -> str:
    """Return a value as a Cypher literal."""
    if not isinstance(value, str):
        return repr(value)
    text = (
        replace_invalid_xml(value).replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    )
    return f"'{text}'"


#: The formats, by name.
FORMATS: Final[dict[str, _Format]] = {
    "graphml": _Format(_graphml_head(), _graphml_node, "", _graphml_edge, "</graph>\n</graphml>\n"),
    "gexf": _Format(_gexf_head(), _gexf_node, "</nodes>\n<edges>\n", _gexf_edge, "</edges>\n</graph>\n</gexf>\n"),
    "json": _Format(
        '{"directed": true, "multigraph": true, "graph": {}, "nodes": [',
        _json_node,
        '\n], "edges": [',
        _json_edge,
        "\n]}\n",
    ),
    "cypher": _Format(
        "CREATE CONSTRAINT remembered_by_id IF NOT EXISTS FOR (n:Remembered) REQUIRE n.id IS UNIQUE;\n",
        _cypher_node,
        "",
        _cypher_edge,
        "",
    ),
}
