"""Signs: what is written in one go but is several words: keys, versions, addresses, hosts, paths, names of code.

Each is indexed whole in addition to its words; names in camel case (`HttpServerError`), which are one word, in addition
to their parts. All scanning is linear.
"""

import re
from typing import Final

#: Words joined by signs, or one behind a "#".
_JOINED: Final = re.compile(
    r"(?<![^\W_])(?:#[^\W_]++(?:[._@/:#\\+=&%~-]{1,3}+[^\W_]++)*+|[^\W_]++(?:[._@/:#\\+=&%~-]{1,3}+[^\W_]++)++)"
)
_JOINING: Final = re.compile(r"[._@/:#\\+=&%~-]")
#: The part of a joined sign that is itself a sign, such as the host in an address.
_PIECES: Final = re.compile(r"[/:#\\+=&%~]+")
#: "well-known" is prose, and dates and times are no signs.
_PLAIN: Final = re.compile(r"[^\W\d_]+-[^\W\d_]+|\d{1,2}:\d\d(?::\d\d)?|\d{4}-\d\d-\d\d(?:t[\d:.+-]*z?)?")
#: Begins with "+", "(", 0, or three digits and three more.
_PHONE: Final = re.compile(
    r"[+(0-9](?<![^\W_].)(?:(?<=[+(])\d|(?<=0)\d|\d\d[ -]\d{3}[ -]\d)[\d() /-]{3,20}\d(?![^\W_])", re.ASCII
)
_FEWEST_DIGITS, _MOST_DIGITS = 7, 15
#: Longest sign that is indexed whole, in characters.
_LONGEST: Final = 200
_HUMP: Final = re.compile("[A-Z](?<=[a-z].)")
_WORD: Final = re.compile(r"[^\W_]++")
_PARTS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def signs(text: str) -> list[str]:
    """Return the signs of several words in `text`, case folded; of a phone number the digits."""
    found = []
    for match in _JOINED.finditer(text) if _JOINING.search(text) else ():
        whole = match[0].casefold()
        pieces = (piece for piece in _PIECES.split(whole) if piece != whole and _JOINED.fullmatch(piece))
        found += [one for one in (whole, *pieces) if len(one) <= _LONGEST and not _PLAIN.fullmatch(one)]
    return found + [digits for match in _PHONE.finditer(text) if (digits := _digits(match[0]))]


def sign_parts(text: str) -> str:
    """Return the parts of the names in humps in `text`, with blanks between them."""
    if not _HUMP.search(text):
        return ""
    return " ".join(_PARTS.sub(" ", word) for word in _WORD.findall(text) if _HUMP.search(word))


def _digits(number: str) -> str:
    digits = re.sub(r"\D", "", number)
    is_phone = _FEWEST_DIGITS <= len(digits) <= _MOST_DIGITS and not _PLAIN.fullmatch(number)
    return digits if is_phone and digits != number else ""
