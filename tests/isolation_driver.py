"""Random use of a memory by several projects: operations, and what may differ in their answers."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from pathlib import Path
from typing import Any, ClassVar, Final

from core.interface.caller import Caller

Arguments = dict[str, Any]

#: An id in an answer, and the one that an error names as an example.
_ID: Final = re.compile(r"(?:art|evt|ent)_[0-9a-f]{12}")
_EXAMPLE: Final = "art_0123456789ab"
#: Fields that differ by when something was done, how long it took, and where stores are.
_TIMES: Final = frozenset({"created_at", "updated_at", "last_occurred", "latency_ms", "detail"})
#: Moments with a time of day, as every answer writes the time of storing; given dates have none here.
_MOMENT: Final = re.compile(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
#: The id of a run is drawn, and is another one each time.
_RUN: Final = re.compile("run_[0-9a-f]{12}")
#: Two runs of one model differ by less.
_TOLERANCE: Final = 1e-3

_TOPICS: Final = ("budget", "roadmap", "release", "invoice", "contract", "hiring plan", "migration", "audit")
_FIRST_NAMES: Final = ("Ana", "Ben", "Chiara", "Dmitri")
_STOP_WORDS: Final = ("what was it about", "who is who", "how did they do it then")
#: Files of a project.
_FILES: Final = 4
_TAGS: Final = ("urgent", "later", "finance")
_SCOPES: Final = ("universal", "language:python", "project:shared")
#: What several projects say to the letter.
_SHARED: Final = (
    "We decided to move the release to Friday.",
    "Ana will send the budget by 2026-05-04.",
    "Ben from Orvane Limited asked about the contract.",
    "I prefer short meetings.",
)
_SENTENCES: Final = (
    "We decided to move the {topic} to {word}.",
    "{name} will send the {topic} for {word} by {day}.",
    "I'll review the {topic} with {name} by {day}.",
    "{name} from {org} asked about the {topic}. It was about {word} then.",
    "There is a risk that the {topic} slips because {word} is late.",
    "{name} has sent the {topic} for {word}.",
    "We no longer use {word} for the {topic}; we decided to use {other} instead.",
    "The {topic} mentions {word}, {other} and the {topic} of last year.",
)


@dataclass(frozen=True)
class Operation:
    """One call for one project: a tool, the template of a resource, or a route, with its arguments, and who asks."""

    caller: Caller
    kind: str
    name: str
    project: str
    arguments: Arguments


@dataclass
class Project:
    """A project with words and names that stand in no other, and what it has been answered with."""

    id: str
    words: tuple[str, ...]
    surnames: tuple[str, ...]
    org: str
    ids: list[str] = field(default_factory=list)
    remembered: list[Arguments] = field(default_factory=list)

    @property
    def markers(self) -> set[str]:
        """What no other project may be told, in small letters."""
        return {text.lower() for text in (self.id, *self.words, *self.surnames, self.org)} | set(self.ids)

    def learn(self, operation: Operation, answer: object) -> None:
        """Note the ids that an answer has and its question had not."""
        found = _ID.findall(json.dumps(answer))
        asked = {_EXAMPLE, *_ID.findall(json.dumps(operation.arguments))}
        self.ids = list(dict.fromkeys([*self.ids, *(id_ for id_ in found if id_ not in asked)]))


def made_projects() -> list[Project]:
    """Return four projects of nothing in common but first names and topics."""
    return [
        Project("vault-ostrel", ("Quandrel", "Ostrelle", "Mivaro"), ("Brantolini", "Okuvara"), "Zephrion"),
        Project("vault-hexum", ("Tarvick", "Hexumbra", "Lodrane"), ("Wexelgard", "Ilmavente"), "Corvantis"),
        Project("vault-pelth", ("Pelthora", "Grimsovo", "Nyxable"), ("Dragunsky", "Fenwarrow"), "Altherium"),
        Project("vault-yurn", ("Yurnimal", "Skorvath", "Ellabrix"), ("Castavogel", "Ushenbach"), "Novaglint"),
    ]


def made_callers(projects: Sequence[Project]) -> list[Caller]:
    """Return eight callers: of everything, of each project, of two projects, and of two without writing."""
    ids = [one.id for one in projects]
    return [
        Caller("all"),
        *(Caller(id_.removeprefix("vault-"), frozenset({id_})) for id_ in ids),
        Caller("first two", frozenset(ids[:2])),
        Caller("last two", frozenset(ids[2:])),
        Caller("reader", frozenset(ids[1:3]), read_only=True),
    ]


def write_files(folder: Path, projects: Sequence[Project]) -> None:
    """Write files of each project, in a folder of its name."""
    for project in projects:
        (folder / project.id).mkdir()
        for number in range(_FILES):
            word, other = project.words[number % 3], project.words[number % 2]
            told = _SENTENCES[number].format(
                topic=_TOPICS[number], word=word, other=other, name=f"Ana {project.surnames[0]}", org=project.org,
                day="2026-05-04",
            )  # fmt: skip
            (folder / project.id / f"{number}.md").write_text(f"# {word} {number}\n\n{told}\n", encoding="utf-8")


@dataclass
class Driver:
    """Draws operations: most of what a project has itself, some with words and ids of another."""

    chance: random.Random
    projects: Sequence[Project]
    callers: Sequence[Caller]
    resources: Sequence[str]
    routes: Sequence[str]

    #: How often each tool is called; one that is missing here is not driven.
    TOOLS: ClassVar = {
        "remember": 30, "remember_many": 3, "recall": 24, "pop": 4, "forget": 4, "status": 3, "context_stash": 3,
        "context_search_stashed": 3, "context_retrieve_stashed": 2, "faceted_search": 4, "decisions": 4,
        "commitments": 4, "learn": 3, "review": 2, "resolve": 2, "explore": 4, "memory_context": 3, "ingest": 3,
    }  # fmt: skip

    def draw(self) -> Operation:
        """Return the next operation."""
        project = self.chance.choice(self.projects)
        allowed = [one for one in self.callers if one.may_use(project.id)]
        caller = self.chance.choice(self.callers if self.chance.random() < 0.1 else allowed)
        kind = self.chance.choices(("tool", "resource", "route"), (20, 2, 1))[0]
        if kind == "route":
            return Operation(caller, kind, self.chance.choice(self.routes), project.id, {})
        if kind == "resource":
            return Operation(
                caller, kind, self.chance.choice(self.resources), project.id, {"id": self._id(project, "")}
            )
        name = self.chance.choices(list(self.TOOLS), list(self.TOOLS.values()))[0]
        arguments: Arguments = getattr(self, f"_{name}")(project)
        return Operation(caller, kind, name, project.id, {k: v for k, v in arguments.items() if v is not None})

    def _ingest(self, project: Project) -> Arguments:
        path = self.chance.choice((project.id, f"{project.id}/{self.chance.randrange(_FILES)}.md", "gone.md"))
        return {"path": path, "dry_run": self._maybe(0.2, True)}

    def _asked(self, project: Project) -> Project:
        """Return the project, or now and then another one, whose words and ids are tried."""
        return self.chance.choice(self.projects) if self.chance.random() < 0.2 else project

    def _id(self, project: Project, prefix: str) -> str:
        known = [id_ for id_ in self._asked(project).ids if id_.startswith(prefix)]
        return self.chance.choice(known) if known else "art_000000000000"

    def _ids(self, project: Project) -> list[str]:
        return [self._id(project, "art_") for _ in range(self.chance.randint(1, 3))]

    def _maybe(self, share: float, value: object) -> Any:
        return value if self.chance.random() < share else None

    def _name(self, project: Project) -> str:
        return f"{self.chance.choice(_FIRST_NAMES)} {self.chance.choice(project.surnames)}"

    def _day(self) -> str:
        return f"2026-{self.chance.randint(1, 9):02}-{self.chance.randint(1, 28):02}"

    def _said(self, project: Project) -> str:
        return self.chance.choice(_SENTENCES).format(
            topic=self.chance.choice(_TOPICS),
            word=self.chance.choice(project.words),
            other=self.chance.choice(project.words),
            name=self._name(project),
            org=project.org,
            day=self._day(),
        )

    def _text(self, project: Project) -> str:
        if self.chance.random() < 0.1:
            return self.chance.choice(_SHARED)
        sentences = 40 if self.chance.random() < 0.01 else self.chance.randint(1, 4)
        return " ".join(self._said(project) for _ in range(sentences))

    def _query(self, project: Project) -> str:
        asked = self._asked(project)
        return self.chance.choice((
            self.chance.choice(_TOPICS),
            self.chance.choice(_STOP_WORDS),
            f"{self.chance.choice(_TOPICS)} {self.chance.choice(asked.words)}",
            f"What did {self._name(asked)} say about the {self.chance.choice(_TOPICS)}?",
            f"{self.chance.choice(asked.words)}-{self.chance.randint(0, 9)}",
        ))  # fmt: skip

    def _item(self, project: Project) -> Arguments:
        if project.remembered and self.chance.random() < 0.1:
            return dict(self.chance.choice(project.remembered))
        item: Arguments = {
            "content": self._text(project),
            "context": self.chance.choice(("note", "meeting", "email", "decision", "preference", "stash", "fact")),
            "date": self._maybe(0.8, self._day()),
            "author": self._maybe(0.4, self._name(project)),
            "key": self._maybe(0.15, f"{self.chance.choice(project.words)}-{self.chance.randint(0, 9)}"),
            "tags": self._maybe(0.3, [self.chance.choice(_TAGS), self.chance.choice(project.words)]),
            "importance": self._maybe(0.3, self.chance.random()),
            "scope": self._maybe(0.3, self.chance.choice(_SCOPES)),
            "expires_at": self._maybe(0.05, self.chance.choice(("2026-01-01", "2999-01-01"))),
            "sensitivity": self._maybe(0.1, "sensitive"),
        }
        if self.chance.random() < 0.25:
            talk = f"talk-{self.chance.choice(project.words)}"
            turn = {"context": "conversation", "conversation_id": talk, "turn_index": self.chance.randint(0, 200)}
            item |= {**turn, "key": None}
        item = {name: value for name, value in item.items() if value is not None}
        project.remembered.append(item)
        return item

    def _remember(self, project: Project) -> Arguments:
        return self._item(project) | {"wait": self.chance.random() < 0.05}

    def _remember_many(self, project: Project) -> Arguments:
        return {"items": [self._item(project) for _ in range(self.chance.randint(1, 5))] + [{"content": ""}]}

    def _review(self, project: Project) -> Arguments:
        return {"limit": self._maybe(0.5, 50), "max_tokens": self._maybe(0.3, 300)}

    def _learn(self, project: Project) -> Arguments:
        text = self.chance.choice(project.remembered or [{"content": "nothing"}])["content"]
        words = self._maybe(0.8, text.split(". ")[0]) or self.chance.choice(self._asked(project).words)
        bears = self._maybe(0.3, self._id(project, "evt_") if self.chance.random() < 0.5 else text[:30])
        event = {"category": "Decision", "quote": words, "owners": [self._name(project)], "supersedes": bears}
        return {"id": self._id(project, "art_"), "events": [{k: v for k, v in event.items() if v}]}

    def _recall(self, project: Project) -> Arguments:
        which = self.chance.randrange(8)
        if which == 0:
            return {"id": self._id(project, ""), "expand_neighbors": self._maybe(0.5, value=True)}
        talk = f"talk-{self.chance.choice(self._asked(project).words)}"
        if which == 1:
            return {"conversation_id": talk, "query": self._maybe(0.5, self._query(project))}
        if which == 2:
            return {
                "tags": [self.chance.choice((*_TAGS, *self._asked(project).words))],
                "context": self._maybe(0.4, "note"),
                "offset": self._maybe(0.2, 2),
            }
        return {
            "query": self._query(project),
            "limit": self._maybe(0.5, self.chance.choice((1, 3, 50))),
            "offset": self._maybe(0.1, 3),
            "date_from": self._maybe(0.2, "2026-04-01"),
            "as_of": self._maybe(0.1, "2026-06-01"),
            "graph_depth": self._maybe(0.3, 2),
            "expand_neighbors": self._maybe(0.2, value=True),
            "min_importance": self._maybe(0.1, 0.3),  # no max_tokens: moments of storing have other tokens each time
        }

    def _pop(self, project: Project) -> Arguments:
        return {"name": self._query(project)}

    def _forget(self, project: Project) -> Arguments:
        if self.chance.random() < 0.05:
            return {"conversation_id": f"talk-{self.chance.choice(self._asked(project).words)}", "confirm": True}
        return {"id": self._id(project, ""), "confirm": self.chance.random() < 0.7}

    def _status(self, project: Project) -> Arguments:
        return {"id": self._maybe(0.5, self._id(project, ""))}

    def _context_stash(self, project: Project) -> Arguments:
        return {"segment_ids": self._ids(project)}

    def _context_search_stashed(self, project: Project) -> Arguments:
        word = self.chance.choice((*_TOPICS, *self._asked(project).words))
        return {
            "query": self.chance.choice(("", word[1:5], word[:2])),
            "filters": self._maybe(0.2, {"type": "note"}),
            "offset": self._maybe(0.2, 1),
        }

    def _context_retrieve_stashed(self, project: Project) -> Arguments:
        return {"segment_ids": self._ids(project), "move_to_active": self.chance.random() < 0.5}

    def _faceted_search(self, project: Project) -> Arguments:
        return {
            "tags": self._maybe(0.5, [self.chance.choice((*_TAGS, *self._asked(project).words))]),
            "memory_type": self._maybe(0.3, "note"),
            "counts": self._maybe(0.5, value=True),
            "page": self._maybe(0.2, 2),
        }

    def _decisions(self, project: Project) -> Arguments:
        return {
            "topic": self._maybe(0.6, self._query(project)),
            "person": self._maybe(0.3, self._name(self._asked(project))),
            "status": self._maybe(0.5, "all"),
            "as_of": self._maybe(0.1, "2026-06-01"),
        }

    def _commitments(self, project: Project) -> Arguments:
        return {
            "topic": self._maybe(0.5, self._query(project)),
            "owner": self._maybe(0.4, self._name(self._asked(project))),
            "status": self._maybe(0.3, "open"),
        }

    def _resolve(self, project: Project) -> Arguments:
        status = self.chance.choice(("done", "open", "cancelled", "withdrawn", "current"))
        return {"id": self._id(project, "evt_"), "status": status}

    def _explore(self, project: Project) -> Arguments:
        which = self.chance.randrange(4)
        if which == 0:
            return {"review": True}
        if which == 1:
            return {"id": self._id(project, ""), "depth": 2}
        asked = self._asked(project)
        return {"name": self.chance.choice((*_FIRST_NAMES, asked.org, *asked.surnames, self._name(asked)))}

    def _memory_context(self, project: Project) -> Arguments:
        return {
            "scope": self._maybe(0.4, self.chance.choice(_SCOPES)),
            "task": self._maybe(0.3, "coding"),
            "project": self._maybe(0.3, self.chance.choice(("shared", self._asked(project).words[0]))),
        }


def told(answer: object) -> Any:
    """Return an answer without what differs each time: times of storing, durations, and ids of runs."""
    if isinstance(answer, Mapping):
        return {name: told(value) for name, value in answer.items() if name not in _TIMES}
    if isinstance(answer, list | tuple):
        return [told(value) for value in answer]
    return _RUN.sub("<run>", _MOMENT.sub("<moment>", answer)) if isinstance(answer, str) else answer


def is_same(one: Any, other: Any) -> bool:
    """Whether two answers say the same, numbers to a tolerance."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    return bool(one == other)


def leaked(operation: Operation, answer: object, projects: Sequence[Project]) -> set[str]:
    """Return the markers of other projects that an answer has and its question had not."""
    asked = json.dumps(operation.arguments, ensure_ascii=False).lower()
    text = json.dumps(answer, ensure_ascii=False).lower()
    own = next(one.markers for one in projects if one.id == operation.project)
    foreign = {marker for one in projects if one.id != operation.project for marker in one.markers} - own
    return {marker for marker in foreign if marker in text and marker not in asked}
