"""Which decisions certainly replace earlier ones, which may do so, and which are unrelated."""

from dataclasses import replace

import pytest

from ingest.ledger.links import link_between
from ingest.ledger.statements import Statement
from ingest.ledger.supersession import may_supersede, supersedes
from tests.ingest.ledger.stating import stated


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("We use MySQL instead of Postgres for billing.", "We will use Postgres for billing."),
        ("We move the launch from 3 May to 10 May.", "We agreed to launch on 3 May."),
        ("We switch the CI from Jenkins to GitHub Actions.", "We keep Jenkins for CI this year."),
        ("The brochures go to Lindqvist rather than Fenwick Print.", "We chose Fenwick Print for the brochures."),
        ("The well will be drilled in Siaya, not in Kisumu.", "The well will be drilled in Kisumu."),
        ("We no longer use Zendesk for tickets.", "We agreed to use Zendesk for tickets."),
        ("The launch is moved to 17 May.", "We agreed: the launch is on 3 May."),
        ("Standups move to 10:00.", "Standups move to 09:30."),
        ("The budget for the offsite is raised to 25,000 euros.", "The budget for the offsite is 20,000 euros."),
        ("We decided to publish on Monday.", "We decided to publish on Friday."),
        ("Decision: cover is blue.", "Decision: cover is green."),
        ("We agreed to paint the gate brown.", "We agreed to paint the gate white."),
        ("Decided: premiere in June.", "Decided: premiere in May."),
        ("We decided to premiere now on 17 May.", "We decided to premiere on 3 May."),
        ("We decided to dine at 19:00.", "We decided to dine at 18:30."),
        ("We decided to publish monthly.", "We decided to publish weekly."),
        ("Tide cache (#101): rejected after all.", "Tide cache (#101): accepted."),
        ("The panel accepted RFC 12 (ropes).", "The panel discussed RFC 12 (ropes) and postponed the decision."),
        ("The earlier decision to use Postgres is replaced by MySQL.", "We decided to use Postgres for billing."),
        ("The vote of 2 May to use Postgres for billing is void.", "We decided to use Postgres for billing."),
        ("We agreed to reverse the decision to use Postgres for billing.", "We decided to use Postgres for billing."),
        ("We rescinded our decision to pave the yard and leave it as it is.", "We decided to pave the yard."),
        ("The decision to pave the yard was overturned.", "We decided to pave the yard."),
        ("We decided to drop Postgres and use MySQL for billing.", "We decided to use Postgres for billing."),
        ("We abandon Postgres for billing in favour of MySQL.", "We decided to use Postgres for billing."),
        ("The fair will no longer be held in the park.", "The fair will be held in the park."),
        ("We decided not to pave the yard.", "We decided to pave the yard."),
        ("We go back to weekly releases instead of releasing every second Friday.", "We release every second Friday."),
        (
            "The award of the mowing contract to Fenwick Gardens is rescinded and goes to Lund & Sons.",
            "We agreed to award the mowing contract to Fenwick Gardens.",
        ),
    ],
)
def test_what_names_the_former_choice_or_says_another_value_supersedes_it(later: str, earlier: str) -> None:
    """Of the same thing in the records of the same body."""
    assert supersedes(stated(later, day=9), stated(earlier)) is not None
    assert supersedes(stated(earlier, day=9), stated(earlier)) is None


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("We use MySQL instead of Postgres for billing.", "We will use Postgres for billing."),
        ("We decided to publish on Monday.", "We decided to publish on Friday."),
        ("Tide cache (#101): rejected after all.", "Tide cache (#101): accepted."),
    ],
)
def test_the_records_of_another_body_supersede_nothing(later: str, earlier: str) -> None:
    """Another folder, another series of dated files in one folder, or of titles; an uncertain decision neither."""
    first = stated(earlier, file_path="/r/board/2026-01-01.md")
    assert supersedes(stated(later, day=9, file_path="/r/board/2026-01-09.md"), first) is not None
    assert supersedes(stated(later, day=9, file_path="/r/club/2026-01-09.md"), first) is None
    assert supersedes(stated(later, day=9, file_path="/r/board/crew-2026-01-09.md"), first) is None
    assert supersedes(stated(later, day=9, confidence=0.4), stated(earlier)) is None
    titled = stated(earlier, title="Board, 3 January 2026")
    assert supersedes(stated(later, day=9, title="Board, 9 January 2026"), titled) is not None
    assert supersedes(stated(later, day=9, title="Crew, 9 January 2026"), titled) is None


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("From April deliveries to the clinic go by van on Mondays.", "Deliveries to the clinic go by van on Fridays."),
        ("Samples in the lab are now kept at -80 °C.", "We will store the lab samples at -20 °C."),
        ("The grass on the green is mown every week.", "The grass on the green is mown every second week."),
        ("Choir practice is in the crypt now.", "Choir practice moves to Hartley Hall."),
        ("We decided to use MySQL for the ticket shop.", "We decided to use Postgres for the ticket shop."),
        ("The north gate stays open at night.", "The north gate is closed at night."),
        ("The upper school starts at 8:45, and the 8:30 vote is void.", "Upper school begins at 8:30 in May."),
        ("Bookings move from RabbitMQ to NATS.", "Bookings go to RabbitMQ, one durable queue a theatre."),
    ],
)
def test_what_may_replace_another_decision_is_a_question(later: str, earlier: str) -> None:
    """It changes no status."""
    assert supersedes(stated(later, day=9), stated(earlier)) is None
    assert may_supersede(stated(later, day=9), stated(earlier)) is not None


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("Organizers of the Tromsø meeting 2022 fell through.", "Tromsø meeting 2025 is in Bergen."),
        ("The panel accepted changes to RFC 12.", "The panel discussed RFC 12 and postponed the decision."),
        ("The panel accepted RFC 13.", "The panel discussed RFC 12 and postponed the decision."),
        ("The wire format (#88) can land.", "We agreed that the gate format (#71) can land."),
        (
            "We no longer accept integrations that talk to gates over bare wires.",
            "Integrations that talk to gates are only configured in the office.",
        ),
        ("We will use Redis for the page cache.", "We will use Redis for the session cache."),
        ("We decided to paint the gate blue.", "We decided to paint the shed red."),
        ("We decided to close the blue gate.", "We decided to close the red gate."),
        ("We decided to hire Bo.", "We decided to hire Ana."),
        ("We decided to buy pears.", "We decided to buy apples."),
        ("We decided to buy a screen for the hall instead of renting one.", "We decided to buy chairs for the hall."),
        ("We decided not to use MySQL for the shop.", "We decided not to use Postgres for the shop."),
        ("We decided to drop the print edition.", "We decided to print the spring edition in colour."),
        ("The decision to use Postgres for the wiki is reversed.", "We decided to use Postgres for billing."),
        ("Decision: the cover is green.", "Decision: the cover is round."),
        ("We decided to skip sprint 13.", "We decided to skip sprint 12."),
        ("We decided to clad it in marble.", "We decided to clad it in oak."),
        ("Decision: the feed is public.", "Decision: the feed is versioned."),
        (
            "Approved: tell when a window moved, https://code.example.org/harbour/windows/pull/26216",
            "Approved: https://code.example.org/harbour/windows/pull/25873",
        ),
        ("We will use Elastic for search.", "We will use Postgres for billing."),
        ("Release 2.5 goes out on 10 May.", "Release 2.4 goes out on 3 May."),
        ("The demo of sprint 13 is on 17 May.", "The demo of sprint 12 is on 3 May."),
        ("We will use Postgres for the billing database.", "We decided to use Postgres for the billing database."),
        ("The marketing budget is raised to 25,000 euros.", "The budget for the offsite is 20,000 euros."),
        ("The office closes on 24 December.", "The office closes at 18:00 on Fridays."),
        ("We approved the budget for Q3.", "We approved the budget for Q2."),
        ("We chose vendor Acme for catering.", "We chose vendor Globex for cleaning."),
        ("We hire Bo Lund for the design role.", "We hire Ana Silva for the data role."),
        ("The second pilot ward gets its beds on 12 April.", "The first pilot ward gets its beds on 3 March."),
        ("Tickets for the autumn concert cost 12 euros.", "Tickets for the spring concert cost 10 euros."),
        ("We moved the archive to the second floor.", "The canteen stays on the second floor."),
        ("We changed the supplier for gloves to Medix.", "We changed the supplier for masks to Halden."),
        ("We will now also paint the corridor green.", "The reading room will be painted green."),
        ("We are giving up Python 3.9 in July.", "We agreed to support Python 3.10 until the end of the year."),
        ("From May visits on ward 4 last from 13:00 to 19:00.", "Visits on ward 6 last from 13:00 to 18:00."),
        ("Meals for ward 2 are ordered from CityCook from now on.", "Meals for ward 3 are ordered from CityCook."),
        ("The grass on the green is mown every week.", "The grass in the churchyard is mown every third week."),
        ("We stop the paper newsletter.", "The newsletter is sent by mail on Mondays."),
        ("The orchard opens on 7 June, as planned.", "The orchard and the shop open on 1 June."),
        ("The fee for the boats goes up to 9 euros.", "The boats are cleaned for a fee by Bo."),
        ("The board reversed its decision of May: dogs are allowed in the park.", "Bicycles are allowed in the yard."),
    ],
)
def test_decisions_about_different_things_and_repetitions_both_stand(later: str, earlier: str) -> None:
    """In doubt none is superseded."""
    assert supersedes(stated(later, day=9), stated(earlier)) is None


def test_a_change_that_names_the_former_choice_supersedes_the_decision() -> None:
    """As "we move to MySQL" does, whoever decided it; what only repeats the choice, or came before it, does not."""
    earlier = stated("We decided to hold the summer fair in the park.")
    change = stated("The summer fair will be in the yard instead of the park.", "Change", day=9)
    link = link_between(earlier, change)
    assert link is not None
    assert (link.relation, link.source) == ("SUPERSEDES", change.event.id)
    assert link_between(stated("The summer fair is now in the park.", "Change", day=9), earlier) is None
    assert link_between(stated("We decided to hold the summer fair in the park.", day=12), change) is None


def test_two_names_for_one_thing_differ_in_what_is_chosen() -> None:
    """The names of people and bodies are no part of what a decision is about, but of what it says."""
    earlier = stated("We decided to name the boat Sigrun.", others=("Sigrun",))
    later = stated("We decided to name the boat Freya instead of Sigrun.", day=9, others=("Freya", "Sigrun"))
    assert supersedes(later, earlier) == "former choice named"


def test_what_one_text_says_at_one_time_is_no_question() -> None:
    """A list of decisions on one thing replaces none of them, and what many statements share counts for nothing."""
    earlier = stated("Remove the strings of the harbour lamp.", file_path="/r/adr/9.md")
    both = Statement(stated("Remove the strings of the harbour gate.").event, earlier.origin)
    assert may_supersede(both, earlier) is None
    later = stated("We decided to use MySQL for the ticket shop.", day=9)
    asked = stated("We decided to use Postgres for the ticket shop.")
    assert may_supersede(later, asked, frozenset({"ticket", "shop"})) is None


def test_one_declared_topic_has_one_current_decision() -> None:
    """docs/interface.md: an item of context "decision" has its key or title as topic; words need not be alike."""
    first = stated("Postgres it is.", context="decision", topic="billing-database")
    later = stated("We go with MySQL.", context="decision", topic="Billing database", day=9)
    assert supersedes(later, first) is not None
    assert supersedes(stated("We go with MySQL.", context="decision", topic="Search engine", day=9), first) is None
    assert supersedes(stated("Postgres it is.", context="decision", topic="billing-database", day=9), first) is None


def test_what_else_a_decision_record_says_supersedes_nothing_by_its_topic() -> None:
    """Several sentences of one record may be decisions: they stand beside each other, and beside those of the next."""
    first = stated("Postgres it is.", context="decision", topic="billing")
    beside = stated("Backups run at night.", context="decision", topic="billing", confidence=0.75)
    later = stated("MySQL it is.", context="decision", topic="billing", day=9)
    assert supersedes(later, first) is not None
    assert supersedes(later, beside) is None
    assert supersedes(beside, first) is None


def test_a_numbered_record_supersedes_what_either_says_it_does() -> None:
    """ADR-7 says "Supersedes ADR-3", or ADR-3 says "Superseded by ADR-7"."""
    rabbit = "We will use RabbitMQ as the broker."
    kafka = "We will use Kafka as the broker."
    old = stated(rabbit, topic="ADR-3: Broker", record="Status: Accepted")
    told = stated(rabbit, topic="ADR 0003 Broker", record="Status: Superseded by ADR-7.")
    new = stated(kafka, topic="ADR-7: Events", record="Status: Accepted. Supersedes ADR-3.", day=9)
    silent = stated(kafka, topic="ADR-7: Events", record="Status: Accepted", day=9)
    assert supersedes(new, old) is not None
    assert supersedes(silent, told) is not None
    assert supersedes(silent, old) is None
    beside = stated("Seat locks stay where they are.", topic="ADR-7: Events", record=new.record_text, day=9)
    assert supersedes(beside, old) is None


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Accepted", "Supersedes [1](0001-broker.md)"),
        ("Accepted", "Supersedes [1. Use a broker](0001-broker.md)."),
        ("Accepted", "Accepted, supersedes [Use RabbitMQ](./0001-broker.md)"),
        ("Accepted", "Replaces [[0001-broker]]"),
        ("Accepted", "Supersedes ADR-1"),
        ("Superseded by [7. Use Kafka](0007-events.md)", "Accepted"),
        ("superseded by [ADR-0007](0007-events.md)", "accepted"),
    ],
)
def test_a_record_is_named_by_the_number_or_path_of_its_file(older: str, newer: str) -> None:
    """Files of one folder whose names begin with numbers; others are none of its records."""
    path = "/quay/adr/{}.md"
    old = stated(
        "We will use RabbitMQ as the broker.", context="document", file_path=path.format("0001-broker"), record=older
    )
    new = stated(
        "We will use Kafka as the broker.",
        context="document",
        file_path=path.format("0007-events"),
        record=newer,
        day=9,
    )
    assert supersedes(new, old) == "record number"
    for other in ("/quay/adr/0002-broker.md", "/pier/adr/0001-broker.md", "/quay/adr/2001-broker.md"):
        assert supersedes(new, replace(old, origin=replace(old.origin, file_path=other), record_text="")) is None


def test_a_record_without_a_title_is_called_what_its_heading_says() -> None:
    """Where a file was remembered without one: the same heading, or the number that it replaces."""
    rented = stated(
        "The stage gets a rented desk.",
        context="decision",
        record="# 7. Lighting desk\n\nThe stage gets a rented desk.",
    )
    bought = "We buy a desk of our own."
    again = stated(bought, context="decision", record=f"# 9. Lighting desk\n\n{bought}", day=9)
    named = stated(bought, context="decision", record=f"# 9. Purchase\n\nReplaces: 7\n\n{bought}", day=9)
    other = stated(bought, context="decision", record=f"# 9. Purchase\n\nReplaces: 6\n\n{bought}", day=9)
    assert supersedes(again, rented) is not None
    assert supersedes(named, rented) is not None
    assert supersedes(other, rented) is None


def test_of_one_moment_the_one_that_names_the_other_is_the_later() -> None:
    """Dates are often days: which of two texts came first is then only told by what they say."""
    first = stated("We will use Postgres for the billing database.")
    later = stated("We decided to use MySQL instead of Postgres for the billing database.")
    other = stated("We will use MySQL for the billing database.")
    link = link_between(first, later)
    assert link is not None
    assert (link, link.source) == (link_between(later, first), later.event.id)
    assert link_between(first, other) is None


def test_what_may_be_no_decision_replaces_only_what_it_names() -> None:
    """A sentence that only seems to decide, by no mark or strong wording, ends what stands only if it names it."""
    first = stated("We will use Postgres for the billing database.")
    later = "We use MySQL instead of Postgres for the billing database."
    assert supersedes(stated(later, day=9, confidence=0.6), first) is not None
    assert supersedes(stated(later, day=9, confidence=0.2), first) is None
    unnamed = "From now on the billing database is MySQL."
    assert supersedes(stated(unnamed, day=9, confidence=0.6), first) is None


def test_naming_all_of_a_former_choice_is_enough_though_nothing_else_is_shared() -> None:
    """Three words and more that the earlier decision has for its choice are no chance."""
    first = stated("The board approved the purchase of the stone mill from Astrid for 48,000 euro.")
    later = "Instead of the stone mill from Astrid we are buying a roller mill from Tornado."
    assert supersedes(stated(later, day=9), first) is not None


@pytest.mark.parametrize(
    ("later", "earlier", "is_replaced"),
    [
        ("We use MySQL instead of Postgres for the bike shop.", "We will use Postgres for the bike shop.", True),
        ("We use MySQL instead of Postgres for the bike shop.", "We will use Postgres for the wiki.", False),
        ("The billing service now uses MySQL.", "The billing service uses Postgres.", False),
        ("Launch of the ferry app: 10 May.", "Launch of the ferry app: 3 May.", False),
    ],
)  # fmt: skip
def test_in_other_records_only_what_names_the_former_choice_replaces_it(
    later: str, earlier: str, is_replaced: bool
) -> None:
    """And what else it is about."""
    told = stated(later, day=9, file_path="/r/mail/box.txt", context="email")
    asked = stated(earlier, file_path="/r/board/2026-01-01.md")
    assert (supersedes(told, asked) is not None) == is_replaced
