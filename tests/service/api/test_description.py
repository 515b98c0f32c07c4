"""The description of the API, and the API held to it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.http_serving import SECRET
from tests.service.api.conftest import Api


def test_every_path_is_described_with_what_it_takes_and_answers(api: Api) -> None:
    """OpenAPI 3.1, made of the dataclasses that the operations take and return."""
    described = api.found("/openapi.json")

    search = described["paths"]["/api/search"]["get"]
    parameters = {one["name"]: one["schema"] for one in search["parameters"]}
    assert described["openapi"] == "3.1.0"
    assert parameters["limit"] == {"default": 10, "maximum": 100, "minimum": 1, "title": "Limit", "type": "integer"}
    assert search["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].endswith("/Found")
    assert {path for path, methods in described["paths"].items() if "post" in methods} == {
        "/api/session",
        "/api/resolve",
        "/api/review",
        "/api/retry",
    }
    assert {"/api/items/{id}", "/api/nodes/{id}/neighbours", "/api/paths", "/api/shape"} <= set(described["paths"])


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
def test_schemathesis_finds_nothing_that_contradicts_the_description(api: Api, tmp_path: Path) -> None:
    """Requests that it allows are answered as it says, others refused, and nothing fails."""
    done = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"),
            *("run", f"{api.address}/api/openapi.json", "--header", f"Authorization: Bearer {SECRET}"),
            *("--phases", "examples,coverage,fuzzing", "--max-examples", "10", "--generation-deterministic"),
            "--no-color",
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert done.returncode == 0, done.stdout[-8_000:]
