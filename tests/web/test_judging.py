"""What the graph browser shows of a memory as a whole, and what is decided in it: in a real browser."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from core.interface.ledger import CommitmentsQuestion
from core.interface.memory import Memory
from service.app import App
from tests.http_serving import authorization, http_service, issued

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.mark.both_engines
def test_two_names_are_connected_by_steps_with_their_sentences(page: Page) -> None:
    """Each way begins at the one and ends at the other; a name that nothing has leads nowhere, and says so."""
    page.get_by_role("link", name="Paths").click()
    page.get_by_label("From").fill("Ben Ode")
    page.get_by_label("To", exact=True).fill("Acme Corp")
    page.get_by_role("button", name="Connect").click()

    way = page.locator(".way").first
    expect(way).to_contain_text("Ben Ode")
    steps = way.locator("> li:not(.hop) > a").all_inner_texts()
    assert (steps[0], steps[-1]) == ("Ben Ode", "Acme Corp")
    expect(way.locator("blockquote").first).to_be_visible()

    page.get_by_label("To", exact=True).fill("Nobody Known")
    page.get_by_role("button", name="Connect").click()
    expect(page.get_by_role("heading", name="No match for “Nobody Known”")).to_be_visible()


@pytest.mark.both_engines
def test_a_commitment_is_settled_where_it_stands(page: Page) -> None:
    """With a note; it moves to what is done."""
    page.get_by_role("link", name="Commitments").click()
    card = page.get_by_role("region", name="Overdue").locator("article", has_text="migration plan")
    card.get_by_text("Change status").click()
    card.get_by_label("Note").fill("sent by post")
    card.get_by_role("button", name="Set").click()

    done = page.get_by_role("region", name="Done or cancelled").locator("article", has_text="migration plan")
    expect(done).to_contain_text("Set to done: sent by post")
    page.reload()
    expect(done).to_contain_text("sent by post")


@pytest.mark.both_engines
def test_a_pair_is_judged_and_the_verdict_taken_back(page: Page) -> None:
    """Side by side, with the words that name each."""
    page.get_by_role("link", name="Review").click()
    pair = page.get_by_role("article").filter(has_text="Ana Berg").first
    expect(pair.locator("blockquote").first).to_be_visible()
    before = page.locator("article").count()
    pair.get_by_role("button", name="Different").click()
    expect(pair.get_by_text("Kept separate.")).to_be_visible()
    page.reload()
    expect(page.locator("article")).to_have_count(before - 1)

    card = page.locator("article").first
    card.get_by_role("button", name="The same").click()
    expect(card.get_by_text("Merged.")).to_be_visible()
    card.get_by_role("button", name="Undo").click()
    expect(card.get_by_text("Undone.")).to_be_visible()
    page.reload()
    expect(page.locator("article")).to_have_count(before - 1)

    page.get_by_text("Undo (1)").click()
    page.locator(".journal").get_by_role("button", name="Undo").click()
    expect(page.locator("article")).to_have_count(before)
    expect(page.locator(".journal")).to_be_hidden()


def test_health_shows_parts_counts_and_growth(page: Page) -> None:
    """In words, a plot and a table."""
    page.get_by_role("link", name="Health").click()
    expect(page.get_by_role("heading", name="Everything works")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("5 items by March 2026"))).to_be_visible()
    page.get_by_text("As a table").click()
    expect(page.get_by_role("cell", name="March 2026")).to_be_visible()


def test_what_failed_is_tried_again(page: Page, told: App) -> None:
    """With its reason; once it is asked for it waits as any other work does."""
    told.remember(Memory(content="Broken", title="Broken"))
    for job in told.store.claim(["embed"], 5, timedelta(minutes=1), "test"):
        told.store.fail([job], "too long")
    page.get_by_role("link", name="Health").click()
    expect(page.get_by_text("too long")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("Queued again.")).to_be_visible()
    assert [job.kind for job in told.store.claim(["embed"], 5, timedelta(minutes=1), "test")] == ["embed"]


def test_communities_lead_to_what_they_hold(page: Page) -> None:
    """By kind; who matters most is listed beside them."""
    page.get_by_role("link", name="Communities").click()
    expect(page.get_by_role("complementary", name="Central").get_by_role("link", name="Ana Silva")).to_be_visible()
    cut = "names => names.filter(one => !one.closest('.one-line') && one.scrollWidth > one.clientWidth).length"
    assert page.locator(".map .name").evaluate_all(cut) == 0
    page.get_by_role("region", name="Communities").get_by_role("link").first.click()
    expect(page.get_by_role("heading", name=re.compile("^People"))).to_be_visible()
    page.get_by_role("listitem").get_by_role("link", name="Ana Silva", exact=True).click()
    expect(page.locator("article.thing").get_by_role("heading", level=1)).to_be_visible()


def test_who_may_only_read_is_offered_no_change(context: BrowserContext, told: App) -> None:
    """The session has the rights of its token."""
    secret = issued(told.store, "reader", read_only=True)
    with http_service(told) as address:
        assert context.request.post(f"{address}/api/session", headers=authorization(secret)).ok
        page = context.new_page()
        page.goto(f"{address}/#/commitments")
        expect(page.get_by_role("article").first).to_be_visible()
        assert page.get_by_text("Change status").count() == 0
        page.goto(f"{address}/#/review")
        expect(page.get_by_text("This session is read-only")).to_be_visible()
        assert page.get_by_role("button", name="The same").count() == 0


def test_several_commitments_are_settled_at_once_and_taken_back(page: Page, told: App) -> None:
    """Those that are chosen, and no other."""
    open_ = CommitmentsQuestion(status="open")
    before = {item.id for item in told.commitments(open_).items}
    page.get_by_role("link", name="Commitments").click()
    settle = page.get_by_role("group", name="Settle the chosen")
    expect(settle.get_by_role("button", name="Done")).to_be_disabled()
    page.get_by_role("checkbox", name=re.compile("migration plan")).check()
    page.get_by_role("checkbox", name=re.compile("markup")).check()
    settle.get_by_role("button", name="Done").click()
    expect(settle).to_contain_text("2 commitments set to done.")
    assert len({item.id for item in told.commitments(open_).items}) == len(before) - 2

    settle.get_by_role("button", name="Undo").click()
    expect(settle).to_contain_text("2 commitments set to open.")
    assert {item.id for item in told.commitments(open_).items} == before


def test_a_pair_is_judged_by_one_key(page: Page) -> None:
    """The next has the focus then; another key takes it back."""
    page.get_by_role("link", name="Review").click()
    pair = page.locator("article.pair").first
    pair.focus()
    page.keyboard.press("d")
    expect(pair).to_contain_text("Kept separate.")
    pair.focus()
    page.keyboard.press("u")
    expect(pair).to_contain_text("Undone.")
    expect(pair.get_by_role("button", name="The same")).to_be_visible()


def test_what_is_uncertain_is_settled_by_one_key(page: Page, address: str, told: App) -> None:
    """Wrong takes a decision out for good, until that is taken back."""
    content = "## Notes\n\n- OK, let us take the green tiles.\n- Use the larger hall for the fair.\n"
    told.remember(Memory(content=content, title="Kitchen", context="meeting", date="2026-03-09"), wait=True)
    page.goto(f"{address}/#/review?show=uncertain")
    card = page.get_by_role("article").filter(has_text="take the green tiles").first
    expect(card).to_contain_text("OK, let us take the green tiles.")
    card.focus()
    page.keyboard.press("w")
    expect(card).to_contain_text("Taken out.")
    page.reload()
    expect(page.get_by_role("article").filter(has_text="larger hall").first).to_be_visible()
    assert page.get_by_role("article").filter(has_text="take the green tiles").count() == 0

    hall = page.get_by_role("article").filter(has_text="larger hall").first
    hall.get_by_role("button", name="Right").click()
    hall.get_by_role("button", name="Undo").click()
    expect(hall.get_by_text("Undone.")).to_be_visible()


def test_the_ledger_is_a_table_in_groups_and_a_file(page: Page) -> None:
    """With the words of each decision; a cell is no formula."""
    page.get_by_role("link", name="Decisions").click()
    page.get_by_role("link", name="Table").click()
    page.get_by_label("Grouped by").select_option("body")
    expect(page.get_by_role("heading", name="Ana Berg")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("lathe"))).to_contain_text("Call")

    files = dict[str, str]()
    for name in ("CSV", "Markdown"):
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        files[name] = Path(download.value.path()).read_text()
    assert '"Ana Berg decided to buy the lathe."' in files["CSV"]
    assert "> Ana Berg decided to buy the lathe." in files["Markdown"]
    assert page.evaluate("async () => (await import('/parts/export.js')).csv([{ summary: '=1+1' }])").endswith(
        '"\'=1+1","","","","","",""'
    )
