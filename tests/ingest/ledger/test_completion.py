"""Which reports certainly say that a commitment was met, which may, and which decisions make it needless."""

import pytest

from ingest.ledger.completion import cancels, completes, may_complete
from ingest.ledger.links import link_between
from tests.ingest.ledger.stating import stated

CONTRACT = "Ana: send the vendor contract to Legal"


@pytest.mark.parametrize(
    ("report", "by", "promise", "owner"),
    [
        ("Ana sent the vendor contract to Legal on Monday.", "Ana", CONTRACT, "Ana"),
        ("The migration plan is finished and in the wiki.", "", "Bo Lund will write the migration plan.", "Bo Lund"),
        ("Lena: publish Kestrel 2.4", "Lena", "Lena: publish Kestrel 2.4", "Lena"),
        ("The Stripe account is set up.", "", "Bo will set up the Stripe account by Tuesday", "Bo"),
        ("Ana bought the thirty tablets.", "Ana", "Ana: buy thirty tablets for the five depots by 16 March", "Ana"),
        ("Invoice paid.", "", "Bo will pay the invoice by Friday.", "Bo"),
        ("I booked the venue for the offsite.", "Bo", "Bo to reserve a venue for the offsite", "Bo"),
        ("The cracked valve was replaced on Friday.", "", "Bo | replace the cracked valve | 26 February", "Bo"),
        ("Pump is fixed.", "", "Bo will repair the pump by Friday.", "Bo"),
        ("Ana had the gate repaired.", "Ana", "Ana will fix the gate by Friday.", "Ana"),
        ("Ana reserved the hall for us.", "Ana", "Ana will book the hall by Friday.", "Ana"),
        ("The boat works again, Ana fixed it.", "Ana", "Ana will repair the boat by Friday.", "Ana"),
        ("Ana renewed the insurance of the boat.", "Ana", "Ana undertook to renew the insurance of the boat.", "Ana"),
        ("Bo finished the load test.", "Bo", "I'll have the load test ready by Tuesday.", "Bo"),
        ("I spoke to the vet, Ana asked me to.", "", "Ana will call the vet by Friday.", "Ana"),
        ("Stella called.", "Stella", "Stella will call you on Thursday.", "Stella"),
        ("#214 is merged.", "", "Bo will merge PR #214 by Friday.", "Bo"),
        ("Bo reviewed pull request #214.", "Bo", "Bo will review PR #214.", "Bo"),
        ("The vendor contract went out to Legal on Tuesday.", "", CONTRACT, "Ana"),
        ("Bo updated the mailing list page.", "Bo", "Action item: Bo to update the mailing list page.", "Bo"),
        ("renew the domain (Bo)", "Bo", "Bo: renew the domain", "Bo"),
    ],
)  # fmt: skip
def test_a_report_of_the_same_deed_completes_the_commitment(report: str, by: str, promise: str, owner: str) -> None:
    """By the owner or by nobody in particular, in other forms of the verb, or said to be finished."""
    told = stated(report, "Execution", day=9, owners=(by,) if by else ())
    assert completes(told, stated(promise, "Commitment", owners=(owner,))) is not None


@pytest.mark.parametrize(
    ("report", "by", "promise", "owner"),
    [
        ("The folding chairs are here.", "Ana", "Ana to order forty folding chairs by Friday", "Ana"),
        ("The leaflets for the fair are back from the printer.", "Ana", "I'll get the fair's leaflets printed.", "Ana"),
        ("The import script was merged last night.", "Bo", "Bo will write the import script.", "Bo"),
        ("The shelves in the tool shed are up.", "", "Bo will put up the shelves in the tool shed.", "Bo"),
        ("Second, Bo relabelled the winter stock, never mind.", "Bo", "Bo: relabel winter stock; red is sale", "Bo"),
    ],
)
def test_what_may_complete_a_commitment_is_a_question(report: str, by: str, promise: str, owner: str) -> None:
    """It changes no status."""
    told = stated(report, "Execution", day=9, owners=(by,) if by else ())
    asked = stated(promise, "Commitment", owners=(owner,))
    assert completes(told, asked) is None
    assert may_complete(told, asked) is not None


@pytest.mark.parametrize("when", ["last year", "last summer", "two years ago"])
def test_what_was_done_long_before_the_commitment_does_not_complete_it(when: str) -> None:
    promise = stated("Ana will paint the fence by Friday.", "Commitment", owners=("Ana",))
    assert completes(stated(f"Ana painted the fence {when}.", "Execution", day=9, owners=("Ana",)), promise) is None
    assert completes(stated("Ana painted the fence.", "Execution", day=9, owners=("Ana",)), promise) is not None


@pytest.mark.parametrize("promise", ["Ana will water the plants every Friday.", "Ana sends the report on Mondays."])
def test_what_comes_back_every_week_is_not_completed_by_one_report(promise: str) -> None:
    """It stays open."""
    report = stated("Ana watered the plants and sent the report.", "Execution", day=9, owners=("Ana",))
    asked = stated(promise, "Commitment", owners=("Ana",))
    assert completes(report, asked) is None
    assert may_complete(report, asked) is None


def test_another_body_s_report_completes_nothing_unless_the_owner_reports_all_of_it() -> None:
    """A short report of another team, or one years later, is about something else."""
    promise = stated("Bo will repair the pump.", "Commitment", owners=("Bo",), file_path="/r/board/2026-01-01.md")
    for place, is_kept in (("/r/board/2026-01-09.md", True), ("/r/club/2026-01-09.md", False)):
        report = stated("The pump is repaired.", "Execution", day=9, file_path=place)
        assert (completes(report, promise) is not None) == is_kept
    both = stated("Bo will send the lease to Legal.", "Commitment", owners=("Bo",), file_path="/r/board/2026-01-01.md")
    told = stated("Bo sent the lease to Legal.", "Execution", day=9, owners=("Bo",), file_path="/r/mail/9.txt")
    assert completes(told, both) is not None


def test_what_the_recipient_has_from_the_owner_was_sent() -> None:
    """In other words of the same thing; from somebody else it is another."""
    promise = stated("Ana will send the fence drawing to Rune.", "Commitment", owners=("Ana",), recipients=("Rune",))
    for giver, is_kept in (("Ana", True), ("Bo", False)):
        report = stated(f"Rune got the fence sketch from {giver}.", "Execution", day=9, others=("Rune", giver))
        assert (completes(report, promise) is not None) == is_kept


@pytest.mark.parametrize(
    ("report", "by", "promise", "owner"),
    [
        ("Bo is half done with the migration plan.", "Bo", "Bo Lund will write the migration plan.", "Bo Lund"),
        ("The vendor contract has not been sent yet.", "", CONTRACT, "Ana"),
        ("Bo sent the vendor contract to Legal.", "Bo", CONTRACT, "Ana"),
        ("Ana reviewed the vendor contract.", "Ana", CONTRACT, "Ana"),
        ("The cutover runbook is finished.", "Ana", "Ana writes a runbook for failed refunds.", "Ana"),
        ("Ana wrote to the six pilot shops about the bank.", "Ana", "Ana writes to all shops about the bank.", "Ana"),
        ("Kestrel 2.5 was published.", "", "Lena: publish Kestrel 2.4", "Lena"),
        ("Bo presented the migration plan.", "Bo", "Bo Lund will write the migration plan.", "Bo Lund"),
        ("We shipped the new login page.", "", "Ana will fix the login bug by Friday.", "Ana"),
        ("The report was sent, but the invoice is not ready yet.", "", "Ana will send the invoice.", "Ana"),
        ("All: mark good first tasks in the list", "", "Mark good first tasks in the list", ""),
        ("Bo has repaired the other pump.", "Bo", "Ana will repair the pump by Friday.", "Ana"),
        ("The wire format (#88) was merged.", "", "Bo will merge the wire format (#71).", "Bo"),
        ("Ana shipped 30 tablets to the depots.", "Ana", "Ana: buy thirty tablets for the five depots", "Ana"),
        ("Tomasz has fixed the login bug.", "Tomasz", "Tomasz will look into the login bug.", "Tomasz"),
        ("I sent the Aurora invoice on Friday.", "Ana", "I'll send the Borealis invoice today.", "Ana"),
        ("The hall for the Aurora job is booked.", "", "Bo will book the hall for the Borealis job.", "Bo"),
        ("The accounts of the club were sent to the auditor.", "", "Ana will send the accounts to the auditor.", "Ana"),
        ("The railings of the bridge will be painted in June.", "", "Bo to paint the railings of the bridge", "Bo"),
        ("The price lists are in the cupboard.", "", "Ana will review the price lists by Friday.", "Ana"),
        ("The fence of the north field is in need of paint.", "", "Bo will repair the fence by the river.", "Bo"),
        ("The shelves are here, nobody has put them up.", "", "Bo will put up the shelves in the shed.", "Bo"),
        ("The reading room shelves arrived.", "", "Bo will put up the shelves in the reading room.", "Bo"),
        ("Ana finished the form, but the lawyer still has to read it.", "Ana", "Ana will write the form.", "Ana"),
        ("The parcel arrived.", "", "Bo will send the parcel.", "Bo"),
        ("#215 is merged.", "", "Bo will merge PR #214 by Friday.", "Bo"),
        ("#214 is reviewed.", "", "Bo will merge PR #214 by Friday.", "Bo"),
        ("Bo is working on the import script.", "Bo", "Bo will write the import script.", "Bo"),
    ],
)  # fmt: skip
def test_a_partial_denied_or_other_report_closes_nothing(report: str, by: str, promise: str, owner: str) -> None:
    """Another person, deed or version, a part, or only the intention."""
    told = stated(report, "Execution", day=9, owners=(by,) if by else ())
    assert completes(told, stated(promise, "Commitment", owners=(owner,))) is None


def test_another_receiver_is_another_promise() -> None:
    """Sent to Dana is not sent to Omar."""
    promise = stated("Ana will send the report to Dana.", "Commitment", owners=("Ana",), others=("Dana",))
    for receiver, is_kept in (("Dana", True), ("Omar", False)):
        text = f"Ana has sent the report to {receiver}."
        report = stated(text, "Execution", day=9, owners=("Ana",), others=(receiver,))
        assert (completes(report, promise) is not None) == is_kept


def test_a_recipient_that_is_only_named_in_the_report_is_another_one() -> None:
    """Whether or not it is known as somebody: sent to Initech is not sent to Globex."""
    promise = stated("Bo will send the lease to Globex.", "Commitment", owners=("Bo",), recipients=("Globex",))
    for text, is_kept in (("The lease was sent to Globex.", True), ("The lease was sent to Initech.", False)):
        assert (completes(stated(text, "Execution", day=9), promise) is not None) == is_kept


def test_a_report_before_the_promise_keeps_nothing() -> None:
    """Order goes by the dates of the texts."""
    promise = stated("Ana will send the report.", "Commitment", owners=("Ana",), day=5)
    assert link_between(promise, stated("Ana has sent the report.", "Execution", owners=("Ana",), day=2)) is None
    link = link_between(promise, stated("Ana has sent the report.", "Execution", owners=("Ana",), day=5))
    assert link is not None
    assert link.relation == "COMPLETES"


def test_a_decision_that_does_away_with_it_cancels_a_promise() -> None:
    """All of what was to be done must be named."""
    promise = stated("Bo will set up the Redis page cache.", "Commitment", owners=("Bo",))
    dropped = stated("We no longer need the Redis page cache.", day=9)
    assert cancels(dropped, promise) is not None
    link = link_between(dropped, promise)
    assert link is not None
    assert (link.relation, link.source) == ("CANCELS", dropped.event.id)
    assert cancels(stated("We no longer need the page.", day=9), promise) is None
    assert cancels(stated("We need the Redis page cache.", day=9), promise) is None


def test_a_commitment_of_one_word_is_completed_by_nobody_unnamed() -> None:
    """Whatever has that word in it would end it."""
    promise = stated("Stella will call you on Thursday.", "Commitment", owners=("Stella",))
    assert completes(stated("The on-call engineer restarted the workers.", "Execution", day=9), promise) is None


def test_who_passes_a_report_on_did_not_do_what_it_tells() -> None:
    """A mail's passive report is its writer's event, and still may be of what another promised."""
    promise = stated("Ana will book the town hall.", "Commitment", owners=("Ana",))
    assert completes(stated("The town hall is booked.", "Execution", owners=("Bo",), day=9), promise) is not None
    assert completes(stated("I booked the town hall.", "Execution", owners=("Bo",), day=9), promise) is None


def test_what_comes_from_who_promised_is_theirs_whoever_passes_it_on() -> None:
    """Who reports that it came, or filed it, did not promise it."""
    promise = stated("You'll have the agreement back signed on the 18th.", "Commitment", owners=("Lars Berg",))
    told = "The signed agreement from Lars Berg arrived, Ana has filed it."
    report = stated(told, "Execution", day=3, owners=("Ana",), others=("Lars Berg",))
    assert completes(report, promise) is not None


@pytest.mark.parametrize(
    ("report", "by", "day", "is_kept"),
    [
        ("Bo repaired the pump.", "Bo", 9, True),
        ("The pump in the east shed is repaired.", "", 9, True),
        ("Bo oiled the pump in the east shed.", "Bo", 9, False),
        ("The pump in the east shed of the yacht club at Rosvik is repaired.", "", 9, False),
        ("Cem repaired the pump in the east shed.", "Cem", 9, False),
    ],
)
def test_a_report_in_other_records_must_be_the_owner_s_or_of_all_of_its_things(
    report: str, by: str, day: int, is_kept: bool
) -> None:
    """A commitment of the minutes is often reported by mail."""
    place = "the pump in the east shed" if not report.startswith("Bo rep") else "the pump"
    promise = stated(f"Bo will repair {place}.", "Commitment", owners=("Bo",), file_path="/r/board/2026-01-01.md")
    told = stated(
        report, "Execution", day=day, owners=(by,) if by else (), file_path="/r/mail/box.txt", context="email"
    )
    assert (completes(told, promise) is not None) == is_kept


def test_a_task_that_ends_in_a_participle_reports_nothing() -> None:
    """Two entries of one list of plans."""
    promise = stated("Get the pump released", "Commitment", owners=("Bo",))
    assert completes(stated("Work to get it released", "Execution", day=2, owners=("Bo",)), promise) is None
