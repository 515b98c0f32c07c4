"""The command line: one module a group of commands, imported only when one of them is asked for."""

import argparse
import importlib
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from core.errors import MemoryServiceError, nearest_name
from core.interface.caller import LOCAL, act_as
from core.knowledge.text import repair_json
from core.own_process import claim_process
from service import __version__
from service.owner.home_config import describe_ignored_dotenv, limit_numpy_threads, load_env_file

#: Each command: the module of this package with its `configure(parser, command)` and `run(command, options)`, and its
#: description. A module of several commands has `configure_COMMAND` and `run_COMMAND` for those that share no options.
COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "demo": (".commands.demo", "ingest the sample corpus and answer three questions from it"),
    "stdio": (".owner.bridge", "serve one MCP client on standard input and output"),
    "connect": (".commands.connect", "connect Claude Code and other clients, or undo it"),
    "hook": (".commands.hook", "handle an event of a client: start, prompt, compaction or end of a session"),
    "sessions": (".commands.sessions", "list the sessions of agents that were kept, pause them, leave some out"),
    "serve": (".server", "serve MCP over HTTP at /mcp, with /healthz, /readyz and /metrics"),
    "browse": (".commands.owner", "look at the graph of a memory in a browser"),
    "token": (".commands.administration", "create, list and revoke tokens for HTTP clients"),
    "owner": (".commands.owner", "show or stop the process that has the home open for all clients"),
    "worker": (".commands.worker", "run only background jobs, next to serve, on shared servers"),
    "ingest": (".commands.ingest", "store the contents of files and folders"),
    "sync": (".commands.sync", "keep a folder of Markdown notes and the memory the same"),
    "pull": (".commands.exchange", "bring what another home or a hub has into this memory"),
    "push": (".commands.exchange", "bring what this memory has to another home or a hub"),
    "formats": (".commands.ingest", "list the kinds of files that ingest reads, and what they need"),
    "remember": (".commands.tools", "store a text"),
    "learn": (".commands.tools", "record decisions and promises found in a stored text"),
    "recall": (".commands.tools", "find what was remembered"),
    "pop": (".commands.tools", "get a stashed item by its name, or by words to find it"),
    "forget": (".commands.tools", "delete an item or a conversation for good"),
    "status": (".commands.tools", "report the health of each component and what is stored"),
    "explore": (".commands.explore", "show what is connected with a person, thing, event or item"),
    "path": (".commands.explore", "show how two things are connected, and on which words"),
    "graph": (".commands.explore", "write the graph to a file for Gephi, yEd, NetworkX or Neo4j"),
    "review": (".commands.explore", "list uncertain findings and possible duplicates, and decide on them"),
    "decisions": (".commands.tools", "list decisions with their status and evidence"),
    "commitments": (".commands.tools", "list commitments with owner, due date, status and evidence"),
    "resolve": (".commands.tools", "set the status of a commitment or a decision"),
    "context": (".commands.tools", "print the rules that apply to the work in a folder"),
    "evaluate": (".commands.evaluate", "measure how well recall works on your own memory"),
    "extract": (".commands.extract", "extract from stored items again, as a run that can be undone"),
    "refine": (".commands.extract", "have a model read the items to review, within its daily budget"),
    "runs": (".commands.extract", "list the runs of extractors"),
    "rollback": (".commands.extract", "undo a run and restore the earlier results"),
    "reindex": (".commands.administration", "rebuild what is derived from the record"),
    "vacuum": (".commands.administration", "give back the space of what was deleted"),
    "export": (".commands.transfer", "write everything that is stored to a JSON Lines file"),
    "import": (".commands.transfer", "load an export, merging it with what is stored"),
    "backup": (".commands.transfer", "copy the embedded record to one file, also while it is in use"),
    "restore": (".commands.transfer", "restore a backup into an empty home"),
    "audit": (".commands.administration", "list who deleted, replaced, imported or decided what, and when"),
    "doctor": (".commands.doctor", "check settings, stores and models, and report how to fix them"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0 on success, 1 if it failed, 2 if its arguments are wrong.

    A reader of the output that has seen enough is no failure.
    """
    claim_process()
    _prepare_output()
    limit_numpy_threads()
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # What is left to write goes nowhere, so that the interpreter does not meet the same error when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _prepare_output() -> None:
    """Have streams replace what their encoding does not have, and write nowhere where they are closed."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - until the process ends
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _run(arguments: Sequence[str] | None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0].partition("=")[0] == "--env-file":  # a global option may come before the command
        width = 1 if "=" in given[0] else 2
        given = [*given[width : width + 1], *given[:width], *given[width + 1 :]]
    if not given or given[0] in {"-h", "--help"}:
        sys.stdout.write(_overview())
        return 0 if given else 2
    if given[0] == "--version":
        sys.stdout.write(f"remembrancer {__version__}\n")
        return 0
    command = given[0]
    if command not in COMMANDS:
        similar = nearest_name(command, COMMANDS)
        question = f": did you mean {similar}?" if similar else "."
        sys.stderr.write(
            f"remembrancer: there is no command {command!r}{question} Run `remembrancer --help` for all commands.\n"
        )
        return 2
    try:
        module = import_command(command)
    except KeyboardInterrupt:
        return _stopped()
    options = make_parser(command, module).parse_args(given[1:])
    as_json, env_file = getattr(options, "json", False), vars(options).pop("env_file")
    try:
        if env_file is not None:
            load_env_file(env_file)
        elif (ignored := describe_ignored_dotenv()) is not None:
            sys.stderr.write(f"remembrancer: {ignored}\n")
        with act_as(replace(LOCAL, client=f"remembrancer {command}")):
            return int(command_function(module, "run", command)(command, options))
    except MemoryServiceError as error:
        sys.stderr.write(_error_line(error, as_json=as_json))
        return 1
    except KeyboardInterrupt:
        return _stopped()


def _stopped() -> int:
    sys.stderr.write("\nStopped. Everything that was acknowledged is stored; run the command again to continue.\n")
    return 130


def import_command(command: str) -> ModuleType:
    """Import the module of a command."""
    return importlib.import_module(COMMANDS[command][0], __package__)


def command_function(module: ModuleType, action: str, command: str) -> Callable[..., Any]:
    """Return what configures or runs a command: its own function of the module, or the one that commands share."""
    function: Callable[..., Any] = getattr(module, f"{action}_{command}", None) or getattr(module, action)
    return function


class _Parser(argparse.ArgumentParser):
    """A parser that answers an option that it does not have with the nearest one that it has."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - the library's signature
        """Return the options; end the process with a line that says what is wrong."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            name = unknown[0].partition("=")[0]
            meant = nearest_name(name, self._option_string_actions) if name.startswith("--") else None
            self.error(f"unrecognized arguments: {' '.join(unknown)}{f': did you mean {meant}?' if meant else ''}")
        for option, value in vars(options).items():
            setattr(options, option, repair_json(value))  # bytes that are not of the console's encoding
        return options


def make_parser(command: str, module: ModuleType) -> argparse.ArgumentParser:
    """Return the parser of a command with its options."""
    purpose = COMMANDS[command][1]
    parser = _Parser(prog=f"remembrancer {command}", description=f"{purpose[0].upper()}{purpose[1:]}.")
    parser.add_argument(
        "--env-file",
        type=Path,
        metavar="FILE",
        help="file with settings, one NAME=value a line; environment variables take precedence",
    )
    command_function(module, "configure", command)(parser, command)
    return parser


def _error_line(error: MemoryServiceError, *, as_json: bool) -> str:
    if as_json:
        return f"{json.dumps({'error': str(error), 'code': error.code}, ensure_ascii=False)}\n"
    return f"remembrancer: {' '.join(str(error).split())}\n"


def _overview() -> str:
    lines = [f"  {name:<11} {purpose}" for name, (_, purpose) in COMMANDS.items()]
    end = "Run `remembrancer COMMAND --help` for the options of a command."
    return "\n".join(["usage: remembrancer [--env-file FILE] COMMAND [options]", "", *lines, "", end, ""])
