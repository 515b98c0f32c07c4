"""The gold set: documents annotated by the guide in `evals/annotated/README.md`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

import yaml

from core.errors import InvalidInput
from core.knowledge.findings import ActorRole, Category, EntityType

ANNOTATED: Final = Path(__file__).parent / "annotated"
#: The folders of the set, one a kind of document.
KINDS: Final = ("meetings", "mails", "decisions", "chats", "reports")
_TURN = re.compile(r"(?P<author>[^\s:][^:\n]{0,40}): (?P<said>.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class GoldActor:
    """Who took part in an event, by a name that the document's entities have."""

    name: str
    role: ActorRole


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldEvent:
    """An event to be found. `start` and `end` are where its quote stands in the document's text.

    An `optional` one is debatable: neither hit nor miss. `due` is None if there is no day to find, or if that is
    debatable too (`any_due`).
    """

    category: Category
    quote: str
    start: int
    end: int
    actors: tuple[GoldActor, ...] = ()
    subjects: tuple[str, ...] = ()
    due: date | None = None
    any_due: bool = False
    event_time: date | None = None
    optional: bool = False
    label: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldEntity:
    """Someone or something that the document names; `name` is the fullest form it uses.

    `elsewhere` are the forms that other documents of the set use for the same.
    """

    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()
    organization: str | None = None
    optional: bool = False
    elsewhere: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All forms that the set uses."""
        return (self.name, *self.aliases, *self.elsewhere)


@dataclass(frozen=True, slots=True)
class Part:
    """One item of memory, the arguments of `remember`; its content begins at `start` of the document's text."""

    arguments: Mapping[str, Any]
    start: int


@dataclass(frozen=True, slots=True)
class Document:
    """A document and what is to be found in it; `name` is `kind/file`, without the ending. A talk has many parts."""

    name: str
    kind: str
    text: str
    parts: tuple[Part, ...]
    events: tuple[GoldEvent, ...]
    entities: tuple[GoldEntity, ...]


#: A labelled event of the set, as links name it: `kind/file#label`.
Place = str


@dataclass(frozen=True, slots=True)
class Links:
    """What holds between documents: decisions (later, earlier), completions (commitment, closing event).

    `identities` are groups of `kind/file#Name` that are one person; a person of one document has no entry.
    """

    supersessions: tuple[tuple[Place, Place], ...]
    kept: tuple[tuple[Place, Place], ...]
    completions: tuple[tuple[Place, Place], ...]
    still_open: tuple[tuple[Place, Place], ...]
    identities: tuple[tuple[Place, ...], ...]


@dataclass(frozen=True, slots=True)
class Annotated:
    """The whole set."""

    documents: tuple[Document, ...]
    links: Links

    def labelled(self) -> dict[Place, tuple[Document, GoldEvent]]:
        """Return the events that links name."""
        return {
            f"{document.name}#{event.label}": (document, event)
            for document in self.documents
            for event in document.events
            if event.label
        }

    def identity(self, document: Document, entity: GoldEntity) -> str:
        """Return who an entity is across documents: the first place of its group, else its own.

        Things that are no person and in no group are the same under the same name.
        """
        place = f"{document.name}#{entity.name}"
        alone = place if entity.type == "person" else entity.name.casefold()
        return next((group[0] for group in self.links.identities if place in group), alone)


def annotated(folder: Path = ANNOTATED) -> Annotated:
    """Return the set in the order of kinds and file names.

    Raises:
        InvalidInput: an annotation is not what the guide says; the message names file and quote.
    """
    documents = tuple(
        _document(path, kind) for kind in KINDS for path in sorted((folder / kind).glob("*.yaml")) if path.is_file()
    )
    links = _links(folder / "links.yaml")
    return Annotated(tuple(_acquainted(document, documents, links) for document in documents), links)


def _acquainted(document: Document, documents: Sequence[Document], links: Links) -> Document:
    """Return the document with the forms that others use for its entities."""
    forms = {f"{one.name}#{entity.name}": entity.names for one in documents for entity in one.entities}
    groups = {place: group for group in links.identities for place in group}
    entities = []
    for entity in document.entities:
        places = groups.get(f"{document.name}#{entity.name}", ())
        known = dict.fromkeys(form for place in places for form in forms.get(place, ()))
        entities.append(replace(entity, elsewhere=tuple(form for form in known if form not in entity.names)))
    return replace(document, entities=tuple(entities))


def _document(path: Path, kind: str) -> Document:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    source = next(
        path.parent / f"{path.stem}{ending}" for ending in (".md", ".txt") if path.with_suffix(ending).exists()
    )
    name, given = f"{kind}/{path.stem}", dict(data["remember"])
    content = source.read_text(encoding="utf-8").strip()
    parts = _turns(name, content, given) if data.get("turns") else [{**_dated(given), "content": content}]
    text, placed = "", []
    for part in parts:
        placed.append(Part(part, len(text)))
        text += part["content"] + "\n\n"
    events = tuple(_event(name, text, one) for one in data["events"])
    return Document(name, kind, text, tuple(placed), events, tuple(_entity(one) for one in data["entities"]))


def _dated(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with dates, which YAML reads as such, as text."""
    return {name: value.isoformat() if isinstance(value, date) else value for name, value in given.items()}


def _turns(name: str, content: str, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return one memory a paragraph `Author: what was said`."""
    turns = []
    for index, paragraph in enumerate(re.split(r"\n\s*\n", content)):
        data = _TURN.fullmatch(paragraph)
        if data is None:
            raise InvalidInput(f"{name}: {paragraph[:60]!r} does not begin with 'Author: '.")
        own = {"content": data["said"], "author": data["author"], "conversation_id": name, "turn_index": index}
        turns.append({**_dated(given), "context": "conversation", **own})
    return turns


def _event(name: str, text: str, data: Mapping[str, Any]) -> GoldEvent:
    start, end = _placed(name, text, data["quote"])
    due = data.get("due")
    return GoldEvent(
        category=data["category"],
        quote=data["quote"],
        start=start,
        end=end,
        actors=tuple(GoldActor(one["name"], one["role"]) for one in data.get("actors", ())),
        subjects=tuple(data.get("subjects", ())),
        due=None if due == "any" else due,
        any_due=due == "any",
        event_time=data.get("event_time"),
        optional=data.get("optional", False),
        label=data.get("id"),
    )


def _placed(name: str, text: str, quote: str) -> tuple[int, int]:
    """Return where a quote stands; runs of white space are equal, and so are the marks of quoted lines in it.

    Raises:
        InvalidInput: it does not stand there exactly once.
    """
    found = list(re.finditer(r"[\s>]+".join(map(re.escape, quote.split())), text))
    if len(found) != 1:
        raise InvalidInput(f"{name}: {quote!r} stands {len(found)} times in the text: quote what stands there once.")
    return found[0].span()


def _entity(data: Mapping[str, Any]) -> GoldEntity:
    return GoldEntity(
        name=data["name"],
        type=data["type"],
        aliases=tuple(data.get("aliases", ())),
        organization=data.get("organization"),
        optional=data.get("optional", False),
    )


def _links(path: Path) -> Links:
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Links(
        supersessions=_pairs(data["supersessions"], "later", "earlier"),
        kept=_pairs(data["kept"], "later", "earlier"),
        completions=_pairs(data["completions"], "commitment", "closed_by"),
        still_open=_pairs(data["still_open"], "commitment", "not_closed_by"),
        identities=tuple(tuple(one["in"]) for one in data["identities"]),
    )


def _pairs(data: Sequence[Mapping[str, str]], first: str, second: str) -> tuple[tuple[Place, Place], ...]:
    return tuple((one[first], one[second]) for one in data)
