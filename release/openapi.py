"""`python -m release.openapi FILE`: write the description of the HTTP API, of which clients are made."""

import json
import sys
from pathlib import Path

from service.api.operation import describe_operations
from service.api.routes import operations
from service.app import App


def main() -> None:
    """Write it; nothing is opened for that."""
    described = describe_operations(operations(App.__new__(App), None))
    Path(sys.argv[1]).write_text(json.dumps(described, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
