"""Scripts written without blanks between words, made searchable: the same in every engine."""

import re
from itertools import groupby, pairwise

#: Scripts written without blanks between words: kana, Han, Hangul (whose particles join on), Thai, Lao, Khmer, Burmese.
_UNSPACED = re.compile(
    "([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\U00020000-\U0003134f])"
)


def separate_unspaced(text: str) -> str:
    """Return `text` with each character of an unspaced script as a word, so that any run of them is a phrase."""
    return text if text.isascii() else _UNSPACED.sub(r" \1 ", text)


def split_pairs(word: str) -> list[str]:
    """Return the pairs of neighbouring characters of each unspaced run in `word`, and the text between unchanged.

    Where nothing shows where a word ends, pairs are what a question and its answer have in common.
    """
    parts: list[str] = []
    for is_unspaced, run in groupby(word, lambda sign: _UNSPACED.match(sign) is not None):
        text = "".join(run)
        parts += map("".join, pairwise(text)) if is_unspaced and len(text) > 1 else [text]
    return parts
