"""Reach: what graph expansion adds to the results, compared with as many more results."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from core.knowledge.findings import CATEGORIES
from evals import demo, meetings
from evals.client import Answer, Asking
from evals.conversations import Held
from evals.demo import QuotedQuestion
from evals.figures import Figure, Row, Table
from evals.meetings import MeetingTask

#: Half of the budget: results, with as many related events or as many more results. Meetings and demo items are few.
_HALF: Final = 10
_SMALL_HALF: Final = 5
#: Ways to spend the budget, the first being what the others are set against.
WAYS: Final[Mapping[str, Callable[[Asking], Asking]]] = {
    "results only": lambda asking: replace(asking, limit=2 * asking.limit),
    "half results, half related": lambda asking: replace(asking, graph_budget=asking.limit),
    "the same, related of every category": lambda asking: replace(
        asking, graph_budget=asking.limit, graph_filters=CATEGORIES
    ),
    "half results, nothing beside": lambda asking: asking,
}
_TITLE: Final = "Graph reach: evidence covered at the same total budget"
_NOTE: Final = (
    "Share of the evidence that lies in results or in the quotes of related events. Half the budget is "
    f"{_HALF} on LoCoMo, {_SMALL_HALF} on QMSum and the demo corpus; related events may be fewer than that."
)


@dataclass(frozen=True, slots=True)
class Probe:
    """A question with half of the budget as its limit, the columns it counts in, and how much an answer covers."""

    asking: Asking
    columns: tuple[str, ...]
    covered: Callable[[Answer], float]


def of_turns(held: Sequence[Held]) -> Iterator[Probe]:
    """Yield the answerable questions about conversations: covered is the share of their evidence turns."""
    for one in held:
        for question in filter(lambda question: question.is_answerable, one.conversation.questions):
            columns = ("LoCoMo", "LoCoMo multi-hop") if question.kind == "multi-hop" else ("LoCoMo",)
            asking = Asking(project_id=one.conversation.name, query=question.query, limit=_HALF)
            yield Probe(asking, columns, partial(_items_covered, frozenset(one.evidence(question))))


def of_meetings(task: MeetingTask) -> Iterator[Probe]:
    """Yield the questions about meetings: covered is 1 if a passage lies in the turns that answer."""
    for identity, question in task.pairs():
        asking = Asking(project_id=meetings.PROJECT, query=question.query, limit=_SMALL_HALF)
        yield Probe(asking, ("QMSum",), partial(_span_covered, identity, question.spans))


def of_quotes(questions: Sequence[QuotedQuestion]) -> Iterator[Probe]:
    """Yield the demo corpus's questions: covered is the share of the texts that stand in the answer."""
    for question in questions:
        asking = Asking(project_id=demo.PROJECT, query=question.query, limit=_SMALL_HALF)
        yield Probe(asking, ("demo corpus",), partial(_texts_covered, question.texts))


def askings(probes: Sequence[Probe], way: str) -> list[Asking]:
    """Return the calls of `recall` of one of the `WAYS`."""
    return [WAYS[way](probe.asking) for probe in probes]


def table(probes: Sequence[Probe], answers: Mapping[str, Sequence[Answer]]) -> Table:
    """Return what the answers of each way, in the order of the probes, cover."""
    columns = list(dict.fromkeys(column for probe in probes for column in probe.columns))
    rows = []
    for way, given in answers.items():
        covered = [(probe.columns, probe.covered(answer)) for probe, answer in zip(probes, given, strict=True)]
        figures = (Figure(column, tuple(value for names, value in covered if column in names)) for column in columns)
        rows.append(Row(way, tuple(figures)))
    return Table(_TITLE, _NOTE, tuple(rows))


def _items_covered(wanted: frozenset[str], answer: Answer) -> float:
    return len(wanted & {passage.artifact_id for passage in answer.passages}) / len(wanted)


def _span_covered(identity: str, spans: Sequence[tuple[int, int]], answer: Answer) -> float:
    return float(any(p.artifact_id == identity and p.overlaps(spans) for p in answer.passages))


def _texts_covered(texts: Sequence[str], answer: Answer) -> float:
    return sum(any(text in passage.text for passage in answer.passages) for text in texts) / len(texts)
