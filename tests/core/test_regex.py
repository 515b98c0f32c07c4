"""Patterns that are compiled at their first use."""

import gc
import importlib
import pkgutil
import re
import subprocess
import sys
from contextlib import suppress

import pytest

from core.regex import _Regex, regex


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    """Each method, with its arguments; the pattern itself can be part of another."""
    lazy, compiled = regex(r"(?P<word>[a-z]+)-(\d+)", re.I), re.compile(r"(?P<word>[a-z]+)-(\d+)", re.I)
    text = "Pier-1, pier-22"

    assert [match.span() for match in lazy.finditer(text, 3)] == [match.span() for match in compiled.finditer(text, 3)]
    assert lazy.sub(r"\2", text, count=1) == compiled.sub(r"\2", text, count=1) == "1, pier-22"
    assert (lazy.pattern, lazy.flags, dict(lazy.groupindex)) == (
        compiled.pattern,
        compiled.flags,
        dict(compiled.groupindex),
    )
    assert regex(rb"\d").findall(b"1a2") == [b"1", b"2"]


def test_a_pattern_is_compiled_once_and_at_its_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its module is imported by commands that never need it."""
    compiled, compile_pattern = list[str](), re.compile

    def note(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return compile_pattern(pattern, flags)

    monkeypatch.setattr(re, "compile", note)
    lazy = regex("needed once")
    assert compiled == []

    for _ in range(3):
        assert lazy.search("this is needed once")
        assert lazy.match("needed once")

    assert compiled == ["needed once"]


def test_all_patterns_of_the_product_can_be_compiled() -> None:
    """What a mistake would else do at the import of its module."""
    for package in ("core", "graph", "ingest"):
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            with suppress(ModuleNotFoundError):  # of a format whose library is an extra
                importlib.import_module(module.name)

    gc.unfreeze()  # what a service that began in this process has frozen, which is not told
    patterns = [one for one in gc.get_objects() if isinstance(one, _Regex)]

    assert len(patterns) > 500
    assert all(re.compile(one.pattern, one._given) for one in patterns)


def test_importing_the_extractor_compiles_next_to_no_pattern() -> None:
    """Its process starts in two thirds of the time."""
    code = (
        "import re, sys\n"
        "compiled, compile = [], re.compile\n"
        "def note(pattern, flags=0):\n"
        "    compiled.append(sys._getframe(1).f_globals['__name__'])\n"
        "    return compile(pattern, flags)\n"
        "re.compile = note\n"
        "import service.actions.text_process, ingest.readers.isolated\n"
        "print(sum(name.partition('.')[0] in ('core', 'ingest') for name in compiled))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert int(done.stdout) <= 5
