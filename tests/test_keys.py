"""Names: what a key is good for, from `remember` to what is found."""

import pytest

from core.interface.memory import Context, Memory
from core.interface.question import Question
from core.interface.results import Receipt
from service.app import App


@pytest.mark.parametrize("context", ["stash", "insight", "decision"])
def test_words_of_a_key_find_the_item_whose_text_has_none_of_them(app: App, context: Context) -> None:
    """A key is embedded and indexed with the content, as the popstash design embeds name, key and topic."""
    content = "Check the expiry before you trust what a caller claims."
    receipt = app.remember(Memory(content=content, context=context, key="jwt-validation"), wait=True)
    app.remember(Memory(content="The lift is serviced each May.", context=context, key="lift"), wait=True)
    search_words = app.store.search("default", ["validation"], Question(query="validation").filters(), 5)
    by_meaning = app.recall(Question(query="token validation", context=context))

    assert [hit.artifact_id for hit in search_words] == [receipt.id]
    assert [by_meaning.results[0].id, by_meaning.match_type] == [receipt.id, "hybrid"]
    assert by_meaning.results[0].content == content


def test_a_key_comes_first_and_says_so(app: App) -> None:
    """docs/interface.md `recall` 3: the item whose key equals the query comes first, whatever is nearer."""
    app.remember(Memory(content="lift lift lift", context="note"), wait=True)
    keyed = app.remember(Memory(content="It is serviced each May.", context="insight", key="lift"), wait=True)
    found = app.recall(Question(query="lift"))

    assert (found.results[0].id, found.match_type) == (keyed.id, "exact")
    assert len(found.results) == 2


@pytest.mark.both_engines
def test_a_replaced_key_is_one_item_with_revisions(app: App) -> None:
    """docs/interface.md `remember`: the old text stays reachable by its own id, and nothing else finds it."""
    old = app.remember(Memory(content="We open at nine.", context="insight", key="hours"), wait=True)
    new = app.remember(Memory(content="We open at ten.", context="insight", key="hours"), wait=True)
    found = app.recall(Question(query="hours"))

    assert (new.status, [result.id for result in found.results]) == ("updated", [new.id])
    assert app.recall(Question(id=new.id)).results[0].revisions == [old.id]
    assert app.recall(Question(id=old.id)).results[0].content == "We open at nine."
    app.worker.drain()  # the vectors of the replaced text go in the background
    assert app.index.ids("default") == {f"{new.id}:0"}


def test_an_expired_key_is_found_by_nothing_but_its_id(app: App) -> None:
    """docs/interface.md `remember`: `expires_at` holds for key, words, vectors, lists and hints."""
    expired = Memory(content="We open at nine.", context="insight", key="hours", expires_at="2020-01-01")
    receipt = app.remember(expired, wait=True)
    by_key, listed = app.recall(Question(query="hours")), app.recall(Question(context="insight"))

    assert (by_key.results, listed.results, listed.total_count) == ([], [], 0)
    assert (by_key.hint or "").startswith("Project 'default' is empty")
    assert app.recall(Question(id=receipt.id)).results[0].id == receipt.id


def test_an_empty_answer_names_recent_keys(app: App) -> None:
    """docs/interface.md `recall`: an empty answer carries a hint, the newest key first."""
    for key in ("alpha", "beta"):
        app.remember(Memory(content=f"About {key}.", context="insight", key=key), wait=True)
    found = app.recall(Question(query="anything", context="task"))

    assert (found.results, found.hint) == ([], "Nothing matches. Recent keys: beta, alpha.")


@pytest.mark.both_engines
@pytest.mark.parametrize(("first", "second"), [("Pier Plan", "pier plan"), ("pp ", "pp"), ("café", "cafe\u0301")])
def test_a_key_that_looks_like_another_says_so(app: App, first: str, second: str) -> None:
    """Keys are compared sign for sign, so the answer names the one that was perhaps meant."""
    app.remember(Memory(content="Version one.", context="reference", key=first))
    new = app.remember(Memory(content="Version two.", context="reference", key=second))
    many = app.remember_many([Memory(content="Version three.", context="note", key=second.upper())])
    again = app.remember(Memory(content="Version four.", context="reference", key=second))

    assert (new.status, f"{first!r} is another one" in (new.hint or "")) == ("stored", True)
    (receipt,) = many.results
    assert isinstance(receipt, Receipt)
    assert "is another one" in (receipt.hint or "")
    assert (again.status, again.hint) == ("updated", None)
