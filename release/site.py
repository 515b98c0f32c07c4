"""The documents as static pages with a search that needs no server: the README first, then all of `docs/`."""

import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from sphinx.cmd.build import build_main

#: Documents of the root, by the page that each becomes.
_IN_ROOT: Final = {name: name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "LICENSE")} | {"README.md": "index.md"}
#: Files that are no pages and that pages link to.
_LINKED: Final = ("compose.yaml", "retrieval/models/weights/NOTICE")
#: Pages by heading of the navigation; what is not named here comes last.
_GUIDES: Final = ("connect", "python", "browser", "ingestion", "transfer", "operations", "plugins")
_MEASURED: Final = ("evals", "extraction", "performance")
_CONTENTS: Final = "\n```{{toctree}}\n{options}:caption: {caption}\n\n{pages}\n```\n"
_OPTIONS: Final = {
    "extensions": "myst_parser",
    "project": "Remembrancer",
    "html_theme": "furo",
    "html_title": "Remembrancer",
    "html_copy_source": "0",
    "myst_heading_anchors": "4",
    "suppress_warnings": "misc.highlighting_failure",
}


def build_site(root: Path, target: Path) -> None:
    """Write the pages into `target`, an empty folder or none.

    Raises:
        ValueError: a document links to what is not there, or is not as Markdown has it; standard error says where.
    """
    with TemporaryDirectory() as folder:
        sources = Path(folder)
        shutil.copytree(root / "docs", sources, dirs_exist_ok=True)
        for name, page in _IN_ROOT.items():
            text = re.sub(r"(\]\(|src=\")docs/", r"\1", (root / name).read_text("utf-8"))
            (sources / page).write_text(text, "utf-8")
        for name in _LINKED:
            (sources / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, sources / name)
        decisions = sorted(path.stem for path in sources.glob("decisions/*.md"))
        contents = _CONTENTS.format(options="", caption="Decisions", pages="\n".join(decisions))
        (sources / "decisions" / "index.md").write_text(f"# Decisions\n{contents}", "utf-8")
        for path in sources.rglob("*.md"):
            text = re.sub(r"\]\((?:\.\./)*README\.md", "](/index.md", path.read_text("utf-8"))
            path.write_text(re.sub(r"\]\(decisions/?\)", "](decisions/index.md)", text), "utf-8")
        with (sources / "index.md").open("a", encoding="utf-8") as index:
            index.write(_navigation(sources))
        options = [part for name, value in _OPTIONS.items() for part in ("-D", f"{name}={value}")]
        if build_main(["-q", "-C", "-W", "--keep-going", *options, str(sources), str(target)]):
            raise ValueError("the documents have faults")


def _navigation(sources: Path) -> str:
    named = {*_GUIDES, *_MEASURED, "index"}
    others = [*sorted(path.stem for path in sources.glob("*.md") if path.stem not in named), "decisions/index"]
    parts = {"Guides": _GUIDES, "Measured": _MEASURED, "Reference": others}
    return "".join(
        _CONTENTS.format(options=":hidden:\n", caption=caption, pages="\n".join(pages))
        for caption, pages in parts.items()
    )


if __name__ == "__main__":
    build_site(Path(__file__).parents[1], Path(sys.argv[1]))
