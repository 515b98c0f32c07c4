"""Formats: what `docs/plugins.md` says of readers, the built-in ones among them."""

import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.interface.memory import Memory
from ingest.readers import items, supported, walk
from ingest.readers.formats import format as registry
from ingest.readers.formats.source import Item, Refused
from service.cli import main

PAGE = (Path(__file__).parents[3] / "docs" / "plugins.md").read_text(encoding="utf-8")
Install = Callable[[str, str, str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a distribution of one module with readers, for as long as the test runs."""
    folder = tmp_path / "site-packages"
    monkeypatch.syspath_prepend(str(folder))

    def put(module: str, source: str, points: str) -> None:
        facts = folder / f"{module}-1.0.dist-info"
        facts.mkdir(parents=True)
        (folder / f"{module}.py").write_text(source, encoding="utf-8")
        (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
        (facts / "entry_points.txt").write_text(f"[remembrancer.readers]\n{points}", encoding="utf-8")
        monkeypatch.delitem(sys.modules, module, raising=False)
        registry._registered.cache_clear()

    yield put
    registry._registered.cache_clear()


def install_recipes(install: Install) -> None:
    (code,) = (block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "RECIPES =" in block)
    install("my_recipes", code, "recipes = my_recipes:RECIPES\n")


def test_a_format_of_ones_own_reads_by_suffix_and_by_content(install: Install, tmp_path: Path) -> None:
    """docs/plugins.md: the example; a part that can't be read doesn't stop the others."""
    install_recipes(install)
    by_name, by_content = tmp_path / "a.recipes", tmp_path / "b.txt"
    by_name.write_text("Stew\n%%\n\n%%\nPie", encoding="utf-8")
    by_content.write_text("%RECIPES\nSoup", encoding="utf-8")

    first, refused, last = items(by_name, context="note")

    where = by_name.resolve().as_posix()
    assert first == Item(Memory(content="Stew", key=f"{where}#1", file_path=where, source="file", context="note"))
    assert isinstance(refused, Refused)
    assert f"{where}#2" in refused.reason
    assert isinstance(last, Item)
    assert [part.memory.key for part in items(by_content, context=None) if isinstance(part, Item)] == [
        f"{by_content.resolve().as_posix()}#1"
    ]


def test_files_without_a_known_suffix_are_looked_at(install: Install, tmp_path: Path) -> None:
    """What no format knows is counted, not read."""
    install_recipes(install)
    (tmp_path / "box").mkdir()
    known, other = tmp_path / "box" / "recipes", tmp_path / "box" / "other"
    known.write_text("%RECIPES\nSoup", encoding="utf-8")
    other.write_text("Soup", encoding="utf-8")

    assert supported(known)
    found = walk([tmp_path / "box"])
    assert (found.files, dict(found.skipped)) == ((known.resolve(),), {"no suffix": 1})


def test_entry_points_that_give_no_format_are_named_and_the_others_read(
    install: Install, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A package that is broken stops nothing."""
    install("broken_readers", "thing = object()\n", "broken = broken_readers:thing\nabsent = nobody_has_this:X\n")

    assert main(["formats"]) == 1

    told = " ".join(capsys.readouterr().out.split())
    assert "broken: broken_readers:thing is <object" in told
    assert "absent: nobody_has_this:X can't be loaded (ModuleNotFoundError" in told
    assert "Markdown with YAML front matter" in told


def test_what_a_format_needs_is_named(install: Install, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the list, and where a file of it can't be read."""
    code = (
        "from ingest.readers.formats.format import Format\n"
        "SCAN = Format('scan', 'scans', 'scan_reader:read', ('.scan',), needs=('tesseract_x',), extra='scans[ocr]')\n"
    )
    install("scan_reader", code, "scan = scan_reader:SCAN\n")
    (tmp_path / "a.scan").write_text("x", encoding="utf-8")

    assert main(["formats"]) == 0
    assert "tesseract_x, which is missing: pip install 'scans[ocr]'" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(InvalidInput, match=r"a\.scan.* need tesseract_x: `pip install 'scans\[ocr\]'`"):
        list(items(tmp_path / "a.scan", context=None))


@pytest.mark.parametrize("name", [known.name for known in registry.formats()])
def test_every_built_in_format_has_a_reader_and_what_it_needs(name: str) -> None:
    """CONTRIBUTING.md: the environment that `make` sets up reads all but pictures."""
    (known,) = (known for known in registry.formats() if known.name == name)
    module, _, function = known.reader.partition(":")

    if known.missing():
        assert known.name == "picture"
        return
    assert callable(getattr(import_module(module, "ingest.readers"), function))
