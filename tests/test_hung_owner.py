"""An owner that hangs: every client is told so in time, and goes on when it does."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import remembrancer
from core.errors import Unavailable
from service.owner import endpoint, launcher
from service.owner.home_config import HomeConfig
from service.owner.launcher import stop_owner
from service.owner.ownership import own_home
from tests.eventually import eventually
from tests.running_processes import Bridged, owner


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A home whose owner is gone when the test is over."""
    folder = tmp_path / "home"
    yield folder
    stop_owner(HomeConfig(folder, {}, {}))
    eventually(lambda: owner(folder) is None)


def stopped(home: Path) -> int:
    """Stop the owner as a debugger or a suspended machine does; return its process id."""
    pid = int((owner(home) or {})["pid"])
    os.kill(pid, signal.SIGSTOP)
    return pid


def test_a_call_to_an_owner_that_hangs_is_answered_and_the_next_goes_on(home: Path) -> None:
    with Bridged(home) as client:
        kept = client.call("remember", content="The spare key hangs in the shed.")
        pid = stopped(home)
        try:
            pending = client.call("recall", query="spare key")
            anew = client.call("recall", query="spare key")
        finally:
            os.kill(pid, signal.SIGCONT)
        found = client.call("recall", query="spare key")

    for answer in (pending, anew):
        assert answer["code"] == "unavailable"
        assert f"process {pid}" in answer["error"]
    assert found["results"][0]["id"] == kept["id"]


def test_a_killed_owner_that_hung_is_replaced(home: Path) -> None:
    with Bridged(home) as client:
        kept = client.call("remember", content="The spare key hangs in the shed.")
        pid = stopped(home)
        assert client.call("recall", query="spare key")["code"] == "unavailable"
        os.kill(pid, signal.SIGKILL)
        found = client.call("recall", query="spare key")

    assert found["results"][0]["id"] == kept["id"]


def test_programs_and_commands_beside_an_owner_that_hangs_are_told_so(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "_GREETING_SECONDS", 0.5)
    monkeypatch.setattr("remembrancer._owner._SILENCE_SECONDS", 0.5)
    with Bridged(home) as client, remembrancer.open(home) as memory:
        client.call("remember", content="The spare key hangs in the shed.")
        pid = stopped(home)
        try:
            with pytest.raises(Unavailable, match=f"process {pid}"):
                memory.recall("spare key")
            with pytest.raises(Unavailable, match="has not answered"):
                launcher.connect_to_owner(HomeConfig(home, {}, {}), "status")
            with pytest.raises(Unavailable, match="has not answered"), own_home(home):
                pass
        finally:
            os.kill(pid, signal.SIGCONT)
        assert memory.recall("spare key").total_count == 1
