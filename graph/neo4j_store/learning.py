"""Writing what an artifact teaches, and taking it back. Runs inside a transaction that holds the project's lock."""

from core.knowledge import Knowledge
from graph.neo4j_store.database import Transaction


def replace(transaction: Transaction, project_id: str, artifact_id: str, knowledge: Knowledge) -> bool:
    """Do what `KnowledgeGraph.replace` promises."""
    raise NotImplementedError


def unlearn(transaction: Transaction, project_id: str, artifact_id: str) -> tuple[int, int]:
    """Take back all that an artifact teaches; return how many events and entities went with it."""
    raise NotImplementedError


def count_mentions(transaction: Transaction, project_id: str, artifact_id: str, *, sign: int) -> None:
    """Add an artifact's mentions to its entities' counts, or take them off."""
    raise NotImplementedError


def connect_events(transaction: Transaction, project_id: str, artifact_id: str) -> None:
    """Make the steps of an artifact's events anew, after it became a revision or current."""
    raise NotImplementedError


def connect_mentions(transaction: Transaction, project_id: str, artifact_id: str) -> None:
    """Make the MENTIONS of an artifact's chunks anew, after they were written."""
    raise NotImplementedError
