"""Finding: is the right document found, and do the answer's words stand in what is shown of the first three?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evals.client import Answer, Asking
from evals.figures import Figure, Titled
from evals.minutes.documents import MinutesQuestion
from evals.minutes.intake import PROJECT, TakenIn

DEPTH: Final = 10
_SHOWN: Final = 3
#: As many tokens as no ten results have.
_UNCUT: Final = 100_000
_TITLE: Final = "Minutes: the right document, and the answer's words"


@dataclass(frozen=True, slots=True)
class FindingTask:
    """Every question asked of the whole folder."""

    questions: Sequence[MinutesQuestion]
    stored: TakenIn

    @property
    def notes(self) -> Mapping[str, str]:
        """Say what is counted."""
        kept = len(self.stored.refused)
        return {
            _TITLE: f"{len(self.questions)} questions, {len(self.stored.ids)} documents in one memory, {kept} of which "
            "`ingest` refused: they went in whole with the file's name as title. The answer's words: the quote that "
            f"answers stands, white space aside, in a passage of the first {_SHOWN} results."
        }

    def askings(self) -> list[Asking]:
        """Ask each question once."""
        return [
            Asking(project_id=PROJECT, query=question.query, limit=DEPTH, detail="brief", max_tokens=_UNCUT)
            for question in self.questions
        ]

    def figures(self, answers: Sequence[Answer]) -> Titled:
        """Return the shares of questions whose document is first, in three, in ten, and whose answer is shown."""
        asked = list(zip(self.questions, answers, strict=True))
        within = {
            depth: tuple(float(self.stored.ids[one.document] in answer.ids[:depth]) for one, answer in asked)
            for depth in (1, 3, DEPTH)
        }
        return {
            _TITLE: [
                Figure("first", within[1], 0.62),
                Figure("in three", within[3], 0.78),
                Figure("in ten", within[DEPTH], 0.95),
                Figure("answer's words", tuple(_is_shown(one, answer) for one, answer in asked), 0.66),
                Figure("evidence per 1,000 characters", tuple(_evidence(one, answer) for one, answer in asked)),
            ]
        }


def _is_shown(question: MinutesQuestion, answer: Answer) -> float:
    wanted = _squeezed(question.answer)
    return float(any(wanted in _squeezed(passage.text) for passage in answer.results[:_SHOWN]))


def _evidence(question: MinutesQuestion, answer: Answer) -> float:
    """Return how many of 1,000 characters shown of the first results are the answer's words."""
    shown = sum(len(passage.text) for passage in answer.results[:_SHOWN])
    return 1_000 * _is_shown(question, answer) * len(question.answer) / max(1, shown)


def _squeezed(text: str) -> str:
    return " ".join(text.split())
