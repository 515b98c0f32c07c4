"""What the graph browser is made of: the files as they lie there, without a browser."""

import gzip
import hashlib
import json
import re
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"
LIBRARIES = json.loads((WEB / "vendor" / "libraries.json").read_text(encoding="utf-8"))
#: Our own modules, style sheets and page.
OWN = sorted(path for path in WEB.rglob("*") if path.suffix in {".js", ".css", ".html"})
#: What a page sends at most, compressed.
MOST_SENT = 300_000


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library["package"])
def test_a_library_is_the_one_that_its_maker_published(library: dict[str, dict[str, dict[str, str]]]) -> None:
    """Its files have the hashes noted, its version is the locked one, and npm's copy is the same where it is here."""
    lock = json.loads((Path(__file__).parent / "package-lock.json").read_text(encoding="utf-8"))
    locked = lock["packages"][f"node_modules/{library['package']}"]
    brought = Path(__file__).parent / "node_modules" / str(library["package"])

    assert (locked["version"], locked["license"]) == (library["version"], library["licence"])
    for name, file in library["files"].items():
        content = (WEB / "vendor" / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == file["sha256"], name
        assert not brought.exists() or (brought / file["from"]).read_bytes() == content


def test_every_vendored_file_is_noted() -> None:
    """Nothing lies beside the libraries that no list names."""
    noted = {name for library in LIBRARIES for name in library["files"]}

    assert {path.name for path in (WEB / "vendor").iterdir()} == {*noted, "libraries.json"}


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_no_file_holds_what_the_policy_forbids(path: Path) -> None:
    """Nothing from another host, no inline script or style, and no way in which stored text becomes HTML."""
    text = path.read_text(encoding="utf-8").replace('"http://www.w3.org/2000/svg"', "")
    forbidden = (
        r"https?://|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|<style|\bstyle="
    )

    assert re.findall(forbidden, text) == []
    assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []
    assert re.findall(r"\son[a-z]+=", text) == []


@pytest.mark.parametrize("path", [path for path in OWN if path.suffix == ".js"], ids=lambda path: path.name)
def test_every_import_names_a_file(path: Path) -> None:
    """Modules are loaded as they are: a wrong path shows only when that view is opened."""
    named = re.findall(r"""(?:from|import\() ?"(\.[^"]+)\"""", path.read_text(encoding="utf-8"))

    assert [name for name in named if not (path.parent / name).is_file()] == []


def test_all_of_it_is_small_enough_to_be_sent_at_once() -> None:
    """Compressed it stays under 300 kB, libraries and every view included."""
    files = [path for path in WEB.rglob("*") if path.suffix in {".js", ".mjs", ".css", ".html", ".svg"}]

    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < MOST_SENT
