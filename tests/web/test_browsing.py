"""The graph browser as its readers use it, in a real browser: finding, looking, growing, going back in time."""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from rich.progress import Progress

from benchmarks.browser import fill
from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from graph.sqlite_store import SqliteStore
from service.app import App
from tests.http_serving import SECRET, authorization, http_service
from tests.web.loading import shown

#: Draw a crowded neighbourhood, and compare the boxes of the names that are shown with each other and with the nodes.
CROWDED = """async () => {
    const { Canvas } = await import('/graph/canvas.js');
    const { Graph } = await import('/graph/shown_graph.js');
    const node = (i) => ({ id: `n${i}`, kind: i % 2 ? 'event' : 'entity', type: i % 2 ? 'Decision' : 'person',
        degree: i, name: `Number ${i} has quite a long name`.slice(0, 8 + (i * 7) % 30),
        event_time: `2026-01-${10 + i % 19}` });
    const nodes = Array.from({ length: 40 }, (_, i) => node(i));
    const graph = new Graph('n0');
    graph.grow('n0', { nodes, edges: [], left_out: null });
    const area = document.querySelector('[role=application]').cloneNode();
    document.querySelector('.place').prepend(area);
    const canvas = new Canvas(area, {}, 40);
    canvas.draw(graph, 'n0');
    const shown = canvas.cy.nodes().filter((one) => !one.hasClass('unlabelled'));
    const boxes = [...shown.map((one) => [one.id(), one.boundingBox({ includeNodes: false })]),
        ...canvas.cy.nodes().map((one) => [one.id(), one.boundingBox({ includeLabels: false })])];
    const meet = (a, b) => a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2;
    const overlaps = boxes.flatMap(([a, one], i) => boxes
        .slice(i + 1).filter(([b, other]) => a !== b && meet(one, other)));
    return { shown: shown.length, overlaps, size: parseFloat(shown[0].style("font-size")) * canvas.cy.zoom() };
}"""

LIST = (
    "# Yard\n\n"
    + "\n\n".join(f"* Item {number} is about rope and paint. Nobody asked." for number in range(12))
    + "\n\n* The crane is old. The blue crane hoists\n  Ana's wet anchors. It is loud.\n\n* Anchors are wet."
)
DRAWN = """async (texts) => {
    const { excerpt, plain } = await import('/details/marks.js');
    const { drawn, whole } = await import('/details/quote.js');
    const shown = (text) => {
        const line = document.createElement('p');
        line.append(...drawn(text));
        document.querySelector('main').append(line);
        return line.innerText;
    };
    const text = 'The yard talked over [the crane](https://e.org/1) and its new\\n  owner.\\n\\n**Agreed**';
    return { marked: texts.map(shown), plain: texts.map(plain),
        excerpt: excerpt({ content: 'edDict rope. The crane is blue.', marks: [{ start: 17, end: 22 }],
            chunk: { start_char: 30, end_char: 61 } }).text,
        whole: whole('The yard talked over the crane and its…: Agreed',
            { start_char: [...text].length - 8, quote: 'Agreed' }, { text, text_offset: 0 }) };
}"""

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def found(page: Page, question: str) -> None:
    """Ask the search box."""
    box = page.get_by_role("combobox", name="Search the memory")
    box.fill(question)
    box.press("Enter")
    expect(page.get_by_role("heading", name=f"“{question}”")).to_be_visible()


def around(page: Page, name: str) -> None:
    """Go to what is around a name."""
    page.get_by_role("link", name="Explore").click()
    page.get_by_label("A person, organisation, project or thing").fill(name)
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("complementary", name="Details").get_by_role("heading", name=name)).to_be_visible()


def nodes(page: Page) -> int:
    """How many nodes the page says that it shows."""
    said = page.locator("main > p[role=status]").inner_text()
    return int(said.partition(" node")[0])


@pytest.mark.both_engines
def test_a_question_leads_to_the_words_in_their_text(page: Page) -> None:
    """The words asked for are set off; the title opens the text, where every quote is marked and leads to its event."""
    found(page, "Who sends the migration plan?")

    expect(page.locator("article mark").filter(has_text="migration").first).to_be_visible()
    page.get_by_role("link", name="Minutes", exact=True).click()
    expect(page.locator(".source-text")).to_contain_text("Ana Silva decided to use Postgres for billing.")
    page.locator(".source-text mark a", has_text="Ben Ode will send").first.click()
    expect(page.locator(".in-place mark")).to_contain_text("by 2026-03-20")
    expect(page.locator(".in-place")).to_contain_text("Ana Silva decided to use Postgres for billing.")
    expect(page.get_by_role("complementary", name="Related")).to_contain_text("Postgres")


def test_a_search_marks_the_sentence_that_it_found(page: Page, told: App) -> None:
    """Of a passage the one with most of the words asked for: without bullets, from a word on."""
    told.remember(Memory(content=LIST, title="Yard", date="2026-03-09"), wait=True)
    found(page, "Which crane hoists the wet anchors?")
    page.get_by_role("link", name="Yard", exact=True).click()

    marks = page.locator(".source-text mark.found")
    expect(marks).to_have_text(["The blue crane hoists", "Ana's wet anchors."])
    expect(marks.first).to_be_in_viewport()


def test_the_signs_of_markdown_are_not_shown(page: Page) -> None:
    """Neither the address of a link nor a backslash of Markdown; code and what is no sign stay."""
    drawn = page.evaluate(
        DRAWN,
        [
            r"* a\_b `c\_d`",
            "see [the page](https://e.org/x) - [cut…",
            "half [a\nlink](https://e.org)",
            "the `**` and `**kwargs` **now**",
        ],
    )

    assert drawn["marked"] == ["• a_b `c\\_d`", "see the page - [cut…", "half a link", "the `**` and `**kwargs` now"]
    assert drawn["plain"][1] == "see the page - cut…"
    assert drawn["excerpt"] == "The crane is blue."
    assert drawn["whole"] == "The yard talked over the crane and its new owner: Agreed"


@pytest.mark.both_engines
def test_a_person_s_page_says_what_is_open_and_decided_by_them(page: Page) -> None:
    """Before anything else; and every name and sentence leads to its own page."""
    found(page, "Who sends the migration plan?")
    page.locator("ul.chips").get_by_role("link", name="Ben Ode").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ben Ode")
    page.get_by_role("link", name=re.compile("migration plan")).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("migration plan")
    page.get_by_role("link", name="Ana Silva").first.click()
    decided = page.locator("section", has=page.get_by_role("heading", name=re.compile("^Decided")))
    expect(decided).to_contain_text("MySQL")


@pytest.mark.both_engines
def test_a_long_history_is_narrowed_to_the_years_chosen(page: Page, address: str, told: App) -> None:
    """By the mouse or a slider; what is open for long is listed, and the address keeps the years."""
    for day, words in (
        ("2019-03-04", "Ben Ode will paint the old fence."),
        ("2021-05-06", "Ben Ode will mend the old gate."),
        ("2023-07-08", "Ben Ode decided to buy the ladder."),
    ):
        told.remember(Memory(content=words, title=f"Diary of {day}", date=day), wait=True)
    [ben] = [one.id for one in told.store.entities_by_prefix("default", "Ben Ode", 5)]
    page.goto(f"{address}/#/thing?id={ben}")
    long = page.locator("section", has=page.get_by_role("heading", name=re.compile("^Open for more than a year")))
    expect(long).to_contain_text("paint the old fence")
    expect(long).to_contain_text("mend the old gate")
    chart = page.locator(".timechart")
    box = chart.bounding_box()
    assert box
    page.mouse.move(box["x"] + 2, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.15, box["y"] + 20)
    page.mouse.up()
    expect(long).to_contain_text("paint the old fence")
    expect(long).not_to_contain_text("mend the old gate")
    expect(page.get_by_role("complementary")).not_to_contain_text("Diary of 2023-07-08")
    page.reload()
    expect(long).not_to_contain_text("mend the old gate")
    page.get_by_role("button", name="All years").click()
    expect(long).to_contain_text("mend the old gate")
    page.get_by_role("slider", name="From", exact=True).press("End")
    expect(page.get_by_text("paint the old fence")).to_have_count(0)


def test_a_question_is_answered_in_three_clicks(page: Page, address: str, told: App) -> None:
    """Who decided it, when, what was promised because of it, what replaced it: from the search box to the sentence."""
    minutes = (
        (
            "2021-02-03",
            "Ida Holm",
            "We agreed to print the poster in green. Otto Lind will order the green paper by 2021-03-01.",
        ),
        ("2021-06-09", "Ida Holm", "We agreed to print the poster in blue instead of green."),
    )
    for day, author, words in minutes:
        content = f"# Poster group\n\nPresent: {author}, Otto Lind\n\n## The poster\n\n{words}\n"
        told.remember(Memory(content=content, title=f"Poster group {day}", context="meeting", date=day), wait=True)
    found(page, "poster printed in green")
    page.locator("ul.events").get_by_role("link", name=re.compile("poster in green")).first.click()
    expect(page.get_by_text("3 February 2021").first).to_be_visible()
    expect(page.locator(".in-place figcaption")).to_contain_text("The poster")
    promised = page.get_by_role("complementary", name="Related")
    expect(promised).to_contain_text("order the green paper")
    promised.get_by_role("link", name=re.compile("order the green paper")).click()
    expect(page.locator("dl.facts")).to_contain_text("1 March 2021")

    found(page, "Otto Lind")
    page.get_by_role("list", name="Called so").get_by_role("link", name="Otto Lind").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Otto Lind")


def test_titles_and_tags_complete_what_is_searched(page: Page, address: str, told: App) -> None:
    """A title leads to its text, a tag to all texts that have it."""
    told.remember(Memory(content="The roof is tight.", title="Survey of the roof", tags=("roofing",)), wait=True)
    box = page.get_by_role("combobox", name="Search the memory")
    box.fill("survey of")
    expect(page.locator("datalist option[value='Survey of the roof']")).to_have_count(1)
    box.fill("Survey of the roof")
    box.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Survey of the roof")
    box.fill("roofing")
    expect(page.locator("datalist option[value='tag:roofing']")).to_have_count(1)
    box.fill("tag:roofing")
    box.press("Enter")
    expect(page.locator("article.result")).to_have_count(1)


def test_home_says_what_is_due_and_what_was_decided_last(page: Page, address: str) -> None:
    """In words: no parameter of a tool stands in any of them."""
    page.goto(f"{address}/")
    for heading, words in (("Open commitments", "migration plan"), ("Latest decisions", "lathe")):
        expect(page.locator("section", has=page.get_by_role("heading", name=heading))).to_contain_text(words)
    for view in ("", "search", "search?q=billing", "decisions", "commitments", "review"):
        shown(page, address, view)
        said = page.locator("main").inner_text()
        assert not re.search(r"offset=|limit=|status=|min_confidence|\[object", said), said


def test_what_is_open_for_long_is_one_click_from_home(page: Page, address: str, told: App) -> None:
    """Counted apart from what is open, and unfolded in the list of commitments; its tag is that of its own page."""
    words = "Ben Ode will paint the old fence by 2019-03-20."
    told.remember(Memory(content=words, title="Fence", date="2019-03-04"), wait=True)
    page.goto(f"{address}/#/search")
    page.goto(f"{address}/#/")
    expect(page.get_by_role("status").filter(has_text="open promise")).to_contain_text("1 older than a year")
    page.get_by_role("link", name="1 more").click()
    heading = page.get_by_role("heading", name=re.compile(r"^Overdue \(\d\), 1 older than a year folded below"))
    expect(heading).to_be_visible()
    card = page.get_by_role("article").filter(has_text="old fence")
    expect(card.locator(".badge")).to_have_text("overdue")
    expect(page.locator("details.old > summary")).to_be_in_viewport()
    card.locator(".said").get_by_role("link").click()
    expect(page.locator("article.thing .badge").first).to_have_text("overdue")
    page.get_by_role("combobox", name="Search the memory").fill("fence")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("“fence”")
    page.goto(f"{address}/#/")
    expect(page.get_by_role("combobox", name="Search the memory")).to_have_value("")


def test_home_lists_approvals_of_minutes_behind_other_decisions(page: Page, address: str, told: App) -> None:
    """They are listed with all others under Decisions."""
    for number in range(8):
        content = f"The minutes of week {number} were approved by the board."
        told.remember(Memory(content=content, context="meeting", date=f"2030-01-{10 + number}"), wait=True)
    page.goto(f"{address}/#/")
    latest = page.locator("section", has=page.get_by_role("heading", name="Latest decisions"))
    expect(latest.locator("li").first).to_be_visible()
    assert "minutes" not in latest.locator("li").first.inner_text()
    page.goto(f"{address}/#/decisions")
    expect(page.locator("main")).to_contain_text("The minutes of week 7 were approved")


@pytest.mark.both_engines
def test_a_node_grows_and_folds_again(page: Page) -> None:
    """By its button in the list, and the address remembers what is open."""
    around(page, "Acme Corp")
    page.get_by_role("link", name="List").click()
    before = nodes(page)
    page.get_by_role("button", name=re.compile("^Grow Ana Silva")).click()
    expect(page.get_by_role("button", name=re.compile("^Fold Ana Silva"))).to_be_visible()
    grown = nodes(page)
    assert grown > before
    page.reload()
    expect(page.get_by_role("button", name=re.compile("^Fold Ana Silva"))).to_be_visible()
    assert nodes(page) == grown
    page.get_by_role("button", name=re.compile("^Fold Ana Silva")).click()
    expect(page.get_by_role("button", name=re.compile("^Grow Ana Silva"))).to_be_visible()
    assert nodes(page) == before


def test_the_canvas_takes_clicks_and_keys(page: Page) -> None:
    """A click grows a node and the next folds it; arrows go to a node, Enter grows it."""
    around(page, "Acme Corp")
    canvas = page.get_by_role("application")
    ana = "nodes().filter(node => node.data('label').startsWith('Ana Silva'))"
    place = f"canvas => canvas._cyreg.cy.{ana}.renderedPosition()"
    drawn = (
        "() => document.querySelector('[role=application]')._cyreg?.cy.nodes().length "
        "=== parseInt(document.querySelector('main > p').innerText)"
    )
    before = nodes(page)
    page.wait_for_function(drawn)  # what is said of it comes first, and nodes move while they are laid out
    canvas.click(position=canvas.evaluate(place))
    page.wait_for_url("**open=ent_*")
    page.wait_for_function("before => parseInt(document.querySelector('main > p').innerText) > before", arg=before)
    page.wait_for_function(drawn)
    canvas.click(position=canvas.evaluate(place))
    page.wait_for_url(lambda url: "open=" not in url)
    page.wait_for_function("before => parseInt(document.querySelector('main > p').innerText) === before", arg=before)

    canvas.focus()
    for key in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_url("**select=*")


def test_no_name_on_the_canvas_covers_another(page: Page) -> None:
    """Nor a node, however long the names are; those without room are shown when they are pointed at."""
    around(page, "Acme Corp")
    drawn = page.evaluate(CROWDED)

    assert drawn["shown"] > 10
    assert drawn["size"] >= 11
    assert drawn["overlaps"] == []


def test_texts_are_folded_into_who_is_mentioned_together(page: Page) -> None:
    """A line between two leads to the texts; one kind of neighbours can be added, and kinds be hidden."""
    around(page, "Ana Silva")
    cy = "document.querySelector('[role=application]')._cyreg.cy"
    page.wait_for_function(f"() => {cy}.edges('[type = \"TOGETHER\"]').length > 0")
    assert page.evaluate(f"{cy}.nodes('.item').length") == 0
    page.evaluate(f"{cy}.edges('[type = \"TOGETHER\"]')[0].emit('tap')")
    expect(page.get_by_role("heading", name="Mentioned together")).to_be_visible()
    expect(page.get_by_role("complementary").get_by_role("link", name="Minutes").first).to_be_visible()

    around(page, "Ana Silva")
    page.get_by_role("button", name="texts", exact=True).click()
    page.wait_for_function(f"() => {cy}.nodes('.item').length > 0")
    page.get_by_role("button", name="Text", exact=True).click()
    assert page.evaluate(f"{cy}.nodes('.item:visible').length") == 0


def test_filters_narrow_what_is_drawn_and_can_be_cleared(page: Page) -> None:
    """They stand in the address, too."""
    around(page, "Ana Silva")
    before = nodes(page)
    page.get_by_text("Filters", exact=True).click()
    page.get_by_label("Category").select_option("Decision")
    page.get_by_label("Kinds").select_option("event")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**category=Decision*")
    page.get_by_role("link", name="List").click()
    expect(page.get_by_role("heading", name=re.compile("Decisions"))).to_be_visible()
    assert "category=Decision" in page.url
    assert nodes(page) < before
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_text("Filters", exact=True)).to_be_visible()
    assert nodes(page) == before


def test_a_link_shows_another_reader_the_same(page: Page, context: BrowserContext) -> None:
    """The text and the place in it are in the address."""
    found(page, "migration plan")
    page.get_by_role("link", name="Minutes", exact=True).click()
    expect(page.locator(".source-text")).to_be_visible()
    said = page.locator("main").inner_text()

    other = context.new_page()
    other.goto(page.url)
    expect(other.locator(".source-text")).to_be_visible()
    assert other.locator("main").inner_text() == said
    assert other.title() == page.title() == "Minutes · Remembrancer"


def test_as_of_goes_back_in_every_view(page: Page) -> None:
    """What was decided later does not exist then; the slider moves by keys, and the bar says from when one looks."""
    page.get_by_role("link", name="Decisions").click()
    expect(page.locator(".timeline > li")).to_have_count(3)
    page.get_by_text("As of now").click()
    page.get_by_label("Or choose a day").fill("2026-03-02")
    expect(page.locator(".timeline > li")).to_have_count(1)
    expect(page.get_by_text("As of 2 March 2026: what was known then")).to_be_visible()
    panel = page.get_by_text("As of 2 March 2026: what was known then")
    expect(page.get_by_label("Go back in time")).to_be_visible()
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("heading", name="Newest texts")).to_be_visible()
    expect(page.get_by_role("heading", name="Mentioned most often")).to_have_count(0)
    expect(page.get_by_label("Go back in time")).to_be_hidden()
    found(page, "MySQL for billing")
    expect(page.locator("article.result").filter(has_text="MySQL")).to_have_count(0)
    panel.click()
    page.get_by_label("Go back in time").press("End")
    expect(page.locator("article.result").filter(has_text="MySQL")).to_have_count(1)
    assert "as_of" not in page.url


def test_decisions_stand_on_a_time_line_with_what_superseded_them(page: Page) -> None:
    """The older one leads to the newer."""
    page.get_by_role("link", name="Decisions").click()
    older = page.locator(".timeline > li.past")
    expect(older).to_contain_text("Postgres")
    older.locator(".then a").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("MySQL")
    expect(page.locator(".timeline")).to_contain_text("Postgres")


def test_text_that_is_markup_shows_as_text(page: Page) -> None:
    """In results, as a node, in the details: nothing of it becomes an element or runs."""
    found(page, "Who removes the markup?")
    page.get_by_role("link", name="<b>Markup</b>", exact=True).click()
    expect(page.locator(".source-text")).to_contain_text("<img src=x onerror=")
    marks = page.locator(".source-text mark").all_inner_texts()

    assert any(words.startswith("Ben Ode will remove the <b>markup</b>") for words in marks)
    assert page.title() == "<b>Markup</b> · Remembrancer"
    assert page.locator("main img, main b, main script").count() == 0


def test_an_empty_memory_says_how_to_begin(page: Page, address: str) -> None:
    """Where nothing is remembered, no view is a riddle."""
    for view in ("", "search"):
        page.goto(f"{address}/#/{view}?project=empty")
        expect(page.get_by_role("heading", name="Nothing is remembered here yet")).to_be_visible()


def test_a_link_to_nothing_says_what_to_do(page: Page, address: str, told: App) -> None:
    """An id that was never there, a node that was forgotten meanwhile, a name of nothing."""
    page.goto(f"{address}/#/explore?id=art_000000000000")
    expect(page.get_by_role("alert")).to_contain_text("It may have been forgotten since the link was made")
    found(page, "Who removes the markup?")
    page.get_by_role("link", name="<b>Markup</b>", exact=True).click()
    expect(page.locator(".source-text")).to_be_visible()
    told.forget(ForgetRequest(id=page.url.partition("id=")[2].partition("&")[0], confirm=True))
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("It may have been forgotten since the link was made")
    page.goto(f"{address}/#/explore?name=Nobody+Known")
    expect(page.get_by_text("Nothing here is called “Nobody Known”.")).to_be_visible()


def test_who_has_no_session_is_told_how_to_get_one(context: BrowserContext, address: str) -> None:
    """A wrong token is refused with a sentence; the right one opens the page that was asked for."""
    page = context.new_page()
    page.goto(f"{address}/#/decisions")
    expect(page.get_by_text("remembrancer browse")).to_be_visible()
    page.get_by_label("Token").fill("not the token of anybody, and long enough")
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_role("alert")).to_contain_text("token")
    page.get_by_label("Token").fill(SECRET)
    page.get_by_role("button", name="Enter").click()
    expect(page.get_by_role("heading", name="Decisions")).to_be_visible()
    assert authorization(SECRET)["Authorization"] not in page.content()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Token")).to_be_visible()
    assert context.request.get(f"{address}/api/session").status == 401


def test_the_page_goes_on_when_the_server_is_back(context: BrowserContext, told: App) -> None:
    """It says that the memory does not answer, and how to start it; then the view comes by itself."""
    with http_service(told) as address:
        assert context.request.post(f"{address}/api/session", headers=authorization(SECRET)).ok
        page = context.new_page()
        page.goto(f"{address}/")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("link", name="Decisions").click()
    expect(page.get_by_text("The memory does not answer.")).to_be_visible()
    with http_service(told, port=int(address.rpartition(":")[2])):
        expect(page.locator(".timeline > li")).to_have_count(3)
        expect(page.get_by_text("The memory does not answer.")).to_have_count(0)
        page.close()


def test_what_is_set_while_the_server_is_away_is_sent_when_it_is_back(context: BrowserContext, told: App) -> None:
    """Once: nothing has to be written again."""
    with http_service(told) as address:
        assert context.request.post(f"{address}/api/session", headers=authorization(SECRET)).ok
        page = context.new_page()
        page.goto(f"{address}/#/commitments")
        card = page.get_by_role("article").filter(has_text="migration plan")
        card.get_by_text("Change status").click()
        card.get_by_label("Note").fill("sent by hand")
    card.get_by_role("button", name="Set").click()
    expect(page.get_by_text("The memory does not answer.")).to_be_visible()
    with http_service(told, port=int(address.rpartition(":")[2])):
        done = page.get_by_role("region", name="Done or cancelled")
        expect(done).to_contain_text("migration plan")
        expect(done).to_contain_text("sent by hand")
        page.close()


def test_who_stands_in_thousands_of_texts_stays_readable(page: Page, told: App) -> None:
    """200 neighbours are drawn, and how many are left out is said; filters find the others."""
    assert isinstance(told.store, SqliteStore)
    with Progress(disable=True) as progress:
        fill(told.store, 10_000, progress)
    around(page, "Person 0000")

    said = page.locator("main > p[role=status]").inner_text()
    assert nodes(page) <= 201
    assert re.search(r"(At least )?\d{3,} more not drawn", said), said
    expect(page.get_by_role("application").locator("canvas").first).to_be_visible()


def test_text_is_drawn_in_its_own_direction_and_names_its_language(page: Page) -> None:
    """Arabic begins at the right; assistive technology and fonts go by the language of the script."""
    drawn = page.evaluate("""async () => {
        const { el } = await import('/parts/elements.js');
        return ['الاجتماع غدا', '会議は火曜日', 'Собрание', 'The meeting'].map((text) => {
            const shown = el('blockquote', {}, text);
            document.body.append(shown);
            return [shown.lang, getComputedStyle(shown).direction];
        });
    }""")
    assert drawn == [["ar", "rtl"], ["ja", "ltr"], ["ru", "ltr"], ["", "ltr"]]
