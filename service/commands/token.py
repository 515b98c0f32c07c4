"""`token`: make, list and revoke the tokens with which clients use the service over HTTP."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.table import Table

from core.dates import now, parse_expiry, to_text
from core.errors import Conflict, NotFound
from core.interface.access_token import LAST_USED_STEP, AccessToken, check_token_name, hash_secret, make_secret
from core.interface.memory import check_project_id
from service.display.terminal import make_console, print_json
from service.settings import load_settings
from service.wiring import open_record

#: Hours by which the last use of a token may be out.
_COARSE: Final = f"within {LAST_USED_STEP.total_seconds() / 3600:.0f} hour"


@dataclass(frozen=True, slots=True)
class _Shown:
    """A token as `--json` prints it; the secret only once, by `create`."""

    name: str
    projects: list[str] | None
    read_only: bool
    created_at: str
    expires_at: str | None
    last_used: str | None
    secret: str | None = None


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the subcommands of `token`."""
    what = parser.add_subparsers(dest="what", required=True, metavar="WHAT", help="one of:")
    create = what.add_parser("create", help="create a token; its secret is printed only this once")
    create.add_argument("name", help="its name in logs and lists: letters, digits, dots, _ and -")
    create.add_argument(
        "--project", dest="projects", action="append", metavar="P",
        help="grant access to this project (repeatable; default: all projects)",
    )  # fmt: skip
    create.add_argument("--read-only", action="store_true", help="make it read-only: refuse every tool that writes")
    create.add_argument("--expires", metavar="WHEN", help="expiry: 90d, 1y, or an ISO 8601 date")
    listed = what.add_parser("list", help="list all tokens, without their secrets")
    revoke = what.add_parser("revoke", help="revoke a token; running servers refuse it within 5 seconds")
    revoke.add_argument("name", help="its name")
    for each in (create, listed, revoke):
        each.add_argument("--json", action="store_true", help="print JSON")


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Run the subcommand on the record, which all servers share; none has to be restarted.

    Raises:
        InvalidInput: the name, a project or the date can't be used.
        Conflict: there is a token of this name.
        NotFound: there is none to revoke.
    """
    with open_record(load_settings()) as store:
        if options.what == "list":
            _list(store.tokens(), as_json=options.json)
        elif options.what == "create":
            token, secret = _token(options)
            if not store.add_token(token):
                raise Conflict(f"There is a token {token.name!r}: revoke it first, or choose another name.")
            _show_created(token, secret, as_json=options.json)
        elif not store.remove_token(options.name):
            raise NotFound(f"There is no token {options.name!r}: `remembrancer token list` names all.")
        elif options.json:
            print_json({"revoked": options.name})
        else:
            sys.stdout.write(f"Revoked {options.name}.\n")
    return 0


def _token(options: argparse.Namespace) -> tuple[AccessToken, str]:
    secret, moment = make_secret(), now()
    projects = None if options.projects is None else sorted({check_project_id(each) for each in options.projects})
    token = AccessToken(
        name=check_token_name(options.name),
        digest=hash_secret(secret),
        projects=None if projects is None else tuple(projects),
        read_only=options.read_only,
        created_at=moment,
        expires_at=None if options.expires is None else parse_expiry(options.expires, field="--expires", at=moment),
    )
    return token, secret


def _show_created(token: AccessToken, secret: str, *, as_json: bool) -> None:
    """Print the secret alone on standard output, so that a script can take it."""
    if as_json:
        print_json(_shown(token, secret))
        return
    sys.stdout.write(f"{secret}\n")
    sys.stdout.flush()
    sys.stderr.write(
        f"This is the secret of {token.name}, for {_rights(token)}. It is shown this once: keep it where only the "
        "client can read it.\n"
    )


def _list(tokens: Sequence[AccessToken], *, as_json: bool) -> None:
    if as_json:
        print_json([_shown(token) for token in tokens])
        return
    table = Table("name", "rights", "created", "expires", f"last used ({_COARSE})", box=None)
    for token in tokens:
        expires = "never" if token.expires_at is None else to_text(token.expires_at)[:10]
        used = "never" if token.last_used is None else f"{to_text(token.last_used)[:16]}Z"
        state = "" if token.is_valid(now()) else " (expired)"
        table.add_row(token.name, _rights(token), to_text(token.created_at)[:10], f"{expires}{state}", used)
    make_console().print(table if tokens else "No tokens: `remembrancer token create NAME` makes one.")


def _rights(token: AccessToken) -> str:
    where = "all projects" if token.projects is None else ", ".join(token.projects)
    return f"{where}, read-only" if token.read_only else where


def _shown(token: AccessToken, secret: str | None = None) -> _Shown:
    return _Shown(
        name=token.name,
        projects=None if token.projects is None else list(token.projects),
        read_only=token.read_only,
        created_at=to_text(token.created_at),
        expires_at=None if token.expires_at is None else to_text(token.expires_at),
        last_used=None if token.last_used is None else to_text(token.last_used),
        secret=secret,
    )
