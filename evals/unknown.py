"""Unanswerable questions: does `answer_likelihood` tell them from answerable ones?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evals.client import Answer, Asking
from evals.conversations import Held
from evals.datasets import Conversation
from evals.figures import Figure, Row, Table
from evals.metrics import placements, refused

#: Share of questions that do have an answer which may be refused.
ALLOWED: Final = 0.1
_LIMIT: Final = 10
_WANTED: Final = {"asked of another conversation": 0.97, "the same with that one's names": 0.75}
_ADVERSARIAL: Final = "adversarial, own conversation"


@dataclass(frozen=True, slots=True)
class UnknownTask:
    """Answerable questions asked of their own conversation and of the next one, whose answer is not there.

    With fewer than two conversations there is nothing to ask elsewhere.
    """

    held: Sequence[Held]

    def askings(self) -> dict[str, list[Asking]]:
        """Return the calls of `recall` by kind of question; the first kind has answers, the others have none."""
        kinds: dict[str, list[Asking]] = {"own": [], **{kind: [] for kind in (*_WANTED, _ADVERSARIAL)}}
        elsewhere, renamed = list(_WANTED)
        for here, there in zip(self.held, (*self.held[1:], *self.held[:1]), strict=True):
            for question in here.conversation.questions:
                own = _asking(here, question.query)
                if not question.is_answerable:
                    kinds[_ADVERSARIAL].append(own)
                    continue
                kinds["own"].append(own)
                kinds[elsewhere].append(_asking(there, question.query))
                named = with_names_of(question.query, here.conversation, there.conversation)
                kinds[renamed].append(_asking(there, named))
        return kinds

    def table(self, answers: dict[str, list[Answer]]) -> Table:
        """Return how many of each kind are refused where a tenth of the answerable ones is; see `askings`.

        Without rows if answers do not say how likely they are.
        """
        scores = {kind: [a.likelihood for a in given if a.likelihood is not None] for kind, given in answers.items()}
        title = 'Not in memory: told apart by "answer_likelihood"'
        if any(len(scores[kind]) < len(given) for kind, given in answers.items()):
            return Table(title, "Not answered: `recall` says nothing of how likely an answer is.", ())
        own = scores.pop("own")
        rows = tuple(Row(kind, _told_apart(own, foreign, _WANTED.get(kind))) for kind, foreign in scores.items())
        note = (
            f"Refused at the likelihood below which {ALLOWED:.0%} of {len(own)} answerable questions are. Adversarial "
        )
        return Table(title, note + "questions ask of one speaker what the other said.", rows, compared=False)


def _told_apart(own: Sequence[float], foreign: Sequence[float], target: float | None) -> tuple[Figure, ...]:
    return Figure("refused", refused(own, foreign, ALLOWED), target), Figure("AUC", placements(own, foreign))


def _asking(held: Held, query: str) -> Asking:
    return Asking(project_id=held.conversation.name, query=query, limit=_LIMIT)


def with_names_of(query: str, here: Conversation, there: Conversation) -> str:
    """Return the question with the speakers' names, as whole words, replaced by those of the other conversation."""
    names = dict(zip(here.speakers, there.speakers, strict=True))
    return re.sub(r"\b(?:" + "|".join(map(re.escape, names)) + r")\b", lambda found: names[found[0]], query)
