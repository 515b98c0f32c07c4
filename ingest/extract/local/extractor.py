"""LocalExtractor: the order of steps from an artifact to its entities and events."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from core.embedding import InnerEmbedder
from core.knowledge import Extraction, normalised
from core.records import Artifact
from ingest.extract.local.days import moment, stated_day
from ingest.extract.local.names import Names
from ingest.extract.local.people import declare_people, listed_people, scan_people, speaker_of
from ingest.extract.local.reading import FLAT, Reading
from ingest.extract.local.speech_acts import EXPLICIT, Act, acts, may_act, may_say, reconsidered
from ingest.extract.local.statements import Statements
from ingest.extract.local.structure import SPOKEN, Passage, is_settled, passages, speaker_labels
from ingest.extract.local.things import scan_things

#: Contexts in which @name is a person; elsewhere it is more often code.
_SOCIAL: Final = SPOKEN | {"email", "note", "task", "decision", "project"}
#: So many lines with a speaker's name, and a quarter of all passages, make a transcript.
_TALK: Final = 30
_APART: Final = re.compile(r"[ \t\r]*\n[ \t\r]*\n")
#: Sentences whose vectors are asked for at once.
_BATCH: Final = 256


class LocalExtractor:
    """Finds events by structure and wording, people and things by form; needs no network.

    With an embedder, which must be the one that its weights were fitted with, it also judges the sentences whose
    wording tells nothing, transcripts and turns of conversations apart: of talk too much would seem to say something.
    Time is linear in the content. It is made for English; other languages give the people and dates of its structure.
    """

    name = "local"

    def __init__(self, embedder: InnerEmbedder | None = None) -> None:
        """Read by structure and wording alone without an embedder."""
        self._statements = None if embedder is None else Statements(embedder)

    def extract(self, artifact: Artifact) -> Extraction:
        """Return what the content and the fields say; never raises for any text.

        Raises:
            Unavailable: the embedder's model can't be read.
        """
        flat, written = artifact.memory.content.translate(FLAT), _written(artifact)
        names = Names()
        declare_people(names, artifact.memory)
        said = _said(artifact, flat, names, written)
        if self._statements is not None and not _is_talk(artifact, said):
            said = _judged(artifact.memory.content, flat, said, self._statements)
        _name(artifact, flat, names, said)
        reading = Reading(artifact, flat, written, names, speaker_of(artifact.memory))
        events = tuple(event for passage, done in said for event in reading.events(passage, done))
        return Extraction(names.found(), events)


def _written(artifact: Artifact) -> datetime:
    """Return when the artifact was written: as its fields say, else as its text does, else when it was stored."""
    if artifact.memory.moment() is None and (day := stated_day(artifact.memory.content)) is not None:
        return moment(day)
    return artifact.happened_at


def _said(artifact: Artifact, flat: str, names: Names, written: datetime) -> list[tuple[Passage, list[Act]]]:
    """Return every passage with what it does by its structure and wording."""
    memory = artifact.memory
    known = frozenset({*names.people, *names.owners, *map(normalised, listed_people(memory.content))})
    labels = speaker_labels(memory.content, memory.context, known)
    settled = is_settled(memory.content)
    found = passages(
        memory.content, title=memory.title or "", labels=labels, context=memory.context, written=written.date()
    )
    return [(passage, _acts(flat, passage, settled=settled)) for passage in found]


def _is_talk(artifact: Artifact, said: Sequence[tuple[Passage, list[Act]]]) -> bool:
    """Whether it is talk as it came, in which sentences out of their setting seem to say more than they do.

    By its context, or by its many speakers' lines outside a chat.
    """
    labels = sum(passage.kind == "label" for passage, _ in said)
    is_written = artifact.memory.context == "chat" or labels < _TALK or labels * 4 <= len(said)
    return artifact.memory.context in ("transcript", "conversation") or not is_written


def _acts(flat: str, passage: Passage, *, settled: bool) -> list[Act]:
    done = acts(flat, passage) if may_act(passage) else []
    return [act for act in done if settled or act.category != "Decision" or act.confidence < EXPLICIT]


def _judged(
    content: str, flat: str, said: Sequence[tuple[Passage, list[Act]]], statements: Statements
) -> list[tuple[Passage, list[Act]]]:
    """Return what was said with the judgement of each sentence that may say something, whatever its wording."""
    open_ = [at for at, (passage, _) in enumerate(said) if may_say(flat, passage)]
    if 0 in open_ and _titles(content, said[0][0]):
        open_.remove(0)
    reconsidered_acts = dict[int, list[Act]]()
    for start in range(0, len(open_), _BATCH):
        batch = open_[start : start + _BATCH]
        judged = statements.judge([flat[said[at][0].words : said[at][0].end] for at in batch])
        for at, judgement in zip(batch, judged, strict=True):
            passage, done = said[at]
            reconsidered_acts[at] = reconsidered(flat, passage, done, judgement)
    return [(passage, reconsidered_acts.get(at, done)) for at, (passage, done) in enumerate(said)]


def _titles(content: str, passage: Passage) -> bool:
    """Whether the first passage stands apart as a title does: an empty line below, and no end of a sentence above."""
    return content[passage.end - 1] not in ".!?…" and _APART.match(content, passage.end) is not None


def _name(artifact: Artifact, flat: str, names: Names, said: Sequence[tuple[Passage, list[Act]]]) -> None:
    """Collect every name.

    Things without a type are only looked for in passages that do something, and not in transcripts, whose capitals are
    guesses.
    """
    memory = artifact.memory
    for passage, done in said:
        scan_people(names, flat, passage, social=memory.context in _SOCIAL)
        scan_things(names, flat, passage, telling=bool(done) and memory.context != "transcript")
    if memory.title:
        scan_things(names, memory.title, Passage(0, len(memory.title), "heading"), telling=False)
    names.settle(memory.content, flat)
