"""Secrets stay out: each way in, with a secret in all that it takes, and then every byte that was written."""

import json
import random
import re
import string
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import pytest
from mcp import Client

from core.interface.learning import AnnotatedMemory, GivenEvent, MergeRequest
from core.interface.ledger import CommitmentsQuestion, ResolveRequest
from core.interface.memory import Memory
from core.interface.operations import OPERATIONS
from core.interface.question import Question
from core.knowledge.secrets import use_secrets
from ingest.indexing.drift import compare_vectors
from ingest.transfer.archive import export, import_lines, read_header
from ingest.transfer.stored_secrets import find_stored_secrets, redact_stored
from service.app import App
from tests.calling import answered
from tests.running_commands import Shell

_CHANCE = random.Random(17)
TOKEN: Final = "ghp_" + "".join(_CHANCE.choices(string.ascii_letters + string.digits, k=36))
PASSWORD: Final = "Kw4" + "vP9" + "sXz7"
TEXT: Final = f"Ana Ruiz decided to rotate {TOKEN} at once.\nThe rest stays. DB_PASSWORD={PASSWORD}\n"
#: What each operation that may write is given a secret in; `context_stash` and its two, and `forget`, take ids alone.
WITHOUT_TEXT: Final = {"context_stash", "context_retrieve_stashed", "forget"}


@pytest.fixture(autouse=True)
def redacting() -> Iterator[None]:
    """The default, whatever a test chose."""
    use_secrets("redact")
    yield
    use_secrets("redact")


async def by_remember(client: Client) -> None:
    fields = {
        "title": TOKEN,
        "tags": [TOKEN],
        "author": TOKEN,
        "source_url": f"https://ana:{PASSWORD}@h/x",
        "source": TOKEN,
    }
    events = [{"category": "Decision", "quote": f"decided to rotate {TOKEN}", "summary": TOKEN, "owners": [TOKEN]}]
    metadata = {"password": PASSWORD, "deep": {"list": [TOKEN]}, TOKEN: 1}
    receipt = await answered(
        client, "remember", content=TEXT, events=events, metadata=metadata, file_path=f"/x/{TOKEN}", **fields
    )
    assert {"what": "github token", "field": "content", "start_char": TEXT.index(TOKEN)} in receipt["redacted"]
    assert "password in content" in receipt["hint"]
    await answered(client, "remember", content=TEXT, context="stash", key="aside")


async def by_remember_many(client: Client) -> None:
    turns = [{"content": f"{number}: {TEXT}", "context": "conversation", "conversation_id": TOKEN, "turn_index": number}
             for number in range(3)]  # fmt: skip
    receipts = await answered(client, "remember_many", items=turns)
    assert all(one["redacted"] for one in receipts["results"])


async def by_learn(client: Client) -> None:
    stored = await answered(client, "remember", content="Ana Ruiz decided to move. The rest stays.")
    event = {"category": "Decision", "quote": "Ana Ruiz decided to move.", "summary": TOKEN, "subjects": [TOKEN]}
    learnt = await answered(
        client,
        "learn",
        id=stored["id"],
        events=[event],
        entities=[{"name": "Ana Ruiz", "type": "person", "aliases": [TOKEN]}],
    )
    assert "github token in events" in learnt["hint"]


async def by_resolve(client: Client) -> None:
    events = [{"category": "Commitment", "quote": "Ana Ruiz will send it."}]
    await answered(client, "remember", content="Ana Ruiz will send it.", events=events, wait=True)
    [owed] = (await answered(client, "commitments"))["items"]
    done = await answered(client, "resolve", id=owed["id"], status="done", note=f"sent with {TOKEN}")
    assert "github token in note" in done["hint"]
    await answered(client, "resolve", id="Ana Ruiz", name=f"Ana {TOKEN}")


OF_TOOLS: Final = {
    "remember": by_remember,
    "remember_many": by_remember_many,
    "learn": by_learn,
    "resolve": by_resolve,
}


def contents(app: App) -> str:
    """Return all that a record has, as an export writes it."""
    out = BytesIO()
    export(app.store, out, service="test")
    return out.getvalue().decode()


def test_each_operation_that_writes_is_tried() -> None:
    """A new one has to be added here, and tried with a secret."""
    writing = {operation.name for operation in OPERATIONS if operation.rights != "read"}

    assert writing == {*OF_TOOLS, *WITHOUT_TEXT, "ingest"}


@pytest.mark.anyio
@pytest.mark.both_engines
@pytest.mark.parametrize("tool", OF_TOOLS)
async def test_no_tool_stores_a_secret(tool: str, client: Client, app: App) -> None:
    """Not in the text, its fields, its events, people and notes, nor in what is made of them in the background."""
    await OF_TOOLS[tool](client)
    app.worker.drain()

    written = contents(app)

    assert TOKEN not in written
    assert PASSWORD not in written
    assert "redacted github token" in written


@pytest.mark.both_engines
def test_an_import_of_what_held_secrets_stores_none(app: App) -> None:
    """Of items, revisions and what is known of them; each quote stays true to its text, and a second time nothing
    changes."""
    use_secrets("keep")
    for content in (TEXT, f"Before: {TEXT}"):
        app.remember(Memory(content=content, key="rotation", title=TOKEN), wait=True)
    out = BytesIO()
    export(app.store, out, service="test")
    assert TOKEN in out.getvalue().decode()
    app.store.remove("default", [one.id for batch in app.store.each("default") for one in batch])
    use_secrets("redact")

    for _ in range(2):
        out.seek(0)
        done = import_lines(out, read_header(out), app.store, embedder=app.embedder, tokenizer=app.tokenizer)
        app.worker.drain()
    kept = contents(app)

    assert TOKEN not in kept
    assert PASSWORD not in kept
    assert done.redacted
    assert done.items["stored"] == 0
    for line in map(json.loads, kept.splitlines()[1:]):
        check_quotes(line, line.get("content", ""))


def check_quotes(value: Any, content: str) -> None:
    """Check that each quote in JSON is what its places in the content say."""
    if isinstance(value, list):
        for inner in value:
            check_quotes(inner, content)
    elif isinstance(value, dict):
        if {"quote", "start_char", "end_char"} <= set(value) and content:
            assert value["quote"] == content[value["start_char"] : value["end_char"]]
        for inner in value.values():
            check_quotes(inner, content)


def bytes_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def a_file(shell: Shell, folder: Path) -> str:
    (folder / "notes.md").write_text(f"---\ntitle: {TOKEN}\ntags: [{TOKEN}]\n---\n{TEXT}", encoding="utf-8")
    return shell("ingest", str(folder)).stdout


def a_trusted_export(shell: Shell, folder: Path) -> str:
    row = {"content": TEXT, "metadata": {"password": PASSWORD}, "author": TOKEN}
    (folder / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    return shell("ingest", str(folder), "--trust").stdout


def an_archive(shell: Shell, folder: Path) -> str:
    with zipfile.ZipFile(folder / "old.zip", "w") as archive:
        archive.writestr("a.txt", TEXT)
    return shell("ingest", str(folder), "--json").stdout


def a_hook(shell: Shell, folder: Path) -> str:
    said = {"role": "user", "content": [{"type": "text", "text": TEXT}]}
    line = {
        "sessionId": "s-1",
        "cwd": "/w",
        "type": "user",
        "message": said,
        "uuid": "u1",
        "timestamp": "2026-03-01T00:00:00.000Z",
    }
    (folder / "s.jsonl").write_text(json.dumps(line), encoding="utf-8")
    event = {
        "session_id": "s-1",
        "hook_event_name": "SessionEnd",
        "transcript_path": str(folder / "s.jsonl"),
        "cwd": str(folder),
    }
    return shell("hook", "session-end", "--wait", stdin=json.dumps(event)).stderr


def a_command(shell: Shell, folder: Path) -> str:
    return shell("remember", TEXT, "--title", TOKEN).stdout


@pytest.mark.parametrize("way", [a_file, a_trusted_export, an_archive, a_hook, a_command])
def test_no_byte_of_a_secret_is_written(way: Callable[[Shell, Path], str], tmp_path: Path, shell: Shell) -> None:
    """By a command, of files, archives, sessions: neither in the record, its words, the vectors nor the logs; the
    report says what and where."""
    folder = tmp_path / "given"
    folder.mkdir()

    said = way(shell, folder)
    found = shell("recall", "what did Ana Ruiz decide to rotate?", "--json").stdout

    assert "github token" in said
    assert TOKEN not in said
    assert "redacted github token" in found
    written = bytes_below(tmp_path / "home")
    assert TOKEN.encode() not in written
    assert PASSWORD.encode() not in written


def test_settings_keep_or_refuse(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a folder, what holds one is refused by its name, and the rest is taken."""
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "a.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "given" / "b.txt").write_text("The pump is blue.", encoding="utf-8")
    monkeypatch.setenv("REMEMBRANCER_SECRETS", "refuse")
    refused = shell("ingest", str(tmp_path / "given"))
    alone = shell("remember", TEXT)
    monkeypatch.setenv("REMEMBRANCER_SECRETS", "keep")
    kept = shell("remember", TEXT)
    monkeypatch.setenv("REMEMBRANCER_SECRETS", "hide")

    assert "1 stored" in refused.stdout
    assert "github token in content" in refused.stdout
    assert alone.returncode == 1
    assert TOKEN not in refused.stdout + alone.stderr
    assert (kept.returncode, TOKEN.encode() in bytes_below(tmp_path / "home")) == (0, True)
    assert "REMEMBRANCER_SECRETS" in shell("status").stderr


def test_a_note_of_a_merge_has_none() -> None:
    """As the page, the HTTP API and `remembrancer review` make one."""
    made = MergeRequest(kind="accept", one="A", other="B", by=TOKEN, note=f"said so {TOKEN}")

    assert TOKEN not in repr(made)


@pytest.mark.both_engines
def test_what_an_older_store_holds_is_redacted_and_keeps_its_ids(app: App) -> None:
    """Current items, revisions, stashes, texts that are equal then, annotations, declarations, merged people; an export
    differs in the marks alone, and words and vectors are made anew."""
    use_secrets("keep")
    first = app.remember(Memory(content=f"Draft. {TEXT}", key="rotation"))
    event = GivenEvent(category="Commitment", quote=f"Ben Ito will store {TOKEN} in the safe.")
    kept = AnnotatedMemory(
        content=f"Ben Ito will store {TOKEN} in the safe. {TEXT}", key="rotation", title=TOKEN, events=(event,)
    )
    second = app.remember(kept, wait=True)
    twins = [app.remember(Memory(content=f"Use {TOKEN[:-1]}{sign} here."), wait=True) for sign in "xyz"]
    aside = app.remember(Memory(content=TEXT, context="stash", key="aside"), wait=True)
    app.remember(Memory(content="Ana Ruiz decided to sell the mill."), wait=True)
    [owed] = [item for item in app.commitments(CommitmentsQuestion()).items if item.artifact_id == second.id]
    app.resolve(ResolveRequest(id=owed.id, status="done", note=f"with {TOKEN}"))
    app.apply_merge_request(MergeRequest(kind="accept", one="Ben Ito", other="Ana Ruiz"))
    app.worker.drain()
    before = contents(app)
    use_secrets("redact")

    found = list(find_stored_secrets(app.store, "default"))
    ids = sorted({one.artifact_id for one in found})
    app.indexer.drop("default", redact_stored(app.store, "default", ids, app.tokenizer))
    app.worker.drain()

    assert ids == sorted([first.id, second.id, aside.id, *(twin.id for twin in twins)])
    written = contents(app)
    assert TOKEN not in written
    assert PASSWORD not in written
    assert not list(find_stored_secrets(app.store, "default"))
    assert app.store.integrity_issues() == []
    mark = f"[redacted github token]{' ' * (len(TOKEN) - 23)}"
    marked = re.sub(f"{TOKEN[:-1]}[{TOKEN[-1]}xyz]", mark, before).replace(PASSWORD, "[password]")
    assert sorted(written.splitlines()) == sorted(marked.splitlines())
    assert app.recall(Question(query="What will Ben Ito store in the safe?")).results[0].id == second.id
    assert app.remember(Memory(content=TEXT, context="stash", key="aside")).status == "duplicate"
    assert compare_vectors(app.store, app.index, "default").issues("default") == []


def test_doctor_leaves_no_byte_of_a_secret(tmp_path: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """In no file of the home; where secrets are to be kept it only says that there are some."""
    monkeypatch.setenv("REMEMBRANCER_SECRETS", "keep")
    shell("remember", TEXT, "--key", "k", "--title", TOKEN)
    shell("remember", f"Now: {TEXT}", "--key", "k")
    told = shell("doctor", "--secrets").stdout
    assert TOKEN.encode() in bytes_below(tmp_path / "home")
    monkeypatch.delenv("REMEMBRANCER_SECRETS")

    done = shell("doctor", "--secrets")
    again = shell("doctor", "--secrets", "--json")

    assert "github token in content" in told
    assert "warning secrets" in told
    assert "repair  secrets" in done.stdout
    assert done.returncode == 0, done.stdout
    assert TOKEN not in done.stdout + told
    assert {"state": "ok", "part": "secrets", "detail": "none is stored"} in json.loads(again.stdout)["findings"]
    written = bytes_below(tmp_path / "home")
    assert TOKEN.encode() not in written
    assert TOKEN[8:20].lower().encode() not in written.lower()
    assert PASSWORD.encode() not in written
