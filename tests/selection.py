"""Which tests `make test` and `make test-rest` choose, by marks: a plugin that tests/conftest.py names.

`both_engines` runs a test on embedded stores and on servers. Parity of the engines is what tests/contracts and
tests/test_congruence.py hold; the mark is for the few tests that prove that a whole way through the service is wired
to either. `servers` needs a Neo4j or a Chroma server, and is given here to whatever asks for one. `exhaustive` is given
by hand to what goes through all points where `make test` goes through chosen ones, and to what takes more than about
two seconds of a processor: whole processes that are started and killed, long texts, large stores. `browser` is given to
what drives one.
"""

from typing import Final

import pytest

ENGINES: Final = ("embedded", pytest.param("servers", marks=pytest.mark.servers))
#: The first test that asks for a server waits for its start, too.
SERVER_SECONDS: Final = 240
_SERVERS: Final = {"neo4j_server", "own_neo4j", "chroma_server", "own_chroma"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the test of isolation be as long as one likes."""
    parser.addoption(
        "--operations",
        type=int,
        help="of the long tests of isolation (default: 300, none on servers) and of given knowledge (2,000)",
    )
    parser.addoption("--mutations", type=int, default=200, help="of each sound file in the long tests of readers")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is marked `both_engines` on both."""
    if metafunc.definition.get_closest_marker("both_engines"):
        metafunc.parametrize("engine", ENGINES, indirect=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what asks for a server, before pytest chooses by marks, and begin with what is given the most time.

    Begun at the end it would run alone while the other workers are done.
    """
    for item in items:
        if isinstance(item, pytest.Function) and _asks_for_server(item):
            item.add_marker(pytest.mark.servers)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(SERVER_SECONDS))
    items.sort(key=_seconds_given, reverse=True)


def _seconds_given(item: pytest.Item) -> float:
    given = item.get_closest_marker("timeout")
    return float(given.args[0]) if given else 0.0


def _asks_for_server(item: pytest.Function) -> bool:
    engine = item.callspec.params.get("engine") if hasattr(item, "callspec") else None
    return engine == "servers" or not _SERVERS.isdisjoint(item.fixturenames)
