"""QMSum: is the right meeting found among all, and in it the passage that answers?"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evals.client import Answer, Asking
from evals.datasets import Meeting, SpanQuestion
from evals.figures import Figure, Titled

#: All meetings are remembered in this one project.
PROJECT: Final = "meetings"
#: The meeting must be among that many for its passage to count.
_DEPTH: Final = 10
#: As many tokens as no ten results have.
_UNCUT: Final = 100_000
#: Results that are mostly read.
_SHOWN: Final = 3
#: What stands for words left out of a passage.
_LEFT_OUT: Final = re.compile(r" …\s")
_TITLE: Final = "QMSum: the right meeting, and the right passage in it"


@dataclass(frozen=True, slots=True)
class MeetingTask:
    """Every specific question of every meeting, asked of all meetings; `ids` are the items by the meetings' names."""

    meetings: Sequence[Meeting]
    ids: Mapping[str, str]

    @property
    def notes(self) -> Mapping[str, str]:
        """Say what is counted."""
        return {
            _TITLE: f"{len(self.pairs())} questions, {len(self.meetings)} meetings in one memory. Inside: the meeting "
            f"is among the first {_DEPTH} and its best chunk shares characters with the turns that answer. Evidence: "
            f"how many of 1,000 characters shown of the first {_SHOWN} results are of those turns."
        }

    def askings(self) -> list[Asking]:
        """Ask each question once."""
        return [
            Asking(project_id=PROJECT, query=question.query, limit=_DEPTH, detail="brief", max_tokens=_UNCUT)
            for _, question in self.pairs()
        ]

    def figures(self, answers: Sequence[Answer]) -> Titled:
        """Return the shares of questions whose meeting is first, in the first three, and whose passage is right."""
        asked = list(zip(self.pairs(), answers, strict=True))
        first = tuple(float(identity in answer.ids[:1]) for (identity, _), answer in asked)
        third = tuple(float(identity in answer.ids[:3]) for (identity, _), answer in asked)
        passage = tuple(_is_inside(answer, identity, question) for (identity, question), answer in asked)
        texts = {self.ids[meeting.name]: str(meeting.memory["content"]) for meeting in self.meetings}
        evidence = tuple(
            _evidence(answer, identity, texts[identity], question) for (identity, question), answer in asked
        )
        return {
            _TITLE: [
                Figure("right meeting first", first, 0.70),
                Figure("in the first three", third, 0.88),
                Figure("best chunk inside the span", passage, 0.62),
                Figure("evidence per 1,000 characters", evidence),
            ]
        }

    def pairs(self) -> list[tuple[str, SpanQuestion]]:
        """Return each question with the item that answers it."""
        return [(self.ids[meeting.name], question) for meeting in self.meetings for question in meeting.questions]


def _is_inside(answer: Answer, identity: str, question: SpanQuestion) -> float:
    shown = [passage for passage in answer.results[:_DEPTH] if passage.artifact_id == identity]
    return float(any(passage.overlaps(question.spans) for passage in shown))


def _evidence(answer: Answer, identity: str, text: str, question: SpanQuestion) -> float:
    """Return how many of 1,000 characters shown of the first results are of the turns that answer."""
    first = answer.results[:_SHOWN]
    pieces = [piece for passage in first if passage.artifact_id == identity for piece in _LEFT_OUT.split(passage.text)]
    places = [(start, start + len(piece)) for piece in pieces if (start := text.find(piece)) >= 0]
    found = sum(max(0, min(end, last) - max(start, begin)) for start, end in places for begin, last in question.spans)
    return 1_000 * found / max(1, sum(len(passage.text) for passage in first))
