"""The score of a rule is the one of the context-aware retrieval design, on every engine."""

from datetime import timedelta
from typing import Any, Final

import pytest

from core.dates import now
from core.interface.memory import Memory
from core.knowledge.rules import TASK_WORDS, RuleQuery, RuleScope
from core.records import Artifact, artifact_id
from graph.store import Store
from retrieval.context import scope_points, scope_weights

_AT: Final = now()
_SCOPES: Final = {
    "universal": RuleScope("universal"),
    "language:go": RuleScope("language", "go"),
    "project:hydra": RuleScope("project", "Hydra"),
}


def expected(content: str, scope: str, *, frequency: int, days_ago: int, task: str | None) -> float:
    """Return the score by its definition, weight by weight."""
    match = {"universal": 0.4, "language:go": 0.7, "project:hydra": 1.0}[scope]
    often = min(frequency / 10, 1.0)
    recent = 1.0 if days_ago < 7 else 0.7 if days_ago < 30 else 0.4 if days_ago < 90 else 0.1
    words = TASK_WORDS.get(task or "", ())
    bearing = sum(word in content.lower() for word in words) / len(words) if words else 0.5
    return match * 0.4 + often * 0.3 + recent * 0.2 + bearing * 0.1


def kept(store: Store, content: str, *, scope: str, frequency: int, days_ago: int, **fields: Any) -> Artifact:
    """Keep a rule that was said so often and so long ago."""
    memory = Memory(content=content, scope=scope, **{"context": "correction"} | fields)
    fingerprint, said = memory.fingerprint("default"), _AT - timedelta(days=days_ago, hours=1)
    artifact = Artifact(
        id=artifact_id(fingerprint), project_id="default", memory=memory, fingerprint=fingerprint, happened_at=said,
        created_at=said, updated_at=said, last_occurred=said, token_count=9, num_chunks=0, frequency=frequency,
    )  # fmt: skip
    store.add(artifact, [], [])
    return artifact


def scores(store: Store, task: str | None) -> dict[str, float]:
    """Return the score of each rule that scores enough, by its id."""
    found: dict[str, float] = {}
    for scope in _SCOPES.values():
        order = scope_weights(scope, task)
        query = RuleQuery(
            at=_AT,
            scopes=scope.stored,
            ranking=order,
            limit=1_000,
            most_tokens=100,
            task=task if order.per_word else None,
        )
        rules, _ = store.rules("default", query)
        unknown = 0.0 if order.per_word else 0.05
        found |= {rule.id: round(scope_points(scope) + unknown + rule.points, 6) for rule in rules}
    return found


@pytest.mark.parametrize("task", [None, *TASK_WORDS, "gardening"])
def test_a_rule_scores_what_the_design_gives_it(store: Store, task: str | None) -> None:
    """Scope, frequency, recency and task by their weights; below 0.3 a rule is left out."""
    texts = (
        "Be kind.",
        "Fix the error and write a test.",
        "Implement, write, create: a function or a class.",
        "Design patterns.",
    )
    wanted = {}
    for number, scope in enumerate(_SCOPES):
        for frequency in (1, 4, 10, 25):
            for days_ago in (0, 6, 7, 29, 30, 89, 90, 400):
                text = f"{texts[(number + frequency + days_ago) % len(texts)]} {scope} {frequency} {days_ago}"
                made = kept(store, text, scope=scope, frequency=frequency, days_ago=days_ago)
                wanted[made.id] = round(expected(text, scope, frequency=frequency, days_ago=days_ago, task=task), 6)

    found = scores(store, task)

    assert found == {id_: score for id_, score in wanted.items() if score >= 0.3}
    assert set(found) < set(wanted)


def test_what_stands_does_not_fade_below_the_middle(store: Store) -> None:
    """The design gives preferences and anti-patterns no date, so 0.5 for recency; a fresh one scores as any other."""
    old = kept(store, "Old.", scope="project:hydra", frequency=1, days_ago=400, context="preference")
    avoided = kept(store, "Avoided.", scope="project:hydra", frequency=1, days_ago=400, context="anti_pattern")
    fresh = kept(store, "Fresh.", scope="project:hydra", frequency=1, days_ago=0, context="preference")

    assert scores(store, None) == {old.id: 0.58, avoided.id: 0.58, fresh.id: 0.68}
