"""The text blocks of brief answers about the stash."""

from collections.abc import Iterator, Sequence

from core.interface.stash import Segment, StashMatches, Unstashed
from retrieval.messages.blocks import fence, format_facts, format_fields, quote_text


def render_stash_matches(answer: StashMatches) -> str:
    """Return what was found in the stash as Markdown."""
    head = f"{len(answer.segments)} of {answer.total_matches} stashed segments"
    return "\n".join([head, *_segments(answer.segments), *(["", answer.hint] if answer.hint else [])])


def render_unstashed(answer: Unstashed) -> str:
    """Return segments read from the stash as Markdown."""
    moved = [f"Active again: {', '.join(answer.moved_to_active)}"] if answer.moved_to_active else []
    last = [*map(quote_text, answer.errors), *([answer.hint] if answer.hint else [])]
    head = f"{len(answer.retrieved_segments)} segments"
    return "\n".join([head, *moved, *_segments(answer.retrieved_segments), *([""] if last else []), *last])


def _segments(segments: Sequence[Segment]) -> Iterator[str]:
    for number, segment in enumerate(segments, 1):
        named = [quote_text(text) for text in (segment.key, segment.title) if text]
        facts = format_facts([segment.type, segment.created_at, segment.tier, f"{segment.tokens} tokens", *named])
        stored = {"file_path": segment.file_path, "task_id": segment.task_id, "tags": segment.tags}
        given = format_fields({name: value for name, value in stored.items() if value} | segment.metadata)
        yield f"{number}. {segment.id}{facts} {given}".rstrip()
        if segment.text:
            yield fence(segment.text)
