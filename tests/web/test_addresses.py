"""Addresses that outlive what they name, and that lead through a long text and from project to project."""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from core.interface.learning import MergeRequest
from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from service.app import App
from tests.http_serving import authorization, issued

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def test_a_link_outlives_what_became_one_and_what_was_forgotten(page: Page, address: str, told: App) -> None:
    """Who became one with another leads there; an opened node that is gone takes nothing else away."""
    (pair, *_), _ = told.store.open_merge_candidates("default", 1)
    told.apply_merge_request(MergeRequest(kind="accept", one=pair.one, other=pair.other))
    page.goto(f"{address}/#/explore?id={pair.other}&select={pair.other}&open=art_000000000000&show=list")

    expect(page.get_by_role("heading", name=re.compile("^Around"))).to_be_visible()
    expect(page.locator(f"[data-node={pair.one}]")).to_have_attribute("aria-current", "true")
    assert pair.other not in page.url


def test_what_is_forgotten_while_it_is_shown_is_told_once(page: Page, address: str, told: App) -> None:
    """Its details say so, and other nodes still grow."""
    ana, *_ = (one.id for one in told.store.entities_by_prefix("default", "Ana Silva", 1))
    page.goto(f"{address}/#/explore?id={ana}&kind=item&show=list")
    grow = page.get_by_role("button", name=re.compile("^Grow Later minutes"))
    expect(grow).to_be_visible()
    node = page.get_by_role("button", name="Later minutes", exact=True)
    told.forget(ForgetRequest(id=node.get_attribute("data-node") or "", confirm=True))
    grow.click()
    expect(page.get_by_role("alert")).to_contain_text("forgotten")
    page.get_by_role("button", name=re.compile("^Grow Minutes")).click()

    expect(page.get_by_role("button", name=re.compile("^Fold Minutes"))).to_be_visible()


def test_a_long_text_is_read_part_by_part(page: Page, address: str, told: App) -> None:
    """To its end, and back by the browser's button."""
    long = " ".join(f"Line {number} of the log." for number in range(12_000))
    kept = told.remember(Memory(content=long, title="Log"))
    page.goto(f"{address}/#/explore?id={kept.id}&show=list")
    text = page.locator(".source-text")
    for part in (1, 2):
        page.get_by_role("link", name="Next part").click()
        expect(text).to_have_text(long[part * 100_000 : (part + 1) * 100_000].strip())
    expect(page.get_by_role("link", name="Next part")).to_have_count(0)
    page.go_back()

    expect(text).to_contain_text(long[100_010:100_200])


def test_a_token_of_one_project_begins_there(context: BrowserContext, address: str, told: App) -> None:
    """And the field for the project shows the one that is shown, also after the browser's button back."""
    told.remember(Memory(content="The vault is under the stairs.", title="Vault"), "alpha")
    token = issued(told.store, "reader", projects=("alpha", "beta"), read_only=True)
    assert context.request.post(f"{address}/api/session", headers=authorization(token)).ok
    page = context.new_page()
    page.goto(f"{address}/")
    expect(page.get_by_role("link", name="Vault")).to_be_visible()
    page.locator("#header select").select_option("beta")
    expect(page.get_by_role("heading", name="Nothing is remembered here yet")).to_be_visible()
    page.go_back()

    expect(page.get_by_role("link", name="Vault")).to_be_visible()
    expect(page.locator("#header select")).to_have_value("alpha")
