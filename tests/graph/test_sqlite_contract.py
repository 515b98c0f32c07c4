"""The SQLite engine against every promise of the protocols."""

from pathlib import Path

import pytest

from graph.store import Store
from tests.contracts.access_tokens import AccessTokensContract
from tests.contracts.audit import AuditContract
from tests.contracts.candidates import CandidatesContract
from tests.contracts.concurrency import ConcurrencyContract
from tests.contracts.echoes import EchoesContract
from tests.contracts.expiry import ExpiryContract
from tests.contracts.identities import IdentitiesContract, IdentitiesProperties
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
from tests.graph.sqlite_raw import SqliteRaw


@pytest.fixture
def raw(store: Store, path: Path) -> SqliteRaw:
    """Look into the file of the store."""
    return SqliteRaw(path)


class TestRecords(RecordsContract):
    """`Records` on SQLite."""


class TestExpiry(ExpiryContract):
    """Expiry on SQLite."""


class TestAudit(AuditContract):
    """`Audit` on SQLite."""


class TestListing(ListingContract):
    """Lists and facets on SQLite."""


class TestWords(WordsContract):
    """`Words` on SQLite."""


class TestCandidates(CandidatesContract):
    """`Candidates` on SQLite."""


class TestJobs(JobsContract):
    """`Jobs` on SQLite."""


class TestKnowledge(KnowledgeContract):
    """`KnowledgeGraph` on SQLite."""


class TestLedger(LedgerContract):
    """`Ledger` on SQLite."""


class TestRuns(RunsContract):
    """`Runs` on SQLite."""


class TestIdentities(IdentitiesContract):
    """`Identities` on SQLite."""


class TestIdentitiesProperties(IdentitiesProperties):
    """Any merge decisions in any order on SQLite."""


class TestRules(RulesContract):
    """`Rules` on SQLite."""


class TestEchoes(EchoesContract):
    """`DuplicateSentences` on SQLite."""


class TestSoundness(SoundnessContract):
    """`Soundness` on SQLite."""


class TestTransfer(TransferContract):
    """`Transfer` on SQLite, to and from SQLite."""


class TestPast(PastContract):
    """`as_of` on SQLite."""


class TestConcurrency(ConcurrencyContract):
    """Threads and processes on one SQLite file."""


class TestReaders(ReadersContract):
    """Reading beside writing on SQLite."""


class TestAccessTokens(AccessTokensContract):
    """`AccessTokens` on SQLite."""
