"""The command line: one module a group of commands, imported only when one of them is asked for."""

import argparse
import importlib
import json
import sys
from collections.abc import Sequence
from typing import Final

from core.errors import MemoryServiceError
from service import __version__

#: Each command: the module that has its `configure(parser, command)` and `run(command, options)`, and what it does.
COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "demo": ("service.commands.demo", "show the main job end to end on the sample corpus"),
    "stdio": ("service.owner.bridge", "serve one MCP client on standard input and output"),
    "serve": ("server", "serve MCP over HTTP at /mcp, with /healthz, /readyz and /metrics"),
    "owner": ("service.commands.owner", "say which process has the home open for all clients, or end it"),
    "worker": ("service.commands.worker", "do background work only, beside serve, on shared servers"),
    "ingest": ("service.commands.ingest", "bring files and folders into the memory"),
    "remember": ("service.commands.tools", "keep a text"),
    "recall": ("service.commands.tools", "find what was remembered"),
    "pop": ("service.commands.tools", "get back what was stashed, by its name or what it is about"),
    "forget": ("service.commands.tools", "delete an item or a conversation for good"),
    "status": ("service.commands.tools", "say how the memory is and what it holds"),
    "explore": ("service.commands.explore", "show what is around a person, thing, event or item"),
    "review": ("service.commands.explore", "list who may be the same, and decide"),
    "decisions": ("service.commands.ledger", "list decisions, what they rest on, and whether they still hold"),
    "commitments": ("service.commands.ledger", "list promises, whose they are, and which are overdue"),
    "resolve": ("service.commands.ledger", "declare a promise done or cancelled, a decision withdrawn"),
    "context": ("service.commands.context", "print the rules that bear on the work in a folder"),
    "evaluate": ("service.commands.evaluate", "measure how well recall finds in your own memory"),
    "extract": ("service.commands.extract", "read what is stored with an extractor, as a run that can be taken back"),
    "runs": ("service.commands.extract", "list the runs of extractors"),
    "rollback": ("service.commands.extract", "take a run back: what it read teaches again what it did before"),
    "reindex": ("service.commands.reindex", "rebuild what is derived from the record"),
    "export": ("service.commands.transfer", "write everything that is kept to a file of JSON Lines"),
    "import": ("service.commands.transfer", "take in what an export holds, beside what is there"),
    "backup": ("service.commands.transfer", "copy the embedded record to one file, while others write"),
    "restore": ("service.commands.transfer", "make a backup the record of a home that has none"),
    "doctor": ("service.commands.doctor", "check settings, stores and models, and say how to mend them"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0 when it did its work, 1 when it could not, 2 when it was not understood."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] in {"-h", "--help"}:
        sys.stdout.write(_overview())
        return 0 if given else 2
    if given[0] == "--version":
        sys.stdout.write(f"remembrancer {__version__}\n")
        return 0
    command = given[0]
    if command not in COMMANDS:
        sys.stderr.write(f"remembrancer has no command {command!r}.\n\n{_overview()}")
        return 2
    module = importlib.import_module(COMMANDS[command][0])
    parser = argparse.ArgumentParser(prog=f"remembrancer {command}", description=COMMANDS[command][1])
    module.configure(parser, command)
    options = parser.parse_args(given[1:])
    try:
        return int(module.run(command, options))
    except MemoryServiceError as error:
        sys.stderr.write(f"{json.dumps({'error': str(error), 'code': error.code}, ensure_ascii=False)}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped. What was acknowledged is kept; run the same command again to go on.\n")
        return 130


def _overview() -> str:
    lines = [f"  {name:<10} {purpose}" for name, (_, purpose) in COMMANDS.items()]
    return "\n".join(
        ["usage: remembrancer COMMAND [options]", "", *lines, "", "remembrancer COMMAND --help says more.", ""]
    )
