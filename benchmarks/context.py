"""`python -m benchmarks.context`: what `memory_context` costs over many rules.

Compared, in the same process, with the plain way: load every rule, score each, count its tokens, fill the budget.
"""

import argparse
import random
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks import corpus
from benchmarks.measures import Measure, fresh, p95, report, timed
from core.dates import now
from core.interface.memory import Memory
from core.interface.question import ContextQuestion
from core.knowledge.rules import TASK_WORDS
from core.records import Artifact, artifact_id
from graph.sqlite_store import SqliteStore
from graph.sqlite_store.item_writer import SqliteItemWriter
from retrieval.models.tokenizer import estimate_model_tokens
from service.app import App

_CALLS, _WARMING = 100, 5
#: Longest an answer of so many rules may take, in milliseconds; one of more in proportion.
_MOST, _RULES_TOLD = 50, 20
_SCOPES: Final = ("universal", "universal", "language:go", "language:python", "project:hydra", "project:cerberus")
_CONTEXTS: Final = ("preference", "correction", "anti_pattern", "decision", "insight")
_QUESTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "project and language": {"project": "hydra", "language": "go"},
    "with a task": {"project": "hydra", "language": "go", "task": "debugging"},
    "with a category": {"project": "hydra", "language": "go", "category": "correction"},
    "one scope": {"scope": "language:python"},
    "limit 200, 20,000 tokens": {"project": "hydra", "language": "go", "limit": 200, "token_budget": 20_000},
}


def fill(store: SqliteStore, tokens: Callable[[str], int], count: int) -> list[Artifact]:
    """Keep so many rules of a sentence each, said up to twelve times over 200 days, in one transaction."""
    chance = random.Random(31)  # noqa: S311 - repeatable, not secret
    pool, made = corpus.sentences(), []
    for number in range(count):
        content = f"{chance.choice(pool)} ({number})"
        memory = Memory(content=content, context=chance.choice(_CONTEXTS), scope=chance.choice(_SCOPES))
        fingerprint, said = memory.fingerprint("default"), now() - timedelta(days=chance.randrange(200))
        made.append(
            Artifact(
                id=artifact_id(fingerprint),
                project_id="default",
                memory=memory,
                fingerprint=fingerprint,
                happened_at=said,
                created_at=said,
                updated_at=said,
                last_occurred=said,
                token_count=tokens(content),
                num_chunks=0,
                frequency=chance.randrange(1, 13),
            )
        )
    with store._database.writing() as connection:
        _add_all(connection, made)
    return made


def _add_all(connection: sqlite3.Connection, made: list[Artifact]) -> None:
    for artifact in made:
        SqliteItemWriter(connection, artifact.project_id).add(artifact, [], [])


def by_hand(app: App, *, language: str, project: str, task: str | None = None) -> str:
    """Answer the plain way: score all items, one by one."""
    at, scored = now(), []
    for batch in app.store.each("default", batch=1_000):
        for item in batch:
            memory = item.memory
            match = {"universal": 0.4, f"language:{language}": 0.7, f"project:{project}": 1.0}.get(memory.scope, 0.1)
            score = 0.4 * match + 0.3 * min(item.frequency / 10, 1) + 0.2 * _recency(item.last_occurred, at)
            words = TASK_WORDS.get(task or "", ())
            text = memory.content.lower()
            score += 0.1 * (sum(word in text for word in words) / len(words) if words else 0.5)
            scored.append((score, memory.scope.split(":")[0], memory.content, estimate_model_tokens(memory.content)))
    left = {"universal": 700, "language": 500, "project": 300}
    lines = []
    for score, kind, content, cost in sorted(scored, reverse=True):
        if score >= 0.3 and cost <= left[kind]:
            left[kind] -= cost
            lines.append(f"- {content}")
    return "\n".join(lines)


def _recency(said: datetime, at: datetime) -> float:
    days = (at - said).days
    return 1.0 if days < 7 else 0.7 if days < 30 else 0.4 if days < 90 else 0.1


def measured(count: int) -> list[Measure]:
    """Fill a memory and ask it."""
    with tempfile.TemporaryDirectory() as folder, fresh(Path(folder)) as app:
        if not isinstance(app.store, SqliteStore):
            raise TypeError("this benchmark fills embedded stores")
        fill(app.store, estimate_model_tokens, count)
        hand = statistics.median(timed(partial(by_hand, app, language="go", project="hydra")) for _ in range(3))
        done = []
        for name, fields in _QUESTIONS.items():
            ask = partial(app.memory_context, ContextQuestion(**fields))
            times = [timed(ask) for _ in range(_WARMING + _CALLS)][_WARMING:]
            middle = statistics.median(times)
            detail = f"median {middle:.1f} ms; by hand {hand:,.0f} ms, {hand / middle:,.0f} times"
            most = _MOST * max(1, fields.get("limit", _RULES_TOLD) // _RULES_TOLD)
            done.append(Measure(f"{name}, p95", p95(times), most, "ms", at_most=True, detail=detail))
        return done


def main() -> int:
    """Print what each question took; exit 1 if a bound does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", type=int, default=10_000, help="rules in the memory (default: %(default)s)")
    chosen = parser.parse_args()
    return report(measured(chosen.rules), f"memory_context over {chosen.rules:,} rules")


if __name__ == "__main__":
    sys.exit(main())
