"""The TypeScript client: made from the description that a server gives of its API, compiled, and called."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from core.interface.memory import Memory
from service.app import App
from tests.http_serving import SECRET, got, http_service

pytestmark = [pytest.mark.exhaustive, pytest.mark.timeout(300)]

CLIENT = Path(__file__).parents[1] / "clients" / "typescript"
#: A program against the client: what it does runs, and what is marked as wrong does not compile.
PROGRAM = """
import { connect, RemembrancerError } from "./index.js";

declare const process: { argv: string[] };
const [address, token] = process.argv.slice(2) as [string, string];
const memory = connect(`${address}/`, token);
const session = await memory.GET("/api/session");
const found = await memory.GET("/api/search", { params: { query: { q: "green gate", limit: 3 } } });
const decided = await memory.GET("/api/decisions", { params: { query: { status: "current" } } });
const decision = decided.data!.items![0]!;
const withdrawn = await memory.POST("/api/resolve", { body: { id: decision.id, status: "withdrawn" } });
const refusals: [string, number][] = [];
for (const call of [
  () => memory.GET("/api/items/{id}", { params: { path: { id: "art_000000000000" } } }),
  () => connect(address, "no-token-of-this-server-no-token-of-it").GET("/api/session"),
  () => memory.GET("/api/search", { params: { query: { limit: -1 } } }),
]) {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof RemembrancerError)) throw error;
    refusals.push([error.code, error.status]);
  }
}
// @ts-expect-error there is no such path
() => memory.GET("/api/nothing");
// @ts-expect-error a status is one of a few words
() => memory.GET("/api/decisions", { params: { query: { status: "maybe" } } });
// @ts-expect-error an id is a text
() => memory.POST("/api/resolve", { body: { id: 5 } });
console.log(JSON.stringify({ session: session.data, found: found.data, status: withdrawn.data!.status, refusals }));
"""


def run(folder: Path, *command: str) -> str:
    """Run a program of the client's folder, and return what it printed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_client_is_made_compiled_and_called(app: App, tmp_path: Path) -> None:
    """As `make typescript` does, on a copy; answers have their types, and errors are thrown with code and status."""
    if not (CLIENT / "node_modules").is_dir() or not shutil.which("node"):
        pytest.skip("The libraries of the client are not installed: run `make clients/typescript/node_modules`")
    folder = tmp_path / "typescript"
    made = shutil.ignore_patterns("node_modules", "dist", "openapi.json", "schema.ts")
    shutil.copytree(CLIENT, folder, ignore=made)
    (folder / "node_modules").symlink_to(CLIENT / "node_modules")
    app.remember(Memory(content="We decided to paint the gate green.", title="Gate"), wait=True)
    (folder / "src" / "program.ts").write_text(PROGRAM, encoding="utf-8")
    with http_service(app) as address:
        (folder / "openapi.json").write_text(got(address, path="/api/openapi.json").text, encoding="utf-8")
        run(folder, "npm", "run", "--silent", "generate")
        run(folder, "npm", "run", "--silent", "build")
        told = json.loads(run(folder, "node", "dist/program.js", address, SECRET))

    assert told["session"]["projects"] == ["default"]
    assert "green" in json.dumps(told["found"])
    assert told["status"] == "withdrawn"
    assert told["refusals"] == [["not_found", 404], ["unauthorized", 401], ["invalid_input", 400]]
