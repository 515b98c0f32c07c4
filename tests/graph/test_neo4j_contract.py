"""The Neo4j engine, on a real server, against every promise of the protocols."""

from collections.abc import Callable

import pytest
from neo4j import Driver

from graph.store import Store
from tests.contracts.access_tokens import AccessTokensContract
from tests.contracts.audit import AuditContract
from tests.contracts.candidates import CandidatesContract
from tests.contracts.concurrency import ConcurrencyContract
from tests.contracts.echoes import EchoesContract
from tests.contracts.expiry import ExpiryContract
from tests.contracts.identities import IdentitiesContract
from tests.contracts.jobs import JobsContract
from tests.contracts.knowledge import KnowledgeContract
from tests.contracts.ledger import LedgerContract
from tests.contracts.listing import ListingContract
from tests.contracts.past import PastContract
from tests.contracts.readers import ReadersContract
from tests.contracts.records import RecordsContract
from tests.contracts.rules import RulesContract
from tests.contracts.runs import RunsContract
from tests.contracts.soundness import SoundnessContract
from tests.contracts.transfer import TransferContract
from tests.contracts.words import WordsContract
from tests.graph.neo4j_raw import Neo4jRaw


@pytest.fixture
def store(neo4j_store: Store) -> Store:
    """An empty store."""
    return neo4j_store


@pytest.fixture
def reopen(neo4j_reopen: Callable[[], Store]) -> Callable[[], Store]:
    """Return what opens the store of the test once more."""
    return neo4j_reopen


@pytest.fixture
def raw(store: Store, neo4j_driver: Driver) -> Neo4jRaw:
    """Look into the database of the store."""
    return Neo4jRaw(neo4j_driver)


@pytest.fixture
def stored(raw: Neo4jRaw) -> Callable[[], bytes]:
    """Return what reads all that the database holds: what a server keeps in its files is the server's business."""
    return raw.everything


class TestRecords(RecordsContract):
    """`Records` on Neo4j."""


class TestExpiry(ExpiryContract):
    """Expiry on Neo4j."""


class TestAudit(AuditContract):
    """`Audit` on Neo4j."""


class TestListing(ListingContract):
    """Lists and facets on Neo4j."""


class TestWords(WordsContract):
    """`Words` on Neo4j."""


class TestCandidates(CandidatesContract):
    """`Candidates` on Neo4j."""


class TestJobs(JobsContract):
    """`Jobs` on Neo4j."""


class TestKnowledge(KnowledgeContract):
    """`KnowledgeGraph` on Neo4j."""


class TestLedger(LedgerContract):
    """`Ledger` on Neo4j."""


class TestRuns(RunsContract):
    """`Runs` on Neo4j."""


class TestRules(RulesContract):
    """`Rules` on Neo4j."""


class TestEchoes(EchoesContract):
    """`DuplicateSentences` on Neo4j."""


class TestIdentities(IdentitiesContract):
    """`Identities` on Neo4j."""


class TestSoundness(SoundnessContract):
    """`Soundness` on Neo4j."""


class TestTransfer(TransferContract):
    """`Transfer` on Neo4j, to and from SQLite."""


class TestPast(PastContract):
    """`as_of` on Neo4j."""


class TestConcurrency(ConcurrencyContract):
    """Threads, processes and replicas on one database."""


class TestReaders(ReadersContract):
    """Reading beside writing on Neo4j."""


class TestAccessTokens(AccessTokensContract):
    """`AccessTokens` on Neo4j."""
