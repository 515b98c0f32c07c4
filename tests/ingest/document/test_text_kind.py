"""What kind of text it is, where nobody says it, is told from lines that hardly anything else has."""

import pytest

from ingest.document.text_kind import detect_context
from tests.own_time import own_time

TOLD = {
    "chat": [
        "mei: did anyone hear from the harbour?\nraj: not yet. i'll call them tomorrow\nmei: thanks",
        "[09:12] <ana> is the crane up?\n[09:13] <bo> no\n[09:15] <ana> ok, i come over\n[09:15] <bo> thanks",
        "Ana, 09:12: is the crane up\nBo, 09:13: no\nAna, 09:15: ok i come over\nBo, 09:16: thanks",
    ],
    "transcript": [
        "Ana Osei: Shall we begin?\n\nBo Park: The crane is late.\n\nAna Osei: I will ask why.\n\nBo Park: Please.",
        "**Ana:** Who was at the quay?\n**Bo:** I was.\n**Ana:** And what did you see?\n**Bo:** Two boats.",
    ],
    "email": [
        "From: Ana Osei <ana@example.org>\nTo: Bo\nSubject: Berth\n\nBo,\n\nthe berth is ready.\n\nAna",
        "Von: Ana Osei\nGesendet: Dienstag, 10. Februar 2026\nBetreff: Liegeplatz\n\nDer Platz ist frei.",
    ],
    "meeting": [
        "# Harbour meeting 2026-02-10\n\nPresent: Ana, Bo\n\nThe crane was discussed.",
        "# Weekly, 10 February\n\n## Attendees\n\n* Ana\n* Bo\n\n## Agenda\n\n1. Crane",
        "# Berth retro\n\n- it rained\n\n## Action items\n\n- Ana orders a roof",
    ],
    "note": [
        "# Trip\n\n- [ ] rope\n- [x] lamp\n- [ ] bread",
        "TODO\n\n- order the rope\n- paint the crane\n- call Ana",
        "# Thursday, 26 February 2026\n\nI slept badly and walked to the quay.\n\nMy boat needs paint.",
    ],
}
NOT_TOLD = [
    "The crane is late. Ana asks why.\n\nBo will see to it.",
    "name: crane\nkind: tower\nowner: Ana\nname: lift\nkind: goods\nowner: Bo",
    "INFO: started the crane\nERROR: the rope is gone, sorry\nINFO: stopped, please look\nERROR: no rope?",
    "Q: Can I moor here?\nA: Yes, you can.\nQ: And my dog?\nA: It may stay with you.",
    "Berth: where a boat lies.\nQuay: what it lies at.\nMole: what you walk on.",
    "# 7. Use steel ropes\n\nDate: 2026-02-10\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use steel ropes.",
    "From: the quay\nwe walked on.",
    "# Ropes\n\n- steel\n- hemp\n- nylon",
    "# 2026-02-10\n\nThe crane was set up.\n\nThe rope was changed.",
    "",
]


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in TOLD.items() for text in texts])
def test_the_lines_of_a_text_tell_its_kind(kind: str, text: str) -> None:
    """Issue 23: a chat with speakers in small letters was kept as a document, and was one promise of three messages."""
    assert detect_context(text) == kind
    assert detect_context(text.replace("\n", "\r\n")) == kind


@pytest.mark.parametrize("text", NOT_TOLD)
def test_what_is_in_doubt_is_of_no_kind(text: str) -> None:
    """Fields, logs, questions with answers, glossaries; a record of a decision is not made a rule by its own text."""
    assert detect_context(text) is None


@pytest.mark.parametrize("piece", ["a\n", "Ann:\n", "- a: \n", "10:02\n", "[", "10:02 Ann ", "1/", "From: ", "@a "])
def test_long_hostile_lines_take_no_time(piece: str) -> None:
    """Only the beginning of a text is looked at, and each of its lines a bounded number of times."""
    assert own_time(lambda: detect_context(piece * (1_000_000 // len(piece)), piece * 1_000)) < 2
