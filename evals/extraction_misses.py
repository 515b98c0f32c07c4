"""Error analysis: missed and spurious events and entities, split and merged people, wrong links."""

from collections.abc import Iterator
from itertools import chain, product

from evals.extraction_match import FoundEvent, Reading, matched, same_as, told_apart
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
        yield f"  made up {found.category}: {_quotes(reading, found)}"
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
    known, told = set().union(*places.values()), _told(read)
    pairs = {pair: set(product(*(places.get(one, ()) for one in pair))) for pair in sorted(ledger.superseding)}
    said = set(chain.from_iterable(pairs.values()))
    for pair in links.supersessions:
        if pair not in said:
            yield f"  not superseded{'' if known.issuperset(pair) else ' (not found)'}: {pair[0]} > {pair[1]}"
    for (later, earlier), meant in pairs.items():
        if meant.isdisjoint(links.supersessions):
            yield f"  superseded: {told[later]} > {told[earlier]}"
    done = {place for identity in ledger.done for place in places.get(identity, ())}
    for commitment, end in links.completions:
        if commitment not in done:
            yield f"  not done{'' if commitment in known else ' (not found)'}: {commitment} by {end}"
    closed = {commitment for commitment, _ in links.completions}
    yield from (f"  done: {one}" for one in sorted(done - closed))


def _told(read: Read) -> dict[str, str]:
    """Return the words of each event of the service, with its document."""
    return {
        event.id: f"{reading.document.name}: {_quotes(reading, event)}"
        for reading in read.readings
        for event in reading.events
    }


def _quotes(reading: Reading, event: FoundEvent) -> str:
    return " / ".join(_line(reading.document.text[start:end]) for start, end in event.spans)


def _line(text: str) -> str:
    return " ".join(text.split())
