"""`docs/plugins.md`: rerankers and extractors of the user's own, found by the entry points of what is installed."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.interface.memory import Memory
from core.interface.question import Question
from service.cli import main
from service.settings import load_settings
from service.wiring import make_reranker, open_app

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
MODULE = """
def failing(): raise OSError("no such model")
def nothing(): return object()
class Misnamed:
    name = "somebody"
    def scores(self, query, passages): return [1 for _ in passages]
class Idle:
    name = "idle"
"""
ENTRY_POINTS = """
[remembrancer.rerankers]
failing = broken_plugins:failing
nothing = broken_plugins:nothing
misnamed = broken_plugins:Misnamed
idle = broken_plugins:Idle
absent = broken_plugins:absent
no-module = a_module_nobody_has:Judge
"""

Install = Callable[[str, str, str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a distribution of one module with entry points, for as long as the test runs."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMEMBRANCER_HOME", str(tmp_path / "home"))
    for name in ("REMEMBRANCER_GRAPH", "REMEMBRANCER_VECTORS", "REMEMBRANCER_RERANKER", "REMEMBRANCER_EXTRACTOR"):
        monkeypatch.delenv(name, raising=False)

    def put(module: str, source: str, points: str) -> None:
        (folder / f"{module}.py").write_text(source, encoding="utf-8")
        facts = folder / f"{module}-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
        (facts / "entry_points.txt").write_text(points, encoding="utf-8")
        monkeypatch.delitem(sys.modules, module, raising=False)

    return put


@pytest.fixture
def documented(install: Install) -> None:
    """Install the package that the page shows, with all its examples in one module."""
    project, _ = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    points = re.sub(r'\[project\.entry-points\."(.*?)"\]', r"[\1]", project.partition("\n\n")[2]).replace('"', "")
    install("my_judges", "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)), points)


def test_there_is_no_reranker_unless_one_is_named(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    """Off by default, and an empty variable is no name."""
    monkeypatch.setenv("REMEMBRANCER_RERANKER", "")

    assert make_reranker(load_settings()) is None


@pytest.mark.parametrize("name", ["cross-encoder", "language-model"])
def test_a_documented_reranker_is_found_by_its_name(
    documented: None, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Whoever installs one of the examples gets a reranker; the model is only loaded when the first question comes."""
    monkeypatch.setenv("REMEMBRANCER_RERANKER", name)
    reranker = make_reranker(load_settings())

    assert reranker is not None
    assert reranker.name.startswith(f"{name}:")
    assert "sentence_transformers" not in sys.modules


def test_a_documented_extractor_reads_what_is_remembered(documented: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it finds is verified, resolved and kept as what any other extractor finds, and it is named in `status`."""
    monkeypatch.setenv("REMEMBRANCER_EXTRACTOR", "tickets")
    with open_app(load_settings()) as app:
        app.remember(Memory(content="On the desk.\nTICKET Ann Lee: order the tiles"), wait=True)
        found = app.recall(Question(query="the tiles", detail="full"))
        services = app.status().services

    (event,) = found.results[0].events or []
    assert (event.category, event.summary) == ("Commitment", "order the tiles")
    assert [actor.name for actor in event.actors] == ["Ann Lee"]
    assert event.evidence[0].quote == "TICKET Ann Lee: order the tiles"
    assert services["extractor"].detail == "tickets"


@pytest.mark.exhaustive
def test_an_installed_extractor_makes_runs(documented: None, capsys: pytest.CaptureFixture[str]) -> None:
    """`remembrancer extract` takes its name."""
    main(["remember", "TICKET Ann Lee: order the tiles"])
    capsys.readouterr()
    code = main(["extract", "--extractor", "tickets"])

    assert code == 0
    assert " with tickets" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("failing", "OSError: no such model"),
        ("nothing", "needs a method `scores`"),
        ("misnamed", "its `name` must be 'misnamed'"),
        ("idle", "needs a method `scores`"),
        ("absent", "AttributeError"),
        ("no-module", "No module named 'a_module_nobody_has'"),
    ],
)
def test_a_plugin_that_cannot_be_made_is_reported_at_the_start(
    install: Install, monkeypatch: pytest.MonkeyPatch, name: str, reason: str
) -> None:
    """Not at the first question; the message names the plugin and the reason."""
    install("broken_plugins", MODULE, ENTRY_POINTS)
    monkeypatch.setenv("REMEMBRANCER_RERANKER", name)
    with pytest.raises(InvalidInput, match=re.escape(reason)) as caught, open_app(load_settings()):
        pass

    assert f"reranker {name!r}" in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "known"),
    [
        ("REMEMBRANCER_RERANKER", "cross-encoder, language-model"),
        ("REMEMBRANCER_EXTRACTOR", "local, openai, tickets"),
    ],
)
def test_an_unknown_name_is_refused_with_those_that_are_known(
    documented: None, monkeypatch: pytest.MonkeyPatch, variable: str, known: str
) -> None:
    """A module's name is no plugin's name either: nothing is imported that was not installed as a plugin."""
    monkeypatch.setenv(variable, "my_judges:CrossEncoderJudge")
    with pytest.raises(InvalidInput, match=f"{variable} can name one of: {known}\\."), open_app(load_settings()):
        pass


def test_an_unknown_extractor_of_the_shell_is_refused(
    documented: None, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The same words as for the variable."""
    assert main(["extract", "--extractor", "nobody"]) == 1
    assert "local, openai, tickets" in capsys.readouterr().err
