"""`explore`: what is connected with something; `path`: how two things are; `review`: what may be the same;
`graph export`: the graph as a file for Gephi, yEd, NetworkX or a Neo4j of your own."""

import argparse
import getpass
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from core.dates import to_zone_text
from core.errors import InvalidInput, NotFound
from core.interface.learning import MergeAction, MergeRequest, MergeResult, Review, ReviewQuestion
from core.interface.memory import check_project_id
from core.interface.operations import OPERATION, Operation
from core.interface.question import MAX_DEPTH, Edge, Exploration, Neighbourhood, Node, as_id_or_name
from core.interface.results import Detail
from core.knowledge.identities import MergeDecision
from graph.atomic_file import write_atomically
from graph.store import Store
from retrieval.graph_files import FORMATS, export_neighbourhood, export_whole_graph, write_graph
from service.commands.tools import add_parameters, open_existing
from service.display.terminal import make_console, print_json, strip_controls
from service.settings import load_settings

_Answer = Neighbourhood | MergeResult | Review | Sequence[MergeDecision]

_ACTS: Final[dict[MergeAction, tuple[tuple[str, str], str]]] = {
    "accept": (("A", "B"), "they are the same: merge B into A"),
    "reject": (("A", "B"), "they are different: do not suggest them again"),
    "split": (("ENTITY", "NAME"), "NAME, or what item art_… says, is another entity than ENTITY"),
    "undo": (("A", "B"), "undo the last decision about the two"),
}


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the options of `explore`, `path` or `review`."""
    if command == "explore":
        parser.add_argument("what", help="an art_…, evt_… or ent_… id, or a name, alias, address or handle")
        add_parameters(parser, OPERATION["explore"], without=("id", "name", "to", "review"))
    elif command == "path":
        for metavar in ("A", "B"):
            parser.add_argument(metavar, help="an art_…, evt_… or ent_… id, or a name, alias, address or handle")
        left_out = ("id", "name", "to", "review", "depth", "budget")
        add_parameters(parser, OPERATION["explore"], without=left_out)
    else:
        actions = parser.add_mutually_exclusive_group()
        for kind, (names, purpose) in _ACTS.items():
            actions.add_argument(f"--{kind}", nargs=2, metavar=names, help=purpose)
        actions.add_argument("--history", action="store_true", help="list past decisions, including undone ones")
        actions.add_argument("--pairs", action="store_true", help="list only entities that may be the same, in full")
        add_parameters(parser, OPERATION["review"])
        parser.add_argument("--note", help="reason for the decision")
        parser.add_argument("--by", default=getpass.getuser(), help="name of who decides (default: %(default)s)")
        parser.add_argument("--budget", type=int, default=50, help="maximum number of nodes (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print exactly the structured result")


def run(command: str, options: argparse.Namespace) -> int:
    """Explore, list open pairs, or record a decision; entities are given by id or name."""
    with open_existing(load_settings()) as app:
        if command in {"explore", "path"}:
            answer: _Answer = app.explore(_exploration(options), options.project_id)
        elif options.history:
            answer = app.merge_decisions(options.project_id)
        elif (request := _merge_request(options)) is not None:
            answer = app.apply_merge_request(request, options.project_id)
        elif options.pairs:
            asked = Exploration(review=True, budget=options.budget, detail="full")
            answer = app.explore(asked, options.project_id)
        else:
            question = ReviewQuestion(**_given(OPERATION["review"], options))
            answer = app.review(question, options.project_id)
    if options.json:
        shape: Detail = "brief" if isinstance(answer, Review) else "full"
        print_json(answer, shape if command == "review" else options.detail or "brief")
    else:
        _show(answer, make_console(), is_review=command == "review")
    return 0


def _exploration(options: argparse.Namespace) -> Exploration:
    given = _given(OPERATION["explore"], options)
    if not options.json:
        given["detail"] = "full"
    if hasattr(options, "what"):
        return Exploration(**given | as_id_or_name(options.what))
    return Exploration(**given | as_id_or_name(options.A), to=options.B)


def _given(operation: Operation, options: argparse.Namespace) -> dict[str, Any]:
    """Return what was given of the request of an operation."""
    names = {parameter.name for parameter in operation.parameters} - {"project_id"}
    return {name: value for name, value in vars(options).items() if name in names and value is not None}


def _merge_request(options: argparse.Namespace) -> MergeRequest | None:
    for kind in _ACTS:
        if (pair := getattr(options, kind)) is not None:
            return MergeRequest(kind=kind, one=pair[0], other=pair[1], by=options.by, note=options.note)
    return None


def _show(answer: _Answer, out: Console, *, is_review: bool) -> None:
    if isinstance(answer, MergeResult):
        _show_merge_result(answer, out)
    elif isinstance(answer, Review):
        _show_review(answer, out)
    elif isinstance(answer, Neighbourhood):
        (_pairs if is_review else _neighbourhood if answer.paths is None else _paths)(answer, out)
    else:
        for decision in answer:
            out.print(Text(_decision_line(decision)))


def _neighbourhood(answer: Neighbourhood, out: Console) -> None:
    """Print each node with the reasons for its names and its outgoing edges."""
    names = {node.id: node.name for node in answer.nodes}
    for node in answer.nodes:
        out.print(
            Text.assemble(
                (f"{node.type} ", "cyan"),
                (strip_controls(node.name), "bold"),
                (f"  {node.id}{_facts(node)}", "dim"),
            )
        )
        for why in node.reasons or ():
            out.print(
                Padding(
                    Text(f"{strip_controls(why.name)}: {why.reason} ({why.artifact_id})", style="dim"),
                    (0, 0, 0, 4),
                )
            )
        for edge in answer.edges:
            if edge.source == node.id:
                out.print(
                    Padding(
                        Text(f"{_how(edge)} → {strip_controls(names[edge.target])}", style="dim"),
                        (0, 0, 0, 4),
                    )
                )
    _show_hints(answer, out)


def _paths(answer: Neighbourhood, out: Console) -> None:
    """Print each path from the first node to the second, a step a line, with its sentence below."""
    nodes = {node.id: node for node in answer.nodes}
    for number, path in enumerate(answer.paths or (), 1):
        at = answer.nodes[0].id
        out.print(Text.assemble(f"{number}. ", (strip_controls(answer.nodes[0].name), "bold"), (f"  {at}", "dim")))
        for edge in path:
            way, at = (f"{_how(edge)} →", edge.target) if edge.source == at else (f"← {_how(edge)}", edge.source)
            node = nodes[at]
            step = Text.assemble(
                (f"{way} {node.type} ", "cyan"), (strip_controls(node.name), "bold"), (f"  {at}", "dim")
            )
            out.print(Padding(step, (0, 0, 0, 3)))
            for proof in (edge.evidence or ())[:1]:
                words = Text(f"“{strip_controls(' '.join(proof.quote.split()))}”", style="italic")
                out.print(Padding(words.append(f"  {proof.artifact_id}", style="dim"), (0, 0, 0, 6)))
    _show_hints(answer, out)


def _how(edge: Edge) -> str:
    return edge.type if edge.role is None else f"{edge.type} as {edge.role}"


def _show_review(answer: Review, out: Console) -> None:
    """Print each item to review, with its quote below."""
    for number, item in enumerate(answer.items, 1):
        ids = " ".join(filter(None, [item.id, item.other]))
        said = (strip_controls(item.summary), "bold")
        out.print(Text.assemble(f"{number}. ", (f"{item.kind} ", "cyan"), said, (f"  {ids}", "dim")))
        if item.quote:
            out.print(Padding(Text(f"“{strip_controls(' '.join(item.quote.split()))}”", style="italic"), (0, 0, 0, 3)))
    if answer.hint:
        out.print(Text(answer.hint, style="dim"))


def _pairs(answer: Neighbourhood, out: Console) -> None:
    nodes = {node.id: node for node in answer.nodes}
    for number, edge in enumerate(answer.edges, 1):
        one, other = nodes[edge.source], nodes[edge.target]
        names = (strip_controls(one.name), "bold"), " and ", (strip_controls(other.name), "bold")
        out.print(Text.assemble(f"{number}. ", *names, (f"  {edge.confidence:.2f}  {one.id} {other.id}", "dim")))
        out.print(Padding(Text(edge.reason or ""), (0, 0, 0, 3)))
        for proof in edge.evidence or ():
            quote = Text(f"“… {strip_controls(' '.join(proof.quote.split()))} …”", style="italic")
            out.print(Padding(quote.append(f"  {proof.artifact_id}", style="dim"), (0, 0, 0, 6)))
    if answer.total_count and answer.total_count > len(answer.edges):
        out.print(Text(f"{answer.total_count} pairs in total.", style="dim"))
    _show_hints(answer, out)


def _show_hints(answer: Neighbourhood, out: Console) -> None:
    if answer.truncated:
        out.print(Text("Not all is shown: raise --budget.", style="dim"))
    if answer.hint:
        out.print(Text(answer.hint, style="dim"))


def _show_merge_result(answer: MergeResult, out: Console) -> None:
    changed = answer.verdict if answer.changed else None
    out.print(Text(_decision_line(changed) if changed else "Nothing changed: this was decided before."))
    for entity in answer.entities:
        also = f", also {', '.join(entity.aliases)}" if entity.aliases else ""
        out.print(
            Padding(
                Text(strip_controls(f"{entity.name} ({entity.id}, {entity.mention_count} mentions{also})")),
                (0, 0, 0, 3),
            )
        )


def _decision_line(decision: MergeDecision) -> str:
    what = {
        "same": f"{decision.other} was merged into {decision.one}",
        "different": f"{decision.one} and {decision.other} were kept apart",
        "split": f"{decision.other} was split from {decision.one}",
    }[decision.kind]
    by = f" by {decision.by}" if decision.by else ""
    note = f": {decision.note}" if decision.note else ""
    undone = ""
    if decision.undone_at is not None:
        undone = (
            f" (undone {to_zone_text(decision.undone_at)}{f' by {decision.undone_by}' if decision.undone_by else ''})"
        )
    return strip_controls(f"{to_zone_text(decision.at)} {what}{by}{note}{undone}")


def _facts(node: Node) -> str:
    facts = [node.organization, node.status, node.due and f"due {node.due[:10]}", node.date and node.date[:10]]
    return "".join(f" · {fact}" for fact in facts if fact)


#: The file name that means standard output.
_STANDARD: Final = "-"


def configure_graph(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - the interface of commands
    """Add the options of `graph`."""
    parser.add_argument("action", choices=["export"], help="what to do with the graph")
    parser.add_argument("file", type=Path, metavar="FILE", help="file to write; - is standard output")
    parser.add_argument("--format", choices=list(FORMATS), help="format (default: the ending of FILE)")
    parser.add_argument("--id", help="only what is around this art_…, evt_… or ent_… id, up to 500 nodes")
    parser.add_argument(
        "--depth", type=int, default=1, help=f"with --id, steps from it, 1 to {MAX_DEPTH} (default: %(default)s)"
    )
    parser.add_argument("--project-id", default="default", help="project to use (default: %(default)s)")


def run_graph(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - the interface of commands
    """Write the file; if the command is killed, no partial file has the given name."""
    form = _format(options.file, options.format)
    project_id = check_project_id(options.project_id)
    with open_existing(load_settings()) as app, app.store.snapshot() as store, _destination(options.file) as out:
        _check_project(store, project_id)
        graph = export_whole_graph(store, project_id)
        if options.id is not None:
            graph = export_neighbourhood(store, project_id, options.id, options.depth)
        written = write_graph(graph, out, form)
    sys.stderr.write(f"Exported {written.nodes:,} nodes and {written.edges:,} edges as {form}.\n")
    return 0


def _format(file: Path, asked: str | None) -> str:
    form = asked or file.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise InvalidInput(f"The format of {str(file)!r} is not known: pass --format {', '.join(FORMATS)}.")
    return form


def _check_project(store: Store, project_id: str) -> None:
    if project_id not in store.projects():
        raise NotFound(
            f"Project {project_id!r} is empty: store something with remember or ingest, or check --project-id."
        )


@contextmanager
def _destination(file: Path) -> Iterator[TextIO]:
    """Yield what is written as UTF-8; its content appears at the destination only when it is complete."""
    if str(file) == _STANDARD:
        out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n", write_through=True)
        yield out
        out.detach()
        return
    with write_atomically(file) as part, part.open("w", encoding="utf-8", newline="\n") as target:
        yield target
