"""The text block of a brief `explore`."""

from core.interface.neighbourhood import Edge, Neighbourhood, Node
from retrieval.messages.blocks import format_facts, quote_text


def render_neighbourhood(answer: Neighbourhood) -> str:
    """Return nodes and edges as Markdown; paths replace their edges."""
    nodes = [_node(number, node) for number, node in enumerate(answer.nodes, 1)]
    edges = ["Edges:", *map(_edge, answer.edges)] if answer.edges and answer.paths is None else []
    paths = [[f"Path {number}:", *map(_edge, path)] for number, path in enumerate(answer.paths or (), 1)]
    last = [f"{answer.total_count} pairs in all."] if answer.total_count is not None else []
    last += ["There is more around it."] if answer.truncated else []
    last += [answer.hint] if answer.hint else []
    return "\n\n".join("\n".join(block) for block in (nodes, edges, *paths, last) if block) or "Nothing is connected."


def _node(number: int, node: Node) -> str:
    day = node.date or node.event_time
    facts = [
        node.type,
        node.role and quote_text(node.role),
        node.organization and quote_text(node.organization),
        node.status,
    ]
    also = f" also {', '.join(map(quote_text, node.aliases))}" if node.aliases else ""
    known = format_facts([*facts, node.due and f"due {node.due}", day and day[:10]])
    reasons = [f"\n   {quote_text(why.name)}: {why.reason} ({why.artifact_id})" for why in node.reasons or ()]
    return f"{number}. {node.id}{known} {quote_text(node.name)}{also}{''.join(reasons)}"


def _edge(edge: Edge) -> str:
    sure = None if edge.confidence is None else str(edge.confidence)
    facts = format_facts([edge.role, sure, edge.reason and quote_text(edge.reason)])
    quotes = [f" {quote_text(proof.quote)}" for proof in edge.evidence or ()]
    return f"- {edge.source} {edge.type} {edge.target}{facts}{''.join(quotes)}"
