"""The protocols of the system of record, a module for each group of its parts; graph.store says what holds for all."""
