"""The local extractor on everyday documents, and on the traps in them."""

from datetime import datetime
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.knowledge.findings import Extraction, FoundEvent
from tests.ingest.extracting import by_rules, entity, extract, names
from tests.own_time import own_time


def events(found: Extraction) -> list[tuple[str, str]]:
    return [(event.category, event.quote) for event in found.events]


def event(found: Extraction, start: str) -> FoundEvent:
    return next(event for event in found.events if event.quote.startswith(start))


def day(moment: datetime | None) -> str | None:
    return None if moment is None else moment.date().isoformat()


MEETING = """# Atlas weekly

Attendees: Alice Chen (CTO), Bob Li (Acme), carol@initech.com

We decided to move the launch of Project Atlas to the end of March because
the load tests are late. Alice is worried that data may be lost. Have we decided on
Redis? Bob will send the capacity report to Carol by Friday.

## Action items
- [ ] Alice: send the deck by next Monday
- [x] Bob to book the room
- Priya to fix the login bug by 2026-03-20

Decisions:
1. Use Postgres for the Atlas launch.

Risks:
- none
"""


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (
            "- We decided to build a jetty that is:\n\n    - wide for two.\n      - carts\n    - cheap\n- Ben left",
            "We decided to build a jetty that is: wide for two; cheap",
        ),
        (
            "We decided to open at these hours:\n1. Monday at 9\n2. Friday at 10\n",
            "We decided to open at these hours: Monday at 9; Friday at 10",
        ),
        ("Ana came late. We decided to order **seeds of:**\n* kale\n\nBen left.", "We decided to order seeds of: kale"),
        ("- We decided to order these seeds:\n- Ben left early.", "We decided to order these seeds:"),
        ("Ana came late. We decided to order seeds of:\n\nBen left early.", "We decided to order seeds of:"),
        ("We decided to order seeds.\n- Ben left early.", "We decided to order seeds."),
    ],
)  # fmt: skip
def test_a_decision_that_introduces_a_list_is_summarised_with_it(text: str, summary: str) -> None:
    """The quote is the sentence alone; a list that is none of its own stays out."""
    found = [one for one in extract(text, context="meeting").events if one.category == "Decision"]
    assert found[0].summary == summary
    assert found[0].quote.rstrip("*").endswith((":", "."))


def test_meeting_notes_give_their_decisions_promises_and_risks() -> None:
    """Headings, check boxes, bullets and sentences each count once, in the text's order; "none" is no risk."""
    assert events(extract(MEETING, context="meeting")) == [
        (
            "Decision",
            "We decided to move the launch of Project Atlas to the end of March because\nthe load tests are late.",
        ),
        ("QualityRisk", "Alice is worried that data may be lost."),
        ("Commitment", "Bob will send the capacity report to Carol by Friday."),
        ("Commitment", "Alice: send the deck by next Monday"),
        ("Execution", "Bob to book the room"),
        ("Commitment", "Priya to fix the login bug by 2026-03-20"),
        ("Decision", "Use Postgres for the Atlas launch."),
    ]


def test_meeting_notes_give_owners_due_dates_and_subjects() -> None:
    """A commitment knows who owes what by when, resolved against the day of the meeting (a Tuesday)."""
    found = extract(MEETING, context="meeting")
    report = event(found, "Bob will")
    assert (report.actors, day(report.due)) == ((("Bob Li", "owner"), ("Carol", "recipient")), "2026-03-13")
    deck = event(found, "Alice: send")
    assert (deck.actors, day(deck.due), deck.confidence) == ((("Alice Chen", "owner"),), "2026-03-16", 0.9)
    assert event(found, "Priya to").actors == (("Priya", "owner"),)
    assert event(found, "Use Postgres").subjects == ("Postgres", "Atlas")
    assert event(found, "We decided").summary.startswith("We decided to move the launch of Project Atlas to the end")


def test_meeting_notes_give_people_with_role_employer_and_addresses() -> None:
    """The attendee line says who somebody is; a first name alone is the attendee with that name."""
    found = extract(MEETING, context="meeting")
    alice = entity(found, "Alice Chen")
    assert (alice.role, "Alice" in alice.aliases) == ("CTO", True)
    assert entity(found, "Bob Li").organization == "Acme"
    assert entity(found, "Carol").aliases == ("carol@initech.com",)
    assert entity(found, "Carol").organization == "Initech"
    assert names(found, "project") == {"Atlas"}
    assert {MEETING[span.start_char : span.end_char] for span in alice.mentions} == {"Alice Chen", "Alice"}


MAIL = """Hi Bob,

I'll send you the contract by tomorrow. We agreed on 40k with Globex Inc.

Thanks,
Alice

On Tue, Mar 3, 2026 at 3 PM Bob Li <bob.li@acme.com> wrote:
> I will review the draft by Friday.
> We decided to wait.
"""


def test_mail_is_said_by_its_author_and_quoted_mail_is_not() -> None:
    """What stands behind `>` was written by someone else and gives no event of this mail."""
    found = extract(MAIL, context="email", author="Alice Chen <alice.chen@acme.com>")
    assert [(e.category, e.actors, day(e.due)) for e in found.events] == [
        ("Commitment", (("Alice Chen", "owner"),), "2026-03-11"),
        ("Decision", (("Alice Chen", "owner"),), None),
    ]
    assert found.events[0].summary == "Alice Chen will send you the contract by tomorrow."
    assert entity(found, "Alice Chen").organization == "Acme"
    assert "Globex Inc" in names(found, "org")


def test_unmarked_quoted_mail_belongs_to_the_one_who_wrote_it() -> None:
    """A reply that copies the original below "On … wrote:" does not put it into the replier's mouth."""
    content = "Fine.\n\nOn Tue, Mar 3, 2026, Bob Li wrote:\n\nI will send the budget by Friday.\n"
    found = extract(content, context="email", author="Alice Chen")
    assert [e.actors for e in found.events] == [(("Bob Li", "owner"),)]


def test_decision_records_decide_below_their_heading() -> None:
    """In a decision record the first sentence below "Decision" decides; context, options and questions do not."""
    content = (
        "# ADR 7: Storage\n\n## Context\n\nWe need a store.\n\n## Options considered\n\n- We will use Mongo.\n\n"
        "## Decision\n\nSQLite holds the record.\n\n## Open questions\n\n- We agreed on backups?\n"
    )
    assert events(extract(content)) == [("Decision", "SQLite holds the record.")]


def test_chat_lines_belong_to_whom_their_label_names() -> None:
    """In a chat "I" is the one whose label stands before the line, handles and time stamps included."""
    content = (
        "[09:12] Dana Fox: I'll deploy the fix by tomorrow, @erik please look\n"
        "[09:13] Erik Holm: ok. The importer is blocked by the schema change.\n"
    )
    found = extract(content, context="chat")
    assert [(e.category, e.actors[:1]) for e in found.events] == [
        ("Commitment", (("Dana Fox", "owner"),)),
        ("QualityRisk", (("Erik Holm", "owner"),)),
    ]
    assert "@erik" in entity(found, "Erik Holm").aliases


def test_a_turn_is_said_by_its_author_and_never_by_a_machine_role() -> None:
    """A single turn names its speaker; "user" and "assistant" are nobody's name."""
    turn = {"context": "conversation", "conversation_id": "c", "turn_index": 1}
    spoken = extract("I've decided to use Chroma. I'll write the migration by Friday.", author="Dana", **turn)
    assert [(e.category, e.actors) for e in spoken.events] == [
        ("Decision", (("Dana", "owner"),)),
        ("Commitment", (("Dana", "owner"),)),
    ]
    machine = extract("I'll write the migration by Friday.", role="assistant", **turn)
    assert (names(machine, "person"), machine.events) == (set(), ())
    [written] = extract("Decision: we take the blue crane.", role="assistant", **turn).events
    assert written.category == "Decision", "marked as one, it is the conversation's"


def test_transcript_labels_are_people_even_when_they_are_roles() -> None:
    """A role that labels turns is a speaker, mentioned where it labels and not where the words are used."""
    content = (
        "Project Manager: So we have decided to use a rubber case .\n"
        "User Interface: I will prepare the User Interface for review by tomorrow .\n"
        "Project Manager: We might decide on colours .\n"
    )
    found = extract(content, context="transcript")
    assert names(found, "person") == {"Project Manager", "User Interface"}
    assert len(entity(found, "User Interface").mentions) == 1
    assert [(e.category, e.actors) for e in found.events] == [
        ("Decision", (("Project Manager", "owner"),)),
        ("Commitment", (("User Interface", "owner"),)),
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "We have not decided on Kafka.",
        "Nobody agreed on the price.",
        "Should we go with Kafka?",
        "Have we decided on the name?",
        "If we decide on Kafka, Bob will send the plan by Friday.",
        "We might have agreed on something else.",
        "Perhaps Alice will send the report by Friday.",
        "They may have approved it.",
        "We would have chosen Kafka.",
        "Decision: pending",
        "Decisions: none",
        "- [ ] \n",
        "The decision log is in the wiki.",
        "There is no risk of data loss.",
        "WE WILL NEVER SURRENDER",
    ],
)
def test_denials_doubts_and_questions_are_no_events(sentence: str) -> None:
    """What was not decided, may be, or was only asked is no evidence of a fact to the rules."""
    assert events(by_rules(sentence, context="meeting")) == []


@pytest.mark.parametrize(
    ("sentence", "category"),
    [
        ("We agreed to hold the audit twice a year.", "Decision"),
        ("The board approved the budget.", "Decision"),
        ("The proposal was approved.", "Decision"),
        ("We will go with the smaller vendor.", "Decision"),
        ("Decision: ship on 3 May.", "Decision"),
        ("**Decision:** ship on 3 May.", "Decision"),
        ("Maria promised to call the bank.", "Commitment"),
        ("AI: Maria to call the bank by Friday.", "Commitment"),
        ("The search is blocked by the index rebuild.", "QualityRisk"),
        ("Risk: the vendor is slow.", "QualityRisk"),
        ("There was an outage of the billing service.", "QualityRisk"),
        ("The export still does not work.", "QualityRisk"),
        ("We have shipped the importer.", "Execution"),
        ("The kickoff was postponed to May.", "Change"),
        ("The service was renamed to Harbor.", "Change"),
        ("Maria joined the platform team as lead.", "Stakeholder"),
        ("Customers complained about the new search.", "Feedback"),
        ("We are working with Globex on the connector.", "Collaboration"),
    ],
)
def test_each_category_has_its_plain_sentence(sentence: str, category: str) -> None:
    """The wording people use every day for each category is understood."""
    assert [found for found, _ in events(extract(sentence))] == [category]


def test_a_denial_in_one_clause_leaves_the_other_alone() -> None:
    """Doubt about one thing does not hide the promise beside it."""
    found = extract("We have not decided on Kafka, but Bob will send the numbers by Friday.")
    assert [e.category for e in found.events] == ["Commitment"]


def test_front_matter_says_nothing_and_a_from_line_says_who_writes() -> None:
    """Fields above the text are not sentences; "I" in a mail without an author is the sender of its header."""
    content = (
        "---\ntitle: We decided on an outage\n---\nFrom: Dana Fox <dana@acme.com>\n\nI will send the plan by Friday.\n"
    )
    assert [(e.category, e.actors) for e in extract(content, context="email").events] == [
        ("Commitment", (("Dana Fox", "owner"),))
    ]


def test_code_urls_and_tables_give_no_events() -> None:
    """Program text and cells are not statements."""
    content = (
        "```python\n# We decided to use Redis\n```\n\n| We decided | on Kafka |\n\n"
        "See https://example.org/We-decided-to-stop and `Alice Chen`.\n"
    )
    assert events(extract(content)) == []


def test_capitals_alone_do_not_make_people() -> None:
    """Sentence starters, months, headings, teams and shouting are not names; neither is "may" at any place."""
    content = (
        "QUARTERLY BUSINESS REVIEW\n\n# Customer Success Update\n\nMay is busy. Will the Sales Team march in March? "
        "Marketing Operations grew. Thanks Everyone. New York was cold. It may rain. Mark the date.\n"
    )
    assert names(extract(content), "person") == set()


def test_initials_and_addresses_join_the_full_name() -> None:
    """ "A. Chen", "alice.chen@…" and "Alice" are Alice Chen when the document has only one."""
    content = "Alice Chen opened. A. Chen closed. Write to alice.chen@acme.com. Alice was pleased."
    found = extract(content)
    assert entity(found, "Alice Chen").aliases == ("A. Chen", "Alice", "alice.chen@acme.com")
    assert len(entity(found, "Alice Chen").mentions) == 4


def test_a_first_name_that_two_people_share_is_neither() -> None:
    """With two Alices in the document, "Alice" alone is not given to one of them."""
    found = extract("Alice Chen and Alice Wong met. Alice will send the notes by Friday.")
    assert names(found, "person") == {"Alice Chen", "Alice Wong", "Alice"}


@pytest.mark.parametrize(
    "content", ["会議で決定しました。来週までに送ります。", "قررنا تأجيل الإطلاق", "🚀🚀 launch 🎉", "\u200b.", "—"]
)
def test_other_scripts_are_read_without_harm(content: str) -> None:
    """Text in another language gives nothing rather than something wrong."""
    assert extract(content, context="chat").events == ()


def test_quotes_stay_short_in_endless_text() -> None:
    """Text without punctuation is cut at clauses or blanks, and the quote is still verbatim."""
    content = "we decided to keep going and " * 500
    found = by_rules(content)
    assert found.events
    assert all(len(e.quote) <= 600 and e.quote in content for e in found.events)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "unit",
    [
        "A ",
        "Alice Chen ",
        "a@b.",
        "**",
        "- [ ] ",
        ". ",
        "A'",
        "Name: ",
        "we have the ",
        "(",
        "\n",
        "Mara Lind, ",
        "J. ",
        "Mara van der ",
        "@a ",
        "<a> ",
        "10:00 ",
        "Ann Lee and ",
        "Mara Lind will ",
        "# Decision: x\n",
        "Port Ann, ",
        "Mara Lind (@",
        "Firm Foods a@firm.com ",
        "A\u0301",
        "Ann Lee: do it by ",
    ],
)
@pytest.mark.timeout(30)
def test_repeats_take_linear_time(unit: str) -> None:
    """No pattern may take more than linear time on 60,000 characters made to hurt it."""
    by_rules("x" + unit * (60_000 // len(unit)), context="meeting")


@pytest.mark.exhaustive
@pytest.mark.parametrize("unit", ["A'", ". ", "Mara Lind, ", "a, b and c, ", "we will by "])
def test_four_times_the_text_takes_about_four_times_the_time(unit: str) -> None:
    """Measured in this process's own time, and far from the sixteen times that quadratic work would take."""
    texts = ["x" + unit * (size // len(unit)) for size in (20_000, 80_000)]
    once, four_times = (own_time(partial(by_rules, text, context="meeting")) for text in texts)
    assert four_times <= 9 * once + 0.2


@pytest.mark.exhaustive
@pytest.mark.timeout(30)
def test_thousands_of_names_take_linear_time() -> None:
    """A long list of people with one first name and of their addresses is no harder than other text."""
    people = (
        f"Anna Family{'abcdefghij'[n % 10] * (n // 10 % 200 + 1)} (anna{n}@firm{n}.com) wrote. " for n in range(2_000)
    )
    assert len(names(by_rules("".join(people)), "person")) >= 2_000


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("Alice Bob will send decid.?!:;-*#>@[]|\n 1ä我"), max_size=300), st.booleans())
def test_any_text_is_read_and_all_evidence_holds(content: str, spoken: bool) -> None:
    """No text makes the extractor fail, everything it says can be found, and again gives the same."""
    if not content.strip():
        return
    context = "transcript" if spoken else "document"
    found = extract(content, context=context)
    assert found == extract(content, context=context)
    for one in found.events:
        assert content[one.near_char : one.near_char + len(one.quote)] == one.quote
    for named in found.entities:
        assert all(content[span.start_char : span.end_char].strip() for span in named.mentions)


def test_in_another_language_only_structure_speaks() -> None:
    """English rules would make the hotel an organisation, and what sounds like a verb a promise."""
    found = extract(
        "# Besprechung Lager\n\nWir haben beschlossen, das Lager im März zu schließen. Anna schickt den Plan bis "
        "Freitag. Das Hotel war schön. Meis Knie tut noch weh.\n\n- [ ] Ben Kurz: Schlüssel abholen bis 2026-03-20\n",
        context="meeting",
    )

    [task] = found.events
    assert (task.category, task.actors, day(task.due)) == ("Commitment", (("Ben Kurz", "owner"),), "2026-03-20")
    assert names(found, "person") == {"Ben Kurz"}
    assert names(found, "org") == set()
    assert found.unread_language == "de"


def test_a_yes_alone_decides_nothing() -> None:
    """It agrees with what another said, which is the decision if anything is."""
    chat = "[10:40] lena: let's skip the release this week then\n[10:41] marc: agreed\n[10:42] lena: Approved!\n"
    assert {event.quote for event in extract(chat, context="chat").events}.isdisjoint({"agreed", "Approved!"})


def test_a_log_and_code_hold_no_decision() -> None:
    """Though they say that something was rejected, cancelled or approved."""
    log = "2026-03-01 10:00:02 WARN request rejected, will retry\n2026-03-01 10:00:09 ERROR decided to give up\n"
    code = 'if plan.approved(owner):\n    raise ValueError("will not accept None")\n'
    assert extract(log + "\n" + code, context="note").events == ()
