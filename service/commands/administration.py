"""`token`: tokens of HTTP clients; `audit`: who did what to which ids; `reindex`: rebuild what is derived; `vacuum`."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.dates import now, parse_expiry, parse_filter, to_text, to_zone_text
from core.errors import Conflict, InvalidInput, NotFound
from core.interface.audit import AuditEntry
from core.interface.caller import LAST_USED_STEP, AccessToken, check_token_name, hash_secret, make_secret
from core.interface.memory import CONTEXTS, check_project_id
from ingest.indexing.rebuild import Part
from service.actions.rebuilds import PATIENCE
from service.commands.tools import open_existing
from service.display import terminal
from service.display.reports import total_progress_bar
from service.display.terminal import describe_storage, make_console, print_json
from service.owner.ownership import own_home
from service.settings import load_settings
from service.wiring import measure_storage, open_app, open_record, vacuum

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


def configure_token(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
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


def run_token(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
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
        expires = "never" if token.expires_at is None else to_zone_text(token.expires_at)[:10]
        used = "never" if token.last_used is None else to_zone_text(token.last_used)[:16]
        state = "" if token.is_valid(now()) else " (expired)"
        table.add_row(token.name, _rights(token), to_zone_text(token.created_at)[:10], f"{expires}{state}", used)
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


#: Default number of entries, and the ids of each, that are shown; `--json` has all ids.
_SHOWN, _IDS_SHOWN = 50, 3


def configure_audit(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `audit`."""
    parser.add_argument("--project-id", help="only acts in this project (default: all)")
    parser.add_argument("--since", help="only acts since then: ISO 8601, or 7d, 3m, 1y before now")
    parser.add_argument("--limit", type=int, default=_SHOWN, help="maximum number of entries (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the entries as JSON, with all ids")


def run_audit(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - the interface of commands
    """Print the newest entries of the audit trail, newest first."""
    if options.limit < 1:
        raise InvalidInput(f"limit {options.limit} is not valid: it must be 1 or more.")
    since = None if options.since is None else parse_filter(options.since, field="since")
    project_id = None if options.project_id is None else check_project_id(options.project_id)
    with open_existing(load_settings()) as app:
        entries = app.store.audit_trail(project_id, since=since, limit=options.limit)
    if options.json:
        terminal.print_json({"entries": entries})
    else:
        _show(entries, terminal.make_console())
    return 0


def _show(entries: list[AuditEntry], out: Console) -> None:
    if not entries:
        out.print("The audit trail has no such entries.")
        return
    table = Table(box=None, pad_edge=False)
    for name in ("when", "who", "with", "act", "project", "number", "ids"):
        table.add_column(name, justify="right" if name == "number" else "left")
    for entry in entries:
        shown = " ".join(entry.ids[:_IDS_SHOWN]) + (" …" if len(entry.ids) > _IDS_SHOWN else "")
        words = (entry.by, entry.client or "", entry.act.replace("_", " "), entry.project_id, str(entry.number), shown)
        table.add_row(f"{entry.at:%Y-%m-%d %H:%M:%S}", *(Text(terminal.strip_controls(word)) for word in words))
    out.print(table)


def configure_vacuum(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `vacuum`."""
    parser.add_argument("--json", action="store_true", help="print the sizes before and after as JSON")


def run_vacuum(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Rewrite the embedded stores while this process owns the home. If it is killed, nothing is lost: run it again."""
    settings = load_settings()
    if not settings.home.is_dir():
        raise NotFound(f"There is no memory at {str(settings.home)!r}: set REMEMBRANCER_HOME to the home of one.")
    with own_home(settings.home, takes_over=True), total_progress_bar("Vacuuming") as show:
        before = measure_storage(settings)
        vacuum(settings, show)
        after = measure_storage(settings)
    if options.json:
        print_json({"before": before, "after": after})
    else:
        sys.stdout.write(f"Before: {describe_storage(before)}. Now: {describe_storage(after)}.\n")
    return 0


def configure_reindex(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the options of `reindex`."""
    parser.add_argument(
        "--what",
        choices=("vectors", "keywords", "graph", "all"),
        default="all",
        help="what to rebuild (default: %(default)s)",
    )
    parser.add_argument("--project-id", help="only the items of this project")
    parser.add_argument(
        "--context",
        action="append",
        default=[],
        choices=CONTEXTS,
        metavar="CONTEXT",
        help="only items of this context, such as stash, insight or decision (repeatable)",
    )
    parser.add_argument(
        "--regenerate-embeddings",
        action="store_true",
        help="embed every text again instead of using cached embeddings",
    )


def run_reindex(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Rebuild with a progress bar. If interrupted, the next process that opens the memory continues."""
    part = Part(project_id=options.project_id, contexts=tuple(options.context))
    with open_app(load_settings()) as app, total_progress_bar(f"Rebuilding {options.what}") as show:
        done = app.reindex(
            options.what,
            part,
            regenerate=options.regenerate_embeddings,
            show=show,
            patience_seconds=PATIENCE,
        )
        left = app.store.job_counts()
    if done.moved_aside is not None:
        sys.stdout.write(
            f"The damaged vector index was moved to {done.moved_aside}: delete that folder, it contains texts.\n"
        )
    parts = (
        ("keywords", done.chunks, "chunks"),
        ("vectors", done.embedded, "items"),
        ("graph", done.extracted, "items"),
    )
    counts = ", ".join(f"{part} of {count} {unit}" for part, count, unit in parts if count is not None)
    sys.stdout.write(f"Rebuilt {counts}; {left.pending} jobs pending, {left.failed} failed.\n")
    return 1 if left.pending or left.failed else 0
