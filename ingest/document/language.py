"""The language that a text is written in, where that is certain."""

import re
from functools import cache
from typing import Final

from py3langid.langid import MODEL_FILE, LanguageIdentifier

#: Characters from the beginning that are looked at, and how many it takes: a foreign name outweighs a short sentence.
_SAMPLE: Final = 4_000
_SHORTEST: Final = 80
#: Least probability: of 5,500 lines of English minutes 3 titles and 4 names are as likely another language.
_SURE: Final = 0.7
#: No language (addresses, code), and one that is told from English by little.
_UNKNOWN: Final = frozenset({"zxx", "pcm"})
#: Words that hardly any other language has, and the least share of all words from which on a text is surely English:
#: prose has twice as many. It spares the model, which takes 75 MB.
_ENGLISH: Final = re.compile(
    r"(?:the|and|that|this|with|from|have|will|they|which|would|been|were|are|for|you|it|what|just|know|about)", re.I
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_ENGLISH_SHARE: Final = 0.1


def detect_language(text: str) -> str | None:
    """Return the ISO 639 code of the language that a text begins in, or None for what might be several or is short."""
    if len(text) < _SHORTEST:
        return None
    code, sure = _identifier().classify(text[:_SAMPLE])
    return code if sure >= _SURE and code not in _UNKNOWN else None


def unread_language(text: str) -> str | None:
    """Return the language of a text that English rules can't read; None for English and where it isn't certain."""
    words = _WORD.findall(text[:_SAMPLE])
    if sum(_ENGLISH.fullmatch(word) is not None for word in words) > _ENGLISH_SHARE * len(words):
        return None
    code = detect_language(text)
    return None if code == "en" else code


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
