"""`ingest` as clients call it: which files they may have read, and what they are told while it lasts."""

import asyncio
import json
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp_types import ListRootsResult

from core.dates import now
from core.filters import Filters
from core.interface.caller import Caller, act_as
from ingest.readers import items
from ingest.readers.formats.source import Part
from service.actions.client_files import Intake
from service.app import App
from service.server import create_server
from service.settings import load_settings
from service.tools.operations import make_roots
from service.wiring import open_known_files
from tests.calling import answered
from tests.eventually import eventually

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["auto", "legacy"])
def mode(request: pytest.FixtureRequest) -> str:
    """The eras of the protocol: roots come by calling again, or are asked for during the call."""
    return str(request.param)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of two notes, beside a file that nobody opened to clients."""
    folder = tmp_path / "my notes"
    folder.mkdir()
    (folder / "hours.md").write_text("# Hours\n\nThe harbour office opens at nine.")
    (folder / "boats.txt").write_text("Boat seven is on the slip.")
    (tmp_path / "secret.txt").write_text("The safe is behind the barometer.")
    return folder


def working_in(app: App, folders: Sequence[Path], mode: str = "auto") -> Client:
    """Return a client with these roots."""

    async def roots(context: object) -> ListRootsResult:
        return make_roots([str(folder) for folder in folders])

    return Client(create_server(app), mode=mode, list_roots_callback=roots)


async def refused(client: Client, **arguments: object) -> dict[str, Any]:
    """Return the error of a call that is expected to fail."""
    result = await client.call_tool("ingest", arguments)
    assert result.is_error
    return dict(json.loads(result.content[0].text))  # type: ignore[union-attr] # errors are text


def contents(app: App) -> set[str]:
    """Return what is stored."""
    return {artifact.memory.content for artifact in app.store.newest("default", Filters(at=now()), 100)}


async def test_what_is_below_the_clients_roots_is_taken_in(app: App, notes: Path, mode: str) -> None:
    """docs/interface.md `ingest`: absolute or relative; what did not change is passed over."""
    async with working_in(app, [notes], mode) as client:
        assert await answered(client, "ingest", path=str(notes)) == {
            "stored": 2,
            "updated": 0,
            "unchanged": 0,
            "refused": [],
        }
        (notes / "hours.md").write_text("# Hours\n\nThe harbour office opens at ten.")
        assert await answered(client, "ingest", path="hours.md") == {
            "stored": 0,
            "updated": 1,
            "unchanged": 0,
            "refused": [],
        }
        found = await answered(client, "recall", query="When does the harbour office open?")
        assert "ten" in found["results"][0]["content"]


async def test_what_is_outside_of_the_roots_stays_unread(app: App, notes: Path) -> None:
    """By path, `..` or a link; and nobody learns whether it is there."""
    (notes / "link.txt").symlink_to(notes.parent / "secret.txt")
    async with working_in(app, [notes]) as client:
        for path in (
            str(notes.parent / "secret.txt"),
            "../secret.txt",
            "link.txt",
            str(notes.parent / "gone.txt"),
            "/",
        ):
            error = await refused(client, path=path)
            assert error["code"] == "invalid_input"
            assert "not open to ingest" in error["error"]
        await answered(client, "ingest", path=".")
        assert (await refused(client, path="gone.txt"))["code"] == "not_found"
    assert not any("barometer" in content for content in contents(app))


async def test_the_setting_wins_over_the_roots(app: App, notes: Path) -> None:
    """`REMEMBRANCER_INGEST_ROOTS`: whoever runs the server says what is read."""
    app.intake = Intake(roots=(notes,))
    async with working_in(app, [notes.parent]) as client:
        assert "REMEMBRANCER_INGEST_ROOTS" in (await refused(client, path=str(notes.parent)))["error"]
        assert (await answered(client, "ingest", path=str(notes)))["stored"] == 2


async def test_without_roots_nothing_is_read(client: Client, notes: Path) -> None:
    """The error says what opens a folder."""
    assert "REMEMBRANCER_INGEST_ROOTS" in (await refused(client, path=str(notes)))["error"]


async def test_roots_of_another_machine_do_not_count(app: App, notes: Path, mode: str) -> None:
    """Else whoever has a token would read the server's files."""
    with act_as(Caller("ci")):
        async with working_in(app, [notes], mode) as client:
            assert (await refused(client, path=str(notes)))["code"] == "invalid_input"
    app.intake = Intake(roots=(notes,))
    with act_as(Caller("ci")):
        async with working_in(app, [], mode) as client:
            assert (await answered(client, "ingest", path=str(notes)))["stored"] == 2


async def test_a_dry_run_counts_the_same_and_stores_nothing(app: App, notes: Path) -> None:
    """New, changed and unchanged ones."""
    async with working_in(app, [notes]) as client:
        await answered(client, "ingest", path=str(notes))
        (notes / "boats.txt").write_text("Boat seven is afloat.")
        (notes / "tides.txt").write_text("High water at noon.")
        before = contents(app)
        dry = await answered(client, "ingest", path=str(notes), dry_run=True)
        assert contents(app) == before
        assert dry == {"stored": 1, "updated": 1, "unchanged": 1, "refused": [], "dry_run": True}
        assert await answered(client, "ingest", path=str(notes)) | {"dry_run": True} == dry


async def test_a_bad_file_is_named_and_the_others_are_in(app: App, notes: Path) -> None:
    """With the reason; what is of no known format is counted."""
    (notes / "bad.jsonl").write_text('{"content": ')
    (notes / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    async with working_in(app, [notes]) as client:
        answer = await answered(client, "ingest", path=str(notes))
    assert answer["stored"] == 2
    ((file, why),) = [(one["file"], one["why"]) for one in answer["refused"]]
    assert file == (notes / "bad.jsonl").as_posix()
    assert "line 1" in why
    assert "1 media" in answer["hint"]


async def test_texts_in_another_language_are_counted_where_extraction_reads_english_alone(
    app: App, notes: Path
) -> None:
    """An extractor that reads any language leaves nothing to say."""
    german = "Wir haben beschlossen, das Lager im März zu schließen. Ben schickt den Plan bis Freitag an alle."
    (notes / "lager.md").write_text(german, encoding="utf-8")
    app.intake = Intake(reads_english_alone=True)
    async with working_in(app, [notes]) as client:
        told = await answered(client, "ingest", path=str(notes), dry_run=True)
        app.intake = Intake()
        untold = await answered(client, "ingest", path=str(notes))
    assert told["hint"].startswith("Read for events by structure alone, since in another language than English: 1 de.")
    assert "hint" not in untold


async def test_what_has_not_changed_is_not_read_again(app: App, notes: Path, tmp_path: Path) -> None:
    """A dry run is not taken for one that stored something."""
    read: list[str] = []

    def counted(path: Path, *, context: str | None) -> Iterator[Part]:
        read.append(path.name)
        return items(path, context=context)

    for path in notes.iterdir():
        os.utime(path, (0, 1_700_000_000))
    app.intake = Intake(counted, (notes,), partial(open_known_files, load_settings(tmp_path / "home")))
    async with working_in(app, []) as client:
        await answered(client, "ingest", path=str(notes), dry_run=True)
        first = await answered(client, "ingest", path=str(notes))
        assert (first["stored"], len(read)) == (2, 4)
        again = await answered(client, "ingest", path=str(notes))
        assert (again["unchanged"], len(read)) == (2, 4)


async def test_the_client_is_told_how_far_it_is(app: App, notes: Path) -> None:
    """In files, ending at their number."""
    told: list[tuple[float, float | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total))

    async with working_in(app, [notes]) as client:
        await client.call_tool("ingest", {"path": str(notes)}, progress_callback=hear)
    assert told[-1:] == [(2, 2)]
    assert told == sorted(told)


async def test_a_call_that_is_taken_back_ends_and_what_is_stored_stays(app: App, tmp_path: Path) -> None:
    """Within a file of many items, too; the same call goes on from there."""
    lines = [json.dumps({"content": f"Boat {number} is afloat."}) for number in range(400)]
    (tmp_path / "boats.jsonl").write_text("\n".join(lines))
    read, begun = 0, anyio.Event()

    def was_taken_back() -> bool:
        try:
            anyio.from_thread.check_cancelled()
        except asyncio.CancelledError:
            return True
        return False

    def counted(path: Path, *, context: str | None) -> Iterator[Part]:
        nonlocal read
        for part in items(path, context=context):
            read += 1
            if read == 100:
                anyio.from_thread.run_sync(begun.set)
                eventually(was_taken_back)
            yield part

    app.intake = Intake(counted, (tmp_path,))
    async with working_in(app, []) as client:
        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "ingest", {"path": "boats.jsonl"})
                await begun.wait()
                tasks.cancel_scope.cancel()
            read_by_then = await answered(client, "status")
        assert read_by_then["counts"]["artifacts"] < 400
        assert read < 400
        app.intake = Intake(roots=(tmp_path,))
        answer = await answered(client, "ingest", path="boats.jsonl")
    assert answer["stored"] + answer["unchanged"] == 400
    assert answer["unchanged"] >= 50


async def test_what_a_file_no_longer_says_is_forgotten_and_told(app: App, notes: Path, tmp_path: Path) -> None:
    """An emptied note and a moved one at once; what came from a deleted one stays until `prune`."""
    app.intake = Intake(roots=(notes,), known_files=partial(open_known_files, load_settings(tmp_path / "home")))
    (notes / "tides.txt").write_text("High water is at noon.")
    async with working_in(app, []) as client:
        await answered(client, "ingest", path=str(notes))
        (notes / "hours.md").write_text(" \n")
        (notes / "old").mkdir()
        (notes / "boats.txt").rename(notes / "old" / "boats.txt")
        dry = await answered(client, "ingest", path=str(notes), dry_run=True)
        told = await answered(client, "ingest", path=str(notes))
        assert told["forgotten"] == dry["forgotten"] == 2
        assert {Path(one["file"]).name: one.get("moved_to") for one in told["gone"]} == {
            "boats.txt": (notes / "old" / "boats.txt").as_posix(),
            "hours.md": None,
        }
        assert contents(app) == {"Boat seven is on the slip.", "High water is at noon."}
        (notes / "tides.txt").unlink()
        kept = await answered(client, "ingest", path=str(notes))
        assert "forgotten" not in kept
        assert "prune" in kept["gone"][0]["why_kept"]
        assert len(kept["gone"][0]["ids"]) == 1
        pruned = await answered(client, "ingest", path=str(notes), prune=True)
        assert (pruned["forgotten"], "why_kept" in pruned["gone"][0]) == (1, False)
        assert contents(app) == {"Boat seven is on the slip."}
        (notes / "old" / "boats.txt").unlink()
        (notes / "hours.md").unlink()
        away = await answered(client, "ingest", path=str(notes), prune=True)
        assert "mount" in away["gone"][0]["why_kept"]


async def test_a_moved_note_of_which_knowledge_was_given_stays_until_asked(
    app: App, notes: Path, tmp_path: Path
) -> None:
    """The knowledge would go with it."""
    app.intake = Intake(roots=(notes,), known_files=partial(open_known_files, load_settings(tmp_path / "home")))
    async with working_in(app, []) as client:
        await answered(client, "ingest", path=str(notes))
        (stored,) = [one for one in app.store.newest("default", Filters(at=now()), 9) if "Boat" in one.memory.content]
        await answered(client, "learn", id=stored.id, entities=[{"name": "Boat seven", "type": "other"}])
        (notes / "boats.txt").rename(notes / "skiffs.txt")
        told = await answered(client, "ingest", path=str(notes))
        assert "learn" in told["gone"][0]["why_kept"]
        assert (await answered(client, "ingest", path=str(notes), prune=True))["forgotten"] == 1


@pytest.mark.parametrize(
    "written",
    [
        "~/my notes/hours.md",
        "{uri}",
        "file://localhost{path}",
        "my%20notes/hours.md",
        "my\\ notes/hours.md",
        '"{path}"',
        " {path} ",
        "my notes\\hours.md",
        "`my notes/hours.md`",
    ],
)
async def test_a_path_is_read_as_people_write_it(
    app: App, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    """In any spelling of a file below the roots."""
    monkeypatch.setenv("HOME", str(tmp_path))
    file = notes / "hours.md"
    async with working_in(app, [tmp_path]) as client:
        taken = await answered(client, "ingest", path=written.format(uri=file.as_uri(), path=file))
    assert taken["stored"] == 1


@pytest.mark.parametrize("written", ["%2e%2e/secret.txt", "file:///{parent}/secret.txt", "..\\secret.txt"])
async def test_no_spelling_leads_out_of_the_roots(app: App, notes: Path, written: str) -> None:
    async with working_in(app, [notes]) as client:
        error = await refused(client, path=written.format(parent=notes.parent))
    assert error["code"] in {"invalid_input", "not_found"}
    assert contents(app) == set()


async def test_a_file_whose_name_looks_escaped_wins_over_what_it_would_mean(app: App, notes: Path) -> None:
    (notes / "a%20b.txt").write_text("The literal one.")
    (notes / "a b.txt").write_text("The other one.")
    async with working_in(app, [notes]) as client:
        await answered(client, "ingest", path="a%20b.txt")
    assert contents(app) == {"The literal one."}
