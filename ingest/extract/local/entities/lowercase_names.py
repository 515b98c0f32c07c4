"""People in lines without a capital, as chats have them: "thanks marius", "did dr haddad come?"."""

import re
from typing import Final

from ingest.english.lexicon import AMBIGUOUS_NAMES, CALENDAR, COMMON_WORDS, GIVEN_NAMES, STARTERS
from ingest.extract.local.entities.names import Names

#: Given names that are no word in small letters, and how far before one it is looked for what makes it a name.
_SMALL_NAMES: Final = GIVEN_NAMES - AMBIGUOUS_NAMES - STARTERS - CALENDAR - COMMON_WORDS - {"captain", "don", "mile"}
_SMALL_REACH: Final = 12
#: A name in small letters, perhaps with the initial of a family name behind it.
_SMALL: Final = re.compile(
    r"(?<![\w@.'’-])(?P<given>[^\W\d_]{2,})(?: (?!a\b|i\b)[a-z](?=[,.!?]| (?!\d)\w{2,}))?(?![\w@'’-]*[@_])"
)
#: "dr haddad", "sister bernadette": behind what is a plain word as well only a name that lists know.
_SMALL_TITLED: Final = re.compile(
    r"\b(?P<title>(?P<abbreviated>dr|mr|mrs|ms|prof)|sister|father|nurse|captain|rabbi|imam)\.? (?P<name>[^\W\d_]{3,})"
)
#: What makes a word in small letters a name: a word to or of a person before it, or what people do behind it.
_SMALL_BEFORE: Final = re.compile(
    r"\b(?:thanks|thx|ty|hi|hey|hello|ask|asked|tell|told|ping|with|from|by|cc|sorry|and|for|ring|"
    r"call|called|text|message|met|saw|remind|invite|to|let|help|does|did|has|was|would|should|could|about|seen|"
    r"where is|where['’]s|who is|who['’]s) \Z"
)
_SMALL_BEHIND: Final = re.compile(
    r"['’](?:s|ll|d) | and i\b| (?:is|was|has|had|will|can|says|said|asks|asked|wants|does|did|thinks|told|okayed|"
    r"from|starts|joins|agrees|knows|likes|needs|wrote|gets|got|took|sent|came|went|made|gave|left|found|"
    r"bought|brought|paid|\w{3,}(?:ed|s))\b|"
    r", (?:can|could|will|would|please|pls|you)\b"
)


def scan_small(names: Names, content: str, start: int, end: int) -> None:
    """Add those whom a line without a capital names: "thanks marius", "tom b says"."""
    for match in _SMALL.finditer(content, start, end):
        before = max(start, match.start() - _SMALL_REACH)
        given = match["given"]
        if (given in _SMALL_NAMES or given in names.given_present) and (
            _SMALL_BEFORE.search(content, before, match.start()) or _SMALL_BEHIND.match(content, match.end())
        ):
            names.singles.setdefault(match[0], match[0])
    for match in _SMALL_TITLED.finditer(content, start, end):
        if match["abbreviated"] or match["name"] in GIVEN_NAMES or _SMALL_BEHIND.match(content, match.end()):
            names.family.setdefault(match["name"], {}).setdefault(match["title"], set()).add(match[0])
