"""Files as programs write them that do not keep to the usual form of their format."""

import re
from pathlib import Path

import pytest

from core.errors import InvalidInput
from ingest.document.lines import spoken_name
from ingest.readers import supported, walk
from tests.ingest.readers import made_files
from tests.ingest.readers.reading import format_of, memories, packed, put, turns


def test_a_header_mixes_encoded_words_and_plain_letters(tmp_path: Path) -> None:
    mail = (
        "From: =?utf-8?q?Zo=C3=AB?= Über <zoe@pier.example>\nTo: Łukasz Nowak <l@pier.example>\n"
        "Subject: Résumé =?utf-8?b?w6k=?= zur Straße\nDate: Tue, 3 Mar 2026 09:00:00 +0100\n\nHallo.\n"
    )
    (memory,) = memories(put(tmp_path, "a.eml", mail))
    assert (memory.author, memory.title) == ("Zoë Über", "Résumé é zur Straße")


def test_a_family_name_before_an_unquoted_comma_is_part_of_the_name(tmp_path: Path) -> None:
    mail = "From: Amsel, Ruth <ruth@p.example>\nTo: crew@p.example, Berg, Tomas <tb@p.example>\nSubject: a\n\nText.\n"
    (memory,) = memories(put(tmp_path, "a.eml", mail))
    assert memory.author == "Amsel, Ruth"
    assert "Berg, Tomas" in (memory.participants or ())


@pytest.mark.parametrize(
    "head",
    [
        "From: Ruth Amsel <ruth@pier.example>\nSent: Tuesday, March 3, 2026 9:00 AM\nTo: Tomas Berg\nSubject: Rope\n",
        "Von: Ruth Amsel\nGesendet: Dienstag, 3. März 2026 09:00\nAn: Tomas Berg\nCc: Olga Stein\nBetreff: Rope\n",
        "\ufeffDe : Ruth Amsel\r\nEnvoyé : mardi 3 mars 2026 09:00\r\nÀ : Tomas Berg\r\nObjet : Rope\r\n",
    ],
)
def test_a_mail_that_outlook_saves_as_text_has_its_subject_and_people(tmp_path: Path, head: str) -> None:
    path = put(tmp_path, "saved.txt", f"{head}\nI will buy the rope.\n")
    (memory,) = memories(path)
    assert (memory.title, memory.author, memory.context) == ("Rope", "Ruth Amsel", "email")
    assert memory.participants is not None
    assert memory.participants[:2] == ("Ruth Amsel", "Tomas Berg")
    assert memory.content.endswith("I will buy the rope.")


def test_tables_side_by_side_on_a_page_stay_two(tmp_path: Path) -> None:
    page = "<table><tr><td>a</td><td>b</td></tr></table><table><tr><td>c</td><td>d</td></tr></table>"
    (memory,) = memories(put(tmp_path, "a.html", f"<html><body>{page}</body></html>"))
    assert memory.content == "| a | b |\n\n| c | d |"


def test_a_title_that_a_program_fills_in_is_passed_over_in_the_text_too(tmp_path: Path) -> None:
    (memory,) = memories(put(tmp_path, "doc.txt", "Untitled\n\nReport on the berth fees\n\nThey rise.\n"))
    assert memory.title == "Report on the berth fees"


@pytest.mark.parametrize(
    ("shown", "name"),
    [
        ("Ruth Amsel | Pier Ltd", "Ruth Amsel"),
        ("Berg, Tomas (EXT)", "Tomas Berg"),
        ("Olga Stein, PhD", "Olga Stein"),
        ("Ruth Amsel (she/her) - Pier Ltd", "Ruth Amsel"),
        ("Tomas Berg [Dock Co]", "Tomas Berg"),
        ("Tomas Berg / Dock Co", "Tomas Berg"),
        ("Ruth Amsel", "Ruth Amsel"),
        ("Speaker 1", "Speaker 1"),
        ("Anne-Marie Holt", "Anne-Marie Holt"),
    ],
)
def test_a_speaker_is_named_without_company_role_or_degree(shown: str, name: str) -> None:
    assert spoken_name(shown) == name


def test_captions_give_the_names_of_speakers(tmp_path: Path) -> None:
    first = "00:01.000 --> 00:04.000\n<v Berg, Tomas (EXT)>We hire a diver.</v>"
    text = f"WEBVTT\n\n{first}\n\n00:05.000 --> 00:09.000\n<v Ruth Amsel | Pier Ltd>Good.</v>\n"
    (memory,) = memories(put(tmp_path, "a.vtt", text))
    assert memory.participants == ("Tomas Berg", "Ruth Amsel")
    assert "Tomas Berg: We hire a diver." in memory.content


def test_blocks_of_slack_that_say_more_than_the_text_are_kept(tmp_path: Path) -> None:
    blocks = [
        {
            "type": "section",
            "text": {"type": "mrkdwn", "text": "Vote: slipway"},
            "fields": [{"type": "mrkdwn", "text": "Cost: 9"}],
        },
        {"type": "header", "text": {"type": "plain_text", "text": "New poll"}},
    ]
    repeated = [
        {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_section",
                    "elements": [
                        {"type": "text", "text": "Paint the "},
                        {"type": "emoji", "name": "door"},
                        {"type": "link", "url": "https://a.example"},
                    ],
                }
            ],
        }
    ]
    messages = [
        {"type": "message", "user": "U1", "ts": "1773300000.0001", "text": "A vote", "blocks": blocks},
        {
            "type": "message",
            "user": "U1",
            "ts": "1773300001.0001",
            "text": "Paint the :door: <https://a.example>",
            "blocks": repeated,
        },
    ]
    lists = {"users.json": [{"id": "U1", "name": "ruth"}], "channels.json": [{"id": "C1", "name": "yard"}]}
    found = turns(packed(tmp_path, "slack.zip", {**lists, "yard/2026-03-12.json": messages}))
    assert [turn[-1] for turn in found] == [
        "A vote\nVote: slipway\nCost: 9\nNew poll",
        "Paint the :door: https://a.example",
    ]


@pytest.mark.parametrize(
    "saved",
    [
        {
            "metadata": {"title": "Rope"},
            "messages": [{"role": "Prompt", "say": "Which rope?"}, {"role": "Response", "say": "Hemp."}],
        },
        {
            "title": "Rope",
            "messages": [
                {"role": "user", "content": "Which rope?"},
                {"role": "assistant", "content": [{"type": "text", "text": "Hemp."}]},
            ],
        },
        [
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": "Which rope?"},
            {"role": "assistant", "content": "Hemp."},
        ],
    ],
)
def test_a_conversation_saved_as_a_list_of_messages_is_read(tmp_path: Path, saved: object) -> None:
    path = put(tmp_path, "Rope.json", saved)
    assert format_of(path) == "chatgpt"
    found = memories(path)
    assert [(memory.role, memory.content) for memory in found] == [("user", "Which rope?"), ("assistant", "Hemp.")]
    assert {(memory.metadata or {})["conversation_title"] for memory in found} == {"Rope"}


@pytest.mark.parametrize(
    "other", ['{"messages": [{"role": "admin", "content": "x"}]}', '[{"role": "viewer", "text": "x"}]', '{"users": []}']
)
def test_other_lists_of_json_are_no_conversations(tmp_path: Path, other: str) -> None:
    assert not supported(put(tmp_path, "a.json", other))


def test_a_table_of_text_named_after_excel_is_read_as_one(tmp_path: Path) -> None:
    """As programs on the web export tables, in the encodings that they use."""
    table = "Task\tOwner\nOrder planks\tZoë\n"
    for name, data in (
        ("a.xls", table.encode()),
        ("b.xls", table.encode("utf-16")),
        ("c.xlsx", table.replace("\t", ",").encode()),
    ):
        (memory,) = memories(put(tmp_path, name, data))
        assert memory.content == "Task: Order planks; Owner: Zoë"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("mail.pst", "export it to mbox, as `readpst"), ("mail.ost", "export it to mbox"),
        ("a.doc", "save it as .docx"), ("a.pages", "save it as .docx"), ("a.numbers", "save it as .xlsx"),
        ("a.txt.gz", "unpack it"), ("a.mobi", "convert it to .epub"), ("a.gdoc", "download the document"),
    ],
)  # fmt: skip
def test_a_file_of_a_known_program_is_passed_over_with_what_to_do(tmp_path: Path, name: str, advice: str) -> None:
    """Where it is named, and where it lies in a folder."""
    path = put(tmp_path, name, b"\x01\x02\x00" * 99)
    with pytest.raises(InvalidInput, match=re.escape(advice)):
        memories(path)
    (reason,) = walk([tmp_path]).passed_over.values()
    assert advice in reason


@pytest.mark.parametrize("year", ["0000", "9999"])
def test_a_day_at_the_ends_of_the_calendar_costs_no_text(tmp_path: Path, year: str) -> None:
    """It is a date where it exists, in every zone, and none elsewhere."""
    pdf = made_files.pdf(["We open."], created=f"D:{year}1231235959-12'00'")
    assert [memory.date for memory in memories(put(tmp_path, "a.pdf", pdf))] == [None]
    chat = f"[31/12/{year}, 23:59:59] Ann: We open.\n[31/12/{year}, 23:59:59] Ben: Fine.\n"
    dates = [memory.date for memory in memories(put(tmp_path, "_chat.txt", chat))]
    assert dates == [None if year == "0000" else "9999-12-31"] * 2
    task = f"BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:2\nDUE:{year}1231\nSUMMARY:Paint\nEND:VTODO\nEND:VCALENDAR\n"
    assert [memory.title for memory in memories(put(tmp_path, "a.ics", task))] == ["Paint"]
