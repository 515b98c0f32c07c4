"""The answer of `memory_context`: which rules are in it, and its words."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Final

from core.dates import now
from core.interface.context_question import ContextQuestion
from core.knowledge.findings import are_decisions_closed
from core.knowledge.rules import TASKS, Rule, RuleQuery, RuleScope, Workspace
from core.knowledge.wording import canonical_text
from core.records import Artifact
from graph.store import Store
from retrieval.context.allowance import Allowance
from retrieval.context.contradictions import find_contradicted_rules
from retrieval.context.markdown import (
    NOTHING,
    TITLE,
    ask_for_workspace,
    describe_contradicted_rules,
    describe_omitted_rules,
    format_heading,
    format_rule,
    render_sections,
)
from retrieval.context.rule_scores import scope_points, scope_weights

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
