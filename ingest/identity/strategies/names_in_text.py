"""Names in the text: whom a name means by the other names of the same artifact."""

from collections.abc import Callable, Collection, Iterable
from typing import Final

from core.knowledge.findings import Entity, FoundEntity, normalise_name
from ingest.english.name_patterns import is_role
from ingest.identity.compatibility import VAGUE, has_family_initial, work_elsewhere
from ingest.identity.forms.name_forms import (
    given_and_initial,
    given_name_of_handle,
    initials_alone,
    may_be_family,
    untitled,
)
from ingest.identity.scope import Resolution, Scope

Rule = Callable[[Scope, FoundEntity], Collection[str]]


def same_name(scope: Scope, found: FoundEntity) -> Collection[str]:
    """A thing is what has its name already; a person only if that is no single word."""
    if found.type not in VAGUE:
        return ()
    id_ = next(iter(scope.text.by_name.get(normalise_name(found.name), ())), None)
    is_meant = id_ and (" " in found.name.strip() or scope.text.entities[id_].type != "person")
    return [id_] if id_ and is_meant else ()


def given_name_and_initial(scope: Scope, found: FoundEntity) -> Collection[str]:
    """Alice C. and alice_c are Alice Chen."""
    form = given_and_initial(found.name) if found.type == "person" else None
    if form is None:
        return ()
    alike = _entities(scope, scope.text.by_short_form.get(("person", form[0]), ()))
    return [one.id for one in alike if has_family_initial(one, form[1])]


def short_form(scope: Scope, found: FoundEntity) -> Collection[str]:
    """Alice and A. Chen are Alice Chen, Globex is Globex Foods."""
    if found.type == "person" and not _is_plain(found):
        return ()
    alike = _entities(scope, scope.text.by_short_form.get((found.type, normalise_name(found.name)), ()))
    return [one.id for one in alike if not work_elsewhere(found, one)]


def handle(scope: Scope, found: FoundEntity) -> Collection[str]:
    """hasan_lager is Hasan, or else Hasan Korkmaz."""
    part = given_name_of_handle(found.name) if _is_plain(found) else None
    text = scope.text
    return (set(text.by_name.get(part, ())) or text.by_short_form.get(("person", part), ())) if part else ()


def initials(scope: Scope, found: FoundEntity) -> Collection[str]:
    """KD is Katherine Doyle."""
    spelt = initials_alone(found.name) if _is_plain(found) else None
    return scope.text.by_short_form.get(("person", normalise_name(spelt)), ()) if spelt else ()


def nickname(scope: Scope, found: FoundEntity) -> Collection[str]:
    """Bob and Bob Dunn are Robert Dunn."""
    alike = _entities(scope, scope.text.by_nickname.get(normalise_name(found.name), ()) if _is_plain(found) else ())
    return [one.id for one in alike if not work_elsewhere(found, one) and scope.may_have_title(found, one)]


def family_name(scope: Scope, found: FoundEntity) -> Collection[str]:
    """Okafor, a word that is nobody's given name, is James Okafor."""
    if not _is_plain(found) or not may_be_family(found.name):
        return ()
    alike = _entities(scope, scope.text.by_family.get(normalise_name(untitled(found.name)), ()))
    return [one.id for one in alike if scope.may_have_title(found, one)]


#: The first of these that fits anybody decides; where it fits several, none of them is meant.
RULES: Final[tuple[tuple[Rule, str], ...]] = (
    (same_name, "the same name in this text"),
    (given_name_and_initial, "given name and initial of the only full name in this text that they fit"),
    (short_form, "short form of the only full name in this text that it fits"),
    (handle, "handle that begins with the given name of one person in this text"),
    (initials, "initials of the only full name in this text that they fit"),
    (nickname, "nickname of the only full name in this text that it fits"),
    (family_name, "family name of one person in this text"),
)


def only_one_in_text(scope: Scope, found: FoundEntity) -> Resolution | None:
    """Who is the only one in the text that a name fits."""
    for rule, reason in RULES:
        if fits := rule(scope, found):
            return Resolution(next(iter(fits)), reason) if len(fits) == 1 else None
    return None


def _entities(scope: Scope, ids: Iterable[str]) -> list[Entity]:
    return [scope.text.entities[id_] for id_ in ids]


def _is_plain(found: FoundEntity) -> bool:
    """Whether a name is a person's, not that of a role, and has no initial behind the given name."""
    return found.type == "person" and not is_role(found.name) and given_and_initial(found.name) is None
