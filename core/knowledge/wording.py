"""Wording: the form in which two texts are compared, whatever system or editor wrote them."""

from unicodedata import is_normalized, normalize


def canonical_text(text: str) -> str:
    """Return a text without what its reader does not see.

    That is a byte order mark, the kind of line ends, blanks at the ends of lines and of the text, and whether letters
    are composed (NFC) or not.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff").split("\n")
    plain = "\n".join(line.rstrip() for line in lines).strip()
    return plain if is_normalized("NFC", plain) else normalize("NFC", plain)
