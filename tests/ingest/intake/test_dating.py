"""Where the day of an item comes from when nobody gave it."""

import os
import subprocess
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.interface.memory import Memory
from ingest.intake.dating import FileDates, add_text_date
from ingest.readers import read

_NOON = datetime(2020, 5, 6, 12, tzinfo=UTC).timestamp()


def of_file(path: Path, content: str) -> tuple[str | None, str | None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    os.utime(path, (_NOON, _NOON))
    (memory,) = read(path, context=None)
    found = FileDates().dated(memory, path)
    return found.date, found.date_source


def git(folder: Path, *words: str) -> None:
    who = {"GIT_AUTHOR_DATE": "2021-02-03T10:00:00+0000", "GIT_COMMITTER_DATE": "2022-02-03T10:00:00+0000"}
    who |= {f"GIT_{role}_{part}": "ann@example.org" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    subprocess.run(["git", *words], cwd=folder, env=os.environ | who, check=True, capture_output=True)


def test_what_is_remembered_has_the_day_of_its_title_or_first_lines() -> None:
    """Given, else by title and first lines; turns, stashes and what has a date are left alone."""
    found = add_text_date(Memory(content="Present: Ann.", title="Sync 2024-03-04"))
    assert (found.date, found.date_source) == ("2024-03-04", "title")
    for memory in (
        Memory(content="# Sync 2024-03-04\n\nx", date="2020-01-01"),
        Memory(content="# Sync 2024-03-04\n\nx", document_date="2020-01-01"),
        Memory(content="# Sync 2024-03-04\n\nx", context="stash"),
        Memory(content="2024-03-04", context="conversation", conversation_id="c", turn_index=1),
        Memory(content="Nothing."),
    ):
        assert add_text_date(memory) == memory


def test_a_found_day_is_no_part_of_who_an_item_is() -> None:
    """The same words under the same name stay the same item, whatever git or the file's time say later."""
    memory = Memory(content="# Sync 2024-03-04\n\nx")
    assert add_text_date(memory).fingerprint("p") == memory.fingerprint("p")
    assert memory.updated_with(add_text_date(memory), datetime.now(UTC)) == memory


def test_a_month_is_a_date() -> None:
    """It begins with its first day; times that count from a day are not read from it."""
    memory = Memory(content="x", date="2021-08")
    assert memory.moment() == datetime(2021, 8, 1, tzinfo=UTC)
    assert memory.written() is None


def test_files_are_dated_in_order_of_what_is_surest(tmp_path: Path) -> None:
    """Front matter, words, name, and at last the file's own time."""
    assert of_file(tmp_path / "2021-01-01.md", "---\ndate: 2024-03-04\n---\n# 2023-01-01\n") == ("2024-03-04", None)
    assert of_file(tmp_path / "2021-01-01.md", "# 2023-01-01\n") == ("2023-01-01", "title")
    assert of_file(tmp_path / "2021-08-news.md", "Words.") == ("2021-08", "file name")
    assert of_file(tmp_path / "a.md", "Words.") == ("2020-05-06", "file time")
    assert of_file(tmp_path / "b.md", "# Sync, May 4th\n\nx") == ("2020-05-04", "title")


def test_day_and_month_are_told_apart_by_the_folder(tmp_path: Path) -> None:
    """The names of its files, else their first lines; also for a field above the text."""
    assert of_file(tmp_path / "a.md", "# Sync 03/04/2021\n") == ("2020-05-06", "file time")
    (tmp_path / "b.md").write_text("# Sync 03/25/2021\n", encoding="utf-8")
    assert of_file(tmp_path / "a.md", "# Sync 03/04/2021\n") == ("2021-03-04", "title")
    assert of_file(tmp_path / "c.md", "---\ndate: 03/04/2021\n---\nWords.\n") == ("2021-03-04", "front matter")


def test_git_says_when_a_file_was_first_committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its author, before the file's own time; nothing of the repository's settings is run."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git(tmp_path, "init", "-q")
    assert of_file(tmp_path / "notes" / "größe.md", "Words.") == ("2020-05-06", "file time")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "Add")
    mark = tmp_path / "ran"
    for setting in ("core.fsmonitor", "core.pager", "diff.external", "gpg.program", "core.sshCommand"):
        git(tmp_path, "config", setting, f"touch {mark}")
    git(tmp_path, "config", "log.showSignature", "true")
    assert of_file(tmp_path / "notes" / "größe.md", "Words.") == ("2021-02-03", "git")
    assert not mark.exists()


def test_the_words_of_a_document_come_before_the_properties_of_its_file() -> None:
    """A template is older, and a change is later, than what is written in it."""
    made = Memory(content="Minutes of 12 March 2026\n\nWe met.", date="2026-05-02T10:00:00Z", date_source="properties")
    assert add_text_date(made).date == "2026-03-12"
    without = replace(made, content="We met.")
    assert add_text_date(without) == without
    month = replace(made, content="# Minutes, May 2026\n\nWe met.")
    assert add_text_date(month) == month


def test_a_post_about_an_earlier_day_has_that_day(tmp_path: Path) -> None:
    """Sites give the time of publishing above a text; a day to come, or long ago, is another one."""

    def post(words: str, day: str = "2026-05-18T13:19:50.197Z") -> str | None:
        return of_file(tmp_path / "post.md", f"---\ndate: {day}\n---\n{words}\n\nWe met.\n")[0]

    assert post("**Date:** 14 May 2026, 18:00") == "2026-05-14"
    assert post("# Board meeting of 14 May 2026") == "2026-05-14"
    assert post("# Fair on 14 June 2026") == "2026-05-18T13:19:50.197Z"
    assert post("# The fire of 14 May 1926") == "2026-05-18T13:19:50.197Z"
    assert post("# Board meeting of 14 May 2026", "2026-05-18") == "2026-05-14"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("---\ntitle: Board meeting of 14 May 2026\ndate: 2026-05-18\n---\nWe buy it.\n", "2026-05-14"),
        ("---\ntitle: Board meeting, 14 May 2026\npublished: 2026-05-18\n---\nWe buy it.\n", "2026-05-14"),
        ("---\ntitle: Board meeting\ndate: 2026-05-18\n---\n**Date:** 14 May 2026\n\nWe buy it.\n", "2026-05-14"),
        ("---\ntitle: Meeting on the plans of 14 May 2025\ndate: 2026-05-18\n---\nWe buy it.\n", "2026-05-18"),
        ("---\ntitle: Report on the storm of 14 May 2026\ndate: 2026-05-18\n---\nIt blew.\n", "2026-05-18"),
    ],
)
def test_minutes_are_of_the_day_that_they_give_not_of_that_when_they_were_put_on_a_site(
    tmp_path: Path, text: str, day: str
) -> None:
    assert of_file(tmp_path / "a.md", text)[0] == day
