"""The home folder of a process and the variables of its settings, found without importing pydantic, which takes
ten times as long.

Variables come from the environment, then from the file of `--env-file`, then from `.env` in the home. A `.env` in the
working folder is never read for settings: it may belong to a stranger's repository. `${…}` is not expanded.
"""

import hashlib
import importlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple, Self

from platformdirs import user_data_path

from core.errors import InvalidInput, NotFound

#: Beginnings of the names of all variables that the settings read.
_OURS: Final = ("REMEMBRANCER_", "NEO4J_", "CHROMA_", "OPENAI_")
_HOME: Final = "REMEMBRANCER_HOME"
#: Variables whose values may be shown and sent; of the others only a digest is compared.
_SHOWN: Final = frozenset(
    {
        f"REMEMBRANCER_{name}"
        for name in (
            "GRAPH",
            "VECTORS",
            "EMBEDDER",
            "EXTRACTOR",
            "RERANKER",
            "TOOLS",
            "SECRETS",
            "OWNER_IDLE",
            "TIMEZONE",
        )
    }
)
#: The only variables that say nothing about an owner: where the home is, and who may ask `serve`.
_NOT_COMPARED: Final = frozenset({_HOME, "REMEMBRANCER_TOKENS"})
#: A line of a `.env` that sets one of our variables, and how many bytes of the file are searched for some.
_SETS_OURS: Final = re.compile(rf"^[ \t]*(?:export[ \t]+)?((?:{'|'.join(_OURS)})\w{{1,60}})[ \t]*=", re.MULTILINE)
_SEARCHED_BYTES: Final = 65_536
#: Variables that move the settings of programs that can be connected.
_OF_CLIENTS: Final = (
    "APPDATA",
    "XDG_CONFIG_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "COPILOT_HOME",
    "CURSOR_CONFIG_DIR",
    "CLINE_DIR",
    "HERMES_HOME",
)


def limit_numpy_threads() -> None:
    """Have numpy multiply on one thread, unless the environment says otherwise; call it before numpy is imported.

    The products here are small, and after each of them the other threads of OpenBLAS wait by spinning.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class HomeConfig(NamedTuple):
    """A home folder, and the variables that the settings of this process are read from.

    `asked` has the variables from its own environment, `--env-file` included, without those of the home.
    """

    home: Path
    variables: Mapping[str, str]
    asked: Mapping[str, str]

    @classmethod
    def find(cls, home: Path | None = None) -> Self:
        """Read the environment and the home's `.env`; `home` goes before the environment's.

        Raises:
            InvalidInput: the home's `.env` can't be read.
        """
        asked = _ours(os.environ)
        chosen = home or (Path(asked[_HOME]) if _HOME in asked else user_data_path("remembrancer", appauthor=False))
        folder = chosen.expanduser().absolute()
        kept = _variables_of(folder / ".env") if (folder / ".env").is_file() else {}
        kept.pop(_HOME, None)
        return cls(folder, kept | asked, asked)

    @property
    def dotenv(self) -> Path:
        """The file of the settings that every process of this home reads."""
        return self.home / ".env"

    @property
    def allows_multiple_servers(self) -> bool:
        """Whether any number of processes may serve: only embedded vectors belong to one."""
        return self.variables.get("REMEMBRANCER_VECTORS") == "server"

    @property
    def requested_settings(self) -> dict[str, str]:
        """The settings of the environment, by name; possible secrets as digests."""
        return {name: comparable_value(name, value) for name, value in self.asked.items() if name not in _NOT_COMPARED}

    def owner_environment(self) -> dict[str, str]:
        """Return the environment for the owner of this home: without any setting of this process but the home."""
        kept = {name: value for name, value in os.environ.items() if not name.upper().startswith(_OURS)}
        return kept | {_HOME: str(self.home)}


def comparable_value(name: str, value: str) -> str:
    """Return a value in the form that processes compare: itself if it may be shown, else a digest."""
    return value if name in _SHOWN else f"sha256:{hashlib.sha256(value.encode()).hexdigest()[:16]}"


def is_shown(name: str) -> bool:
    """Whether the value of a variable may be shown."""
    return name in _SHOWN


def load_env_file(file: Path) -> None:
    """Load our variables of a file into the environment of this process, unless they are set there.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it can't be read.
    """
    if not file.is_file():
        raise NotFound(f"The file {str(file)!r} of --env-file does not exist: give a file with lines NAME=value.")
    for name, value in _variables_of(file).items():
        if not os.environ.get(name):
            os.environ[name] = value


def drop_settings_from_environment() -> None:
    """Drop every variable of ours but the home from the environment, so that settings come from the home's `.env`."""
    for name in [name for name in os.environ if name.upper().startswith(_OURS) and name.upper() != _HOME]:
        del os.environ[name]


def home_from_environment() -> Path | None:
    """Return the home that the environment names; None if it is the usual one."""
    named = _ours(os.environ).get(_HOME)
    return None if named is None else Path(named).expanduser().absolute()


def client_variables() -> dict[str, str]:
    """Return the variables that say where clients keep their settings, of those that are set."""
    return {name: os.environ[name] for name in _OF_CLIENTS if os.environ.get(name)}


def describe_ignored_dotenv() -> str | None:
    """Return a sentence about a `.env` in the working folder that sets variables of ours; None if there is none."""
    file = Path(".env").absolute()
    try:
        home = HomeConfig.find().dotenv
        if not file.is_file() or file == home:
            return None
        with file.open("rb") as opened:
            text = opened.read(_SEARCHED_BYTES).decode("utf-8", "replace")
    except (OSError, InvalidInput):
        return None  # the command itself meets the same error if it matters to it
    names = sorted({name.upper() for name in _SETS_OURS.findall(text)})
    if not names:
        return None
    shown = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
    return f"{str(file)!r} sets {shown} and is ignored: use --env-file, the environment, or {str(home)!r}."


def describe_misplaced_home(home_config: HomeConfig) -> str | None:
    """Return a sentence about a home that is set in a home's `.env`, where it has no effect; None if none is."""
    if not home_config.dotenv.is_file() or _HOME not in _variables_of(home_config.dotenv):
        return None
    return f"{_HOME} has no effect in {str(home_config.dotenv)!r}, a file of the home: set it in the environment."


def _variables_of(file: Path) -> dict[str, str]:
    try:
        return _ours(importlib.import_module("dotenv").dotenv_values(file, interpolate=False, encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"The settings in {str(file)!r} can't be read ({error}): correct the file.") from error


def _ours(variables: Mapping[str, str | None]) -> dict[str, str]:
    return {name.upper(): value for name, value in variables.items() if name.upper().startswith(_OURS) and value}
