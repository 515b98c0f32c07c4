"""`faceted_search`, on both engines, through a real MCP client: its text word for word, and its pages."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp_types import TextContent

from core.interface.memory import CONTEXTS
from core.interface.question import FacetQuestion
from retrieval.answers.facets import Snapshots, faceted_search, format_item
from service.app import App
from tests.contracts.makers import HOSTILE, PROJECT, at, item, pieces

pytestmark = pytest.mark.anyio

_TEXTS = st.text(min_size=1, max_size=30).filter(lambda text: bool(text.strip()))


async def listed(client: Client, **asked: object) -> list[str]:
    """Return the lines of an answer."""
    result = await client.call_tool("faceted_search", asked)
    assert not result.is_error, result.content
    assert result.structured_content is None
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text.split("\n")


async def contents(client: Client, **asked: object) -> list[str]:
    """Return the contents of the items of a page."""
    _, *lines = await listed(client, **asked)
    return [fields(line)[0] for line in lines if not line.startswith("# ")]


def bare(text: str, sign: str) -> list[str]:
    """Cut text at a sign wherever no backslash stands before it."""
    parts = re.findall(rf"((?:\\.|[^\\{sign}])*)(?:[{sign}]|$)", text)[:-1]
    return [] if parts == [""] else parts


def fields(shown: str) -> list[str]:
    """Read a line as docs/facets.md says."""
    return [unescaped(part) for part in bare(shown, "|")]


def unescaped(field: str) -> str:
    """Undo the escapes of one field."""
    short = {"n": "\n", "r": "\r"}

    def plain(found: re.Match[str]) -> str:
        return chr(int(found[1], 16)) if found[1] else short.get(found[2], found[2])

    return re.sub(r"\\(?:u([0-9a-f]{4})|(.))", plain, field)


async def remember(client: Client, content: str, **given_: object) -> str:
    result = await client.call_tool("remember", {"content": content} | given_)
    assert not result.is_error, result.content
    return str((result.structured_content or {})["id"])


@pytest.mark.both_engines
async def test_equally_frequent_tags_are_in_the_order_of_people(client: Client) -> None:
    """Ä next to A, whatever the case, and letters of other languages where their readers look for them."""
    tags = ["Zug", "apfel", "Ärger", "Arbeit", "øl", "Oper", "ısı", "Igel", "straße", "Strasse"]
    for tag in tags:
        await remember(client, f"About {tag}.", tags=[tag])
    shown = next(line for line in await listed(client, counts=True) if line.startswith("# tags "))

    assert [one.partition("=")[0] for one in shown.removeprefix("# tags ").split()] == [
        "apfel", "Arbeit", "Ärger", "Igel", "ısı", "øl", "Oper", "Strasse", "straße", "Zug",
    ]  # fmt: skip


@pytest.mark.both_engines
async def test_the_text_is_that_of_the_contract(client: Client) -> None:
    """docs/interface.md `faceted_search`: a header, then a line an item, newest first, fields and escapes as they are
    fixed."""
    first = await remember(
        client, "One|two\\three\nfour", tags=["tag1", "tag2"], date="2026-01-01", metadata={"key": "val"}
    )
    second = await remember(client, "Plain.", date="2026-01-02T10:00:00Z")

    header, *lines = await listed(client)

    assert header == "# page=1 total=2 page_size=10 has_more=false total_pages=1"
    assert re.fullmatch(rf"Plain\.\|\|\{{\}}\|2026-01-02T10:00:00\.000000Z\|[\d-]+T[\d:.]+Z\|{second}", lines[0])
    start = 'One\\|two\\\\three\\nfour|tag1,tag2|{"key":"val"}|2026-01-01T00:00:00.000000Z|'
    assert lines[1].startswith(start)
    assert lines[1].endswith("|" + first)
    assert len(lines) == 2


@pytest.mark.parametrize(
    ("page", "header", "number"),
    [
        (1, "# page=1 total=7 page_size=3 has_more=true total_pages=3", 3),
        (3, "# page=3 total=7 page_size=3 has_more=false total_pages=3", 1),
        (4, "# page=4 total=7 page_size=3 has_more=false total_pages=3", 0),
        (10**30, f"# page={10**30} total=7 page_size=3 has_more=false total_pages=3", 0),
    ],
)
async def test_the_header_says_what_there_is(client: Client, page: int, header: str, number: int) -> None:
    """docs/interface.md: the arithmetic of pages, at the ends and behind them."""
    for day in range(1, 8):
        await remember(client, f"Day {day}.", date=f"2026-01-0{day}")

    lines = await listed(client, page=page, page_size=3)

    assert (lines[0], len(lines) - 1) == (header, number)
    assert (await listed(client, tags=["none"])) == ["# page=1 total=0 page_size=10 has_more=false total_pages=0"]


@given(_TEXTS, st.lists(_TEXTS, max_size=3, unique=True))
def test_any_text_stays_on_one_line_and_is_read_back(content: str, tags: list[str]) -> None:
    """A line is one for every reader, and nothing is lost in it."""
    shown = format_item(item(content, tags=tuple(tags), metadata={"m": content}))
    raw = bare(shown, "|")

    assert len(shown.splitlines()) == 1
    assert len(raw) == 6
    assert unescaped(raw[0]) == content
    assert [unescaped(tag) for tag in bare(raw[1], ",")] == tags
    assert json.loads(unescaped(raw[2])) == {"m": content}


@pytest.mark.parametrize("text", HOSTILE)
async def test_texts_that_have_broken_stores_are_listed(client: Client, text: str) -> None:
    """Whatever its signs, an item is one line, found by its tag."""
    await remember(client, text, tags=[text, "a,b"])

    header, shown = await listed(client, tags=[text])

    assert " total=1 " in header
    assert len(shown.splitlines()) == 1
    assert fields(shown)[0] == text
    assert [unescaped(tag) for tag in bare(bare(shown, "|")[1], ",")] == [text, "a,b"]


ASKED: list[tuple[dict[str, Any], list[str]]] = [
    ({"tags": ["python", "api"]}, ["both", "api", "python"]),
    ({"tags": ["python", "api"], "tag_match_all": True}, ["both"]),
    ({"tags": ["pyth"]}, []),
    ({"tags": []}, ["both", "api", "python", "none"]),
    ({"memory_type": "decision"}, ["api"]),
    ({"date_from": "2026-01-03"}, ["both", "api"]),
    ({"date_to": "2026-01-03"}, ["api", "python", "none"]),
    ({"date_from": "2026-01-02T00:00:00Z", "date_to": "2026-01-03T00:00:00Z"}, ["api", "python"]),
    ({"date_from": "1d"}, []),
    ({"tags": ["python"], "memory_type": "note", "date_from": "2026-01-03"}, ["both"]),
    ({"tags": '["api"]', "memory_type": None}, ["both", "api"]),
]


@pytest.mark.parametrize(("asked", "expected"), ASKED)
async def test_facets_narrow_alone_and_together(client: Client, asked: dict[str, Any], expected: list[str]) -> None:
    """docs/interface.md: any tag or all of them; type; dates absolute and relative, ends included."""
    for content, day, given_ in (
        ("none", 1, {}),
        ("python", 2, {"tags": ["python"]}),
        ("api", 3, {"tags": ["api"], "context": "decision"}),
        ("both", 4, {"tags": ["api", "python"]}),
    ):
        await remember(client, content, **({"context": "note", "date": f"2026-01-0{day}"} | given_))

    assert await contents(client, **asked) == expected


@pytest.mark.both_engines
async def test_a_tag_is_found_in_any_spelling_and_by_its_parents(client: Client) -> None:
    """docs/facets.md, Tags: by every tool that filters by tags; what is shown is the tag as it was given."""
    north = await remember(client, "The north shed needs a roof.", tags=["Work_Sites/North"])
    sites = await remember(client, "All sheds are insured.", tags=["#work sites"])
    await client.call_tool("context_stash", {"segment_ids": [north]})

    async def recalled(*tags: str) -> list[str]:
        result = await client.call_tool("recall", {"query": "sheds", "tags": list(tags)})
        return sorted(one["id"] for one in (result.structured_content or {})["results"])

    async def stashed(*tags: str) -> list[str]:
        result = await client.call_tool("context_search_stashed", {"filters": {"tags": list(tags)}})
        return [one["id"] for one in (result.structured_content or {})["segments"]]

    for child in ("work sites/north", "#ＷＯＲＫ-sites/NORTH ", "Work_Sites/North"):
        assert await contents(client, tags=[child]) == ["The north shed needs a roof."]
        assert await recalled(child) == await stashed(child) == [north]
    for parent in ("work-sites", " #Work Sites", "WORK_SITES/"):
        assert len(await contents(client, tags=["none", parent])) == 2
        assert len(await contents(client, tags=["#work_sites/north", parent], tag_match_all=True)) == 1
        assert await recalled(parent) == sorted([north, sites])
        assert await stashed(parent) == [north]
    assert await contents(client, tags=["north"]) == await recalled("north") == await stashed("work") == []
    assert "# tags #work\\u0020sites=1 Work_Sites/North=1" in await listed(client, tags=["work sites"], counts=True)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"date_from": "soon"}, 'Invalid date format. Use ISO8601 or relative (e.g., "7d")'),
        ({"date_to": "7 d"}, 'Invalid date format. Use ISO8601 or relative (e.g., "7d")'),
        ({"date_to": "9999y"}, 'Invalid date format. Use ISO8601 or relative (e.g., "7d")'),
        ({"memory_type": "diary"}, f"memory_type must be one of: {', '.join(CONTEXTS)}"),
        ({"page": 0}, "page must be >= 1"),
        ({"page_size": 101}, "page_size must be <= 100"),
        ({"page_size": 0}, "page_size must be >= 1"),
        ({"stored_until": "x"}, 'Invalid date format. Use ISO8601 or relative (e.g., "7d")'),
    ],
)
async def test_errors_are_word_for_word_those_of_the_contract(
    client: Client, asked: dict[str, Any], message: str
) -> None:
    """docs/interface.md `faceted_search`, Errors."""
    result = await client.call_tool("faceted_search", asked)

    assert result.is_error
    assert isinstance(result.content[0], TextContent)
    assert json.loads(result.content[0].text) == {"error": message, "code": "invalid_input"}


@pytest.mark.both_engines
async def test_pages_stay_what_they_were_while_items_come_change_and_go(client: Client) -> None:
    """Issue 6: stable paging; neither newer items nor older dates, new revisions or deletions shift a later page."""
    ids = {
        n: await remember(client, f"Item {n}.", date=f"2026-01-{n:02}", key=f"k{n}", tags=["t"]) for n in range(1, 10)
    }
    asked: dict[str, Any] = {"tags": ["t"], "page_size": 3}
    first = await contents(client, **asked)
    await remember(client, "Newest.", date="2026-02-01", tags=["t"])
    await remember(client, "Oldest.", date="2025-01-01", tags=["t"])
    await remember(client, "Item 8, again.", date="2026-01-08", key="k8", tags=["t"])
    await client.call_tool("forget", {"id": ids[7], "confirm": True})

    second, third = await listed(client, page=2, **asked), await contents(client, page=3, **asked)

    assert first == ["Item 9.", "Item 8.", "Item 7."]
    assert second[0] == "# page=2 total=9 page_size=3 has_more=true total_pages=3"
    assert [fields(line)[0] for line in second[1:]] == ["Item 6.", "Item 5.", "Item 4."]
    assert third == ["Item 3.", "Item 2.", "Item 1."]
    assert await contents(client, **asked) == ["Newest.", "Item 9.", "Item 8, again."]


async def test_a_moment_can_be_named(client: Client, app: App) -> None:
    """`stored_until` shows the memory of a moment in any process, on any page."""
    for n in range(1, 6):
        await remember(client, f"Item {n}.", date=f"2026-01-0{n}")
    moment = max(item.created_at for batch in app.store.each("default") for item in batch).isoformat()
    await remember(client, "Later.", date="2026-01-09")
    await remember(client, "Later, of before.", date="2025-01-09")
    fresh = Snapshots()

    pages = [
        faceted_search(app.store, fresh, "default", FacetQuestion(page=page, page_size=2, stored_until=moment))
        for page in (3, 2, 1)
    ]

    assert [[fields(line)[0] for line in page.split("\n")[1:]] for page in pages] == [
        ["Item 1."], ["Item 3.", "Item 2."], ["Item 5.", "Item 4."],
    ]  # fmt: skip
    assert " total=5 " in pages[0]


async def test_facets_are_counted_over_all_pages(client: Client) -> None:
    """Issue 6: how many per tag, type and month, of all that match and not only of the page."""
    for n in range(1, 8):
        tags = ["even" if n % 2 == 0 else "odd tag", "a=b|c"]
        await remember(client, f"Item {n}.", context="note", date=f"2026-0{1 + n // 4}-15", tags=tags)
    await remember(client, "Fact.", context="fact", date="2025-12-31")

    every = await listed(client, page=2, page_size=5, counts=True)
    odd = await listed(client, tags=["odd tag"], page_size=1, counts=True)

    assert every[0] == "# page=2 total=8 page_size=5 has_more=false total_pages=2"
    assert every[4:] == [
        "# tags a=b\\|c=7 odd\\u0020tag=4 even=3",
        "# types note=7 fact=1",
        "# months 2026-02=4 2026-01=3 2025-12=1",
    ]
    assert odd[2:] == [
        "# tags a=b\\|c=4 odd\\u0020tag=4",
        "# types note=4",
        "# months 2026-01=2 2026-02=2",
    ]


async def test_no_more_than_fifty_values_of_a_facet_are_listed(client: Client) -> None:
    """The most frequent ones, and how many more there are."""
    await remember(client, "Many.", tags=[f"tag{n:02}" for n in range(53)])
    await remember(client, "One.", tags=["tag52"])

    tags = (await listed(client, counts=True))[3]

    assert tags.startswith("# tags tag52=2 tag00=1 tag01=1 ")
    assert tags.endswith(" tag48=1 (3 more)")


def test_pages_are_forgotten_after_an_hour_and_when_others_come(app: App) -> None:
    """What is kept of questions is bounded; a page of a forgotten one shows the memory as it is."""
    for n in range(4):
        given_ = item(f"Item {n}.", stored=at(n))
        app.store.add(given_, pieces(given_), [])
    clock = [0.0]
    moments = Snapshots(lambda: clock[0])

    def shown(page: int, *, tag: str | None = None) -> list[str]:
        question = FacetQuestion(page=page, page_size=2, tags=() if tag is None else (tag,))
        text = faceted_search(app.store, moments, PROJECT, question)
        return [fields(one)[0] for one in text.split("\n")[1:]]

    def begin_and_add(n: int) -> None:
        assert len(shown(1)) == 2
        newer = item(f"Item {n}.", stored=at(n))
        app.store.add(newer, pieces(newer), [])

    begin_and_add(4)
    assert shown(2) == ["Item 1.", "Item 0."]
    clock[0] += 3_601
    assert shown(2) == ["Item 2.", "Item 1."]
    begin_and_add(5)
    for n in range(1_000):
        shown(1, tag=f"tag {n}")
    assert shown(2) == ["Item 3.", "Item 2."]


async def test_items_that_expired_are_on_no_page_and_other_projects_on_none(client: Client) -> None:
    """docs/interface.md: neither visible nor countable."""
    await remember(client, "Gone.", tags=["t"], expires_at="2020-01-01")
    await remember(client, "Elsewhere.", tags=["t"], project_id="other")

    assert await listed(client, counts=True) == [
        "# page=1 total=0 page_size=10 has_more=false total_pages=0", "# tags", "# types", "# months",
    ]  # fmt: skip
    assert await contents(client, tags=["t"], project_id="other") == ["Elsewhere."]


async def test_a_page_of_long_items_is_short_unless_all_of_it_is_asked_for(client: Client) -> None:
    """The beginning of each text, then `…`; some clients refuse answers of over 25,000 tokens."""
    long, tags, metadata = (
        "A walk | by\nthe river. " * 500,
        [f"tag-{n}" * 20 for n in range(100)],
        {"a": 1, "b": "x" * 9_000},
    )
    for number in range(12):
        await remember(client, f"{number}: {long}", tags=tags, metadata=metadata)
    page = "\n".join(await listed(client))
    shown = fields((await listed(client, page_size=1))[1])
    whole = fields((await listed(client, page_size=1, full=True))[1])
    assert len(page) < 20_000
    assert shown[0].endswith("…")
    assert whole[0].startswith(shown[0][:-1])
    assert len(shown[0]) <= 501
    assert (shown[1].split(",")[-1], json.loads(shown[2])) == ("…", {"a": 1, "…": "1 more"})
    assert (whole[0][:3], len(whole[0]), json.loads(whole[2])) == ("11:", 4 + len(long), metadata)
    assert whole[1] == ",".join(tags)
