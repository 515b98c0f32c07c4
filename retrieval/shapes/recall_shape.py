"""Recall shape: answers of `recall` and `pop` in the requested shape and tokens, and what was left out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from core.interface.question import Question, token_limit
from core.interface.results import Detail, Recall, Result
from core.interface.stash import Popped, PopQuestion
from retrieval.messages.message import Cut, Limit, fit_to_limit
from retrieval.shapes.brief_form import (
    Focus,
    abbreviate,
    abbreviate_result,
    continue_text,
    cut_text,
    explain_continuation,
    shorten_answer,
    shorten_result,
)

#: Most events of a result, and most entities of an answer, in full; one thing asked for by its id has all.
_EVENTS, _ENTITIES = 10, 20
#: What is kept of each list as long as anything less relevant can go.
_FEW_RELATED, _FEW_EVENTS, _FEW_RESULTS, _FEWEST_RESULTS = 2, 1, 5, 3


def shape_recall(answer: Recall, question: Question) -> Recall:
    """Return the answer as the question wants it; its lists must be complete, and in the order of relevance.

    Raises:
        InvalidInput: `text_offset` is past the end of the text asked for.
    """
    limit = Limit(question.allowance, question.detail)
    shown = answer
    if answer.match_type == "id":
        answer = continue_text(answer, question.text_offset)
        shown = cut_text(answer, limit)
        named = Focus.of(None).rank_entities(shown.entities, shown.results)
        shown = replace(shown, entities=named)
    shown = abbreviate(shown, Focus.of(question.query)) if question.detail == "brief" else _full(shown)
    shape = _Shape(question, answer, shown)
    cut = fit_to_limit(shape.add_hint(shown), limit, CUTS[question.detail], shape.add_hint)
    return next(filter(limit.fits, [cut, *_places(cut, shown)]), replace(Recall(), match_type=cut.match_type))


def _full(answer: Recall) -> Recall:
    if answer.match_type == "id":
        return answer
    return replace(_with_events(answer, _EVENTS), entities=answer.entities[:_ENTITIES])


@dataclass(frozen=True, slots=True)
class _Shape:
    """What was asked for, all that was found, and what of it would be shown if there were no limit."""

    question: Question
    found: Recall
    shown: Recall

    def add_hint(self, cut: Recall) -> Recall:
        """Return what is left of the answer, with a hint that says what is not there and the call that gets it."""
        said = [self.found.hint, *self._text_cuts(cut), self._left_out(cut)]
        following = None
        if cut.match_type == "id" and self._lacks_text(cut):
            following = self.question.text_offset + len(cut.results[0].content)
        return replace(cut, hint=" ".join(filter(None, said)) or None, next_text_offset=following)

    def _lacks_text(self, cut: Recall) -> bool:
        return bool(cut.results) and len(cut.results[0].content) < len(self.found.results[0].content)

    def _text_cuts(self, cut: Recall) -> Iterator[str]:
        """Say where a text that was cut goes on."""
        if self._lacks_text(cut):
            yield explain_continuation(cut.results[0], self.found.results[0])
        if cut.turns and self.found.turns and len(cut.turns[0].content) < len(self.found.turns[0].content):
            turn = cut.turns[0]
            yield f'Turn {turn.turn_index} is cut: recall(id="{turn.id}", text_offset={len(turn.content)}) goes on.'

    def _left_out(self, cut: Recall) -> str | None:
        found, offset = self.found, self.question.offset
        parts = []
        if results := len(found.results) - len(cut.results):
            parts.append(f"{results} results (offset={offset + len(cut.results)})")
        if texts := sum(map(_lacks_passage, cut.results, self.shown.results)):
            parts.append(f"{texts} passages (recall one by its id)")
        if turns := len(found.turns or ()) - len(cut.turns or ()):
            parts.append(f"{turns} turns (offset={offset + len(cut.turns or ())})")
        beside = [
            f"{number} {name}"
            for name, number in (
                ("events", _events(found) - _events(cut)),
                ("related", len(found.related) - len(cut.related)),
                ("entities", len(found.entities) - len(cut.entities)),
                ("results' fields", sum(map(_lacks_facts, cut.results, self.shown.results))),
            )
            if number
        ]
        if beside:
            parts.append(f"{', '.join(beside)} ({self._way()})")
        return f"Left out: {'; '.join(parts)}." if parts else None

    def _way(self) -> str:
        if self.question.detail == "brief":
            return 'detail="full"'
        return "recall one result by its id" if self.question.max_tokens is None else "raise max_tokens"


def _lacks_passage(cut: Result, shown: Result) -> bool:
    return bool(shown.content) and not cut.content


def _lacks_facts(cut: Result, shown: Result) -> bool:
    if _lacks_passage(cut, shown):
        return False
    return replace(cut, content="", chunk=None, events=None) != replace(shown, content="", chunk=None, events=None)


def _events(answer: Recall) -> int:
    return sum(len(result.events or ()) for result in answer.results)


def _most_events(answer: Recall) -> int:
    return max((len(result.events or ()) for result in answer.results), default=0)


def _with_events(answer: Recall, count: int) -> Recall:
    """Return the answer with at most so many events for each result."""
    results = [
        replace(result, events=result.events[:count] or ([] if count else None)) if result.events else result
        for result in answer.results
    ]
    return replace(answer, results=results)


def _passages(answer: Recall) -> int:
    return sum(bool(result.content) for result in answer.results)


def _with_passages(answer: Recall, count: int) -> Recall:
    """Return the answer with the passages of the first results, and of the others a line that says what they are."""
    lines = [
        replace(_bare(result), content="", chunk=None, title=result.title, date=result.date)
        for result in answer.results[count:]
    ]
    return replace(answer, results=[*answer.results[:count], *lines])


def _facts(answer: Recall) -> int:
    return int(bool(answer.results))


def _with_facts(answer: Recall, count: int) -> Recall:
    """Return the answer with all that is known of its results, or (0) with their places and texts alone."""
    return answer if count else replace(answer, results=[_bare(result) for result in answer.results])


def _bare(result: Result) -> Result:
    return Result(
        result.id, result.content, result.context, result.score, {}, stashed=result.stashed, chunk=result.chunk
    )


def _with_first_turn(answer: Recall, length: int) -> Recall:
    first, *others = answer.turns or []
    return replace(answer, turns=[replace(first, content=first.content[:length]), *others])


def _places(cut: Recall, shown: Recall) -> Iterator[Recall]:
    """Yield where the first thing found is and the call that gets it, each time with fewer other parts."""
    first = shown.results[0] if shown.results else None
    calls = [f'recall(id="{turn.id}")' for turn in (shown.turns or ())[:1]]
    if first is not None:
        offset = f", text_offset={first.chunk.start_char}" if first.chunk and first.chunk.start_char else ""
        calls = [f'recall(id="{first.id}"{offset})']
    bare = Recall(
        total_count=cut.total_count,
        match_type=cut.match_type,
        turns=None if cut.turns is None else [],
        total_turns=cut.total_turns,
    )
    placed = [replace(bare, results=[replace(_bare(first), content="")])] if first is not None else []
    hints = [*(f"Too long for max_tokens: raise it, or {call}." for call in calls), *calls, "Raise max_tokens."]
    yield from (replace(answer, hint=hint) for answer in (*placed, bare) for hint in hints)


def _results_down_to(count: int) -> Cut[Recall]:
    return Cut(lambda answer: len(answer.results), lambda answer, n: replace(answer, results=answer.results[:n]), count)


def _related_down_to(count: int) -> Cut[Recall]:
    return Cut(lambda answer: len(answer.related), lambda answer, n: replace(answer, related=answer.related[:n]), count)


#: What is left out, first to last, of each list the end first.
_FIRST: Final[tuple[Cut[Recall], ...]] = (
    Cut(lambda answer: len(answer.entities), lambda answer, n: replace(answer, entities=answer.entities[:n])),
    _related_down_to(_FEW_RELATED),
    Cut(_most_events, _with_events, _FEW_EVENTS),
)
_EVENTS_GO: Final[Cut[Recall]] = Cut(_most_events, _with_events)
_LAST: Final[tuple[Cut[Recall], ...]] = (
    Cut(_facts, _with_facts),
    Cut(lambda answer: len(answer.turns or ()), lambda a, n: replace(a, turns=(a.turns or [])[:n]), 1),
    _results_down_to(1),
    Cut(lambda answer: len(answer.results[0].content) if answer.results else 0, shorten_answer),
    Cut(lambda answer: len(answer.turns[0].content) if answer.turns else 0, _with_first_turn),
)
#: In brief, results become lines before any of them goes. The last lines go before the last event and related one: an
#: agent asks for more results, but not for what it does not know to be connected.
CUTS: Final[Mapping[Detail, tuple[Cut[Recall], ...]]] = {
    "brief": (
        *_FIRST,
        Cut(_passages, _with_passages, _FEWEST_RESULTS),
        _related_down_to(1),
        _results_down_to(_FEW_RESULTS),
        _EVENTS_GO,
        Cut(_passages, _with_passages, _FEWEST_RESULTS - 1),
        _results_down_to(_FEWEST_RESULTS),
        _related_down_to(0),
        *_LAST,
    ),
    "full": (
        *_FIRST,
        _results_down_to(_FEW_RESULTS),
        _EVENTS_GO,
        _results_down_to(_FEWEST_RESULTS),
        _related_down_to(0),
        *_LAST,
    ),
}


#: Characters of each text that are kept as long as whole results can go.
_FEW_CHARS: Final = 400


def shape_pop(popped: Popped, asked: PopQuestion) -> Popped:
    """Return the stashes as they were asked for."""
    limit = Limit(token_limit(asked.detail, asked.max_tokens), asked.detail)
    if asked.detail == "brief":
        popped = replace(popped, results=[abbreviate_result(result) for result in popped.results])

    def add_hint(cut: Popped) -> Popped:
        said = " ".join(filter(None, [popped.message, *_left_out(cut, popped)]))
        return replace(cut, message=said or None)

    cut = fit_to_limit(popped, limit, _CUTS[0 if asked.detail == "brief" else 1 :], add_hint)
    if limit.fits(cut):
        return cut
    calls = [f'recall(id="{result.id}")' for result in cut.results]
    return replace(cut, message=" ".join(calls) or "Nothing fits max_tokens: raise it.")


def _left_out(cut: Popped, popped: Popped) -> Iterator[str]:
    """Say which texts were cut and which stashes are not there, and the call that gets them."""
    for kept, whole in zip(cut.results, popped.results, strict=False):
        if len(kept.content) < len(whole.content):
            yield explain_continuation(kept, whole)
    if missing := popped.results[len(cut.results) :]:
        yield f"Left out: {', '.join(result.id for result in missing)} (recall one by its id, or raise max_tokens)."


def _longest(popped: Popped) -> int:
    return max((len(result.content) for result in popped.results), default=0)


def _with_texts(popped: Popped, length: int) -> Popped:
    return replace(popped, results=[shorten_result(result, length) for result in popped.results])


def _with_facts_of_items(popped: Popped, count: int) -> Popped:
    return popped if count else replace(popped, results=[_bare_item(result) for result in popped.results])


def _bare_item(result: Result) -> Result:
    metadata = {name: result.metadata[name] for name in ("key",) if name in result.metadata}
    return Result(result.id, result.content, result.context, result.score, metadata, chunk=result.chunk)


#: What is left out, first to last; in full no text is cut while another stash can go.
_CUTS: Final[tuple[Cut[Popped], ...]] = (
    Cut(_longest, _with_texts, _FEW_CHARS),
    Cut(lambda popped: len(popped.results), lambda popped, n: replace(popped, results=popped.results[:n]), 1),
    Cut(lambda popped: int(bool(popped.results)), _with_facts_of_items),
    Cut(_longest, _with_texts),
)
