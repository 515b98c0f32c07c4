"""Pop shape: stashes in the shape and within the tokens that were asked for, and what was left out."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from core.interface.question import token_limit
from core.interface.results import Result
from core.interface.stash import Popped, PopQuestion
from retrieval.messages.fitting import Cut, fit_to_limit
from retrieval.messages.message import Limit
from retrieval.shapes.brevity import abbreviate_result
from retrieval.shapes.part import explain_continuation, shorten_result

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


def _with_facts(popped: Popped, count: int) -> Popped:
    return popped if count else replace(popped, results=[_bare(result) for result in popped.results])


def _bare(result: Result) -> Result:
    metadata = {name: result.metadata[name] for name in ("key",) if name in result.metadata}
    return Result(result.id, result.content, result.context, result.score, metadata, chunk=result.chunk)


#: What is left out, first to last; in full no text is cut while another stash can go.
_CUTS: Final[tuple[Cut[Popped], ...]] = (
    Cut(_longest, _with_texts, _FEW_CHARS),
    Cut(lambda popped: len(popped.results), lambda popped, n: replace(popped, results=popped.results[:n]), 1),
    Cut(lambda popped: int(bool(popped.results)), _with_facts),
    Cut(_longest, _with_texts),
)
