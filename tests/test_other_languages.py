"""Finding in other languages than English: by words alone, in what is written in any script."""

from collections import Counter
from dataclasses import replace

import pytest

from core.interface.learning import AnnotatedMemory, GivenEvent, LearnRequest
from core.interface.ledger import CommitmentsQuestion, DecisionsQuestion
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


UNREAD = "since in another language than English: "
GERMAN = "Wir haben beschlossen, das Bootshaus im April neu zu decken. Ines holt bis Freitag zwei Angebote ein."
SHORT = "Der Vorstand kauft zwei neue Ruderboote für den Verein."
SPANISH = "El comité decidió cerrar el taller en agosto, y Marta enviará el plan a todos antes del viernes."


@pytest.mark.both_engines
def test_a_receipt_says_that_the_sentences_of_a_text_are_not_read(app: App) -> None:
    """By itself and of several, waiting or not, for short texts, again for a duplicate, and as `status` counts."""
    first = app.remember(Memory(content=GERMAN))
    waited = app.remember(Memory(content=SHORT, context="note"), wait=True)
    several = app.remember_many(
        [Memory(content=SPANISH), Memory(content="Ben decided to paint the shed."), Memory(content=GERMAN)]
    )

    assert f"{UNREAD}1 de. Give their other decisions and promises with `learn`" in (first.hint or "")
    assert f"{UNREAD}1 de." in (waited.hint or "")
    assert f"{UNREAD}1 de, 1 es." in (several.hint or "")
    app.worker.drain()
    assert app.store.unread_languages("default") == {"de": 2, "es": 1}
    assert app.remember(Memory(content="We decided to paint the shed in May.")).hint is None


@pytest.mark.both_engines
def test_a_receipt_calls_nothing_unread_that_was_read(app: App) -> None:
    """Not what is given with its events, is learnt later, or is read by an extractor of any language."""
    event = GivenEvent(category="Decision", quote="das Bootshaus im April neu zu decken")
    given = app.remember(AnnotatedMemory(content=GERMAN, events=(event,)))
    app.remember(Memory(content=SPANISH))
    learnt = app.remember(Memory(content=SPANISH))
    app.learn(LearnRequest(id=learnt.id, events=(GivenEvent(category="Decision", quote="cerrar el taller"),)))
    again = app.remember(Memory(content=SPANISH))
    app.intake = replace(app.intake, reads_english_alone=False)
    other = app.remember(Memory(content=SHORT))

    assert UNREAD in (learnt.hint or "")
    assert [UNREAD in (one.hint or "") for one in (given, again, other)] == [False, False, False]


@pytest.mark.both_engines
def test_answers_from_the_ledger_say_what_is_unread(app: App) -> None:
    """For decisions, promises, owners and what is open, however many results there are; for nothing else."""
    app.remember(Memory(content=GERMAN), wait=True)
    app.remember(Memory(content="We decided to paint the shed in May. Ana will send the offer to Bo."), wait=True)
    ledger = (
        "what did we decide about the shed",
        "who will send the offer",
        "what is still open",
        "decisions on kites",
    )
    hints = {query: app.recall(Question(query=query)).hint or "" for query in (*ledger, "shed", "Bootshaus")}

    assert [f"{UNREAD}1 de." in hint for hint in hints.values()] == [True] * len(ledger) + [False, False]
    assert UNREAD not in (app.recall(Question(query=ledger[0]), "other").hint or "")
    lists = app.commitments(CommitmentsQuestion()), app.decisions(DecisionsQuestion())
    assert all(f"{UNREAD}1 de." in (listed.hint or "") for listed in lists)
    assert UNREAD not in (app.decisions(DecisionsQuestion(offset=1)).hint or "")


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


def forget_languages() -> None:
    """Have the languages of all texts told anew."""
    languages.language_terms.cache_clear()
    languages._language_of.cache_clear()


@pytest.mark.both_engines
def test_an_index_that_took_texts_for_other_languages_goes_on_working(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one does that another model made: its items are found, and nothing stays of what is forgotten."""
    with monkeypatch.context() as patched:
        patched.setattr(languages, "_guess", lambda text: ("it", 1.0))
        forget_languages()
        ids = {name: app.remember(Memory(content=NOTES[name], context="note")).id for name in ("bills", "hall", "boat")}
    forget_languages()
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
