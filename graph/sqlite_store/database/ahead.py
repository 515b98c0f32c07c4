"""What the functions of the full-text indexes return of long texts, made before a transaction that asks them: others
wait for that one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from types import MappingProxyType
from typing import Any, Final, ParamSpec

from graph.text.term_vectors import sign_words
from graph.text.tokens import separate_unspaced

Given = ParamSpec("Given")
#: A function and what it was given, and what it returned.
Entry = tuple[tuple[Any, ...], str]

_MADE: Final = ContextVar[Mapping[tuple[Any, ...], str]]("made ahead", default=MappingProxyType({}))


def ahead(make: Callable[Given, str]) -> Callable[Given, str]:
    """Have a function of its arguments alone return what was made ahead, where that is known."""

    @wraps(make)
    def made(*given: Given.args, **_: Given.kwargs) -> str:
        known = _MADE.get()
        found = known.get((made, *given)) if known else None
        return make(*given) if found is None else found  # type: ignore[call-arg]  # which is given by place

    return made


separated: Final = ahead(separate_unspaced)
signs_of: Final = ahead(sign_words)


def entry(made: Callable[..., str], *given: str | bytes) -> Entry:
    """Return what a function returns, to have it at hand."""
    return (made, *given), made(*given)


@contextmanager
def made_ahead(entries: Iterable[Entry]) -> Iterator[None]:
    """Have these at hand in this thread."""
    token = _MADE.set(dict(entries))
    try:
        yield
    finally:
        _MADE.reset(token)
