"""Tags in the text of a Markdown note, as Obsidian has them: `#birds`, `#todo/spring`."""

import re
from collections.abc import Iterator
from typing import Final

_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LISTED: Final = re.compile(r"[ \t]+\S|[-*+] |\d{1,9}[.)] ")
_INDENTED: Final = re.compile(r"(?: {4}|\t)[ \t]*\S")
#: Code within a line, links to notes and pages, and comments: a `#` there begins no tag.
_NOT_TEXT: Final = re.compile(
    r"(?<!`)(`+)(?!`)[^\n]{1,2000}?(?<!`)\1(?!`)|\[\[[^\[\]\n]{0,500}\]\]"
    r"|\[[^\[\]\n]{0,500}\](?:\([^()\n]{0,1000}\)|\[[^\[\]\n]{0,500}\])|<!--.{0,5000}?-->",
    re.DOTALL,
)
#: A tag ends at a blank or a punctuation mark, other than `-`, `_` and `/`.
_TAG: Final = re.compile(r"""(?<!\S)#([^\u2000-\u206F\u2E00-\u2E7F'!"#$%&()*+,.:;<=>?@^`{|}~\[\]\\\s]{1,200})""")


def inline_tags(body: str) -> list[str]:
    """Return the tags in a text, without their mark and each once, whatever its case; none is a number alone."""
    if "#" not in body:
        return []
    plain = _NOT_TEXT.sub("\0", "".join(_uncoded(body)))
    tags = (found.strip("/") for found in _TAG.findall(plain))
    found: dict[str, str] = {}
    for tag in tags:
        if not tag.isdigit() and any(sign.isalnum() or ord(sign) > 0x2600 for sign in tag):
            found.setdefault(tag.casefold(), tag)
    return list(found.values())


def _uncoded(body: str) -> Iterator[str]:
    """Yield the lines that are no block of code, fenced or indented."""
    fence, above, is_blank, is_code = "", "", True, False
    for line in body.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            closes = mark is not None and line.strip() == mark[1] and mark[1].startswith(fence)
            fence, above, is_blank = "" if closes else fence, "", False
            continue
        if mark:
            fence = mark[1]
            continue
        is_code = _INDENTED.match(line) is not None and (is_code or (is_blank and not _LISTED.match(above)))
        if not is_code:
            yield line
        is_blank = not line.strip()
        if not is_blank and not is_code:
            above = line
