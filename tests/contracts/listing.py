"""What every engine promises of lists, their numbers and their facets, whatever is asked together."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import product
from typing import Any

import pytest

from core.dates import day_bound, is_after, is_before
from core.interface.memory import CONTEXTS, MAX_ENTRIES
from core.interface.question import FacetCount, FacetCounts
from core.records import Artifact
from graph.store import Store
from tests.contracts.makers import HOSTILE, OTHER, PROJECT, at, everything, item, pieces

TAGS = ("red", "blue", "green", HOSTILE[0], "a,b", "東京", "Sea_Wall/North", "sea wall/south", "#RED")

#: Undated, days, and moments of which the day, month or year is another one in UTC; some are the same instant.
DATES = (
    None, "2026-02-01", "2025-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z",
    "1969-12-31T19:59:59.999999-04:00", "2025-12-31T21:30:00-05:00", "2026-01-31T23:30:00-12:00",
    "2026-02-01T07:00:00+14:00", "2026-02-01T00:00:00+00:00",
)  # fmt: skip


def filled(store: Store, number: int = 60) -> list[Artifact]:
    """Store items with few different dates, tags and contexts, some expired, some replaced; return the current ones."""
    chance = random.Random(41)
    given = {}
    for n in range(number):
        key = f"key {n % 9}" if n % 4 == 0 else None
        one = item(
            f"Item {n}.",
            key=key,
            context="note" if key else chance.choice(("note", "fact", "task")),
            tags=tuple(chance.sample(TAGS, chance.randrange(4))),
            stored=at(chance.randrange(5)),
            date=chance.choice(DATES),
            expires_at="2026-03-10" if n % 7 == 0 else None,
            importance=chance.choice((0.2, 0.8)),
            file_path=chance.choice((None, "a.py")),
            stashed=n % 5 == 0,
        )
        store.add(one, pieces(one), [])
        given[key or n] = one
    elsewhere = item("Elsewhere.", project=OTHER, tags=TAGS)
    store.add(elsewhere, pieces(elsewhere), [])
    return [one for one in given.values() if one.memory.expires_at is None]


def newest_first(items: Iterable[Artifact]) -> list[str]:
    """Return the ids in the order of lists."""
    ordered = sorted(items, key=lambda one: one.id)
    ordered.sort(key=lambda one: (one.happened_at, one.created_at), reverse=True)
    return [one.id for one in ordered]


def counted(values: Iterable[str], most: int) -> FacetCount:
    """Return the most frequent of the values."""
    numbers = sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0]))
    return FacetCount(tuple(numbers[:most]), max(0, len(numbers) - most))


def facets(items: Iterable[Artifact], most: int) -> FacetCounts:
    """Return how many items have what."""
    some = list(items)
    return FacetCounts(
        tags=counted((tag for one in some for tag in one.memory.tags), most),
        types=counted((one.memory.context for one in some), most),
        months=counted((f"{one.happened_at:%Y-%m}" for one in some), most),
    )


def plain(tag: str) -> str:
    """Return what is alike of the spellings of `TAGS`."""
    return tag.lower().removeprefix("#").replace("_", " ").replace("-", " ")


def passes(one: Artifact, asked: dict[str, Any]) -> bool:
    """Whether an item passes, said once more in the plainest words."""
    memory = one.memory
    found_by = {tag.partition("/")[0] for tag in map(plain, memory.tags)} | set(map(plain, memory.tags))
    return (
        set(map(plain, asked.get("tags", ()))) <= found_by
        and ("any_tags" not in asked or bool(set(map(plain, asked["any_tags"])) & found_by))
        and asked.get("context", memory.context) == memory.context
        and ("date_from" not in asked or not is_before(one.happened_at, asked["date_from"]))
        and ("date_to" not in asked or not is_after(one.happened_at, asked["date_to"]))
        and ("as_of" not in asked or f"{one.happened_at:%Y-%m-%d}" <= f"{asked['as_of']:%Y-%m-%d}")
        and ("stored_until" not in asked or one.created_at <= asked["stored_until"])
        and (asked.get("include_stashed", True) or not one.stashed)
        and asked.get("file_path", memory.file_path) == memory.file_path
    )


def holds_alike(store: Store, current: Sequence[Artifact]) -> None:
    """Assert that each filter and all of these fragments find what holds them, newest first, in pages."""
    fragments: tuple[list[str], ...] = ([], ["ITEM"], ["1"], ["em", "item 1"], ["i", "e"], ["none of them"])
    for tagged, others, asked in product(TAGGED, OTHERS, fragments):
        expected = newest_first(
            one
            for one in current
            if one.stashed
            and passes(one, tagged | others)
            and all(fragment.casefold() in one.memory.content.casefold() for fragment in asked)
        )
        filters = everything(**tagged, **others)

        assert store.search_substrings(PROJECT, asked, filters, 100) == (expected, len(expected)), (
            tagged,
            others,
            asked,
        )
        assert store.search_substrings(PROJECT, asked, filters, 2, 1) == (expected[1:3], len(expected)), (
            tagged,
            others,
            asked,
        )


#: Of each kind of condition several, asked in all combinations.
TAGGED: tuple[dict[str, Any], ...] = (
    {},
    {"tags": ("red",)},
    {"tags": ("red", "blue", "red")},
    {"tags": ("red", "none of them")},
    {"any_tags": ("red",)},
    {"any_tags": ("red", HOSTILE[0], "none of them", "red")},
    {"any_tags": ("a,b", "東京"), "tags": ("blue", "red")},
    {"any_tags": ("none of them",)},
    {"tags": ("#Sea-Wall", "blue")},
    {"any_tags": ("sea wall/NORTH", "sea_wall", "green")},
)
OTHERS: tuple[dict[str, Any], ...] = (
    {},
    {"context": "note"},
    {"date_from": at(-28)},
    {"date_from": day_bound(date(2026, 2, 1), end=False)},
    {"date_from": day_bound(date(2025, 12, 31), end=False), "date_to": day_bound(date(2026, 1, 31), end=True)},
    {"as_of": day_bound(date(2025, 12, 31), end=True), "context": "note"},
    {"stored_until": at(2)},
    {"context": "fact", "date_from": at(-28), "stored_until": at(3)},
    {"include_stashed": False},
    {"file_path": "a.py", "context": "task"},
)


class ListingContract:
    """Takes the fixture `store` (empty)."""

    def test_whatever_is_asked_together_is_listed_counted_and_paged_alike(self, store: Store) -> None:
        """However an engine finds them: a list, its number, its pages by offset and by place, and its facets agree."""
        current = filled(store)
        for tagged, others in product(TAGGED, OTHERS):
            asked = everything(**tagged, **others)
            passing = [one for one in current if passes(one, tagged | others)]
            expected = newest_first(passing)
            first = store.newest(PROJECT, asked, 3)
            rest = store.newest(PROJECT, asked, 100, after=first[-1].cursor) if first else []

            assert [one.id for one in store.newest(PROJECT, asked, 100)] == expected, (tagged, others)
            assert store.count(PROJECT, asked) == len(expected), (tagged, others)
            assert [one.id for one in store.newest(PROJECT, asked, 4, 3)] == expected[3:7], (tagged, others)
            assert [one.id for one in (*first, *rest)] == expected, (tagged, others)
            assert store.facets(PROJECT, asked, 3) == facets(passing, 3), (tagged, others)

    def test_stashed_items_are_found_by_fragments_under_any_filter(self, store: Store) -> None:
        """Long and short fragments, rare and common, with a filter or without: the same items, number and pages."""
        current = filled(store)
        holds_alike(store, current)

    def test_facets_follow_every_change(self, store: Store) -> None:
        """Adding, replacing, renewing, bringing back, expiring and removing are seen at once; nothing is left over."""
        one, two = item("One.", key="k", tags=("a", "b")), item("Two.", key="k", context="note", tags=("b",))
        later = item("One again.", key="k", tags=("c",), date="2026-05-05", expires_at="2026-06-01")
        for given in (one, two):
            store.add(given, pieces(given), [])
        assert store.facets(PROJECT, everything(), 9) == facets([one, two], 9)

        store.add(later, pieces(later), [])
        assert store.facets(PROJECT, everything(at=at(1)), 9) == facets([two, later], 9)
        assert store.facets(PROJECT, everything(), 9) == facets([two], 9)
        assert store.facets(PROJECT, everything(at=at(1), any_tags=("c", "a")), 9) == facets([later], 9)

        store.add(one, pieces(one), [])
        assert store.facets(PROJECT, everything(at=at(1)), 9) == facets([one, two], 9)
        renewed = item("Two.", key="k", context="note", tags=("d",), expires_at="2026-04-01")
        store.add(renewed, pieces(renewed), [])
        assert store.facets(PROJECT, everything(at=at(1)), 9) == facets([one, renewed], 9)
        assert store.count(PROJECT, everything(any_tags=("d",))) == 0
        assert store.count(PROJECT, everything(at=at(1), any_tags=("d",), date_from=at(-1))) == 1

        store.remove(PROJECT, [one.id, two.id])
        assert store.facets(PROJECT, everything(at=at(1)), 9) == FacetCounts()
        assert store.newest(PROJECT, everything(at=at(1), any_tags=("a", "b", "c", "d")), 9) == []

    def test_as_many_tags_can_be_asked_for_as_an_item_has(self, store: Store) -> None:
        """No limit of the engine on statements shows through."""
        tags = tuple(f"tag {n}" for n in range(MAX_ENTRIES))
        every, first, none = (
            item("All.", tags=tags, stashed=True),
            item("First.", tags=tags[:1], stashed=True),
            item("None."),
        )
        for given in (every, first, none):
            store.add(given, pieces(given), [])
        either = newest_first([every, first])

        for asked, expected in ((everything(tags=tags), [every.id]), (everything(any_tags=tags), either)):
            assert [one.id for one in store.newest(PROJECT, asked, 9)] == expected
            assert store.count(PROJECT, asked) == len(expected)
            assert store.facets(PROJECT, asked, 1).tags.values == ((tags[0], len(expected)),)
            assert store.search_substrings(PROJECT, ["l", "all"], asked, 9) == ([every.id], 1)
        both = everything(tags=tags, any_tags=tags, date_from=at(-9))
        assert [one.id for one in store.newest(PROJECT, both, 9)] == [every.id]

    def test_a_tag_given_twice_counts_once(self, store: Store) -> None:
        """An item has a tag or it has not."""
        given = item(tags=("a", "a"))
        store.add(given, pieces(given), [])

        assert store.facets(PROJECT, everything(), 9).tags == FacetCount((("a", 1),))
        assert store.facets(PROJECT, everything(any_tags=("a",)), 9).tags == FacetCount((("a", 1),))

    @pytest.mark.parametrize("context", sorted(CONTEXTS))
    def test_every_type_is_counted(self, store: Store, context: str) -> None:
        """All contexts of `remember`."""
        given = item(context=context, conversation_id="c", turn_index=1)
        store.add(given, pieces(given), [])

        assert store.facets(PROJECT, everything(), 9).types == FacetCount(((context, 1),))
        assert store.count(PROJECT, everything(context=context)) == 1

    def test_what_is_behind_a_place_stays_what_it_is(self, store: Store) -> None:
        """Pages by place neither repeat nor miss an item while others come, change and go before it."""
        given = [item(f"Item {n}.", stored=at(n), key=f"k{n}") for n in range(6)]
        for one in given:
            store.add(one, pieces(one), [])
        first = store.newest(PROJECT, everything(), 2)
        changed = item("Item 5, changed.", stored=at(9), key="k5")
        for one in (changed, item("Newer.", stored=at(9))):
            store.add(one, pieces(one), [])
        store.remove(PROJECT, [given[4].id])

        assert first == [given[5], given[4]]
        assert store.newest(PROJECT, everything(), 9, after=first[-1].cursor) == given[3::-1]
        assert store.newest(PROJECT, everything(), 2, 1, after=first[-1].cursor) == given[2:0:-1]
