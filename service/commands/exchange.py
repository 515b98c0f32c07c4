"""`pull`, `push`: bring what another home or a hub has here, or what this home has there."""

import argparse
import getpass
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import httpx
from rich.text import Text

from core.errors import InvalidInput, MemoryServiceError, NotFound, Unavailable, make_error
from core.interface.memory import check_project_id
from graph.store import Store
from ingest.transfer.exchange import States, changes, format_states, last_line, parse_states, read_states
from service.actions.exchange import describe_taken, take_in
from service.app import App
from service.commands.ingest import run_pending_jobs
from service.display.terminal import make_console, print_json, strip_controls
from service.http.limits import is_loopback
from service.settings import Settings, load_settings
from service.wiring import open_app, open_record

#: Bytes of lines of one request of a push: each is stored whole before the next one is sent.
_PART: Final = 8 * 1024 * 1024
#: Seconds to wait for a hub: to connect, and for an answer, which it may work on for long.
_CONNECT, _ANSWER = 20.0, 1_800.0


class Side(Protocol):
    """One of two records."""

    def projects(self) -> Sequence[str]:
        """Return the projects that there are."""

    def states(self, project_id: str) -> States:
        """Return the states of a project."""

    def changes(self, project_id: str, known: States) -> AbstractContextManager[Iterator[bytes]]:
        """Lend the lines with what it has and another has not."""

    def take(self, project_id: str, lines: Iterator[bytes]) -> list[Mapping[str, Any]]:
        """Take lines in, and return what became of them in each part."""


@dataclass(frozen=True, slots=True)
class _Home:
    """A record that this process has open; `app` where it may be written."""

    store: Store
    app: App | None = None

    def projects(self) -> Sequence[str]:
        return self.store.projects()

    def states(self, project_id: str) -> States:
        return read_states(self.store, project_id)

    def changes(self, project_id: str, known: States) -> AbstractContextManager[Iterator[bytes]]:
        return closing(changes(self.store, project_id, known))

    def take(self, project_id: str, lines: Iterator[bytes]) -> list[Mapping[str, Any]]:
        assert self.app is not None, "it is opened to be written"
        return [describe_taken(take_in(self.app, project_id, lines))]


class _Hub:
    """A record that `remembrancer serve` serves elsewhere."""

    def __init__(self, address: str, secret: str) -> None:
        self._address = address.rstrip("/")
        timeout = httpx.Timeout(_ANSWER, connect=_CONNECT)
        self._client = httpx.Client(headers={"Authorization": f"Bearer {secret}"}, timeout=timeout)

    def close(self) -> None:
        self._client.close()

    def projects(self) -> Sequence[str]:
        with self._asked("GET", "session") as answer:
            return list(json.loads(answer.read())["projects"])

    def states(self, project_id: str) -> States:
        with self._asked("POST", f"exchange/{project_id}/states") as answer:
            return parse_states(answer.read())

    @contextmanager
    def changes(self, project_id: str, known: States) -> Iterator[Iterator[bytes]]:
        with self._asked("POST", f"exchange/{project_id}/changes", format_states(known)) as answer:
            yield _lines(answer.iter_bytes())

    def take(self, project_id: str, lines: Iterator[bytes]) -> list[Mapping[str, Any]]:
        done = []
        for part in _parts(lines):
            with self._asked("POST", f"exchange/{project_id}", part) as answer:
                done.append(json.loads(answer.read()))
        return done

    @contextmanager
    def _asked(self, method: str, path: str, body: bytes = b"") -> Iterator[httpx.Response]:
        """Lend the answer to a request.

        Raises:
            Unavailable: the hub does not answer, or breaks off.
            MemoryServiceError: it refuses.
        """
        again = "what was taken in is kept, run the command again for the rest"
        try:
            with self._client.stream(method, f"{self._address}/api/{path}", content=body) as answer:
                if answer.status_code != 200:
                    raise _refusal(answer)
                yield answer
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            said = str(error) or type(error).__name__
            raise Unavailable(f"{self._address} does not answer as it should ({said}): {again}.") from error


def _refusal(answer: httpx.Response) -> MemoryServiceError:
    """Return the error that a hub, or a proxy before it, answers with."""
    try:
        said = json.loads(answer.read())
        return make_error(said["code"], str(said["error"]))
    except (ValueError, KeyError, TypeError):
        return Unavailable(f"{answer.url.host} answered {answer.status_code}: check the address, and the proxy there.")


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        yield from (line + b"\n" for line in lines)
    if rest:
        yield rest


def _parts(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Return lines in parts, each with the first line and an end."""
    first = next(lines)
    part, size = [first], 0
    for line in lines:
        is_last = line.startswith(b'{"lines"')
        if is_last or size >= _PART:
            yield b"".join([*part, last_line(len(part))])
            part, size = [first], 0
        part.append(line)
        size += len(line)


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the options of the command."""
    parser.add_argument("where", metavar="WHERE", help="address of a hub, https://…, or folder of another home")
    parser.add_argument(
        "--project-id", action="append", help=f"{command} this project (repeatable; default: all that are there)"
    )
    parser.add_argument("--token-file", type=Path, metavar="FILE", help="file with the token of the hub (default: ask)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(command: str, options: argparse.Namespace) -> int:
    """Bring projects from one side to the other; return 1 if something was refused."""
    is_pull = command == "pull"
    with ExitStack() as held:
        there = _opened(options, held, writes=not is_pull)
        settings = load_settings()  # the last one read says which time zone counts
        if isinstance(there, _Home) and _is_same(settings, load_settings(Path(options.where))):
            raise InvalidInput(f"{options.where!r} is this home: name another one.")
        app = held.enter_context(open_app(load_settings())) if is_pull else None
        here = _Home(app.store if app else held.enter_context(open_record(settings)), app)
        source, target = (there, here) if is_pull else (here, there)
        done: dict[str, list[Mapping[str, Any]]] = {}
        for project_id in [check_project_id(one) for one in options.project_id or source.projects()]:
            with source.changes(project_id, target.states(project_id)) as lines:
                done[project_id] = target.take(project_id, lines)
            if not options.json:
                _show(project_id, done[project_id])
        if app is not None and app.store.job_counts().pending:
            run_pending_jobs(app)
    if options.json:
        print_json(done)
    return 1 if any(part["refused"] for parts in done.values() for part in parts) else 0


def _opened(options: argparse.Namespace, held: ExitStack, *, writes: bool) -> Side:
    """Return the side that the command names."""
    where = str(options.where)
    if "://" in where:
        return held.enter_context(closing(_Hub(_checked(where), _token(options.token_file, where))))
    home = Path(where).expanduser().absolute()
    if not home.is_dir():
        raise NotFound(f"The folder {where!r} does not exist: name the folder of a home, or the address of a hub.")
    settings = load_settings(home)
    if settings.graph == "embedded" and not settings.record_path.is_file():
        raise NotFound(f"{where!r} is no home, as it holds no {settings.record_path.name}: name the folder of one.")
    if not writes:
        return _Home(held.enter_context(open_record(settings)))
    app = held.enter_context(open_app(settings))
    return _Home(app.store, app)


def _is_same(one: Settings, other: Settings) -> bool:
    """Whether both have one record."""
    if one.graph != other.graph:
        return False
    if one.graph == "neo4j":
        return (one.neo4j_uri, one.neo4j_database) == (other.neo4j_uri, other.neo4j_database)
    return one.record_path.resolve() == other.record_path.resolve()


def _checked(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or "")):
        return f"{parts.scheme}://{parts.netloc}{parts.path.removesuffix('/').removesuffix('/mcp')}"
    raise InvalidInput(f"{address[:80]!r} would send the token unencrypted: use an address that begins with https://.")


def _token(file: Path | None, address: str) -> str:
    try:
        secret = getpass.getpass(f"Token of {address}: ") if file is None else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, EOFError) as error:
        raise InvalidInput(
            f"The token can't be read ({error}): name a file that holds it with --token-file."
        ) from error
    if not (secret := secret.strip()) or not secret.isascii() or not secret.isprintable():
        raise InvalidInput("That is no token: `remembrancer token create NAME` makes one there.")
    return secret


def _show(project_id: str, parts: Sequence[Mapping[str, Any]]) -> None:
    console = make_console()
    items = sum((Counter(part["items"]) for part in parts), Counter[str]())
    others = sum((Counter(part["others"]) for part in parts), Counter[str]())
    forgotten = sum(len(part["forgotten"]) for part in parts)
    new = others["stored"] + others["updated"]
    said = f"{items['stored']:,} items stored, {items['updated']:,} updated, {forgotten:,} forgotten"
    console.print(Text(f"{project_id}: {said}; {new:,} runs, merge decisions, links and resolutions."))
    for part in parts:
        for name in ("conflicts", "redacted", "refused"):
            for line in part[name]:
                console.print(Text(strip_controls(f"  {name}: {line}")))
