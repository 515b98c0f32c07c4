"""Graph files: the graph of a project, or a part of it, in the formats of other programs."""

from retrieval.graph_files.exported_graph import export_neighbourhood, export_whole_graph
from retrieval.graph_files.writers import FORMATS, Written, write_graph

__all__ = ["FORMATS", "Written", "export_neighbourhood", "export_whole_graph", "write_graph"]
