"""What counts as a sign, whatever engine indexes it."""

from functools import partial

import pytest

from graph.text.term_vectors import index_terms, pack_counts, tally, term
from graph.text.tokens import sign_parts, signs
from tests.own_time import own_time


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Close OPS-1203, please.", ["ops-1203"]),
        ("mailto:Ana.Chen@acme.com", ["mailto:ana.chen@acme.com", "ana.chen@acme.com"]),
        ("v4.12.7 on 10.4.17.9:8080", ["v4.12.7", "10.4.17.9:8080", "10.4.17.9"]),
        ("see /srv/app/run.log", ["srv/app/run.log", "run.log"]),
        ("C:\\logs\\run_1.txt", ["c:\\logs\\run_1.txt", "run_1.txt"]),
        ("#launch get_user_name()", ["#launch", "get_user_name"]),
        ("+49 30 5551234 and (030) 555-1234", ["555-1234", "49305551234", "0305551234"]),
        ("a well-known thing at 09:30 on 2024-05-15, it's fine", []),
        ("dock3 E1234 48213", []),
        ("... -- // @ # ##", []),
    ],
)
def test_signs_are_found_whole(text: str, found: list[str]) -> None:
    """What is one word anyway, prose, dates and times are none."""
    assert signs(text) == found


def test_a_name_in_humps_has_parts() -> None:
    """Beside the whole, which is a word."""
    assert sign_parts("HTTPServerError in getUserName2, said McDonald") == "HTTP Server Error get User Name2 Mc Donald"
    assert sign_parts("plain words") == ""


def test_a_term_vector_holds_signs_beside_their_words() -> None:
    """Accents and case folded."""
    held, number = tally([pack_counts("Zoë.Chen@acme.com")])
    assert set(held) == {term(one) for one in ("zoe", "chen", "acm", "com", "zoe.chen@acme.com")}
    assert number == len(index_terms("zoe.chen@acme.com")) == 5


@pytest.mark.parametrize("piece", ["a", "a-", "-", "1 ", "+1(", "0", "aB", "#", "a.b@", "(0 "])
def test_hostile_text_takes_linear_time(piece: str) -> None:
    """Four times the text takes about four times as long, not sixteen."""
    times = []
    for size in (100_000, 400_000):
        text = piece * (size // len(piece))
        times.append(own_time(partial(signs, text)) + own_time(partial(sign_parts, text)))
    assert times[1] < 10 * times[0] + 0.2
