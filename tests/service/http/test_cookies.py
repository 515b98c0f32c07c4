"""Sessions of browsers: how they begin, what they open, and how they end."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import httpx2
import pytest

from core.errors import InvalidInput
from core.interface.caller import LOCAL, Caller, hash_secret
from service.app import App
from service.http import credentials
from service.http.credentials import Cookies, Credential, Tickets, Tokens
from service.server import make_browser_server
from tests.http_serving import SECRET, authorization, http_service, issued


@contextmanager
def signed_in(address: str, secret: str = SECRET) -> Iterator[httpx2.Client]:
    """Yield a browser with a session; it sends what browsers send with requests of a page."""
    with httpx2.Client(base_url=address, headers={"Sec-Fetch-Site": "same-origin"}, timeout=30) as browser:
        assert browser.post("/api/session", headers=authorization(secret)).status_code == 200
        yield browser


def test_a_token_begins_a_session_with_its_rights(app: App) -> None:
    """The cookie is out of reach of scripts and of other sites, and opens the API alone."""
    reader = issued(app.store, "reader", projects=("alpha",), read_only=True)
    with http_service(app) as address, signed_in(address, reader) as browser:
        began = httpx2.post(f"{address}/api/session", headers=authorization(reader)).headers["Set-Cookie"]
        session = browser.get("/api/session").json()
        refused = browser.get("/api/search").status_code
        elsewhere = browser.get("/readyz", headers={"Cookie": began.partition(";")[0]}).status_code

    assert (session["name"], session["projects"], session["read_only"]) == ("reader", ["alpha"], True)
    assert refused == 403
    assert elsewhere == 401
    assert began.endswith("; Max-Age=43200; Path=/api/; HttpOnly; SameSite=Strict")
    assert reader not in began
    assert hash_secret(reader) not in began


def test_without_a_session_nothing_is_read_but_the_page(app: App) -> None:
    """The answer says how to get one; it is no wrong token, and not held back."""
    with http_service(app) as address:
        answers = [httpx2.get(f"{address}/api/search") for _ in range(3)]
        wrong = httpx2.post(f"{address}/api/session", headers=authorization("wrong"))

    assert {answer.status_code for answer in answers} == {401}
    assert "remembrancer browse" in answers[0].json()["error"]
    assert wrong.status_code == 401


def test_a_session_ends_with_its_token_its_time_and_when_told(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """A revoked token opens nothing by its cookie either."""
    monkeypatch.setattr(credentials, "FRESH_SECONDS", 0.0)
    secret = issued(app.store, "ci")
    with http_service(app) as address, signed_in(address, secret) as browser:
        before = browser.get("/api/session").status_code
        app.store.remove_token("ci")
        revoked = browser.get("/api/session").status_code
        monkeypatch.setattr(credentials, "SESSION_SECONDS", -1)
        with signed_in(address) as late:
            expired = late.get("/api/session").status_code
        monkeypatch.setattr(credentials, "SESSION_SECONDS", 60)
        with signed_in(address) as other:
            other.delete("/api/session")
            ended = other.get("/api/session").status_code

    assert (before, revoked, expired, ended) == (200, 401, 401, 401)


def test_a_cookie_that_was_made_up_or_changed_opens_nothing(app: App) -> None:
    """Neither another time nor another token can be put into one."""
    with http_service(app) as address, signed_in(address) as browser:
        name, value = next(iter(browser.cookies.items()))
        token, until, signature = value.split(".")
        made_up = [
            f"{token}.{int(until) + 1}.{signature}", f"{token}.{until}.{signature[:-1]}x", f"{token}.{until}", "",
            "a.1.é", f"{'0' * 32}.{until}.{signature}", f"{token}.9e9.{signature}", f"{token}.{'9' * 400}.{signature}",
        ]  # fmt: skip
        codes = [
            httpx2.get(f"{address}/api/session", headers={b"Cookie": f"{name}={one}".encode()}).status_code
            for one in made_up
        ]

    assert codes == [401] * len(made_up)


@pytest.mark.parametrize("others", ['{"a":1}', "a b", "x=é", "user[id]=1", "a@b=1"])
def test_cookies_of_other_programs_at_this_host_end_no_session(app: App, others: str) -> None:
    """Browsers send them to every port, whatever their form, and one of the same name for all paths comes last."""
    with http_service(app) as address, signed_in(address) as browser:
        name, value = next(iter(browser.cookies.items()))
        sent = f"{others}; {name}={value}; {name}=theirs"
        known = httpx2.get(f"{address}/api/session", headers={b"Cookie": sent.encode()})

    assert known.status_code == 200


def test_a_session_outlives_a_restart(app: App) -> None:
    """The server keeps nothing of it: another that accepts the token knows it, at the same port."""
    with http_service(app) as address, signed_in(address) as browser:
        cookie = dict(browser.cookies.items())
    with http_service(app) as again:
        host = address.removeprefix("http://")
        jar = "; ".join(f"{name}={value}" for name, value in cookie.items())
        known = httpx2.get(f"{again}/api/session", headers={"Host": host, "Cookie": jar})

    assert known.status_code == 200


def test_requests_that_other_sites_send_are_refused(app: App) -> None:
    """Also those of another port of this machine, to which the cookie is sent."""
    foreign: list[dict[str, str]] = [
        *({"Sec-Fetch-Site": site} for site in ("cross-site", "same-site")),
        *({"Origin": origin} for origin in ("http://evil.example", "http://127.0.0.1:1", "null")),
        {"Host": "evil.example"},
    ]
    with http_service(app) as address, signed_in(address) as browser:
        got = [browser.get("/api/session", headers=one).status_code for one in foreign]
        posted = [
            browser.post("/api/retry", json={"id": "art_000000000000"}, headers=one).status_code for one in foreign
        ]

    assert got == posted == [403] * 5 + [421]


def test_who_asks_for_no_token_needs_no_session(app: App) -> None:
    """`serve --open`: but other sites are refused there, too."""
    with http_service(app, is_open=True) as address:
        mine = httpx2.get(f"{address}/api/session")
        other = httpx2.get(f"{address}/api/session", headers={"Sec-Fetch-Site": "cross-site"})

    assert (mine.status_code, mine.json()["name"], other.status_code) == (200, "open", 403)


def test_a_ticket_lets_one_browser_in_once(app: App, tmp_path: Path) -> None:
    """What `remembrancer browse` prints; the address that is shown then has none."""
    browser_server = make_browser_server(app, tmp_path / "home")
    try:
        entry = browser_server.address()
        with httpx2.Client() as first, httpx2.Client() as second:
            answers = [browser.get(entry) for browser in (first, second)]
            sessions = [browser.get(entry.partition("?")[0] + "api/session") for browser in (first, second)]
        was_used, was_not = browser_server.is_used(60), browser_server.is_used(0)
    finally:
        browser_server.close()

    assert [(answer.status_code, answer.headers["Location"]) for answer in answers] == [(303, "/")] * 2
    assert [answer.status_code for answer in sessions] == [200, 401]
    assert sessions[0].json()["name"] == "local"
    assert (was_used, was_not) == (True, False)


def test_a_ticket_is_good_for_two_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever finds it in a history is too late."""
    tickets = Tickets(Credential(LOCAL, "p", "d"))
    fresh, guessed = tickets.take(tickets.issue()), tickets.take("guess")
    old = tickets.issue()
    moment = monotonic()
    monkeypatch.setattr(credentials, "monotonic", lambda: moment + 121)

    assert fresh is not None
    assert guessed is None
    assert tickets.take(old) is None


def test_the_token_of_the_home_begins_a_session_behind_a_proxy(app: App) -> None:
    """It only stands for nobody of this machine there."""
    proxied = {"X-Forwarded-For": "192.0.2.1"}
    with http_service(app) as address, httpx2.Client(base_url=address, headers=proxied, timeout=30) as browser:
        began = browser.post("/api/session", headers=authorization(SECRET)).status_code
        renewed = browser.get("/api/session").status_code

    assert (began, renewed) == (200, 200)


def test_a_signed_token_begins_no_session(app: App) -> None:
    """It could not be found again by a cookie."""
    with pytest.raises(InvalidInput, match="token create"):
        Cookies(Tokens({}, app.store)).begin_session({"type": "http", "headers": []}, Credential(Caller("sso"), "sso"))
