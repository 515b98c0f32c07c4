"""Graph files: the graph of a project, or a part of it, in the formats of other programs."""

from retrieval.graph_files.exported_graph import neighbourhood_graph, whole_graph
from retrieval.graph_files.writers import FORMATS, Written, write_graph

__all__ = ["FORMATS", "Written", "neighbourhood_graph", "whole_graph", "write_graph"]
