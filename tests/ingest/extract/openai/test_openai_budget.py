"""What extraction by a service costs, how much it may, and what `status` says of it."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from core.errors import Conflict, Unavailable
from core.openai_usage import Spending, Usage
from graph.sqlite_store import SqliteStore
from ingest.extract.openai import OpenAIExtractor
from ingest.extract.protocol import RemoteExtractor
from tests.ingest.extracting import artifact_of
from tests.ingest.openai_answers import (
    ANSWER,
    TEXT,
    asking,
    kept,
    speaker_says,
)
from tests.openai_server import OpenAIServer, Reply


def test_costs_are_counted_in_the_record_for_all_processes(server: OpenAIServer, store: SqliteStore) -> None:
    """Requests, prompt and completion tokens, as the service counts them."""
    server.says = lambda _: ANSWER
    first, second = asking(server, store), asking(server, store)
    assert isinstance(first, RemoteExtractor)
    kept(first)
    kept(second, TEXT + "More.")
    spent = Spending(store, None).spent()
    assert spent.ever == spent.today == first.usage() == second.usage()
    assert (spent.ever.requests, spent.ever.completion_tokens) == (2, 2 * (len(ANSWER) // 4))
    assert f"2 requests, {spent.ever.tokens:,} tokens ({spent.ever.prompt_tokens:,} prompt" in first.check()


def test_failed_answers_are_paid_for_and_counted(extractor: OpenAIExtractor, server: OpenAIServer) -> None:
    """A refusal and a malformed answer cost what any answer costs."""
    server.next(Reply(content="{"), Reply(refusal="No."))
    with pytest.raises(Conflict):
        extractor.extract(artifact_of(TEXT))
    assert extractor.usage().requests == 2


def test_a_service_that_does_not_count_is_counted_by_length(extractor: OpenAIExtractor, server: OpenAIServer) -> None:
    """A budget must hold with servers that give no usage, too: four bytes are a token."""
    server.next(Reply(content=ANSWER, counted=False))
    kept(extractor)
    usage = extractor.usage()
    assert usage.completion_tokens == len(ANSWER) // 4
    assert 500 < usage.prompt_tokens < 2_000


def test_a_budget_that_is_used_up_stops_new_requests(server: OpenAIServer, store: SqliteStore) -> None:
    """The message says until when, and how to go on at once; a larger budget goes on where it stopped."""
    server.says = speaker_says
    text = "\n".join(f"Person {number}: We decided on plan {number}." for number in range(200))
    spare = asking(server, store, budget=20_000)
    with pytest.raises(Unavailable, match=r"00:00 UTC.*REMEMBRANCER_OPENAI_EXTRACTION_BUDGET"):
        spare.extract(artifact_of(text))
    asked = len(server.chats())
    assert 0 < asked < 4
    with pytest.raises(Unavailable):
        spare.extract(artifact_of(text))
    assert len(server.chats()) == asked
    assert len(kept(asking(server, store), text).events) == 200


def test_a_budget_that_allows_no_request_says_so(server: OpenAIServer, store: SqliteStore) -> None:
    """It would not go on the next day either."""
    with pytest.raises(Unavailable, match=r"5,000 tokens a day allows no request.*larger REMEMBRANCER_OPENAI_EXTRAC"):
        asking(server, store, budget=5_000).extract(artifact_of(TEXT))
    assert not server.chats()


def test_a_budget_begins_anew_each_day(store: SqliteStore) -> None:
    """At 00:00 UTC, whatever the machine's own zone is; what was spent ever is not forgotten."""
    at = [datetime(2026, 3, 10, 23, 59, tzinfo=UTC)]
    spending = Spending(store, 100, clock=lambda: at[0])
    spending.add(Usage(1, 60, 40))
    with pytest.raises(Unavailable, match="2026-03-10"):
        spending.check()
    at[0] = datetime(2026, 3, 11, tzinfo=UTC)
    spent = spending.check()
    assert (spent.today, spent.ever) == (Usage(), Usage(1, 60, 40))


def test_two_processes_that_count_at_once_lose_nothing(store: SqliteStore) -> None:
    """Also where both count the same: of two equal notes one would take the other for its own."""
    both = [Spending(store, None), Spending(store, None)]
    races: list[Callable[[], None]] = [lambda: None]

    class Racing:
        """The record, on which another process counts between reading and writing."""

        def metadata_value(self, name: str) -> str | None:
            value = store.metadata_value(name)
            races.pop()()
            return value

        compare_and_set = staticmethod(store.compare_and_set)

    slow = Spending(Racing(), None)
    races[:] = [lambda: both[0].add(Usage(1, 10, 5))]
    slow.add(Usage(1, 10, 5))
    races[:] = [lambda: both[1].add(Usage(1, 10, 5))]
    slow.add(Usage(1, 10, 5))
    assert both[0].spent().ever == Usage(4, 40, 20)


@pytest.mark.parametrize(
    ("model", "lacks", "trouble"),
    [("gpt-4o-mini", [], None), ("other", [], "does not know the model"), ("other", ["models"], None)],
)
def test_status_asks_for_the_model_and_pays_nothing(
    model: str, lacks: list[str], trouble: str | None, store: SqliteStore
) -> None:
    """A wrong name is said before the first document is read; a server that can't tell is believed."""
    with OpenAIServer(models=[model], lacks=lacks) as server:
        extractor = asking(server, store)
        if trouble is None:
            assert extractor.check().startswith("openai:gpt-4o-mini; today (UTC) 0 requests, 0 tokens")
        else:
            with pytest.raises(Unavailable, match=trouble):
                extractor.check()
    assert server.chats() == []


def test_a_wrong_key_is_said_and_never_shown(store: SqliteStore) -> None:
    """Kind: which variable to mend."""
    with OpenAIServer(key="sk-right") as server:
        extractor = asking(server, store)
        for ask in (extractor.check, lambda: extractor.extract(artifact_of(TEXT))):
            with pytest.raises(Unavailable, match="OPENAI_API_KEY") as caught:
                ask()
            assert "sk-test" not in str(caught.value)
