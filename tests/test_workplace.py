"""What a folder tells of the work done in it, and what it can't make the service do."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.interface.question import ContextQuestion
from core.knowledge.rules import UNKNOWN_WORKSPACE, Workspace
from service.workspace import Workspaces, detect_workspace, project_folder

#: Seconds that no folder may cost, however large: ten times the limit, since machines that test are busy.
_BOUND = 1.0


def write(folder: Path, **texts: str) -> Path:
    """Make a folder with manifests; a `_` in a name stands for its dot."""
    files(folder, {name.replace("_", "."): text for name, text in texts.items()})
    return folder


def files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write files with these paths below a folder."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of its own, the top of a repository, so that nothing above it counts."""
    made = tmp_path / "the folder"
    (made / ".git").mkdir(parents=True)
    return made


@pytest.mark.parametrize(
    ("file", "text", "project", "language"),
    [
        ("pyproject.toml", '[build-system]\nname = "no"\n[project]\nname = "Hydra"  # ours\n', "Hydra", "python"),
        ("pyproject.toml", "[ tool.poetry ]\n name= 'hydra-lib'\n", "hydra-lib", "python"),
        ("package.json", '{"name": "@lab/hydra", "version": "1.0.0"}', "hydra", "javascript"),
        ("Cargo.toml", '[package]\nedition = "2021"\nname = "hydra"\n[dependencies]\nname = "x"\n', "hydra", "rust"),
        ("go.mod", "// ours\nmodule example.org/lab/hydra/v3\n\ngo 1.22\n", "hydra", "go"),
    ],
)
def test_a_manifest_says_both(folder: Path, file: str, text: str, project: str, language: str) -> None:
    """The name in it, and the language whose it is."""
    (folder / file).write_text(text)

    assert detect_workspace(folder) == Workspace(project, language)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", "[project\nname = "),
        ("pyproject.toml", '[tool.ruff]\nname = "no"\n'),
        ("pyproject.toml", "\0\0\udcff[project]"),
        ("package.json", '{"name": 7}'),
        ("package.json", "[" * 100_000),
        ("package.json", '["name"]'),
        ("package.json", '{"name": "\\u0000\\n"}'),
        ("Cargo.toml", "[package]\nname.workspace = true\n"),
        ("go.mod", "module\n"),
        ("go.mod", "module v2"),
    ],
)
def test_a_manifest_without_a_name_leaves_the_folders(folder: Path, file: str, text: str) -> None:
    """Whatever else stands in it: the name of the repository's top folder counts."""
    (folder / file).write_bytes(text.encode("utf-8", "surrogateescape"))

    assert detect_workspace(folder).project == "the folder"


def test_a_folder_within_a_repository_belongs_to_it(folder: Path) -> None:
    """The nearest manifest upwards counts, never one above the repository."""
    write(folder.parent, package_json='{"name": "above"}')
    inner = folder / "services" / "web"
    inner.mkdir(parents=True)

    assert detect_workspace(inner) == Workspace("the folder", None)
    write(folder, pyproject_toml='[project]\nname = "hydra"\n')
    assert detect_workspace(inner).project == "hydra"
    write(inner, package_json='{"name": "hydra-web"}', tsconfig_json="{}")
    assert detect_workspace(inner) == Workspace("hydra-web", "typescript")


def test_without_a_manifest_most_files_say_the_language(folder: Path) -> None:
    """What was installed or built there does not count, and of several manifests' languages the one of most files."""
    some = (
        "a.go b.go sub/c.py readme.md node_modules/d.js node_modules/e.js node_modules/f.js .hidden/g.js .hidden/h.js"
    )
    files(folder, dict.fromkeys(some.split(), ""))

    assert detect_workspace(folder) == Workspace("the folder", "go")
    files(folder, {"package.json": "{}", "pyproject.toml": "", "sub/i.py": "", "j.go": ""})
    assert detect_workspace(folder).language == "python"


def test_a_folder_that_is_none_tells_nothing(tmp_path: Path) -> None:
    """A file, nothing, a name no file can have."""
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "gone", Path("/a\0b"), tmp_path / ("x" * 5_000)):
        assert detect_workspace(path) == Workspace()


def test_links_out_of_the_folder_are_not_followed(folder: Path, tmp_path: Path) -> None:
    """Neither a manifest that is a link, nor a folder that is one, nor a loop of them."""
    secret = write(tmp_path / "secret", pyproject_toml='[project]\nname = "secret"\n', a_go="", b_go="")
    (folder / "pyproject.toml").symlink_to(secret / "pyproject.toml")
    (folder / "secret").symlink_to(secret)
    (folder / "loop").symlink_to(folder)
    (folder / "package.json").symlink_to(folder / "package.json")
    os.link(secret / "a.go", folder / "one.rs")

    place = detect_workspace(folder)

    assert place.project == "the folder"
    assert "go" not in str(place.language)


def test_pipes_devices_and_folders_are_not_opened_as_manifests(folder: Path) -> None:
    """Reading one could wait forever."""
    os.mkfifo(folder / "pyproject.toml")
    (folder / "package.json").mkdir()
    (folder / "Cargo.toml").symlink_to("/dev/zero")
    begin = time.monotonic()

    assert detect_workspace(folder).project == "the folder"
    assert time.monotonic() - begin < _BOUND


def test_a_huge_manifest_is_not_read_and_a_hostile_one_costs_little(folder: Path) -> None:
    """At most 256 kB each, and time in proportion: TOML with one key of 60,000 parts takes a full parser minutes."""
    begin = time.monotonic()
    (folder / "package.json").write_text('{"name": "huge", "x": "' + "x" * 300_000 + '"}')
    (folder / "Cargo.toml").write_text("[package]\n" + "name = " * 30_000)
    (folder / "pyproject.toml").write_text(
        "[project]\n" + "a." * 60_000 + "b = 1\n" + "[" * 50_000 + "\n" + '"' * 50_000
    )

    assert detect_workspace(folder).project == "the folder"
    assert time.monotonic() - begin < _BOUND


def test_a_huge_folder_is_looked_at_from_the_top_and_left_in_time(folder: Path) -> None:
    """What lies near the top says enough."""
    write(folder, main_rs="", lib_rs="")
    for number in range(60):
        deep = folder / f"data{number}"
        deep.mkdir()
        for name in range(120):
            (deep / f"{name}.py").touch()
    begin = time.monotonic()

    assert detect_workspace(folder).language in {"python", "rust"}
    assert time.monotonic() - begin < _BOUND


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_passed_over(folder: Path) -> None:
    """An unreadable manifest and an unreadable folder are as if they were not there."""
    write(folder, pyproject_toml='[project]\nname = "x"\n', b_go="")
    files(folder, {"closed/a.py": ""})
    (folder / "pyproject.toml").chmod(0)
    (folder / "closed").chmod(0)
    try:
        assert detect_workspace(folder).project == "the folder"
    finally:
        (folder / "closed").chmod(0o700)


def test_a_name_is_one_line_of_bounded_length(tmp_path: Path) -> None:
    """It becomes a heading."""
    folder = tmp_path / "two\nlines\x1b[31m"
    folder.mkdir()

    assert detect_workspace(folder).project == "two lines [31m"
    write(folder, package_json='{"name": "' + "x" * 500 + '"}')
    assert detect_workspace(folder).project == "x" * 100


def test_folders_count_in_their_order_and_the_own_one_last(tmp_path: Path) -> None:
    """The first that tells anything; where folders are another machine's only a name."""
    own = write(tmp_path / "own", go_mod="module own\n")
    theirs = write(tmp_path / "theirs", go_mod="module of-theirs\n")
    gone, anywhere = str(tmp_path / "gone"), ContextQuestion()
    here = Workspaces(own=own)

    assert here.detect(anywhere) == Workspace("own", "go")
    assert here.detect(anywhere, [gone, str(theirs)]) == Workspace("of-theirs", "go")
    assert (
        here.detect(anywhere, [gone]) == here.detect(ContextQuestion(folder=gone), [str(theirs)]) == UNKNOWN_WORKSPACE
    )
    assert here.detect(ContextQuestion(scope="universal")) == UNKNOWN_WORKSPACE
    assert Workspaces().detect(anywhere) == UNKNOWN_WORKSPACE
    assert Workspaces(reads=False, own=own).detect(anywhere, [str(theirs)]) == Workspace("theirs")
    assert Workspaces(reads=False).detect(ContextQuestion(folder="C:\\work\\Hydra\\")) == Workspace("Hydra")
    assert Workspaces(reads=False).detect(anywhere, ["/"]) == UNKNOWN_WORKSPACE


def test_home_and_root_are_no_places_of_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that work nowhere are started there."""
    monkeypatch.setenv("HOME", str(tmp_path))

    assert project_folder(tmp_path) is None
    assert project_folder(Path("/")) is None
    assert project_folder(tmp_path / "work") == (tmp_path / "work").resolve()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    file=st.sampled_from(["pyproject.toml", "package.json", "Cargo.toml", "go.mod"]),
    content=st.one_of(
        st.binary(max_size=300),
        st.text("[]{}\"'=.\n\\:, projectnamkgdul\0é", max_size=300).map(str.encode),
    ),
)
def test_no_content_is_too_odd(tmp_path: Path, file: str, content: bytes) -> None:
    """Whatever a manifest holds, there is an answer, and a project's name is one line."""
    (tmp_path / file).write_bytes(content)

    place = detect_workspace(tmp_path)

    assert place.project
    assert place.project == " ".join(place.project.split())
    assert len(place.project) <= 100
    (tmp_path / file).unlink()
