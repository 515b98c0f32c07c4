"""What the tests of extraction share: an artifact of a Tuesday, and what the local extractor finds in it."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from core.interface.memory import Memory
from core.knowledge.findings import Extraction, FoundEntity
from core.records import Artifact
from ingest.document.evidence import verify_evidence
from ingest.extract.local.extractor import LocalExtractor
from ingest.intake.dating import add_text_date
from tests.shipped import shipped_extractor

TUESDAY = datetime(2026, 3, 10, 9, tzinfo=UTC)


def artifact_of(content: str, **fields: Any) -> Artifact:
    """Return an artifact stored, and unless it has a date of its own written, on that Tuesday."""
    memory = Memory(content=content, **fields)
    if add_text_date(memory).moment() is None:
        memory = replace(memory, date=TUESDAY.isoformat())
    return Artifact(
        id="art_000000000001",
        project_id="default",
        memory=memory,
        fingerprint="f",
        happened_at=TUESDAY,
        created_at=TUESDAY,
        updated_at=TUESDAY,
        last_occurred=TUESDAY,
        token_count=1,
        num_chunks=1,
    )


def extract(content: str, **fields: Any) -> Extraction:
    """Return what is found, all of it with evidence."""
    found = shipped_extractor().extract(artifact_of(content, **fields))
    assert verify_evidence(content, found).dropped == 0
    return found


def by_rules(content: str, **fields: Any) -> Extraction:
    """Return what the rules of the local extractor find by themselves, which its sentence classifier weighs."""
    return LocalExtractor().extract(artifact_of(content, **fields))


def names(found: Extraction, type_: str) -> set[str]:
    """Return the names of the entities of one type."""
    return {entity.name for entity in found.entities if entity.type == type_}


def entity(found: Extraction, name: str) -> FoundEntity:
    """Return the entity of this name."""
    return next(entity for entity in found.entities if entity.name == name)
