"""`doctor` and `reindex` from the shell: what is wrong is said in a line, and mended on request."""

import json
import shutil
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path

import pytest

from core.dates import now
from core.filters import Filters
from core.interface.memory import Memory
from core.interface.question import Question
from core.interface.results import Receipt
from core.records import artifact_id
from core.search import IndexEntry
from graph.sqlite_store import SqliteStore
from retrieval.vectors import ChromaIndex
from service.app import App
from service.cli import main
from service.commands import doctor
from service.settings import load_settings
from tests.contracts.makers import event
from tests.contracts.raw import Raw
from tests.graph.neo4j_raw import Neo4jRaw
from tests.graph.sqlite_raw import SqliteRaw

FERRY, BOATS = (
    artifact_id(Memory(content=text).fingerprint(project))
    for text, project in (("The ferry leaves at nine.", "default"), ("Boats need a permit.", "other"))
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with two items in it."""
    for name in ("REMEMBRANCER_EMBEDDER", "REMEMBRANCER_TOKENS", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    assert main(["remember", "The ferry leaves at nine."]) == 0
    assert main(["remember", "Boats need a permit.", "--project-id", "other"]) == 0
    return tmp_path / "home"


def errors(printed: str) -> list[str]:
    return [line for line in printed.splitlines() if line.startswith("error")]


def is_whole(capsys: pytest.CaptureFixture[str]) -> bool:
    """Whether doctor is content and recall misses nothing."""
    capsys.readouterr()
    fine = main(["doctor"]) == 0 and errors(capsys.readouterr().out) == []
    main(["recall", "ferry", "--json"])
    return fine and json.loads(capsys.readouterr().out)["degraded"] == []


def test_a_lost_index_is_told_and_repaired(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody should find out from poor answers."""
    assert is_whole(capsys)
    shutil.rmtree(home / "chroma")
    assert main(["doctor"]) == 1
    first, *others = errors(capsys.readouterr().out)
    assert "nothing of project 'default'" in first
    assert others == [
        f"error   vectors   project {project}: 1 chunks have no vector ({chunk}:0): run `remembrancer doctor --repair`."
        for project, chunk in (("default", FERRY), ("other", BOATS))
    ]
    assert main(["doctor", "--repair"]) == 0
    assert "1 vectors queued" in capsys.readouterr().out
    assert is_whole(capsys)


def test_scarce_room_on_the_disk_is_told(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before writes are refused, not after."""
    capsys.readouterr()
    monkeypatch.setattr(doctor, "_LOW_SPACE", 10**18)
    assert main(["doctor"]) == 1
    (told,) = errors(capsys.readouterr().out)
    assert told.startswith("error   disk")
    assert "MB free: free some" in told


@pytest.mark.parametrize("remedy", [["doctor", "--repair"], ["reindex", "--what", "vectors"]])
def test_a_damaged_index_is_told_and_replaced(
    home: Path, capsys: pytest.CaptureFixture[str], remedy: list[str]
) -> None:
    """Both remedies work, and say where the damaged folder lies."""
    database = home / "chroma" / "chroma.sqlite3"
    database.write_bytes(b"\xff" * 4096 + database.read_bytes()[4096:])
    assert main(["doctor"]) == 1
    assert "remembrancer reindex --what vectors" in errors(capsys.readouterr().out)[0]
    assert main(remedy) == 0
    (aside,) = home.glob("chroma.damaged-*")
    assert str(aside) in capsys.readouterr().out
    assert is_whole(capsys)
    assert main(["doctor"]) == 0
    assert f"run `rm -r {aside}`." in capsys.readouterr().out
    assert main(["forget", FERRY, "--confirm"]) == 0
    assert not aside.exists()


def test_a_missing_key_is_one_line_and_the_rest_is_checked(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/interface.md doctor: keys; a line says what is wrong and how to mend it."""
    monkeypatch.setenv("REMEMBRANCER_EMBEDDER", "openai")
    assert home.exists()
    capsys.readouterr()
    assert main(["doctor"]) == 1
    printed = capsys.readouterr().out
    (told,) = errors(printed)
    assert told.startswith("error   keys")
    assert "OPENAI_API_KEY" in told
    assert [line.split()[:2] for line in printed.splitlines() if line.startswith("ok")] == [
        ["ok", part] for part in ("settings", "owner", "disk", "graph", "extractor", "jobs")
    ]


def test_a_wrong_setting_is_one_line(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Doctor speaks to a person, whatever is wrong."""
    monkeypatch.setenv("REMEMBRANCER_EMBEDDER", "nothing")
    assert home.exists()
    capsys.readouterr()
    assert main(["doctor"]) == 1
    printed = capsys.readouterr()
    assert printed.err == ""
    (line,) = printed.out.splitlines()
    assert line.startswith("error   settings")
    assert "REMEMBRANCER_EMBEDDER" in line


def test_an_interrupted_rebuild_is_told_and_finished(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Until a worker comes by, doctor knows."""
    with SqliteStore(load_settings().record_path) as store:
        store.set_metadata_value("rebuilding_vectors", "reuse")
    assert home.exists()
    assert main(["doctor"]) == 1
    assert "interrupted" in errors(capsys.readouterr().out)[0]
    assert main(["doctor", "--repair"]) == 0
    assert is_whole(capsys)


def test_failed_jobs_are_told_and_tried_again(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without making everything else anew."""
    with SqliteStore(load_settings().record_path) as store:
        (item,) = store.newest("other", Filters(at=now()), 1)
        store.queue("other", [item.id], "extract")
        store.fail(store.claim(["extract"], 1, timedelta(minutes=1), "test"), "a bug since mended")
    assert home.exists()
    assert main(["doctor"]) == 1
    (told,) = errors(capsys.readouterr().out)
    assert "1 failed; `remembrancer status ID` shows why, `remembrancer doctor --repair` retries them" in told
    assert main(["doctor", "--repair"]) == 0
    assert "repair  jobs      1 failed jobs queued again" in capsys.readouterr().out
    assert is_whole(capsys)


def test_reindex_counts_each_part_once(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two items are two, not six."""
    assert home.exists()
    assert main(["reindex"]) == 0
    assert (
        "Rebuilt keywords of 2 chunks, vectors of 2 items, graph of 2 items; 0 jobs pending, 0 failed.\n"
        in capsys.readouterr().out
    )
    assert main(["reindex", "--what", "graph", "--regenerate-embeddings"]) == 1
    assert "remembrancer: Embeddings can't be regenerated with 'graph'" in capsys.readouterr().err


DAMAGE = [
    ("words", "chunks have no words", 9),
    ("graph", "events of items are missing", 12),
    ("graph", "events belong to no item", 8),
    ("vectors", "chunks have no vector", 50),
    ("vectors", "vectors have no chunk", 7),
    ("vectors", "vectors are of another model, another-model", 3),
]


def recalled(app: App) -> list[tuple[str, list[str]]]:
    """Return what a few questions find."""
    asked = ("mill 17", "who decided to sell?", "promises about boats")
    return [(query, [one.id for one in app.recall(Question(query=query, limit=5)).results]) for query in asked]


def raw_of(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> Raw:
    """Look into the record of `store`."""
    return (
        SqliteRaw(tmp_path / "record.db") if engine == "embedded" else Neo4jRaw(request.getfixturevalue("neo4j_driver"))
    )


@pytest.mark.exhaustive
@pytest.mark.both_engines
def test_planted_damage_is_reported_exactly_and_mended(
    app: App,
    engine: str,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """50 vectors and 12 events lost, 7 vectors and 8 events too many, words gone, one model changed: none else told."""
    telling = [
        f"Dana Whitfield decided to sell mill {n}. Omar Haddad will paint boat {n} by Friday." for n in range(10)
    ]
    texts = [*telling, *(f"The mill of plot {n} is by the river." for n in range(10, 60))]
    receipts = app.remember_many([Memory(content=text) for text in texts]).results
    ids = [one.id for one in receipts if isinstance(one, Receipt)]
    app.worker.drain()
    before, raw = recalled(app), raw_of(engine, tmp_path, request)
    nodes = raw.knowledge_ids("default")
    _damage_vectors(app, ids)
    raw.lose_words("default", [f"{id_}:0" for id_ in ids[:9]])
    raw.lose_nodes("default", [id_ for id_ in nodes if id_.startswith("evt_")][-12:])
    for item in app.store.get("default", ids[:8]).values():
        raw.plant_event(item, event(item, "decided", "Feedback"))

    monkeypatch.setattr("service.commands.doctor.open_app", lambda _: nullcontext(app))
    assert main(["doctor", "--json"]) == 1
    told = [one for one in json.loads(capsys.readouterr().out)["findings"] if one["state"] == "error"]
    named = [(one["part"], one["what"], one["number"]) for one in told]
    assert sorted(one for one in named if one in DAMAGE) == sorted(DAMAGE)
    # Said of the same events and words a second time: what they are joined with, and the index as a whole.
    assert len(named) <= len(DAMAGE) + 3
    assert main(["doctor", "--repair"]) == 0
    assert errors(capsys.readouterr().out) == []
    assert raw.knowledge_ids("default") == nodes
    assert recalled(app) == before


def _damage_vectors(app: App, ids: list[str]) -> None:
    """Lose 50, plant 7, and leave 3 of another model."""
    app.index.delete("default", [f"{id_}:0" for id_ in ids[:50]])
    entries = [IndexEntry(f"art_{n:012x}:0", "stray", {}) for n in range(7)]
    app.index.upsert("default", "chunks", entries, app.embedder.embed(["stray"] * 7))
    assert isinstance(app.index, ChromaIndex)
    own, app.index._model = app.index._model, "another-model"
    app.index._collections.clear()
    app.index.upsert("default", "chunks", entries[:3], app.embedder.embed(["stray"] * 3))
    app.index._model = own
    app.index._collections.clear()


def test_another_model_is_told_and_made_anew(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The marker says whose vectors they are; those of the model set now are made from the texts."""
    with SqliteStore(load_settings().record_path) as store:
        store.set_metadata_value("embedding_model", "another-model")
    assert home.exists()
    assert main(["doctor"]) == 1
    assert "'another-model'" in errors(capsys.readouterr().out)[0]
    assert main(["doctor", "--repair"]) == 0
    assert "2 items indexed again" in capsys.readouterr().out
    assert is_whole(capsys)


def test_all_of_it_is_one_object_on_request(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For scripts: what is wrong, with every id."""
    shutil.rmtree(home / "chroma")
    capsys.readouterr()
    assert main(["doctor", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["healthy"] is False
    (lost,) = [one for one in told["findings"] if one.get("ids") == [f"{FERRY}:0"]]
    assert (lost["part"], lost["project_id"], lost["number"]) == ("vectors", "default", 1)
    assert main(["doctor", "--repair", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["healthy"] is True


def test_an_unknown_variable_is_a_warning_that_names_the_most_similar_setting(
    home: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A misspelt setting would otherwise be ignored in silence; it is no failure, and never printed on stdout."""
    monkeypatch.setenv("REMEMBRANCER_GRAHP", "neo4j")
    (home / ".env").touch(mode=0o600)
    (home / ".env").write_text("REMEMBRANCER_NEO4J_URI=x\nREMEMBRANCER_ZZZZ=1\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["recall", "ferry", "--json"]) == 0
    json.loads(capsys.readouterr().out)
    sentences = [
        "REMEMBRANCER_GRAHP is not a setting and is ignored: did you mean REMEMBRANCER_GRAPH?",
        "REMEMBRANCER_NEO4J_URI is not a setting and is ignored: did you mean NEO4J_URI?",
        "REMEMBRANCER_ZZZZ is not a setting and is ignored.",
    ]
    assert [record.message for record in caplog.records] == sentences
    assert main(["doctor"]) == 0
    printed = capsys.readouterr().out
    assert [line for line in printed.splitlines() if line.startswith("warning")] == [
        f"warning settings  {sentence}" for sentence in sentences
    ]


def test_overdue_deletions_are_a_warning(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Expired items wait where no background work runs; those of the last hour are not overdue."""
    for text, moment in (("Long ago.", "2020-01-01"), ("Just now.", now().isoformat())):
        assert main(["remember", text, "--expires-at", moment]) == 0
    capsys.readouterr()
    assert main(["doctor", "--json"]) == 0

    found = [one for one in json.loads(capsys.readouterr().out)["findings"] if one["part"] == "retention"]
    assert [(one["state"], one["detail"][:8]) for one in found] == [("warning", "1 items ")]


def test_a_home_and_settings_that_others_reach_are_named_with_the_remedy(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """docs/operations.md: whoever may write to the home can read and change the memory."""
    (home / ".env").touch(mode=0o640)
    home.chmod(0o777)
    capsys.readouterr()
    assert main(["doctor"]) == 1
    printed = capsys.readouterr().out
    assert f"error   home      Others may change {home} (mode 777): run `chmod 700 {home}`." in printed
    assert f"warning home      Others may read {home / '.env'} (mode 640): run `chmod 600 {home / '.env'}`." in printed
    home.chmod(0o700)
    (home / ".env").chmod(0o600)
    assert main(["doctor"]) == 0
    assert "Others" not in capsys.readouterr().out
