"""The commands of Anthropic's memory tool on a folder of notes."""

from pathlib import Path
from types import SimpleNamespace

import pytest

import remembrancer


@pytest.fixture
def tool(tmp_path: Path) -> remembrancer.MemoryTool:
    """The tool on an empty folder."""
    return remembrancer.MemoryTool(tmp_path / "notes")


def test_the_commands_answer_as_the_package_does(tool: remembrancer.MemoryTool, tmp_path: Path) -> None:
    """Each with its exact message; a mapping and an object are read alike."""
    path = "/memories/plans/harbour.md"
    assert tool.to_dict() == {"type": "memory_20250818", "name": "memory"}
    made = tool.execute({"command": "create", "path": path, "file_text": "one\ntwo\nthree\n"})
    assert made == f"File created successfully at: {path}"
    assert tool.execute(SimpleNamespace(command="view", path=path, view_range=[2, 3])) == (
        f"Here's the content of {path} with line numbers:\n     2\ttwo\n     3\tthree"
    )
    assert tool.execute({"command": "str_replace", "path": path, "old_str": "two", "new_str": "2"}) == (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     1\tone\n     2\t2\n     3\tthree\n     4\t"
    )
    inserted = tool.execute({"command": "insert", "path": path, "insert_line": 0, "insert_text": "zero\n"})
    assert inserted == f"The file {path} has been edited."
    assert (tmp_path / "notes/plans/harbour.md").read_text() == "zero\none\n2\nthree\n"
    tool.execute({"command": "create", "path": "/memories/a.md", "file_text": "x" * 1536})
    listed = tool.execute({"command": "view", "path": "/memories"})
    assert listed.startswith(
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n"
    )
    assert "\n1.5K\t/memories/a.md\n" in listed
    assert listed.endswith("\t/memories/plans/\n17B\t/memories/plans/harbour.md")
    moved = {"command": "rename", "old_path": path, "new_path": "/memories/deep/b.md"}
    assert tool.execute(moved) == f"Successfully renamed {path} to /memories/deep/b.md"
    assert tool.execute({"command": "delete", "path": "/memories/deep"}) == "Successfully deleted /memories/deep"
    assert (tmp_path / "notes/.trash/deep/b.md").read_text().startswith("zero")
    assert ".trash" not in tool.execute({"command": "view", "path": "/memories"})


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ({"command": "view", "path": "/memories/no.md"},
         "The path /memories/no.md does not exist. Please provide a valid path."),
        ({"command": "create", "path": "/memories/a.md", "file_text": ""}, "File /memories/a.md already exists"),
        ({"command": "str_replace", "path": "/memories/a.md", "old_str": "z", "new_str": ""},
         "No replacement was performed, old_str `z` did not appear verbatim in /memories/a.md."),
        ({"command": "str_replace", "path": "/memories/a.md", "old_str": "a", "new_str": ""},
         ("No replacement was performed. Multiple occurrences of old_str `a` in lines: 1, 3. "
         "Please ensure it is unique")),
        ({"command": "insert", "path": "/memories/a.md", "insert_line": 9, "insert_text": "x"},
         "Invalid `insert_line` parameter: 9. It should be within the range [0, 3]."),
        ({"command": "delete", "path": "/memories"}, "Cannot delete the /memories directory itself"),
        ({"command": "delete", "path": "/memories/no"}, "The path /memories/no does not exist"),
        ({"command": "rename", "old_path": "/memories", "new_path": "/memories/x"},
         "Cannot rename the /memories directory itself"),
        ({"command": "rename", "old_path": "/memories/no", "new_path": "/memories/x"},
         "The path /memories/no does not exist"),
        ({"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/a.md"},
         "The destination /memories/a.md already exists"),
        ({"command": "view", "path": "/etc/passwd"}, "Path must start with /memories, got: /etc/passwd"),
        ({"command": "view", "path": "/memories/../../x"}, "Path /memories/../../x would escape /memories directory"),
        ({"command": "view", "path": "/memories/link.md"}, "Path /memories/link.md would escape /memories directory"),
        ({"command": "create", "path": "/memories/.git/hooks/x", "file_text": ""},
         "Path /memories/.git/hooks/x is hidden: choose a name that does not begin with a dot"),
        ({"command": "view", "path": "/memories/bad.md"},
         "The file /memories/bad.md is not UTF-8 text (byte 0): save it as UTF-8."),
        ({"command": "burn", "path": "/memories"}, "Unknown command: burn"),
    ],
)  # fmt: skip
def test_what_can_not_be_done_is_said_and_changes_nothing(
    tool: remembrancer.MemoryTool, tmp_path: Path, command: dict[str, object], message: str
) -> None:
    """Nothing outside of the folder is read or written, also through links."""
    (tmp_path / "outside.md").write_text("secret")
    (tmp_path / "notes/link.md").symlink_to(tmp_path / "outside.md")
    (tmp_path / "notes/bad.md").write_bytes(b"\xff\xff")
    tool.execute({"command": "create", "path": "/memories/a.md", "file_text": "a\nb\na\n"})
    with pytest.raises(remembrancer.InvalidInput) as raised:
        tool.execute(command)
    assert str(raised.value) == message
    assert (tmp_path / "notes/a.md").read_text() == "a\nb\na\n"
    assert (tmp_path / "outside.md").read_text() == "secret"


def test_arguments_that_are_missing_are_named(tool: remembrancer.MemoryTool) -> None:
    with pytest.raises(remembrancer.InvalidInput, match="file_text"):
        tool.execute({"command": "create", "path": "/memories/a.md"})
