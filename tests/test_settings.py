"""Where settings come from: the environment, the file of `--env-file`, the home's `.env`, and nowhere else."""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zipfile import ZipFile
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.dates import use_zone, zone
from core.dates.moments import load_zone
from core.errors import InvalidInput
from core.interface.ledger import CommitmentsQuestion
from core.interface.memory import Memory
from ingest.readers.formats.source import ArchiveLimits, Item, Refused
from service.cli import main
from service.owner.home_config import HomeConfig, describe_ignored_dotenv
from service.settings import Settings, load_settings
from service.wiring import make_reader, open_app
from tests.running_processes import shell


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home, in an environment that says nothing else; the working folder is another."""
    for name in [name for name in os.environ if name.startswith(("REMEMBRANCER_", "NEO4J_", "CHROMA_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    folder, work = tmp_path / "home", tmp_path / "work"
    folder.mkdir(mode=0o700)
    work.mkdir()
    monkeypatch.setenv("REMEMBRANCER_HOME", str(folder))
    monkeypatch.chdir(work)
    return folder


def test_the_environment_wins_over_the_homes_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/interface.md: a variable that is empty counts as not set."""
    (home / ".env").write_text(
        "export NEO4J_USERNAME='ann'\nNEO4J_DATABASE=kept\nCHROMA_URL=http://a\n", encoding="utf-8"
    )
    monkeypatch.setenv("NEO4J_USERNAME", "lee")
    monkeypatch.setenv("NEO4J_DATABASE", "")
    settings = load_settings()

    assert (settings.neo4j_username, settings.neo4j_database, settings.chroma_url) == ("lee", "kept", "http://a")


def test_nothing_is_expanded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/interface.md: a file can't send what stands in other variables anywhere."""
    monkeypatch.setenv("SECRET_OF_ANOTHER_PROGRAM", "s3cret")
    (home / ".env").write_text("OPENAI_BASE_URL=http://host/${SECRET_OF_ANOTHER_PROGRAM}/v1\n", encoding="utf-8")

    assert load_settings().openai_base_url == "http://host/${SECRET_OF_ANOTHER_PROGRAM}/v1"


def test_a_dotenv_of_the_working_folder_is_ignored_and_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """docs/interface.md: it may be that of a stranger's repository; what it sets is never printed."""
    Path(".env").write_text(
        "OPENAI_BASE_URL=http://stranger/v1\nREMEMBRANCER_EXTRACTOR=openai\nX=1\n", encoding="utf-8"
    )

    assert main(["decisions"]) == 0
    said = capsys.readouterr().err
    assert said.count("is ignored") == 1
    assert f"{str(Path('.env').absolute())!r} sets OPENAI_BASE_URL, REMEMBRANCER_EXTRACTOR and is ignored" in said
    assert str(home / ".env") in said
    assert "stranger" not in said
    assert (load_settings().openai_base_url, load_settings().extractor) == (None, "local")


def test_a_dotenv_that_is_not_about_us_is_not_mentioned(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most projects have one; and that of the home is read, also from the home."""
    Path(".env").write_text("DATABASE_URL=x\n# REMEMBRANCER_GRAPH=neo4j\n", encoding="utf-8")
    assert describe_ignored_dotenv() is None
    (home / ".env").write_text("NEO4J_USERNAME=ann\n", encoding="utf-8")
    monkeypatch.chdir(home)
    assert describe_ignored_dotenv() is None
    assert load_settings().neo4j_username == "ann"


@pytest.mark.exhaustive
def test_a_file_that_is_named_is_read_in_every_command(home: Path, tmp_path: Path) -> None:
    """docs/interface.md `--env-file`: before or after the command; the environment wins over it, it over the home's."""
    (home / ".env").write_text("REMEMBRANCER_EMBEDDER=nothing\nREMEMBRANCER_OWNER_IDLE=1\n", encoding="utf-8")
    file = tmp_path / "named.env"
    file.write_text("REMEMBRANCER_EMBEDDER=local\nREMEMBRANCER_EXTRACTOR=nobody\n", encoding="utf-8")
    without = shell(home, "decisions")
    before = shell(home, "--env-file", str(file), "doctor", REMEMBRANCER_EXTRACTOR="local")
    after = shell(home, "decisions", f"--env-file={file}")
    missing = shell(home, "--env-file", "nowhere.env", "decisions")

    assert "REMEMBRANCER_EMBEDDER" in without.stderr
    assert before.returncode == 0, before.stdout
    assert "No extractor is called 'nobody'" in after.stderr
    assert (missing.returncode, missing.stderr.count("\n")) == (1, 1)
    assert "'nowhere.env'" in missing.stderr


def test_a_home_in_its_own_file_is_a_warning(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody should believe that the memory is elsewhere."""
    (home / ".env").write_text("REMEMBRANCER_HOME=/elsewhere\n", encoding="utf-8")

    assert load_settings().home == home
    assert [record.message for record in caplog.records] == [
        f"REMEMBRANCER_HOME has no effect in {str(home / '.env')!r}, a file of the home: set it in the environment."
    ]


def test_a_file_that_cannot_be_read_is_an_error(home: Path) -> None:
    """Settings are not half read."""
    (home / ".env").write_bytes(b"NEO4J_PASSWORD=\xff\xfe\n")

    with pytest.raises(InvalidInput, match="can't be read"):
        HomeConfig.find()


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("NEO4J_URI", "NEO4J_USERNAME and NEO4J_PASSWORD"),
        ("CHROMA_URL", "CHROMA_TOKEN"),
        ("OPENAI_BASE_URL", "OPENAI_API_KEY"),
    ],
)
def test_an_address_with_a_password_is_refused_unseen(
    home: Path, name: str, instead: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/interface.md: addresses are shown in messages, and no secret is."""
    word = "pa55word"
    for address in (f"https://ann:{word}@host:7687", f"ann:{word}@host/path", f"https://{word}@host"):
        monkeypatch.setenv(name, address)
        with pytest.raises(InvalidInput, match=f"{name}: .*use {instead}") as caught:
            load_settings()
        assert "pa55" not in str(caught.value)
        assert str(home) in str(caught.value)
    monkeypatch.setenv(name, "https://host/a@b?c@d")
    assert load_settings().home == home


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KEYS", "http://id.example/keys"),
        ("KEYS", "http://localhost.example/keys"),
        ("KEYS", "file:///keys"),
        ("KEYS", "https://"),
        ("ISSUER", "http://id.example"),
        ("KEYS", ""),
    ],
)
def test_what_trusts_an_issuer_is_whole_and_encrypted(
    home: Path, name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/operations.md: whoever can change the keys on their way can sign for anybody."""
    given = {"ISSUER": "https://id.example", "AUDIENCE": "memory", "KEYS": "http://127.0.0.1:8080/keys"}
    for part, usual in given.items():
        monkeypatch.setenv(f"REMEMBRANCER_JWT_{part}", usual)
    assert load_settings().jwt_keys == given["KEYS"]
    monkeypatch.setenv(f"REMEMBRANCER_JWT_{name}", value)

    with pytest.raises(InvalidInput, match=r"https://|go together"):
        load_settings()


def test_settings_are_made_from_variables_alone(tmp_path: Path) -> None:
    """A field's own name would be no setting, and the user's own home be opened instead."""
    with pytest.raises(ValidationError):
        Settings.model_validate({"home": tmp_path})


def test_limits_of_archives_reach_what_reads_them(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/ingestion.md: by default they are the readers' own."""
    path = tmp_path / "a.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "Nine bytes")
    (part,) = make_reader(load_settings()).items(path, context=None)
    assert isinstance(part, Item)
    assert make_reader(load_settings()).archives == ArchiveLimits()

    monkeypatch.setenv("REMEMBRANCER_ARCHIVE_MEMBER_BYTES", "9")
    (part,) = make_reader(load_settings()).items(path, context=None)
    assert isinstance(part, Refused)
    assert "would take 10 bytes" in part.reason


def test_the_time_zone_reaches_extraction_and_all_that_is_shown(home: Path) -> None:
    """Far east of Greenwich it is tomorrow already for most of a day: what is told now is due the day after that."""
    (home / ".env").write_text("REMEMBRANCER_TIMEZONE=Pacific/Kiritimati\n", encoding="utf-8")
    (home / ".env").chmod(0o600)
    before = zone()
    try:
        with open_app(load_settings()) as app:
            app.remember(Memory(content="Ylva Stern will call Nils Aune tomorrow.", context="note"), wait=True)
            [promise] = app.commitments(CommitmentsQuestion()).items
    finally:
        use_zone(before)

    today = datetime.now(ZoneInfo("Pacific/Kiritimati")).date()
    assert promise.due == (today + timedelta(days=1)).isoformat()
    assert (promise.event_time or "").endswith("+14:00")
    assert "time zone Pacific/Kiritimati" in shell(home, "doctor").stdout


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("http://memory.example", "https://"), ("ftp://memory.example", "https://"), ("memory.example", "https://"),
        ("https://memory.example/mcp", "host alone"), ("https://memory.example?a=b", "host alone"),
        ("https://ann@memory.example", "host alone"),
    ],
)  # fmt: skip
def test_a_hub_is_reached_encrypted_by_its_host(
    home: Path, monkeypatch: pytest.MonkeyPatch, value: str, said: str
) -> None:
    """This machine alone is reached without; an identity provider takes its place."""
    monkeypatch.setenv("REMEMBRANCER_PUBLIC_URL", value)
    with pytest.raises(InvalidInput, match=f"REMEMBRANCER_PUBLIC_URL: .*{said}"):
        load_settings()
    for sound, read in (
        ("https://Memory.example/", "https://memory.example"), ("http://127.0.0.1:8848", "http://127.0.0.1:8848")
    ):  # fmt: skip
        monkeypatch.setenv("REMEMBRANCER_PUBLIC_URL", sound)
        assert load_settings().public_url == read
    for name, issuer in (("ISSUER", "https://id.example"), ("AUDIENCE", "a"), ("KEYS", "https://id.example/keys")):
        monkeypatch.setenv(f"REMEMBRANCER_JWT_{name}", issuer)
    with pytest.raises(InvalidInput, match="exclude each other"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "meant"), [("Europe/Berln", "Europe/Berlin"), ("utc", "UTC"), ("Lima", "America/Lima")]
)
def test_an_unknown_time_zone_is_refused_with_the_most_similar(
    home: Path, monkeypatch: pytest.MonkeyPatch, name: str, meant: str
) -> None:
    """As every wrong value of a setting."""
    monkeypatch.setenv("REMEMBRANCER_TIMEZONE", name)
    with pytest.raises(InvalidInput, match=f"REMEMBRANCER_TIMEZONE: .*{name!r} is not a time zone: .*{meant}'"):
        load_settings()


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="Windows has no TZ")
@given(
    moment=st.datetimes(datetime.fromisoformat("1975-01-01"), datetime.fromisoformat("2035-01-01")),
    fold=st.integers(0, 1),
)
def test_the_systems_zone_changes_its_clock_as_the_zone_of_its_name(moment: datetime, fold: int) -> None:
    """Without a setting, whatever the system calls its zone: by TZ, by /etc/localtime, or on Windows."""
    named = ZoneInfo("America/New_York")
    os.environ["TZ"] = named.key
    time.tzset()
    try:
        system = load_zone(None)
        shown, expected = (moment.replace(tzinfo=UTC).astimezone(one) for one in (system, named))
        assert (shown.replace(tzinfo=None), shown.fold) == (expected.replace(tzinfo=None), expected.fold)
        offsets = {moment.replace(tzinfo=one, fold=fold).utcoffset() for one in (system, named)}
        assert len(offsets) == 1
    finally:
        os.environ["TZ"] = "UTC"
        time.tzset()
