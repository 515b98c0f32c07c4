"""A cursor over JSON gives what the standard decoder gives, without holding the whole."""

import io
import json
from pathlib import Path

import pytest

from core.errors import InvalidInput
from ingest.readers import json_text
from ingest.readers.formats.source import Source
from ingest.readers.json_text import JsonCursor


def cursor(text: str) -> JsonCursor:
    return JsonCursor("a.json", io.StringIO(text))


@pytest.mark.parametrize("step", [1, 2, 7, 1000])
def test_elements_are_those_of_the_decoder_wherever_reading_stops(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers and texts that are cut in two by a read among them."""
    monkeypatch.setattr(json_text, "_READ", step)
    values = [1, 12.5, -3e9, 'a\u2028"b', None, True, [], {"x": [1, {"y": "z"}]}, 123456789]
    assert list(cursor(json.dumps(values, indent=1)).elements()) == values
    assert list(cursor(" [ ]").elements()) == []


def test_members_are_passed_one_by_one() -> None:
    """What stands before a list of many is known when the list is walked."""
    walk = cursor('{"name": "x", "many": [1, 2], "more": {"a": 1}}')
    found: dict[str, object] = {}
    for name in walk.members():
        found[name] = [element for element in walk.elements()] if name == "many" else walk.value()  # noqa: C416
    assert found == {"name": "x", "many": [1, 2], "more": {"a": 1}}


@pytest.mark.parametrize(
    "text", ["", "[1", "[1 2]", "[1,]", '["a', "{}", "[" * 100_000, "[nul]", "[" + "9" * 5000 + "]"]
)
def test_what_is_no_list_of_values_is_refused_by_name(text: str) -> None:
    """Also what is nested without end."""
    with pytest.raises(InvalidInput, match=r"a\.json"):
        list(cursor(text).elements())


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    """Nothing is replaced."""
    (tmp_path / "a.json").write_bytes(b'["\xff"]')
    with json_text.json_cursor(Source(tmp_path / "a.json")) as walk, pytest.raises(InvalidInput, match=r"a\.json"):
        list(walk.elements())
