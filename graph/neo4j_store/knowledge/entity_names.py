"""The names of an entity, out of all that artifacts give it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from core.knowledge.findings import Entity
from graph.derivations import main_name
from graph.neo4j_store.database.name_nodes import keys_of
from graph.timestamps import from_microseconds


@dataclass(frozen=True, slots=True)
class DatedText:
    """A role or an organisation that an artifact gives an entity; `number` is the artifact's, in order of storing."""

    text: str
    happened_at: datetime
    number: int


@dataclass(frozen=True, slots=True)
class EntityNames:
    """An entity's name, its other names sorted, and the newest role and organisation."""

    name: str
    aliases: tuple[str, ...]
    role: DatedText | None
    organization: DatedText | None

    @classmethod
    def among(
        cls,
        names: Iterable[str],
        aliases: Iterable[str],
        *,
        roles: Iterable[DatedText | None],
        organizations: Iterable[DatedText | None],
    ) -> Self:
        """Choose the main name and the newest role and organisation; there must be a name."""
        given = set(names)
        name = main_name(given)
        return cls(name, tuple(sorted((given | set(aliases)) - {name})), _newest(roles), _newest(organizations))

    @classmethod
    def by(cls, entities: Iterable[Entity], happened_at: datetime, number: int) -> Self:
        """Return what one artifact calls an entity, which it may give several times."""
        given = list(entities)

        def said(texts: Iterable[str | None]) -> list[DatedText]:
            return [DatedText(text, happened_at, number) for text in texts if text is not None]

        return cls.among(
            (one.name for one in given),
            (alias for one in given for alias in one.aliases),
            roles=said(one.role for one in given),
            organizations=said(one.organization for one in given),
        )

    @classmethod
    def stored(cls, node: Mapping[str, Any]) -> Self:
        """Read an `Entity` node, as `cypher` returns it for this."""
        return cls(node["name"], tuple(node["aliases"]), dated_text(node, "role"), dated_text(node, "organization"))

    def merged(self, other: "EntityNames") -> "EntityNames":
        """Return the names of an entity that has both."""
        return EntityNames.among(
            (self.name, other.name),
            (*self.aliases, *other.aliases),
            roles=(self.role, other.role),
            organizations=(self.organization, other.organization),
        )

    def properties(self) -> Mapping[str, Any]:
        """Return the properties of an `Entity` node that follow; None takes one away."""
        return {"name": self.name, "aliases": list(self.aliases)} | {
            f"{field}{suffix}": said and getattr(said, attribute)
            for field, said in (("role", self.role), ("organization", self.organization))
            for suffix, attribute in (("", "text"), ("_at", "happened_at"), ("_number", "number"))
        }

    def keys(self) -> dict[str, str]:
        """Return the normalised names, by the ids of their `Name` nodes."""
        return keys_of(self.name, *self.aliases)


def dated_text(node: Mapping[str, Any], field: str) -> DatedText | None:
    """Read a role or an organisation from an `Entity` node; None if it has none."""
    text = node[field]
    return None if text is None else DatedText(text, from_microseconds(node[f"{field}_at"]), node[f"{field}_number"])


def _newest(said: Iterable[DatedText | None]) -> DatedText | None:
    return max((one for one in said if one is not None), key=lambda one: (one.happened_at, one.number), default=None)
