"""The page on which one lets a client in, in a browser: no barrier that axe finds, and the way there and back."""

import socket
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from playwright.sync_api import BrowserContext, expect

from service.app import App
from tests.http_serving import SECRET, http_service

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
FOUND = "axe.run().then(found => found.violations.map(one => [one.id, one.nodes.map(node => node.html)]))"


@pytest.mark.parametrize("width", [390, 1280])
def test_a_person_lets_a_client_in(context: BrowserContext, app: App, width: int) -> None:
    """After a wrong token, which is said; the browser follows to the client's address, which its policy allows."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    with http_service(app, port=port, public_url=f"http://127.0.0.1:{port}") as address:
        back = f"{address}/healthz"
        asked = {"redirect_uris": [back], "client_name": "Chat", "token_endpoint_auth_method": "none"}
        id_ = httpx2.post(f"{address}/register", json=asked, timeout=30).json()["client_id"]
        query = f"client_id={id_}&response_type=code&redirect_uri={back}&code_challenge={'c' * 43}&state=s1"
        page, refused = context.new_page(), list[str]()
        page.on("console", lambda said: refused.append(said.text) if "Content Security" in said.text else None)
        page.set_viewport_size({"width": width, "height": 700})
        page.goto(f"{address}/authorize?{query}")
        for token in ("a-token-that-nobody-made-a-token-that", SECRET):
            expect(page.get_by_text(f"127.0.0.1:{port}")).to_be_visible()
            if AXE.is_file():
                page.evaluate(AXE.read_text(encoding="utf-8"))
                assert page.evaluate(FOUND) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            page.get_by_label("Token of this memory").fill(token)
            page.get_by_role("button", name="Allow", exact=True).click()
            if token != SECRET:
                expect(page.get_by_role("alert")).to_have_text("That is no valid token of this memory.")
        page.wait_for_url(f"{back}?*")
        came = parse_qs(urlsplit(page.url).query)
    assert (came["state"], came["iss"], len(came["code"])) == (["s1"], [address], 1)
    assert refused == []
