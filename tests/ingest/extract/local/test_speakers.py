"""Whose words a line are, as chat programs and minutes write it."""

from datetime import date

import pytest

from ingest.document.structure import form_of, passages, speaker_labels
from tests.ingest.extracting import extract, names


def spoken(content: str, context: str) -> list[tuple[str | None, str]]:
    form = form_of(content, context)
    labels = speaker_labels(content, context, frozenset(), form)
    read = passages(content, title="", labels=labels, context=context, written=date(2026, 5, 12), form=form)
    return [(each.speaker, content[each.words : each.end]) for each in read if each.kind == "prose"]


@pytest.mark.parametrize(
    ("content", "context", "said"),
    [
        (
            "**nils** 10:01 the pump is back\n**gus** 10:35 will take out the filter\n",
            "chat",
            [("nils", "the pump is back"), ("gus", "will take out the filter")],
        ),
        (
            "[10:10] Prof. Iversen: the grant is in.\n[10:12] Lim Wei: good news.\n",
            "chat",
            [("Prof. Iversen", "the grant is in."), ("Lim Wei", "good news.")],
        ),
        (
            "[Thu 09:14] Nettle: The bike in the stand, whose is it?\n[Thu 09:15] Baptiste L.: Mr Yoo's.\n",
            "chat",
            [("Nettle", "The bike in the stand, whose is it?"), ("Baptiste L.", "Mr Yoo's.")],
        ),
        (
            "mei: is the pump back?\nraj: not yet.\nmei: thanks.\n",
            "chat",
            [("mei", "is the pump back?"), ("raj", "not yet."), ("mei", "thanks.")],
        ),
        (
            "12 March, 09:14 - zora: the key is gone\n12 March, 09:20 - Pell: I have it\n",
            "chat",
            [("zora", "the key is gone"), ("Pell", "I have it")],
        ),
        (
            "CHAIR: We move to item two.\nMS OKAFOR: I will tell the press.\n",
            "meeting",
            [("?", "We move to item two."), ("MS OKAFOR", "I will tell the press.")],
        ),
        (
            "MODERATOR: We begin.\nDana Fox: Fine.\nMODERATOR: We end.\n",
            "transcript",
            [("MODERATOR", "We begin."), ("Dana Fox", "Fine."), ("MODERATOR", "We end.")],
        ),
    ],
)
def test_each_line_belongs_to_its_speaker(content: str, context: str, said: list[tuple[str | None, str]]) -> None:
    """Small letters, stamps, titles and offices name speakers too."""
    assert spoken(content, context) == said


@pytest.mark.parametrize(
    "line", ["Chair: Maria Lopez", "Chair: Maria Lopez, head of the board", "Moderator: Dan (notes)"]
)
def test_who_holds_an_office_is_not_what_the_office_says(line: str) -> None:
    """The head of minutes names people."""
    assert spoken(f"{line}\n", "meeting") == []


#: A talk of three people, who all speak more than once; one goes by a handle, one by a word in small letters.
TALK = [
    ("Nora Quist", "the kiln is cold"),
    ("des", "I will call the fitter"),
    ("hal.o", "does anybody have the key?"),
    ("des", "ask Nora"),
    ("Nora Quist", "it hangs on the door"),
    ("hal.o", "thanks, found it"),
]


@pytest.mark.parametrize(
    "line",
    [
        "2026-05-12 09:0{at} | {name} | {words}",
        "09:0{at} - {name} - {words}",
        '09:0{at},{name},"{words}"',
        "09:0{at}\t{name}\t{words}",
        "09:0{at} **{name}** {words}",
        "**{name}** [09:0{at}] {words}",
        "09:0{at} [{name}] {words}",
        "09:0{at}:11 From {name} to Everyone: {words}",
        "{name}, 09:0{at}: {words}",
        "{name} (2026-05-12, 09:0{at}): {words}",
        "- {name}: {words}",
        "> {name}: {words}",
        "{name} > {words}",
        "{name} — {words}",
        "**{name}** {words}",
        "_{name}_: {words}",
        "[{name}] {words}",
        "{name}\n9:0{at} AM\n{words}\n",
        "[12/05/2026 09:0{at}] {name}\n{words}\n",
        "### {name}\n{words}\n",
        "**{name} (09:0{at})**\n{words}\n",
    ],
)
def test_a_log_is_read_in_the_form_that_its_lines_share(line: str) -> None:
    """Programs export talks in many forms: one document has one."""
    content = "\n".join(line.format(at=at, name=name, words=words) for at, (name, words) in enumerate(TALK))

    said = [(who, " ".join(words.strip(' "').split())) for who, words in spoken(content, "chat")]

    assert said == TALK


@pytest.mark.parametrize(
    "content",
    [
        "Pros - it is cheap.\nCons - it is slow.\nCost - nobody knows.\nTime - two weeks.\nRisk - some.\n",
        "We met at nine. Nobody had slept.\n\nThe roof leaks. It rained in.\n\nThe roof leaks. It is old.\n\nTea.\n",
        "09:10 The pump stopped - nobody was there.\n09:20 It ran again.\n09:40 The valve held.\n10:00 All quiet.\n",
        "- Buy: two saws\n- Buy: a plane\n- Sell: the lathe\n- Ask: the owner\n- Buy: nails\n",
    ],
)
def test_what_is_no_talk_has_no_speakers(content: str) -> None:
    """Lines may look alike and be lists or sentences."""
    assert [who for who, _ in spoken(content, "chat") if who is not None] == []


@pytest.mark.parametrize(
    "line",
    [
        "00:04:{0}\t{1}Mill Works:\t{2}",
        "[10:{0}] {1}Mill Works: {2}",
        "{1}Mill Works: {2}",
        "**{1}Mill Works:** {2}",
        "{1}Mill Works  0:{0}\n{2}\n",
        "10:02:{0} From {1}Mill Works to Everyone: {2}",
    ],
)
@pytest.mark.parametrize("sign", ["Bo Lund | ", "Bo Lund - ", "Bo Lund @ ", "Bo Lund (he/him) | "])
def test_what_stands_behind_a_name_is_no_speaker(line: str, sign: str) -> None:
    """Programs of meetings show the company there; it promises nothing."""
    said = ["I will send the crane report by Friday.", "Thanks for that.", "We decided to keep the crane.", "Good."]
    content = "\n".join(
        line.format(10 + at, sign if at % 2 == 0 else "Ana Silva | ", words) for at, words in enumerate(said)
    )
    found = extract(content, context="transcript", date="2026-04-02")
    promise, *_ = [event for event in found.events if event.category == "Commitment"]
    assert promise.actors == (("Bo Lund", "owner"),)
    assert names(found, "person") == {"Bo Lund", "Ana Silva"}


@pytest.mark.parametrize("name", ["Bo Lund | Mill", "Bo Lund [Mill]", "Bo Lund (he/him) - Mill", "Bo Lund · Mill"])
def test_an_author_is_called_without_what_a_program_shows_behind_the_name(name: str) -> None:
    found = extract("I will send the crane report by Friday.", context="chat", author=name, date="2026-04-02")
    assert names(found, "person") == {"Bo Lund"}


def test_handles_in_small_letters_that_talk_in_a_list_are_people() -> None:
    """Minutes of developers; words that a list explains are none."""
    content = (
        "# Call\n\nDiscussion:\n\n* bo: is the lamp safe?\n* ana_s: yes, it is.\n\nConclusion:\n\n"
        "* bo: I will reply on the ticket by Friday.\n* cem7: accepted.\n"
    )
    found = extract(content, date="2026-04-02")
    (promise,) = [event for event in found.events if event.category == "Commitment"]
    assert promise.actors == (("bo", "owner"),)
    assert "bo" in names(found, "person")
    fields = "* host: the machine\n* port: which one?\n* owner: your name\n* port: again\n* path: to the file\n"
    assert names(extract(fields, date="2026-04-02"), "person") == set()
