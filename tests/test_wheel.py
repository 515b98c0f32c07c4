"""What a user installs: the wheel, in an environment that has never seen the checkout."""

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parents[1]
PROGRAM = """
import sys, remembrancer
with remembrancer.open(sys.argv[1]) as memory:
    memory.remember("The wheel is round.")
    print(memory.recall("wheel").results[0].content)
print(remembrancer.__file__)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the commands of an environment with the wheel in it, and the dependencies of this one."""
    folder = tmp_path_factory.mktemp("wheel")
    hatchling = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(hatchling, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    environment = folder / "environment"
    venv.create(environment)
    commands = environment / ("Scripts" if sys.platform == "win32" else "bin")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(environment)]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", str(wheel)], check=True, capture_output=True)
    (packages,) = environment.glob("**/site-packages")
    dependencies = [path for path in sys.path if Path(path).name == "site-packages"]
    (packages / "dependencies.pth").write_text("\n".join(dependencies), encoding="utf-8")
    return commands


def run(installed: Path, folder: Path, program: str, *arguments: str) -> str:
    """Run a program of the environment in a folder that holds nothing, and return what it prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("REMEMBRANCER_", "OPENAI_"))}
    kept.pop("PYTHONPATH", None)
    kept |= {"REMEMBRANCER_HOME": str(folder / "home"), "COLUMNS": "200"}
    (folder / "home").mkdir(mode=0o700, exist_ok=True)
    (folder / "home" / ".env").write_text("REMEMBRANCER_OWNER_IDLE=0.1\n", encoding="utf-8")
    working = folder / "empty"
    working.mkdir()
    done = subprocess.run(
        [installed / program, *arguments],
        cwd=working,
        env=kept,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_installed_command_runs_the_demo(installed: Path, tmp_path: Path) -> None:
    """Weights, corpus and word lists are in the wheel or in its dependencies."""
    shown = run(installed, tmp_path, "remembrancer", "demo")

    assert "Remembered 55 items from 17 files" in shown
    assert "because same_actor:Lena Fischer" in shown


@pytest.mark.exhaustive
def test_the_installed_package_opens_a_memory(installed: Path, tmp_path: Path) -> None:
    """Its owner, too, is the installed one."""
    said, where = run(installed, tmp_path, "python", "-c", PROGRAM, str(tmp_path / "home")).splitlines()

    assert said == "The wheel is round."
    assert Path(where).is_relative_to(installed.parent)


@pytest.mark.exhaustive
def test_the_installed_package_is_typed(installed: Path) -> None:
    """Type checkers read the signatures and the results, which are those of `core`."""
    (packages,) = installed.parent.glob("**/site-packages")

    assert all((packages / name / "py.typed").is_file() for name in ("remembrancer", "core"))
