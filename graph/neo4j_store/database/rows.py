"""Values as Neo4j keeps them and returns them: rows, text as the indexes have it, and conditions of filters.

The full-text index splits at blanks and does nothing else: what a word is, and its stem, is decided by
`graph.text.tokens`, so that none is too common to be found.
"""

import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Final, LiteralString, TypeVar

from neo4j import Record
from neo4j.time import DateTime

from core.dates import is_day_bound, now
from core.filters import Filters
from core.interface.memory import Memory
from core.knowledge.text import tag_forms
from core.records import Artifact, Chunk
from graph.neo4j_store.cypher import record_cypher
from graph.text.languages import FORM_MARK
from graph.text.term_vectors import sign_word, sign_words
from graph.text.tokens import stems
from graph.timestamps import from_microseconds, offset_of

#: Longest word that is asked for whole, in characters: Lucene cuts longer ones at 255.
_CUT: Final = 200
_SMALL: Final = str.maketrans(ascii_uppercase, ascii_lowercase)


def phrase(term: str) -> str | None:
    """Return `term` as a phrase of Lucene's query language; None if it has no word to look for."""
    found = [sign_word(term)] if term.startswith(FORM_MARK) else stems(term)
    return f'"{" ".join(found)}"' if found else None


def fuzzy(project_id: str, word: str) -> str:
    """Return a query of Lucene's for the words of a project that `word`, without blanks, is one typing error from."""
    return f'+project_id:"{project_id}" +word:{_escaped(word)}~1'


def completed(project_id: str, name: str) -> str:
    """Return a query of Lucene's for the names of a project with the words of a normalised `name`, the last begun."""
    *whole, last = name.split(" ")
    words = [
        *(_escaped(word) if len(word) <= _CUT else f"{_escaped(word[:_CUT])}*" for word in whole),
        _escaped(last[:_CUT]) + "*",
    ]
    return " ".join([f'+project_id:"{project_id}"', *(f"+name:{word}" for word in words)])


def tagged(project_id: str, filters: Filters) -> str:
    """Return a query of Lucene's for items with all of the tags and one of any; empty if no tag was asked for."""
    wanted = [f"+tag_forms:{_quoted(tag)}" for tag in filters.tags]
    if filters.any_tags:
        wanted.append(f"+tag_forms:({' '.join(map(_quoted, filters.any_tags))})")
    return " ".join([f"+listed_in:{_quoted(project_id)}", *wanted]) if wanted else ""


def _quoted(words: str) -> str:
    return '"' + words.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _escaped(word: str) -> str:
    return "".join(sign if sign.isalnum() else "\\" + sign for sign in word)


def speaker(author: str) -> str:
    """Return an author as the index of speakers has it: capital letters of the Latin alphabet made small."""
    return author.translate(_SMALL)


Row = TypeVar("Row")

#: Rows of one statement: enough that round trips do not count, and little enough for the server's memory.
_SLICE: Final = 1_000
#: Ends the words of a text, so that no phrase goes on among its signs.
_END: Final = "|"
#: What an item without a title and key is called where people look at nodes, in characters.
_NAME_LENGTH: Final = 60
_MEMORY_FIELDS: Final = (
    "context", "key", "conversation_id", "turn_index", "source", "sensitivity", "importance", "title", "author", "role",
    "file_path", "task_id", "rule_scope", "rule_category", "rule_words",
)  # fmt: skip


def artifact(node: Mapping[str, Any]) -> Artifact:
    """Return the artifact of `record_cypher.ARTIFACT`."""
    return Artifact(
        id=node["id"],
        project_id=node["project_id"],
        fingerprint=node["fingerprint"],
        happened_at=from_microseconds(node["happened_at"], node["utc_offset"]),
        created_at=from_microseconds(node["created_at"]),
        updated_at=from_microseconds(node["updated_at"]),
        last_occurred=from_microseconds(node["last_occurred"]),
        token_count=node["token_count"],
        num_chunks=node["num_chunks"],
        frequency=node["frequency"],
        stashed=node["stashed"],
        replaced_by=node["replaced_by"],
        memory=Memory.from_fields_unchecked(node["content"], json.loads(node["given"])),
        echoes=tuple(sorted(filter(None, node["echoes"]))),
    )


def artifacts(rows: Iterable[Record]) -> list[Artifact]:
    """Return the artifacts of rows of `record_cypher.ARTIFACT`, save those that were removed while they were read."""
    return [
        artifact(row["artifact"]) for row in rows if has_required_fields(row["artifact"], {"replaced_by", "utc_offset"})
    ]


def has_required_fields(node: Mapping[str, Any], optional: Container[str] = ()) -> bool:
    """Whether all fields are there: what another transaction removes meanwhile is a node without any."""
    return all(value is not None or name in optional for name, value in node.items())


def artifact_node(artifact: Artifact) -> dict[str, object]:
    """Return the properties of an item's node, all but its number."""
    return memory_properties(artifact.memory) | {
        "project_id": artifact.project_id,
        "listed_in": artifact.project_id if artifact.replaced_by is None else None,
        "replaced_by": artifact.replaced_by,
        "id": artifact.id,
        "fingerprint": artifact.fingerprint,
        "happened_at": artifact.happened_at.astimezone(UTC),
        "utc_offset": offset_of(artifact.happened_at),
        "created_at": artifact.created_at,
        "updated_at": artifact.updated_at,
        "last_occurred": artifact.last_occurred,
        "token_count": artifact.token_count,
        "num_chunks": artifact.num_chunks,
        "frequency": artifact.frequency,
        "stashed": artifact.stashed,
        "content": artifact.memory.content,
    }


def memory_properties(memory: Memory) -> dict[str, object]:
    """Return the properties that follow from a memory's fields, None for those it does not have."""
    is_spoken = memory.turn_index is not None and memory.author is not None
    return {name: getattr(memory, name) for name in _MEMORY_FIELDS} | {
        "speaker": speaker(memory.author or "") if is_spoken else None,
        "name": memory.title or memory.key or memory.content[:_NAME_LENGTH],
        "tags": list(dict.fromkeys(memory.tags)),
        "tag_forms": tag_forms(memory.tags),
        "expires_at": None if (expiry := memory.expiry()) is None else expiry.astimezone(UTC),
        "is_until_resolved": True if memory.retention_policy == "until_resolved" else None,
        "given": json.dumps(memory.given(), ensure_ascii=False, separators=(",", ":")),
    }


def as_chunks(rows: Iterable[Record]) -> list[Chunk]:
    """Return the chunks of rows of `record_cypher.CHUNK`, save those that were removed while they were read."""
    return [Chunk(**row["chunk"]) for row in rows if has_required_fields(row["chunk"])]


def chunk_id(artifact_id: str, index: int) -> str:
    """Return the id of the chunk at a place, as `Chunk.id` has it."""
    return f"{artifact_id}:{index}"


def indexed_words(text: str) -> str:
    """Return what the full-text index sees of a chunk's prefix and text."""
    return " ".join([*stems(text), _END, sign_words(text)])


def native_time(value: DateTime) -> datetime:
    """Return a stored time in UTC; the driver's type has nanoseconds, which are never written."""
    return value.to_native().astimezone(UTC)


def slices(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Yield what one statement can take, in order."""
    for start in range(0, len(rows), _SLICE):
        yield rows[start : start + _SLICE]


Parameters = dict[str, Any]
#: No offset from UTC is longer.
_DAY: Final = timedelta(days=1)


def condition_of(
    project_id: str, filters: Filters, among: LiteralString = record_cypher.CURRENT
) -> tuple[LiteralString, Parameters]:
    """Return the condition that an item passes the filters, and its parameters."""
    conditions: list[LiteralString] = [among]
    parameters = current(project_id, filters.at)
    for field, condition in record_cypher.CONDITIONS.items():
        if value := getattr(filters, field):
            conditions.append(condition)
            if isinstance(value, datetime):
                parameters |= bounds_of(field, value)
            else:
                parameters[field] = list(value) if isinstance(value, tuple) else value
    if not filters.include_stashed:
        conditions.append(record_cypher.ACTIVE)
    return " AND ".join(conditions), parameters


def bounds_of(name: str, time: datetime | None) -> Parameters:
    """Return a bound as the parameters of `schema_cypher.compared`, and as an instant; all are None without one.

    `{name}_day` is the bound of a day in local time, None for an instant, and `{name}_first` and `{name}_last` enclose
    the instants that it may be.
    """
    if time is None or not is_day_bound(time):
        # Neo4j orders equal instants by their offsets: all are in UTC.
        time = None if time is None else time.astimezone(UTC)
        return {name: time, f"{name}_first": time, f"{name}_last": time, f"{name}_day": None}
    local = time.replace(tzinfo=UTC)
    first = local - min(_DAY, local - datetime.min.replace(tzinfo=UTC))
    last = local + min(_DAY, datetime.max.replace(tzinfo=UTC) - local)
    return {name: time.astimezone(UTC), f"{name}_first": first, f"{name}_last": last, f"{name}_day": local}


def among(
    statement: LiteralString, condition: LiteralString, *, by_tags: bool = False, stashes: bool = False
) -> LiteralString:
    """Return a statement of `graph.neo4j_store.cypher` with the condition put where it says CONDITION.

    It looks at the items that the index of tags finds by `$tag_query`, or at the `stashes`, or any.
    """
    assert "CONDITION" in statement
    if by_tags:
        statement = statement.replace(record_cypher.ANY_ITEM, record_cypher.TAGGED_ITEM, 1)
    elif stashes:
        statement = statement.replace(record_cypher.ANY_ITEM, record_cypher.STASH, 1)
    return statement.replace("CONDITION", condition)


def current(project_id: str, at: datetime | None = None) -> Parameters:
    """Return the parameters of `record_cypher.CURRENT`; `at` defaults to now."""
    return {"project_id": project_id, "at": at or now()}


def valid_utf8(ids: Iterable[str]) -> list[str]:
    """Return the ids that can be stored at all, each once: half of a surrogate pair can't even be sent."""
    return [id_ for id_ in dict.fromkeys(ids) if id_.isascii() or _is_unicode(id_)]


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in text)
