"""The protocols of the system of record, one for each of its parts; graph.store says what holds for all."""
