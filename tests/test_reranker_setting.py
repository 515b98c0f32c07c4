"""`REMEMBRANCER_RERANKER`: a reranker of the user's own, found by module and factory."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.reranking import Reranker
from service.settings import load
from service.wiring import reranker_of

ROOT = Path(__file__).parents[1]
MODULE = """
class ByLength:
    name = "by-length"

    def scores(self, query, passages):
        return [len(passage) for passage in passages]


def failing():
    raise OSError("no such model")


def nothing():
    return object()
"""

Chosen = Callable[[str], Reranker | None]


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Chosen:
    """Return the reranker that a value of the variable names, with a module of the user's on Python's path."""
    (tmp_path / "users_own_judge.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "users_broken_judge.py").write_text("import a_module_nobody_has\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def choose(value: str) -> Reranker | None:
        monkeypatch.setenv("REMEMBRANCER_RERANKER", value)
        return reranker_of(load())

    return choose


def test_there_is_none_unless_one_is_named(chosen: Chosen) -> None:
    """Off by default, and an empty variable is no name."""
    assert chosen("") is None


def test_the_one_named_is_made_by_its_factory(chosen: Chosen) -> None:
    """A class is a factory, too."""
    reranker = chosen("users_own_judge:ByLength")
    assert reranker is not None
    assert (reranker.name, list(reranker.scores("q", ["aa", "b"]))) == ("by-length", [2, 1])


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("users_own_judge:nobody", "AttributeError"),
        ("users_own_judge:failing", "OSError: no such model"),
        ("users_own_judge:nothing", "is no reranker"),
        ("users_broken_judge:ByLength", "No module named 'a_module_nobody_has'"),
        ("a_module_nobody_has:ByLength", "No module named 'a_module_nobody_has'"),
    ],
)
def test_one_that_cannot_be_made_is_told_at_the_start(chosen: Chosen, value: str, reason: str) -> None:
    """Not at the first question; the message names the variable, its value and the reason."""
    with pytest.raises(InvalidInput, match=re.escape(f"REMEMBRANCER_RERANKER {value!r}")) as caught:
        chosen(value)
    assert reason in str(caught.value)


@pytest.mark.parametrize("value", ["judge", "judge.ByLength", "judge:", ":ByLength", "my judge:make", "judge:a.b"])
def test_a_value_of_another_form_is_refused(chosen: Chosen, value: str) -> None:
    """`module:factory` is the only one."""
    with pytest.raises(InvalidInput, match="REMEMBRANCER_RERANKER"):
        chosen(value)


def test_the_examples_in_the_document_are_rerankers(chosen: Chosen, tmp_path: Path) -> None:
    """Whoever pastes one of them gets a reranker; the model is only loaded when the first question comes."""
    text = (ROOT / "docs" / "rerankers.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 2
    for number, example in enumerate(examples):
        (tmp_path / f"pasted_{number}.py").write_text(example, encoding="utf-8")
        (factory,) = re.findall(r"^class (\w+):", example, re.MULTILINE)
        assert chosen(f"pasted_{number}:{factory}") is not None
    assert "sentence_transformers" not in sys.modules
