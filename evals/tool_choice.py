"""`python -m evals.tool_choice FOLDER`: whether a reader of the list of tools makes the right calls.

It writes `sheet.md`, the tools as a client is sent them with the tasks of `tool_tasks.yaml`, and `calls.jsonl` to fill
in: a model or a person who has nothing but the sheet writes the tool and the arguments of each task's first call.
`--score` then counts the right tools, and the right calls: each argument that the task needs, and none that the tool
refuses.
"""

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml
from mcp.server.mcpserver.tools import Tool

from core.errors import InvalidInput, MemoryServiceError
from service.app import App
from service.tools.operations import tools
from service.tools.validation import checked_arguments

_TASKS: Final = Path(__file__).with_name("tool_tasks.yaml")
_HEAD: Final = (
    "You are an agent with the tools below. For each task, write the tool of your first call and its arguments into "
    "calls.jsonl.\n"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the sheet, or score what was written; return the exit code, 1 if a call is not right."""
    parser = argparse.ArgumentParser(prog="python -m evals.tool_choice", description=(__doc__ or "").partition("\n")[2])
    parser.add_argument("folder", type=Path, help="where the sheet and the calls are")
    parser.add_argument("--tools", default="core", help="as REMEMBRANCER_TOOLS (default: core)")
    parser.add_argument("--score", action="store_true", help="score the calls of the folder")
    options = parser.parse_args(arguments)
    try:
        listed = {tool.name: tool for tool in tools(App.__new__(App), options.tools)}
        tasks: list[dict[str, Any]] = yaml.safe_load(_TASKS.read_text(encoding="utf-8"))
        if not options.score:
            _write(options.folder, listed, tasks)
            return 0
        lines = (options.folder / "calls.jsonl").read_text(encoding="utf-8").splitlines()
        calls = {call["id"]: call for call in map(json.loads, filter(str.strip, lines))}
    except (MemoryServiceError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    faults = {task["id"]: find_faults(task, calls.get(task["id"], {}), listed) for task in tasks}
    right_tools = sum(calls.get(task["id"], {}).get("tool") == task["tool"] for task in tasks)
    for name, found in faults.items():
        sys.stdout.writelines(f"{name}: {fault}\n" for fault in found)
    right = sum(not found for found in faults.values())
    sys.stdout.write(f"right tool {right_tools} of {len(tasks)}, right call {right} of {len(tasks)}\n")
    return int(right < len(tasks))


def _write(folder: Path, listed: Mapping[str, Tool], tasks: Sequence[Mapping[str, Any]]) -> None:
    if (folder / "calls.jsonl").exists():
        raise InvalidInput(f"{str(folder)!r} has calls.jsonl already: name a new folder, or use --score.")
    folder.mkdir(parents=True, exist_ok=True)
    shown = [f"## `{one.name}`\n\n{one.description}\n\n```json\n{json.dumps(one.parameters, ensure_ascii=False)}\n```\n"
             for one in listed.values()]  # fmt: skip
    asked = [f"{task['id']}: {task['task']}\n" for task in tasks]
    (folder / "sheet.md").write_text("\n".join([_HEAD, *shown, "# Tasks\n", *asked]), encoding="utf-8")
    form = [json.dumps({"id": task["id"], "tool": "", "arguments": {}}) + "\n" for task in tasks]
    (folder / "calls.jsonl").write_text("".join(form), encoding="utf-8")


def find_faults(task: Mapping[str, Any], call: Mapping[str, Any], listed: Mapping[str, Tool]) -> list[str]:
    """Return what is wrong with the call of a task."""
    if call.get("tool") != task["tool"]:
        return [f"{call.get('tool') or 'no tool'} instead of {task['tool']}"]
    given = call.get("arguments", {})
    try:
        checked_arguments(listed[task["tool"]], given)
    except MemoryServiceError as error:
        return [str(error)]
    texts = {name: json.dumps(value, ensure_ascii=False) for name, value in given.items()}
    return [
        *(
            f"{name} is {texts.get(name, 'not given')}, not {pattern}"
            for name, pattern in task["arguments"].items()
            if not re.search(pattern, texts.get(name, ""), re.IGNORECASE)
        ),
        *(f"{name} is given" for name in task.get("never", ()) if given.get(name)),
    ]


if __name__ == "__main__":
    sys.exit(main())
