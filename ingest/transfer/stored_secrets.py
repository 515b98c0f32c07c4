"""Secrets that a store holds from before they were looked for, and marks in their places."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.knowledge.secrets import Redaction
from core.search import Tokenizer
from core.transfer import KeptItem, KeptResolution, Record
from graph.store import Store
from ingest.transfer.archive import chunk_kept
from ingest.transfer.redaction import redact_kept


@dataclass(frozen=True, slots=True)
class StoredSecrets:
    """The secrets of one record of a project: of the item `artifact_id`, or of what is declared of it; empty if it is
    a decision about entities or a run, which nothing changes."""

    artifact_id: str
    found: Sequence[Redaction]


def find_stored_secrets(store: Store, project_id: str) -> Iterator[StoredSecrets]:
    """Yield what holds secrets in a project: items with their revisions, what is known and declared of them."""
    for record in store.export_records(project_id):
        if found := redact_kept(record)[1]:
            yield StoredSecrets(_item_of(record), found)


def redact_stored(store: Store, project_id: str, ids: Sequence[str], tokenizer: Tokenizer) -> dict[str, int]:
    """Put marks in the place of the secrets of these items and all that is known of them, in one transaction; return
    how many chunks each current item had whose vectors are to be made anew.

    They keep their ids, their events, and what was declared of these.
    """
    affected = _with_revisions(store, project_id, ids)
    counts = {id_: one.num_chunks for id_, one in store.get(project_id, sorted(affected)).items()}
    records: list[Record] = []
    seen: set[str] = set()
    for record in store.export_records(project_id):
        if not isinstance(record, KeptItem):
            records.append(redact_kept(record)[0])
        elif record.artifact.id in affected:
            records.append(_redact_item(store, record, seen, tokenizer))
    store.redact(project_id, sorted(affected), records)
    return counts


def _item_of(record: Record) -> str:
    if isinstance(record, KeptItem):
        return record.artifact.id
    return record.artifact_id if isinstance(record, KeptResolution) else ""


def _with_revisions(store: Store, project_id: str, ids: Sequence[str]) -> set[str]:
    """Return the ids with those of the items that replaced them, and of all that these have replaced."""
    following = {
        record.artifact.id: record.artifact.replaced_by
        for record in store.export_records(project_id)
        if isinstance(record, KeptItem)
    }
    current = {_last(id_, following) for id_ in ids if id_ in following}
    return {id_ for id_ in following if _last(id_, following) in current}


def _last(id_: str, following: dict[str, str | None]) -> str:
    while (successor := following.get(id_)) is not None and successor in following:
        id_ = successor
    return id_


def _redact_item(store: Store, item: KeptItem, seen: set[str], tokenizer: Tokenizer) -> KeptItem:
    """Return an item without secrets; one whose text equals another's then keeps the fingerprint that it had."""
    marked = redact_kept(item)[0]
    if not isinstance(marked, KeptItem):
        raise TypeError(f"{type(marked).__name__} is no item")
    artifact = marked.artifact
    other = store.by_fingerprint(artifact.project_id, artifact.fingerprint, revisions=True)
    if artifact.fingerprint in seen or (other is not None and other.id != artifact.id):
        marked = replace(marked, artifact=replace(artifact, fingerprint=item.artifact.fingerprint))
    seen.add(artifact.fingerprint)
    return chunk_kept(marked, tokenizer)
