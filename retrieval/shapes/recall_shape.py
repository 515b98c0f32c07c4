"""Recall shape: answers of `recall` and `pop` in the requested shape and tokens, and what was left out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
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
#: Characters of each passage that are kept as long as a whole result can go, and of a turn that is not cut.
_FEW_WORDS, _SHORT_TURN = 240, 500


def shape_recall(answer: Recall, question: Question) -> Recall:
    """Return the answer as the question wants it; its lists must be complete, and in the order of relevance.

    Raises:
        InvalidInput: `text_offset` is past the end of the text asked for.
    """
    limit = Limit(question.allowance, question.detail)
    focus = Focus.of(question.query)
    if not focus.shows_entities(question.detail):
        answer = replace(answer, entities=[])
    shown = answer
    if answer.match_type == "id":
        answer = continue_text(answer, question.text_offset)
        shown = cut_text(answer, limit)
        named = Focus.of(None).rank_entities(shown.entities, shown.results)
        shown = replace(shown, entities=named)
    shown = abbreviate(shown, focus) if question.detail == "brief" else _full(shown)
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
            way = "raise max_tokens" if any(map(_is_gathered, found.results)) else f"offset={offset + len(cut.results)}"
            parts.append(f"{results} results ({way})")
        if turns := len(found.turns or ()) - len(cut.turns or ()):
            parts.append(f"{turns} turns (offset={offset + len(cut.turns or ())})")
        beside = [
            f"{number} {name}"
            for name, number in (
                ("events", _events(found) - _events(cut)),
                ("related", len(found.related) - len(cut.related)),
                ("entities", len(found.entities) - len(cut.entities)),
                ("turns' ids", _num_turns(_kept(self.shown, cut)) - _num_turns(cut.results)),
                ("results' fields", sum(map(_lacks_facts, cut.results, _kept(self.shown, cut)))),
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


def _kept(shown: Recall, cut: Recall) -> list[Result]:
    """Return the results that are left, as they would be shown if there were no limit."""
    whole = {result.id: result for result in shown.results}
    return [whole[result.id] for result in cut.results]


def _is_gathered(result: Result) -> bool:
    """Whether a result stands for several items, or is not at the place of its rank."""
    return result.turns is not None or result.newest is not None


def _num_turns(results: Sequence[Result]) -> int:
    return sum(len(result.turns or ()) for result in results)


#: The fields of a result that are told as its text, its place or its events where they are not there.
_TOLD: Final = frozenset({"content", "chunk", "events", "turns"})
_facts_of: Final = attrgetter(*(item.name for item in fields(Result) if item.name not in _TOLD))


def _lacks_facts(cut: Result, shown: Result) -> bool:
    return cut is not shown and _facts_of(cut) != _facts_of(shown)


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


def _with_turns(answer: Recall, count: int) -> Recall:
    """Return the answer with the turns of its first results; the text of the others has the same words."""
    others = [result if result.turns is None else replace(result, turns=None) for result in answer.results[count:]]
    return replace(answer, results=[*answer.results[:count], *others])


def _with_best(answer: Recall, count: int) -> Recall:
    """Return the answer with its best results, in the same order; they come first unless it is one of time."""
    if all(result.newest is None for result in answer.results):
        return replace(answer, results=answer.results[:count])
    best = sorted(range(len(answer.results)), key=lambda place: -answer.results[place].score)[:count]
    return replace(answer, results=[answer.results[place] for place in sorted(best)])


def _longest_passage(answer: Recall) -> int:
    return max((len(result.content) for result in answer.results if not _is_whole_turn(result)), default=0)


def _with_passages(answer: Recall, length: int) -> Recall:
    """Return the answer with no passage longer than this, but for turns that are short enough to be read whole."""
    results = [
        result if _is_whole_turn(result) else shorten_result(result, min(length, len(result.content)))
        for result in answer.results
    ]
    return replace(answer, results=results)


def _is_whole_turn(result: Result) -> bool:
    return result.turns is not None or ("turn_index" in result.metadata and len(result.content) < _SHORT_TURN)


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


def _first_passage(answer: Recall) -> int:
    return len(answer.results[0].content) if answer.results else 0


def _results_down_to(count: int) -> Cut[Recall]:
    return Cut(lambda answer: len(answer.results), _with_best, count)


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
    Cut(_first_passage, shorten_answer),
    Cut(lambda answer: len(answer.turns[0].content) if answer.turns else 0, _with_first_turn),
)
#: In brief, the turns of a result go first, since its text has them. The last results go before the last event and
#: related one: an agent asks for more results, but not for what it does not know to be connected. What a result is, and
#: of which day, goes after all but a few words of it.
CUTS: Final[Mapping[Detail, tuple[Cut[Recall], ...]]] = {
    "brief": (
        *_FIRST,
        Cut(lambda answer: len(answer.results), _with_turns),
        _related_down_to(1),
        _results_down_to(_FEW_RESULTS),
        _EVENTS_GO,
        _results_down_to(_FEWEST_RESULTS),
        _related_down_to(0),
        Cut(_longest_passage, _with_passages, _FEW_WORDS),
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
