"""What a user may rely on who asks for exactly what few notes hold."""

import pytest

from core.interface.memory import Memory
from core.interface.question import Question
from service.app import App


def remember(app: App, content: str) -> str:
    return app.remember(Memory(context="note", content=content)).id


def first(app: App, query: str) -> str:
    return app.recall(Question(query=query)).results[0].id


@pytest.mark.both_engines
@pytest.mark.parametrize("embedded", ["none", "others", "all"])
def test_what_holds_the_only_word_comes_first(app: App, embedded: str) -> None:
    """Whatever is embedded yet: among notes alike but for one word no vector outweighs it."""
    others = [remember(app, f"Crate {n} is at dock{n}.") for n in range(5) if n != 3]
    if embedded == "others":
        app.worker.drain()
    crate = remember(app, "Crate 3 is at dock3.")
    if embedded == "all":
        app.worker.drain()
    assert first(app, "dock3") == crate
    assert first(app, "What is it that stands at dock3 now?") == crate
    assert first(app, "dock4") == others[-1]


@pytest.mark.both_engines
def test_what_holds_the_exact_sign_comes_first(app: App) -> None:
    """Before what has its words, in any order or as part of another sign."""
    ids = {sign: remember(app, f"Please look into {sign} this week.") for sign in (
        "OPS-12", "DEV-OPS-12", "ana.chen@acme.com", "chen.ana@acme.com", "v4.12.7", "v7.4.12", "/srv/app/run.log",
        "app/srv/run.log", "+49 30 5551234", "get_user_name", "#launch-day", "launch day",
    )}  # fmt: skip
    for embedded in (False, True):
        for sign, identity in ids.items():
            assert first(app, sign) == identity, (sign, embedded)
            assert first(app, f"Did anybody look into {sign} yet?") == identity, (sign, embedded)
        app.worker.drain()


def test_a_name_of_two_words_is_no_sign_where_many_have_it(app: App) -> None:
    """What stands in the heads of some papers must not come before the paper that answers."""
    for number in range(6):
        remember(app, f"Paper {number} of GOV.TX, on the rooms of floor {number} and who sits there.")
    meant = remember(app, "The parcels of the harbour are weighed in the old shed, since the crane broke.")
    app.worker.drain()
    assert first(app, "Why does GOV.TX weigh the harbour parcels in the shed?") == meant
    assert first(app, "GOV.TX") != meant


def test_a_phrase_in_quotation_marks_comes_first(app: App) -> None:
    """Word for word, whatever is nearer in meaning."""
    for text in ("Fees of the harbour and the late crane.", "The crane was late, as harbour fees are."):
        remember(app, text)
    meant = remember(app, "Nobody likes it, yet the late harbour fees stay.")
    app.worker.drain()
    assert first(app, 'What of "late harbour fees"?') == meant
    assert first(app, "What of \u201clate harbour fees\u201d?") == meant


@pytest.mark.both_engines
def test_one_typing_error_still_finds_what_was_meant(app: App) -> None:
    """Behind what is written as asked, if there is such a thing; words in another number and without accents, too."""
    ids = {sign: remember(app, f"Please look into {sign} this week.") for sign in (
        "OPS-12034", "ana.chen@acme.com", "v4.12.17", "/srv/app/run.log", "+49 30 5551234", "getUserNames",
        "the kaleidoscopes", "Zoë's façade",
    )}  # fmt: skip
    app.worker.drain()
    typed = ("OPS-12043", "ana.chem@acme.com", "v4.12.7", "/srv/ap/run.log", "+49 30 55512345", "getUserNamse",
             "kaleidscope", "facade")  # fmt: skip
    assert [first(app, query) for query in typed] == list(ids.values())
    exact = remember(app, "Please look into OPS-12043 this week.")
    found = [result.id for result in app.recall(Question(query="Who looks into OPS-12043?")).results]
    assert found[0] == exact
    assert ids["OPS-12034"] in found[1:]
