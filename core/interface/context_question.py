"""ContextQuestion: the arguments of `memory_context`, checked when it is made."""

import re
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Final

from core.errors import InvalidInput, check_all
from core.interface.memory import check_text
from core.interface.parameters import Description
from core.interface.question import check_range
from core.knowledge.rules import RuleScope, Workspace

#: Maximum number of rules: ten times the default.
MAX_RULES: Final = 200
#: Smallest token budget, which holds the answer without rules, and the largest: it must leave room for the task itself
#: in the context windows of models.
MIN_BUDGET, MAX_BUDGET = 50, 100_000

_SCOPE: Final = re.compile(r"(universal)|(language|project):\s*(\S.*)", re.DOTALL)

_ABSOLUTE_PATH: Final = re.compile(r"/|[A-Za-z]:[/\\]|\\\\")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextQuestion:
    """One call of `memory_context`. Values are validated when it is made; see docs/interface.md for each field's
    meaning.

    Raises:
        InvalidInput: a field is empty or out of range, or the scope has another form.
        TooLarge: a text is over its limit.
    """

    scope: Annotated[str | None, Description("As in remember.")] = None
    category: Annotated[str | None, Description("Such as style.")] = None
    task: Annotated[str | None, Description("coding, debugging, documentation or architecture.")] = None
    project: Annotated[str | None, Description("Default: from the folder.")] = None
    language: Annotated[str | None, Description("Likewise.")] = None
    limit: Annotated[int, Description("1 to 200.")] = 20
    token_budget: Annotated[int, Description("50 to 100,000.")] = 1_500
    folder: Annotated[str | None, Description("Absolute path.")] = None

    def __post_init__(self) -> None:
        texts = {name: getattr(self, name) for name in ("scope", "category", "task", "project", "language", "folder")}
        check_all(
            *(partial(check_text, name, value) for name, value in texts.items() if value is not None),
            self._check_place,
            lambda: check_range("limit", self.limit, 1, MAX_RULES),
            lambda: check_range("token_budget", self.token_budget, MIN_BUDGET, MAX_BUDGET),
        )

    def _check_place(self) -> None:
        if self.scope is not None and not _SCOPE.fullmatch(self.scope.strip()):
            raise InvalidInput(f"scope {self.scope[:80]!r} is not valid: use universal, language:NAME or project:NAME.")
        if self.folder is not None and not _ABSOLUTE_PATH.match(self.folder):
            raise InvalidInput(f"folder {self.folder[:80]!r} is not an absolute path.")

    @property
    def needs_workspace(self) -> bool:
        """Whether the workspace matters: no scope is given, and project or language is missing."""
        return self.scope is None and (self.project is None or self.language is None)

    def scopes(self, found: Workspace) -> tuple[RuleScope, ...]:
        """Return the scopes to show: the given one, else universal, language and project as far as known.

        Given values take precedence over detected ones.
        """
        if self.scope is not None:
            return (_scope(self.scope.strip()),)
        scopes = [RuleScope("universal")]
        if language := self.language or found.language:
            scopes.append(RuleScope("language", _folded(language)))
        if project := self.project or found.project:
            scopes.append(RuleScope("project", _folded(project)))
        return tuple(scopes)


def _scope(text: str) -> RuleScope:
    found = _SCOPE.fullmatch(text)
    if found is None:
        raise AssertionError("a question's scope is checked when it is made")
    if found[1]:
        return RuleScope("universal")
    return RuleScope("language" if found[2] == "language" else "project", _folded(found[3]))


def _folded(name: str) -> str:
    return " ".join(name.split())
