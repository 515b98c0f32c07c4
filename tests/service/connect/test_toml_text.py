"""Edits of TOML: a table more, or less, and every other line as it was."""

import pytest

from core.errors import InvalidInput
from service.connect.settings_text import parse_toml_text, remove_table, set_table

PATH = ("mcp_servers", "remembrancer")
SERVER = {"command": "C:\\bin\\remembrancer.exe", "args": ["stdio"], "env": {"REMEMBRANCER_HOME": "/my home"}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        'model = "x" # mine\n',
        '[mcp_servers.other]\ncommand = "x"\n\n# of the profile\n[profiles.a]\nmodel = "y"\n',
        'a = """\n[mcp_servers.fake]\n"""\r\n',
        "a = 1",
    ],
)
def test_a_table_is_added_replaced_and_taken_away(text: str) -> None:
    """Comments and other tables are the user's."""
    added = set_table(text, PATH, SERVER)
    changed = set_table(added, PATH, {"command": "y"})

    assert added.startswith(text)
    assert parse_toml_text(added)["mcp_servers"]["remembrancer"] == SERVER
    assert parse_toml_text(changed)["mcp_servers"]["remembrancer"] == {"command": "y"}
    assert remove_table(changed, PATH).rstrip() == text.rstrip()


def test_the_tables_in_a_table_go_with_it_and_what_follows_stays() -> None:
    """Codex writes the environment as a table of its own."""
    text = (
        '[mcp_servers."remembrancer"]\ncommand = "x"\n[mcp_servers.remembrancer.env]\nA = "1"\n\n# next\n[tui]\nb = 2\n'
    )

    assert remove_table(text, PATH) == "\n# next\n[tui]\nb = 2\n"


def test_a_damaged_text_is_refused_with_its_place() -> None:
    """As the library counts lines."""
    with pytest.raises(InvalidInput, match="line 2"):
        parse_toml_text("a = 1\nb = \n")
