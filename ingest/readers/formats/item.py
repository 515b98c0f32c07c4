"""What a reader yields: an item to remember, or a part of the file that it refuses or leaves out."""

from dataclasses import dataclass

from core.interface.memory import Memory


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part of an item's content stands in its file: from character `start_char` on it is `name` ("page 3")."""

    start_char: int
    name: str


@dataclass(frozen=True, slots=True)
class Item:
    """A memory, the places of its parts in ascending order, and whether its author is who sent or said it.

    An author who is only named in the file, as in front matter or the properties of a document, counts no more than
    the file (`ingest.intake.trust`). `context_detected` is whether its context was detected in its lines:
    False if somebody named it, None as long as nobody looked.
    """

    memory: Memory
    places: tuple[Place, ...] = ()
    spoken: bool = False
    context_detected: bool | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A part that can't be read, while the rest of the file can; `reason` names file, part and what to do."""

    reason: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part that is left out by design, such as a picture in an archive or a note in the trash.

    `reason` says why in a few words, in which such parts are counted; `name` is its path.
    """

    name: str
    reason: str


#: What reading a file gives, one after the other.
Part = Item | Refused | LeftOut
