"""`doctor`: one line for each part, with what is wrong and how to mend it."""

import argparse
import sys

from core.errors import MemoryServiceError
from service.settings import Settings, load
from service.wiring import open_app


def configure(parser: argparse.ArgumentParser, command: str) -> None:
    """`doctor` has no options."""


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - the interface of commands
    """Check settings, stores, embedder and jobs; return 0 when all is well."""
    settings = load()
    _say("ok", "settings", f"home {settings.home}")
    try:
        with open_app(settings) as app:
            status = app.status()
    except MemoryServiceError as error:
        _say("error", "graph", str(error))
        return 1
    for name, service in status.services.items():
        _say("ok" if service.status != "error" else "error", name, service.detail)
    jobs_fine = status.failed_jobs == 0
    advice = "" if jobs_fine else "; `remembrancer status ID` says why, `remembrancer reindex` tries again"
    _say("ok" if jobs_fine else "error", "jobs", f"{status.pending_jobs} wait, {status.failed_jobs} failed{advice}")
    return 0 if status.healthy and jobs_fine and _secrets_fit(settings) else 1


def _secrets_fit(settings: Settings) -> bool:
    if settings.embedder == "openai" and settings.openai_api_key is None:
        _say("error", "keys", "REMEMBRANCER_EMBEDDER is openai and OPENAI_API_KEY is not set: set it.")
        return False
    return True


def _say(state: str, part: str, detail: str) -> None:
    sys.stdout.write(f"{state:<6}{part:<10}{detail}\n")
