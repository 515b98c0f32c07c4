"""What headings, markers, stamps and the shape of a line say, and who is meant by half a name."""

import pytest

from core.knowledge.findings import FoundEvent
from tests.ingest.extracting import by_rules, entity, extract, names


def _told(content: str, **fields: str) -> list[tuple[str, str]]:
    return [(event.category, event.quote) for event in extract(content, **fields).events]


def _only(content: str, **fields: str) -> FoundEvent:
    (event,) = extract(content, **fields).events
    return event


@pytest.mark.parametrize(
    ("line", "category"),
    [
        ("Outcome: two trains a day in each direction.", "Decision"),
        ("Verdict: the small boiler.", "Decision"),
        ("Chosen option: a table in the main store.", "Decision"),
        ("Downside: another service to look after.", "QualityRisk"),
        ("Contact: Henrietta Bloom, personnel.", "Stakeholder"),
    ],
)
def test_a_marker_says_what_its_line_is(line: str, category: str) -> None:
    """Who writes a word and a colon has said what kind of thing follows."""
    assert [told for told, _ in _told(line)] == [category]


@pytest.mark.parametrize("line", ["Decision: none yet, waiting for the quotes.", "Outcome: open", "Decisions: n/a"])
def test_a_marker_with_nothing_behind_it_says_nothing(line: str) -> None:
    """An empty field of a form is no event."""
    assert _told(line) == []


def test_numbered_headings_and_words_that_head_their_paragraph_make_sections() -> None:
    """A section is one however its heading is written."""
    content = "4. Decisions in this period\n\n- Braille on all door signs.\n- Numbers follow the lift.\n\n"
    content += "Outcome. Closed on Mondays, with the kiosk open.\n"
    assert [told for told, _ in _told(content)] == ["Decision"] * 3


def test_only_what_was_chosen_or_ruled_out_counts_below_options() -> None:
    """Options are described at length without anything being promised or feared by it."""
    content = "## Options considered\n\n- Airflow was ruled out on price.\n- Cron fails on Sundays.\n"
    assert _told(content) == [("Decision", "Airflow was ruled out on price.")]


def test_the_first_sentence_of_a_bullet_is_what_its_section_says() -> None:
    """What else stands in the bullet explains it, and may be something else."""
    content = "## Decisions\n\n- Hinges in place of screws. The clips had been too small for a gloved hand.\n"
    assert [one for one in _told(content) if one[0] == "Decision"] == [("Decision", "Hinges in place of screws.")]


def test_what_only_names_the_record_it_replaces_is_no_decision() -> None:
    """It is a link between two records."""
    assert _told("This supersedes ADR 3.\nReplaces the decision of 14 January to rent a van.\n") == []


def test_entries_of_a_log_are_read_without_their_stamp_and_on_its_day() -> None:
    """The quote is what was said, and it happened when the stamp says."""
    event = _only("## Review log\n\n2026-06-20 Bilal deployed the cap on photos.\n", date="2026-07-01")
    assert (event.quote, event.event_time and event.event_time.date().isoformat()) == (
        "Bilal deployed the cap on photos.",
        "2026-06-20",
    )


def test_speakers_of_a_chat_may_be_written_in_small_letters() -> None:
    """A stamp in front of a nick is a label like any other."""
    content = "[09:12] dkim: heads up, the checkout is down\n[09:40] marek: i'll write the report by friday\n"
    found = extract(content, context="chat", date="2026-03-10")
    assert names(found, "person") == {"dkim", "marek"}
    (promise,) = [event for event in found.events if event.category == "Commitment"]
    assert promise.actors == (("marek", "owner"),)


@pytest.mark.parametrize(
    "request_", ["Dirk, can you review the annex by Friday?", "Could you send me the papers before Thursday?"]
)
def test_a_question_that_asks_for_something_by_a_day_is_a_task(request_: str) -> None:
    """Politeness does not make it less of one."""
    assert [told for told, _ in _told(request_, context="email", date="2026-03-10")] == ["Commitment"]


@pytest.mark.parametrize("question", ["Can you see it?", "Could you imagine moving there?", "Will you come on Friday?"])
def test_other_questions_ask_for_nothing(question: str) -> None:
    """Only a request with a time limit, or a polite one to somebody named, is a task."""
    assert _told(question, context="email", date="2026-03-10") == []


@pytest.mark.parametrize(
    ("line", "day"),
    [("- Cut-over plan - Dana - 09.04.", "2026-04-09"), ("- Dana: publish the glossary (Wed)", "2026-03-11")],
)
def test_a_date_that_closes_a_task_is_its_day(line: str, day: str) -> None:
    """Behind a dash or in brackets at the end nothing but the due date is meant."""
    event = _only(f"Participants: Dana Fox\n\nTo do\n{line}\n", context="meeting", date="2026-03-10")
    assert event.due is not None
    assert event.due.date().isoformat() == day


def test_a_table_with_the_day_of_a_task_says_there_that_it_is_done() -> None:
    """Not every table has a column for the state."""
    content = "| What | Who | Until |\n| Add the test | Stefan Kolb | 17 July |\n| Say sorry | Adaeze Obi | done |\n"
    assert [told for told, _ in _told(content, date="2026-07-08")] == ["Commitment", "Execution"]


def test_a_family_name_alone_is_whom_the_text_calls_so() -> None:
    """Minutes give the full name once."""
    content = "Present: Lieselotte Brandt, H. Nakamura\n\nNakamura will inform the shops by the end of May.\n"
    event = _only(content, context="meeting", date="2026-05-04")
    assert [name for name, role in event.actors if role == "owner"] == ["H. Nakamura"]


def test_a_councillor_is_known_by_name() -> None:
    """A title in front of a name is no part of it."""
    content = "Present: Cllr Anne Whitcombe, Cllr Sushila Naik\n\nCllr Naik has resigned from the panel.\n"
    assert names(extract(content, context="meeting"), "person") == {"Anne Whitcombe", "Sushila Naik"}


def test_fields_of_one_line_name_their_people() -> None:
    """A design document has its people in one line."""
    content = "Owner: Bilal Siddiqui · Reviewers: Frances Kemp, Andrej Novak\n\nFrances will test it by Friday.\n"
    found = extract(content, date="2026-03-10")
    assert names(found, "person") == {"Bilal Siddiqui", "Frances Kemp", "Andrej Novak"}
    assert "Frances" in entity(found, "Frances Kemp").aliases


def test_a_given_name_in_a_place_is_nobody() -> None:
    """Towns are called after people."""
    assert names(extract("We met in Palma and near St. Anne's on Monday."), "person") == set()


@pytest.mark.parametrize(
    "said", ["Here it is.", "It was such a warm place and I felt totally accepted.", "Agreed, Mel!", "What a day it is"]
)
def test_small_talk_with_the_words_of_decisions_decides_nothing(said: str) -> None:
    """Turns of a conversation are read by their wording alone: it has to be telling."""
    turn = {"context": "conversation", "conversation_id": "c"}
    assert by_rules(said, turn_index=1, **turn).events == ()


@pytest.mark.parametrize("said", ["raised beds it is then", "also: dropping the tablet for 1.0"])
def test_people_decide_in_few_words_in_a_chat(said: str) -> None:
    """Nobody writes "it was decided" to a friend."""
    assert [told for told, _ in _told(said, context="chat")] == ["Decision"]


def test_the_task_keywords_of_logseq_and_org_are_tasks() -> None:
    """With the day of the line below them; what is cancelled is neither promised nor done."""
    text = (
        "- TODO Order the rope\n  SCHEDULED: <2026-03-09 Mon>\n- LATER Read the tide tables\n- DONE Pay the diver\n"
        "* TODO [#A] Paint the quay\n  DEADLINE: <2026-03-31 Tue>\n- CANCELLED Buy a bell\n"
    )
    found = [
        (event.category, event.due and event.due.date().isoformat())
        for event in extract(text, date="2026-03-02").events
    ]
    assert found == [
        ("Commitment", "2026-03-09"),
        ("Commitment", None),
        ("Execution", None),
        ("Commitment", "2026-03-31"),
    ]


def test_events_and_due_days_are_of_the_day_that_a_heading_gives() -> None:
    """A log of one file: "by Friday" is read from its own section, not from that of the first entry."""
    content = (
        "# Quay log\n\n## 12 March 2026\n\n- We decided to buy a second crane.\n- Dana Fox will order it by Friday.\n\n"
        "## 2 March 2026\n\n- We decided to close the slip.\n- Dana Fox will call the insurer by Friday.\n"
    )
    events = extract(content, date="2026-03-12").events
    days = {event.quote: (event.due or event.event_time) for event in events}
    assert {quote: day and day.date().isoformat() for quote, day in days.items()} == {
        "We decided to buy a second crane.": "2026-03-12",
        "Dana Fox will order it by Friday.": "2026-03-13",
        "We decided to close the slip.": "2026-03-02",
        "Dana Fox will call the insurer by Friday.": "2026-03-06",
    }


def test_in_a_manual_only_what_is_marked_is_decided_or_promised() -> None:
    """ "Is selected" and "will restart" tell how things are."""
    content = (
        "# Tide clock\n\nThe dial can be chosen by a menu. When a mark is selected, its border is dashed. The lamp "
        "will restart upon the next call. Renaming a mark will update all its links. Proposals without a sketch may be "
        "rejected. The site will send the file.\n"
    )
    acts = [event for event in extract(content).events if event.category in ("Decision", "Commitment")]
    assert acts == []
    marked = extract(f"{content}\nDecision: the clock is of steel.\n").events
    assert [event.category for event in marked if "steel" in event.quote] == ["Decision"]


@pytest.mark.parametrize(
    "talk",
    [
        "**Speaker 01**\n* The lamp is dark today.\n* The fee is fine.",
        "Ana Silva: The lamp is dark today.\nBo Lund: The fee is fine.",
    ],
)
def test_a_section_ends_with_its_list_where_people_talk(talk: str) -> None:
    listed = "| Decision Item | Description |\n| --- | --- |\n| 1.1 | Keep the old tariff |"
    content = f"# Call\n\n## DECISIONS & ACTION ITEMS\n\n{listed}\n\n{talk}\n"
    decisions = [event.quote for event in extract(content, context="meeting").events if event.confidence >= 0.5]
    assert decisions == ["1.1 | Keep the old tariff"]


def test_a_section_goes_on_below_headings_that_divide_it() -> None:
    content = "# Call\n\n## Action items\n\n**Ana Silva**\n- Call the insurer\n\n**Bo Lund**\n- Paint the door\n"
    found = extract(content, context="meeting").events
    assert [(event.category, event.quote) for event in found] == [
        ("Commitment", "Call the insurer"),
        ("Commitment", "Paint the door"),
    ]
