"""The form that tags are compared in, on every engine; what is stored and shown is the tag as it was given."""

import re
from collections.abc import Iterable
from itertools import accumulate
from typing import Final

from core.knowledge.findings import fold_name

#: What separates the words of a tag.
_BETWEEN: Final = re.compile(r"[\s\0_-]+")
#: Most parents under which a tag is found; a deeper tag has its highest ones.
_MOST_PARENTS: Final = 32
_BEFORE: Final = re.compile(r"^[\s\0_#-]+")


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
