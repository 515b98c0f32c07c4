"""The extractor that needs no model, key or network: structure, patterns, and a small lexicon."""
