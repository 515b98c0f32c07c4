"""Entries among those of the user's own: only ours are replaced and taken out."""

import json
from pathlib import Path

from service.connect.clients import CLIENTS, Change, Machine, Program
from service.connect.settings_text import add_entries, has_entries, parse_settings, remove_entries


def hooks_of(program: str) -> Change:
    """Return the change that connects the hooks of Claude Code to a program."""
    machine = Machine(Path("/home/ann"), "linux", {})
    return CLIENTS["claude-code"].changes(machine, Program(Path(program), None, "linux"))[1]


def test_a_users_hook_in_a_group_with_ours_stays() -> None:
    """Clients add a hook to the group that is there: a new place of the program and an undo take out ours alone."""
    own = {"type": "command", "command": "say bye"}
    settings = json.loads(add_entries("", hooks_of("/opt/remembrancer")))
    settings["hooks"]["SessionEnd"][0]["hooks"].append(own)
    text = json.dumps(settings, indent=2)

    moved = add_entries(text, hooks_of("/new place/remembrancer"))

    ends = parse_settings(moved, "json")["hooks"]["SessionEnd"]
    assert [[hook["command"] for hook in group["hooks"]] for group in ends] == [
        ["say bye"],
        ["'/new place/remembrancer' hook session-end"],
    ]
    assert add_entries(moved, hooks_of("/new place/remembrancer")) == moved
    for past in (None, text):
        left = remove_entries(text, hooks_of("/opt/remembrancer"), past)
        assert parse_settings(left, "json")["hooks"]["SessionEnd"] == [{"hooks": [own]}]
    assert has_entries(text, hooks_of("/opt/remembrancer"))


def test_a_hook_that_only_looks_like_ours_is_the_users() -> None:
    """As that of a program kept in a folder with our name."""
    own = [
        {"hooks": [{"type": "command", "command": f"/src/{name} hook session-end-log"}]}
        for name in ("remembrancer", "x")
    ]
    text = json.dumps({"hooks": {"SessionEnd": own}})

    assert not has_entries(text, hooks_of("/opt/remembrancer"))
    assert parse_settings(add_entries(text, hooks_of("/opt/remembrancer")), "json")["hooks"]["SessionEnd"][:2] == own
