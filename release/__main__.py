"""`python -m release`: try each part of `dist/` in an environment that has nothing of the checkout.

The parts are made by `make release`. Ends with 1 and what is wrong if a part does not do what it is for.
"""

import json
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).parents[1]
#: First message of a client, and the longest that a command may take, in seconds.
_HELLO: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "release", "version": "1"}},
}
_PATIENCE: Final = 1_800


class Faulty(Exception):
    """A part of the release does not do what it is for; the message says which and how."""


def main() -> None:
    """Check every part, and say of each that it was."""
    parts = ROOT / "dist"
    version = _only(parts, "remembrancer-*.whl").name.split("-")[1]
    checks = {"wheel": _check_wheel, "bundle": _check_bundle, "plug-in": _check_plugin}
    try:
        with TemporaryDirectory() as folder:
            for name, check in checks.items():
                check(parts, Path(folder), version)
                print(f"{name}: works", flush=True)
        _check_sources(parts)
        _check_image(parts)
        _check_components(parts)
        _check_client(parts, version)
        if not (parts / "site" / "searchindex.js").is_file():
            raise Faulty("site: it has no index to search")
    except Faulty as fault:
        sys.exit(str(fault))
    print(f"Version {version} is complete in {parts}: docs/releasing.md says how it is published.")


def _only(folder: Path, pattern: str) -> Path:
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise Faulty(f"{pattern}: {len(found)} files in {folder}, where one is expected: run make clean release")
    return found[0]


def _check_client(parts: Path, version: str) -> None:
    """Check that the TypeScript client is of this version, and compiled."""
    with tarfile.open(_only(parts, "remembrancer-client-*.tgz")) as packed:
        names = set(packed.getnames())
        told = packed.extractfile("package/package.json")
        found = None if told is None else json.loads(told.read())["version"]
    if found != version or not {"package/dist/index.js", "package/dist/schema.d.ts"} <= names:
        raise Faulty(f"TypeScript client: version {found}, of {len(names)} files: run make typescript")


def _check_wheel(parts: Path, folder: Path, _version: str) -> None:
    """Install the wheel, which was built from the source distribution, and run the demo."""
    venv.create(folder / "installed", with_pip=True)
    pip: list[str | Path] = [
        folder / "installed" / "bin" / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]
    _run("wheel", [*pip, "--require-hashes", "--requirement", ROOT / "service.lock"], folder)
    _run("wheel", [*pip, "--no-deps", _only(parts, "remembrancer-*.whl")], folder)
    _run("wheel", [folder / "installed" / "bin" / "remembrancer", "demo"], folder)


def _check_bundle(parts: Path, folder: Path, version: str) -> None:
    """Start the server of the unpacked bundle with the libraries of the environment."""
    bundle = folder / "bundle"
    with zipfile.ZipFile(parts / "remembrancer.mcpb") as packed:
        packed.extractall(bundle)
    manifest = json.loads((bundle / "manifest.json").read_text("utf-8"))
    server = bundle / manifest["server"]["entry_point"]
    env = {"PYTHONPATH": str(bundle)}
    _greet("bundle", [folder / "installed" / "bin" / "python", server], folder, version, env)


def _check_plugin(parts: Path, folder: Path, version: str) -> None:
    """Start each server that the unpacked plug-in names; every file that its hooks name must be a command there."""
    plugin = folder / "plugin"
    with zipfile.ZipFile(parts / "remembrancer-claude-code.zip") as packed:
        packed.extractall(plugin)
    for server in json.loads((plugin / ".mcp.json").read_text("utf-8"))["mcpServers"].values():
        command = folder / "installed" / "bin" / server["command"]
        _greet("plug-in", [command, *server["args"]], folder, version, server.get("env", {}))
    for command in _commands(json.loads((plugin / "hooks" / "hooks.json").read_text("utf-8"))):
        if command.split()[0] != "remembrancer":
            raise Faulty(f"plug-in: the hook {command!r} is not a command of the package")


def _commands(hooks: object) -> Iterator[str]:
    if isinstance(hooks, Mapping):
        for name, value in hooks.items():
            if name == "command" and isinstance(value, str):
                yield value
            else:
                yield from _commands(value)
    elif isinstance(hooks, list):
        for value in hooks:
            yield from _commands(value)


def _check_sources(parts: Path) -> None:
    """The source distribution must build again by itself: it has what the build names, and the licence."""
    with tarfile.open(_only(parts, "remembrancer-[0-9]*.tar.gz")) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    if missing := {"pyproject.toml", "hatch_build.py", "LICENSE", "README.md"} - names:
        raise Faulty(f"source distribution: it lacks {', '.join(sorted(missing))}")


def _check_image(parts: Path) -> None:
    """The context of the image must have all that the Dockerfile copies; Docker itself builds it where it is."""
    with tarfile.open(parts / "remembrancer-image.tar.gz") as packed:
        names = packed.getnames()
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    for source in " ".join(copied).split():
        if source not in names:
            raise Faulty(f"image: its context lacks {source}")


def _check_components(parts: Path) -> None:
    """The list of components must name every package of the lock for this system, and the licence of each."""
    components = json.loads((parts / "sbom.json").read_text("utf-8"))["components"]
    if nameless := [one["name"] for one in components if not one.get("licenses")]:
        raise Faulty(f"sbom.json: no licence of {', '.join(nameless)}")
    if len(components) < 30:
        raise Faulty(f"sbom.json: only {len(components)} components")


def _greet(part: str, command: Sequence[str | Path], folder: Path, version: str, env: Mapping[str, str] = {}) -> None:
    """Start a server and take its answer to a client's first message."""
    said = _run(part, command, folder, env, json.dumps(_HELLO) + "\n")
    answers = [message["result"] for message in map(json.loads, said.splitlines()) if "result" in message]
    found = answers[0]["serverInfo"]["version"] if answers else None
    if found != version:
        raise Faulty(f"{part}: the server calls itself version {found}, not {version}:\n{said[:2_000]}")


def _run(
    part: str, command: Sequence[str | Path], folder: Path, env: Mapping[str, str] = {}, given: str | None = None
) -> str:
    kept = {
        name: os.environ[name] for name in ("PATH", "LANG", "PIP_INDEX_URL", "PIP_CONFIG_FILE") if name in os.environ
    }
    variables = {**kept, "HOME": str(folder), "REMEMBRANCER_HOME": str(folder / "memory"), **env}
    try:
        done = subprocess.run(
            command, input=given, cwd=folder, env=variables, text=True, capture_output=True, timeout=_PATIENCE
        )
    except subprocess.TimeoutExpired as error:
        raise Faulty(f"{part}: {' '.join(map(str, command))} took more than {_PATIENCE} seconds") from error
    if done.returncode or (given is not None and not done.stdout.strip()):
        raise Faulty(f"{part}: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr[-2_000:]}")
    return done.stdout


if __name__ == "__main__":
    main()
