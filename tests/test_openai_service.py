"""The whole service with OpenAI's embeddings, against the stand-in that misbehaves as the real one does."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from pydantic import SecretStr

from core.interface.caller import Caller, act_as
from core.interface.memory import Memory
from core.interface.question import Question
from service.app import App
from service.cli import main
from service.server import create_http
from service.settings import Settings
from service.wiring import open_app
from tests.openai_server import OpenAIServer, Reply

DOWN = Reply(status=500, headers={"Retry-After": "0"})


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(key="sk-test") as running:
        yield running


@pytest.fixture
def settings(tmp_path: Path, server: OpenAIServer) -> Settings:
    return Settings(
        REMEMBRANCER_HOME=tmp_path,
        REMEMBRANCER_EMBEDDER="openai",
        OPENAI_API_KEY=SecretStr("sk-test"),
        OPENAI_BASE_URL=server.url,
    )


@pytest.fixture
def app(settings: Settings) -> Iterator[App]:
    with open_app(settings) as opened:
        yield opened


def test_vectors_come_from_the_service_once(app: App, server: OpenAIServer) -> None:
    """docs/architecture.md: embeddings are cached by text, so a rebuild does not pay twice; --regenerate-embeddings
    does."""
    receipt = app.remember(Memory(content="The tide table hangs in the hall."), wait=True)
    found = app.recall(Question(query="The tide table hangs in the hall."))
    asked = len(server.requests)

    app.reindex("vectors")
    unpaid = len(server.requests) - asked
    app.reindex("vectors", regenerate=True)

    assert found.degraded == []
    assert found.results[0].id == receipt.id
    assert unpaid == 0
    assert len(server.requests) == asked + 1
    assert app.index.ids("default") == {f"{receipt.id}:0"}


def test_while_the_service_is_down_nothing_is_lost_and_words_still_find(app: App, server: OpenAIServer) -> None:
    """docs/interface.md recall: degraded names what was missing; jobs wait, and are done when the service is back."""
    server.next(*[DOWN] * 4)
    receipt = app.remember(Memory(content="The lighthouse was painted in May."), wait=True)
    status = app.status(receipt.id)

    server.next(*[DOWN] * 2)
    dark = app.recall(Question(query="lighthouse"))
    for report in app.store.job_reports("default", receipt.id):
        app.store.queue("default", [receipt.id], report.kind)  # not to wait for the pause between tries
    app.worker.drain()
    light = app.recall(Question(query="lighthouse"))

    assert receipt.degraded == ["vectors"]
    assert status.job_status is not None
    assert status.job_status["embed"].state == "pending"
    assert "OPENAI" in (status.job_status["embed"].error or "") or "failed" in (status.job_status["embed"].error or "")
    assert (dark.degraded, dark.results[0].id) == (["vectors"], receipt.id)
    assert (light.degraded, light.results[0].id) == ([], receipt.id)
    assert app.store.job_counts().failed == 0


def test_a_wrong_key_is_said_by_status_and_doctor(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Kind: what is wrong, and which variable mends it; the key itself is never shown."""
    monkeypatch.setenv("REMEMBRANCER_HOME", str(settings.home))
    monkeypatch.setenv("REMEMBRANCER_EMBEDDER", "openai")
    monkeypatch.setenv("OPENAI_BASE_URL", settings.openai_base_url or "")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-secret")

    doctor = main(["doctor"])
    told = capsys.readouterr().out
    status = main(["status", "--json"])
    answer = json.loads(capsys.readouterr().out)

    assert (doctor, status) == (1, 0)
    assert "OPENAI_API_KEY" in told
    assert answer["healthy"] is False
    assert answer["services"]["embedder"]["status"] == "error"
    assert "sk-wrong-secret" not in told + json.dumps(answer)


@pytest.mark.exhaustive
def test_long_text_is_cut_for_the_wider_window(app: App) -> None:
    """docs/interface.md remember: chunks of at most 900 tokens with 100 overlapping where the embedder reads that
    much."""
    text = " ".join(f"word{number % 50} goes on" for number in range(2_000))

    receipt = app.remember(Memory(content=text), wait=True)
    chunks = app.store.chunks("default", [receipt.id])[receipt.id]

    assert receipt.degraded is None
    assert all(chunk.token_count <= 900 for chunk in chunks)
    assert chunks[1].start_char < chunks[0].end_char
    assert receipt.num_chunks == len(chunks) > 1


def test_another_address_than_openais_is_shown_as_where_texts_go(
    app: App, server: OpenAIServer, tmp_path: Path
) -> None:
    """docs/operations.md: whoever set it, its user sees it; its host alone, and also while it does not answer."""
    host = server.url.split("/")[2]
    away = {"OPENAI_BASE_URL": "http://127.0.0.1:1/secret-path?key=sk-y", "OPENAI_API_KEY": SecretStr("sk-y")}
    with open_app(Settings(REMEMBRANCER_HOME=tmp_path / "away", REMEMBRANCER_EXTRACTOR="openai", **away)) as other:
        services = other.status().services

    assert app.status().services["embedder"].detail.endswith(f"; texts go to {host} (OPENAI_BASE_URL)")
    assert "texts go" not in app.status().services["extractor"].detail
    assert services["extractor"].detail.endswith("; texts go to 127.0.0.1:1 (OPENAI_BASE_URL)")
    assert "secret-path" not in str(services)
    assert Settings(OPENAI_BASE_URL="https://api.openai.com/v1").other_openai_host is None


@pytest.mark.anyio
async def test_status_and_metrics_tell_what_embeddings_cost(app: App) -> None:
    """For the budget of a day; a caller of one project is not told the costs of all."""
    app.remember(Memory(content="The tide table hangs in the hall."), wait=True)
    detail = app.status().services["embedder"].detail
    with act_as(Caller("one project", frozenset({"default"}))):
        restricted = app.status().services["embedder"].detail
    usage = app.embedding_usage()
    asgi = create_http(app, host="127.0.0.1", given=None)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(asgi), base_url="http://127.0.0.1") as client:
        told = (await client.get("/metrics")).text

    assert usage is not None
    assert usage.tokens > 0
    assert "today (UTC)" in detail
    assert "tokens" not in restricted
    assert f"remembrancer_embedding_requests_total {float(usage.requests)}" in told
    assert f'remembrancer_embedding_tokens_total{{kind="prompt"}} {float(usage.prompt_tokens)}' in told
