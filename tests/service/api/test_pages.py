"""The files of the page, and what answers in common: their headers, compression, tags, methods and bodies."""

import gzip
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from service.api.pages import Pages
from service.app import App
from tests.http_serving import SECRET, authorization, http_service
from tests.service.api.conftest import Api


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A page of a few files."""
    web = tmp_path / "web"
    (web / "parts").mkdir(parents=True)
    (web / "index.html").write_text("<!doctype html><title>Memory</title>", encoding="utf-8")
    (web / "parts" / "list.js").write_text("// a list\n" * 500, encoding="utf-8")
    (tmp_path / "secret.txt").write_text("hidden", encoding="utf-8")
    return web


def test_files_are_served_by_their_paths_and_none_outside(folder: Path) -> None:
    """Compressed, with their types, as they are now, and unchanged ones not again."""
    pages = Pages(None, None, folder)
    client = TestClient(Starlette(routes=[Route(path, pages) for path in pages.paths]))
    page, script = client.get("/"), client.get("/parts/list.js")
    again = client.get("/parts/list.js", headers={"If-None-Match": script.headers["ETag"]})
    (folder / "index.html").write_text("<!doctype html><title>Changed</title>", encoding="utf-8")

    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert (script.headers["Content-Type"], script.headers["Content-Encoding"]) == (
        "text/javascript; charset=utf-8",
        "gzip",
    )
    assert (again.status_code, again.content) == (304, b"")
    assert "Changed" in client.get("/").text
    assert [client.get(path).status_code for path in ("/../secret.txt", "/%2e%2e/secret.txt", "/parts")] == [404] * 3
    assert client.post("/").status_code == 405


def test_pages_need_no_session_and_allow_no_script_of_others(app: App) -> None:
    """Nothing inline, nothing of other hosts, and no frame around it."""
    with http_service(app) as address:
        page = httpx2.get(f"{address}/")

    assert page.status_code in {200, 404}  # a checkout without web/ says that it is missing
    assert page.headers["Content-Security-Policy"].startswith("default-src 'self'; ")
    assert "unsafe" not in page.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["X-Content-Type-Options"] == "nosniff"


def test_answers_are_tagged_and_compressed(api: Api) -> None:
    """What a client has already is not sent again."""
    address, known = f"{api.address}/api/search?q=Postgres", authorization(SECRET)
    with httpx2.Client(headers=known) as client:
        full = client.get(address, headers={"Accept-Encoding": "identity"})
        with client.stream("GET", address, headers={"Accept-Encoding": "gzip"}) as response:
            packed = b"".join(response.iter_raw())
        again = client.get(address, headers={"If-None-Match": full.headers["ETag"]})

    assert response.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed) == full.content
    assert response.headers["ETag"] == full.headers["ETag"]
    assert (again.status_code, again.content) == (304, b"")
    assert full.headers["Cache-Control"] == "private, no-cache"


def test_what_no_page_would_send_is_refused(api: Api) -> None:
    """In a sentence, with its code."""
    sent: list[tuple[str, str, bytes, int, str]] = [
        ("PUT", "/search", b"", 405, "takes GET"),
        ("GET", "/resolve", b"", 405, "takes POST"),
        ("POST", "/resolve", b"{", 400, "no JSON"),
        ("POST", "/resolve", b"[]", 400, "no object"),
        ("POST", "/resolve", b"[" * 60_000, 400, "no"),
        ("POST", "/resolve", b" " * 70_000, 413, "65,536 bytes"),
        ("POST", "/resolve?id=evt_000000000000", b"{}", 400, "project alone"),
        ("POST", "/resolve", b'{"id": "evt_000000000000", "status": "done", "note": "\\ud800"}', 404, ""),
        ("GET", "/search?q=%ff%fe", b"", 200, ""),
        ("GET", "/search?limit=99999999999999999999999", b"", 400, "limit"),
        ("GET", "/names?q=%00", b"", 400, "q"),
    ]
    for method, path, body, status, says in sent:
        answer = httpx2.request(method, f"{api.address}/api{path}", content=body, headers=authorization(SECRET))
        assert answer.status_code == status, (path, answer.text)
        assert says in answer.text
