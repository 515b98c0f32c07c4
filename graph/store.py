"""The store that is the system of record: one engine that fulfils all of graph.protocols.

Promises that hold for every method of every engine:

- Safe to call from several threads, and several processes may share one store.
- Every write is one transaction: when the method returns it survives `kill -9`; when it raises nothing was written,
  except where a server was lost at the very end of it: then the message says that it may be stored.
- Nothing of another project is ever read, counted or changed, except where `Words.search` says otherwise.
- Ids that are not stored are left out of the answer, never an error, unless the method says otherwise.
- Revisions (replaced under their key) are only seen by `Records.get` and `Records.revisions`; items past their
  `expires_at` only by those and `Records.by_fingerprint`.
- The driver's failures are raised as `Unavailable`.
"""

from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

from graph.protocols.administration import AccessTokens, Audit, Jobs, Soundness, Transfer
from graph.protocols.knowledge import DuplicateSentences, Identities, KnowledgeGraph, Ledger, Rules, Runs
from graph.protocols.records import Records
from graph.protocols.search import Candidates, Words


class Store(
    Records,
    Words,
    Candidates,
    Jobs,
    KnowledgeGraph,
    Identities,
    Runs,
    DuplicateSentences,
    Ledger,
    Rules,
    Soundness,
    Transfer,
    Audit,
    AccessTokens,
    Protocol,
):
    """One engine that fulfils them all, opened on one place. Use it with `with`, or call `close`."""

    #: What the engine is called: sqlite or neo4j.
    engine: str

    def ping(self) -> str:
        """Return one line about the store: engine and place, nothing about the content of any project.

        Raises:
            Unavailable: it does not answer; the message says what to do.
        """
        ...

    def write_obstacle(self) -> str | None:
        """Return why nothing can be written now though everything can be read, and what to do; None if it can.

        A server's own disk is not looked at.
        """
        ...

    def snapshot(self) -> AbstractContextManager["Store"]:
        """Lend this store as of one moment, to be read by one thread while others write, and valid within the block.

        An engine on a server may lend itself: then each call alone is as of one moment.
        """
        ...

    def close(self) -> None:
        """Release files and connections; calling it twice is no error.

        Forgotten words that are still in the full-text index's files leave them first.

        Raises:
            Unavailable: those words could not leave; the store is closed, and closing it again later will try again.
        """
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
