"""How many tokens a language model reads in a text: counted without a download, and not too few."""

import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from retrieval.models.tokenizer import WordPieces, estimate_model_tokens

#: What o200k_base makes of texts, by bpe-openai 0.1.4, and of all sample documents, their white space as one space.
_MEASURED = {
    "Use `pytest -q --maxfail=1` before pushing": 13,
    "Always use PostgreSQL, FastAPI, SQLAlchemy and Pydantic v2": 16,
    "DO NOT COMMIT SECRETS": 7,
    "NEVER USE GLOBAL VARIABLES IN PRODUCTION CODE PLEASE": 10,
    "Tomasz Wieczorek-Brzęczyszczykiewicz": 14,
    "🚀🔥✅❌🎉👩\u200d💻🧪🐍🦀🏗️": 24,
    "∀x∈ℝ: ∃y ≥ x² ⟹ ∫f(x)dx ≠ ∞ ⊕ ⊗": 32,
    "│ ├── └── ─ ═ ║ ╔ ╗": 17,
    "ሁልጊዜ የዓይነት ማብራሪያዎችን ይጠቀሙ": 45,
    "始终使用类型注解，避免使用全局变量，提交之前运行所有测试。": 19,
    "हमेशा टाइप एनोटेशन का उपयोग करें और वैश्विक चर से बचें।": 20,
}
_MEASURED_SAMPLES = 10_246


@pytest.mark.parametrize(("text", "measured"), _MEASURED.items())
def test_no_fewer_are_counted_than_a_model_reads(text: str, measured: int) -> None:
    """docs/dependencies.md: code, capitals, names, signs and scripts that the tokenizer does not know."""
    assert estimate_model_tokens(text) >= measured


def test_prose_is_counted_a_quarter_too_high_at_most() -> None:
    """docs/dependencies.md: the safe side costs some room, and not more."""
    texts = [entry.read_text(encoding="utf-8") for entry in (files("samples") / "corpus").iterdir()]

    counted = sum(estimate_model_tokens(" ".join(text.split())) for text in texts)

    assert _MEASURED_SAMPLES <= counted <= 1.25 * _MEASURED_SAMPLES


@pytest.mark.parametrize(
    ("text", "measured"),
    [
        ("Совет директоров утвердил смету на следующий год, а Ольга пообещала прислать отчёт до пятницы.", 52),
        ("董事会批准了明年的预算，王伟答应在星期五之前把报告发给大家。", 38),
    ],
)
def test_other_scripts_are_not_counted_twice(text: str, measured: int) -> None:
    """docs/dependencies.md: cl100k_base and Anthropic's published tokenizer, whichever has more."""
    assert measured <= estimate_model_tokens(text) <= 1.5 * measured


@given(st.text(max_size=300).filter(lambda text: not re.search("[\ud800-\udfff]", text)))
def test_lines_have_no_fewer_than_the_whole(text: str) -> None:
    """So a sum over lines that were counted before is a safe count."""
    assert sum(map(estimate_model_tokens, text.split("\n"))) >= estimate_model_tokens(text) >= 0


@given(st.text("aeinrst09XYZ \n\t.,-_/'\"…é", max_size=300))
def test_words_that_are_counted_one_by_one_are_read_as_the_whole_is(text: str) -> None:
    """Whose number of pieces is kept for the next text, as long as nothing beside them changes how they are read."""
    known = len(WordPieces(window_tokens=254, window_bytes=100_000).encode(text)) - 2

    assert estimate_model_tokens(text) == known - (-known // 8) + len(re.findall("[A-Z]{5}", text))


def test_half_a_sign_is_refused() -> None:
    """As everywhere: it is no text."""
    with pytest.raises(InvalidInput, match="surrogate"):
        estimate_model_tokens("\ud800")
