"""`context`: the rules of developer memory that apply to the work in a folder."""

import argparse
import sys
from pathlib import Path

from core.interface.context_question import ContextQuestion
from core.interface.operations import OPERATION
from service.commands.tools import add_parameters, given_options, open_existing
from service.settings import load_settings
from service.workspace import Workspaces, working_folder


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - as every command's
    """Add the tool's arguments as options; the folder defaults to the current one."""
    add_parameters(parser, OPERATION["memory_context"])


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - as every command's
    """Print the rules as Markdown."""
    values = given_options(vars(options))
    project_id = values.pop("project_id")
    if "folder" in values:
        values["folder"] = str(Path(values["folder"]).absolute())
    question = ContextQuestion(**values)
    with open_existing(load_settings()) as app:
        found = Workspaces(own=working_folder()).detect(question)
        sys.stdout.write(app.memory_context(question, project_id, found=found))
    return 0
