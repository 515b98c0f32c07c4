"""The owner process: opens the home, then serves clients."""

import gc
import importlib
import os
from contextlib import suppress

import anyio

from service.owner.endpoint import runtime_folder
from service.owner.home_config import drop_settings_from_environment
from service.owner.ownership import AlreadyOwned, own_home
from service.processes import end_by_signals, log_to_folder, set_up_process
from service.settings import load_settings
from service.wiring import open_app


def run_owner() -> int:
    """Own the embedded home for all clients, until it is idle, SIGTERM or a request to end.

    The settings come from the home's `.env`; the environment of the client that started it is ignored.

    If another process owns it already there is nothing to do.
    """
    os.umask(0o077)
    drop_settings_from_environment()
    settings = load_settings()
    set_up_process()
    with suppress(AlreadyOwned), own_home(settings.home) as owned:
        log_to_folder(runtime_folder(settings.home) / settings.logs_path.name)
        with open_app(settings) as app:
            app.warm()
            # Importing the MCP library takes most of a second: the model is loaded in the meantime.
            serve = importlib.import_module("..server", __package__)
            listener = serve.listener_of(app, owned, idle=settings.owner_idle)
            gc.freeze()  # imported objects stay, and need not be examined again
            gc.enable()
            app.start_deferred()
            end_by_signals(listener.ended.set)
            anyio.run(listener.serve)
    return 0
