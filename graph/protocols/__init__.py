"""The protocols of the record's parts beyond items, words, jobs and knowledge, which are in `graph.store`."""
