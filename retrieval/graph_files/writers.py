"""Writers: a graph as GraphML, GEXF, JSON or Cypher, written as it is read."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TextIO
from xml.sax.saxutils import escape, quoteattr

from core.interface.neighbourhood import Edge, Node
from retrieval.graph_files.exported_graph import ExportedGraph
from retrieval.graph_files.fields import EDGE_FIELDS, NODE_FIELDS, Values, edge_values, node_values, replace_invalid_xml

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
