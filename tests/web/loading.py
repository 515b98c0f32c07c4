"""How the tests of the graph browser come to a view."""

from playwright.sync_api import Page


def shown(page: Page, address: str, view: str) -> None:
    """Load the page anew with a view, so that the one before it is gone, and wait until it is whole."""
    page.goto("about:blank")
    page.goto(f"{address}/#/{view}")
    page.wait_for_selector("main:not([aria-busy]) :is(h1, [role=alert])")
    page.wait_for_load_state("networkidle")
