"""Letters: names in plain Latin ones."""

import unicodedata
from typing import Final

#: Letters that are others with a mark by custom alone, which Unicode does not take apart.
_MARKED: Final = str.maketrans(
    {
        "ı": "i",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ð": "d",
        "þ": "th",
        "Þ": "Th",
    }
)


def unmarked(name: str) -> str:
    """Return a name in plain Latin letters where it has marks: Elif Yildiz for Elif Yıldız."""
    parts = unicodedata.normalize("NFKD", name.translate(_MARKED))
    return "".join(sign for sign in parts if not unicodedata.combining(sign))
