"""Merge request: a person's request to merge, separate, split, rename or dismiss entities, and its result."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

from core.interface.memory import check_choice, check_text
from core.knowledge.findings import Entity
from core.knowledge.identities import MergeDecision

#: `accept`: the two are the same. `reject`: they are different. `split`: that name, or that item, means another entity.
#: `undo`: the last decision about the two is undone. `name`: `other` is the name to show. `dismiss`: it is no entity.
MergeAction = Literal["accept", "reject", "split", "undo", "name", "dismiss"]
_KINDS: Final[tuple[str, ...]] = get_args(MergeAction)
#: Longest id or name, in characters.
_MAX_NAME: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRequest:
    """A decision about one or two entities, each given by its id or an unambiguous name.

    When two are merged, `one` remains. For a split, `other` is a name of `one`, or the id of an item; of a dismissal it
    is `one` again.

    Raises:
        InvalidInput: a field is empty, or the kind is not known.
    """

    kind: MergeAction
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
class MergeResult:
    """The result of a merge request: the merge decision that was made or undone, and the entities it is about, as they
    are now.

    `changed` is false if nothing changed; else `rollback` takes the run `run_id` back.
    """

    changed: bool
    verdict: MergeDecision | None
    entities: list[Entity]
    run_id: str | None = None
