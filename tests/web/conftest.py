"""A browser, and a memory served to it."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from core.interface.ledger import DecisionsQuestion, ResolveRequest
from core.interface.memory import Memory
from service.app import App
from tests.http_serving import SECRET, authorization, http_service

#: Longest wait for what a page is to show, in milliseconds; a loaded machine takes seconds.
PATIENCE = 20_000
expect.set_options(timeout=PATIENCE)
#: What every test is told of here: a decision that supersedes another, promises, markup, and names that may be one.
TEXTS = {
    "Minutes": "Ana Silva decided to use Postgres for billing. Ben Ode will send the migration plan to Ana Silva by "
    "2026-03-20. Ana Silva leads billing at Acme Corp.",
    "Later minutes": "Ana Silva decided to use MySQL for billing instead of Postgres.",
    "<b>Markup</b>": "😀\n\nBen Ode will remove the <b>markup</b> by 2026-04-01.\n\n<script>document.title = 'owned'"
    "</script><img src=x onerror=\"document.title = 'owned'\">",
    "Call": "Ana Berg decided to buy the lathe.",
    "Note": "Ana will clean the lathe by Friday.",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's chromium; for one module, since its driver lets no other event loop run beside it."""
    path = shutil.which("chromium")
    if path is None:
        message = "There is no chromium: run `apt-get install chromium`"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def told(app: App) -> App:
    """A memory that knows `TEXTS`."""
    for day, (title, content) in enumerate(TEXTS.items(), start=2):
        app.remember(Memory(content=content, title=title, date=f"2026-03-{day:02}"), wait=True)
    decided = app.decisions(DecisionsQuestion(topic="billing")).items
    [newer] = [item.id for item in decided if "MySQL" in item.summary]
    [older] = [item.id for item in decided if "MySQL" not in item.summary]
    app.resolve(ResolveRequest(id=newer, supersedes=older))
    app.worker.drain()
    return app


@pytest.fixture
def address(told: App) -> Iterator[str]:
    """Where the memory is served."""
    with http_service(told) as url:
        yield url


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A reader's browser, without a session."""
    opened = browser.new_context(viewport={"width": 1280, "height": 860})
    opened.set_default_timeout(PATIENCE)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext, address: str) -> Iterator[Page]:
    """A page with a session; that nothing broke and the policy had nothing to refuse is checked in the end."""
    assert context.request.post(f"{address}/api/session", headers=authorization(SECRET)).ok
    opened, faults = context.new_page(), list[str]()
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda said: faults.append(said.text) if "Content Security Policy" in said.text else None)
    opened.goto(f"{address}/")
    opened.wait_for_selector("main:not([aria-busy]) h1")
    yield opened
    assert faults == []
    opened.close()
