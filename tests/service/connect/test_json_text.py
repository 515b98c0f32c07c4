"""Edits of JSON with comments: the value is there afterwards, and everything else is as it was."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from service.connect.json_text import append_element, parse_json_text, remove_element, remove_value, set_value

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc/*"), inner, max_size=3),
    max_leaves=12,
)
_OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "//", '"']), _JSON, max_size=4)
_SERVER = {"command": "/bin/remembrancer", "args": ["stdio"]}


@given(_OBJECTS, st.sampled_from([None, 0, 2, "\t"]), st.sampled_from(["\n", "\r\n"]))
def test_what_is_added_can_be_taken_away_from_any_text(data: dict[str, Any], indent: Any, line_end: str) -> None:
    """However the text is laid out, it holds the value and what it held before, and afterwards only that."""
    text = json.dumps(data, indent=indent).replace("\n", line_end)

    added = set_value(text, ["servers", "ours"], _SERVER)
    listed = append_element(added, ["servers", "list"], _SERVER)
    taken = remove_value(remove_element(listed, ["servers", "list"], 0), ["servers", "list"])

    assert parse_json_text(added) == data | {"servers": {"ours": _SERVER}}
    assert parse_json_text(listed) == data | {"servers": {"ours": _SERVER, "list": [_SERVER]}}
    assert remove_value(remove_value(taken, ["servers", "ours"]), ["servers"]) == (text if data else "{}")


@given(_OBJECTS, st.sampled_from([None, 2]))
def test_each_key_can_be_taken_away(data: dict[str, Any], indent: Any) -> None:
    """The comma goes with the value that needed it, wherever that stood."""
    for key in data:
        left = copy.deepcopy(data)
        del left[key]
        assert parse_json_text(remove_value(json.dumps(data, indent=indent), [key])) == left


def test_comments_order_and_trailing_commas_stay() -> None:
    """An editor's settings are the user's: only the lines of the entry are added."""
    text = """// mine
{
    "z": 1, // last letter first
    /* servers
       by hand */
    "servers": {
        "other": {"command": "x"}, // keep
    },
}
"""

    added = set_value(text, ["servers", "ours"], {"command": "y"})

    assert added == text.replace("// keep\n", '// keep\n        "ours": {\n            "command": "y"\n        }\n')
    assert parse_json_text(remove_value(added, ["servers", "ours"])) == parse_json_text(text)
    assert remove_value(added, ["servers", "ours"]).count("//") == text.count("//")


def test_a_note_at_the_end_stays_where_it_is() -> None:
    """A comma is put before a comment, not into it."""
    text = '{\n  "a": 1 // the only one\n}\n'

    assert set_value(text, ["b"], 2) == '{\n  "a": 1, // the only one\n  "b": 2\n}\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1', "line 1, column 8: a comma or } is expected"),
        ('{\n  "a": oops\n}', "line 2, column 8: a value is expected"),
        ('{"a" 1}', "line 1, column 6: a colon is expected"),
        ("{} {}", "line 1, column 4: the end of the file is expected"),
        ("[1]", "line 1, column 1: an object in braces is expected"),
        ('{"a": "x\ny"}', "line 1, column 7: a string is expected"),
        ("[" * 100_000, "line 1, column 101: no more than 100 levels is expected"),
    ],
)
def test_a_damaged_text_is_refused_with_its_place(text: str, said: str) -> None:
    """Never guessed at: the user finds the place by the line that the editor counts, too."""
    with pytest.raises(InvalidInput) as refused:
        parse_json_text(text)

    assert str(refused.value) == said


def test_what_is_no_object_is_not_written_over() -> None:
    """A key that stands for something else keeps its value."""
    with pytest.raises(InvalidInput, match="line 1, column 13: servers should be an object"):
        set_value('{"servers": [1]}', ["servers", "ours"], 1)
    with pytest.raises(InvalidInput, match="line 1, column 11: hooks should be a list"):
        append_element('{"hooks": {}}', ["hooks"], 1)
