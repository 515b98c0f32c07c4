"""`python -m evals.roundtrip FOLDER`: everything goes in through `remembrancer stdio` and must come out again, whole.

FOLDER holds `qmsum-dev.jsonl` and `locomo-dev.json`. Prints counts, times and the server's highest memory; exit 1 if
anything was lost, shortened or merged.
"""

import os
import resource
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from evals import datasets


async def _call(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise RuntimeError(f"{tool} failed: {result.content}")
    return dict(result.structured_content or {})


async def _remember_all(client: Client, memories: Sequence[dict[str, Any]]) -> tuple[list[str], list[float]]:
    ids, times = [], []
    for memory in memories:
        begin = time.perf_counter()
        receipt = await _call(client, "remember", **memory)
        times.append((time.perf_counter() - begin) * 1000)
        if receipt["status"] != "stored":
            sys.stdout.write(f"NOT STORED {receipt}\n")
        ids.append(receipt["id"])
    return ids, times


async def _settled(client: Client) -> float:
    """Return the seconds until no job waits."""
    begin = time.perf_counter()
    while (status := await _call(client, "status"))["pending_jobs"]:
        await anyio.sleep(0.5)
    sys.stdout.write(f"after settling: {status['counts']}, {status['failed_jobs']} jobs failed\n")
    return time.perf_counter() - begin


async def _lost(client: Client, memories: Sequence[dict[str, Any]], ids: Sequence[str]) -> int:
    """Return how many items do not come back by id with exactly their words, or whose chunks do not rebuild them."""
    lost = 0
    for memory, identity in zip(memories, ids, strict=True):
        answer = await _call(client, "recall", id=identity, expand_neighbors=True, include_events=False, detail="full")
        result = answer["results"][0]
        whole = result["content"] == memory["content"]
        reached = 0
        for chunk in result["chunks"]:
            whole &= memory["content"][chunk["start_char"] : chunk["end_char"]] == chunk["content"]
            whole &= chunk["start_char"] <= reached
            reached = chunk["end_char"]
        lost += not (whole and reached == len(memory["content"]))
    return lost


async def _missing_turns(client: Client, turns: Sequence[dict[str, Any]]) -> int:
    """Return how many turns are not listed, in order and with their words, in their conversation."""
    missing = 0
    for conversation, total in Counter(turn["conversation_id"] for turn in turns).items():
        answer = await _call(client, "recall", conversation_id=conversation, limit=1000, detail="full")
        expected = [turn["content"] for turn in turns if turn["conversation_id"] == conversation]
        listed = [turn["content"] for turn in answer["turns"]]
        missing += total - sum(a == b for a, b in zip(expected, listed, strict=False))
        missing += answer["total_turns"] != total
    return missing


async def _unfound(client: Client, memories: Sequence[dict[str, Any]], ids: Sequence[str]) -> int:
    """Return how many items are not in the first ten results for their own longest sentence."""
    unfound = 0
    for memory, identity in zip(memories, ids, strict=True):
        query = max(memory["content"].replace("\n", ". ").split(". "), key=len)[:1000].strip()
        answer = await _call(
            client, "recall", query=query if len(query) > 1 else f"{query} .", expand=False, detail="full"
        )
        unfound += identity not in {result["id"] for result in answer["results"]}
    return unfound


async def _run(folder: Path, home: str) -> int:
    meetings = list(datasets.meetings(folder / "qmsum-dev.jsonl"))
    turns = list(datasets.turns(folder / "locomo-dev.json"))
    command = str(Path(sys.executable).with_name("remembrancer"))
    parameters = StdioServerParameters(command=command, args=["stdio"], env=os.environ | {"REMEMBRANCER_HOME": home})
    async with Client(stdio_client(parameters), read_timeout_seconds=300) as client:
        memories = meetings + turns
        begin = time.perf_counter()
        ids, times = await _remember_all(client, memories)
        put_in = time.perf_counter() - begin
        unfound = await _unfound(client, memories[:20] + turns[::20], ids[:20] + ids[20::20])
        settled = await _settled(client)
        lost, missing = await _lost(client, memories, ids), await _missing_turns(client, turns)
        unfound_settled = await _unfound(client, memories, ids)
    sys.stdout.write(
        f"{len(meetings)} meetings and {len(turns)} turns, {sum(len(m['content']) for m in memories):,} characters\n"
        f"different ids: {len(set(ids))} of {len(ids)}\n"
        f"put in: {put_in:.1f} s; remember median {statistics.median(times):.1f} ms, "
        f"p95 {sorted(times)[int(len(times) * 0.95)]:.1f} ms, meetings median {statistics.median(times[:20]):.0f} ms\n"
        f"all vectors and knowledge there after another {settled:.0f} s\n"
        f"lost or changed: {lost}; turns missing: {missing}\n"
        f"not among ten results for their own longest sentence: {unfound} of a sample before settling, "
        f"{unfound_settled} of all after\n"
    )
    return 1 if lost or missing or len(set(ids)) < len(ids) else 0


def main() -> int:
    """Run on a memory of its own, thrown away afterwards."""
    with tempfile.TemporaryDirectory() as home:
        code = anyio.run(_run, Path(sys.argv[1]), home)
    highest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    sys.stdout.write(f"highest memory of the server: {highest:.0f} MB\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
