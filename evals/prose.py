"""`python -m evals.prose`: are decisions and promises found in minutes, and in no reference prose?

Three hundred texts of ten kinds, thirty of each, are made by code from sentences that tempt: "can be selected", "shall
decide", "will be removed". Nothing in them is decided or promised. Beside them are minutes and mails in which it is
known what is. Exit 1 if a kind is above its share of texts with something false, or if something true is missed.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Final

from rich.console import Console
from rich.table import Table

from core.interface.memory import Memory
from core.knowledge.findings import Extraction
from core.records import Artifact
from ingest.document.text_kind import detect_context
from ingest.extract.local.extractor import LocalExtractor
from retrieval.models.local_embedder import LocalEmbedder
from service.display.reports import progress_bar

#: Texts of each kind, the most of them in which something false may be found, and the least share of what is true.
EACH, _MOST_FALSE, _LEAST_TRUE = 30, 0.05, 1.0
_SEED: Final = 20_261_127
_READ: Final = datetime(2026, 3, 10, 9, tzinfo=UTC)
_LISTED: Final = ("Decision", "Commitment")

_THINGS: Final = (
    "pump valve winch crane filter router index ledger module parser scheduler cache queue sensor gateway beacon "
    "turbine relay buffer spindle"
).split()
_PARTS: Final = "menu panel toolbar dialog section table header footer wizard sidebar".split()
_GROUPS: Final = "authority commission tribunal registrar inspector council operator licensee".split()
_PEOPLE: Final = "Mara Lind,Olga Stein,Jonas Reed,Clara Holm,Tomas Berg,Ines Falk,Ruth Amsel,Nora Voss".split(",")
_DUE: Final = "Friday,20 March,the end of the month,next Tuesday,2026-04-02".split(",")

#: Sentences of each kind, with what is drawn for each name in braces.
_SENTENCES: Final[Mapping[str, tuple[str, ...]]] = {
    "manual": (
        "The {thing} can be selected in the {part}.", "Once a {thing} is chosen, the {part} will open.",
        "You will be asked to confirm the {thing} before it is deleted.", "Select the {thing} and press Apply.",
        "The {thing} was accepted if the lamp turns green.", "We recommend that you set the {thing} before first use.",
        "If no {thing} was agreed on, the default will be used.",
        "The {part} will show the {thing} by tomorrow's date.",
        "By default the {thing} has been approved for up to {number} users.", "The {thing} will restart within a day.",
        "Make sure that the {thing} will not be moved while the {part} is open.",
    ),
    "law": (
        "The {group} shall decide on the application within {number} days.",
        "A {thing} approved under section {number} shall be deemed accepted.",
        "The {group} may resolve that a {thing} be withdrawn.", "No {group} shall be bound by a promise made orally.",
        "Where the {group} has agreed, the holder will pay the fee by 31 March of each year.",
        "Every person who is selected under this article shall give notice to the {group}.",
        "The {group} will be appointed for a term of {number} years.",
        "An order that was adopted before the commencement of this Act remains in force.",
    ),
    "paper": (
        "We chose a threshold of 0.{number} for the {thing}.", "It was decided to exclude {number} samples [4].",
        "We will show that the {thing} converges.", "The {thing} was selected by cross-validation (Lind et al., 2019).",
        "Future work will address the {thing} in more detail.",
        "We agree with Stein (2020) that the {thing} dominates.",
        "The null hypothesis was rejected (p < 0.0{number}).", "In this section we will discuss the {thing}.",
        "Participants agreed that the {thing} was useful in {number} % of the trials.",
        "We adopted the approach of Holm and Berg (2018) for the {thing}.",
    ),
    "fiction": (
        "\u201cI will come back for the {thing},\u201d she whispered, and the door closed.",
        "He had decided, long before the storm, that the {thing} would never leave the island.",
        "They agreed to say nothing of the {thing}, and the night went on.",
        "\u201cWe'll meet at the {thing} tomorrow,\u201d said the old man, looking at the sea.",
        "She promised herself that she would forget the {thing}.", "The wind chose its way through the {thing}.",
        "Nobody in the village would have accepted such a {thing}, he thought.",
    ),
    "code": (
        "def choose_{thing}(self, {thing}s): return self.selected[{number}]",
        "if decision.accepted and {thing}.owner is None: raise Rejected('{thing}')",
        "# The {thing} will be closed by the caller.", "const approved = await {thing}.resolve({number});",
        "assert {thing}.agreed is True, 'we will retry'", "return decided or {thing}.promise.then(accept)",
        "# We decided here whether the {thing} is selected; see below.", "logger.info('will restart %s', {thing})",
    ),
    "log": (
        "2026-03-0{digit} 10:{number}:07 INFO scheduler {thing} selected for run {number}",
        "2026-03-0{digit} 11:{number}:12 WARN gateway {thing} rejected, will retry in {number} s",
        "2026-03-0{digit} 12:{number}:41 INFO election node {number} was chosen as leader of {thing}",
        "2026-03-0{digit} 13:{number}:00 DEBUG policy decision=accepted resource={thing} rule={number}",
        "2026-03-0{digit} 14:{number}:55 ERROR {thing} connection refused: agreed protocol missing",
    ),
    "table of codes": (
        "| E{number}{digit} | The {thing} was rejected. | Choose another {thing}. |",
        "| E{number}{digit} | No {thing} has been selected. | Will be retried. |",
        "| E{number}{digit} | The {thing} was not accepted by the {part}. | Ask the owner to approve it. |",
        "| W{number}{digit} | The {thing} will expire. | Agree on a new {thing} before the date. |",
        "| W{number}{digit} | The {thing} has been resolved already. | None |",
    ),
    "changelog": (
        "- Removed the {thing} that was deprecated in 1.{digit}.",
        "- The {thing} will be removed in version {digit}.0.",
        "- The {part} is now chosen by its name (#{number}).", "- Fixed: the {thing} was accepted twice.",
        "- Changed: approved {thing}s are kept for {number} days.", "- Added `{thing}.resolve()`, which will wait.",
        "- Decided values of the {thing} are no longer rounded.", "- We now require {thing} 2.{digit} or later.",
    ),
    "specification": (
        "The {thing} MUST be selected before the {part} is opened.",
        "A server SHOULD reject a {thing} it has not agreed to.",
        "An accepted {thing} will be acknowledged within {number} ms.",
        "The {group} decides which {thing} is used; this document does not.",
        "If the {thing} was approved, the client MAY continue.", "The {thing} will be chosen by the highest priority.",
        "Implementations that have resolved the {thing} MUST NOT send it again.",
    ),
    "news": (
        "The {group} said on Monday that it had approved the {thing}.",
        "Prices of the {thing} will rise by {number} per cent, analysts expect.",
        "Residents had agreed to the {thing} years ago, according to a spokesman.",
        "The minister promised voters a new {thing}, but critics doubt it.",
        "A court rejected the appeal of the {group} over the {thing}.",
        "The company will present its {thing} next week, it said in a statement.",
        "Shares fell after the {group} decided against the {thing}, reports say.",
    ),
}  # fmt: skip
_HEADS: Final[Mapping[str, tuple[str, ...]]] = {
    "manual": ("Installation", "Settings", "Using the {thing}", "Troubleshooting"),
    "law": ("Article 1", "Article 2", "Section 3. The {group}", "Article 4"),
    "paper": ("Abstract", "Methods", "Results", "Discussion"),
    "fiction": ("", "", "", ""),
    "code": ("", "", "", ""),
    "log": ("", "", "", ""),
    "table of codes": ("Codes of the {thing}", "", "", ""),
    "changelog": ("[3.{digit}.0] - 2026-02-1{digit}", "[2.{digit}.1] - 2025-11-0{digit}", "[2.0.0] - 2025-03-02", ""),
    "specification": ("1. Terms", "2. The {thing}", "3. Security considerations", "4. Conformance"),
    "news": ("", "", "", ""),
}
_TITLES: Final[Mapping[str, str]] = {
    "manual": "User guide of the {thing}", "law": "Act on the {thing}", "paper": "On the {thing} under load",
    "fiction": "The {thing} at night", "code": "{thing}.py", "log": "{thing}.log", "table of codes": "Error codes",
    "changelog": "Changelog", "specification": "{thing} protocol", "news": "{thing} divides the town",
}  # fmt: skip
#: What is decided and promised in minutes and mails, in which it must be found.
_DECIDED: Final = (
    "We decided to replace the {thing}.", "The group agreed to rent the {thing} until autumn.",
    "It was decided that the {thing} is closed on Sundays.", "The board approved the new {thing}.",
)  # fmt: skip
_PROMISED: Final = (
    "{who} will call the insurer about the {thing} by {due}.", "{who} to send the report on the {thing} by {due}.",
    "{who} will order the {thing} by {due}.", "{who} takes on the test of the {thing} by {due}.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Text:
    """A text of a kind, and the sentences in it that must be found, by their category."""

    kind: str
    title: str
    content: str
    told: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Found:
    """What was found in the texts of a kind."""

    texts: int = 0
    wrong: int = 0
    told: int = 0
    right: int = 0
    missed: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)


def texts(seed: int = _SEED, each: int = EACH) -> Iterator[Text]:
    """Yield the texts of each kind, then minutes and mails."""
    chance = Random(seed)  # noqa: S311 - repeatable, not secret
    for kind in _SENTENCES:
        for _ in range(each):
            yield _reference(kind, chance)
    for number in range(2 * each):
        yield _record(chance, is_mail=bool(number % 2))


def _drawn(form: str, chance: Random) -> str:
    number = chance.randrange(10, 59)
    return form.format(
        thing=chance.choice(_THINGS), part=chance.choice(_PARTS), group=chance.choice(_GROUPS), number=number,
        digit=chance.randrange(1, 10), who=chance.choice(_PEOPLE), due=chance.choice(_DUE),
    )  # fmt: skip


def _reference(kind: str, chance: Random) -> Text:
    title = _drawn(_TITLES[kind], chance)
    is_listed = kind in ("code", "log", "table of codes", "changelog")
    blocks = [f"# {title.capitalize()}"] if kind not in ("code", "log") else []
    for head in _HEADS[kind]:
        drawn = [_drawn(chance.choice(_SENTENCES[kind]), chance) for _ in range(chance.randrange(4, 9))]
        blocks += [f"## {_drawn(head, chance)}"] if head else []
        if kind == "table of codes" and head:
            drawn = ["| Code | Meaning | What to do |", "| --- | --- | --- |", *drawn]
        text = ("\n" if is_listed else " ").join(drawn)
        blocks.append(f"```python\n{text}\n```" if kind == "code" and chance.random() < 1 / 2 else text)
    joined = ("\n" if kind in ("log", "table of codes") else "\n\n").join(blocks)
    return Text(kind, title, joined)


def _record(chance: Random, *, is_mail: bool) -> Text:
    told = [("Decision", _drawn(form, chance)) for form in chance.sample(_DECIDED, 2)]
    told += [("Commitment", _drawn(form, chance)) for form in chance.sample(_PROMISED, 2)]
    thing, people = chance.choice(_THINGS), chance.sample(_PEOPLE, 3)
    if is_mail:
        head = f"From: {people[0]}\nTo: {people[1]}, {people[2]}\nSubject: The {thing}\n\nDear all,\n\nthank you."
        content = f"{head}\n\n{' '.join(said for _, said in told)}\n\nBest regards\n{people[0]}"
    else:
        lists = {name: "\n".join(f"- {said}" for kind, said in told if kind == name) for name in _LISTED}
        head = f"# Meeting on the {thing}, 9 March 2026\n\nAttendees: {', '.join(people)}\n\nWe looked at the {thing}."
        content = f"{head}\n\n## Decisions\n\n{lists['Decision']}\n\n## Actions\n\n{lists['Commitment']}"
    return Text("mail" if is_mail else "minutes", f"The {thing}", content, tuple(told))


def measured(read: LocalExtractor, some: Sequence[Text]) -> dict[str, Found]:
    """Read each text as `ingest` does, and compare."""
    found: dict[str, Found] = {}
    with progress_bar("Reading", len(some)) as step:
        for text in some:
            count(found.setdefault(text.kind, Found()), text, read.extract(_artifact(text)))
            step(1)
    return found


def count(found: Found, text: Text, extraction: Extraction) -> None:
    """Count what was found in a text, right and wrong."""
    listed = [(event.category, event.quote) for event in extraction.events if event.category in _LISTED]
    found.texts += 1
    found.told += len(text.told)
    for category, said in text.told:
        if any(kind == category and (said in quote or quote.strip(" .") in said) for kind, quote in listed):
            found.right += 1
        else:
            found.missed.append(f"{category}: {said}")
    false = [f"{kind}: {quote}" for kind, quote in listed] if not text.told else []
    found.wrong += bool(false)
    found.false += false


def _artifact(text: Text) -> Artifact:
    context = detect_context(text.content, text.title) or "document"
    memory = Memory(content=text.content, title=text.title, context=context, date=_READ.isoformat())
    return Artifact(
        id="art_000000000001", project_id="default", memory=memory, fingerprint="f", happened_at=_READ,
        created_at=_READ, updated_at=_READ, last_occurred=_READ, token_count=1, num_chunks=1,
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is found in each kind; return 1 beyond a bound."""
    parser = argparse.ArgumentParser(prog="python -m evals.prose", description=__doc__)
    parser.add_argument("--each", type=int, default=EACH, help="texts of each kind (default: %(default)s)")
    parser.add_argument("--show", action="store_true", help="print what is false and what is missed")
    options = parser.parse_args(arguments)
    found = measured(LocalExtractor(LocalEmbedder()), list(texts(each=options.each)))
    table, out = Table("kind", "texts", "with something false", "true", "found", box=None), Console(highlight=False)
    for kind, one in found.items():
        table.add_row(kind, str(one.texts), str(one.wrong), str(one.told or "–"), str(one.right if one.told else "–"))
    out.print(table)
    reference = [one for one in found.values() if not one.told]
    wrong, whole = sum(one.wrong for one in reference), sum(one.texts for one in reference)
    right, told = sum(one.right for one in found.values()), sum(one.told for one in found.values())
    out.print(f"reference prose with something false: {wrong} of {whole}; what is true found: {right} of {told}")
    if options.show:
        for kind, one in found.items():
            for said, times in Counter([*one.false, *one.missed]).most_common(20):
                out.print(f"{kind} {times}: {said}"[:160])
    return 0 if wrong <= _MOST_FALSE * whole and right >= _LEAST_TRUE * told else 1


if __name__ == "__main__":
    sys.exit(main())
