"""Which files of a folder are left out: by its ignore files, as git reads them, and by patterns of the user."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pathspec import GitIgnoreSpec

from core.errors import InvalidInput

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
