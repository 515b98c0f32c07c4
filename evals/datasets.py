"""Public data sets as the arguments of `remember`: LoCoMo (conversations) and QMSum (meetings)."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

_SESSION: Final = re.compile(r"session_(\d+)")


def meetings(path: Path) -> Iterator[dict[str, Any]]:
    """Yield each QMSum meeting as one transcript, `Speaker: text` lines."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        rows = json.loads(line)["meeting_transcripts"]
        content = "\n".join(f"{row['speaker']}: {row['content']}" for row in rows)
        yield {
            "content": content,
            "context": "transcript",
            "title": f"Meeting {number}",
            "source_id": f"qmsum-{number}",
        }


def turns(path: Path) -> Iterator[dict[str, Any]]:
    """Yield each LoCoMo turn, indexed through its whole conversation; a shared picture's caption stands in brackets."""
    for conversation in json.loads(path.read_text(encoding="utf-8")):
        index = 0
        spoken = conversation["conversation"]
        for name in sorted(filter(_SESSION.fullmatch, spoken), key=lambda name: int(name.split("_")[1])):
            moment = datetime.strptime(spoken[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            for turn in spoken[name]:
                caption = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
                yield {
                    "content": turn["text"] + caption,
                    "context": "conversation",
                    "conversation_id": conversation["sample_id"],
                    "turn_index": index,
                    "author": turn["speaker"],
                    "role": "user",
                    "date": moment.isoformat(),
                    "source_id": turn["dia_id"],
                }
                index += 1
