"""How text is prepared for the full-text indexes, the same when written and when asked for."""

import re
import unicodedata
from itertools import pairwise

from graph.text.tokens import separate_unspaced

_SURROGATES = re.compile(r"[\ud800-\udfff]")
#: What stands for NUL, at which SQLite's trigram tokenizer would stop: a code point that Unicode never assigns.
_NUL_STAND_IN = "\U0010ffff"


def quoted(term: str) -> str | None:
    """Return `term` as an FTS5 phrase; None if it has no letter or digit to look for."""
    plain = _SURROGATES.sub(" ", term).replace("\0", " ")
    if not any(unicodedata.category(sign)[0] in "LN" or unicodedata.category(sign) == "Co" for sign in plain):
        return None
    return '"' + separate_unspaced(plain).replace('"', '""') + '"'


def folded(text: str) -> str:
    """Return `text` with its case folded, as the substring indexes hold it."""
    return text.casefold().replace("\0", _NUL_STAND_IN)


def trigram_phrase(fragment: str) -> str:
    """Return a folded fragment of three characters or more as an FTS5 phrase."""
    return '"' + fragment.replace('"', '""') + '"'


def gram(fragment: str) -> str:
    """Return the word that stands for a folded fragment of one or two characters."""
    return "z".join(f"{ord(sign):x}" for sign in fragment)


def grams(text: str) -> str:
    """Return the words of all single characters and pairs in folded text."""
    return " ".join(map(gram, {*text, *map("".join, pairwise(text))}))
