"""What the index asks of a Chroma, wherever that runs."""

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from core.errors import Unavailable

if TYPE_CHECKING:
    from chromadb.api import ClientAPI


class Chroma(Protocol):
    """One place that holds collections; `str` of it tells people where, without credentials.

    The three families of errors are empty until the first `open`: Chroma's package takes a second to import.
    """

    #: What the client raises when something is wrong with the place, `missing` and `passing` among it.
    errors: tuple[type[Exception], ...]
    #: Which of it means that a collection is not there.
    missing: tuple[type[Exception], ...]
    #: After which of it the same call is worth making once more at once.
    passing: tuple[type[Exception], ...]

    def open(self) -> "ClientAPI":
        """Return a client.

        Raises:
            Unavailable: another process has the place for itself, or the disk refuses.
        """
        ...

    def close(self, client: "ClientAPI") -> None:
        """Let go of what `open` took."""
        ...

    def note_removal(self) -> None:
        """Take note that texts are about to be removed."""
        ...

    def ping(self, client: "ClientAPI") -> str:
        """Return one line about the place.

        Raises:
            Unavailable: what answers there is no Chroma that this client can speak to.
        """
        ...

    def max_entries(self, client: "ClientAPI") -> int:
        """Return how many entries one write may have."""
        ...

    def yield_to_others(self, written_for: float) -> None:
        """Let others go on after a write that took so many seconds."""
        ...

    def translate_error(self, error: Exception) -> Unavailable:
        """Translate one of `errors`: what happened, where, and what to do."""
        ...

    def move_aside(self) -> Path | None:
        """Move what is there, and open nowhere, out of the way of the next `open`; return where to.

        None if nothing can be moved there.

        Raises:
            Unavailable: another process has the place for itself, or the disk refuses.
        """
        ...
