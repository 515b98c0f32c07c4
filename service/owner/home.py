"""Place: the home folder of a process, found without importing pydantic, which takes ten times as long."""

import hashlib
import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple, Self

from platformdirs import user_data_path

#: Beginnings of the names of all variables that the settings read.
_OURS: Final = ("REMEMBRANCER_", "NEO4J_", "CHROMA_", "OPENAI_")
_HOME: Final = "REMEMBRANCER_HOME"


class Place(NamedTuple):
    """A home folder, and the variables of this process's environment and `.env` that the settings would read."""

    home: Path
    variables: Mapping[str, str]

    @classmethod
    def find(cls) -> Self:
        """Read the environment, and `.env` in the working folder, as `service.settings` does."""
        there: dict[str, str | None] = dict(os.environ)
        if Path(".env").is_file():
            there = importlib.import_module("dotenv").dotenv_values(".env", encoding="utf-8") | there
        ours = {name.upper(): value for name, value in there.items() if name.upper().startswith(_OURS) and value}
        home = Path(ours[_HOME]) if _HOME in ours else user_data_path("remembrancer", appauthor=False)
        return cls(home.expanduser().absolute(), ours)

    @property
    def shared(self) -> bool:
        """Whether any number of processes may serve: only embedded vectors belong to one."""
        return self.variables.get("REMEMBRANCER_VECTORS") == "server"

    @property
    def digests(self) -> dict[str, str]:
        """Hashes of the settings, by which two processes compare theirs without sending any."""
        compared = {name: value for name, value in self.variables.items() if name != _HOME}
        return {name: hashlib.sha256(value.encode()).hexdigest()[:16] for name, value in sorted(compared.items())}

    def environment(self) -> dict[str, str]:
        """Return the environment for a process with the same settings in another working folder."""
        return os.environ | dict(self.variables) | {_HOME: str(self.home)}
