"""What the graph browser changes, and what it shows of a memory as a whole, on both engines."""

from datetime import timedelta
from typing import Any

import pytest

from core.interface.memory import Memory
from tests.http_serving import issued
from tests.service.api.conftest import Api

pytestmark = pytest.mark.both_engines


def test_a_commitment_is_resolved_in_place(api: Api) -> None:
    """With a note, which the history keeps."""
    promise = api.found("/commitments")["items"][0]["id"]
    resolved = api.post("/resolve", id=promise, status="done", note="Sent on Friday.")

    assert resolved.status_code == 200
    assert resolved.json()["status"] == "done"
    node = api.found(f"/nodes/{promise}")
    assert node["node"]["status"] == "done"
    assert [(one["status"], one["note"]) for one in node["history"]] == [("done", "Sent on Friday.")]
    assert api.found("/commitments", status="open")["items"] == []
    assert api.post("/resolve", id=promise, status="withdrawn").status_code == 409


def test_a_name_is_corrected_in_place(api: Api) -> None:
    """It is shown from then on; who is no entity is nowhere."""
    [found] = [one for one in api.found("/shape")["central"] if one["name"] == "Ana Silva"][:1]
    renamed = api.post("/resolve", id=found["id"], name="Ana da Silva")

    assert renamed.status_code == 200
    assert renamed.json()["run_id"].startswith("run_")
    assert api.found(f"/nodes/{found['id']}")["node"]["name"] == "Ana da Silva"
    assert api.post("/resolve", id=found["id"], supersedes="none").status_code == 409
    assert api.post("/resolve", id=found["id"], status="dismissed").status_code == 200
    assert api.get(f"/nodes/{found['id']}").status_code == 404


def test_a_pair_is_judged_and_the_judgement_taken_back(api: Api) -> None:
    """Same, then undone: the pair waits again."""
    for text in ("Jon Smithe works at Acme Corp.", "Jon Smith works at Acme Corp."):
        api.app.remember(Memory(content=text), wait=True)
    waiting = api.found("/review")
    assert waiting["total_count"] == len(waiting["pairs"]) >= 1
    pair = waiting["pairs"][0]
    a, b = pair["a"]["id"], pair["b"]["id"]

    same = api.post("/review", a=a, b=b, verdict="same").json()
    merged = api.found("/review")["total_count"]
    undone = api.post("/review", a=a, b=b, verdict="undo").json()

    assert pair["evidence"]
    assert (same["changed"], same["a"], same["verdict"]) == (True, a, "same")
    assert merged < waiting["total_count"]
    assert undone["changed"]
    assert api.found("/review")["total_count"] == waiting["total_count"]


def test_two_names_are_connected_by_paths(api: Api) -> None:
    """Each step with its sentence."""
    found = api.found("/paths", **{"from": "Ana Silva", "to": "Ben Ode", "limit": 1})

    assert len(found["paths"]) == 1
    assert all(edge["type"] for edge in found["paths"][0])


def test_the_shape_of_a_memory_is_shown(api: Api) -> None:
    """Its communities, and who matters."""
    shape = api.found("/shape")

    assert shape["communities"]
    assert "Ana Silva" in {one["name"] for one in shape["central"]}


def test_health_tells_what_there_is_and_what_failed(api: Api) -> None:
    """Failed work can be done again."""
    failing = api.app.remember(Memory(content="x" * 20, title="Broken", date="2026-01-05")).id
    for job in api.app.store.claim(["embed"], 5, timedelta(minutes=1), "test"):
        api.app.store.fail([job], "too long")
    health = api.found("/health")

    assert health["counts"]["artifacts"] == 3
    assert health["failures"] == [{"job": "embed", "id": failing, "reason": "too long", "title": "Broken"}]
    assert health["growth"] == [{"month": "2026-01", "items": 1}, {"month": "2026-03", "items": 2}]
    assert health["earliest"] == "2026-01-01"
    assert health["largest"][0]["id"] == api.item
    assert api.post("/retry", id=failing).json() == {"id": failing, "queued": ["embed"]}
    assert api.found("/health")["failures"] == []
    assert api.post("/retry", id=failing).status_code == 404


def test_a_token_that_only_reads_changes_nothing(api: Api) -> None:
    """As with the tools."""
    secret = issued(api.app.store, "reader", read_only=True)
    bodies: dict[str, dict[str, Any]] = {
        "/resolve": {"id": "evt_000000000000", "status": "done"},
        "/review": {"a": "ent_000000000000", "b": "ent_000000000001", "verdict": "same"},
        "/retry": {"id": api.item},
    }

    for path, body in bodies.items():
        refused = api.post(path, secret, **body)
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


def test_a_bad_change_is_answered_with_what_to_do(api: Api) -> None:
    """One sentence."""
    sent: list[tuple[str, dict[str, Any], int, str]] = [
        ("/resolve", {"id": "evt_000000000000", "status": "done"}, 404, "Nothing is stored"),
        ("/resolve", {"id": "evt_000000000000", "status": "don"}, 400, "did you mean 'done'?"),
        ("/resolve", {"id": "evt_000000000000"}, 400, "it needs one of status, supersedes, "),
        ("/review", {"a": "ent_000000000000", "b": "ent_000000000001", "verdict": "same"}, 404, "No entity"),
        ("/review", {"a": 5, "b": "ent_000000000001", "verdict": "same"}, 400, "a 5 is not valid"),
        ("/retry", {"id": "art_000000000000"}, 404, "given up"),
    ]
    for path, body, status, says in sent:
        response = api.post(path, **body)
        assert response.status_code == status, (path, response.text)
        assert says in response.json()["error"]
