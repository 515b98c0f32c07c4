"""In which language a text is written."""

import pytest

from ingest.document.text_kind import detect_language


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("We decided to close the depot in March. Ben will send the plan by Friday.", "en"),
        ("Wir haben beschlossen, das Lager im März zu schließen. Ben schickt den Plan bis Freitag.", "de"),
        ("Nous avons décidé de fermer le dépôt en mars. Ben enverra le plan vendredi.", "fr"),
        ("会議で三月に倉庫を閉めることに決めた。", "ja"),
    ],
)
def test_a_few_sentences_are_enough(text: str, code: str) -> None:
    """Of languages with letters in common, and of others."""
    assert detect_language(" ".join([text] * 5)) == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "12 34 55 66",
        "- [ ] Ana: fix login",
        "def f(x):\n    return x + 1",
        "Łucja Żółkiewska must repaint the pier.",
    ],
)
def test_what_might_be_any_language_is_none(text: str) -> None:
    """Such a text is read as English."""
    assert detect_language(text) in (None, "en")
