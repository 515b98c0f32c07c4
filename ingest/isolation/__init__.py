"""Isolation: work on untrusted text and files in a separate process, with limits of time and memory for each item."""

from ingest.isolation.child import Limits, Operations
from ingest.isolation.process import IsolatedError, IsolatedProcess

__all__ = ["IsolatedError", "IsolatedProcess", "Limits", "Operations"]
