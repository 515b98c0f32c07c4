"""Candidate pairs: entities that may be one, for a person to decide. Reasons hold no names."""

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from core.knowledge.findings import Entity, Knowledge, normalise_name
from core.knowledge.identities import MergeCandidate, MergeDecisions
from core.regex import regex
from graph.store import Store
from ingest.english.lexicon import FAMILY_WORDS, FIRST_NAMES, OFFICES, OTHER_WORDS, unmarked
from ingest.identity.name_forms import (
    acronyms,
    are_different_companies,
    given_and_initial,
    is_short,
    middle_names_conflict,
    nicknames,
    same_company,
    short_forms,
)
from ingest.identity.name_matching import mailboxes

#: Forms that are looked up for one entity, entities compared with it, and pairs kept.
_FORMS, _COMPARED, _KEPT = 60, 40, 12
#: Shortest family name in which one different letter is taken for a spelling mistake, and in which two are.
_LONG_ENOUGH, _LONG = 4, 8
_BOX: Final = regex(r"(?<![\w.+-])([\w.+-]++)@|@([\w.+-]++)")

#: Confidence from 0 to 1, and why; of several reasons the one with the highest confidence is kept.
Reason = tuple[float, str]
SAME_NAME: Final = (0.7, "they have the same name")
SAME_NAME_ELSEWHERE: Final = (0.5, "they have the same name, at organisations that seem to be two")
SAME_ADDRESS: Final = (0.65, "they have the same address or handle, under names that differ")
NICKNAME: Final = (0.65, "the given names are used for one another, and the family name is the same")
SPELT_ALIKE: Final = (0.6, "the given names are spelt alike, and the family name is the same")
MIDDLE_NAME: Final = (0.6, "the names differ only by a middle name")
FAMILY_ALIKE: Final = (0.5, "the given name is the same, and the family names are spelt alike")
BOTH_ALIKE: Final = (0.45, "the given names and the family names are spelt alike")
FAMILY_LONGER: Final = (0.45, "the given name is the same, and one family name is part of the other")
ADDRESS_FITS: Final = (0.5, "the address or handle of one fits the name of the other")
INITIAL_FITS: Final = (0.4, "an initial and the family name fit the full name, but perhaps not only that one")
FIRST_NAME_FITS: Final = (0.3, "a first name fits the full name, but perhaps not only that one")
ORG_SHORT: Final = (0.3, "a short name of an organisation fits a longer one, but perhaps not only that one")


def propose_pairs(project_id: str, knowledge: Knowledge, store: Store) -> None:
    """Store the pairs that the people and organisations of this knowledge may be part of.

    Raises:
        Unavailable: the record does not answer; doing it again finishes it.
    """
    decisions = MergeDecisions(store.merge_decisions(project_id))
    found = {decisions.current_id(one.id) for one in knowledge.entities if one.type in {"person", "org"}}
    propose_pairs_of(project_id, sorted(found), store)


def propose_pairs_of(project_id: str, entity_ids: Sequence[str], store: Store) -> None:
    """Store the pairs that these entities may be part of; those that are not stored are left out.

    Raises:
        Unavailable: the record does not answer; doing it again finishes it.
    """
    found = list(store.entities(project_id, entity_ids).values())
    if not found:
        return
    forms = {one.id: _forms(one) for one in found}
    known = store.entities_by_name(project_id, sorted(set(chain.from_iterable(forms.values()))))
    pairs: dict[tuple[str, str], MergeCandidate] = {}
    for one in found:
        others = {other.id: other for form in forms[one.id] for other in known.get(normalise_name(form), ())}
        others.pop(one.id, None)
        for candidate in _merge_candidates(one, list(others.values())[:_COMPARED]):
            pairs[candidate.one, candidate.other] = candidate
    store.set_merge_candidates(project_id, [one.id for one in found], list(pairs.values()))


def _merge_candidates(one: Entity, others: Iterable[Entity]) -> list[MergeCandidate]:
    """Return the surest merge candidates of an entity."""
    found = []
    for other in others:
        if reason := pair_reason(one, other):
            first, second = sorted((one.id, other.id))
            found.append(MergeCandidate(first, second, *reason))
    return sorted(found, key=lambda candidate: (-candidate.confidence, candidate.one, candidate.other))[:_KEPT]


def pair_reason(one: Entity, other: Entity) -> Reason | None:
    """Return the confidence that two entities are one, and why; None if nothing suggests it."""
    if one.type != other.type:
        return None
    if one.type == "org":
        is_shorter = normalise_name(one.name) != normalise_name(other.name) and same_company(one.name, other.name)
        is_part = any(a.organization and same_company(a.organization, b.name) for a, b in ((one, other), (other, one)))
        return ORG_SHORT if is_shorter and not is_part else None
    elsewhere = are_different_companies(one.organization, other.organization)
    reasons = [_by_name(one.name, other.name, elsewhere=elsewhere), _by_address(one, other)]
    return max(filter(None, reasons), default=None)


#: Entities, the most mentioned ones, that are looked at for doubtful names, and mentions from which on they are asked.
_ASKED, _OFTEN = 1_000, 3


def doubtful_people(project_id: str, store: Store) -> list[Entity]:
    """Return who is often mentioned by a name that may be no person's, and that nobody decided on.

    It is a word that no list has for a given name, or has a word in it that is an everyday one, a place or an office;
    and no list, address or full name says more of the person.

    Raises:
        Unavailable: the record does not answer.
    """
    named = {one.one for one in store.merge_decisions(project_id) if one.kind == "name" and one.undone_at is None}
    known = store.entities_by_prefix(project_id, "", _ASKED)
    return [one for one in known if one.id not in named and _is_doubtful(one)]


def _is_doubtful(entity: Entity) -> bool:
    told = entity.organization or entity.role or any("@" in alias or not is_short(alias) for alias in entity.aliases)
    if entity.type != "person" or entity.mention_count < _OFTEN or told:
        return False
    words = [word.strip(".") for word in normalise_name(entity.name).split()]
    first, last = words[0], words[-1]
    if len(words) == 1:
        return first not in FIRST_NAMES and unmarked(first) not in FIRST_NAMES
    return (first in OTHER_WORDS and first not in FIRST_NAMES) or (
        (last in OTHER_WORDS or last in OFFICES) and last not in FAMILY_WORDS and last not in FIRST_NAMES
    )


def _by_name(one: str, other: str, *, elsewhere: bool) -> Reason | None:
    words, others = normalise_name(one).split(), normalise_name(other).split()
    if words == others:
        return SAME_NAME_ELSEWHERE if elsewhere else SAME_NAME
    if is_short(one) != is_short(other):
        short, full = (one, other) if is_short(one) else (other, one)
        return None if elsewhere else _short_fits(short, full)
    if len(words) == len(others) == 1:
        return (FIRST_NAME_FITS[0], NICKNAME[1]) if words[0] in nicknames(others[0]) else None
    if is_short(one) or len(words) < 2 or len(others) < 2:
        return None
    return _full_names(words, others)


def _short_fits(short: str, full: str) -> Reason | None:
    words, others = normalise_name(short).split(), normalise_name(full).split()
    if len(words) == 1:
        fits = words[0] == others[0] or words[0] in nicknames(others[0])
        return FIRST_NAME_FITS if fits else None
    if given_and_initial(short) is not None:
        fits = words[0] == others[0] and words[1] == others[-1][:1]
    else:
        fits = words[-1] == others[-1] and words[0].strip(".")[:1] == others[0][:1]
    return INITIAL_FITS if fits else None


def _full_names(words: Sequence[str], others: Sequence[str]) -> Reason | None:
    given, family, other_given, other_family = words[0], words[-1], others[0], others[-1]
    if family == other_family:
        if given == other_given:
            return None if middle_names_conflict(" ".join(words), " ".join(others)) else MIDDLE_NAME
        if given in nicknames(other_given):
            return NICKNAME
        begins = given.startswith(other_given) or other_given.startswith(given)
        is_alike = begins or _is_near(given, other_given)
        return SPELT_ALIKE if min(len(given), len(other_given)) > 2 and is_alike else None
    is_alike = min(len(family), len(other_family)) >= _LONG_ENOUGH and _is_near(family, other_family)
    if given != other_given:
        return (
            BOTH_ALIKE if is_alike and min(len(given), len(other_given)) > 2 and _is_near(given, other_given) else None
        )
    if family in (*others[1:-1], *other_family.split("-")) or other_family in (*words[1:-1], *family.split("-")):
        return FAMILY_LONGER
    return FAMILY_ALIKE if is_alike else None


def _by_address(one: Entity, other: Entity) -> Reason | None:
    addresses, others = _addresses(one), _addresses(other)
    if addresses & others:
        return SAME_ADDRESS
    fits = any(
        _box(address) in mailboxes(name)
        for name, known in ((one.name, others), (other.name, addresses))
        for address in known
    )
    return ADDRESS_FITS if fits and (is_short(one.name) or is_short(other.name)) else None


def _addresses(entity: Entity) -> set[str]:
    return {normalise_name(alias) for alias in (entity.name, *entity.aliases) if "@" in alias}


def _box(address: str) -> str:
    """Return an address's part before the @, or a handle's after it, without signs."""
    found = _BOX.search(address)
    return re.sub(r"[^\w]|[_\d]", "", found[1] or found[2]) if found else ""


def _is_near(one: str, other: str, edits: int | None = None) -> bool:
    """Whether one letter more, less, other or exchanged with its neighbour makes two words equal, of long ones two."""
    if edits is None:
        edits = 1 if min(len(one), len(other)) < _LONG else 2
    if one == other or not edits:
        return one == other
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    one, other = one[at:], other[at:]
    rests = [(one[1:], other), (one, other[1:]), (one[1:], other[1:])]
    rests += [(one[2:], other[2:])] if one[:2] == other[1::-1] else []
    return any(_is_near(*rest, edits - 1) for rest in rests)


def _forms(entity: Entity) -> list[str]:
    """Return names under which somebody who may be the same could be known."""
    names = [entity.name, *entity.aliases]
    forms = dict.fromkeys(chain(names, *(short_forms(name, entity.type) for name in names)))
    if entity.type == "org":
        forms |= dict.fromkeys(sorted(acronyms(normalise_name(entity.name).split())))
        return list(forms)[:_FORMS]
    forms |= dict.fromkeys(chain.from_iterable((box, f"@{box}") for box in sorted(mailboxes(entity.name))))
    for name in names:
        words = normalise_name(name).split()
        for nickname in sorted(nicknames(words[0]) if words and "@" not in name else ()):
            rest = words[1:]
            forms |= dict.fromkeys([nickname, f"{nickname} {' '.join(rest)}", f"{nickname[0]}. {' '.join(rest[-1:])}"])
        if "@" in name and (found := _BOX.search(name)):
            parts = [part for part in re.split(r"[._+-]", found[1] or found[2]) if part.isalpha()]
            forms |= dict.fromkeys([" ".join(parts), *parts, *(f"{part[0]}. {part[1:]}" for part in parts)])
    return [form for form in forms if form.strip()][:_FORMS]
