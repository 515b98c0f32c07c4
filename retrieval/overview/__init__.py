"""Overview: the shape of a project's graph, computed beside the answers."""

from retrieval.overview.overviews import Overviews

__all__ = ["Overviews"]
