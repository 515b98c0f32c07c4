"""What every engine promises of `graph.protocols.records.Records`."""

from tests.contracts.reading import ReadingContract
from tests.contracts.writing import AddingContract, RemovingContract


class RecordsContract(AddingContract, RemovingContract, ReadingContract):
    """Takes the fixtures `store` (empty), `raw`, `reopen`, and `stored` (all bytes of its files)."""
