"""Overview: the shape of a project's graph, computed in the background."""

from retrieval.overview.overviews import Overviews

__all__ = ["Overviews"]
