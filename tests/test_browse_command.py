"""`remembrancer browse`: the way into the graph browser of the running memory."""

import re
from pathlib import Path

import httpx2
import pytest

from tests.eventually import eventually
from tests.running_processes import owner, shell


@pytest.mark.exhaustive
def test_browse_prints_an_address_of_the_owner_that_lets_a_browser_in_once(tmp_path: Path) -> None:
    """The owner is started if none runs, and stays while a browser asks for anything."""
    home = tmp_path / "home"
    stored = shell(home, "remember", "Ana Silva decided to use Postgres.")
    asked = shell(home, "browse", "--no-open")
    address = asked.stdout.strip()
    base = address.partition("?")[0]
    with httpx2.Client() as browser:
        entered = browser.get(address)
        session = browser.get(f"{base}api/session").json()
        found = browser.get(f"{base}api/search", params={"q": "Postgres"}).json()
        again = httpx2.get(address).headers.get("Set-Cookie")
    eventually(lambda: owner(home) is None)

    assert stored.returncode == asked.returncode == 0
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?ticket=\S{40,}", address)
    assert (entered.status_code, entered.headers["Location"], again) == (303, "/", None)
    assert session["projects"] == ["default"]
    assert found["results"][0]["content"] == "Ana Silva decided to use Postgres."
