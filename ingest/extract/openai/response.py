"""Reading: from the text of an answer to its items, each of the schema's form; what is not is left out."""

import json
import re
from dataclasses import dataclass
from typing import Any, Final, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from core.knowledge.findings import CATEGORIES, ActorRole, EntityType
from ingest.extract.openai.schema import ActorAnswer, Answer, EntityAnswer, EventAnswer, MomentAnswer

Item = TypeVar("Item", bound=BaseModel)

_ROLES: Final[tuple[str, ...]] = get_args(ActorRole)
_TYPES: Final[tuple[str, ...]] = get_args(EntityType)
_LETTERS: Final = re.compile(r"[^a-z]")
#: A window of 900 tokens has no more statements, or names: what comes after is a model that has lost its way.
MOST_ITEMS: Final = 300


class Malformed(ValueError):
    """The answer is not an object with a list of entities and one of events."""


@dataclass(frozen=True, slots=True)
class Read:
    """The items of an answer that have the schema's form; `dropped` counts the others."""

    entities: tuple[EntityAnswer, ...]
    events: tuple[EventAnswer, ...]
    dropped: int


def read(text: str) -> Read:
    """Read an answer, in the fences or after the thoughts that some models put around JSON.

    Raises:
        Malformed: it holds no such object.
    """
    answer = _object(text)
    lists = [answer.get(name) for name in Answer.model_fields]
    if not all(isinstance(items, list) for items in lists):
        raise Malformed(f"no lists of entities and events in {text[:80]!r}")
    entities, events = ([item for item in items or [] if isinstance(item, dict)] for items in lists)
    read_entities = [entity for raw in entities[:MOST_ITEMS] if (entity := _entity(raw)) is not None]
    read_events = [event for raw in events[:MOST_ITEMS] if (event := _event(raw)) is not None]
    given = sum(len(items or []) for items in lists)
    return Read(tuple(read_entities), tuple(read_events), given - len(read_entities) - len(read_events))


def _object(text: str) -> dict[str, Any]:
    for candidate in (text, text[text.find("{") : text.rfind("}") + 1], text[text.rfind("</think>") + 8 :]):
        try:
            found = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    raise Malformed(f"no JSON object in {text[:80]!r}")


def _event(raw: dict[str, Any]) -> EventAnswer | None:
    actors = raw.get("actors")
    subjects = raw.get("subjects")
    return _valid(
        EventAnswer,
        {
            "confidence": 0.5,
            **_known(raw, EventAnswer),
            "category": _choice(raw.get("category"), CATEGORIES),
            "actors": [found for item in _list(actors) if (found := _actor(item)) is not None],
            "subjects": [item for item in _list(subjects) if isinstance(item, str)],
            "happened": _valid(MomentAnswer, raw.get("happened")),
            "due": _valid(MomentAnswer, raw.get("due")),
        },
    )


def _actor(raw: object) -> ActorAnswer | None:
    if not isinstance(raw, dict):
        return None
    return _valid(ActorAnswer, {"name": raw.get("name"), "role": _choice(raw.get("role"), _ROLES) or "other"})


def _entity(raw: dict[str, Any]) -> EntityAnswer | None:
    return _valid(
        EntityAnswer,
        {
            "role": None,
            "organization": None,
            **_known(raw, EntityAnswer),
            "type": _choice(raw.get("type"), _TYPES),
            "aliases": [item for item in _list(raw.get("aliases")) if isinstance(item, str)],
        },
    )


def _valid(model: type[Item], raw: object) -> Item | None:
    try:
        return model.model_validate(raw)
    except ValidationError:
        return None


def _known(raw: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    return {name: raw[name] for name in model.model_fields if name in raw}


def _list(raw: object) -> list[object]:
    return raw if isinstance(raw, list) else []


def _choice(raw: object, choices: tuple[str, ...]) -> str | None:
    """Return the choice that is meant, whatever its case and the signs between its words; None if there is none."""
    meant = _LETTERS.sub("", raw.casefold()) if isinstance(raw, str) else ""
    return next((choice for choice in choices if choice.casefold() == meant), None)
