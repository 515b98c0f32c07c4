"""`python -m release.licences SBOM FOLDER`: add the licences that packages in a folder name in a line of text only."""

import json
import sys
from importlib.metadata import distributions
from pathlib import Path


def add_licences(sbom: Path, packages: Path) -> None:
    """Write into the list of components the line `License` of each package that has no other form of it."""
    found = [one.metadata for one in distributions(path=[str(packages)])]
    lines = {one["Name"]: one["License"] for one in found if "License" in one}
    said = json.loads(sbom.read_text("utf-8"))
    for component in said["components"]:
        if not component.get("licenses") and (line := lines.get(component["name"])):
            component["licenses"] = [{"license": {"acknowledgement": "declared", "name": line}}]
    sbom.write_text(json.dumps(said, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    add_licences(Path(sys.argv[1]), Path(sys.argv[2]))
