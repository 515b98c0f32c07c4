"""The graph browser is for everyone: no barriers that axe finds, phone width, 200 % zoom, the keyboard alone."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.interface.ledger import DecisionsQuestion
from core.interface.memory import Memory
from service.app import App
from tests.web.loading import shown

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
VIEWS = (
    "",
    "search?q=migration+plan",
    "search?tag=none",
    "explore",
    "explore?name=Ana+Silva&show=list",
    "explore?id=art_000000000000",
    "paths?from=Ben+Ode&to=Acme+Corp",
    "decisions",
    "decisions?show=table&by=body",
    "commitments",
    "communities",
    "review",
    "review?show=uncertain",
    "health",
    "?project=empty",
)
FOUND = "axe.run().then(found => found.violations.map(one => [one.id, one.impact, one.nodes.map(node => node.html)]))"


@pytest.fixture
def views(told: App) -> tuple[str, ...]:
    """Every view, with the page of a text, of a decision and of a person."""
    decided = told.decisions(DecisionsQuestion()).items[0]
    person = told.store.entities_by_prefix("default", "Ana Silva", 1)[0].id
    told.remember(Memory(content="## Notes\n\n- OK, let us take the green tiles.\n", context="meeting"), wait=True)
    things = (f"thing?id={id_}" for id_ in (decided.artifact_id, decided.id, person))
    return *VIEWS, *things, f"communities?with={person}", f"explore?id={person}"


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_no_serious_barrier(
    page: Page, address: str, views: tuple[str, ...], width: int, colours: Any
) -> None:
    """In any view, wide and on a phone, light and dark; nothing lies beyond the right edge."""
    if not AXE.is_file():
        pytest.skip("axe-core is not here: run `make vendor`, which needs npm")
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=colours)
    for view in views:
        shown(page, address, view)
        page.evaluate(AXE.read_text(encoding="utf-8"))
        barriers = page.evaluate(FOUND)

        assert [barrier for barrier in barriers if barrier[1] in {"serious", "critical"}] == [], view
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view


def test_every_view_fits_at_twice_the_size(page: Page, address: str, views: tuple[str, ...]) -> None:
    """A screen of 1280 pixels at 200 % has 640 of them: lines break, and nothing is cut off."""
    page.set_viewport_size({"width": 640, "height": 430})
    for view in views:
        shown(page, address, view)
        assert page.evaluate("document.documentElement.scrollWidth") <= 640, view


def test_the_keyboard_alone_finds_reads_and_grows(page: Page) -> None:
    """From the skip link over the search to a result, its list, and a node that grows."""
    page.reload()
    page.wait_for_selector("main:not([aria-busy]) h1")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.type("migration plan")
    page.keyboard.press("Enter")
    expect(page.locator("article.result").first).to_be_visible()
    reach(page, "document.activeElement.closest('article.result h2')")
    page.keyboard.press("Enter")
    expect(page.locator("article.thing")).to_be_visible()
    reach(page, "document.activeElement.textContent === 'Show in the graph'")
    page.keyboard.press("Enter")
    reach(page, "document.activeElement.dataset.show === 'list'")
    page.keyboard.press("Enter")
    reach(page, "document.activeElement.matches('button.small[aria-expanded=false]')")
    page.keyboard.press("Enter")
    page.wait_for_url("**open=*")


def reach(page: Page, holds: str) -> None:
    """Press Tab until what has the focus is the one."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(f"Boolean({holds})"):
            return
    raise AssertionError(f"Tab does not lead to {holds}")
