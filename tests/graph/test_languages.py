"""By which further words texts in other languages than English are found, and questions put to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.text.languages import LANGUAGE_TERMS, fold, language_terms, question_forms, question_language

GERMAN = "Die Rechnungen liegen im Schrank, und der Termin mit dem Zahnarzt wurde auf Montag verschoben."


@pytest.mark.parametrize(
    ("text", "asked", "languages"),
    [
        (GERMAN, "Rechnung", {"de"}),
        ("Les factures de la chaudière sont dans le classeur bleu du couloir, avec les garanties.", "facture", {"fr"}),
        ("Las reuniones del comité se celebran cada martes en la biblioteca del barrio viejo.", "reunión", {"es"}),
        ("Ключи от лодочного сарая лежат у сторожа в верхнем ящике стола.", "ключ", {"ru"}),
        ("Зелёная папка стоит на полке", "зеленая", {"ru"}),
        ("يَكْتُبُ الطالبُ الواجباتِ في الدفتر", "واجب", {"ar"}),
        ("Τα κλειδιά της αποθήκης είναι στο συρτάρι", "κλειδί", {"el"}),
        ("मेज़ पर चाबियाँ रखी हैं", "चाबियाँ", {"hi"}),
        ("小猫对青霉素过敏，看兽医时要说明。", "青霉", {"zh"}),
        ("駐輪場の鍵は管理人室にあります。", "鍵は", {"ja"}),
        ("カメラは棚の上です。", "かめら", {"ja"}),
        ("ｶﾒﾗは棚の上です。", "カメラ", {"ja"}),
        ("ห้องประชุมอยู่ชั้นสอง", "ประชุม", {"th"}),
        ("បន្ទប់ប្រជុំនៅជាន់ទីពីរ", "ប្រជុំ", {"km"}),
        ("열쇠는 서랍에 있습니다", "열쇠", {"ko"}),
        ("The label says ＫＩＬＮ ７.", "KILN", {"xx"}),
        ("שָׁלוֹם לכולם", "שלום", {"xx"}),
        ("İstanbul'daki depoların anahtarları kasada duruyor, yedekleri ise bekçide bulunuyor.", "depolar", {"tr"}),
        ("Bring 🧺 and the ☕ flask.", "🧺", set()),
    ],
)
def test_a_word_finds_other_forms_of_itself(text: str, asked: str, languages: set[str]) -> None:
    """Inflected, in another width or kana, with marks or without, in part of a run without blanks."""
    forms = question_forms(asked, languages)
    assert forms
    assert set(forms) <= set(language_terms(text))


@pytest.mark.parametrize(
    "text",
    [
        "We decided to close the depot in March, and Ben will send the plan by Friday.",
        "We met at the café in Malmö – “the blue one” – and decided.",
        "ops-1203: HttpServerError in /srv/app.log",
        "Buy milk",
        "",
    ],
)
def test_english_text_has_no_further_words(text: str) -> None:
    """Nor have accents and typographic signs in it: what it is found by stays what it was."""
    assert not language_terms(text)


def test_each_paragraph_is_read_in_its_own_language() -> None:
    """A note may begin in English and go on in German, with a line in Chinese."""
    found = language_terms(f"The minutes follow, with what they decided.\n\n{GERMAN}\n\n小猫对青霉素过敏")
    assert {"~rechnung", "~termin", "~青霉", "@de", "@zh"} <= set(found)
    assert "~minut" not in found


@given(text=st.text(max_size=200), word=st.text(min_size=1, max_size=20))
def test_any_text_is_read(text: str, word: str) -> None:
    """Whatever is in it, and the same again; a word of a question is looked up in any language."""
    assert language_terms(text) == language_terms(text)
    assert {one for one in language_terms(text) if one.startswith("@")} <= set(LANGUAGE_TERMS)
    question_forms(word, {one[1:] for one in LANGUAGE_TERMS})
    assert fold(fold(word)) == fold(word)


@pytest.mark.parametrize(
    ("query", "languages", "language"),
    [
        ("Wo liegt die Rechnung für den Zahnarzt?", {"de", "fr"}, "de"),
        ("Где лежат ключи от лодочного сарая?", set(), "ru"),
        ("鍵", set(), "zh"),
        ("Where are the keys to the boathouse?", {"de", "ru"}, None),
        ("Wo liegt die Rechnung?", set(), None),
        ("", {"de"}, None),
    ],
)
def test_the_language_of_a_question(query: str, languages: set[str], language: str | None) -> None:
    """By its script, or by its words where the memory has texts in other languages than English."""
    assert question_language(query, languages) == language
