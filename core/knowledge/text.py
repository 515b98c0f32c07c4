"""Text as it is compared and repaired: canonical text, text that is not Unicode, and the forms of tags."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import Field, fields
from functools import cache
from itertools import accumulate
from typing import Any, Final
from unicodedata import combining, is_normalized, normalize

from core.knowledge.findings import fold_name
from core.regex import regex

#: Characters.
_PIECE: Final = 1_000_000


def canonical_text(text: str) -> str:
    """Return a text without what its reader does not see.

    That is a byte order mark, the kind of line ends, blanks at the ends of lines and of the text, and whether letters
    are composed (NFC) or not.
    """
    with_breaks = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    plain = "\n".join(map(_without_blanks, _pieces(with_breaks))).strip()
    return plain if is_normalized("NFC", plain) else normalize("NFC", plain)


def _without_blanks(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces of whole lines: splitting millions of lines at once would keep other threads waiting."""
    start = 0
    while (end := text.find("\n", start + _PIECE)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


#: Letters that Unicode does not take apart, as the letters that they are sorted with.
_SORTED_AS: Final = str.maketrans({"ı": "i", "ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe"})


def collation_key(text: str) -> tuple[str, str]:
    """Return by what texts are sorted: `Ä` next to `A`, whatever the case; then by the text itself."""
    apart = normalize("NFKD", text.casefold()).translate(_SORTED_AS)
    return "".join(sign for sign in apart if not combining(sign)), text


#: The character that replaces what could not be decoded.
REPLACEMENT: Final = "\ufffd"
#: Half of a pair of UTF-16, which by itself is not a character.
_SURROGATE: Final = regex(r"[\ud800-\udfff]")
#: Both halves, which some clients send as two characters.
_PAIR: Final = regex(r"[\ud800-\udbff][\udc00-\udfff]")
#: Levels that are repaired: readers refuse deeper ones.
_DEEPEST: Final = 200


def repair_text(text: str) -> str:
    """Return the text with pairs of surrogates joined, and each unpaired one replaced by U+FFFD."""
    if _SURROGATE.search(text) is None:
        return text
    joined = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    return _SURROGATE.sub(REPLACEMENT, joined)


def repair_json(value: Any, levels: int = _DEEPEST) -> Any:  # noqa: ANN401 - JSON in, JSON out
    """Return JSON with all its texts, names included, repaired; what lies deeper than so many levels stays as it is."""
    if isinstance(value, str):
        return repair_text(value)
    if levels and isinstance(value, dict):
        return {repair_json(name): repair_json(inner, levels - 1) for name, inner in value.items()}
    if levels and isinstance(value, list | tuple):
        return type(value)(repair_json(inner, levels - 1) for inner in value)
    return value


#: The fields of a type of records, looked up once.
fields_of: Final[Callable[[type], tuple[Field[Any], ...]]] = cache(fields)


def repair_fields(record: Any) -> None:  # noqa: ANN401 - any dataclass
    """Repair the texts of a frozen dataclass while it is made."""
    for item in fields_of(type(record)):
        value = getattr(record, item.name)
        if value is item.default or not isinstance(value, str | tuple | dict):
            continue
        if (whole := repair_json(value)) != value:
            object.__setattr__(record, item.name, whole)


#: What separates the words of a tag.
_BETWEEN: Final = regex(r"[\s\0_-]+")
#: Most parents under which a tag is found; a deeper tag has its highest ones.
_MOST_PARENTS: Final = 32
_BEFORE: Final = regex(r"^[\s\0_#-]+")


def tag_form(tag: str) -> str:
    """Return the form of a tag: without case, Unicode form, width, outer blanks and leading `#`.

    `-`, `_` and blanks are one separator. A tag that has nothing else is its own form.
    Stores keep it: a change needs a migration in each engine.
    """
    plain = fold_name(tag)
    levels = (_BETWEEN.sub(" ", level).strip() for level in _BEFORE.sub("", plain).split("/"))
    return "/".join(filter(None, levels)) or plain.replace("\0", " ") or tag


def tag_forms(tags: Iterable[str]) -> list[str]:
    """Return the forms that find an item with these tags, each once: of the tags and of their parents."""
    every = (accumulate(tag_form(tag).split("/", _MOST_PARENTS), "{}/{}".format) for tag in tags)
    return list(dict.fromkeys(form for forms in every for form in forms))
