"""Finding again: embedders, the vector index, and the steps of a recall. It reads the graph and never ingests."""
