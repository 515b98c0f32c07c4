"""What texts in ten other languages say by their structure: the written cases of the evaluation."""

from pathlib import Path

import pytest
import yaml

from evals.languages_structure import CASES, misses
from ingest.extract.local.extractor import LocalExtractor
from tests.ingest.extracting import artifact_of

_READ = yaml.safe_load(Path(CASES).read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", sorted(_READ))
def test_nearly_all_cases_of_a_language_are_right(language: str) -> None:
    """Dates, tasks, headings, people and mail headers."""
    wrong = [found for case in _READ[language] if (found := list(misses(case)))]
    assert len(wrong) <= 0.05 * len(_READ[language]), wrong


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wir haben gestern lange über das neue Dach geredet.", "de"),
        ("Nous avons parlé hier du nouveau toit.", "fr"),
        ("昨天我们谈了新屋顶。", "zh"),
        ("Вчера мы долго говорили о новой крыше.", "ru"),
        ("昨日は新しい屋根について話しました。", "ja"),
        ("We spoke about the new roof yesterday.", None),
        ("Buy milk, oats, coffee", None),
        ("Łucja Żółkiewska must repaint the pier.", None),
    ],
)
def test_a_short_text_says_in_which_language_it_was_not_read(text: str, language: str | None) -> None:
    assert LocalExtractor().extract(artifact_of(text, context="note")).unread_language == language


@pytest.mark.parametrize(
    "text",
    [
        "## Beschlüsse\n\n- Die Entscheidung über das Tor wird vertagt.\n- Keine\n- Soll das Tor grün werden?\n",
        "## Décisions\n\n- Reporté à la prochaine réunion du bureau\n- Aucune\n",
        "## 決定事項\n\n- 門の色については継続審議とする。\n- 特になし\n",
    ],
)
def test_what_is_put_off_asked_or_left_empty_below_a_heading_is_no_decision(text: str) -> None:
    assert not LocalExtractor().extract(artifact_of(text, context="meeting")).events
