"""Whether vectors belong to the record: made with the model that is set, and not lost as a whole."""

from core.dates import now
from core.errors import Conflict, Unavailable
from core.filters import Filters
from core.search import VectorIndex
from graph.protocols.records import Records
from graph.store import Store

_MARKER = "embedding_model"


def known_model(records: Records) -> str | None:
    """Return the model of the store's vectors; None if it has none yet."""
    return records.metadata_value(_MARKER)


def check_model(records: Records, model: str) -> None:
    """Make sure that the store's vectors, if it has any, are of `model`.

    Raises:
        Conflict: they were made with another model.
    """
    made_with = known_model(records)
    if made_with not in {None, model}:
        raise Conflict(
            f"The vectors of this store were made with {made_with!r}, and {model!r} is set now: run "
            "`remembrancer reindex --what vectors`, or set the former embedder again."
        )


def claim_model(records: Records, model: str) -> None:
    """Note `model` as the store's embedding model if it has none yet; to be called before vectors are written.

    Of two processes with different models that begin on an empty store, one gets it.

    Raises:
        Conflict: the store's vectors were made with another model.
    """
    if known_model(records) is None:
        records.compare_and_set(_MARKER, model)
    check_model(records, model)


def switch_model(records: Records, model: str) -> None:
    """Make `model` the store's embedding model; the caller rebuilds all vectors."""
    records.set_metadata_value(_MARKER, model)


def is_lost(store: Store, index: VectorIndex, project_id: str) -> bool:
    """Whether the index has nothing of the project, though the record has, and no job of the project waits.

    Raises:
        Unavailable: the record or the index does not answer.
    """
    # In this order: what was stored before the jobs were counted has its vectors before the index is asked.
    if not store.chunk_refs(project_id, Filters(at=now()), 1) or store.job_counts(project_id).pending:
        return False
    return not index.holds(project_id)


def check_not_lost(store: Store, index: VectorIndex, project_id: str) -> None:
    """Make sure that the vectors of a project did not get lost as a whole.

    Raises:
        Unavailable: they did, or the record or the index does not answer.
    """
    if is_lost(store, index, project_id):
        raise Unavailable(
            f"The vector index holds nothing of project {project_id!r}, but the record does: check that it is the "
            "right index, then run `remembrancer doctor --repair`."
        )
