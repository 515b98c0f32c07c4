"""A memory that was told a few things, served over HTTP."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from core.interface.memory import Memory
from service.app import App
from tests.http_serving import SECRET, authorization, http_service

TEXT = (
    "Ana Silva decided to use Postgres for billing. Ben Ode will send the migration plan to Ana Silva by 2026-03-20. "
    "Ana Silva works at Acme Corp."
)


@dataclass(frozen=True, slots=True)
class Api:
    """The API of a memory: `item` is the id of what it was told first."""

    address: str
    item: str
    app: App

    def get(self, path: str, secret: str = SECRET, **query: Any) -> httpx2.Response:
        """Return the answer to a GET below `/api`."""
        return httpx2.get(f"{self.address}/api{path}", params=query, headers=authorization(secret), timeout=30)

    def post(self, path: str, secret: str = SECRET, **body: Any) -> httpx2.Response:
        """Return the answer to a POST below `/api`."""
        return httpx2.post(f"{self.address}/api{path}", json=body, headers=authorization(secret), timeout=30)

    def found(self, path: str, **query: Any) -> Any:
        """Return what a GET answers."""
        response = self.get(path, **query)
        assert response.status_code == 200, response.text
        return response.json()

    def known(self, name: str) -> str:
        """Return the id of an entity."""
        return str(self.found("/names", q=name)["names"][0]["id"])


@pytest.fixture
def api(app: App) -> Iterator[Api]:
    item = app.remember(Memory(content=TEXT, title="Minutes", date="2026-03-02", tags=("billing",)), wait=True)
    app.remember(
        Memory(content="Ana Silva decided to use MySQL for billing instead of Postgres.", date="2026-03-09"), wait=True
    )
    with http_service(app) as address:
        yield Api(address, item.id, app)
