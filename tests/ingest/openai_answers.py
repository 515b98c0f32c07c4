"""What the tests of the extractor behind a service share: what models answer, and an extractor that asks for it."""

import json
from typing import Any

from core.knowledge.findings import Extraction
from core.openai_usage import Gate, Spending
from graph.sqlite_store import SqliteStore
from ingest.document.evidence import verify_evidence
from ingest.extract.openai import OpenAIExtractor
from ingest.extract.openai.chat import Chat
from ingest.extract.openai.extractor import LEAST_TOKENS
from retrieval.models.tokenizer import WordPieces
from tests.ingest.extracting import artifact_of
from tests.openai_server import OpenAIServer

TEXT = "Alice Chen: We decided to use Postgres for billing.\nBob Marsh: I will send the estimate by Friday.\n"
TOKENIZER = WordPieces(window_tokens=900, window_bytes=8_000)


def event(quote: str, **fields: Any) -> dict[str, Any]:
    """Return an event as a model answers it."""
    plain: dict[str, Any] = {
        "category": "Decision",
        "summary": quote,
        "actors": [],
        "subjects": [],
        "happened": None,
        "due": None,
    }
    return plain | {"quote": quote, "confidence": 0.9} | fields


def entity(name: str, type_: str = "person", **fields: Any) -> dict[str, Any]:
    """Return an entity as a model answers it."""
    return {"name": name, "type": type_, "aliases": [], "role": None, "organization": None} | fields


def said(*events: dict[str, Any], entities: tuple[dict[str, Any], ...] = ()) -> str:
    """Return the text of an answer."""
    return json.dumps({"entities": entities, "events": events})


DECISION = event(
    "We decided to use Postgres for billing.",
    actors=[{"name": "Alice Chen", "role": "owner"}],
    subjects=["Postgres", "billing"],
)
PROMISE = event(
    "I will send the estimate by Friday.",
    category="Commitment",
    summary="Bob Marsh will send the estimate by Friday",
    actors=[{"name": "Bob Marsh", "role": "owner"}],
    subjects=["estimate"],
    due={"words": "Friday", "date": "2026-03-14"},
)
PEOPLE = (entity("Alice Chen"), entity("Bob Marsh"), entity("Postgres", "object"))
ANSWER = said(DECISION, PROMISE, entities=PEOPLE)


def asking(
    server: OpenAIServer,
    store: SqliteStore,
    *,
    timeout: float = 5.0,
    budget: int | None = None,
    concurrency: int = 1,
) -> OpenAIExtractor:
    """Return an extractor that asks the stand-in."""
    chat = Chat(
        api_key="sk-test", base_url=server.url, model="gpt-4o-mini", gate=Gate(concurrency), timeout_seconds=timeout
    )
    return OpenAIExtractor(chat, Spending(store, budget, least=LEAST_TOKENS), TOKENIZER)


def document(body: dict[str, Any]) -> str:
    """Return the part of a document that a request asks about."""
    text: str = body["messages"][1]["content"]
    return text.partition(">\n")[2].rpartition("\n</document")[0]


def kept(extractor: OpenAIExtractor, text: str = TEXT, **fields: Any) -> Extraction:
    """Return what is left of what the extractor finds once quotes are verified, as a job stores it."""
    artifact = artifact_of(text, **fields)
    verified = verify_evidence(text, extractor.extract(artifact))
    for found in verified.events:
        assert text[found.near_char : found.near_char + len(found.quote)] == found.quote
    return Extraction(verified.entities, verified.events)


def speaker_says(body: dict[str, Any]) -> str:
    """Answer like a model that quotes each line of a window that decides something."""
    lines = [line for line in document(body).splitlines() if "decided" in line]
    return said(*(event(line.partition(": ")[2]) for line in lines))
