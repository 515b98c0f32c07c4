"""Contradictions: rules that a newer rule of the same scope says otherwise than."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime

from core.records import Artifact
from retrieval.scoring.changes import LONGEST, Said, contradicts


def find_contradicted_rules(rules: Mapping[str, Artifact]) -> set[str]:
    """Return the ids of the short rules, all of one scope, that a newer one of them cannot hold together with."""
    said = {id_: Said.of(_text(rule)) for id_, rule in rules.items() if len(rule.memory.content) <= LONGEST}
    alike: dict[str, list[str]] = defaultdict(list)
    for id_ in sorted(said, key=lambda one: _moment(rules[one]), reverse=True):
        for thing in said[id_].things:
            alike[thing].append(id_)
    pairs = {pair for ids in alike.values() for pair in _pairs(ids)}
    return {older for newer, older in pairs if contradicts(said[newer], said[older], asked=())}


def _pairs(ids: list[str]) -> Iterable[tuple[str, str]]:
    return ((newer, older) for at, newer in enumerate(ids) for older in ids[at + 1 :])


def _text(rule: Artifact) -> str:
    content = rule.memory.content
    return f"Avoid {content}" if rule.memory.context == "anti_pattern" else content


def _moment(rule: Artifact) -> tuple[datetime, datetime]:
    """Return when a rule was said last."""
    last = rule.last_occurred if rule.frequency > 1 else rule.happened_at
    return max(rule.happened_at, last), rule.created_at
