"""The extractor behind a service: OpenAI's chat models, or any server that speaks the same."""

from ingest.extract.openai.extractor import OpenAIExtractor

__all__ = ["OpenAIExtractor"]
