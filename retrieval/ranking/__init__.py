"""From a query to artifacts in order: sources, candidates, fusion, reranking."""
