"""`python -m benchmarks.performance FILE`: make docs/performance.md and its plot of what benchmarks.scale measured."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from math import floor, log10
from pathlib import Path
from typing import Any, Final

_DOCS: Final = Path(__file__).resolve().parent.parent / "docs"
_PLOT: Final = Path("images") / "recall-by-size.svg"
#: The lines of the plot, by figure, with their colours; what is done by hand has a figure's name and a mark.
_LINES: Final[Mapping[str, str]] = {
    "by hand": "#888888",
    "recall": "#1f6feb",
    "recall, 95th percentile": "#a371f7",
    "recall, a tag, 1 in 20": "#2da44e",
    "recall, a source, 1 in 500": "#bf8700",
}
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _LEGEND = 760, 360, 60, 40, 200
_HEAD: Final = """# Performance

What each operation costs in memories of growing size, on embedded stores. `python -m benchmarks.scale` measures it, and
`python -m benchmarks.performance` makes this page of its figures.

Each question and each call is timed alternately with what one would write by hand over the same items: one collection
of Chroma and one table of SQLite with FTS5. *Ratio* is a median over the one by hand; of a filter it is over the
unfiltered `recall`, of a percentile over the median, and of a start its seconds. *Growth* is over the next smaller
memory of the same kind. Parts of `recall` are timed apart, and some contain others. The items are made up: words and
people by Zipf's law, ten years of dates, tags, sources, and one event each with its people.
"""


def page(facts: Mapping[str, Any]) -> str:
    """Return the page."""
    machine = facts["machine"]
    measured = f"Measured on {facts['date']} with {machine['processors']} processors, Python {machine['python']}."
    sections = [_HEAD, measured]
    if len(_sizes(facts)) > 1:
        sections.append(f"![Milliseconds of a recall by the size of the memory]({_PLOT})")
    sections += ["\n".join(_table(memory)) for memory in facts["memories"]]
    return "\n\n".join(section.strip() for section in sections) + "\n"


def _table(memory: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {memory['memory']}\n"
    yield "| | median | p95 | by hand | ratio | growth |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for figure in memory["figures"]:
        ratio = _number(figure["ratio"])
        if figure["ratio"] is not None and figure["bound"] is not None:
            ratio += f" (≤ {figure['bound']:g})"
        cells = (
            f"{_number(figure['value'])} {figure['unit']}",
            _number(figure["p95"]),
            _number(figure["by_hand"]),
            ratio,
            _number(memory["growth"].get(figure["name"])),
        )
        yield f"| {figure['name']} | {' | '.join(cells)} |"


def _number(value: float | None) -> str:
    """Return a number with three digits that matter."""
    if value is None:
        return ""
    digits = 0 if not value else max(0, 2 - floor(log10(abs(value))))
    return f"{value:,.{digits}f}"


def _sizes(facts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [memory for memory in facts["memories"] if memory["memory"].endswith("notes")]


def plot(memories: Sequence[Mapping[str, Any]]) -> str:
    """Return the medians by the number of items as SVG, both on a scale of powers of ten."""
    lines = {name: [(memory["items"], _value(memory, name)) for memory in memories] for name in _LINES}
    values = [value for points in lines.values() for _, value in points]
    items = [memory["items"] for memory in memories]
    low, high = floor(log10(min(values))), log10(max(values)) + 0.05

    def across(size: float) -> float:
        share = log10(size / items[0]) / log10(items[-1] / items[0])
        return _LEFT + share * (_WIDTH - _LEFT - _LEGEND)

    def down(value: float) -> float:
        return (_HEIGHT - _BOTTOM) * (1 - (log10(value) - low) / (high - low))

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -10 {_WIDTH} {_HEIGHT}" font-family="sans-serif">']
    parts.append(f'<rect y="-10" width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>')
    for power in range(low, floor(high) + 1):
        y = down(10**power)
        parts.append(f'<path d="M{_LEFT} {y:.0f}H{_WIDTH - _LEGEND}" stroke="#dddddd"/>')
        label = f"{10.0**power:g} ms"
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.0f}" font-size="12" text-anchor="end">{label}</text>')
    for size in items:
        x, y = across(size), _HEIGHT - _BOTTOM + 18
        parts.append(f'<text x="{x:.0f}" y="{y}" font-size="12" text-anchor="middle">{size:,}</text>')
    for place, (name, points) in enumerate(lines.items()):
        way = " ".join(f"{across(size):.0f},{down(value):.0f}" for size, value in points)
        y = 12 + 20 * place
        parts.append(f'<polyline points="{way}" fill="none" stroke="{_LINES[name]}" stroke-width="2"/>')
        parts.append(f'<text x="{_WIDTH - _LEGEND + 12}" y="{y}" font-size="12" fill="{_LINES[name]}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _value(memory: Mapping[str, Any], name: str) -> float:
    figures = {figure["name"]: figure for figure in memory["figures"]}
    return float(figures["recall"]["by_hand"] if name == "by hand" else figures[name]["value"])


def main() -> int:
    """Write the page and its plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", type=Path, help="what `benchmarks.scale --json` wrote")
    facts = json.loads(parser.parse_args().figures.read_text(encoding="utf-8"))
    (_DOCS / "performance.md").write_text(page(facts), encoding="utf-8")
    if len(sizes := _sizes(facts)) > 1:
        (_DOCS / _PLOT).write_text(plot(sizes), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
