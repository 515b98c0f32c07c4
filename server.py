"""The MCP server as a module: `create_server` and `create_http` over an app; run as a program, it serves standard input
and output. `service/server.py` composes it."""

import sys

from service.cli import main
from service.server import create_http, create_server

__all__ = ["create_http", "create_server"]

if __name__ == "__main__":
    sys.exit(main(["stdio", *sys.argv[1:]]))
