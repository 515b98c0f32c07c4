"""Plugins: rerankers and extractors that installed distributions offer as entry points."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Final, Generic, TypeVar, cast

from core.errors import InvalidInput
from core.search import Reranker
from ingest.extract.protocol import Extractor

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Plugins(Generic[P]):
    """The plugins of one kind, each made by calling what its entry point names, without arguments."""

    kind: str
    variable: str
    #: The method that a plugin must have besides a name.
    method: str
    built_in: Sequence[str] = ()

    @property
    def group(self) -> str:
        """The group of entry points."""
        return f"remembrancer.{self.kind}s"

    def make(self, name: str) -> P:
        """Make the plugin of this name.

        Raises:
            InvalidInput: none of that name is installed, or it can't be imported, fails, or makes something else.
        """
        found = entry_points(group=self.group)
        if name not in found.names:
            known = ", ".join([*self.built_in, *sorted(found.names)]) or "none"
            raise InvalidInput(
                f"No {self.kind} is called {name!r}: {self.variable} can name one of: {known}. Others are installed "
                f"as packages with an entry point in {self.group}."
            )
        try:
            made = found[name].load()()
        except Exception as error:
            raise InvalidInput(
                f"The {self.kind} {name!r} can't be loaded ({type(error).__name__}: {error}): correct "
                f"{found[name].value}, or set {self.variable} to another."
            ) from error
        named = str(getattr(made, "name", "")).partition(":")[0] == name
        if not named or not callable(getattr(made, self.method, None)):
            raise InvalidInput(
                f"The {self.kind} {name!r} is {made!r:.80}: its `name` must be {name!r}, or that with a colon "
                f"and more, and it needs a method `{self.method}`."
            )
        return cast("P", made)


RERANKERS: Final[Plugins[Reranker]] = Plugins("reranker", "REMEMBRANCER_RERANKER", "scores")
EXTRACTORS: Final[Plugins[Extractor]] = Plugins("extractor", "REMEMBRANCER_EXTRACTOR", "extract", ("local", "openai"))
