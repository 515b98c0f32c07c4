"""Secrets: keys, tokens and passwords in texts, found by their published forms and replaced by marks.

A mark has the length of what it replaces, so that every place in a text stays the same place: quotes, chunks and pages
of a text that was stored before stay true. Its first characters say what it was, and blanks follow.
"""

import base64
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from re import Match
from typing import Any, Final, Literal

from core.errors import InvalidInput
from core.knowledge.secret_formats import ASSIGNED, DISCORD, NAMED, PRIVATE_KEY, TOKENS, SecretFormat
from core.knowledge.text import fields_of, repair_fields
from core.regex import regex

#: What happens to secrets in what is stored.
SecretsMode = Literal["redact", "keep", "refuse"]


class _Chosen:
    mode: SecretsMode = "redact"


_IS_PARSING: ContextVar[bool] = ContextVar("is_parsing", default=False)


def secrets_mode() -> SecretsMode:
    """Return what happens to secrets."""
    return "keep" if _IS_PARSING.get() else _Chosen.mode


@contextmanager
def parsing_records() -> Iterator[None]:
    """Leave secrets in what is made within the block, whose maker looks for them in all of it at once."""
    before = _IS_PARSING.set(True)
    try:
        yield
    finally:
        _IS_PARSING.reset(before)


def use_secrets(mode: SecretsMode) -> None:
    """Set what happens to secrets in this process."""
    _Chosen.mode = mode


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret in a text: what it is, and where."""

    name: str
    start_char: int
    end_char: int


#: Parts of values that only stand for one; in a random value they practically never occur.
_PLACEHOLDERS: Final = (
    *("xxxx", "***", "...", "…", "example", "sample", "placeholder", "redacted", "changeme", "change_me", "change-me"),
    *("replace", "your_", "your-", "dummy", "foobar", "deadbeef", "000000"),
)
#: Rows of letters and digits that stand for a value; with the prefix of a published form it is taken for one.
_ROWS: Final = ("123456", "abcdef", "qwerty")
_REPEATED: Final = regex(r"(.)\1{4}")
#: More such parts, of values that people choose, and of code.
_CHOSEN_PARTS: Final = (
    *("password", "passwd", "secret", "token", "test", "fake", "mock", "demo", "none", "null", "true", "false", "key"),
    *("undefined", "process.env", "etenv(", "envir", "localhost", "http://", "https://", "${", "{{", "<", "$(", "%("),
    *("self.", "hidden", "required", "optional", "string", "default", "config"),
)
#: Passwords of connection strings that are the same everywhere, or stand for one.
_NO_PASSWORD: Final = regex(
    r"(?i)(?:(?:a|my|the|our|some|your)?(?:[_ -]|%20)?(?:pass(?:word|wd)?|secret)|pwd|pw|token|changeme|user(?:name)?|"
    r"admin|root|guest|postgres|mysql|neo4j|redis|mongo(?:db)?|rabbitmq|test(?:ing)?|example|sample|demo|string|none|null|"
    r"your.{0,40}|x+|\*+|\.+|…+|[\[<{$%(].*|.*[{}<>$].*|[0-9]{1,5}(?:,.*)?)"
)
_DIGIT, _LETTER = regex("[0-9]"), regex("[A-Za-z]")
_CHANGE: Final = regex(r"[A-Za-z](?=\d)|\d(?=[A-Za-z])")
_WORDS: Final = regex(r"[A-Za-z_$][\w$]*(?:[.:-]{1,2}[A-Za-z_$][\w$]*)*")
_BEGIN: Final = regex(r"(?<![A-Za-z0-9])[^\s\"'`]")
#: So many different characters are random enough.
_MANY_SIGNS: Final = 14
#: Characters that are searched at a time, and as many more as a token may have, with the sign behind it.
_WINDOW, _LONGEST = 1_000_000, 100
#: Characters before an anchor that are looked at.
_LEAD: Final = 40
#: Shortest value of an assignment, and least bits a character, by how random a value must look.
_SHORTEST, _LEAST_BITS, _TOKEN_BITS = 8, 2.7, 3.0


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Return the secrets in a text, in order and apart from each other."""
    return (_find_in_short if len(text) <= _SHORT_TEXT else _find_in_long)(text)


def _find(text: str) -> tuple[Secret, ...]:
    found = list(_of_table(text, text, (*TOKENS, PRIVATE_KEY), frozenset()))
    found += _of_table(text, _lower(text), ASSIGNED, {one.start_char for one in found})
    found += [Secret("discord token", *one.span()) for one in _searched(text) if _is_random(one[0])]
    found += _again(text, found)
    kept: list[Secret] = []
    for one in sorted(found, key=lambda secret: (secret.start_char, -secret.end_char)):
        if not kept or one.start_char >= kept[-1].end_char:
            kept.append(one)
    return tuple(kept)


#: Each change of a field makes a record anew, with the same texts.
_SHORT_TEXT: Final = 4_000
_find_in_short, _find_in_long = lru_cache(maxsize=512)(_find), lru_cache(maxsize=4)(_find)


def redact_text(text: str) -> str:
    """Return a text with marks in the place of secrets, unless they are kept."""
    return text if secrets_mode() == "keep" else mark_secrets(text, find_secrets(text))


def mark_secrets(text: str, found: Sequence[Secret]) -> str:
    """Return the text with a mark in the place of each secret, of the same length; line ends in a secret stay."""
    parts, at = [], 0
    for one in found:
        parts += [text[at : one.start_char], _mark(one.name, text[one.start_char : one.end_char])]
        at = one.end_char
    return "".join([*parts, text[at:]])


def _mark(name: str, secret: str) -> str:
    length = len(secret)
    first = next((mark for mark in (f"[redacted {name}]", f"[{name}]", "[secret]") if len(mark) <= length), None)
    if first is None:
        return f"[pw{'*' * (length - 4)}]" if length >= 4 else "*" * length
    return first + "".join(sign if sign in "\r\n" else " " for sign in secret[len(first) :])


def _lower(text: str) -> str:
    """Return the text in lower case, with every character in its place."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(sign.lower() if sign.isascii() else sign for sign in text)


def _searched(text: str) -> Iterator[Match[str]]:
    """Yield the tokens without an anchor; a search of a whole long text would keep all threads from running."""
    at = 0
    for start in range(0, len(text), _WINDOW):
        at = max(at, start)
        while (found := DISCORD.search(text, at, start + _WINDOW + _LONGEST)) and found.start() < start + _WINDOW:
            yield found
            at = found.end()


def _of_table(text: str, searched: str, table: Sequence[SecretFormat], known: Set[int]) -> Iterator[Secret]:
    """Yield the secrets of these forms; what begins where one is `known` is not looked at again."""
    for form in table:
        for anchor in form.anchors:
            at = searched.find(anchor)
            while at >= 0:
                found = _match(form, text, at, known)
                if found is not None:
                    yield found
                at = searched.find(anchor, at + len(anchor) if found is None else found.end_char)


def _match(form: SecretFormat, text: str, anchor: int, known: Set[int]) -> Secret | None:
    """Return the secret of a form whose anchor is there."""
    found = form.pattern.match(text, anchor)
    if found is None:
        return None
    begin = anchor
    if form.lead is not None:
        before = max(0, anchor - _LEAD)
        lead = form.lead.search(text[before:anchor])
        if lead is None:
            return None
        begin = before + lead.start()
    if form.name == "secret":
        group = "bare" if found["bare"] is not None else "quoted"
        if found.start(group) in known or not _is_assigned(found[group], is_bare=group == "bare"):
            return None
        return Secret("password" if "pass" in found[0].lower() else "secret", *found.span(group))
    start = begin if form.leads else found.start("secret")
    value = text[start : found.end("secret")]
    if start in known or not _CHECKS.get(form.name, _is_random)(value) or f"{value}:{value}@" in found[0]:
        return None
    return Secret(form.name, start, found.end("secret"))


def _looks_random(value: str, least: float) -> bool:
    """Whether a value has no part of a placeholder, and so many bits of entropy a character."""
    lower = value.lower()
    if any(map(lower.__contains__, _PLACEHOLDERS)) or _REPEATED.search(value):
        return False
    if len(set(value)) >= _MANY_SIGNS:
        return True
    total = len(value)
    return -sum(count / total * math.log2(count / total) for count in Counter(value).values()) >= least


def _is_random(value: str) -> bool:
    start = value[:400]
    is_mixed = bool(_DIGIT.search(start)) or not (start.islower() or start.isupper())
    return is_mixed and _looks_random(start, _TOKEN_BITS)


def _is_assigned(value: str, *, is_bare: bool) -> bool:
    """Whether a value that is assigned to the name of a secret is one: no word, no code, no placeholder."""
    if len(value) < _SHORTEST or not _DIGIT.search(value) or not _LETTER.search(value) or len(value.split()) > 1:
        return False
    lower = value.lower()
    if any(map(lower.__contains__, (*_CHOSEN_PARTS, *_ROWS))) or not _looks_random(value, _LEAST_BITS):
        return False
    changes = len(_CHANGE.findall(value))
    if _WORDS.fullmatch(value) or is_bare:
        return changes >= 3 or (changes >= 2 and not value.isalnum() and not _WORDS.fullmatch(value))
    return changes >= 1 and (len(set(map(_class, value))) >= 3 or changes >= 3)


def _class(sign: str) -> str:
    return "digit" if sign.isdigit() else "upper" if sign.isupper() else "lower" if sign.islower() else "sign"


def _is_basic(value: str) -> bool:
    try:
        name, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except ValueError:
        return False
    return bool(name and password) and not _NO_PASSWORD.fullmatch(password)


def _is_jwt(value: str) -> bool:
    head, body, _ = value.split(".")
    try:
        read = [json.loads(base64.urlsafe_b64decode(f"{part}===")) for part in (head, body)]
    except ValueError:
        return False
    # The first is the one of the documents of the format.
    return isinstance(read[0], dict) and "alg" in read[0] and "1234567890" not in str(read[1])


def _is_password(value: str) -> bool:
    return not _NO_PASSWORD.fullmatch(value)


#: What a value must be, where it is not that it looks random.
_CHECKS: Final[Mapping[str, Callable[[str], object]]] = {
    "password": _is_password,
    "basic credentials": _is_basic,
    "jwt": _is_jwt,
    "private key": bool,
    "aws key": lambda value: _looks_random(value, _TOKEN_BITS),
}


def _again(text: str, found: Sequence[Secret]) -> Iterator[Secret]:
    """Yield where values that are secret by what stands before them stand again."""
    values = {text[one.start_char : one.end_char]: one.name for one in found if one.name in {"secret", "password"}}
    return _places(text, {value: name for value, name in values.items() if len(value) >= _SHORTEST})


def _places(text: str, values: Mapping[str, str]) -> Iterator[Secret]:
    """Yield where one of these values begins, outside of a word."""
    starting: dict[str, list[str]] = {}
    for value in values:
        starting.setdefault(value[:_SHORTEST], []).append(value)
    for begin in _BEGIN.finditer(text) if values else ():
        at = begin.start()
        for value in starting.get(text[at : at + _SHORTEST], ()):
            if text.startswith(value, at):
                yield Secret(values[value], at, at + len(value))


class SecretRefused(InvalidInput):
    """A text that is to be stored holds secrets."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """A secret that a mark took the place of: what it is, and in which field, at which character."""

    what: str
    field: str
    start_char: int

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.what} in {self.field} at character {self.start_char:,}"


#: Redactions that a sentence names.
_MOST_NAMED: Final = 10


def describe_redactions(found: Sequence[Redaction]) -> str:
    """Return what was found where, the first of it if it is much."""
    more = f" and {len(found) - _MOST_NAMED:,} more" if len(found) > _MOST_NAMED else ""
    return f"{', '.join(map(str, found[:_MOST_NAMED]))}{more}"


def note_redactions(found: Sequence[Redaction]) -> Iterator[str]:
    """Yield a sentence on what was replaced, if anything was."""
    if found:
        yield f"Secrets are not stored; marks took the place of: {describe_redactions(found)}."


class Redactor:
    """Replaces the secrets of texts that belong together: what is a password in one is one in the others, too."""

    def __init__(self) -> None:
        self.found: list[Redaction] = []
        #: Values that were found, with what they are.
        self._values: dict[str, str] = {}

    def redact_fields(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields that hold secrets, with marks in their places."""
        marked = {name: self._redact(value, name) for name, value in given.items()}
        if any(len(value) >= _SHORTEST for value in self._values):
            marked = {name: self._redact_known(value, name) for name, value in marked.items()}
        return {name: value for name, value in marked.items() if value != given[name]}

    def redact(self, value: Any, field: str) -> Any:  # noqa: ANN401 - JSON or a record in, the same out
        """Return texts, lists, JSON or records with marks in the place of secrets, also of those found before."""
        return self._redact_known(self._redact(value, field), field)

    def _redact(self, value: Any, field: str) -> Any:  # noqa: ANN401 - as in `redact`
        return _map_texts(value, field, self._redact_text)

    def _redact_known(self, value: Any, field: str) -> Any:  # noqa: ANN401 - as in `redact`
        return _map_texts(value, field, self._redact_values)

    def _redact_text(self, text: str, field: str, name: str) -> str:
        found = find_secrets(text)
        if not found and NAMED.search(name) and _is_assigned(text, is_bare=False):
            found = (Secret("password" if "pass" in name.lower() else "secret", 0, len(text)),)
        return self._mark(text, field, found)

    def _redact_values(self, text: str, field: str, name: str) -> str:  # noqa: ARG002 - as `_redact_text`
        found = tuple(_places(text, {value: what for value, what in self._values.items() if len(value) >= _SHORTEST}))
        return self._mark(text, field, found)

    def _mark(self, text: str, field: str, found: Sequence[Secret]) -> str:
        for one in found:
            self.found.append(Redaction(one.name, field, one.start_char))
            self._values[text[one.start_char : one.end_char]] = one.name
        return mark_secrets(text, found) if found else text


#: Levels of JSON that are looked at: what is stored has fewer.
_DEEPEST: Final = 200


def _map_texts(
    value: Any,  # noqa: ANN401 - JSON or a record in, the same out
    field: str,
    change: Callable[[str, str, str], str],
    name: str = "",
    levels: int = _DEEPEST,
) -> Any:  # noqa: ANN401 - as `value`
    """Return a value with its texts changed; `name` is what a text is called that is in an object of JSON."""
    if isinstance(value, str):
        return change(value, field, name)
    if not levels:
        return value
    if isinstance(value, list | tuple):
        return type(value)(_map_texts(inner, field, change, name, levels - 1) for inner in value)
    if isinstance(value, dict):
        made = {
            change(key, field, "") if isinstance(key, str) else key: _map_texts(
                inner, field, change, str(key), levels - 1
            )
            for key, inner in value.items()
        }
        if len(made) < len(value):
            raise InvalidInput(f"{field} has secrets in the place of names: give the names without them.")
        return made
    if is_dataclass(value) and not isinstance(value, type):
        given = {item.name: getattr(value, item.name) for item in fields(value) if item.init}
        made = {key: _map_texts(inner, field, change, "", levels - 1) for key, inner in given.items()}
        return value if made == given else replace(value, **{k: v for k, v in made.items() if v != given[k]})
    return value


def redact_record(record: Any, *names: str) -> None:  # noqa: ANN401 - any dataclass with a field `redacted`
    """Replace the secrets in the texts of a frozen dataclass while it is made, and note them in its field `redacted`;
    of all fields, or those of these names.

    Raises:
        SecretRefused: REMEMBRANCER_SECRETS is refuse and there are some, or a key has one, which must stay unique.
    """
    repair_fields(record)
    if secrets_mode() == "keep":
        return
    redactor = Redactor()
    changed = redactor.redact_fields(
        {
            item.name: value
            for item in fields_of(type(record))
            if (not names or item.name in names)
            and (value := getattr(record, item.name)) is not item.default
            and _has_text(value)
        }
    )
    if not changed:
        return
    said = describe_redactions(redactor.found)
    if secrets_mode() == "refuse":
        raise SecretRefused(f"Nothing was stored, because it holds secrets: {said}. Leave them out.")
    if "key" in changed:
        raise SecretRefused(f"key must not hold a secret, because it has to stay unique: choose another ({said}).")
    for name, value in (changed | {"redacted": (*record.redacted, *redactor.found)}).items():
        object.__setattr__(record, name, value)


def _has_text(value: object) -> bool:
    """Whether a value may hold a secret: the shortest texts can't, nor what is no text."""
    return len(value) >= _SHORTEST if isinstance(value, str) else bool(value) and isinstance(value, tuple | list | dict)
