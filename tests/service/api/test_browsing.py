"""What the graph browser reads: search, texts, nodes, neighbours, names and the ledger, on both engines."""

from typing import Any

import pytest

from core.interface.memory import Memory
from core.interface.operations import ForgetRequest
from tests.http_serving import issued
from tests.service.api.conftest import TEXT, Api

pytestmark = pytest.mark.both_engines


def test_a_search_marks_the_words_of_the_query(api: Api) -> None:
    """In any of their forms, as half-open ranges of what is shown."""
    found = api.found("/search", q="Who uses Postgres?")

    result = next(one for one in found["results"] if one["id"] == api.item)
    assert {result["content"][mark["start"] : mark["end"]] for mark in result["marks"]} == {"use", "Postgres"}
    assert result["events"]


def test_a_search_for_nothing_lists_the_newest(api: Api) -> None:
    """And what narrows it holds for that as well."""
    everything = [one["id"] for one in api.found("/search")["results"]]

    assert everything[-1] == api.item
    assert len(everything) == 2
    assert [one["id"] for one in api.found("/search", tag="billing")["results"]] == [api.item]
    assert [one["id"] for one in api.found("/search", as_of="2026-03-05")["results"]] == [api.item]
    assert [one["id"] for one in api.found("/search", person="Ben Ode")["results"]] == [api.item]


def test_a_search_is_narrowed_as_recall_is(api: Api) -> None:
    """By numbers, truth values and lists as an address has them."""
    noted = api.app.remember(Memory(content="Ben Ode waters the plants.", source="wiki", importance=0.9)).id

    assert [one["id"] for one in api.found("/search", source="wiki")["results"]] == [noted]
    assert [one["id"] for one in api.found("/search", q="plants", min_importance="0.75")["results"]] == [noted]
    assert api.found("/search", q="Who uses Postgres?", expand="false", include_entities="false")["entities"] == []
    kinds = {one["category"] for one in api.found("/search", q="plants", graph_filters=["Decision"])["related"]}
    assert kinds <= {"Decision"}
    for wrong in ({"min_importance": "1.5"}, {"expand": "maybe"}, {"graph_budget": "51"}, {"sensitivity": "secret"}):
        assert api.get("/search", q="plants", **wrong).status_code == 400


def test_the_ledger_is_narrowed_as_the_tools_are(api: Api) -> None:
    """By how sure its entries are, and by who receives what was promised."""
    assert api.found("/decisions", min_confidence="0")["total_count"] >= api.found("/decisions")["total_count"] > 0
    assert api.found("/commitments", recipient="Nobody At All")["items"] == []
    assert api.get("/decisions", min_confidence="2").status_code == 400


def test_a_text_comes_with_the_place_of_every_quote(api: Api) -> None:
    """`text[start_char:end_char]` is what the event rests on."""
    item = api.found(f"/items/{api.item}")

    assert (item["text"], item["title"], item["length"]) == (TEXT, "Minutes", len(TEXT))
    assert item["next_text_offset"] is None
    quotes = {quote["category"]: TEXT[quote["start_char"] : quote["end_char"]] for quote in item["quotes"]}
    assert "decided to use Postgres" in quotes["Decision"]
    assert "send the migration plan" in quotes["Commitment"]
    assert {"Ana Silva", "Ben Ode"} <= {entity["name"] for entity in item["entities"]}


def test_a_long_text_comes_in_parts(api: Api) -> None:
    """Each tells where the next begins."""
    text = "A line of a long log.\n" * 10_000
    long = api.app.remember(Memory(content=text)).id
    parts: list[str] = []
    offset: int | None = 0
    while offset is not None:
        part = api.found(f"/items/{long}", text_offset=offset)
        parts.append(part["text"])
        offset = part["next_text_offset"]

    assert len(parts) == 3
    assert "".join(parts) == text
    assert api.get(f"/items/{long}", text_offset=len(text) + 1).status_code == 400


def test_an_event_is_shown_with_its_words_and_what_superseded_it(api: Api) -> None:
    """And as of an earlier date without what came later."""
    decisions = api.found("/decisions")["items"]
    old = next(one for one in decisions if "Postgres for billing" in one["summary"])
    node = api.found(f"/nodes/{old['id']}")
    then = api.found(f"/nodes/{old['id']}", as_of="2026-03-05")

    assert node["evidence"][0]["title"] == "Minutes"
    assert TEXT[node["evidence"][0]["start_char"] : node["evidence"][0]["end_char"]] == node["evidence"][0]["quote"]
    assert [actor["name"] for actor in node["actors"]] == ["Ana Silva"]
    assert node["node"]["status"] == ("superseded" if node["superseded_by"] else "current")
    assert then["node"]["status"] == "current"
    assert then["superseded_by"] == []


def test_a_promise_is_overdue_wherever_it_is_shown(api: Api) -> None:
    """In the ledger, on its own and beside its text; and not before its due date has passed."""
    [listed] = [one for one in api.found("/commitments")["items"] if "migration plan" in one["summary"]]
    path = f"/nodes/{listed['id']}"
    for as_of, overdue in ((None, True), ("2026-03-10", False), ("2026-03-25", True)):
        asked = {"as_of": as_of} if as_of else {}
        [quote] = [one for one in api.found(f"/items/{api.item}", **asked)["quotes"] if one["event_id"] == listed["id"]]
        ledger = [one for one in api.found("/commitments", **asked)["items"] if one["id"] == listed["id"]]
        said = [one["overdue"] for one in (*ledger, api.found(path, **asked), quote)]
        assert said == [overdue] * 3, as_of


def test_a_person_is_shown_with_the_items_that_name_her(api: Api) -> None:
    """The newest first."""
    node = api.found(f"/nodes/{api.known('Ana')}")

    assert node["node"]["type"] == "person"
    assert [item["title"] for item in node["items"]][-1] == "Minutes"
    assert "Ana Silva" in node["evidence"][0]["quote"]


def test_neighbours_are_drawn_with_their_edges(api: Api) -> None:
    """The node asked for is the first; every edge has its ends in the answer."""
    ana = api.known("Ana Silva")
    view = api.found(f"/nodes/{ana}/neighbours")

    ids = {node["id"] for node in view["nodes"]}
    assert view["nodes"][0]["id"] == ana
    assert {node["kind"] for node in view["nodes"]} >= {"entity", "event", "item"}
    assert all({edge["source"], edge["target"]} <= ids for edge in view["edges"])
    assert len({edge["id"] for edge in view["edges"]}) == len(view["edges"])
    assert {edge["type"] for edge in view["edges"]} >= {"ACTED_IN", "MENTIONS", "EVIDENCED_BY"}
    assert view["left_out"] == {"total": 0, "by_kind": {}, "at_least": False}


def test_what_the_limit_cuts_is_counted(api: Api) -> None:
    """By kind, and as folded neighbours of the node."""
    ana = api.known("Ana Silva")
    whole = api.found(f"/nodes/{ana}/neighbours")
    cut = api.found(f"/nodes/{ana}/neighbours", limit=2)

    left_out = cut["left_out"]["total"]
    assert left_out == len(whole["nodes"]) - 2
    assert sum(cut["left_out"]["by_kind"].values()) == left_out
    assert {"id": ana, "folded": left_out} in cut["hubs"]


def test_neighbours_are_filtered(api: Api) -> None:
    """By kind, category, tag, date, person, and what was known then."""
    path = f"/nodes/{api.known('Ana Silva')}/neighbours"

    def kinds(**query: object) -> set[tuple[str, str]]:
        return {(node["kind"], node["type"]) for node in api.found(path, **query)["nodes"][1:]}

    assert {kind for kind, _ in kinds(kind="event")} == {"event"}
    assert ("event", "Commitment") not in kinds(kind="event", category="Decision")
    assert [node["id"] for node in api.found(path, kind="item", tag="billing")["nodes"][1:]] == [api.item]
    assert [node["id"] for node in api.found(path, kind="item", date_to="2026-03-05")["nodes"][1:]] == [api.item]
    assert [node["id"] for node in api.found(path, kind="item", as_of="2026-03-05")["nodes"][1:]] == [api.item]
    assert kinds(kind="event", person="Ben Ode") == {("event", "Commitment")}


def test_items_are_folded_into_who_is_mentioned_together(api: Api) -> None:
    """Each pair with the number of items, which the filter by a person lists."""
    ana, ben = api.known("Ana Silva"), api.known("Ben Ode")
    view = api.found(f"/nodes/{ana}/neighbours", fold="true")
    both = api.found(f"/nodes/{ana}/neighbours", kind="item", person=ben)["nodes"][1:]

    assert {node["kind"] for node in view["nodes"]} == {"entity", "event"}
    assert {"one": min(ana, ben), "other": max(ana, ben), "items": len(both)} in view["together"]
    assert api.found(f"/nodes/{ana}/neighbours")["together"] == []


def test_an_event_and_an_item_have_neighbours_too(api: Api) -> None:
    """Whom and what they name, and what they rest on."""
    commitment = api.found("/commitments")["items"][0]["id"]

    around = {node["name"] for node in api.found(f"/nodes/{commitment}/neighbours")["nodes"]}
    beside = {node["kind"] for node in api.found(f"/nodes/{api.item}/neighbours")["nodes"]}

    assert {"Ben Ode", "Minutes"} <= around
    assert beside == {"item", "event", "entity"}


def test_what_is_uncertain_comes_with_what_settles_it(api: Api) -> None:
    """Each way of settling it is one that `resolve` takes."""
    api.app.remember(Memory(content="## Notes\n\n- OK, let us take the green tiles.\n", context="meeting"), wait=True)
    items = api.found("/uncertain")["items"]

    assert any("green tiles" in one["summary"] for one in items)
    for one in items:
        for answer in (one["right"], one["wrong"]):
            assert api.post("/resolve", id=one["id"], **answer).status_code == 200
    assert not any("green tiles" in one["summary"] for one in api.found("/uncertain")["items"])


def test_who_may_be_nobody_is_asked_about(api: Api) -> None:
    """Of the answers one is that it is no person."""
    talk = "Zorblat: I agree.\nAnn Lee: Fine.\nZorblat: I will send the plan.\nZorblat: It is done."
    api.app.remember(Memory(content=talk, context="meeting"), wait=True)
    [asked] = [one for one in api.found("/uncertain")["items"] if "Zorblat" in one["summary"]]
    assert api.post("/resolve", id=asked["id"], **asked["wrong"]).status_code == 200
    assert api.found("/names", q="Zorblat")["names"] == []


def test_several_nodes_are_named_at_once(api: Api) -> None:
    """In the order asked for, those that exist."""
    ana = api.known("Ana Silva")
    nodes = api.found("/nodes", id=[api.item, "ent_000000000000", ana])["nodes"]

    assert [(node["id"], node["name"]) for node in nodes] == [(api.item, "Minutes"), (ana, "Ana Silva")]
    assert api.get("/nodes").status_code == 400


def test_items_are_counted_by_what_a_search_is_narrowed_by(api: Api) -> None:
    """Types in spite of the type that is asked for, so that another can be chosen."""
    counted = api.found("/facets")

    assert {"value": "2026-03", "items": 2} in counted["months"]
    assert {"value": "billing", "items": 1} in counted["tags"]
    assert sum(one["items"] for one in counted["types"]) == 2
    assert api.found("/facets", context="email")["types"] == counted["types"]
    assert api.found("/facets", tag="billing")["months"] == [{"value": "2026-03", "items": 1}]
    assert api.found("/facets", date_to="2026-01-01") == {"types": [], "months": [], "tags": []}


def test_names_are_completed_by_the_beginning_of_any_word(api: Api) -> None:
    """Whatever its case."""
    assert [one["name"] for one in api.found("/names", q="sil")["names"]] == ["Ana Silva"]
    assert api.found("/names", q="zz")["names"] == []
    assert api.found("/names", limit=1)["names"][0]["name"] == "Ana Silva"


def test_a_bad_question_is_answered_with_what_to_do(api: Api) -> None:
    """One sentence and the code of the tools."""
    asked: list[tuple[str, dict[str, Any], int, str]] = [
        ("/items/art_000000000000", {}, 404, "forgotten"),
        ("/nodes/evt_000000000000", {}, 404, "forgotten"),
        ("/nodes/ent_000000000000/neighbours", {}, 404, "forgotten"),
        ("/items/x", {}, 400, "id 'x'"),
        ("/search", {"q": "x"}, 400, "at least 2"),
        ("/search", {"as_of": "soon"}, 400, "as_of 'soon' is not a date"),
        ("/search", {"limit": "many"}, 400, "limit 'many'"),
        ("/search", {"qq": "x"}, 400, "did you mean 'q'?"),
        ("/search", {"q": ["ab", "cd"]}, 400, "give it once"),
        ("/search", {"person": "Zoe"}, 404, "Nobody is known as 'Zoe'"),
        ("/names", {"project": "a b"}, 400, "project 'a b'"),
        ("/items/art_000000000000", {"project": "none"}, 404, "Project 'none' is empty"),
        ("/decisions", {"status": "curent"}, 400, "did you mean 'current'?"),
        ("/nothing", {}, 404, "/api/openapi.json"),
    ]
    for path, query, status, says in asked:
        response = api.get(path, **query)
        assert response.status_code == status, (path, response.text)
        assert says in response.json()["error"]
        assert response.json()["code"] in {"invalid_input", "not_found"}


def test_something_forgotten_meanwhile_is_said_to_be(api: Api) -> None:
    """A link to it outlives it."""
    decision = api.found("/decisions", topic="Postgres")["items"]
    api.app.forget(ForgetRequest(id=api.item, confirm=True))

    assert api.get(f"/items/{api.item}").status_code == 404
    assert decision
    assert "forgotten" in api.get(f"/items/{api.item}").json()["error"]


def test_a_token_sees_its_projects_alone(api: Api) -> None:
    """As with the tools."""
    secret = issued(api.app.store, "alpha", projects=("alpha",))

    assert api.get("/session", secret).json()["projects"] == ["alpha"]
    for path in ("/search", "/names", "/decisions", f"/items/{api.item}", f"/nodes/{api.item}/neighbours"):
        refused = api.get(path, secret)
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
