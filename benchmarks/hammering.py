"""`python -m benchmarks.hammering`: bad input to tools, resources, routes and readers; exit 1 if a bound does not hold.

Arguments are made from the tools' own schemas: right ones, and in their places wrong types, numbers without end, ids of
other things, statements of query languages, and texts that keep patterns busy. Each answer is a result or an error with
a code, comes soon, and holds no trace of the program.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx2
from mcp import Client, MCPError
from mcp_types import TextContent, Tool

from benchmarks.measures import Measure, report
from benchmarks.peak_memory import peak_megabytes
from core.errors import MemoryServiceError
from ingest.readers import read
from service.app import App
from service.http.limits import Limits
from service.server import create_server
from service.settings import Settings
from service.wiring import open_app
from tests.adversarial import PLACES, RUNS
from tests.http_serving import SECRET, authorization, http_service

#: Seconds after which an answer counts as hanging.
PATIENCE: Final = 2.0
#: What hostile texts are long, in characters, and how often each length is drawn.
_SIZES: Final = {10: 30, 300: 30, 5_000: 10, 100_000: 1}
_CODES: Final = frozenset({"invalid_input", "not_found", "too_large", "unavailable", "conflict", "forbidden"})
#: Protocol errors for what no tool or resource is asked with.
_REFUSED: Final = frozenset({-32602, -32002, -32600})
_SUFFIXES: Final = (".md", ".txt", ".eml", ".jsonl", ".mbox")
_ODD: Final[tuple[Any, ...]] = (
    None, True, -1, 0, 1, 10**30, -(10**30), 1e308, 0.1, "", " ", "\x00", "\ud800", "\u202e", "..", "../../etc/passwd",
    "art_", "art_000000000000", "evt_ffffffffffff", "ent_123456789abc", "default", "*", "' OR 1=1 --",
    "x}) DETACH DELETE n //", '"a" AND NOT (b* OR c~2)', "2026-02-30", "9999-12-31T23:59:59Z", "-1d",
    "999999999999y", "${HOME}", "a|b\\n\n",
    [], {}, [[]], [None], ["x"] * 5_000, {"a": {"b": {"c": []}}}, {"": None}, "١٢٣", "a" * 65,
)  # fmt: skip


@dataclass(slots=True)
class Tally:
    """What was seen so far."""

    number: int = 0
    slowest: float = 0.0
    by_kind: Counter[str] = field(default_factory=Counter)
    #: Answers that must not be, each said once in short.
    issues: list[str] = field(default_factory=list)


class Hammer:
    """Draws inputs, and gives them to one service."""

    def __init__(self, seed: int, folder: Path, client: Client, browser: httpx2.AsyncClient) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - the same inputs each time
        self._folder = folder
        self._client, self._browser = client, browser
        self._tools: Sequence[Tool] = ()
        self._resources: Sequence[str] = ()
        self.tally = Tally()

    async def strike(self, number: int) -> None:
        """Give that many inputs."""
        self._tools = (await self._client.list_tools()).tools
        templates = (await self._client.list_resource_templates()).resource_templates
        self._resources = [template.uri_template for template in templates]
        kinds = {self._tool: 80, self._resource: 8, self._route: 6, self._reader: 6}
        for _ in range(number):
            [kind] = self._chance.choices(list(kinds), list(kinds.values()))
            begun = time.perf_counter()
            asked, issue = await kind()
            seconds = time.perf_counter() - begun
            self.tally.number += 1
            self.tally.by_kind[kind.__name__[1:]] += 1
            self.tally.slowest = max(self.tally.slowest, seconds)
            if seconds > PATIENCE:
                issue = f"{seconds:.1f} s"
            if issue is not None:
                self.tally.issues.append(f"{asked[:300]}: {issue}")

    async def _tool(self) -> tuple[str, str | None]:
        tool = self._chance.choice(self._tools)
        arguments = self._arguments(tool.input_schema)
        asked = f"{tool.name} {arguments!r}"
        try:
            result = await self._client.call_tool(tool.name, arguments)
        except MCPError as error:
            return asked, _refused(error)
        except UnicodeEncodeError:  # half a surrogate pair never leaves the client
            return asked, None
        text = "".join(part.text for part in result.content if isinstance(part, TextContent))
        return asked, _flaw_of(text) if result.is_error else None

    async def _resource(self) -> tuple[str, str | None]:
        parts = {name: self._text() for name in ("project_id", "id")}
        uri = self._chance.choice(self._resources).format(**parts)
        try:
            await self._client.read_resource(uri)
        except MCPError as error:
            return uri, _refused(error)
        except (UnicodeEncodeError, ValueError):  # no address, by the client's own check
            return uri, None
        return uri, None

    async def _route(self) -> tuple[str, str | None]:
        path = self._chance.choice(("/healthz", "/readyz", "/metrics", "/mcp", f"/{self._text()[:200]}"))
        method = self._chance.choice(("GET", "POST", "PUT", "DELETE", "OPTIONS"))
        body = self._chance.choice((b"", b"{", b"[" * 10_000, self._text().encode("utf-8", "replace"), b"\xff\x00"))
        try:
            answer = await self._browser.request(
                method, path, content=body, headers={"Content-Type": "application/json"}
            )
        except (httpx2.InvalidURL, UnicodeEncodeError):
            return path, None
        issue = answer.status_code >= 500 or "Traceback" in answer.text
        return f"{method} {path}", f"{answer.status_code} {answer.text[:200]}" if issue else None

    async def _reader(self) -> tuple[str, str | None]:
        path = self._folder / f"file{self._chance.choice(_SUFFIXES)}"
        heads = ("", "---\n", "---\ntags: [", "From: a@b.example\n", '{"content": "', "From \n", "\xef\xbb\xbf")
        path.write_bytes((self._chance.choice(heads) + self._text()).encode("utf-8", "surrogatepass"))
        try:
            read(path, context=None)
        except MemoryServiceError:
            return path.name, None
        except Exception as error:  # noqa: BLE001 - that is what is looked for
            return path.name, repr(error)
        return path.name, None

    def _arguments(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the required arguments and some others, most of them of the right type."""
        drawn = {}
        for name, kind in schema.get("properties", {}).items():
            if name in schema.get("required", ()) or self._chance.random() < 0.25:
                drawn[name] = self._value(kind)
        if self._chance.random() < 0.02:
            drawn[self._text()[:100]] = 1
        drawn.pop("wait", None)  # whoever waits for background work has asked to
        return drawn

    def _value(self, kind: dict[str, Any]) -> object:
        if self._chance.random() < 0.2:
            return self._chance.choice(_ODD)
        kind = next((one for one in kind.get("anyOf", ()) if one.get("type") != "null"), kind)
        if "enum" in kind:
            return self._chance.choice(kind["enum"])
        makers: dict[str, Callable[[], object]] = {
            "integer": lambda: self._chance.randint(0, 20),
            "number": self._chance.random,
            "boolean": lambda: self._chance.random() < 0.5,
            "array": lambda: [self._value(kind.get("items", {})) for _ in range(self._chance.randint(0, 4))],
            "object": lambda: {self._text()[:30]: self._text()},
        }
        return makers.get(kind.get("type", "string"), self._text)()

    def _text(self) -> str:
        if self._chance.random() < 0.3:
            return self._chance.choice(
                ("note", "gate", "Ana Ruiz", "2026-01-15", "7d", "open", "default", "art_0123456789ab")
            )
        [size] = self._chance.choices(list(_SIZES), list(_SIZES.values()))
        run, (before, behind) = self._chance.choice(RUNS), self._chance.choice(PLACES)
        return f"{before}{run * (size // len(run))}{behind}"


def _refused(error: MCPError) -> str | None:
    return None if error.code in _REFUSED and "Traceback" not in str(error) else f"{error.code} {error}"


def _flaw_of(text: str) -> str | None:
    """Return what is wrong with a tool's error; None if it is one object with a sentence and a code, and no trace."""
    try:
        error = json.loads(text[text.index('{"error"') :])
    except ValueError:
        return f"an error without a code: {text[:200]}"
    if error.get("code") not in _CODES or "Traceback" in text or '.py"' in text:
        return f"an error that says too much or no code: {text[:200]}"
    return None


@asynccontextmanager
async def hammer_on(app: App, seed: int, folder: Path) -> AsyncIterator[Hammer]:
    """Connect to a service as its clients do."""
    with http_service(app, limits=Limits(rate=1_000_000)) as address:
        async with (
            Client(create_server(app)) as client,
            httpx2.AsyncClient(base_url=address, headers=authorization(SECRET), timeout=60) as browser,
        ):
            yield Hammer(seed, folder, client, browser)


async def _measured(app: App, seed: int, folder: Path, number: int) -> tuple[Tally, float]:
    async with hammer_on(app, seed, folder) as hammer:
        await hammer.strike(number // 10)
        warm = peak_megabytes()
        await hammer.strike(number - number // 10)
        return hammer.tally, peak_megabytes() - warm


def main() -> int:
    """Hammer a memory of its own."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hammering", description=__doc__)
    parser.add_argument("--number", type=int, default=100_000, help="inputs (default: 100,000)")
    parser.add_argument("--seed", type=int, default=7, help="of the inputs (default: 7)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open_app(Settings(REMEMBRANCER_HOME=Path(folder) / "home")) as app:
        tally, grown = asyncio.run(_measured(app, options.seed, Path(folder), options.number))
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in tally.by_kind.items())
    for issue in tally.issues[:20]:
        sys.stdout.write(f"{issue}\n")
    seen, held = f"of {tally.number:,}: {kinds}", "after the first tenth; of the whole process"
    return report(
        [
            Measure("answers that must not be", len(tally.issues), 0, "", at_most=True, detail=seen),
            Measure("slowest answer", tally.slowest, PATIENCE, "s", at_most=True, detail=""),
            Measure("memory grown by", grown, 500, "MB", at_most=True, detail=held),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
