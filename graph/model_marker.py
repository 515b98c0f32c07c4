"""Which embedding model the vectors of a store were made with: two models are never mixed."""

from core.errors import Conflict
from graph.protocols.records import Records

_MARKER = "embedding_model"


def check_model(records: Records, model: str) -> None:
    """Make sure that the store's vectors, if it has any, are of `model`.

    Raises:
        Conflict: they were made with another model.
    """
    made_with = records.metadata_value(_MARKER)
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
    if records.metadata_value(_MARKER) is None:
        records.compare_and_set(_MARKER, model)
    check_model(records, model)


def switch_model(records: Records, model: str) -> None:
    """Make `model` the store's embedding model; the caller rebuilds all vectors."""
    records.set_metadata_value(_MARKER, model)
