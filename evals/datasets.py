"""Public data sets as the arguments of `remember`, with their questions: LoCoMo (conversations), QMSum (meetings).

LoCoMo: https://github.com/snap-research/locomo (CC BY-NC 4.0). QMSum: https://github.com/Yale-LILY/QMSum (MIT).
Neither is part of the project.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

_SESSION: Final = re.compile(r"session_(\d+)")
#: An evidence id; some strings hold several, a stray colon, or a leading zero ("D8:6; D9:17", "D:11:26", "D30:05").
_TURN_ID: Final = re.compile(r"D:?(\d+):(\d+)")
#: The data set names its categories by number only; which is which follows from the questions in them.
KINDS: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


@dataclass(frozen=True, slots=True)
class TurnQuestion:
    """A question about a conversation; `evidence` are the `source_id`s of the turns that answer it, never empty."""

    query: str
    kind: str
    evidence: tuple[str, ...]
    #: The answer in the words of who asked; of an adversarial one what a reader may fall for.
    answer: str = ""

    @property
    def is_answerable(self) -> bool:
        """False for adversarial ones, which ask of one speaker what the other said."""
        return self.kind != KINDS[5]


@dataclass(frozen=True, slots=True)
class Conversation:
    """A LoCoMo conversation of two people: its turns in order, as arguments of `remember`, and its questions."""

    name: str
    speakers: tuple[str, str]
    turns: tuple[dict[str, Any], ...]
    questions: tuple[TurnQuestion, ...]


@dataclass(frozen=True, slots=True)
class SpanQuestion:
    """A question about a meeting; `spans` are the characters of the turns that answer it, end excluded."""

    query: str
    spans: tuple[tuple[int, int], ...]
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A QMSum meeting: its transcript as the arguments of `remember`, and its specific questions."""

    memory: dict[str, Any]
    questions: tuple[SpanQuestion, ...]

    @property
    def name(self) -> str:
        """The `source_id` of the transcript."""
        return str(self.memory["source_id"])


def conversations(path: Path) -> list[Conversation]:
    """Return the conversations of a LoCoMo file, with the questions whose evidence names at least one turn."""
    return [_conversation(data) for data in json.loads(path.read_text(encoding="utf-8"))]


def turns(path: Path) -> Iterator[dict[str, Any]]:
    """Yield each LoCoMo turn, indexed through its whole conversation; a shared picture's caption stands in brackets."""
    for conversation in conversations(path):
        yield from conversation.turns


def qmsum(path: Path) -> list[Meeting]:
    """Return the meetings of a QMSum file, one a line, with their specific questions."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_meeting(number, json.loads(line)) for number, line in enumerate(lines)]


def meetings(path: Path) -> Iterator[dict[str, Any]]:
    """Yield each QMSum meeting as one transcript, `Speaker: text` lines."""
    for meeting in qmsum(path):
        yield meeting.memory


def _conversation(data: dict[str, Any]) -> Conversation:
    spoken = data["conversation"]
    said = tuple(_turns(data["sample_id"], spoken))
    known = {turn["source_id"] for turn in said}
    questions = (_turn_question(asked, known) for asked in data["qa"])
    return Conversation(
        name=data["sample_id"],
        speakers=(spoken["speaker_a"], spoken["speaker_b"]),
        turns=said,
        questions=tuple(question for question in questions if question.evidence),
    )


def _turns(name: str, spoken: dict[str, Any]) -> Iterator[dict[str, Any]]:
    index = 0
    for session in sorted(filter(_SESSION.fullmatch, spoken), key=lambda session: int(session.split("_")[1])):
        moment = datetime.strptime(spoken[f"{session}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for turn in spoken[session]:
            caption = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield {
                "content": turn["text"] + caption,
                "context": "conversation",
                "conversation_id": name,
                "turn_index": index,
                "author": turn["speaker"],
                "role": "user",
                "date": moment.isoformat(),
                "source_id": turn["dia_id"],
            }
            index += 1


def _turn_question(asked: dict[str, Any], known: set[str]) -> TurnQuestion:
    """Return the question with those of its evidence ids, cleaned, that are turns."""
    named = (f"D{int(day)}:{int(turn)}" for text in asked["evidence"] for day, turn in _TURN_ID.findall(text))
    evidence = tuple(turn for turn in dict.fromkeys(named) if turn in known)
    answer = str(asked.get("answer", asked.get("adversarial_answer", "")))
    return TurnQuestion(asked["question"], KINDS[asked["category"]], evidence, answer)


def _meeting(number: int, data: dict[str, Any]) -> Meeting:
    rows = [f"{row['speaker']}: {row['content']}" for row in data["meeting_transcripts"]]
    memory = {
        "content": "\n".join(rows),
        "context": "transcript",
        "title": f"Meeting {number}",
        "source_id": f"qmsum-{number}",
    }
    asked = data["specific_query_list"]
    questions = (SpanQuestion(one["query"], _spans(one["relevant_text_span"], rows), one["answer"]) for one in asked)
    return Meeting(memory, tuple(questions))


def _spans(named: Sequence[Sequence[str]], rows: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Return where the rows from the first to the last of each named pair, both included, lie in the transcript."""
    starts = list(accumulate((len(row) + 1 for row in rows), initial=0))
    return tuple((starts[int(first)], starts[int(last)] + len(rows[int(last)])) for first, last in named)
