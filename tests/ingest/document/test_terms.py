"""Words that give texts of other languages their structure, wherever texts are told by it."""

import pytest

from ingest.document.text_kind import detect_context
from ingest.readers.formats.mail_formats import saved_headers
from ingest.readers.front_matter import front_matter, note_fields


@pytest.mark.parametrize(
    "text",
    [
        "# Protokoll der Hafenrunde\n\nAnwesend: Ines Falk, Tomas Berg\n\n## Beschlüsse\n\n- Die Pumpe wird ersetzt.\n",
        "# Compte rendu\n\nPrésents : Luc Morel, Nadia Petit\n\nOn a parlé du toit.\n",
        "# 会议纪要\n\n参会人员：王小明、李华\n\n讨论了水泵。\n",
        "Notulen\n\nAanwezig: Daan Vos, Lotte Kuiper\n\nActiepunten\n\n- Deur verven\n",
    ],
)
def test_minutes_are_told_by_their_fields_and_headings(text: str) -> None:
    assert detect_context(text) == "meeting"


@pytest.mark.parametrize(
    "head",
    [
        "Von: Ines Falk <ines@hafen.example>\nGesendet: 4. Februar 2026 18:12\nAn: Tomas Berg\nBetreff: Pumpe\n",
        "De : Luc Morel <luc@x.example>\nEnvoyé : mercredi 4 février 2026 18:12\nÀ : Nadia Petit\nObjet : toit\n",
        "发件人: 张丽 <z@x.example>\n发送时间: 2026年2月3日 9:12\n收件人: 李强\n主题: 海报\n",
        "差出人: 山田花子 <y@x.example>\n送信日時: 2026年2月3日 9:12\n宛先: 鈴木一郎\n件名: ポスター\n",
    ],
)
def test_mails_are_told_by_their_headers(head: str) -> None:
    text = f"{head}\nBis morgen.\n"
    assert detect_context(text) == "email"
    found = saved_headers(text)
    assert found is not None
    assert found[0].keys() >= {"From", "Date", "To", "Subject"}


def test_fields_above_a_note_are_read_in_other_languages() -> None:
    text = "---\nTitel: Pumpe\nDatum: 12. März 2026\nTeilnehmer: [Ines Falk, Tomas Berg]\nAutor: Ines Falk\n---\nA.\n"
    fields = note_fields(front_matter(text))
    assert (fields["title"], fields["date"], fields["author"]) == ("Pumpe", "2026-03-12", "Ines Falk")
    assert fields["participants"] == ["Ines Falk", "Tomas Berg"]
