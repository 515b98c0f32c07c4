"""The examples behind the figures: what was missed or made up, who was split or joined, which links are wrong."""

from collections.abc import Iterator
from itertools import chain, product

from evals.extraction_match import Reading, matched, same_as, told_apart
from evals.extraction_scores import Ledger, Read, identified, placed


def misses(read: Read) -> Iterator[str]:
    """Yield a line for each example, by document, then those across documents."""
    for reading in read.readings:
        yield from _of_document(reading)
    yield "\nacross documents"
    yield from _of_identity(read)
    if read.ledger is not None:
        yield from _of_ledger(read, read.ledger)


def _of_document(reading: Reading) -> Iterator[str]:
    document, events, entities = reading.document, matched(reading), told_apart(reading)
    yield f"\n{document.name}"
    yield from (f"  missed {event.category}: {_line(event.quote)}" for event in events.missed)
    for found in events.spurious:
        quotes = " / ".join(_line(document.text[start:end]) for start, end in found.spans)
        yield f"  made up {found.category}: {quotes}"
    for gold, event in events.pairs:
        if gold.category == "Commitment" and not gold.any_due and gold.due != event.due:
            yield f"  due {event.due} for {gold.due}: {_line(gold.quote)}"
    yield from (f"  missed {entity.type}: {entity.name}" for entity in entities.missed)
    yield from (f"  made up {entity.type}: {entity.name}" for entity in entities.spurious)


def _of_identity(read: Read) -> Iterator[str]:
    entities, identities = identified(read)
    named = {
        found.id: f"{found.name} ({', '.join(sorted(found.names - {found.name}))})"
        for reading in read.readings
        for _, found in same_as(reading)
    }
    for who, ids in entities.items():
        if len(ids) > 1:
            yield f"  split {who}: {' | '.join(sorted(named[one] for one in ids))}"
    for id_, whom in identities.items():
        if len(whom) > 1:
            yield f"  joined {named[id_]}: {' | '.join(sorted(whom))}"


def _of_ledger(read: Read, ledger: Ledger) -> Iterator[str]:
    places, links = placed(read), read.set.links
    known = set().union(*places.values())
    pairs = (product(places.get(later, ()), places.get(earlier, ())) for later, earlier in ledger.superseding)
    said = set(chain.from_iterable(pairs))
    for pair in links.supersessions:
        if pair not in said:
            yield f"  not superseded{'' if known.issuperset(pair) else ' (not found)'}: {pair[0]} > {pair[1]}"
    yield from (f"  superseded: {one} > {other}" for one, other in sorted(said - set(links.supersessions)))
    done = {place for identity in ledger.done for place in places.get(identity, ())}
    for commitment, end in links.completions:
        if commitment not in done:
            yield f"  not done{'' if commitment in known else ' (not found)'}: {commitment} by {end}"
    closed = {commitment for commitment, _ in links.completions}
    yield from (f"  done: {one}" for one in sorted(done - closed))


def _line(text: str) -> str:
    return " ".join(text.split())
