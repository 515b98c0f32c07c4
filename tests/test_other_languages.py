"""Finding in other languages than English: by words alone, in what is written in any script."""

from collections import Counter

import pytest

from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from core.interface.question import Question
from graph.text import languages, term_vectors
from service.app import App
from service.commands.doctor import _check_languages, _Report

NOTES = {
    "cat": "小猫对青霉素过敏，看兽医时要说明。",
    "train": "火车票放在抽屉里，明天早上记得带上。",
    "key": "駐輪場の鍵は管理人室の引き出しにあります。",
    "camera": "ｶﾒﾗは書斎の棚の上に置いてあります。",
    "picnic": "Bring 🧺 and the ☕ flask.",
    "bills": "Die Rechnungen der Heizung liegen im Schrank neben den Verträgen mit der Genossenschaft.",
    "hall": "Die Schlüssel der Halle hängen beim Hausmeister, und das Licht wird um zehn gelöscht.",
    "boat": "Ключи от лодочного сарая лежат у сторожа, а зелёная лодка стоит на берегу.",
    "club": "Собрание клуба перенесли на вторник, потому что зал занят.",
    "homework": "يَكْتُبُ الطالبُ الواجباتِ في الدفتر الأزرق كل مساء",
    "store": "Τα κλειδιά της αποθήκης είναι στο συρτάρι του γραφείου",
    "meeting": "ห้องประชุมใหญ่อยู่ชั้นสองข้างบันได",
    "garden": "ดอกกุหลาบในสวนต้องรดน้ำทุกเช้า",
    "table": "मेज़ पर चाबियाँ रखी हैं और किताबें अलमारी में हैं",
    "kiln": "The label on the oven says ＫＩＬＮ ７.",
}


@pytest.mark.both_engines
def test_a_word_of_any_language_finds_its_note_first(app: App) -> None:
    """One sign, another form of a word, without accents, in another width or kana."""
    stored = {app.remember(Memory(content=text, context="note")).id: name for name, text in NOTES.items()}
    asked = {
        "猫": "cat", "青霉素": "cat", "火车": "train", "鍵": "key", "かめら": "camera", "カメラ": "camera",
        "🧺": "picnic", "☕": "picnic", "Rechnung": "bills", "wo liegt die Rechnung der Heizung": "bills",
        "Vertrag mit der Genossenschaft": "bills", "schlussel": "hall", "ключ": "boat", "зеленая": "boat",
        "о собраниях клубов": "club", "واجب": "homework", "κλειδί": "store", "αποθηκη": "store",
        "ประชุม": "meeting", "กุหลาบ": "garden", "चाबियाँ": "table", "किताब": "table", "KILN 7": "kiln",
        "ＫＩＬＮ": "kiln",
    }  # fmt: skip
    found = {query: app.recall(Question(query=query, limit=1, expand=False)).results for query in asked}

    assert {query: stored[some[0].id] if some else None for query, some in found.items()} == asked


@pytest.mark.both_engines
def test_an_index_without_further_words_goes_on_working(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its items are found as written, and can be removed; `reindex --what keywords` brings the rest."""
    with monkeypatch.context() as patched:
        patched.setattr(term_vectors, "language_terms", lambda text: Counter[str]())
        ids = {name: app.remember(Memory(content=NOTES[name], context="note")).id for name in ("bills", "boat", "cat")}
    app.remember(Memory(content=NOTES["hall"], context="note"))
    words = app.store.search("default", ["Rechnungen"], Question(query="Rechnungen").filters(), 5)
    app.forget(ForgetRequest(id=ids["boat"], confirm=True))
    issues = {one.what for one in app.store.integrity_issues() if one.part == "words"}

    assert [hit.artifact_id for hit in words] == [ids["bills"]]
    assert "chunks have other terms than their text" in issues
    assert app.store.rebuild() == 3
    assert app.store.integrity_issues() == []
    assert app.recall(Question(query="Rechnung", limit=1)).results[0].id == ids["bills"]
    assert not app.store.search("default", ["~ключ"], Question(query="ключ").filters(), 5)


@pytest.mark.both_engines
def test_an_index_that_took_texts_for_other_languages_goes_on_working(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one does that another model made: its items are found, and nothing stays of what is forgotten."""
    with monkeypatch.context() as patched:
        patched.setattr(languages, "_guess", lambda text: ("it", 1.0))
        languages.language_terms.cache_clear()
        ids = {name: app.remember(Memory(content=NOTES[name], context="note")).id for name in ("bills", "hall", "boat")}
    languages.language_terms.cache_clear()
    app.forget(ForgetRequest(id=ids["hall"], confirm=True))
    issues = {one.what for one in app.store.integrity_issues() if one.part == "words"}

    assert app.recall(Question(query="Rechnungen der Heizung", limit=1)).results[0].id == ids["bills"]
    assert "full-text indexes do not hold what they index" not in issues
    assert "chunks have other terms than their text" in issues
    assert app.store.rebuild() == 2
    assert app.store.integrity_issues() == []
    assert app.recall(Question(query="Rechnung", limit=1)).results[0].id == ids["bills"]


def test_doctor_suggests_the_multilingual_embedder_where_much_is_in_another_language(
    app: App, capsys: pytest.CaptureFixture[str]
) -> None:
    """By project; a few texts, or a few words in another script, are not much."""
    report = _Report(as_json=False)
    for number in range(20):
        app.remember(Memory(content=f"The mill report {number} was read and they agreed.", context="note"), "english")
        app.remember(Memory(content=f"{NOTES['bills']} Das war Nummer {number}.", context="note"), "german")
    app.remember(Memory(content=NOTES["boat"], context="note"), "small")
    _check_languages(app, report)
    report.end()
    told = capsys.readouterr().out

    assert "Many of the 20 chunks in 'german' are not in English (de 20)" in told
    assert "'english'" not in told
    assert "'small'" not in told


STRANGE = {
    "nine languages": "Eins zwei. Un deux. Uno dos. Один два. 一二三。いちに。واحد اثنان. एक दो. หนึ่งสอง.",
    "wrong labels": "Von: \nAttendees: 你好\nBetreff: :\n## Beschlüsse\n\n-\n- ?\n- [ ] : \n- [ ] ：bis",
    "transliteration": "Privet, plan prishlyu do pyatnitsy, uvidimsya v masterskoy.",
    "emoji alone": "😀🎉",
    "no blank": "水" * 100_000,
}


@pytest.mark.both_engines
def test_what_is_hardly_a_text_is_kept_word_for_word_and_nothing_is_read_into_it(app: App) -> None:
    """Many languages in one text, labels without words, another script, signs alone, no blanks."""
    ids = {name: app.remember(Memory(content=text, context="note")).id for name, text in STRANGE.items()}
    app.worker.drain()

    for name, id_ in ids.items():
        (found,) = app.recall(Question(id=id_, expand=False)).results
        assert STRANGE[name].startswith(found.content), name  # what is long is shown in parts
        assert not found.events, name
    for word, name in {"masterskoy": "transliteration", "🎉": "emoji alone", "два": "nine languages"}.items():
        assert app.recall(Question(query=word, limit=1, expand=False)).results[0].id == ids[name]
