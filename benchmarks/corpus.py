"""Texts to measure with: sentences of the sample corpus, shuffled with a seed into as many notes as are wanted."""

import random
import re
from importlib.resources import files
from typing import Final

from core.interface.memory import Memory

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")


def sentences() -> list[str]:
    """Return the sentences of the sample documents."""
    texts = [entry.read_text(encoding="utf-8") for entry in files("samples").iterdir() if entry.name.endswith(".md")]
    return sorted({part.strip() for text in texts for part in _SENTENCE.split(text) if len(part.split()) > 5})


def notes(count: int, *, words: int, seed: int = 7) -> list[Memory]:
    """Return `count` different notes of about `words` words each."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    pool = sentences()
    made: list[Memory] = []
    for number in range(count):
        parts: list[str] = []
        while sum(len(part.split()) for part in parts) < words:
            parts.append(chance.choice(pool))
        made.append(Memory(content=f"{' '.join(parts)} ({number})", context="note"))
    return made


def turns(count: int, *, seed: int = 11) -> list[Memory]:
    """Return `count` turns of one conversation, a sentence each."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    pool = sentences()
    return [
        Memory(
            content=f"{chance.choice(pool)} ({number})",
            context="conversation",
            conversation_id="benchmark",
            turn_index=number,
            author=chance.choice(("Ada", "Ben")),
        )
        for number in range(count)
    ]


def questions(count: int, *, seed: int = 13) -> list[str]:
    """Return `count` questions: a few words of some sentence each."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    pool = sentences()
    return [f"What about {' '.join(chance.choice(pool).split()[:6])}?" for _ in range(count)]
