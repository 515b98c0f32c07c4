"""Vector loss: an index with nothing of a project that the record has must not pass for one without a match."""

from core.dates import now
from core.embedding import VectorIndex
from core.errors import Unavailable
from core.filters import Filters
from graph.store import Store


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
