"""How well a memory finds what it holds: questions made from its own items, without a language model."""

from retrieval.evaluation.measurement import Comparison, Evaluation, Figures, evaluate
from retrieval.evaluation.sample import FEWEST, Sampled, draw_sample

__all__ = ["FEWEST", "Comparison", "Evaluation", "Figures", "Sampled", "draw_sample", "evaluate"]
