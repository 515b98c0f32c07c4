"""What a client says on standard input when it runs a hook."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self, TextIO

from core.errors import InvalidInput

#: Characters that are read: an event of a hook has some hundreds.
_MOST: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class HookEvent:
    """The transcript of the session so far, and the folder that it works in; None where the client does not say."""

    transcript: Path | None = None
    folder: Path | None = None

    @classmethod
    def read(cls, stream: TextIO) -> Self:
        """Read the event.

        Raises:
            InvalidInput: it is no JSON object, or a path in it is not a path.
        """
        try:
            given: object = json.loads(stream.read(_MOST))
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"standard input is not the JSON of a hook ({str(error)[:80]})") from error
        if not isinstance(given, Mapping):
            raise InvalidInput("standard input is not the JSON object of a hook")
        return cls(_path(given, "transcript_path"), _path(given, "cwd"))


def _path(given: Mapping[str, object], name: str) -> Path | None:
    value = given.get(name)
    if value in (None, ""):
        return None
    if not isinstance(value, str) or "\0" in value:
        raise InvalidInput(f"{name} {str(value)[:80]!r} is no path")
    try:
        return Path(value).expanduser().absolute()
    except (OSError, RuntimeError, ValueError) as error:
        raise InvalidInput(f"{name} {value[:80]!r} is no path ({error})") from error
