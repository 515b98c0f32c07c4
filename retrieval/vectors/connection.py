"""What the index asks of a Chroma, wherever that runs, and the collections of an index.

Collections have names, and a register of models by which the collections of a project are found.
"""

import hashlib
import itertools
import re
from collections.abc import Collection as AnyOf
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, get_args

from core.errors import Unavailable
from core.search import UnitKind

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.collection_configuration import CreateHNSWConfiguration
    from chromadb.api.models.Collection import Collection


class Chroma(Protocol):
    """One place that holds collections; `str` of it tells people where, without credentials.

    The three families of errors are empty until the first `open`: Chroma's package takes a second to import.
    """

    #: What the client raises when something is wrong with the place, `missing` and `passing` among it.
    errors: tuple[type[Exception], ...]
    #: Which of it means that a collection is not there.
    missing: tuple[type[Exception], ...]
    #: After which of it the same call is worth making once more at once.
    passing: tuple[type[Exception], ...]
    #: After how many collections were used the client is to be opened afresh; None if it need not be.
    most_used: int | None

    def open(self) -> "ClientAPI":
        """Return a client.

        Raises:
            Unavailable: another process has the place for itself, or the disk refuses.
        """
        ...

    def reopen(self, client: "ClientAPI") -> "ClientAPI":
        """Return a client that has no collection in memory, in the place of another one."""
        ...

    def close(self, client: "ClientAPI") -> None:
        """Let go of what `open` took."""
        ...

    def collection_settings(self, hnsw: "CreateHNSWConfiguration") -> dict[str, Any]:
        """Return the arguments that make a collection with such an index of vectors."""
        ...

    def note_use(self, collections: "AnyOf[Collection]") -> None:
        """Take note that these collections are about to be used, for the first time since `open` or again."""
        ...

    def note_removal(self, collections: "AnyOf[Collection] | None" = None) -> None:
        """Take note that texts are about to be removed from these collections, or from any."""
        ...

    def ping(self, client: "ClientAPI") -> str:
        """Return one line about the place.

        Raises:
            Unavailable: what answers there is no Chroma that this client can speak to.
        """
        ...

    def max_entries(self, client: "ClientAPI") -> int:
        """Return how many entries one write may have."""
        ...

    def yield_to_others(self, written_for: float) -> None:
        """Let others go on after a write that took so many seconds."""
        ...

    def translate_error(self, error: Exception) -> Unavailable:
        """Translate one of `errors`: what happened, where, and what to do."""
        ...

    def move_aside(self) -> Path | None:
        """Move what is there, and open nowhere, out of the way of the next `open`; return where to.

        None if nothing can be moved there.

        Raises:
            Unavailable: another process has the place for itself, or the disk refuses.
        """
        ...


KINDS: Final[tuple[UnitKind, ...]] = get_args(UnitKind)
#: Empty collections, numbered from 0, whose metadata name the models that have others. A name is made of a project and
#: a model, and Chroma lists collections only all at once: with the models known, a project's collections cost the same
#: among thousands. A model is never entered twice, since of two that make one collection the first is kept.
_REGISTER: Final = "remembrancer-model-{}"
#: Most collections in one answer.
_PAGE: Final = 5_000

Missing = tuple[type[Exception], ...]


def collection_name(project_id: str, kind: object, model: str) -> str:
    """Return a readable name that Chroma allows (no `..`); the digest makes it unique for project and model."""
    digest = hashlib.sha256(f"{project_id}/{model}".encode()).hexdigest()[:16]
    return f"{kind}-{re.sub(r'[^A-Za-z0-9_-]', '_', project_id)}-{digest}"


def list_collections(client: "ClientAPI") -> "Iterator[Collection]":
    """Yield the collections of every project and model that an index made.

    They bear the name that their own metadata lead to; a server may hold others.
    """
    for collection in _listed(client):
        facts = collection.metadata or {}
        made_for, kind, model = facts.get("project_id"), facts.get("kind"), facts.get("model")
        if collection.name == collection_name(str(made_for), kind, str(model)):
            yield collection


def project_collections(
    client: "ClientAPI", project_id: str, models: AnyOf[str], missing: Missing
) -> "Iterator[Collection]":
    """Yield the project's collections of these models."""
    for model, kind in itertools.product(models, KINDS):
        with suppress(*missing):
            yield client.get_collection(collection_name(project_id, kind, model), embedding_function=None)


def list_models(client: "ClientAPI", missing: Missing) -> list[str]:
    """Return the models that have collections, or had; without a register all collections are listed to make it."""
    if known := _registered(client, missing):
        return known
    found = sorted({str((collection.metadata or {})["model"]) for collection in list_collections(client)})
    # From the last on: a register that begins is whole.
    for number, model in reversed(list(enumerate(found))):
        _enter(client, model, number)
    return found


def register_model(client: "ClientAPI", model: str, missing: Missing) -> None:
    """Enter a model before its first collection is made."""
    if model not in (known := list_models(client, missing)):
        _enter(client, model, len(known))


def delete_register(client: "ClientAPI", missing: Missing) -> None:
    """Remove the register: the next call that needs it makes it of the collections there are."""
    for number in reversed(range(len(_registered(client, missing)))):
        with suppress(*missing):
            client.delete_collection(_REGISTER.format(number))


def _registered(client: "ClientAPI", missing: Missing) -> list[str]:
    models: list[str] = []
    with suppress(*missing):
        for number in itertools.count():
            entry = client.get_collection(_REGISTER.format(number), embedding_function=None)
            models.append(str((entry.metadata or {}).get("model")))
    return models


def _enter(client: "ClientAPI", model: str, first: int) -> None:
    for number in itertools.count(first):
        entry = client.get_or_create_collection(
            _REGISTER.format(number), embedding_function=None, metadata={"model": model}
        )
        if (entry.metadata or {}).get("model") == model:
            return


def _listed(client: "ClientAPI") -> "Iterator[Collection]":
    for first in itertools.count(0, _PAGE):
        page = client.list_collections(limit=_PAGE, offset=first)
        yield from page
        if len(page) < _PAGE:
            return
