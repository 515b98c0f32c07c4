"""What every engine promises of `graph.protocols.search.Words`."""

import random

import pytest

from core.records import Artifact
from graph.store import Store
from tests.contracts.makers import HOSTILE, OTHER, PROJECT, at, everything, item, pieces
from tests.contracts.raw import Raw

#: Texts with a sign, the sign, and what it is more than.
SIGNS = [
    ("Close DEV-OPS-12 now.", "dev-ops-12", "OPS-12"),
    ("It runs on 10.4.17.9.", "10.4.17.9", "10.4.17"),
    ("Write to ana.chen@acme.com!", "Ana.Chen@acme.com", "chen@acme.com"),
    ("It is in /srv/app/run.log", "run.log", "app/run"),
    ("Call +49 30 5551234", "49305551234", "5551235"),
]
#: What is known, and what is typed in its place.
TYPING_ERRORS = [
    ("kaleidoscop", "kaleidscop"),
    ("kaleidoscop", "kaleidosscop"),
    ("kaleidoscop", "kaliedoscop"),
    ("kaleidoscop", "xaleidoscop"),
    ("ops-1203", "ops-1230"),
    ("ops-1203", "ops1203"),
    ("ana.chen@acme.com", "ana.chem@acme.com"),
    ("srv/app/run.log", "srv/app/runlog"),
    ("c:\\logs\\run_1.txt", "c:\\log\\run_1.txt"),
    ("10.4.17.9", "10.4.18.9"),
    ("#launch-day", "#launch-dya"),
    ("a+b=c&d", "a+b=c&e"),
]


def added(store: Store, *artifacts: Artifact) -> None:
    """Add artifacts with one chunk each."""
    for artifact in artifacts:
        store.add(artifact, pieces(artifact), [])


def found(store: Store, *terms: str, limit: int = 50) -> list[str]:
    """Return the ids of the items that the terms find."""
    return [hit.artifact_id for hit in store.search(PROJECT, terms, everything(), limit)]


def holding(store: Store, *fragments: str) -> set[str]:
    """Return the ids of the stashed items that hold the fragments."""
    ids, total = store.search_substrings(PROJECT, fragments, everything(), 1_000)
    assert total == len(ids) == len(set(ids))
    return set(ids)


class WordsContract:
    """Takes the fixtures `store` (empty) and `raw`."""

    @pytest.mark.parametrize(
        ("text", "term"),
        [
            ("The runners were running late", "run"),
            ("the decision", "DECISIONS"),
            ("Café Zoë", "cafe"),
            ("cafe zoe", "ZOË"),
            ("e\u0301clair", "éclair"),
            ("e-mail: ana.chen@acme.com", "ana.chen@acme.com"),
            ("the release of version 2.5", "2.5"),
            ("snake_case_name()", "snake_case_name"),
            ("a C++ program", "C++"),
            ("Она пишет код", "КОД"),
            ("שלום עולם", "עולם"),
            ("مرحبا بالعالم", "مرحبا"),
            ("東京に住んでいます。", "東京"),
            ("서울에서 만나요", "서울"),
            ("naïve 東京 plan", "plan"),
            ("a phrase in order", "phrase in order"),
            ("before\0after", "after"),
        ],
    )
    def test_a_term_finds_its_text(self, store: Store, text: str, term: str) -> None:
        """Stemmed, case and accents folded, in any script."""
        given = item(text)
        added(store, given, item("something else entirely"))

        assert found(store, term) == [given.id]

    @pytest.mark.parametrize(("text", "term", "other"), SIGNS)
    def test_a_sign_is_found_whole(self, store: Store, text: str, term: str, other: str) -> None:
        """Before what it is a part of, which is found where nothing holds it whole."""
        given, part = item(text), item(f"{other} is another")
        added(store, given, part)

        assert found(store, term) == [given.id]
        assert found(store, other) == [part.id]

    def test_signs_are_found_whole_after_a_rebuild(self, store: Store) -> None:
        """One after another, and beside their parts."""
        given = {term: item(text) for text, term, _ in SIGNS}
        added(store, *given.values(), *(item(f"{other} is another") for _, _, other in SIGNS))
        assert store.rebuild() == 2 * len(SIGNS)

        assert {term: found(store, term) for term in given} == {term: [one.id] for term, one in given.items()}

    @pytest.mark.parametrize(("known", "typed"), TYPING_ERRORS)
    def test_what_one_typing_error_may_mean_is_told(self, store: Store, known: str, typed: str) -> None:
        """A letter wrong, more or less, or two swapped, wherever; of the project alone, and while it is there."""
        given, other = item(f"It is about {known} only"), item(f"It is about {typed}", project=OTHER)
        added(store, given, other)

        assert store.spelling_variants(PROJECT, [typed, "unheard-of", ""]) == {typed: [known]}
        store.remove(PROJECT, [given.id])
        assert store.spelling_variants(PROJECT, [typed]) == {}

    def test_typing_errors_are_told_after_a_rebuild(self, store: Store) -> None:
        """What a word is like is made anew with the words."""
        known = [item(f"It is about {word} only") for word in dict(TYPING_ERRORS)]
        added(store, *known, *(item(f"It is about {typed}", project=OTHER) for _, typed in TYPING_ERRORS))
        assert store.rebuild() == len(known) + len(TYPING_ERRORS)

        for word, typed in TYPING_ERRORS:
            assert store.spelling_variants(PROJECT, [typed]) == {typed: [word]}

    def test_two_typing_errors_short_and_common_words_are_not_taken_for_others(self, store: Store) -> None:
        """Nor is a word for itself; of several the commonest come first, then by name."""
        added(store, *(item(f"common word, the {n} one") for n in range(65)))
        added(store, item("cat kaleidoscope boat-12 boat-13 boat-14 boat-15"), item("boat-15 again"))

        assert store.spelling_variants(PROJECT, ["cut", "commn", "kaleidoscop", "kaledscop"]) == {}
        assert store.spelling_variants(PROJECT, ["boat-11"]) == {"boat-11": ["boat-15", "boat-12", "boat-13"]}

    def test_the_parts_of_a_name_in_humps_are_found(self, store: Store) -> None:
        """Beside the whole name; no phrase goes on from the text to them."""
        given = item("It ends with HttpServerError")
        added(store, given)

        assert found(store, "server error") == found(store, "httpservererror") == [given.id]
        assert found(store, "httpservererror http") == []

    @pytest.mark.parametrize(
        ("text", "term"),
        [
            ("a phrase in order", "order in phrase"),
            ("pen", "penguin"),
            ("notebook", "note"),
            ("東京", "京東"),
            ("a b", "ab"),
        ],
    )
    def test_a_term_does_not_find_other_text(self, store: Store, text: str, term: str) -> None:
        """A phrase keeps its order, and a word is a whole word."""
        added(store, item(text))

        assert found(store, term) == []

    @pytest.mark.parametrize(
        "term",
        [
            "",
            " ",
            "!!!",
            "\0",
            "👩‍👩‍👧",
            "\ud800",
            "'",
            '"',
            '""',
            "*",
            "()",
            "- -",
            "^",
            "\\",
            "%",
            "_",
            "&&",
            "||",
            "~1",
            "/x"[:1],
        ],
    )
    def test_a_term_without_a_word_finds_nothing(self, store: Store, term: str) -> None:
        """An empty list, no error, alone or beside a usable term."""
        given = item("plain words")
        added(store, given)

        assert found(store, term) == []
        assert found(store, term, "plain") == [given.id]
        assert found(store) == []

    @pytest.mark.parametrize(
        "term",
        [
            *HOSTILE,
            "AND",
            "OR",
            "NOT",
            "NEAR(a b)",
            "text:plain",
            "project:*",
            "pla*",
            'a" OR "plain',
            "plain\0x",
            "-plain",
            "(plain",
        ],
    )
    def test_signs_mean_nothing(self, store: Store, term: str) -> None:
        """Any text is a term, finds itself, and is no expression."""
        given = item(f"{term} 7")
        added(store, given, item("unrelated text"))

        assert found(store, f"{term} 7") == [given.id]
        assert len(store.search(PROJECT, [term] * 3, everything(), 5)) <= 2

    def test_an_operator_is_a_word(self, store: Store) -> None:
        """A quote can't end the phrase, a prefix sign can't widen it, a column can't be named."""
        added(store, item("plain words"))

        for term in ('x" OR "plain', "pla*", "text:plainly", "NOT x", "plain NOT zebra"):
            assert found(store, term) == []

    def test_thousands_of_terms_are_one_question(self, store: Store) -> None:
        """No limit of the engine on expressions shows through."""
        given = item("needle in hay")
        added(store, given)

        assert found(store, *(f"t{number}" for number in range(3_000)), "needle") == [given.id]

    def test_better_matches_come_first_with_higher_scores(self, store: Store) -> None:
        """BM25: more of the terms, the rarer term, and the shorter text win."""
        both, rare = item("zebra and apple here"), item("zebra alone stands here")
        common = [item(f"apple number {n} stands here") for n in range(6)]
        long = item("apple " + "filler words that say nothing " * 20)
        added(store, both, rare, *common, long)
        hits = store.search(PROJECT, ["zebra", "apple"], everything(), 50)

        assert [hit.artifact_id for hit in hits[:2]] == [both.id, rare.id]
        assert hits[-1].artifact_id == long.id
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert hits[0].score > hits[-1].score > 0

    def test_the_best_chunks_of_a_document_are_named(self, store: Store) -> None:
        """A hit is a chunk, and its prefix is searched with its text but is not part of it."""
        given = item("alpha one. beta two. gamma six", num_chunks=3)
        store.add(given, pieces(given, size=11, prefix="Minutes "), [])

        assert [(hit.artifact_id, hit.index) for hit in store.search(PROJECT, ["beta"], everything(), 5)] == [
            (given.id, 1)
        ]
        assert {hit.index for hit in store.search(PROJECT, ["minutes"], everything(), 5)} == {0, 1, 2}
        assert store.chunks_at(PROJECT, [(given.id, 0)])[given.id, 0].text == "alpha one. "

    def test_words_of_another_project_are_not_found(self, store: Store) -> None:
        """Not even if the projects' names are alike, and many better matches there take no place here."""
        added(store, *(item(f"needle {n}", project=name) for n in range(9) for name in (OTHER, "Default", "default-1")))
        here = item("one needle in a long text of this project")
        added(store, here)

        assert found(store, "needle", limit=1) == [here.id]
        assert found(store, "default", "1") == []

    def test_scores_do_not_depend_on_other_projects(self, store: Store) -> None:
        """Not even for stop words: how rare a word is, and how long texts are, is counted in the project alone."""
        added(store, *(item(f"{'needle ' * (n % 5)}hay in text {n} {'filler ' * (n % 7)}") for n in range(30)))
        questions = (["needle"], ["needle", "hay"], ["it", "in"])
        before = [store.search(PROJECT, asked, everything(), 10) for asked in questions]
        added(store, *(item(f"needle {n} {'it in hay ' * 40}", project=OTHER) for n in range(40)))

        assert [store.search(PROJECT, asked, everything(), 10) for asked in questions] == before
        assert [len(hits) for hits in before] == [10, 10, 10]

    def test_all_limits_are_filled_behind_a_rare_filter(self, store: Store) -> None:
        """Better matches that fail the filter take no places."""
        added(store, *(item(f"needle {n}", source="mail") for n in range(40)))
        added(store, *(item(f"a needle in long text number {n} of this kind", source="wiki") for n in range(5)))

        assert len(store.search(PROJECT, ["needle"], everything(source="wiki"), 5)) == 5
        assert len(store.search(PROJECT, ["needle"], everything(source="wiki"), 3)) == 3

    def test_planted_chunks_are_found_after_a_rebuild(self, store: Store, raw: Raw) -> None:
        """Both indexes are made anew from the record, revisions left out, and the number of chunks is told."""
        given, stashed = item("First words.", num_chunks=2), item("Second needle.", stashed=True)
        store.add(given, pieces(given, size=6), [])
        added(store, stashed, item("older", key="k"), item("newer", key="k"))
        raw.ruin_words()
        assert found(store, "words") == []

        assert store.rebuild() == 4
        assert found(store, "words") == [given.id]
        assert found(store, "older") == []
        assert holding(store, "needle") == holding(store, "ee") == {stashed.id}
        raw.check()

    @pytest.mark.parametrize(
        ("content", "fragment"),
        [
            ("Invoice #2024-17", "#2024-1"),
            ("Invoice #2024-17", "VOICE"),
            ("Élan vital", "é"),
            ("élan vital", "ÉL"),
            ("ÉLAN VITAL", "élan"),
            ("Straße", "STRASSE"),
            ("STRASSE", "ß"),
            ("ΟΔΟΣ", "οδος"),
            ("Привет", "ИВ"),
            ("東京都", "京"),
            ("東京都", "京都"),
            ("東京都庁", "京都庁"),
            ("a😀b", "😀"),
            ("a😀b", "😀b"),
            ("a😀bc", "a😀b"),
            ("x\0yz end", "\0"),
            ("x\0yz end", "\0y"),
            ("x\0yz end", "x\0yz"),
            ("x\0yz end", "end"),
            ("e\u0301t", "e\u0301"),
            ("50% off", "% "),
            ("a_b", "_"),
            ("say \"hi\" 'now'", '"hi"'),
            ("say \"hi\" 'now'", "'"),
            ("back\\slash*", "\\s"),
            ("back\\slash*", "*"),
            ("line\nbreak", "e\nb"),
            ("tab\there", "\t"),
            ("a", "A"),
            ("ab", "aB"),
        ],
    )
    def test_a_fragment_finds_the_stashed_item_that_holds_it(self, store: Store, content: str, fragment: str) -> None:
        """Of one character or more, case folded, every sign literal."""
        given, active = item(content, stashed=True), item(content, source="active")
        added(store, given, active, item("qqq", stashed=True))

        assert holding(store, fragment) == {given.id}

    @pytest.mark.parametrize(
        "fragment", ["ba", "z", "a c", "%", "_", "a%c", "*", "abcd", "\ud800", "🙂", "\0", "ab*", "b\0"]
    )
    def test_a_fragment_finds_nothing_else(self, store: Store, fragment: str) -> None:
        """No wild cards, no other order, no unpaired surrogates."""
        added(store, item("abc", stashed=True))

        assert holding(store, fragment) == set()

    def test_every_fragment_must_occur(self, store: Store) -> None:
        """Long and short ones together; none at all lists all stashed items."""
        one, two = item("Deploy to staging at 5", stashed=True), item("Deploy to production", stashed=True)
        added(store, one, two, item("Deploy to staging at 5 (active)"))

        assert holding(store, "deploy", "stag") == holding(store, "o ", "deploy", "5", "at") == {one.id}
        assert holding(store, "deploy", "o") == holding(store) == {one.id, two.id}
        assert holding(store, "deploy", "zz") == holding(store, "zzz", "o") == set()

    def test_stashed_matches_are_paged_newest_first_under_their_true_number(self, store: Store) -> None:
        """The number counts what passes the filters, beyond the last page too."""
        given = [item(f"needle {n}", stashed=True, stored=at(n), tags=("odd",) if n % 2 else ()) for n in range(9)]
        added(
            store,
            *given,
            item("needle", stashed=True, project=OTHER),
            item("needle expired", stashed=True, expires_at="2026-01-01"),
        )
        newest = [one.id for one in reversed(given)]

        for fragments in (["needle"], ["ne"], ["n"], [], ["ed", "needle"]):
            assert store.search_substrings(PROJECT, fragments, everything(), 4) == (newest[:4], 9)
            assert store.search_substrings(PROJECT, fragments, everything(), 4, 8) == (newest[8:], 9)
            assert store.search_substrings(PROJECT, fragments, everything(), 4, 20) == ([], 9)
            assert store.search_substrings(PROJECT, fragments, everything(tags=("odd",)), 2)[1] == 4
            assert store.search_substrings(PROJECT, fragments, everything(include_stashed=False), 2) == ([], 0)

    def test_substrings_agree_with_a_plain_search(self, store: Store) -> None:
        """Against every text of a small alphabet, for fragments of one to five characters."""
        random_ = random.Random(7)
        texts = {"".join(random_.choices("abÀ ß😀\0", k=random_.randint(1, 12))) for _ in range(60)}
        stashed = {item(text, stashed=True).id: text for text in texts if text.strip()}
        added(store, *(item(text, stashed=True) for text in stashed.values()))
        fragments = {"".join(random_.choices("aBàS😀\0", k=random_.randint(1, 5))) for _ in range(60)}

        for fragment in fragments:
            expected = {id_ for id_, text in stashed.items() if fragment.casefold() in text.casefold()}
            assert holding(store, fragment) == expected, fragment

    def test_chunks_with_the_same_words_are_all_found(self, store: Store) -> None:
        """A document's chunks are separate hits."""
        given = item("same same " * 4, num_chunks=4)
        store.add(given, pieces(given, size=10), [])
        hits = store.search(PROJECT, ["same"], everything(), 10)

        assert sorted(hit.index for hit in hits) == [0, 1, 2, 3]
