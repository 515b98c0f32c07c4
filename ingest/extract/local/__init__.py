"""The extractor that needs no model, key or network: structure, patterns, and a small lexicon."""

from ingest.extract.local.extractor import LocalExtractor

__all__ = ["LocalExtractor"]
