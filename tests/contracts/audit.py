"""What every engine promises of `graph.protocols.administration.Audit`."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from core.dates import now
from core.errors import NotFound
from core.interface.audit import MOST_IDS, NO_PROJECT, AuditEntry
from core.interface.caller import CALLER, AccessToken, Caller, hash_secret
from core.knowledge.identities import MergeDecision
from core.knowledge.ledger import Resolution
from core.transfer import KeptItem
from graph.store import Store
from tests.contracts.makers import OTHER, PROJECT, at, entity, event, item, lesson, pieces

ANA, BO = entity("Ana Berg"), entity("Bo Lund")


def acts(store: Store, project: str | None = PROJECT) -> list[tuple[str, tuple[str, ...]]]:
    """Return the acts in the trail with their ids, oldest first."""
    return [(one.act, one.ids) for one in reversed(store.audit_trail(project))]


def added(store: Store, content: str, *, project: str = PROJECT, **fields: object) -> str:
    """Store an item and return its id."""
    given = item(content, project=project, **fields)  # type: ignore[arg-type]  # the fields of `item`
    return store.add(given, pieces(given), []).artifact_id


class AuditContract:
    """Who did what to which ids, and when; and nothing of what they say."""

    @pytest.fixture(autouse=True)
    def caller(self) -> Iterator[Caller]:
        """Call as the token of a robot."""
        robot = Caller("robot", client="a test")
        token = CALLER.set(robot)
        yield robot
        CALLER.reset(token)

    def test_an_entry_says_who_did_what_and_when(self, store: Store, caller: Caller) -> None:
        """The caller, the act, the ids, their number and the moment."""
        before = now()
        store.record_act("revoke_token", NO_PROJECT, ["tok_1"])
        [entry] = store.audit_trail()

        assert before <= entry.at <= now()
        assert entry == AuditEntry(
            at=entry.at,
            act="revoke_token",
            by="robot",
            project_id=NO_PROJECT,
            number=1,
            ids=("tok_1",),
            client=caller.client,
        )

    def test_the_newest_entries_come_first(self, store: Store) -> None:
        """Of one project or of all, up to a limit, and from a moment on."""
        store.record_act("extract", PROJECT, ["run_1"])
        store.record_act("extract", OTHER, ["run_2"])
        store.record_act("roll_back", PROJECT, ["run_1"])
        third = store.audit_trail()[0].at

        assert [entry.ids for entry in store.audit_trail()] == [("run_1",), ("run_2",), ("run_1",)]
        assert [entry.act for entry in store.audit_trail(PROJECT)] == ["roll_back", "extract"]
        assert [entry.act for entry in store.audit_trail(PROJECT, limit=1)] == ["roll_back"]
        assert [entry.act for entry in store.audit_trail(since=third)] == ["roll_back"]
        assert store.audit_trail(OTHER, since=third) == []

    def test_an_act_on_nothing_leaves_no_entry(self, store: Store) -> None:
        """Unknown ids, and what was stored, declared or undone already."""
        added(store, "red")
        added(store, "red")
        store.remove(PROJECT, ["art_0"])
        store.add_resolution(PROJECT, Resolution("evt_0", "done", at(1)))
        store.undo_decision(PROJECT, "ver_0", at(1), None)

        assert store.audit_trail() == []

    def test_a_removal_names_all_that_went(self, store: Store) -> None:
        """Revisions too, in entries of few enough ids; a rehearsal names nothing."""
        first = added(store, "old", key="k")
        second = added(store, "new", key="k")
        many = [added(store, f"number {n}", project=OTHER) for n in range(MOST_IDS + 2)]
        store.remove(PROJECT, [second], dry_run=True)
        store.remove(PROJECT, [second])
        store.remove(OTHER, many)

        assert acts(store) == [("overwrite", (second, first)), ("forget", (first, second))]
        assert [entry.number for entry in store.audit_trail(OTHER)] == [2, MOST_IDS]
        assert {id_ for entry in store.audit_trail(OTHER) for id_ in entry.ids} == set(many)

    def test_declarations_and_rulings_leave_entries(self, store: Store) -> None:
        """Each time one takes effect, with the ids that it is about; a refused one leaves none."""
        given = item("Ana Berg and Bo Lund decided to stay.")
        store.add(given, pieces(given), [])
        decided = event(given, "decided to stay", status="current", actors=[ANA, BO])
        store.replace(PROJECT, given.id, lesson(given, [ANA, BO], [decided]))
        decision = MergeDecision(id="ver_1", kind="same", one=ANA.id, other=BO.id, at=at(1))
        for _ in range(2):
            store.add_resolution(PROJECT, Resolution(decided.id, "withdrawn", at(1)))
        store.apply_decision(PROJECT, decision)
        with pytest.raises(NotFound):
            store.apply_decision(
                PROJECT, MergeDecision(id="ver_2", kind="different", one="ent_0", other=BO.id, at=at(1))
            )
        store.undo_decision(PROJECT, "ver_1", at(2), None)

        assert acts(store) == [
            ("resolve", (decided.id,)),
            ("merge", (ANA.id, BO.id, "ver_1")),
            ("undo_ruling", ("ver_1",)),
        ]

    def test_tokens_that_come_and_go_leave_entries(self, store: Store) -> None:
        """By name, and in no project; a second one of the name, and one that is not there, leave none."""
        for secret in ("first", "second"):
            store.add_token(AccessToken(name="ci", digest=hash_secret(secret), created_at=at(0)))
        for _ in range(2):
            store.remove_token("ci")

        assert acts(store, NO_PROJECT) == [("create_token", ("ci",)), ("revoke_token", ("ci",))]

    def test_an_import_names_what_it_changed(self, store: Store) -> None:
        """And nothing when all of it was there."""
        given = item("We stay.")
        kept = KeptItem(
            artifact=given, knowledge=lesson(given), waits=False, readings=(), findings=(), sentence_hashes=None
        )
        for _ in range(2):
            store.import_records(PROJECT, [kept])

        assert acts(store) == [("import", (given.id,))]

    def test_no_entry_holds_what_was_said(self, store: Store) -> None:
        """No text, key, title or quote."""
        added(store, "quagga", key="okapi", title="tapir")
        second = added(store, "quagga again", key="okapi", title="tapir")
        store.remove(PROJECT, [second])

        shown = repr(store.audit_trail())
        assert not any(word in shown for word in ("quagga", "okapi", "tapir"))

    def test_rotation_drops_the_oldest(self, store: Store) -> None:
        """Those before a moment, and those beyond a number."""
        for number in range(5):
            store.record_act("extract", PROJECT, [f"run_{number}"])
        third = store.audit_trail()[2].at

        assert store.rotate_audit(third, 100) == 2
        assert store.rotate_audit(third - timedelta(days=1), 2) == 1
        assert acts(store) == [("extract", ("run_3",)), ("extract", ("run_4",))]
        assert store.rotate_audit(now() + timedelta(days=1), 100) == 2
        assert store.rotate_audit(now(), 100) == 0
