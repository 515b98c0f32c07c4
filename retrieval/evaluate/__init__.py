"""How well a memory finds what it holds: questions made from its own items, without a language model."""

from retrieval.evaluate.measure import Comparison, Evaluation, Figures, evaluate
from retrieval.evaluate.sample import FEWEST, Sampled, sample

__all__ = ["FEWEST", "Comparison", "Evaluation", "Figures", "Sampled", "evaluate", "sample"]
