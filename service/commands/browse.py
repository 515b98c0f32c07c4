"""`browse`: open the graph browser on the running memory, which is started if none runs."""

import argparse
import importlib
import sys
import webbrowser
from typing import Any, Final

from core.errors import Unavailable
from service.owner.endpoint import read_greeting
from service.owner.home_config import HomeConfig
from service.owner.launcher import connect_to_owner

#: How long the owner may take to serve the page, in seconds.
_BROWSE_SECONDS: Final = 30.0


def configure(parser: argparse.ArgumentParser, command: str) -> None:  # noqa: ARG001 - one command in this module
    """Add the option of `browse`."""
    parser.add_argument("--no-open", action="store_true", help="print the address without opening a browser")


def run(command: str, options: argparse.Namespace) -> int:  # noqa: ARG001 - one command in this module
    """Print the address, and open it; where the vectors are on a server this process serves it until Ctrl-C.

    Raises:
        Unavailable: the memory can't be opened, or the address not be served.
    """
    home_config = HomeConfig.find()
    if home_config.allows_multiple_servers:
        serve = importlib.import_module(".serve", __package__)
        serve.browse(lambda address: _show(address, is_opened=not options.no_open))
        return 0
    _show(_asked(home_config), is_opened=not options.no_open)
    return 0


def _asked(home_config: HomeConfig) -> str:
    """Return the address that the owner of the home serves; one that is just ending is followed by another."""
    said = _greeted(home_config) or _greeted(home_config)
    if "address" not in said:
        raise Unavailable(str(said.get("error", "The memory's process ended: run the command again.")))
    return str(said["address"])


def _greeted(home_config: HomeConfig) -> dict[str, Any]:
    connection = connect_to_owner(home_config, "browse")
    try:
        line = connection.line(_BROWSE_SECONDS)
    except OSError:  # it ended
        line = b""
    finally:
        connection.close()
    return read_greeting(line) if line else {}


def _show(address: str, *, is_opened: bool) -> None:
    sys.stdout.write(f"{address}\n")
    sys.stdout.flush()
    opened = is_opened and webbrowser.open(address)
    sys.stderr.write(
        "The address lets one browser in, once, within two minutes; its session lasts 12 hours.\n"
        if opened
        else "Open the address in a browser of this machine within two minutes; it works once.\n"
    )
