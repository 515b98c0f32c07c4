"""The paths of signing in: the library's own, and the page on which one lets a client in, or does not."""

import asyncio
import base64
import hashlib
import html
from typing import Final
from urllib.parse import urlsplit

from mcp.server.auth.handlers.metadata import MetadataHandler
from mcp.server.auth.handlers.revoke import RevocationHandler
from mcp.server.auth.middleware.client_auth import ClientAuthenticator
from mcp.server.auth.routes import build_metadata, cors_middleware, create_auth_routes
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from mcp.server.transport_security import RequestBodyLimitMiddleware
from pydantic import AnyHttpUrl, ConfigDict, TypeAdapter
from starlette.datastructures import FormData
from starlette.requests import Request as HttpRequest
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, request_response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.errors import MemoryServiceError
from service.api.operation import GUARDS, STATUS, check_origin, error_response
from service.http.credentials import Tokens
from service.http.gate import Attempts
from service.http.sign_in import SCOPE, Client, Request, SignIn

#: Largest body of a request, in bytes.
_LARGEST: Final = 64 * 1024
#: Where anybody may ask, which the gate allows within a rate.
PATHS: Final = ("/authorize", "/token", "/register", "/revoke", "/sign-in", "/.well-known/oauth-authorization-server")
# Clients compare an issuer to the letter: no slash is added.
_URL: Final[TypeAdapter[AnyHttpUrl]] = TypeAdapter(AnyHttpUrl, config=ConfigDict(url_preserve_empty_path=True))
_STYLE: Final = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem}"
    "input,button{font:inherit;padding:.5rem;margin:.25rem 0}input{width:100%;box-sizing:border-box}"
)
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_PAGE: Final = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title} – Remembrancer</title><style>{style}</style></head><body><main><h1>{title}</h1>
{body}
</main></body></html>
"""
_ASK: Final = """\
<p><strong>{name}</strong> asks for your memory. It calls itself so: what counts is where you are sent back to,
<strong>{host}</strong>. Go on only if you have just begun this there.</p>
<p>It may do what the token that you enter may do: <code>remembrancer token create NAME</code> makes one, with
<code>--read-only</code> or <code>--project</code> for less.</p>
{fault}<form method="post" action="/sign-in"><input type="hidden" name="request" value="{request}">
<p><label for="token">Token of this memory</label>
<input id="token" name="token" type="password" autocomplete="current-password" autofocus></p>
<p><button name="answer" value="allow">Allow</button> <button name="answer" value="deny">Do not allow</button></p>
</form>
"""


class _Revocation(RevocationHandler):
    """The library's, which asks clients without a secret for an empty one."""

    async def handle(self, request: HttpRequest) -> Response:
        form = await request.form()
        if "client_secret" not in form:
            request._form = FormData([*form.multi_items(), ("client_secret", "")])
        return await super().handle(request)


def sign_in_routes(sign_in: SignIn, tokens: Tokens) -> list[Route]:
    """Return the routes."""
    address, registration = _URL.validate_python(sign_in.address), ClientRegistrationOptions(enabled=True)
    metadata = build_metadata(address, None, registration, RevocationOptions(enabled=True))
    metadata.scopes_supported = [SCOPE]
    metadata.authorization_response_iss_parameter_supported = True
    for known in (metadata.token_endpoint_auth_methods_supported, metadata.revocation_endpoint_auth_methods_supported):
        (known or []).insert(0, "none")
    pages = _Pages(sign_in, tokens)
    revoke = _Revocation(sign_in, ClientAuthenticator(sign_in))
    published = MetadataHandler(metadata)
    own = {
        "/.well-known/oauth-authorization-server": cors_middleware(published.handle, ["GET", "OPTIONS"]),
        "/revoke": cors_middleware(revoke.handle, ["POST", "OPTIONS"]),
        "/sign-in": request_response(pages.respond),
    }
    methods = {"/revoke": ["POST", "OPTIONS"], "/sign-in": ["GET", "POST"]}
    library = create_auth_routes(sign_in, address, client_registration_options=registration)
    return [
        *(Route(path, _Kept(app), methods=methods.get(path, ["GET", "OPTIONS"])) for path, app in own.items()),
        *(Route(one.path, _Kept(one.app), methods=one.methods) for one in library if one.path not in own),
    ]


class _Kept:
    """Keeps requests to their size, and says in words what the record refuses."""

    def __init__(self, inner: ASGIApp) -> None:
        self._inner = RequestBodyLimitMiddleware(inner, _LARGEST)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._inner(scope, receive, noting)
        except MemoryServiceError as error:
            if begun:
                raise
            await error_response(STATUS[error.code], str(error), error.code)(scope, receive, send)


class _Pages:
    """The page of a request, and what is answered on it."""

    def __init__(self, sign_in: SignIn, tokens: Tokens) -> None:
        self._sign_in, self._tokens, self._attempts = sign_in, tokens, Attempts()

    async def respond(self, request: HttpRequest) -> Response:
        given = request.query_params if request.method != "POST" else await request.form()
        text = str(given.get("request", ""))
        try:
            check_origin(request) if request.method == "POST" else None
            asked, client = await self._sign_in.request(text)
            if request.method != "POST":
                return _ask(asked, client, text)
            if given.get("answer") != "allow":
                return _sent_back(self._sign_in.deny(asked))
            credential = await self._tokens.credential(str(given.get("token", "")).strip())
            if credential is not None:
                return _sent_back(await self._sign_in.allow(asked, credential))
        except MemoryServiceError as error:
            return _page("This did not work", f"<p>{html.escape(str(error))}</p>", STATUS[error.code])
        penalty = self._attempts.refuse(request.client.host if request.client else "")
        await asyncio.sleep(penalty.delay)
        if penalty.retry_after is not None:
            refusal = _page("Too many attempts", "<p>Wait a minute, and try again.</p>", 429)
            refusal.headers["Retry-After"] = str(penalty.retry_after)
            return refusal
        return _ask(asked, client, text, "That is no valid token of this memory.", 401)


def _ask(asked: Request, client: Client, text: str, fault: str = "", status: int = 200) -> Response:
    parts = urlsplit(asked.redirect_uri)
    body = _ASK.format(
        name=html.escape(client.name),
        host=html.escape(parts.netloc or f"{parts.scheme}:"),
        request=html.escape(text),
        fault=f'<p role="alert">{html.escape(fault)}</p>\n' if fault else "",
    )
    # Browsers hold the redirection that follows to the same rule as the form.
    back = f"{parts.scheme}://{parts.netloc}" if parts.netloc else f"{parts.scheme}:"
    return _page("Let a program into your memory?", body, status, back)


def _page(title: str, body: str, status: int, back: str = "") -> Response:
    response = HTMLResponse(_PAGE.format(title=title, style=_STYLE, body=body), status, dict(GUARDS))
    response.headers["Content-Security-Policy"] = (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'; "
        f"form-action 'self' {back}"
    ).strip()
    # Without the origin of its form, a page can't be told from another site's.
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Cache-Control"] = "no-store"
    return response


def _sent_back(address: str) -> Response:
    headers = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return RedirectResponse(address, 303, headers)
