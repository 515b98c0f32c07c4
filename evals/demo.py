"""The demo corpus with its graded questions; `samples/README.md` says how they are graded."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evals.client import Answer, Asking
from evals.figures import Figure, Titled
from ingest.readers import read, walk
from retrieval.evaluation.measurement import ndcg_at, reciprocal_rank

#: The corpus is remembered in this one project.
PROJECT: Final = "demo"
SAMPLES: Final = Path(__file__).parents[1] / "samples"
_DEPTH: Final = 10
_TITLE: Final = "Demo corpus: graded questions"
#: The grade of an item that answers the question by itself.
_FULL: Final = 3


@dataclass(frozen=True, slots=True)
class GradedQuestion:
    """A question with the grades, 1 to 3, of the items that have to do with it, by name."""

    query: str
    grades: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class QuotedQuestion:
    """A question with texts that stand word for word in whatever answers it."""

    query: str
    texts: tuple[str, ...]


def memories(folder: Path = SAMPLES) -> dict[str, dict[str, Any]]:
    """Return each item as the arguments of `remember`, by the name that questions give it: FILE, or FILE#TURN."""
    named = ((path.name, memory) for path in walk([folder / "corpus"]).files for memory in read(path, context=None))
    return {
        name if memory.turn_index is None else f"{name}#{memory.turn_index}": {
            "content": memory.content,
            **{field: value for field, value in memory.given().items() if field != "date_source"},
        }
        for name, memory in named
    }


def graded(folder: Path = SAMPLES) -> list[GradedQuestion]:
    """Return the graded questions that memory holds an answer to."""
    return [GradedQuestion(one["query"], one["relevant"]) for one in _questions(folder)["graded"] if one["relevant"]]


def quoted(folder: Path = SAMPLES) -> list[QuotedQuestion]:
    """Return the questions that say which words must come back: those of the demo, and graded ones with evidence."""
    questions = _questions(folder)
    wanted = [(one["query"], one["must_contain"]) for one in questions["demo"]]
    wanted += [(one["query"], one["related_contains"]) for one in questions["graded"] if "related_contains" in one]
    return [QuotedQuestion(query, tuple(texts)) for query, texts in wanted]


def _questions(folder: Path) -> dict[str, Any]:
    questions: dict[str, Any] = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    return questions


@dataclass(frozen=True, slots=True)
class DemoTask:
    """The graded questions; `ids` are the items by name."""

    questions: Sequence[GradedQuestion]
    ids: Mapping[str, str]

    @property
    def notes(self) -> Mapping[str, str]:
        """Say what is counted."""
        return {
            _TITLE: f"{len(self.questions)} questions over {len(self.ids)} items. MRR of the first item with any "
            "grade, and of the first that answers by itself (grade 3)."
        }

    def askings(self) -> list[Asking]:
        """Ask each question once."""
        return [Asking(project_id=PROJECT, query=question.query, limit=_DEPTH) for question in self.questions]

    def figures(self, answers: Sequence[Answer]) -> Titled:
        """Return both reciprocal ranks, and the gain of the first ten."""
        found = [answer.ids[:_DEPTH] for answer in answers]
        asked = list(zip((self._by_id(question) for question in self.questions), found, strict=True))
        full = [{identity for identity, grade in grades.items() if grade == _FULL} for grades, _ in asked]
        return {
            _TITLE: [
                Figure("MRR", tuple(reciprocal_rank(ids, grades) for grades, ids in asked), 0.95),
                Figure("NDCG@10", tuple(ndcg_at(ids, grades, _DEPTH) for grades, ids in asked), 0.90),
                Figure(
                    "MRR of grade 3",
                    tuple(reciprocal_rank(ids, wanted) for wanted, ids in zip(full, found, strict=True)),
                ),
            ]
        }

    def _by_id(self, question: GradedQuestion) -> dict[str, float]:
        return {self.ids[name]: grade for name, grade in question.grades.items()}
