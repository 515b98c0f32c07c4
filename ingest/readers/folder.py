"""Which files there are below the paths a user named, and which of them ignore files and patterns leave out."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Final

from pathspec import GitIgnoreSpec

from core.errors import InvalidInput, NotFound

#: Files whose patterns leave out what they match in their folder and below; the later one counts more.
IGNORE_FILES: Final = (".gitignore", ".remembrancerignore")
#: Most bytes that are read of one ignore file. A pattern over the other two limits could take long to match.
_MOST_BYTES, _LONGEST_PATTERN, _MOST_STARS = 100_000, 500, 4


def patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    """Return what the lines match together, each a pattern of git's ignore files.

    Raises:
        InvalidInput: one of them is no pattern, is over 500 characters or has more than four stars.
    """
    kept = [line for line in lines if line.strip()]
    for line in kept:
        if len(line) > _LONGEST_PATTERN or line.count("*") > _MOST_STARS:
            raise InvalidInput(f"The pattern {line[:100]!r} is too long or has over {_MOST_STARS} stars: use several.")
        try:
            _spec([line])
        except ValueError as error:
            raise InvalidInput(
                f"{line[:100]!r} is no pattern: write it as in .gitignore, such as 'drafts/*.md'."
            ) from error
    return _spec(kept)


def _spec(lines: Sequence[str]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(lines, backend="simple")


@dataclass(frozen=True, slots=True)
class Selection:
    """The user's own choice, by paths relative to the folder that was named: only what one of `include` matches, if
    there are any, and nothing that `exclude` matches. Raises as `patterns` does.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    _included: GitIgnoreSpec = field(init=False, repr=False, compare=False)
    _excluded: GitIgnoreSpec = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_included", patterns(self.include))
        object.__setattr__(self, "_excluded", patterns(self.exclude))

    def has(self, relative: str) -> bool:
        """Whether the file at this path, with slashes, is chosen."""
        return not self._excluded.match_file(relative) and (not self.include or self._included.match_file(relative))


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The ignore files of a folder and of those around it, the outermost first; what can't be read counts for nothing.

    `unread` says which lines are no patterns, or over their limits.
    """

    specs: tuple[tuple[Path, GitIgnoreSpec], ...] = ()
    unread: tuple[str, ...] = ()

    @classmethod
    def around(cls, folder: Path) -> "IgnoreRules":
        """Return the rules that hold in a folder: its own, and in a git repository those of the folders above it."""
        above = [folder, *folder.parents]
        root = next((at for at, place in enumerate(above) if (place / ".git").exists()), 0)
        rules = cls()
        for place in reversed(above[: root + 1]):
            rules = rules.inside(place)
        return rules

    def inside(self, folder: Path) -> "IgnoreRules":
        """Return the rules that hold in a folder inside of this one; `unread` tells of that folder alone."""
        specs, unread = self.specs, list[str]()
        for name in IGNORE_FILES:
            kept = []
            for line in _lines(folder / name):
                try:
                    patterns([line])
                except InvalidInput:
                    unread.append(f"{(folder / name).as_posix()}: {line[:100]}")
                else:
                    kept.append(line)
            if kept:
                specs = (*specs, (folder, _spec(kept)))
        return IgnoreRules(specs, tuple(unread))

    def ignore(self, path: Path, *, is_folder: bool = False) -> bool:
        """Whether a path is left out: the innermost rule that matches it decides, and there the last."""
        for folder, spec in reversed(self.specs):
            relative = path.relative_to(folder).as_posix() + "/" * is_folder
            if (decided := spec.check_file(relative).include) is not None:
                return decided
        return False


def _lines(path: Path) -> list[str]:
    try:
        if not path.is_file() or path.is_symlink():
            return []
        with path.open("rb") as file:
            return file.read(_MOST_BYTES).decode(errors="replace").splitlines()
    except OSError:
        return []


#: Folders that hold what tools made or fetched. Hidden ones (`.git`, `.venv`) are passed over by their dot.
GENERATED: Final = frozenset({"node_modules", "__pycache__", "venv"})
#: Folders of a site's templates, which are no texts.
TEMPLATES: Final = frozenset({"_layouts", "_includes", "_sass"})
#: Why a path that was named and does not exist is passed over.
MISSING: Final = "missing"
#: Suffixes of pictures that can be read where OCR is installed, of sounds, and of other media.
PICTURES: Final = frozenset(".bmp .gif .jpeg .jpg .png .tif .tiff .webp".split())
_SOUNDS: Final = frozenset(".aac .aiff .amr .flac .m4a .mp3 .oga .ogg .opus .wav .wma".split())
_MEDIA: Final = frozenset(
    ".avi .avif .heic .heif .ico .m4v .mkv .mov .mp4 .mpeg .mpg .ogv .psd .svg .webm .wmv".split()
)
#: What to do with files that people have and that no format reads, by suffix.
ADVICE: Final = {
    suffix: advice
    for suffixes, advice in {
        ".pst .ost": "Outlook's store: export it to mbox, as `readpst -r -o FOLDER FILE` does",
        ".olm .nsf .dbx": "a mail program's store: export it to mbox or .eml",
        ".doc .dot .wpd .wps .sxw .abw .pages .one": "save it as .docx or .pdf",
        ".ppt .pps .key .sxi": "save it as .pptx or .pdf",
        ".numbers .wk1 .sxc": "save it as .xlsx",
        ".gdoc .gsheet .gslides": "a link to Google's servers: download the document",
        ".mobi .azw .azw3 .fb2 .lit": "convert it to .epub",
        ".djvu .ps .eps .xps": "convert it to .pdf",
        ".gz .bz2 .xz .zst .7z .rar": "unpack it",
        ".mdb .accdb .sqlite .sqlite3 .db": "export its tables as .csv",
    }.items()
    for suffix in suffixes.split()
}


@dataclass(frozen=True, slots=True)
class Walk:
    """The files found, resolved, sorted by path and each once, and how many others were passed over.

    `skipped` counts by suffix (`.xyz`), or by reason in words, and `passed_over` names each. Hidden files and folders
    below a named folder are not looked at and not counted, but for the hidden folders of a Maildir; a folder that is
    ignored, or of what tools made, counts as one. Symbolic links below a named folder are not followed: what they point
    to inside it is found at its own place, what lies outside was not named.
    """

    files: tuple[Path, ...]
    skipped: Mapping[str, int]
    #: The paths that were named, resolved.
    roots: tuple[Path, ...] = ()
    #: Lines of ignore files that are no patterns or over their limits, each with its file.
    unread_rules: tuple[str, ...] = ()
    #: Why each file or folder was passed over.
    passed_over: Mapping[Path, str] = field(default_factory=dict)


def walk(paths: Sequence[Path], supported: Callable[[Path], bool], selection: Selection | None = None) -> Walk:
    """Return the files at and below the paths that are `supported` and selected; a link or hidden path is followed.

    What the ignore files in and around a named folder leave out is passed over; a file that is named itself is not. One
    of several paths that does not exist is passed over as `MISSING`.

    Raises:
        NotFound: none of the paths exists.
    """
    found, chosen = _Found(), selection or Selection()
    if paths and not any(path.exists() for path in paths):
        raise NotFound(f"There is nothing at {str(paths[0])!r}: check the path.")
    for path in paths:
        root = path.resolve()
        found.roots.append(root)
        if not path.exists():
            found.passed[root] = MISSING
            continue
        base = root if root.is_dir() else root.parent
        for entry, reason in _below(root, found.unread_rules) if root.is_dir() else [(root, _reason(root))]:
            if reason is not None:
                found.passed[entry] = reason
            elif not chosen.has(entry.relative_to(base).as_posix()):
                found.passed[entry] = "not selected"
            elif supported(entry):
                found.files.add(entry)
            else:
                found.passed[entry] = kind_of_file(entry)
    return found.walk()


@dataclass(slots=True)
class _Found:
    files: set[Path] = field(default_factory=set)
    passed: dict[Path, str] = field(default_factory=dict)
    roots: list[Path] = field(default_factory=list)
    unread_rules: list[str] = field(default_factory=list)

    def walk(self) -> Walk:
        """Return all of it in order."""
        files = tuple(sorted(self.files, key=Path.as_posix))
        passed = {path: self.passed[path] for path in sorted(self.passed.keys() - self.files, key=Path.as_posix)}
        skipped = dict(sorted(Counter(passed.values()).items()))
        return Walk(files, skipped, tuple(self.roots), tuple(dict.fromkeys(self.unread_rules)), passed)


def kind_of_file(path: PurePath) -> str:
    """Return what a file is that no format reads: a kind of media, else its suffix."""
    suffix = path.suffix.lower()
    if suffix in PICTURES:
        return "media (pictures: `pip install 'remembrancer[ocr]'` reads them)"
    if suffix in _SOUNDS:
        return "media (sounds, which are not transcribed)"
    if suffix in ADVICE:
        return f"{suffix} ({ADVICE[suffix]})"
    return "media" if suffix in _MEDIA else suffix or "no suffix"


def is_readable(path: PurePath, missing: Sequence[str]) -> bool:
    """Whether a file is tried although its reader lacks modules: of pictures there are too many to refuse each."""
    return not missing or path.suffix.lower() not in PICTURES


def _below(root: Path, unread_rules: list[str]) -> Iterator[tuple[Path, str | None]]:
    """Yield each entry that is a leaf or ignored, with the reason to pass over it, or None."""
    unreadable: list[Path] = []
    rules = {root: IgnoreRules.around(root)}
    unread_rules += rules[root].unread
    for folder, names, leaves in os.walk(root, onerror=lambda error: unreadable.append(Path(error.filename))):
        place = Path(folder)
        here = rules.pop(place)
        links = [name for name in names if (place / name).is_symlink()]
        names[:] = [name for name in names if (not _hidden(name) or _holds_mail(place / name)) and name not in links]
        made = {name: reason for name in names if (reason := _made(name)) is not None}
        names[:] = [name for name in names if name not in made]
        ignored = {name for name in names if here.ignore(place / name, is_folder=True)}
        ignored |= {name for name in (*links, *leaves) if here.ignore(place / name)}
        names[:] = [name for name in names if name not in ignored]
        for name in names:
            rules[place / name] = here.inside(place / name)
            unread_rules += rules[place / name].unread
        for name in (*sorted(ignored.difference(links, leaves)), *links, *leaves):
            if not _hidden(name):
                yield place / name, "ignored" if name in ignored else _reason(place / name)
        yield from ((place / name, reason) for name, reason in made.items())
    yield from ((folder, "unreadable") for folder in unreadable)


def _made(name: str) -> str | None:
    """Return what a folder of this name holds that nobody wrote, None if it may be anything."""
    return "generated" if name in GENERATED else "templates" if name in TEMPLATES else None


def _hidden(name: str) -> bool:
    return name.startswith(".")


def _holds_mail(folder: Path) -> bool:
    """Whether a folder is one of a Maildir, whose names begin with a dot (".Sent")."""
    return all((folder / part).is_dir() for part in ("cur", "new", "tmp"))


def _reason(path: Path) -> str | None:
    try:
        if path.is_symlink():
            return "symbolic link"
        return None if path.is_file() else "not a regular file"
    except PermissionError:
        return "unreadable"
