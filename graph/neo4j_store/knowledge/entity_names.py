"""The names of an entity, out of all that artifacts give it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self

from core.knowledge.findings import IN_TEXT, Entity
from graph.derivations import NameUse, count_uses, main_name
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
    #: The name that a person decided on.
    given_name: str | None = None

    @classmethod
    def among(
        cls,
        uses: Mapping[str, NameUse],
        aliases: Iterable[str],
        *,
        roles: Iterable[DatedText | None],
        organizations: Iterable[DatedText | None],
        given_name: str | None = None,
    ) -> Self:
        """Choose the main name and the newest role and organisation; there must be a name."""
        name = given_name or main_name(uses)
        others = tuple(sorted({*uses, *aliases} - {name}))
        return cls(name, others, _newest(roles), _newest(organizations), given_name)

    @classmethod
    def by(cls, entities: Iterable[Entity], happened_at: datetime, number: int) -> Self:
        """Return what one artifact calls an entity, which it may give several times."""
        given = list(entities)

        def said(texts: Iterable[str | None]) -> list[DatedText]:
            return [DatedText(text, happened_at, number) for text in texts if text is not None]

        return cls.among(
            count_uses((one.name, one.weight or IN_TEXT) for one in given),
            (alias for one in given for alias in one.aliases),
            roles=said(one.role for one in given),
            organizations=said(one.organization for one in given),
        )

    @classmethod
    def stored(cls, node: Mapping[str, Any]) -> Self:
        """Read an `Entity` node, as `cypher` returns it for this."""
        texts = dated_text(node, "role"), dated_text(node, "organization")
        return cls(node["name"], tuple(node["aliases"]), *texts, node["given_name"])

    def merged(self, other: "EntityNames") -> "EntityNames":
        """Return the names of an entity that has both; it is still called as this says."""
        return replace(
            self,
            aliases=tuple(sorted({*self.aliases, other.name, *other.aliases} - {self.name})),
            role=_newest((self.role, other.role)),
            organization=_newest((self.organization, other.organization)),
        )

    def properties(self) -> Mapping[str, Any]:
        """Return the properties of an `Entity` node that follow; None takes one away."""
        return {"name": self.name, "aliases": list(self.aliases), "given_name": self.given_name} | {
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
