"""LoCoMo: is the evidence of a question among the first results?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evals.client import Answer, Asking
from evals.datasets import KINDS, Conversation, TurnQuestion
from evals.figures import Figure, Titled
from retrieval.evaluation.measurement import recall_at

DEPTHS: Final = (5, 10, 25, 50)
#: What must be reached: overall by depth, and at ten results by kind of question.
_OVERALL: Final = {10: 0.82, 50: 0.93}
_BY_KIND: Final = {("multi-hop", 10): 0.54, ("adversarial", 10): 0.88}
_TITLE: Final = "LoCoMo: evidence recall"


def _title(depth: int) -> str:
    return f"LoCoMo: evidence recall@{depth} by kind of question"


@dataclass(frozen=True, slots=True)
class Held:
    """A conversation that was remembered as a project of its name; `ids` are its items by the turns' `source_id`."""

    conversation: Conversation
    ids: Mapping[str, str]

    def evidence(self, question: TurnQuestion) -> list[str]:
        """Return the items that answer the question."""
        return [self.ids[turn] for turn in question.evidence]


@dataclass(frozen=True, slots=True)
class ConversationTask:
    """Every question of every conversation, asked of that conversation."""

    held: Sequence[Held]

    @property
    def notes(self) -> Mapping[str, str]:
        """Say what is counted."""
        asked = [question for _, question in self._pairs()]
        answerable = sum(question.is_answerable for question in asked)
        overall = (
            f"Share of a question's evidence turns in the first results: {answerable} questions about {len(self.held)} "
            "conversations, each a memory of its own; adversarial ones apart."
        )
        kinds = ", ".join(f"{sum(one.kind == kind for one in asked)} {kind}" for kind in KINDS.values())
        return {_TITLE: overall} | {_title(depth): f"Questions: {kinds}." for depth in DEPTHS}

    def askings(self) -> list[Asking]:
        """Ask each question once, for the deepest figure."""
        return [
            Asking(project_id=held.conversation.name, query=question.query, limit=max(DEPTHS))
            for held, question in self._pairs()
        ]

    def figures(self, answers: Sequence[Answer]) -> Titled:
        """Return recall overall at each depth, and at each depth by kind."""
        overall = [self._figure(answers, f"@{k}", k, list(KINDS.values())[:4], _OVERALL.get(k)) for k in DEPTHS]
        kinds = {
            _title(k): [self._figure(answers, kind, k, [kind], _BY_KIND.get((kind, k))) for kind in KINDS.values()]
            for k in DEPTHS
        }
        return {_TITLE: overall, **kinds}

    def _pairs(self) -> list[tuple[Held, TurnQuestion]]:
        return [(held, question) for held in self.held for question in held.conversation.questions]

    def _figure(
        self, answers: Sequence[Answer], name: str, depth: int, kinds: Sequence[str], target: float | None
    ) -> Figure:
        values = (
            recall_at(answer.ids, held.evidence(question), depth)
            for (held, question), answer in zip(self._pairs(), answers, strict=True)
            if question.kind in kinds
        )
        return Figure(name, tuple(values), target)
