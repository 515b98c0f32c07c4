"""Developer memory: the items that an agent should know before it works, where each applies, and how they rank."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple

ScopeKind = Literal["universal", "language", "project"]

#: Items of these contexts are rules whatever their scope.
RULE_CONTEXTS: Final = ("preference", "correction", "anti_pattern", "decision", "insight")
#: Of these the ones that hold until they are replaced, however old.
STANDING_CONTEXTS: Final = ("preference", "anti_pattern")
#: Words whose presence in a rule makes it relevant to a task: the table of the context-aware retrieval design. Stores
#: keep how many are there (`Memory.rule_words`): a change here is a migration of both.
TASK_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "coding": ("implement", "write", "create", "function", "class"),
    "debugging": ("error", "bug", "fix", "debug", "test"),
    "documentation": ("doc", "comment", "readme", "explain"),
    "architecture": ("design", "pattern", "structure", "module"),
}
TASKS: Final = tuple(TASK_WORDS)
#: Other names of a language, by the name it is found under.
_ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "c#": ("csharp", "cs"),
    "c++": ("cpp",),
    "go": ("golang",),
    "javascript": ("js", "node", "nodejs"),
    "kotlin": ("kt",),
    "python": ("py", "python3"),
    "ruby": ("rb",),
    "rust": ("rs",),
    "typescript": ("ts",),
}
_LANGUAGE_OF: Final = {alias: name for name, aliases in _ALIASES.items() for alias in aliases}


@dataclass(frozen=True, slots=True)
class RuleScope:
    """Where rules apply; `name` is the language's or the project's, "" for universal ones."""

    kind: ScopeKind
    name: str = ""

    @property
    def stored(self) -> tuple[str, ...]:
        """The forms in which items store it (`Memory.rule_scope`): one for every name of the language."""
        if self.kind == "universal":
            return (self.kind,)
        name = self.name.casefold()
        if self.kind == "project":
            return (f"project:{name}",)
        known = _LANGUAGE_OF.get(name, name)
        return tuple(f"language:{one}" for one in (known, *_ALIASES.get(known, ())))


@dataclass(frozen=True, slots=True)
class Workspace:
    """The project somebody works on, and its main programming language. None means unknown."""

    project: str | None = None
    language: str | None = None


UNKNOWN_WORKSPACE: Final = Workspace()


@dataclass(frozen=True, slots=True)
class RuleWeights:
    """How rules of one scope rank: by the sum of the points they get for what is known of them.

    Sums are rounded to six places, so that equal ones are equal on every engine; none is negative.
    """

    #: For each time it was said, so many times at most.
    per_occurrence: float
    most_occurrences: int
    #: For having occurred less than so many days ago, the fewest days first; and for longer ago.
    recent: tuple[tuple[int, float], ...]
    long_ago: float
    #: Rules of `STANDING_CONTEXTS` get at least as much for recency.
    standing: float
    #: For each of the task's words in it.
    per_word: float = 0.0
    #: Rules with less are left out.
    least: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleQuery:
    """Which rules a store should return: of items that hold at `at`, in one of `scopes` (`Scope.stored`).

    `category` is compared with an item's category and its context, both in lower case; None means any. `task` is one
    of `TASKS` if the ranking counts words. Items of more than `most_tokens` are left out.
    """

    at: datetime
    scopes: tuple[str, ...]
    ranking: RuleWeights
    limit: int
    category: str | None = None
    task: str | None = None
    most_tokens: int


class Rule(NamedTuple):
    """A rule without its text: its item, how long that is, and the points it gets."""

    id: str
    context: str
    token_count: int
    points: float
