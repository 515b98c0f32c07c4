"""RequestedSettings: settings that a client asks for by its environment, compared with those that the owner of its home
has.

An owner has only the settings of its home: it serves every client, and the environment of one must not affect it.
"""

from collections.abc import Mapping
from typing import Final

from service.owner.home_config import HomeConfig, comparable_value, is_shown
from service.settings import Settings

#: Settings that say which record is meant: a client that asks for another is not served from this one.
_RECORD: Final = frozenset({"REMEMBRANCER_GRAPH", "NEO4J_URI", "NEO4J_DATABASE"})
#: Beginnings of names that matter only where one of these settings has this value, to the client or to the owner.
_MATTERS: Final[Mapping[tuple[str, ...], tuple[tuple[str, ...], str]]] = {
    ("OPENAI_", "REMEMBRANCER_OPENAI_"): (("REMEMBRANCER_EMBEDDER", "REMEMBRANCER_EXTRACTOR"), "openai"),
    ("NEO4J_",): (("REMEMBRANCER_GRAPH",), "neo4j"),
    ("CHROMA_",): (("REMEMBRANCER_VECTORS",), "server"),
}


class RequestedSettings:
    """The settings that a client asks for (`HomeConfig.requested_settings`), as the owner of the home sees it."""

    def __init__(self, asked: object, home_config: HomeConfig, *, serves: bool) -> None:
        """Compare; `serves` says whether a `serve` owns the home, which has its own environment."""
        self._home_config, self._serves = home_config, serves
        self._asked = {str(name): str(value) for name, value in asked.items()} if isinstance(asked, dict) else {}
        self._ours = _settings_of(home_config)
        #: The names of the settings that differ.
        self.unmet: list[str] = sorted(name for name, value in self._asked.items() if self._is_unmet(name, value))

    @property
    def requests_other_store(self) -> bool:
        """Whether the client means another record than the owner has open."""
        return not _RECORD.isdisjoint(self.unmet)

    @property
    def notice(self) -> str | None:
        """The notice for the client; None if the owner has the settings that it asks for."""
        if not self.unmet:
            return None
        asked = ", ".join(f"{name}={self._asked[name]}" if is_shown(name) else name for name in self.unmet)
        ours = ", ".join((self._ours[name] or "none") if is_shown(name) else f"another {name}" for name in self.unmet)
        if self._serves:
            return f"This client asks for {asked}; `serve`, which owns {self._home_config.home}, runs with {ours}."
        return (
            f"This client asks for {asked}; the owner of {self._home_config.home} runs with {ours}, because it reads "
            f"only {self._home_config.dotenv}: write the settings there, then run `remembrancer owner stop`."
        )

    def _is_unmet(self, name: str, value: str) -> bool:
        return name in self._ours and self._ours[name] != value and self._matters(name)

    def _matters(self, name: str) -> bool:
        for beginnings, (settings, value) in _MATTERS.items():
            if name.startswith(beginnings):
                return any(value in (self._asked.get(one), self._ours[one]) for one in settings)
        return True


def _settings_of(home_config: HomeConfig) -> dict[str, str]:
    """Return all settings as they are compared; "" is one that is not set and has no default."""
    defaults = {str(field.alias): field.default for field in Settings.model_fields.values()}
    values = {name: home_config.variables.get(name, str(default or "")) for name, default in defaults.items()}
    return {name: comparable_value(name, value) for name, value in values.items()}
