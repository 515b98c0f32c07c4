"""Developer memory: the rules that bear on somebody's work, chosen and written down within a number of tokens.

Markdown, a rule a line with its origin, in which none can pass for a heading or for several.
docs/decisions/developer-memory.md has the reasons of the shares and the scores.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import PurePath
from typing import Final

from core.dates import now
from core.errors import one_line
from core.interface.question import ContextQuestion
from core.knowledge.findings import are_decisions_closed
from core.knowledge.rules import TASK_WORDS, TASKS, Rule, RuleQuery, RuleScope, RuleWeights, ScopeKind, Workspace
from core.knowledge.text import canonical_text
from core.records import Artifact
from graph.store import Store
from retrieval.scoring.changes import LONGEST, Said, contradicts

#: Tokens of a section with its heading, of 1,500 in all.
_SHARES: Final[dict[ScopeKind, int]] = {"universal": 700, "language": 500, "project": 300}
_WHOLE: Final = sum(_SHARES.values())


@dataclass(slots=True)
class Allowance:
    """What is left of a budget. A budget over 1,500 gives each section more in proportion.

    A smaller one leaves the sections their shares and caps the sum, so that the best rules get it whatever their scope.
    """

    budget: int
    _left: int = field(init=False)
    _sections: dict[ScopeKind, int] = field(init=False)

    def __post_init__(self) -> None:
        self._left = self.budget
        self._sections = {kind: share * max(_WHOLE, self.budget) // _WHOLE for kind, share in _SHARES.items()}

    def room(self, kind: ScopeKind) -> int:
        """Return how many tokens a section can still take."""
        return min(self._left, self._sections[kind])

    def take(self, tokens: int, kind: ScopeKind | None = None) -> None:
        """Use up tokens for a section, or for what is in none."""
        self._left -= tokens
        if kind is not None:
            self._sections[kind] -= tokens


def find_contradicted_rules(rules: Mapping[str, Artifact]) -> set[str]:
    """Return the ids of the short rules, all of one scope, that a newer one of them cannot hold together with."""
    said = {id_: Said.of(_text(rule)) for id_, rule in rules.items() if len(rule.memory.content) <= LONGEST}
    alike: dict[str, list[str]] = defaultdict(list)
    for id_ in sorted(said, key=lambda one: _moment(rules[one]), reverse=True):
        for thing in said[id_].things:
            alike[thing].append(id_)
    pairs = {pair for ids in alike.values() for pair in _pairs(ids)}
    return {older for newer, older in pairs if contradicts(said[newer], said[older], asked=())}


def _pairs(ids: list[str]) -> Iterable[tuple[str, str]]:
    return ((newer, older) for at, newer in enumerate(ids) for older in ids[at + 1 :])


def _text(rule: Artifact) -> str:
    content = rule.memory.content
    return f"Avoid {content}" if rule.memory.context == "anti_pattern" else content


def _moment(rule: Artifact) -> tuple[datetime, datetime]:
    """Return when a rule was said last."""
    last = rule.last_occurred if rule.frequency > 1 else rule.happened_at
    return max(rule.happened_at, last), rule.created_at


TITLE: Final = "## Developer Memory\n"
NOTHING: Final = "No rule applies here yet: remember preferences, corrections, anti_patterns or decisions."
#: Longest name in a heading, in characters.
_NAME_LENGTH: Final = 60
#: Longest name of a file or source after a rule, in characters.
_ORIGIN_LENGTH: Final = 40
#: What would begin a heading, a quotation, a block of code or a tag inside the list.
_BLOCK: Final = re.compile(r"#{1,6}(?=\s|$)|>|`{3,}|~{3,}|<")


def format_heading(scope: RuleScope) -> str:
    """Return the heading of a scope's section."""
    if scope.kind == "universal":
        return "### Universal Rules\n"
    name = one_line(scope.name)[:_NAME_LENGTH].title()
    return f"### {name} {'Preferences' if scope.kind == 'language' else 'Decisions'}\n"


def format_rule(artifact: Artifact) -> str:
    """Return a rule as an entry of a list: its text with line breaks and runs of spaces as one space, then its origin.

    The origin is the item's id, and the name of the file or else the source that it came from.
    """
    memory = artifact.memory
    text = one_line(memory.content)
    if memory.context == "anti_pattern" and not text.casefold().startswith("avoid"):
        text = f"Avoid: {text}"
    escape = "\\" if _BLOCK.match(text) else ""
    origin = PurePath(memory.file_path).name if memory.file_path else memory.source
    return f"- {escape}{text} ({artifact.id}, {one_line(origin)[:_ORIGIN_LENGTH]})\n"


def describe_omitted_rules(count: int, cause: str) -> str:
    """Say how many rules apply that are not shown, and which argument would show them."""
    return f"({count:,} more: raise {cause}.)"


def describe_contradicted_rules(count: int) -> str:
    """Say how many rules are not shown because a newer one says otherwise."""
    if count == 1:
        return "(1 older rule that a newer one contradicts is left out.)"
    return f"({count:,} older rules that newer ones contradict are left out.)"


def ask_for_workspace(count: int) -> str:
    """Say that rules wait for somebody to name where they apply."""
    return f"(Project and language are not known: pass them for {count:,} more.)"


def render_sections(sections: Mapping[RuleScope, Sequence[str]], notes: Sequence[str]) -> str:
    """Return the whole text; a section without lines is left out."""
    blocks = [format_heading(scope) + "".join(lines) for scope, lines in sections.items() if lines]
    return "\n".join([TITLE, *blocks, *(f"{note}\n" for note in notes)])


#: Shares of a score that scope, frequency, recency and the task have.
_SCOPE_WEIGHT, _FREQUENCY_WEIGHT, _RECENCY_WEIGHT, _TASK_WEIGHT = 0.4, 0.3, 0.2, 0.1
#: Rules of another language or project would score 0.1 and 0.05, and are not even read.
_SCOPE_MATCH: Final[dict[ScopeKind, float]] = {"universal": 0.4, "language": 0.7, "project": 1.0}
#: So many occurrences and more score 1.
_OFTEN: Final = 10
#: Days since it last occurred, and what fewer score; longer ago scores `_LONG_AGO`.
_RECENT: Final = ((7, 1.0), (30, 0.7), (90, 0.4))
_LONG_AGO: Final = 0.1
#: The score of what is not known: the recency of a rule without a date, the task if none is named.
_UNKNOWN: Final = 0.5
#: Rules with a lower score do not bear on the work.
_THRESHOLD: Final = 0.3


def scope_points(scope: RuleScope) -> float:
    """Return what every rule of a scope gets for applying there."""
    return _SCOPE_WEIGHT * _SCOPE_MATCH[scope.kind]


def scope_weights(scope: RuleScope, task: str | None) -> RuleWeights:
    """Return how rules of a scope rank; with `scope_points` their points are a score from 0 to 1.

    A preference or an anti-pattern does not age: it scores at least 0.5 for recency, and more while it is fresh.
    For a task without its own words all rules score 0.5, as without a task.
    """
    words = TASK_WORDS.get(task or "", ())
    same_for_all = scope_points(scope) + (0.0 if words else _TASK_WEIGHT * _UNKNOWN)
    return RuleWeights(
        per_occurrence=_FREQUENCY_WEIGHT / _OFTEN,
        most_occurrences=_OFTEN,
        recent=tuple((days, _RECENCY_WEIGHT * score) for days, score in _RECENT),
        long_ago=_RECENCY_WEIGHT * _LONG_AGO,
        standing=_RECENCY_WEIGHT * _UNKNOWN,
        per_word=_TASK_WEIGHT / len(words) if words else 0.0,
        least=round(_THRESHOLD - same_for_all, 6),
    )


#: Rules that are taken at a time, as many as an answer has by default.
_BATCH: Final = 20
#: How often what room is left is looked for a rule that fits: the next one found is worth less each time.
_LOOKS: Final = 4


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A rule with its scope and its score; a larger `score` is better."""

    rule: Rule
    scope: RuleScope
    score: float


@dataclass(frozen=True, slots=True)
class _Line:
    """A rule as it is shown."""

    id: str
    text: str
    scope: RuleScope
    score: float


def memory_context(
    store: Store, project_id: str, question: ContextQuestion, found: Workspace, count: Callable[[str], int]
) -> str:
    """Return the rules that bear on the work asked about, as Markdown of at most `question.token_budget` tokens.

    Best scores first, within the share of each scope; `count` says how many tokens a text has.

    Raises:
        Unavailable: the record does not answer.
    """
    choice = _Choice(store, project_id, question, question.scopes(found), count)
    choice.make()
    shown = [line for line in choice.lines if line.id not in choice.replaced]
    lines = sorted(shown, key=lambda one: -one.score)
    elsewhere = _elsewhere(choice)
    for length, with_notes in _ways(len(lines)):
        notes = _notes(choice, length, elsewhere) if with_notes else []
        text = render_sections({scope: _texts(lines[:length], scope) for scope in choice.scopes}, notes)
        if _tokens(text, count) <= question.token_budget:
            return text
    raise AssertionError("a title with notes has fewer tokens than the smallest budget")


def _tokens(text: str, count: Callable[[str], int]) -> int:
    """Return the sum over the lines, which is no less than the whole has: lines that were counted cost nothing."""
    return sum(count(f"{line}\n") for line in text.split("\n"))


def _ways(length: int) -> Iterator[tuple[int, bool]]:
    """Yield how many lines to write, and whether with notes: what is said of the rest never costs the last line."""
    yield from ((fewer, True) for fewer in range(length, 0, -1))
    yield from ((fewer, False) for fewer in range(length, 0, -1))
    yield 0, True


def _texts(lines: Sequence[_Line], scope: RuleScope) -> list[str]:
    return [line.text for line in lines if line.scope == scope]


def _notes(choice: "_Choice", length: int, elsewhere: int) -> list[str]:
    """Return the note about omitted lines."""
    notes = []
    if rest := choice.total - length - len(choice.over | choice.repeated | choice.replaced):
        notes.append(describe_omitted_rules(rest, "limit" if length == choice.question.limit else "token_budget"))
    if choice.replaced:
        notes.append(describe_contradicted_rules(len(choice.replaced)))
    if elsewhere:
        notes.append(ask_for_workspace(elsewhere))
    return notes if notes or length else [NOTHING]


def _elsewhere(choice: "_Choice") -> int:
    """Return how many rules of languages and projects there are if nothing is known of either, and 0 otherwise."""
    if not choice.question.needs_workspace or len(choice.scopes) > 1:
        return 0
    known = choice.store.rule_scopes(choice.project_id, choice.at)
    return sum(known.values()) - known.get(choice.scopes[0].kind, 0)


@dataclass(slots=True)
class _Choice:
    """Takes rules by score while there is room."""

    store: Store
    project_id: str
    question: ContextQuestion
    scopes: Sequence[RuleScope]
    count: Callable[[str], int]
    at: datetime = field(default_factory=now)
    lines: list[_Line] = field(default_factory=list)
    #: Decisions that were found to hold no more.
    over: set[str] = field(default_factory=set)
    #: Rules whose text is one line.
    repeated: set[str] = field(default_factory=set)
    #: Rules that a newer one of their scope contradicts.
    replaced: set[str] = field(default_factory=set)
    #: How many rules score enough to be shown.
    total: int = 0
    _texts: dict[RuleScope, dict[str, Artifact]] = field(default_factory=lambda: defaultdict(dict))
    _seen: set[str] = field(default_factory=set)
    _begun: set[RuleScope] = field(default_factory=set)
    _said: set[tuple[RuleScope, str]] = field(default_factory=set)

    def make(self) -> None:
        """Fill `lines`."""
        allowance = Allowance(self.question.token_budget)
        allowance.take(self.count(TITLE))
        for _ in range(_LOOKS):
            candidates = self._candidates(allowance)
            self._read(candidates)
            for batch in _batches(candidates):
                self._take(batch, allowance)
                if len(self.lines) == self.question.limit:
                    return
            if not candidates:
                return

    def _candidates(self, allowance: Allowance) -> list[_Candidate]:
        """Return rules not examined yet that may fit, best first; of equal ones the narrower scope first."""
        found: list[_Candidate] = []
        total = 0
        for scope in reversed(self.scopes):
            page, applying = self.store.rules(self.project_id, self._query(scope, allowance))
            total += applying
            unseen = (rule for rule in page if rule.id not in self._seen)
            found += [_Candidate(rule, scope, round(scope_points(scope) + rule.points, 6)) for rule in unseen]
        self.total = total
        return sorted(found, key=lambda one: -one.score)

    def _read(self, candidates: Sequence[_Candidate]) -> None:
        """Read the texts of the candidates, and find the rules that newer ones contradict."""
        found = self.store.get(self.project_id, [one.rule.id for one in candidates])
        for one in candidates:
            if one.rule.id in found:  # else forgotten since
                self._texts[one.scope][one.rule.id] = found[one.rule.id]
        self._note_over(one.rule for one in candidates)
        for texts in self._texts.values():
            self.replaced |= find_contradicted_rules({id_: text for id_, text in texts.items() if id_ not in self.over})

    def _query(self, scope: RuleScope, allowance: Allowance) -> RuleQuery:
        task = None if self.question.task is None else self.question.task.strip().casefold()
        category = self.question.category
        return RuleQuery(
            at=self.at,
            scopes=scope.stored,
            ranking=scope_weights(scope, task),
            limit=2 * self.question.limit + len(self._seen),
            category=None if category is None else category.strip().casefold(),
            task=task if task in TASKS else None,
            most_tokens=max(0, allowance.room(scope.kind)),
        )

    def _take(self, batch: Sequence[_Candidate], allowance: Allowance) -> None:
        """Take what fits of a batch, in its order."""
        fitting = [one for one in batch if one.rule.token_count <= allowance.room(one.scope.kind)]
        self._seen.update(one.rule.id for one in fitting)
        for candidate in fitting:
            if len(self.lines) == self.question.limit:
                return
            artifact = self._texts[candidate.scope].get(candidate.rule.id)
            if artifact is None or artifact.id in self.over | self.replaced:
                continue
            said = candidate.scope, canonical_text(artifact.memory.content)
            if said in self._said:
                self.repeated.add(artifact.id)
            elif self._add(candidate, artifact, allowance):
                self._said.add(said)

    def _add(self, candidate: _Candidate, artifact: Artifact, allowance: Allowance) -> bool:
        """Add a rule as a line if there is room; return whether there is."""
        scope = candidate.scope
        shown = format_rule(artifact)
        cost = self.count(shown)
        if scope not in self._begun:
            cost += self.count(format_heading(scope))
        if cost > allowance.room(scope.kind):
            return False
        allowance.take(cost, scope.kind)
        self._begun.add(scope)
        self.lines.append(_Line(artifact.id, shown, scope, candidate.score))
        return True

    def _note_over(self, rules: Iterable[Rule]) -> None:
        """Find the decisions that a later one superseded or somebody withdrew, whatever else they say."""
        decisions = [rule.id for rule in rules if rule.context == "decision"]
        for id_, events in self.store.events_of(self.project_id, decisions).items() if decisions else ():
            if are_decisions_closed(events):
                self.over.add(id_)


def _batches(candidates: Sequence[_Candidate]) -> Iterator[list[_Candidate]]:
    rest = iter(candidates)
    while batch := list(islice(rest, _BATCH)):
        yield batch
