"""What was really decided and promised: by whom, to whom, about what, and what only sounds so."""

from typing import Any

import pytest

from core.knowledge.findings import Extraction
from tests.contracts.makers import item
from tests.shipped import shipped_extractor

Parties = dict[str, str]


def extract(text: str, **fields: Any) -> Extraction:
    return shipped_extractor().extract(item(text, **{"date": "2026-03-04", "context": "note", **fields}))


def told(text: str, category: str, **fields: Any) -> list[tuple[str, Parties]]:
    """Return the summaries of sure events of a category with their actors."""
    events = extract(text, **fields).events
    return [(one.summary, dict(one.actors)) for one in events if one.category == category and one.confidence >= 0.5]


@pytest.mark.parametrize(
    "text",
    [
        "Nobody decided to sell the barge.",
        "The trustees refused to decide on the pier.",
        "We have not agreed yet whether to paint the hull.",
        "No decision was reached about the crane.",
        "The decision about the lamp was deferred to the trustees.",
        "The vote on the new rope was postponed.",
        "If we decide to close the slip, everybody gets a letter.",
        "We might decide to close the slip next year.",
        "We still have to decide who steers.",
        "The plan must be approved by the port authority.",
        "Imagine we decided to sell the barge.",
        "For example, we decided to sell the barge.",
        "In the novel the captain decided to burn the ship.",
        "# Minutes, DD MONTH\n\n## 2. Slip\nDecision: …\n## 3. Crane\nDecided: ____\n",
    ],
)
def test_what_is_denied_open_or_imagined_is_no_decision(text: str) -> None:
    """By the words around the verb."""
    assert not told(text, "Decision", context="meeting")
    assert not told(text, "Commitment", context="meeting")


@pytest.mark.parametrize("text", ["We decided not to sell the barge.", "We decided against a second barge."])
def test_a_decision_against_something_is_one(text: str) -> None:
    """It holds from then on."""
    assert told(text, "Decision", author="Rune Aas")


def test_what_leads_a_meeting_is_no_promise() -> None:
    """It is done as it is said."""
    text = (
        "Ines Falk: Okay, I will start the recording now.\n\nTomas Berg: I will share my screen.\n\n"
        "Ruth Amsel: I will send the crane report to Ines by Friday.\n\nInes Falk: I'll move on to the next point.\n"
    )
    assert [actors for _, actors in told(text, "Commitment", context="transcript")] == [
        {"Ruth Amsel": "owner", "Ines Falk": "recipient"}
    ]


@pytest.mark.parametrize(
    ("text", "author", "parties"),
    [
        ("I will send the tide table to Kaja by 2026-03-09.", None, {"Kaja": "recipient"}),
        (
            "I will send the tide table to Kaja by 2026-03-09.",
            "Edgar Wold",
            {"Edgar Wold": "owner", "Kaja": "recipient"},
        ),
        ("I'll pay Kaja back on Friday.", None, {"Kaja": "recipient"}),
        ("User will send the tide table to Kaja by Friday.", None, {"Kaja": "recipient"}),
        ("Remind me to call Dr Moen on Monday.", "Edgar Wold", {"Edgar Wold": "owner", "Moen": "recipient"}),
        ("Kaja asked me to send her the rope by Friday.", "Edgar Wold", {"Edgar Wold": "owner", "Kaja": "recipient"}),
        ("We owe Globex a new quote by Friday.", None, {"Globex": "recipient"}),
        ("Anna will send the rope to Halden Mill by Friday.", None, {"Anna": "owner", "Halden Mill": "recipient"}),
        ("Anna will merge the fix to Chrome by Friday.", None, {"Anna": "owner"}),
        ("My sister will lend us the trailer on Friday.", "Edgar Wold", {"Edgar Wold": "recipient"}),
        ("Anna and Kaja will paint the hull by Friday.", None, {"Anna": "owner", "Kaja": "owner"}),
        ("We hope to see Anna on board, but Kaja will send the list by Friday.", None, {"Kaja": "owner"}),
    ],
)
def test_a_promise_is_whose_the_sentence_says_it_is(text: str, author: str | None, parties: Parties) -> None:
    """Never the only person named; who it is for is its recipient."""
    [(_, found)] = told(text, "Commitment", **({"author": author} if author else {}))
    assert {name: role for name, role in found.items() if role != "stakeholder"} == parties


def test_two_promises_of_one_sentence_are_two() -> None:
    """One to whoever reads it is nobody's."""
    text = "You will email the landlord by Friday, and Anna will pay the deposit by Monday."
    assert [actors for _, actors in told(text, "Commitment")] == [{}, {"Anna": "owner"}]


def test_a_ticked_or_open_box_with_a_name_alone_is_attendance() -> None:
    """Nobody promised anything by being there."""
    text = (
        "## Attendees\n\n- [ ] Ines Falk (IF)\n- [x] Tomas Berg (TB)\n\n## To do\n\n- [ ] Ines Falk: order the rope\n"
    )
    assert [summary for summary, _ in told(text, "Commitment", context="meeting")] == ["Ines Falk: order the rope"]


MINUTES = """# Minutes of the gate group, 11 June 2026

Present: Ines Falk, Tomas Berg

## Grants

- Harbour day, 500 euros
    - **Rejected** - based on the above concerns.

## New lamp

Ines moved that we buy the lamp. Approved unanimously.

## [Feature #101] Cache of tide tables

- Ines Falk: accepted.

## Treasurer

The board approved Clara Holm as treasurer for two years.
"""


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("/r/TSC/meetings/2026-03-04.md", ["TSC"]),
        ("/r/wg-releases/notes/2026-03-04.md", ["Releases WG"]),
        ("/r/read/2026-03-04.md", []),
        ("/r/notes/adr/2026-03-04.md", []),
    ],
)
def test_the_folder_of_minutes_may_name_the_body(path: str, owners: list[str]) -> None:
    """Where neither the text nor its title says whose they are; an ordinary folder names nobody."""
    [(_, actors)] = told("- We decided to paint the hull.", "Decision", context="meeting", file_path=path)
    assert [name for name, role in actors.items() if role == "owner"] == owners


def test_a_decision_says_what_and_who() -> None:
    """By its item, motion or heading where its own sentence does not say it; by the body that decides."""
    found = told(MINUTES, "Decision", context="meeting", title="Minutes of the gate group, 11 June 2026")
    assert [summary for summary, _ in found] == [
        "Harbour day, 500 euros: Rejected - based on the above concerns.",
        "Ines moved that we buy the lamp: Approved unanimously.",
        "[Feature #101] Cache of tide tables: Accepted.",
        "The board approved Clara Holm as treasurer for two years.",
    ]
    owners = [[name for name, role in actors.items() if role == "owner"] for _, actors in found]
    assert owners == [["Gate group"], ["Gate group"], ["Ines Falk"], ["Board"]]


@pytest.mark.parametrize(
    "text",
    [
        "Ylva reserved the hall for us.",
        "Ana Silva has reserved the big tent for the fair.",
        "Ana Silva called the harbour master.",
        "She has published the yearly report.",
    ],
)
def test_what_somebody_did_is_a_report_and_no_decision(text: str) -> None:
    """A report closes a commitment; a decision would not."""
    sure = [one.category for one in extract(text).events if one.confidence >= 0.5]
    assert sure == ["Execution"]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Ana sent the plan and will call Bo on Monday.", "Commitment"),
        ("Ana signed off the plan for the quay.", "Decision"),
        ("Ana posted the list and the board approved the new rope.", "Decision"),
    ],
)
def test_a_deed_in_a_sentence_hides_no_decision_and_no_commitment(text: str, category: str) -> None:
    assert category in [one.category for one in extract(text).events]


@pytest.mark.parametrize(
    "text",
    [
        "Press the red button as agreed upon in the first meeting.",
        "The rules we agreed on did not change, only their order.",
        "The proposal needs a longer talk before any decision is made.",
        "Karin leans towards the blue rope, any objections from those in the room",
    ],
)
def test_what_refers_to_a_decision_or_asks_for_one_is_none(text: str) -> None:
    assert told(text, "Decision", context="meeting") == []


def test_a_chair_who_says_that_nobody_objects_is_not_who_decided() -> None:
    """The name before a colon speaks."""
    text = "Minutes of the pier group\n\nKarin Holm: hearing no objections, the new rope is approved.\n"
    ((_, who),) = told(text, "Decision", context="meeting")
    assert "Karin Holm" not in [name for name, role in who.items() if role == "owner"]


@pytest.mark.parametrize("day", ["2026-03-02", "Slot 2 - 2 March 2026", "Monday, 2 March 2026"])
def test_a_day_is_not_what_a_decision_is_about(day: str) -> None:
    """The item above it is."""
    text = f"# Pier group\n\n## New rope for the quay\n\n### {day}\n\n- Approved unanimously.\n"
    assert told(text, "Decision", context="meeting")[0][0].startswith("New rope for the quay: ")


def test_a_point_of_the_talk_below_decisions_is_none() -> None:
    text = (
        "## Decisions\n\n- Approved the new rope.\n- Concerns raised about the price\n- Need for clarity on the day\n"
    )
    assert [summary for summary, _ in told(text, "Decision", context="meeting")] == ["Approved the new rope."]


def decided(text: str, **fields: object) -> list[tuple[str, list[str]]]:
    """Return what each decision says, and who decided."""
    found = told(text, "Decision", **{"context": "meeting", **fields})
    return [(summary, [name for name, role in actors.items() if role == "owner"]) for summary, actors in found]


@pytest.mark.parametrize(
    ("path", "title", "body"),
    [
        ("/r/notes/2026-02-harbour-council-update.md", None, "Harbour Council"),
        ("/r/harbour-council/2026-02.md", None, "Harbour Council"),
        ("/r/submissions-wg/2026-02.md", None, "Submissions WG"),
        (None, "Harbour Council Community Update", "Harbour Council"),
        (None, "Agenda for the 3 March video call of the Parser Subgroup", "Parser Subgroup"),
        (None, "Upgrades WG weekly meeting 2026-03-04", "Upgrades WG"),
        (None, "Minutes of the 4 March meeting of the Rope Group", "Rope Group"),
        (None, "No meeting last week", None),
        (None, "Budget meeting", None),
    ],
)
def test_a_group_without_a_name_is_whose_minutes_they_are(
    path: str | None, title: str | None, body: str | None
) -> None:
    """And nobody where neither title, first lines, file nor folder names a body."""
    text = "- The group decided to paint the hull of the ferry."
    assert [owners for _, owners in decided(text, file_path=path, title=title)] == [[body] if body else []]


@pytest.mark.parametrize(
    ("text", "owners"),
    [
        ("Ewa Holm gave an update on the ferry and it was decided to paint the hull.", []),
        ("Ewa Holm and Bo Lund will not come and the group decided that the trip is cancelled.", []),
        ("The board decided to sell the ferry to the museum.", ["Board"]),
        ("Group decided that the ferry is sold to the museum.", []),
        ("Ewa Holm decided to sell the ferry to the museum.", ["Ewa Holm"]),
    ],
)
def test_who_is_named_before_a_decision_of_others_did_not_decide(text: str, owners: list[str]) -> None:
    """Only whoever decides in the clause itself; a bare "group" names nobody."""
    assert [one for _, one in decided(f"Present: Ewa Holm, Bo Lund\n\n{text}")] == [owners]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "- The council discussed a crane\n  module for the library. It was decided that the keepers write a plan.",
            "The council discussed a crane module for the library: It was decided that the keepers write a plan.",
        ),
        (
            "- The council reviewed RFC 657 (Long ropes). The group decided to accept it.",
            "The council reviewed RFC 657 (Long ropes): The group decided to accept it.",
        ),
        (
            "## Paint\n\n- Should we paint the hull red?\n    - No objections",
            "Should we paint the hull red? No objections",
        ),
        (
            "## New charter\n\nBo: the intent makes sense. We agreed to adopt that item.",
            "New charter: Bo: We agreed to adopt that item.",
        ),
        (
            "- The council reviewed RFC 642 (Short ropes), and decided to reject it.",
            "The council reviewed RFC 642 (Short ropes), and decided to reject it.",
        ),
    ],
)
def test_a_decision_that_points_back_begins_with_what_it_points_to(text: str, line: str) -> None:
    """The sentence before, also in a wrapped line, the item or the heading; nothing where it says so itself."""
    [(said, _)] = decided(f"Present: Bo, Ana\n\n{text}\n")
    assert said == line


def test_what_a_decision_is_about_never_cuts_the_decision() -> None:
    """The motion is shortened first."""
    decision = (
        "It was decided that the keepers of the three northern harbours buy the long ropes from the mill in spring."
    )
    [(said, _)] = decided(f"- The council discussed {'the very old question of ropes and ' * 4}knots. {decision}")
    assert said.endswith(decision)
    assert len(said) <= 200


def test_reasons_a_reply_to_objections_and_an_offer_are_no_decisions() -> None:
    """What follows "because:", "No objections" before its verdict, and what one person agrees to do."""
    record = (
        "# 7. Store\n\n## Decision\n\nThe second one was chosen because:\n\n- The change is atomic.\n- It is cheap.\n"
    )
    assert [said for said, _ in decided(record, context="decision")][1:] == []
    minutes = "## Minutes of March\n\nNo objections\n\nMinutes are approved\n"
    assert [said for said, _ in decided(minutes)] == ["Minutes of March: Minutes are approved"]
    listed = "Present: Jo Rask (JR), Bo Lund (BL)\n\n- JR agreed to look for a contact at the mill.\n"
    assert decided(listed) == []
    [(_, actors)] = told(listed, "Commitment", context="meeting")
    assert actors["Jo Rask"] == "owner"


def test_a_record_of_a_decision_names_its_matter_in_each_choice() -> None:
    """By its title."""
    record = "# 12. Harbour network\n\n## Decision\n\n- Three private cables, spread across the quays\n"
    assert [said for said, _ in decided(record, context="decision")] == [
        "Harbour network: Three private cables, spread across the quays"
    ]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("Margaret Dorn (Peggy)", "Peggy will call the bank."),
        ("Margaret Dorn (aka Peggy)", "Peggy will call the bank."),
        ('Margaret Dorn ("Peggy")', "Peggy will call the bank."),
        ("Peggy (Margaret Dorn)", "Peggy will call the bank."),
        ('Robert "Bob" Kline', "Bob will call the bank."),
    ],
)
def test_a_promise_under_a_nickname_is_of_whom_the_list_calls_so(entry: str, said: str) -> None:
    """In brackets or in quotation marks, before or behind the full name."""
    owner = "Robert Kline" if "Bob" in entry else "Margaret Dorn"
    [(_, actors)] = told(f"Attendees: {entry}, Elizabeth Roth\n\n- {said}\n", "Commitment", context="meeting")
    assert actors == {owner: "owner"}


@pytest.mark.parametrize(("son", "father"), [(", Jr.", ", Sr."), (" Jr", " Sr"), (" III", " II")])
def test_father_and_son_are_two(son: str, father: str) -> None:
    """Whatever separates the two names."""
    text = f"Elias Whitford{son} will send the deed.\n\nElias Whitford{father} decided to sell the orchard.\n"
    [(_, promised)], [(_, decided_by)] = (told(text, kind, context="note") for kind in ("Commitment", "Decision"))
    (one, other) = (next(name for name, role in by.items() if role == "owner") for by in (promised, decided_by))
    assert one != other
    assert {one.rstrip(".").split()[-1], other.rstrip(".").split()[-1]} == {son.strip(" ,."), father.strip(" ,.")}


@pytest.mark.parametrize("told_apart", ["{} junior", "{} Junior"])
def test_a_written_out_junior_is_another_than_the_senior(told_apart: str) -> None:
    """A position in a firm is no part of the name."""
    text = f"{told_apart.format('Elias Whitford')} will send the deed. Elias Whitford senior will sell the orchard."
    owners = {name for _, actors in told(text, "Commitment") for name, role in actors.items() if role == "owner"}
    assert owners == {"Elias Whitford Jr.", "Elias Whitford Sr."}
    [(_, actors)] = told("Elias Whitford, senior engineer, will send the deed.", "Commitment")
    assert actors == {"Elias Whitford": "owner"}


def summaries(content: str, category: str = "Decision", **given: str) -> list[str]:
    """Return the summaries of what was found of a category."""
    found = extract(content, **{"context": "meeting", **given}).events
    return [event.summary for event in found if event.category == category]


@pytest.mark.parametrize(
    "said",
    [
        "The team spoke of the fair and agreed to reconvene in 10 minutes.",
        "The group decided to take a short break of 15 minutes.",
        "Some requests are being rejected with the hint that they should be mended.",
        "Till: I would have said so: strongly agreed that the chairs should be free to move the date.",
        "Ana was accepted into the Green Guild.",
        "Rosvik Garden accepted for the 2024 Autumn Fair.",
    ],
)
def test_what_is_under_way_or_others_verdict_is_no_decision(said: str) -> None:
    """A break of the meeting, what happens all the time, one person's assent, or acceptance by somebody else."""
    assert decided(f"# Garden team meeting\n\n{said}\n") == []
    assert decided("# Garden team meeting\n\nThe plan of 2024 was accepted for the north field.\n") != []


@pytest.mark.parametrize("who", ["Ana volunteering to order it", "Ana agreeing to do it", "Ana reporting good results"])
def test_who_does_something_beside_a_decision_decides_nothing(who: str) -> None:
    """Nor contributes to it: the list of owners would name her."""
    text = f"Present: Ana Silva, Bo Lund\n\nThey agreed to buy a new mower, with {who}.\n"
    [(_, actors)] = told(text, "Decision", context="meeting")
    assert actors == {"Ana Silva": "stakeholder"}


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("FenceCo triage meeting", "FenceCo triage"),
        ("2019-1-30 Rosvik/FenceCo Development Meeting", "Rosvik/FenceCo Development"),
        ("FNC Tech Meeting 2024-02-20", "FNC Tech"),
        ("FNC All Hands Call November 26th, 2018", "FNC All Hands"),
    ],
)
def test_the_body_of_a_series_of_meetings_decides(title: str, body: str) -> None:
    """By the title of its minutes."""
    [(_, actors)] = told("- We agreed to paint the shed.\n", "Decision", context="meeting", title=title)
    assert actors == {body: "owner"}


def test_the_number_of_the_issue_above_is_part_of_the_decision() -> None:
    """Though its own words say what was decided; a number of its own is enough."""
    text = "# FNC call\n\n- Lamp of the harbour gate #1650\n  - We agreed to buy two bright lamps{}.\n"
    assert summaries(text.format("")) == ["Lamp of the harbour gate #1650: We agreed to buy two bright lamps."]
    assert summaries(text.format(" (#12)")) == ["We agreed to buy two bright lamps (#12)."]


def test_a_promise_that_says_little_names_what_it_is_about() -> None:
    """By the item or heading above."""
    text = "# Garden team meeting\n\nPresent: Ana Silva, Bo Lund\n\n## Tool list\n\n{}\n"
    assert summaries(text.format("Ana: I'll fix it tomorrow."), "Commitment") == [
        "Tool list: Ana Silva will fix it tomorrow."
    ]
    assert summaries(text.format("Bo will sort the oak shelves."), "Commitment") == ["Bo will sort the oak shelves."]


@pytest.mark.parametrize("said", ["every Friday", "each Monday", "on Tuesdays"])
def test_what_comes_back_every_week_has_no_last_day(said: str) -> None:
    """The ledger shows the next one while it is open; another day in the sentence counts."""
    found = extract(f"Ana will water the plants {said}.", context="note", date="2026-03-02").events
    assert [event.due for event in found if event.category == "Commitment"] == [None]
    dated = extract(f"Ana will water the plants {said}, at the latest by 2026-06-01.", context="note").events
    assert [event.due.date().isoformat() for event in dated if event.due] == ["2026-06-01"]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I wish we had decided to sell the barge.", "Decision"),
        ("I doubt that they decided to sell the barge.", "Decision"),
        ("We almost decided to sell the barge.", "Decision"),
        ("We never agreed to sell the barge.", "Decision"),
        ("It is not true that we decided to sell the barge.", "Decision"),
        ("Rumour has it that the trustees decided to sell the barge.", "Decision"),
        ("Allegedly the trustees decided to sell the barge.", "Decision"),
        ("Until the trustees decide to sell the barge, we wait.", "Decision"),
        ("The motion to sell the barge was tabled.", "Decision"),
        ("Should Nils agree, Kaja will ring the dealer on Friday.", "Commitment"),
        ("Kaja might ring the dealer on Friday.", "Commitment"),
        ("Kaja said she might send the plan by Friday.", "Commitment"),
        ("Maybe Kaja will ring the dealer on Friday.", "Commitment"),
        ("I hope Kaja will ring the dealer on Friday.", "Commitment"),
        ("I don't think Kaja will ring the dealer on Friday.", "Commitment"),
        ("Kaja won't ring the dealer on Friday.", "Commitment"),
        ("Kaja will probably not ring the dealer.", "Commitment"),
        ("Kaja never promised to ring the dealer.", "Commitment"),
        ("Kaja was going to ring the dealer on Friday but forgot.", "Commitment"),
        ("Nobody will ring Nils by Friday.", "Commitment"),
        ("Will Kaja ring the dealer on Friday?", "Commitment"),
        ("The ferry will sail at noon on Friday.", "Commitment"),
        ("Our parcel will arrive on Friday.", "Commitment"),
        ("The smoke alarm will need a new battery by Friday.", "Commitment"),
    ],
)
def test_what_is_doubted_hoped_denied_or_asked_is_not_in_the_ledger(text: str, category: str) -> None:
    assert told(text, category, author="Rune Aas") == []


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("If I remember correctly, we decided to sell the barge.", "Decision"),
        ("Nobody objected, so we decided to sell the barge.", "Decision"),
        ("Kaja won't ring the dealer, but Nils will ring him on Friday.", "Commitment"),
        ("Kaja will not only bring the ladder on Friday but also the paint.", "Commitment"),
        ("Don't forget to pay Anna Lund by Friday.", "Commitment"),
        ("The dealer will close the account by Friday.", "Commitment"),
        ("The accountant will send the form by Friday.", "Commitment"),
    ],
)
def test_a_doubt_of_something_else_takes_nothing_from_the_ledger(text: str, category: str) -> None:
    assert told(text, category, author="Rune Aas")


@pytest.mark.parametrize(
    ("text", "parties"),
    [
        ("Our accountant will file the return by Friday.", {}),
        ("Grandma will bring the cake by Friday.", {}),
        ("The school's office will file the form by Friday.", {}),
        ("Kaja's brother will paint the barge by Friday.", {"Kaja": "stakeholder"}),
        ("Kaja will be sent the lease by Friday.", {"Kaja": "recipient"}),
        ("After Kaja's visit I will clean the barge by Friday.", {"Kaja": "stakeholder", "Edgar Wold": "owner"}),
        ("Together with Nils I will paint the barge by Friday.", {"Nils": "contributor", "Edgar Wold": "owner"}),
        ("Nils promised me to bring the ladder by Friday.", {"Nils": "owner", "Edgar Wold": "recipient"}),
        ("Nils asked Kaja to send the invoice by Friday.", {"Nils": "recipient", "Kaja": "owner"}),
    ],
)
def test_a_promise_is_not_of_whoever_else_is_named(text: str, parties: Parties) -> None:
    [(_, found)] = told(text, "Commitment", author="Edgar Wold")
    assert found == parties
