"""How workers of pytest-xdist share the tests (`make test`): a plugin that tests/conftest.py names.

Each gets the next test, but all tests of the servers of `make services` go to one: these have one process at a time.
Marks of `xdist_group` would say that too, were they not lost with pytest 9.2: https://github.com/pytest-dev/pytest-xdist/issues/1386
"""

import re
from typing import Final

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

#: The process that gives tests out knows nothing of them but their names.
_OF_SERVERS: Final = re.compile(r"/test_(neo4j_|congruence|replicas)|_replica_|test_services_start|\bservers\b")


class _Scheduling(LoadScopeScheduling):  # type: ignore[misc]  # the library has no types
    """The largest scope is begun with, which is that of the servers."""

    def _split_scope(self, nodeid: str) -> str:
        return "servers" if _OF_SERVERS.search(nodeid) else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Have the tests given out as above, whatever `--dist` says."""
    return _Scheduling(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Have workers begin with what may take longest, and refuse tests of the servers whose names do not say so."""
    if hasattr(config, "workerinput"):
        items.sort(key=_patience, reverse=True)
    silent = [item.nodeid for item in items if _uses_servers(item) and not _OF_SERVERS.search(item.nodeid)]
    if silent:
        raise pytest.UsageError(f"Name these as tests/workers.py knows tests of the servers, or add to it: {silent}")


def _patience(item: pytest.Item) -> float:
    """Return the seconds that a test was given, if it was given any."""
    mark = item.get_closest_marker("timeout")
    return float(mark.args[0]) if mark else 0.0


def _uses_servers(item: pytest.Item) -> bool:
    if not isinstance(item, pytest.Function):
        return False
    chosen = item.callspec.params.get("engine") if hasattr(item, "callspec") else None
    return chosen == "servers" or not {"neo4j_server", "chroma_server"}.isdisjoint(item.fixturenames)
