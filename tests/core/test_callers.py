"""Callers: which projects are open to them, and whether they may write."""

import contextlib
from collections.abc import Iterator

import pytest

from core.errors import Forbidden, InvalidInput
from core.interface.caller import CALLER, Caller, check_strength, check_token_name, hash_secret, make_secret
from core.interface.memory import check_project_id


@contextlib.contextmanager
def calling(caller: Caller) -> Iterator[None]:
    """Work on behalf of a caller."""
    reset = CALLER.set(caller)
    try:
        yield
    finally:
        CALLER.reset(reset)


def test_a_project_is_open_to_a_local_client_and_to_a_token_for_all() -> None:
    """No token, no limit."""
    assert check_project_id("any") == "any"
    with calling(Caller("ci")):
        assert check_project_id("any") == "any"


def test_a_restricted_token_is_refused_other_projects_whatever_they_hold() -> None:
    """The refusal names what was asked for and nothing else."""
    with calling(Caller("ci", frozenset({"alpha"}))):
        assert check_project_id("alpha") == "alpha"
        with pytest.raises(Forbidden, match="'beta' is not open to token 'ci'"):
            check_project_id("beta")


def test_a_read_only_token_is_refused_what_writes() -> None:
    """The refusal names the tool."""
    Caller("ci").check_write("forget")
    with pytest.raises(Forbidden, match="forget writes"):
        Caller("ci", read_only=True).check_write("forget")


@pytest.mark.parametrize("name", ["", "a b", "ä", "x" * 65, "local", "Open", "a\n"])
def test_a_token_has_a_plain_name_of_its_own(name: str) -> None:
    """It stands in logs and in the audit trail."""
    assert check_token_name("ci-1.main_x") == "ci-1.main_x"
    with pytest.raises(InvalidInput):
        check_token_name(name)


def test_secrets_differ_and_are_long_enough() -> None:
    """Ours pass the check that those of others must pass."""
    secrets = {make_secret() for _ in range(20)}
    check_strength(secrets)

    assert len(secrets) == len({hash_secret(secret) for secret in secrets}) == 20
    with pytest.raises(InvalidInput, match="openssl rand -hex 32"):
        check_strength(["x"])
