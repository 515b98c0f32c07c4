"""The parts of a question, answered by an application: what prompts and the briefs of sessions put together."""

from dataclasses import dataclass

from core.interface.ledger import CommitmentsQuestion, DecisionsQuestion, LedgerAnswer
from core.interface.question import Question
from core.interface.results import Recall
from service.app import App


@dataclass(frozen=True, slots=True)
class AppSource:
    """A project of an application. Fulfils `retrieval.messages.asked.Source`."""

    app: App
    project_id: str = "default"

    def find(self, query: str, limit: int) -> Recall:
        question = Question(query=query, limit=limit, expand=False, include_entities=False)
        return self.app.recall(question, self.project_id)

    def decided(self, *, topic: str | None = None, person: str | None = None, limit: int) -> LedgerAnswer:
        question = DecisionsQuestion(topic=topic, person=person, limit=limit, detail="full")
        return self.app.decisions(question, self.project_id)

    def promised(self, *, topic: str | None = None, owner: str | None = None, limit: int) -> LedgerAnswer:
        question = CommitmentsQuestion(topic=topic, owner=owner, status="open", limit=limit, detail="full")
        return self.app.commitments(question, self.project_id)
