"""`remembrancer token`: what it prints, and what it leaves in the record."""

import json
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from core.dates import now
from core.interface.caller import AccessToken, hash_secret
from service.http.credentials import load_home_token, token_path
from service.settings import load_settings
from service.wiring import open_record
from tests.running_commands import Shell


@pytest.fixture
def token(shell: Shell) -> Shell:
    """Run `token` on a memory of its own."""
    return partial(shell, "token")


def stored() -> list[AccessToken]:
    """Return the tokens of the record."""
    with open_record(load_settings()) as store:
        return list(store.tokens())


def test_a_token_is_created_with_its_rights_and_its_secret_is_kept_nowhere(token: Shell, tmp_path: Path) -> None:
    """The secret is all of standard output, so that a script can take it; the record has its hash."""
    done = token("create", "ci", "--project", "beta", "--project", "alpha", "--read-only", "--expires", "90d")
    secret = done.stdout.strip()
    (made,) = stored()

    assert (done.returncode, made.name, made.projects, made.read_only) == (0, "ci", ("alpha", "beta"), True)
    assert made.digest == hash_secret(secret)
    assert made.expires_at is not None
    assert timedelta(days=89) < made.expires_at - now() < timedelta(days=91)
    assert "alpha, beta, read-only" in done.stderr
    assert not any(secret.encode() in file.read_bytes() for file in (tmp_path / "home").iterdir() if file.is_file())


def test_tokens_are_listed_without_secrets(token: Shell) -> None:
    """By name, with rights and dates, as a table and as JSON."""
    secret = token("create", "ci", "--project", "alpha").stdout.strip()
    token("create", "all")
    table, as_json = token("list").stdout, token("list", "--json").stdout

    assert secret not in table + as_json
    assert [each["name"] for each in json.loads(as_json)] == ["all", "ci"]
    assert json.loads(as_json)[1]["projects"] == ["alpha"]
    assert "all projects" in table
    assert "never" in table


def test_a_revoked_token_is_gone(token: Shell) -> None:
    """And its name free; what is not there can't be revoked. The trail has what was done."""
    token("create", "ci")
    codes = [token("revoke", "ci").returncode, token("revoke", "ci").returncode, token("create", "ci").returncode]
    with open_record(load_settings()) as store:
        trail = [(entry.act, entry.ids) for entry in store.audit_trail()]

    assert codes == [0, 1, 0]
    assert trail == [(act, ("ci",)) for act in ("create_token", "revoke_token", "create_token")]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ci"], "revoke it first"),
        (["a b"], "not valid"),
        (["local"], "taken by the service"),
        (["x", "--project", "a b"], "project_id"),
        (["x", "--expires", "2001-01-01"], "is past"),
        (["x", "--expires", "soon"], "--expires"),
    ],
)
def test_a_token_that_can_not_be_made_leaves_nothing(token: Shell, arguments: list[str], said: str) -> None:
    """One line says why."""
    token("create", "ci")
    done = token("create", *arguments)

    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert [each.name for each in stored()] == ["ci"]


def test_the_home_keeps_one_token_that_only_its_user_can_read(tmp_path: Path) -> None:
    """One that others could read is replaced, as is one that was never wholly written."""
    home = tmp_path / "home"
    first = load_home_token(home)
    same = load_home_token(home)
    token_path(home).chmod(0o644)
    second = load_home_token(home)
    token_path(home).write_text("", encoding="utf-8")
    third = load_home_token(home)

    assert first == same
    assert len({first, second, third}) == 3
    assert token_path(home).stat().st_mode & 0o777 == 0o600
