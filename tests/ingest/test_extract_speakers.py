"""Whose words a line are, as chat programs and minutes write it."""

from datetime import date

import pytest

from ingest.extract.local.structure import passages, speaker_labels


def spoken(content: str, context: str) -> list[tuple[str | None, str]]:
    labels = speaker_labels(content, context, frozenset())
    read = passages(content, title="", labels=labels, context=context, written=date(2026, 5, 12))
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
