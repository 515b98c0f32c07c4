"""The form of a model's answer, as the service is told it and as each item of an answer is checked against it."""

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from core.knowledge.findings import ActorRole, Category, EntityType


class _Strict(BaseModel):
    """Strict schemas want every field required and no others; answers are allowed neither."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class MomentAnswer(_Strict):
    """A date: the words that say it, and what they mean."""

    words: str = Field(description="the words of the document that say when, copied")
    date: str = Field(description="the day they mean, YYYY-MM-DD")


class ActorAnswer(_Strict):
    """Who took part, and as what."""

    name: str = Field(description="as the document writes it")
    role: ActorRole


class EventAnswer(_Strict):
    """One event."""

    category: Category
    summary: str = Field(description="one sentence in the document's language and words, at most 200 characters")
    quote: str = Field(description="the sentence of the document that says it, copied character by character")
    actors: list[ActorAnswer]
    subjects: list[str] = Field(description="names of the things it is about, as the document writes them")
    happened: MomentAnswer | None = Field(description="when it happened, if the document says so")
    due: MomentAnswer | None = Field(description="for a Commitment: by when, if the document says so")
    confidence: float = Field(description="0 to 1")


class EntityAnswer(_Strict):
    """One person, organisation, project, object or place."""

    name: str = Field(description="the fullest form in the document")
    type: EntityType
    aliases: list[str] = Field(description="other forms in the document: short names, initials, addresses, handles")
    role: str | None = Field(description="what a person does, if the document says so")
    organization: str | None = Field(description="whom a person belongs to, if the document says so")


class Answer(_Strict):
    """All that a model finds in one part of a document."""

    entities: list[EntityAnswer]
    events: list[EventAnswer]


#: As `response_format` has it; pydantic writes what strict mode asks for by itself, a test compares.
SCHEMA: Final[dict[str, Any]] = Answer.model_json_schema()
