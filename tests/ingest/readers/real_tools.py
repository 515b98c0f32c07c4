"""`python -m tests.ingest.readers.real_tools` makes the files in `fixtures/made` anew with the programs people use.

LibreOffice, Chromium, Pandoc and groff must be installed; what one that is missing makes is left as it is.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

MADE: Final = Path(__file__).parent / "fixtures" / "made"
SOURCES: Final = MADE / "source"
#: What LibreOffice saves each of its flat files as.
_OFFICE: Final = {
    "pier.fodt": ("pdf", "docx", "odt", "rtf"),
    "crane.fodp": ("pdf", "pptx", "odp"),
    "runs.fods": ("ods", "xlsx"),
}
#: What Pandoc writes, by suffix.
_PANDOC: Final = {
    ".md": "markdown", ".rst": "rst", ".org": "org", ".adoc": "asciidoc", ".tex": "latex", ".html": "html",
    ".epub": "epub",
}  # fmt: skip
_SECONDS: Final = 180


def make() -> list[str]:
    """Write the files and return the names of the programs that are missing."""
    office, browser, pandoc, groff = map(shutil.which, ("soffice", "chromium", "pandoc", "gropdf"))
    with tempfile.TemporaryDirectory() as home:
        for source, kinds in _OFFICE.items() if office else ():
            for kind in kinds:
                own = f"-env:UserInstallation={Path(home).as_uri()}/office"
                _run(str(office), own, "--headless", "--convert-to", kind, "--outdir", str(MADE), str(SOURCES / source))
        if browser:
            printed = f"--print-to-pdf={MADE / 'board.pdf'}"
            options = ("--headless", "--no-sandbox", "--no-pdf-header-footer", f"--user-data-dir={home}/browser")
            _run(browser, *options, printed, str(SOURCES / "board.html"))
    for suffix, name in _PANDOC.items() if pandoc else ():
        form = ("-s", "-f", "gfm+yaml_metadata_block+footnotes", "-t", name)
        _run(str(pandoc), *form, "-o", str(MADE / f"yard{suffix}"), str(SOURCES / "yard.md"))
    if groff:
        _run("sh", "-c", f"groff -ms -Tpdf '{SOURCES / 'quay.ms'}' > '{MADE / 'quay.pdf'}'")
    programs = {"soffice": office, "chromium": browser, "pandoc": pandoc, "groff": groff}
    return [name for name, path in programs.items() if path is None]


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS)


if __name__ == "__main__":
    if missing := make():
        sys.exit(f"Not installed: {', '.join(missing)}. What they make is as it was.")
