"""Ruling: a person's decision about who is who, as it is given, and what came of it."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from core.interface.memory import check_choice, check_text
from core.knowledge.findings import Entity
from core.knowledge.identities import Verdict

#: `accept`: the two are one. `reject`: they are two. `split`: what is called so, or is said in that item, is another.
#: `undo`: whatever was decided last about the two is taken back.
RulingKind = Literal["accept", "reject", "split", "undo"]
_KINDS: Final[tuple[str, ...]] = get_args(RulingKind)
#: Longest id or name, in characters.
_MAX_NAME: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What to decide about two entities, each given by an id or a name that only it has.

    Of two that are one, `one` is the one that stands. For a split `other` is a name of `one`, or the id of an item.

    Raises:
        InvalidInput: a field is empty, or the kind is not known.
    """

    kind: RulingKind
    one: str
    other: str
    by: str | None = None
    note: str | None = None

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, _KINDS)
        check_text("one", self.one, _MAX_NAME)
        check_text("other", self.other, _MAX_NAME)
        for field in ("by", "note"):
            if (value := getattr(self, field)) is not None:
                check_text(field, value)


@dataclass(frozen=True, slots=True)
class Ruled:
    """What a ruling changed: the verdict that was made or undone, and the entities it is about, as they stand now.

    `changed` is false where all was so before.
    """

    changed: bool
    verdict: Verdict | None
    entities: list[Entity]
