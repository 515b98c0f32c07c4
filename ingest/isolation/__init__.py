"""Isolation: work on untrusted text and files in a process of its own, with limits of time and memory for each item."""

from ingest.isolation.child import Operations
from ingest.isolation.limits import Limits
from ingest.isolation.process import IsolatedError, IsolatedProcess

__all__ = ["IsolatedError", "IsolatedProcess", "Limits", "Operations"]
