"""Stash shape: segments in the shape and within the tokens that were asked for, and what was left out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from core.interface.question import token_limit
from core.interface.results import Detail
from core.interface.stash import Segment, StashMatches, StashQuestion, Unstashed
from retrieval.messages.message import Cut, Limit, explain_too_long, fit_to_limit

A = TypeVar("A", StashMatches, Unstashed)

#: Characters of each text that are kept as long as whole segments can go.
_FEW_CHARS: Final = 200


def shape_stash_matches(answer: StashMatches, question: StashQuestion) -> StashMatches:
    """Return what was found as it was asked for."""
    limit = Limit(token_limit(question.detail, question.max_tokens), question.detail)

    def add_hint(cut: StashMatches) -> StashMatches:
        left = len(answer.segments) - len(cut.segments)
        more = f"Left out: {left} segments (offset={question.offset + len(cut.segments)})." if left else None
        if answer.segments and not cut.segments:
            more = explain_too_long(answer.segments[0].id)
        said = filter(None, [answer.hint, more, *_cut_texts(cut.segments, answer.segments)])
        return replace(cut, hint=" ".join(said) or None)

    cut = fit_to_limit(answer, limit, _MATCH_CUTS[0 if question.detail == "brief" else 1 :], add_hint)
    # What was asked is long itself.
    return cut if limit.fits(cut) else replace(cut, query=answer.query[:20], filters_applied={})


def shape_segments(answer: Unstashed, detail: Detail, max_tokens: int | None) -> Unstashed:
    """Return what was read as it was asked for."""
    limit = Limit(token_limit(detail, max_tokens), detail)

    def add_hint(cut: Unstashed) -> Unstashed:
        missing = [segment.id for segment in answer.retrieved_segments[len(cut.retrieved_segments) :]]
        errors = len(answer.errors) - len(cut.errors)
        said = [
            *_cut_texts(cut.retrieved_segments, answer.retrieved_segments),
            *([f"Left out: {', '.join(missing)} (ask for them in another call)."] if missing else []),
            *([f"{errors} more errors."] if errors else []),
        ]
        return replace(cut, hint=" ".join(said) or None)

    return fit_to_limit(answer, limit, _READ_CUTS[0 if detail == "brief" else 1 :], add_hint)


def _cut_texts(kept: Sequence[Segment], whole: Sequence[Segment]) -> Iterator[str]:
    """Say of which segments only the beginning is shown, and the call that gets the rest."""
    cut = [one for one, other in zip(kept, whole, strict=False) if len(one.text) < len(other.text)]
    if cut:
        last = cut[0]
        yield (
            f"The text of {len(cut)} segments is cut: recall(id=…, text_offset=…) goes on, for example "
            f'recall(id="{last.id}", text_offset={len(last.text)}).'
        )


def _shortened(segments: Sequence[Segment], length: int) -> list[Segment]:
    return [replace(segment, text=segment.text[:length]) for segment in segments]


def _longest(segments: Sequence[Segment]) -> int:
    return max((len(segment.text) for segment in segments), default=0)


def _bare(segments: Sequence[Segment]) -> list[Segment]:
    return [replace(one, metadata={}, file_path=None, task_id=None, tags=[], key=None, title=None) for one in segments]


def _matched_texts(answer: StashMatches, length: int) -> StashMatches:
    return replace(answer, segments=_shortened(answer.segments, length))


def _read_texts(answer: Unstashed, length: int) -> Unstashed:
    return replace(answer, retrieved_segments=_shortened(answer.retrieved_segments, length))


#: What is left out, first to last; in full no text is cut while another segment can go.
_MATCH_CUTS: Final[tuple[Cut[StashMatches], ...]] = (
    Cut(lambda a: _longest(a.segments), _matched_texts, _FEW_CHARS),
    Cut(lambda a: len(a.segments), lambda a, n: replace(a, segments=a.segments[:n]), 1),
    Cut(lambda a: len(a.segments), lambda a, n: a if n == len(a.segments) else replace(a, segments=_bare(a.segments))),
    Cut(lambda a: _longest(a.segments), _matched_texts),
    Cut(lambda a: len(a.segments), lambda a, n: replace(a, segments=a.segments[:n])),
)
_READ_CUTS: Final[tuple[Cut[Unstashed], ...]] = (
    Cut(lambda a: _longest(a.retrieved_segments), _read_texts, _FEW_CHARS),
    Cut(lambda a: len(a.retrieved_segments), lambda a, n: replace(a, retrieved_segments=a.retrieved_segments[:n]), 1),
    Cut(lambda a: len(a.errors), lambda a, n: replace(a, errors=a.errors[:n])),
    Cut(
        lambda a: len(a.retrieved_segments),
        lambda a, n: (
            a if n == len(a.retrieved_segments) else replace(a, retrieved_segments=_bare(a.retrieved_segments))
        ),
    ),
    Cut(lambda a: _longest(a.retrieved_segments), _read_texts),
    Cut(lambda a: len(a.moved_to_active), lambda a, n: replace(a, moved_to_active=a.moved_to_active[:n])),
)
