"""What every engine promises of `graph.protocols.knowledge.Rules`."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.knowledge.rules import RuleQuery, RuleWeights
from core.records import Artifact
from graph.store import Store
from tests.contracts.makers import HOSTILE, OTHER, PROJECT, STORED_AT, at, item, pieces

#: Ten points an occurrence, three times at most; five for the last two days, two for the last nine.
RANKING = RuleWeights(per_occurrence=10, most_occurrences=3, recent=((2, 5), (9, 2)), long_ago=1, standing=3)


def told(store: Store, content: str, *, days_ago: float = 0, times: int = 1, **fields: Any) -> Artifact:
    """Remember something so many times, the last of them so many days before `at(0)`."""
    made = item(content, stored=at(0) - timedelta(days=days_ago), **fields)
    for _ in range(times):
        store.add(made, pieces(made), [])
    return made


def query(**fields: Any) -> RuleQuery:
    """Return a query for all universal rules at `at(0)`."""
    everything: dict[str, Any] = {
        "at": at(0), "scopes": ("universal",), "ranking": RANKING, "limit": 100, "most_tokens": 10_000,
    }  # fmt: skip
    return RuleQuery(**everything | fields)


def ids(store: Store, *, project: str = PROJECT, **fields: Any) -> list[str]:
    """Return the ids of the rules asked for, and check that the number says how many apply."""
    rules, applying = store.rules(project, query(**fields))
    assert applying >= len(rules)
    return [rule.id for rule in rules]


class RulesContract:
    """Which items are rules, where, and in what order."""

    @pytest.mark.parametrize("context", ["preference", "correction", "anti_pattern", "decision", "insight"])
    def test_what_people_say_of_their_work_is_a_rule(self, store: Store, context: str) -> None:
        """Whatever its scope, by its context alone."""
        rule = told(store, "Tests come first.", context=context)

        assert ids(store) == [rule.id]
        assert store.rule_scopes(PROJECT, at(0)) == {"universal": 1}

    @pytest.mark.parametrize("context", ["document", "note", "fact", "email", "meeting", "reference"])
    def test_other_items_are_rules_by_a_category_or_a_scope_of_their_own(self, store: Store, context: str) -> None:
        """A document is no rule until somebody says where it applies or what kind of rule it is."""
        told(store, "Lunch is at noon.", context=context)
        placed = told(store, "Errors are wrapped.", context=context, scope="language:Go")
        sorted_ = told(store, "Commits are small.", context=context, category="Style")

        assert ids(store) == [sorted_.id]
        assert ids(store, scopes=("language:go",)) == [placed.id]
        assert ids(store, category="style") == [sorted_.id]

    def test_turns_of_talk_and_what_was_put_aside_are_no_rules(self, store: Store) -> None:
        """Talk is searched by `recall`, stashes by `pop`; what was moved away from the active tier stays away."""
        told(store, "I like tabs.", context="conversation", conversation_id="c", turn_index=0, category="style")
        told(store, "Draft of rules.", context="stash", category="style")
        moved = told(store, "Tabs, not spaces.", context="preference")
        store.stash(PROJECT, [moved.id], stashed=True)

        assert ids(store) == []
        assert store.rule_scopes(PROJECT, at(0)) == {}
        store.stash(PROJECT, [moved.id], stashed=False)
        assert ids(store) == [moved.id]

    def test_only_what_holds_at_the_moment_is_a_rule(self, store: Store) -> None:
        """Revisions, what has expired and other projects' items are not there."""
        told(store, "Black formats.", context="preference", key="format")
        current = told(store, "Ruff formats.", context="preference", key="format")
        passing = told(store, "Freeze until Monday.", context="decision", expires_at="2026-03-02T12:00:00Z")
        told(store, "Theirs.", context="preference", project=OTHER)

        assert set(ids(store, at=at(0))) == {current.id, passing.id}
        assert ids(store, at=at(2)) == [current.id]
        assert store.rule_scopes(PROJECT, at(2)) == {"universal": 1}
        assert ids(store, project="nobody") == []

    def test_scopes_are_told_apart_whatever_their_case(self, store: Store) -> None:
        """`language:Go` is kept as `language:go`; a project of that name is another scope."""
        told(store, "Everywhere.", context="preference")
        go = told(store, "In Go.", context="preference", scope="language:Go")
        golang = told(store, "In golang.", context="preference", scope="language:golang")
        project = told(store, "In go the project.", context="preference", scope="project:GO")

        assert set(ids(store, scopes=("language:go", "language:golang"))) == {go.id, golang.id}
        assert ids(store, scopes=("project:go",)) == [project.id]
        assert ids(store, scopes=()) == ids(store, scopes=HOSTILE) == []
        assert store.rule_scopes(PROJECT, at(0)) == {
            "universal": 1, "language:go": 1, "language:golang": 1, "project:go": 1,
        }  # fmt: skip

    def test_points_add_up(self, store: Store) -> None:
        """For occurrences up to the most, for recency by steps, and what stands keeps a floor."""
        fresh = told(store, "Fresh.", context="correction", days_ago=1.9)
        older = told(store, "Older.", context="correction", days_ago=2)
        old = told(store, "Old.", context="correction", days_ago=9)
        standing = told(store, "Standing.", context="preference", days_ago=900)
        avoided = told(store, "Avoided.", context="anti_pattern", days_ago=1)
        often = told(store, "Often.", context="correction", days_ago=9, times=3)
        oftener = told(store, "Oftener.", context="correction", days_ago=9, times=7)

        rules, applying = store.rules(PROJECT, query())

        assert {rule.id: rule.points for rule in rules} == {
            fresh.id: 15, older.id: 12, old.id: 11, standing.id: 13, avoided.id: 15, often.id: 31, oftener.id: 31,
        }  # fmt: skip
        assert [rule.points for rule in rules] == [31, 31, 15, 15, 13, 12, 11]
        assert applying == 7

    def test_words_of_the_task_count_as_often_as_they_differ(self, store: Store) -> None:
        """Each of a task's words once, as a part of any word, whatever its case."""
        none = told(store, "Be kind.", context="correction")
        two = told(store, "FIX the error, the error, the error.", context="correction")
        ranking = replace(RANKING, per_word=0.25)

        rules, _ = store.rules(PROJECT, query(ranking=ranking, task="debugging"))

        assert [(rule.id, rule.points) for rule in rules] == [(two.id, 15.5), (none.id, 15)]
        assert [rule.points for rule in store.rules(PROJECT, query(ranking=ranking, task="coding"))[0]] == [15, 15]

    def test_equal_points_go_by_the_last_occurrence_and_then_by_id(self, store: Store) -> None:
        """The order never depends on the engine."""
        first = told(store, "One.", context="correction", days_ago=1)
        last = told(store, "Two.", context="correction", days_ago=0.5)
        twins = sorted(told(store, f"Twin {n}.", context="correction", days_ago=1.5).id for n in range(3))

        assert ids(store) == [last.id, first.id, *twins]
        assert ids(store, limit=3) == [last.id, first.id, twins[0]]

    def test_what_has_too_few_points_or_is_too_long_is_left_out(self, store: Store) -> None:
        """The number of those that apply counts the long ones, too."""
        short = told(store, "Be brief.", context="correction")
        long = told(store, "Be brief. " * 50, context="correction")
        told(store, "Be old.", context="correction", days_ago=50)

        rules, applying = store.rules(PROJECT, query(ranking=replace(RANKING, least=15), most_tokens=20))

        assert [rule.id for rule in rules] == [short.id]
        assert applying == 2
        assert rules[0].token_count == short.token_count < 20 < long.token_count

    def test_a_category_is_the_items_own_or_its_context(self, store: Store) -> None:
        """As `memory_context` takes both for one filter."""
        style = told(store, "Tabs.", context="preference", category="Style")
        plain = told(store, "Spaces.", context="preference")
        other = told(store, "Dates are ISO.", context="decision", category="preference")

        assert set(ids(store, category="preference")) == {style.id, plain.id, other.id}
        assert ids(store, category="style") == [style.id]
        assert ids(store, category="nothing of the kind") == []

    def test_what_is_said_again_is_renewed(self, store: Store) -> None:
        """A category given later, and a return from being a revision, hold for rules as for lists."""
        told(store, "Logs are JSON.", context="preference", days_ago=20)
        told(store, "Logs are JSON.", context="preference", category="style")
        keyed = told(store, "First.", context="preference", key="k", category="style")
        told(store, "Second.", context="preference", key="k", category="style")
        told(store, "First.", context="preference", key="k", category="style")

        rules, _ = store.rules(PROJECT, query(category="style"))

        assert len(rules) == 2
        assert keyed.id in [rule.id for rule in rules]
        assert {rule.points for rule in rules} == {25}

    def test_a_removed_rule_is_gone(self, store: Store) -> None:
        """From rules and from scopes at once."""
        rule = told(store, "Short-lived.", context="preference", scope="language:go")
        store.remove(PROJECT, [rule.id])

        assert ids(store, scopes=("language:go",)) == []
        assert store.rule_scopes(PROJECT, STORED_AT) == {}
