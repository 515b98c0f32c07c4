"""LocalExtractor: the order of steps from an artifact to its entities and events."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from core.knowledge.findings import Extraction, FoundEntity, FoundEvent, normalise_name
from core.records import Artifact
from core.regex import regex
from core.search import InnerEmbedder, Matrix
from ingest.document.condensed import condense, one_line
from ingest.document.lines import is_machine_made
from ingest.document.reference_prose import is_guide, is_record, is_reference, somebody_acts
from ingest.document.structure import (
    SPOKEN,
    Passage,
    form_of,
    is_current_record,
    passages,
    speaker_labels,
    titles,
    unsaid,
)
from ingest.document.text_kind import unread_language
from ingest.english.name_patterns import FLAT, without_will
from ingest.extract.local.acts import EXPLICIT, Act
from ingest.extract.local.entities.attendee_lists import (
    declare_people,
    end_of_list,
    listed_people,
    lists_people,
    speaker_of,
)
from ingest.extract.local.entities.names import Names
from ingest.extract.local.entities.organisations import join_bodies, scan_firms
from ingest.extract.local.entities.people import scan_people
from ingest.extract.local.entities.things import scan_things
from ingest.extract.local.event_reader import Reading, unemphasised
from ingest.extract.local.ledger_features import LISTED, LedgerWeights, Said, features, load_ledger_weights, settings
from ingest.extract.local.other_languages import read_structure
from ingest.extract.local.sentence_classifier import Statements, Weights
from ingest.extract.local.speech_acts import (
    find_acts,
    is_classifiable,
    is_not_asserted,
    marker_end,
    may_act,
    weigh_acts,
)
from ingest.intake.dating import add_text_date

#: Contexts in which @name is a person; elsewhere it is more often code.
_SOCIAL: Final = SPOKEN | {"email", "note", "task", "decision", "project"}
#: What of a title is read, in characters.
_LONGEST_TITLE: Final = 400
#: Contexts of texts that may be reference prose.
_PROSE: Final = frozenset({"document", "reference"})
_MAY_GUIDE: Final = _PROSE | {"meeting"}
#: An assistant that speaks of what it does in the conversation.
_OF_ITSELF: Final = regex(r"\b(?:I|I['’]\w+|let me|we|we['’]\w+)\b", re.I)
#: A decision that is marked as one is the conversation's, whoever writes it down.
_MARKED: Final = regex(r"\W*(?:decision|decided)\s*:", re.I)
#: Kinds of passages that are tasks in any language.
_BOXES: Final = frozenset({"task", "done"})


class LocalExtractor:
    """Finds events by judging sentences, people and things by form; needs no network.

    It judges each sentence in its setting with an embedder, which must be the one that its weights were fitted with;
    without one only structure speaks, and the plainest words of decisions.
    Time is linear in the content. It is made for English; other languages give the people and dates of its structure.
    """

    name = "local"

    def __init__(
        self,
        embedder: InnerEmbedder | None = None,
        weights: Weights | None = None,
        ledger: LedgerWeights | None = None,
    ) -> None:
        """Read by rules alone without an embedder, and judge by other weights than those that come with it if given."""
        self._statements = None if embedder is None else Statements(embedder, weights)
        self._ledger = ledger

    def extract(self, artifact: Artifact) -> Extraction:
        """Return what the content and the fields say; never raises for any text.

        Raises:
            Unavailable: the embedder's model can't be read.
        """
        short, title = condense(artifact.memory.content), artifact.memory.title
        memory = replace(artifact.memory, content=short.text, title=title and one_line(title, _LONGEST_TITLE))
        return short.placed(self._extract(replace(artifact, memory=memory)))

    def _extract(self, artifact: Artifact) -> Extraction:
        draft = make_draft(artifact)
        language = unread_language(artifact.memory.content)
        said = self._said(draft) if language is None else _structured(draft)
        author = speaker_of(artifact.memory)
        reading = Reading(artifact, draft.flat, draft.written, draft.names, author, is_foreign=language is not None)
        events = tuple(event for passage, done in said for event in reading.events(passage, done))
        unnamed = _unnamed_owners(draft.names, events) if language is None else []
        return Extraction((*draft.names.found(), *unnamed), events, unread_language=language)

    def _said(self, draft: "Draft") -> list[Said]:
        """Return what was said, and collect the names in it."""
        said = draft.said if self._statements is None else _judged(draft, self._statements, self._ledger)
        said = [(passage, _meant(draft, passage, done)) for passage, done in said]
        _name(draft, said)
        return _of_records(draft, said)


def _unnamed_owners(names: Names, events: Sequence[FoundEvent]) -> list[FoundEntity]:
    """Return the bodies that decided, and those who promised by initials or handle, that no passage names as such."""
    found: dict[str, FoundEntity] = {}
    for event in events:
        for name, role in event.actors:
            if role == "owner" and names.called(name) is None and event.category in LISTED:
                found.setdefault(name, FoundEntity(name, "org" if event.category == "Decision" else "person"))
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Draft:
    """What rules make of an artifact: its passages with what they do, and whom its fields and lists name.

    `flat` is the content with its line breaks made blanks, `written` when it was written, None where that isn't known.
    """

    artifact: Artifact
    flat: str
    written: datetime | None
    names: Names
    said: list[Said]

    def asked(self) -> list[int]:
        """Return the places of the passages that can be judged, which a title can't."""
        asked = [at for at, (passage, _) in enumerate(self.said) if is_classifiable(self.flat, passage)]
        if 0 in asked and titles(self.artifact.memory.content, self.said[0][0]):
            asked.remove(0)
        return asked

    def sentences(self, asked: Sequence[int]) -> tuple[list[str], Matrix]:
        """Return the words of these passages, and the row of each one's setting."""
        said = [self.said[at] for at in asked]
        texts = [without_will(self.flat[passage.words : passage.end]) for passage, _ in said]
        return texts, settings(said, texts, self.artifact.memory.context)


def make_draft(artifact: Artifact) -> Draft:
    """Return what rules make of an artifact."""
    flat = unemphasised(artifact.memory.content).translate(FLAT)
    written = replace(artifact, memory=add_text_date(artifact.memory)).written()
    names = Names()
    declare_people(names, artifact.memory)
    return Draft(artifact, flat, written, names, _said(artifact, flat, names, written or artifact.happened_at))


def _said(artifact: Artifact, flat: str, names: Names, written: datetime) -> list[Said]:
    """Return every passage with what it does by its structure and wording."""
    memory = artifact.memory
    known = frozenset({*names.people, *names.owners, *map(normalise_name, listed_people(memory.content))})
    form = form_of(memory.content, memory.context)
    labels = speaker_labels(memory.content, memory.context, known, form)
    settled = is_current_record(memory.content)
    found = passages(
        memory.content,
        title=memory.title or "",
        labels=labels,
        context=memory.context,
        written=written.date(),
        form=form,
    )
    said = (one for one in found if one.kind in _BOXES or not is_machine_made(memory.content[one.start : one.end]))
    return [(passage, _acts(flat, passage, settled=settled)) for passage in said]


def _acts(flat: str, passage: Passage, *, settled: bool) -> list[Act]:
    done = find_acts(flat, passage) if may_act(passage) else []
    return [act for act in done if settled or act.category != "Decision" or act.confidence < EXPLICIT]


def _meant(draft: Draft, passage: Passage, done: list[Act]) -> list[Act]:
    """Return what a passage does, without what it does not say as true, or an assistant says of itself."""
    memory = draft.artifact.memory
    if not done or passage.row is not None or passage.kind in _BOXES:
        return done
    text = draft.flat[passage.words : passage.end]
    is_spoken = memory.context == "transcript" or (passage.speaker is not None and memory.context in SPOKEN)
    if memory.role == "assistant" and _OF_ITSELF.search(text):
        kept = "Decision" if _MARKED.match(text) else None
        done = [act for act in done if act.category not in ("Decision", "Commitment") or act.category == kept]
    return [act for act in done if not is_not_asserted(text, act.category, is_spoken=is_spoken)]


def _structured(draft: Draft) -> list[Said]:
    """Return what a text of another language says by its structure, and collect whom it names."""
    content = draft.artifact.memory.content
    said = read_structure(content, draft.flat, draft.names, draft.said)
    draft.names.settle(unemphasised(content), draft.flat)
    return said


def _judged(draft: Draft, statements: Statements, ledger: LedgerWeights | None) -> list[Said]:
    """Return what was said by the judgement of each sentence in its setting."""
    said, asked = list(draft.said), draft.asked()
    texts, setting = draft.sentences(asked)
    judged = statements.judge(texts, setting)
    rows = features([said[at] for at in asked], texts, judged, draft.artifact.memory.content)
    likely = (ledger or load_ledger_weights()).likelihoods(rows)
    for at, judgement, listed in zip(asked, judged, likely, strict=True):
        passage, done = said[at]
        said[at] = passage, weigh_acts(draft.flat, passage, done, judgement, listed)
    return said


def _of_records(draft: Draft, said: list[Said]) -> list[Said]:
    """Return what was said without decisions and promises that only look so, in reference prose and in guides."""
    memory = draft.artifact.memory
    names_nobody = not any(name.type == "person" for name in draft.names.all)
    if memory.context in _MAY_GUIDE and names_nobody and is_guide(memory.content, memory.title):
        return [(passage, done if _is_marked(draft, passage) else _unlisted(done)) for passage, done in said]
    if memory.context not in _PROSE:
        return said
    if is_reference(memory.content):
        return [(passage, [act for act in done if not _is_guessed(act)]) for passage, done in said]
    if is_record(memory.content):
        return said
    return [(passage, _acted(draft, passage, done)) for passage, done in said]


def _acted(draft: Draft, passage: Passage, done: list[Act]) -> list[Act]:
    """Return what a sentence does; a guessed decision or promise only if somebody acts in it, or below a heading."""
    if passage.section == "decisions" or not any(map(_is_guessed, done)):
        return done
    named = draft.names.between(passage.start, passage.end)
    is_named = any(draft.names.all[place.index].type == "person" for place in named)
    text = draft.flat[passage.words : passage.end]
    return [act for act in done if not _is_guessed(act) or somebody_acts(text, act.category, is_named=is_named)]


def _is_marked(draft: Draft, passage: Passage) -> bool:
    """Whether a box or a word of its own marks a passage, and not the heading above it alone."""
    return passage.kind in _BOXES or marker_end(draft.flat, passage) > passage.words


def _unlisted(done: list[Act]) -> list[Act]:
    return [act for act in done if act.category not in LISTED]


def _is_guessed(act: Act) -> bool:
    """Whether an act is a decision or promise that no mark makes one."""
    return act.category in ("Decision", "Commitment") and act.confidence < EXPLICIT


def _lists_apart(flat: str, passage: Passage) -> list[Passage]:
    """Return a passage; of a line that lists people and goes on with a sentence that one by itself."""
    if passage.kind != "header":
        return [passage]
    end, start = (passage.start + at for at in end_of_list(flat[passage.start : passage.end]))
    if start == passage.end:
        return [passage]
    return [replace(passage, end=end), replace(passage, start=start, kind="prose")]


def _name(draft: Draft, said: Sequence[Said]) -> None:
    """Collect every name.

    Things without a type are only looked for in passages that do something, and not in transcripts, whose capitals are
    guesses.
    """
    memory, names, flat = draft.artifact.memory, draft.names, draft.flat
    listed = frozenset(map(normalise_name, listed_people(memory.content)))
    named = [*said, *((passage, list[Act]()) for passage in unsaid(memory.content))]
    named = [(part, done) for passage, done in named for part in _lists_apart(flat, passage)]
    for passage, _ in named:
        if passage.kind != "header" or not lists_people(flat[passage.start : passage.end]):
            scan_firms(names, flat, passage, context=memory.context, listed=listed)
    names.organisation_spans.sort()
    for passage, done in named:
        scan_people(names, flat, passage, social=memory.context in _SOCIAL)
        scan_things(names, flat, passage, telling=bool(done) and memory.context != "transcript")
    if memory.title:
        # Where it stands is nowhere in the content.
        names.organisation_spans.clear()
        heading = Passage(0, len(memory.title), "heading")
        scan_firms(names, memory.title, heading, context=memory.context, listed=listed)
        scan_things(names, memory.title, heading, telling=False)
    join_bodies(names)
    names.settle(unemphasised(memory.content), flat)
