"""Developer memory: the rules that bear on somebody's work, chosen and written down within a number of tokens."""

from retrieval.context.answer import memory_context

__all__ = ["memory_context"]
