"""Ingestion: the arguments of `ingest`, checked when they are made, and its result."""

from dataclasses import dataclass, field
from typing import Annotated, Final

from core.errors import check_all, match_choice
from core.interface.memory import CONTEXTS, check_text
from core.interface.parameters import Description, check_choice
from core.records import ALWAYS

#: Most characters of a path.
_LONGEST_PATH: Final = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRequest:
    """One call of `ingest`: a file, or a folder with all below it. `dry_run` reads them and stores nothing.

    `prune` forgets what came from files that are gone, too.

    Raises:
        InvalidInput: the path is blank, or there is no such context.
        TooLarge: the path is over its limit.
    """

    path: Annotated[str, Description("File or folder.")]
    context: Annotated[str | None, Description("As in remember.")] = None
    dry_run: Annotated[bool, Description("Only count.", "show what would be done, and store nothing")] = False
    prune: Annotated[bool, Description("Forget deleted files.", "also forget the items of deleted files")] = False

    def __post_init__(self) -> None:
        if self.context is not None:
            object.__setattr__(self, "context", match_choice(self.context, CONTEXTS))
        check_all(
            lambda: check_text("path", self.path, _LONGEST_PATH),
            lambda: None if self.context is None else check_choice("context", self.context, CONTEXTS),
        )


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file, or a part of one, that was not taken in, and what to do about it."""

    file: str
    why: str


@dataclass(frozen=True, slots=True)
class GoneItems:
    """How many items a file gave and no longer gives. `why_kept` says why they stay, with the next step."""

    file: str
    items: int = field(metadata=ALWAYS)
    moved_to: str | None = None
    why_kept: str | None = None
    #: Of those that stay.
    ids: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Ingested:
    """The result of `ingest`: how many items were stored, replaced, and found as they were, and what was refused.

    `forgotten` counts the items that no file gives any more and that were forgotten, and `gone` names their files, and
    those of which such items stay. Of a dry run these are the numbers that the real one would have. `hint` says what
    was left out.
    """

    stored: int = field(metadata=ALWAYS)
    updated: int = field(metadata=ALWAYS)
    unchanged: int = field(metadata=ALWAYS)
    refused: list[RefusedFile] = field(default_factory=list, metadata=ALWAYS)
    #: Secrets that are not stored, a line for each file; the first 50.
    redacted: list[str] | None = None
    forgotten: int | None = None
    gone: list[GoneItems] | None = None
    dry_run: bool | None = None
    hint: str | None = None
