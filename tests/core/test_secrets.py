"""Secrets in texts: what is found, what is not, and marks that keep every place."""

import random
import string
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from core.errors import InvalidInput
from core.interface.learning import AnnotatedMemory, GivenEvent
from core.interface.memory import Memory
from core.knowledge.secrets import SecretsMode, find_secrets, redact_text, use_secrets
from evals.secrets import CLEAN, KINDS, generated, is_found
from tests.own_time import own_time

_CHANCE = random.Random(8)
TOKEN = "ghp_" + "".join(_CHANCE.choices(string.ascii_letters + string.digits, k=36))
PASSWORD = "Vq7" + "rT2" + "mZ9x"


@pytest.fixture(autouse=True)
def redacting() -> Iterator[None]:
    """The default, whatever a test chose."""
    use_secrets("redact")
    yield
    use_secrets("redact")


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_found_wherever_it_stands(kind: str) -> None:
    """In sentences, code, logs and settings, but for the few whose random part looks like a word."""
    made = [(text, secret) for found, text, secret in generated(5, 40 * len(KINDS)) if found == kind]

    missed = [text for text, secret in made if not is_found(text, secret)]

    assert len(made) == 40
    assert len(missed) <= 2, missed


@pytest.mark.parametrize("text", CLEAN)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    """Hashes, ids, pictures, public keys, placeholders, code that reads a secret from elsewhere."""
    assert redact_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        f"before {TOKEN} after",
        f"mysql://root2:{PASSWORD}@db/x?y=1",
        f"curl -u ana:x 'https://h/' -H 'Authorization: Bearer {TOKEN[4:]}'",
        f"DB_PASSWORD='{PASSWORD}'\nlater they typed {PASSWORD}, twice: {PASSWORD}",
        f'{{"dbPassword": "{PASSWORD}", "n": 1}}',
        f"İstanbul … 😀 password: {PASSWORD}",
        f"postgres://u:{PASSWORD[:6]}@h/db",
    ],
)
def test_a_mark_keeps_every_place_and_is_none_itself(text: str) -> None:
    """As long as what it replaces, with nothing left of that; marking again changes nothing."""
    marked = redact_text(text)

    assert len(marked) == len(text)
    assert TOKEN[4:] not in marked
    assert PASSWORD[:6] not in marked
    assert redact_text(marked) == marked
    inside = {place for one in find_secrets(text) for place in range(one.start_char, one.end_char)}
    assert all(sign == text[place] for place, sign in enumerate(marked) if place not in inside)


def test_a_memory_has_none_in_any_of_its_fields_and_says_where_they_were() -> None:
    """What is a password in its text is one in its title and its events too; quotes have the words of the text."""
    memory = AnnotatedMemory(
        content=f"Ana decided to rotate it.\npassword: {PASSWORD}\nUse {TOKEN} until then.",
        title=f"Rotation of {PASSWORD}",
        tags=("ops", TOKEN),
        metadata={"api_key": PASSWORD[::-1] + "4k", "deep": [{"x": TOKEN}], TOKEN: 1},
        source_url=f"https://ana:{PASSWORD}@host/x",
        events=(GivenEvent(category="Decision", quote=f"Use {TOKEN} until then.", summary=f"uses {PASSWORD}"),),
    )
    everything = repr(memory)

    assert TOKEN not in everything
    assert PASSWORD not in everything
    assert PASSWORD[::-1] not in everything
    assert memory.events[0].quote in memory.content
    assert {(one.what, one.field) for one in memory.redacted} >= {
        ("password", "content"), ("github token", "content"), ("password", "title"), ("github token", "tags"),
        ("github token", "metadata"), ("secret", "metadata"), ("password", "source_url"), ("github token", "events"),
    }  # fmt: skip
    assert replace(memory, title="x").redacted == memory.redacted


def test_a_key_must_stay_unique_so_it_is_refused() -> None:
    """Two keys with the same mark would be one item."""
    with pytest.raises(InvalidInput, match="key must not hold a secret") as refused:
        Memory(content="x", key=f"token {TOKEN}")
    assert TOKEN not in str(refused.value)


@pytest.mark.parametrize("mode", ["keep", "refuse"])
def test_secrets_are_kept_or_refused_where_that_is_set(mode: SecretsMode) -> None:
    """A refusal says what and where, never the secret."""
    use_secrets(mode)
    if mode == "keep":
        assert Memory(content=TOKEN).content == TOKEN
        return
    with pytest.raises(InvalidInput, match="github token in content at character 4") as refused:
        Memory(content=f"Use {TOKEN}.")
    assert TOKEN not in str(refused.value)


@pytest.mark.parametrize(
    "line",
    [
        f"2026-02-11 INFO token={TOKEN} ok",
        f"password: {PASSWORD}",
        "-----BEGIN RSA PRIVATE KEY-----",
        "password = password = password = ",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ",
        "https://a:b:c:d:e:f://x:y@",
        "Bearer Bearer Bearer Bearer",
        "AKIAAKIAAKIAAKIAAKIAAKIA",
        "MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM.MMMMMM.",
    ],
)
def test_time_is_linear_in_the_length(line: str) -> None:
    """A transcript with keys in every line, and lines that nearly are one: four times the text takes no ten times as
    long."""
    small, large = (f"{line} 1\n" * (size // len(line)) for size in (100_000, 400_000))
    took = []
    for text in (small, large):
        took.append(own_time(partial(redact_text, text)))
        assert len(redact_text(text)) == len(text)

    assert took[1] < 10 * max(took[0], 0.01), took


@pytest.mark.parametrize("prefix", ["ghp_", "npm_", "glpat-"])
def test_a_row_of_letters_behind_a_published_prefix_is_a_secret(prefix: str) -> None:
    """Whoever stores it can't be asked whether it only stands for one; without the prefix it is none."""
    value = "abcdefghijklmnopqrstuvwxyz0123456789"
    length = 36 if prefix != "glpat-" else 20
    token = prefix + value[-length:]
    assert redact_text(f"Use {token} today.") != f"Use {token} today."
    assert redact_text(f'token = "{value}"') == f'token = "{value}"'


@pytest.mark.parametrize("before", [999_930, 999_999, 1_000_000, 1_000_001])
def test_a_token_is_found_wherever_a_long_text_is_cut_to_be_searched(before: int) -> None:
    """Once, with its places in the whole text."""
    token = ".".join(("MTk4NjIyNDgzNDcxOTI1MjQ4", "Gh7kQ2", "ZxVqN8rT3mWcYb5PfJd1LsKe0Hu"))
    [found] = find_secrets("-" * (before - 1) + f" {token} and on" + " it goes" * 10)
    assert (found.name, found.start_char, found.end_char) == ("discord token", before, before + len(token))
