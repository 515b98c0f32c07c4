"""The names a document uses: which forms are one name, where each occurs, and capitalised words that no list holds."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from core.knowledge import findings
from core.knowledge.findings import EntityType, FoundEntity, Span, normalise_name
from core.regex import regex
from ingest.english.lexicon import (
    AMBIGUOUS_NAMES,
    BRANDS,
    COMMON_FIRST,
    COMMON_WORDS,
    COMPANY_WORDS,
    DEED,
    FAMILY_WORDS,
    GIVEN_NAMES,
    LEGAL_FORMS,
    LISTED,
    NOT_NAMES,
    OFFICES,
    PLACE_FIRST,
    PLACE_LAST,
    PLACES,
    SPEECH,
    STARTERS,
    unmarked,
)
from ingest.english.name_patterns import (
    ASIDE,
    BEFORE_FAMILY,
    CAPITALISED,
    OTHERS,
    PARTICLE,
    PARTICLES,
    UPPER,
    Mentioned,
    acts_like_person,
    capitals,
    employed,
    family_name,
    is_gendered,
    is_person_by_context,
    is_role,
    may_have_title,
    titles_conflict,
)

_TOKEN: Final = regex(r"\w+")
#: Names that are everyday words at the beginning of a sentence.
_PLAIN: Final = AMBIGUOUS_NAMES | STARTERS
#: What the law makes an organisation, behind its name.
_LEGAL_FORM: Final = regex(rf",? (?:{'|'.join(sorted(LEGAL_FORMS))}|as|sa|co|ohg|sas|bvba|pty)\.?\Z", re.I)
#: A first name's initial with a family name.
_INITIAL_NAME: Final = regex(rf"[{UPPER}]\. ?{BEFORE_FAMILY}[^\W\d_][\w'’-]+")
#: The rest of a name before its last word: another word of it, or an initial.
_NAME_BEFORE: Final = regex(rf"(?:\b[{UPPER}]\.|\b[{UPPER}][\w'’-]+{PARTICLE}?|{PARTICLE}) \Z")
#: Two or three capitals at the beginning of a line or a cell that say whose a task is.
_CAPITALS: Final = regex(
    r"^[ \t|]*(?:[-*•][ \t]*|\d+[.)][ \t]*)?(?:\[[ xX]\][ \t]*)?([A-Z]{2,3})(?= to [a-z]| will |:| *\|)", re.M
)
#: A product that is called like people are: "Ember.js", "Ember apps", "Ember 3.4".
_PRODUCT: Final = regex(
    rf"(?<![\w@.'’-])({CAPITALISED})(?:\.js\b| (?:CLI|APIs?|SDK|UI|apps?|add-?ons?|plug-?ins?|packages?|docs|"
    r"website|codebase|ecosystem|core|users|developers|integration|releases?|v?\d+\.\d+)\b)"
)
#: A capitalised word that no other one follows.
_WORD_ALONE: Final = regex(rf"(?<![\w@.'’-]){CAPITALISED}(?![\w@-]| [{UPPER}])")


@dataclass(slots=True)
class Name:
    """One entity of the document: its fullest name and every other form it is called by."""

    name: str
    type: EntityType
    forms: set[str] = field(default_factory=set)
    role: str | None = None
    organization: str | None = None
    #: The family name alone, where only this text says whom it means.
    surname: str | None = None
    #: Where labels name it, when its name is a role that the text also uses as plain words ("Project Manager").
    labels_only: list[Span] | None = None

    @property
    def given_name(self) -> str:
        return self.name.split()[0]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name stands: `index` counts in `Names.all`."""

    start: int
    end: int
    index: int


@dataclass(slots=True)
class Names:
    """Collects names while a document is read; `settle` then joins the forms of each."""

    people: dict[str, Name] = field(default_factory=dict)
    single_word_names: dict[str, str] = field(default_factory=dict)
    #: Family names alone, by each the titles before it, and how the text writes the two.
    family: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    #: Titles before full names, normalised.
    titles: dict[str, set[str]] = field(default_factory=dict)
    initials: set[str] = field(default_factory=set)
    handles: set[str] = field(default_factory=set)
    #: Plausible names that act like people; a thing of a certain type outweighs them.
    guesses: dict[str, str] = field(default_factory=dict)
    #: What seems to be a place, unless it is certainly something else.
    place_guesses: dict[str, str] = field(default_factory=dict)
    #: Where organisations stand that their form tells: from, and to.
    organisation_spans: list[tuple[int, int]] = field(default_factory=list)
    #: Generic names of governing bodies: "Board".
    governing: set[str] = field(default_factory=set)
    #: Where people are from by the text's word, by their full names, normalised: their organisations, if no places.
    employers: dict[str, str] = field(default_factory=dict)
    #: Full names, normalised, of those who take part: in the fields, a header, a label or a list of people.
    present: set[str] = field(default_factory=set)
    #: Their first words.
    given_present: set[str] = field(default_factory=set)
    #: Who is meant by each label of somebody's words, None if nobody.
    speakers: dict[str, Name | None] = field(default_factory=dict)
    #: Where names stand that label somebody's words.
    labelled: set[int] = field(default_factory=set)
    #: Whose handle it is by the text's own word, keyed without the @ and folded.
    owners: dict[str, Name] = field(default_factory=dict)
    mails: dict[str, str | None] = field(default_factory=dict)
    things: dict[str, Name] = field(default_factory=dict)
    all: list[Name] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    _by_form: dict[str, int] = field(default_factory=dict)
    _starts: list[int] = field(default_factory=list)

    def person(self, name: str, *, role: str | None = None, organization: str | None = None) -> Name:
        """Add a person who certainly is one: declared, a header's or a label's, or known by a full name."""
        key = normalise_name(name)
        known = self.people.get(key)
        if known is None:
            known = self.people[key] = Name(name, "person")
        elif known.name == known.name.casefold() != name:
            known.name = name
        known.role, known.organization = known.role or role, known.organization or organization
        return known

    def handle(self, person: Name, handle: str) -> None:
        """Note that a handle is this person's; of two owners the fuller name stays."""
        person.forms.add(f"@{handle}")
        owner = self.owners.setdefault(handle.casefold(), person)
        if " " not in owner.name:
            self.owners[handle.casefold()] = person

    def thing(self, name: str, type_: EntityType) -> Name:
        """Add an organisation, project, place or object; the first, more telling type of a name stays."""
        known = self.things.setdefault(normalise_name(name), Name(name, type_))
        if known.type == "object" and type_ != "object":
            known.type = type_
        return known

    def overlapping_organisations(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the spans of organisations that overlap a range."""
        spans = self.organisation_spans
        first, last = max(0, bisect_left(spans, (start, 0)) - 1), bisect_left(spans, (end, 0))
        return [span for span in spans[first:last] if span[1] > start]

    def settle(self, content: str, flat: str) -> None:
        """Join the forms of each person, drop things that are people, and find every place of every name.

        `flat` is the content with blanks in place of line breaks: a name may be wrapped.
        """
        self._believe()
        self._drop_products(flat)
        self._join_initials()
        self._join_capitals(content)
        self._join_parts()
        self._join_family()
        self._join_surnames(content)
        self._join_single_words()
        self._join_mails()
        self._join_handles()
        for person in self.people.values():
            for form in (person.name, *person.forms):
                if (
                    normalise_name(form) in self.people
                    or self.things.get(normalise_name(form), person).type == "object"
                ):
                    self.things.pop(normalise_name(form), None)
        parts = {word for key in (*self.people, *self.things) if " " in key for word in key.split()}
        for key in [key for key, thing in self.things.items() if thing.type == "object" and key in parts]:
            del self.things[key]
        self._add_employers()
        self.all = sorted([*self.people.values(), *self.things.values()], key=lambda name: (name.type, name.name))
        for index, name in enumerate(self.all):
            for form in (name.name, *sorted(name.forms), *filter(None, [name.surname])):
                self._by_form.setdefault(normalise_name(form), index)
        self.places = list(self._find(content, flat))
        self._starts = [place.start for place in self.places]
        self._employ(content)

    def between(self, start: int, end: int) -> list[Place]:
        """Return the names that stand inside a range, in order."""
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return [place for place in self.places[first:last] if place.end <= end]

    def called(self, form: str) -> Name | None:
        """Return what goes by this name or handle here."""
        index = self._by_form.get(normalise_name(form), self._by_form.get(f"@{normalise_name(form)}"))
        return None if index is None else self.all[index]

    def found(self) -> tuple[FoundEntity, ...]:
        """Return every entity with its other forms and its mentions; a name that nothing mentions stays."""
        spans: dict[int, list[Span]] = {}
        for place in self.places:
            spans.setdefault(place.index, []).append(Span(place.start, place.end))
        return tuple(
            FoundEntity(
                name.name,
                name.type,
                tuple(
                    sorted(form for form in self._forms_of(name) if normalise_name(form) != normalise_name(name.name))
                ),
                name.role,
                name.organization,
                tuple(spans.get(index, [])),
                findings.LISTED if normalise_name(name.name) in self.present else findings.IN_TEXT,
            )
            for index, name in enumerate(self.all)
        )

    def _forms_of(self, name: Name) -> set[str]:
        """Return what somebody is called besides the name: with "Ms" or "Mr" too, which tells people apart."""
        titles = self.titles.get(normalise_name(name.name), ()) if name.type == "person" else ()
        return name.forms | {f"{title.capitalize()} {name.name}" for title in titles if is_gendered(title)}

    def _believe(self) -> None:
        """Make people of the guesses that nothing contradicts."""
        employers = {normalise_name(thing.name) for key, thing in self.things.items() if key.startswith("@")}
        parts = {word for key in self.people if " " in key for word in key.split()}
        called = {key.split()[0] for key in self.people if key not in self.guesses} | self.single_word_names.keys()
        for key, name in self.guesses.items():
            thing, (first, _, last) = self.things.get(key), key.partition(" ")
            if key in parts:
                self.single_word_names.setdefault(key, name)
            elif first not in GIVEN_NAMES and last in called:
                self.single_word_names.setdefault(last, name.partition(" ")[2])
            elif first not in employers and (thing is None or thing.type == "object"):
                self.person(name)
        for key, name in self.place_guesses.items():
            thing = self.things.get(key)
            if thing is None or thing.type == "object":
                self.thing(name, "place")

    def _drop_products(self, flat: str) -> None:
        """Drop who is called like a product of the text and does not take part."""
        products = {match[1].casefold() for match in _PRODUCT.finditer(flat)} - self.given_present
        for key in [key for key in self.people if re.split(r"[ -]", key)[0] in products and key not in self.present]:
            del self.people[key]
        for key in products & self.single_word_names.keys():
            del self.single_word_names[key]

    def _add_employers(self) -> None:
        called = {
            normalise_name(form): person
            for person in self.people.values()
            for form in (person.name, *person.forms, *filter(None, [person.surname]))
        }
        for key, firm in self.employers.items():
            person, thing = called.get(key), self.things.get(normalise_name(firm))
            if (
                person is None
                or normalise_name(firm) in called
                or (thing is not None and thing.type == "project")
                or (thing is not None and thing.type == "place" and normalise_name(firm) not in self.place_guesses)
            ):
                continue
            self.things.pop(normalise_name(firm), None)
            employer = self.thing(firm, "org")
            person.organization = person.organization or employer.name

    def _full(self) -> list[Name]:
        return [person for person in self.people.values() if len(person.name.split()) > 1]

    def _join_single_words(self) -> None:
        """Give a first name alone to the one full name that begins with it, else make it a person of its own."""
        by_given: dict[str, list[Name]] = {}
        for person in self._full():
            by_given.setdefault(normalise_name(person.given_name), []).append(person)
        declared = {key: person for key, person in self.people.items() if " " not in key}
        firms = {key.split()[0] for key, thing in self.things.items() if thing.type == "org"}
        firms |= {key.removeprefix("@").split(".")[0] for key in self.things if key.startswith("@")}
        taken = {
            form for key, person in self.people.items() for form in map(normalise_name, person.forms) if form != key
        }
        for key, form in [*self.single_word_names.items(), *((key, person.name) for key, person in declared.items())]:
            full = self._one_present(by_given.get(key, []))
            if key in taken or (key in firms and not full and key not in self.people):
                continue
            if len(full) == 1:
                alone = self.people.pop(key, None)
                full[0].forms |= {form} | (alone.forms if alone else set())
            elif key in self.people:
                self.people[key].forms.add(form)
            else:
                self.person(form)
        for key, full in by_given.items():
            if len(full) == 1 and key not in NOT_NAMES and key[1:2] not in ("", ".") and not is_role(full[0].name):
                full[0].forms.add(full[0].given_name)

    def _join_family(self) -> None:
        """Give a titled family name ("Ms Kwan") to the one full name that ends with it, else make it a person.

        Titles that tell two people apart give the name with its title only: Ms Rafferty and Mr Rafferty.
        """
        by_word: dict[str, list[Name]] = {}
        for person in self._full():
            for word in set(normalise_name(person.name).split()[1:]):
                by_word.setdefault(word, []).append(person)
        for form, written in sorted(self.family.items()):
            likely = by_word.get(normalise_name(form).split()[-1], []) if normalise_name(form) else []
            bearers = {title: self._bearers(likely, form, title, written.keys()) for title in sorted(written)}
            one = {person.name for people in bearers.values() for person in people}
            if (
                len(one) < 2
                and (all(bearers.values()) or not any(bearers.values()))
                and not titles_conflict(written.keys())
            ):
                for people in [people for people in bearers.values() if people][:1]:
                    people[0].forms.add(form)
                if not one:
                    self.person(form).forms.update(*written.values())
                continue
            if len(one) == 1 and titles_conflict([title for title, people in bearers.items() if people]):
                bearers = {title: [] for title in bearers}
            for title, people in bearers.items():
                if len(people) == 1:
                    people[0].forms |= written[title]
                elif not people and written[title]:
                    alone = self.person(min(written[title]))
                    alone.forms |= written[title]

    def _bearers(self, likely: Sequence[Name], form: str, title: str, titles: Collection[str]) -> list[Name]:
        """Return whom a family name behind a title may mean, of those who have its last word."""
        key = f" {normalise_name(form)}"
        people = [person for person in likely if may_have_title(title, person.name)]
        full = [person for person in people if normalise_name(person.name).endswith(key)]
        full = full or [person for person in people if f"{key} " in normalise_name(person.name)]
        own = {person.name: self.titles.get(normalise_name(person.name), set()) for person in full}
        if exact := [one for one in full if title in own[one.name]]:
            full = exact
        elif len(titles) > 1:
            full = [one for one in full if own[one.name].isdisjoint(titles)]
        return self._one_present(full)

    def _join_surnames(self, content: str) -> None:
        """Give everybody the family name alone by which the text calls nobody else."""
        full = self._full()
        families: dict[str, list[Name]] = {}
        for person in full:
            families.setdefault(person.name.split()[-1], []).append(person)
        for one in [people[0] for people in families.values() if len(people) == 1]:
            if " " in (name := family_name(one.name)):
                one.forms |= {name, name[0].upper() + name[1:]}
        for word in _WORD_ALONE.finditer(content):
            people = families.get(word[0], [])
            if len(people) != 1 or normalise_name(word[0]) in self.people or not _is_telling(word[0]):
                continue
            if not _NAME_BEFORE.search(content, max(0, word.start() - 24), word.start()):
                people[0].surname = word[0]

    def _join_initials(self) -> None:
        self.initials |= {person.name for person in self.people.values() if _INITIAL_NAME.fullmatch(person.name)}
        by_ends: dict[tuple[str, str], list[Name]] = {}
        for person in self._full():
            if person.name[1:2] != ".":
                by_ends.setdefault((person.name[0], person.name.split()[-1]), []).append(person)
        for form in sorted(self.initials):
            letter, last = form[0], form.split()[-1]
            full = [person for person in by_ends.get((letter, last), ()) if person.name != form]
            if len(full) == 1:
                alone = self.people.pop(normalise_name(form), None)
                full[0].forms |= {form} | (alone.forms if alone else set())
            elif not full:
                self.person(form)

    def _join_capitals(self, content: str) -> None:
        """Give initials that are charged with something ("WC to send …") to the one name that has them."""
        by_letters: dict[str, list[Name]] = {}
        for person in self._full():
            by_letters.setdefault(capitals(person.name), []).append(person)
        for match in _CAPITALS.finditer(content):
            people = by_letters.get(match[1], [])
            if len(people) == 1 and normalise_name(match[1]) not in self.things:
                people[0].forms.add(match[1])

    def _join_parts(self) -> None:
        """Give "Juan Carlos" to the one name that goes on behind it, "García Soto" to the one that ends so."""
        by_part: dict[str, set[str]] = {}
        for name in self.people:
            words = name.split()
            for at in range(2, len(words)):
                for part in (words[:at], words[-at:]):
                    by_part.setdefault(" ".join(part), set()).add(name)
        for key in [key for key in self.people if len(by_part.get(key, ())) == 1]:
            if full := self.people.get(min(by_part[key])):
                alone = self.people.pop(key)
                full.forms |= {alone.name, *alone.forms}

    def _one_present(self, people: list[Name]) -> list[Name]:
        """Return the only one of several who takes part, else all of them."""
        present = [person for person in people if normalise_name(person.name) in self.present]
        return present if len(present) == 1 else people

    def _join_mails(self) -> None:
        """Give each address to its owner, and the owner the organisation of its domain."""
        employers = self._join_employers()
        boxes = self._boxes()
        for address, display in sorted(self.mails.items()):
            box, domain = address.casefold().split("@")
            person = self.people.get(normalise_name(display)) if display else None
            person = person or self._owner(box, boxes)
            if person is not None:
                person.forms.add(address)
                person.organization = person.organization or employers.get(f"@{domain}")

    def _join_employers(self) -> dict[str, str]:
        """Join domains with the organisations the text names by the same first word; return each domain's name."""
        domains = {key: thing for key, thing in self.things.items() if key.startswith("@")}
        firms = [(key, thing) for key, thing in reversed(self.things.items()) if thing.type == "org"]
        first_words = {key.split()[0]: thing for key, thing in firms} | {_spelt(key): thing for key, thing in firms}
        for key, employer in domains.items():
            del self.things[key]
            label = normalise_name(employer.name)
            label = label if label in first_words else _spelt(label)
            named = first_words.get(label)
            if named is not None:
                named.forms |= employer.forms
                domains[key] = named
            else:
                domains[key] = self.things.setdefault(normalise_name(employer.name), employer)
        return {key: employer.name for key, employer in domains.items()}

    def _boxes(self) -> dict[str, list[Name]]:
        """Return the people by each mail box or handle that their name may give them."""
        boxes: dict[str, list[Name]] = {}
        for person in self.people.values():
            for box in _box_names(person.name):
                boxes.setdefault(box, []).append(person)
        return boxes

    def _owner(self, box: str, boxes: dict[str, list[Name]]) -> Name | None:
        """Return whose mail box or handle this is: `alice.chen`, `alicechen`, `achen` or `alice`, if only one fits."""
        fits = boxes.get(re.sub(r"[^\w]|_|\d", "", box), [])
        if len(fits) == 1:
            return fits[0]
        parts = [part for part in re.split(r"[._-]", box) if part.isalpha()]
        if fits or not parts or parts[0] not in GIVEN_NAMES or len(parts) > 3 or any(len(part) < 3 for part in parts):
            return None
        return self.person(" ".join(part.capitalize() for part in parts))

    def _join_handles(self) -> None:
        """Give each handle to its owner by the text's word, else by its likeness to one name."""
        for handle, owner in self.owners.items():
            alone = self.people.get(handle)
            if alone is not None and alone is not owner and f"@{handle}" in {form.casefold() for form in alone.forms}:
                owner.forms |= self.people.pop(handle).forms
        boxes = self._boxes()
        for handle in sorted(handle for handle in self.handles if handle.casefold() not in self.owners):
            whose = self._owner(handle.casefold(), boxes)
            if whose is not None:
                whose.forms.add(f"@{handle}")

    def _employ(self, content: str) -> None:
        """Give people the organisation that the words around their full names say they are of."""
        mentioned = [Mentioned(at.start, at.end, at.index, self.all[at.index].type) for at in self.places]
        for person, employer in employed(content, mentioned):
            whom = self.all[person.which]
            whom.organization = whom.organization or self.all[employer.which].name

    def _find(self, content: str, flat: str) -> Iterator[Place]:
        """Find names word by word, the longest form first; names compare with their case."""
        forms: dict[str, dict[str, int]] = {}
        for index, name in enumerate(self.all):
            for form in {name.name, *name.forms, name.surname or name.name} if name.labels_only is None else ():
                if first := _TOKEN.search(form):
                    forms.setdefault(first[0], {}).setdefault(form, index)
        labels = [Place(s.start_char, s.end_char, i) for i, n in enumerate(self.all) for s in n.labels_only or ()]
        yield from sorted(
            [*labels, *_occurrences(content, flat, forms, self.labelled)], key=lambda place: (place.start, -place.end)
        )


def _is_telling(surname: str) -> bool:
    """Whether a word is hardly anything else than a family name."""
    return len(surname) > 2 and surname.casefold() not in LISTED


def _occurrences(
    content: str, flat: str, forms: dict[str, dict[str, int]], labelled: Collection[int]
) -> Iterable[Place]:
    """Yield the places of forms, keyed by their first word; many forms of one length cost no more than one.

    Those that begin where somebody is labelled are names for certain.
    """
    sizes = {first: sorted({len(form) for form in options}, reverse=True) for first, options in forms.items()}
    done = 0
    for token in _TOKEN.finditer(content):
        options = forms.get(token[0])
        if options is None or token.start() < done:
            continue
        at = token.start()
        start = at - 1 if content[at - 1 : at] == "@" and at - 1 >= done else at
        for size in sizes[token[0]]:
            form = flat[start : start + size]
            if form in options and (at in labelled or _stands_alone(content, start, start + size, form)):
                yield Place(start, start + size, options[form])
                done = start + size
                break


def _stands_alone(content: str, start: int, end: int, form: str) -> bool:
    before, after = content[max(0, start - 1) : start], content[end : end + 1]
    if before.isalnum() or (before in ("_", "/", "@", "#", "\\") and before) or after.isalnum() or after == "_":
        return False
    if " " not in form and form.casefold() in _PLAIN:
        begins = content[max(0, start - 3) : start].strip(" \t\"'“(*_")[-1:] in ("", ".", "!", "?", "\n", ":", "-", "•")
        return acts_like_person(content, start, end) or is_person_by_context(content, end) if begins else True
    return True


def _spelt(name: str) -> str:
    """Return how a mail domain spells an organisation: "nordlinjeshipping" for Nordlinje Shipping AS."""
    return "".join(_TOKEN.findall(unmarked(_LEGAL_FORM.sub("", name)).casefold()))


def _box_names(name: str) -> set[str]:
    words = [re.sub(r"[^\w]", "", word).casefold() for word in name.split()]
    if not words or not all(words):
        return set()
    if len(words) == 1:
        return {words[0]}
    first, last = words[0], words[-1]
    return {first, first + last, first[0] + last, first + last[0], last + first}


_ACTS: Final = regex(rf"{OTHERS}{ASIDE}(?:\s+(?:{SPEECH}|{DEED})|['’]ll\s+[a-z])")
_SPOKEN_TO: Final = regex(
    r"\b(?:(?:dear|hi|hello|hey|thanks|ask|asks|asked|told|tells?|reports? to|reported to),?|"
    r"(?:approved|decided|reviewed|written|prepared|suggested|"
    r"proposed|signed|requested|led|owned|said|chaired|hosted|minuted|presented|raised|seconded|drafted|authored|"
    r"represented|headed|succeeded|replaced|managed|handled|run|covered) by|interviewee:?|author:?|contact:?|"
    r"(?:escalated|assigned|reassigned|delegated|handed over|introduced|thanks) to|"
    r"(?:objections?|apologies|questions?|comments?) from|on behalf of|(?:standing in|covering|deputi[sz]ing) for|"
    r"owner:|attn[.:]?) \Z",
    re.I,
)
#: Before a name only if it is a thing's.
_DETERMINER: Final = regex(
    r"\b(?:the|an?|our|their|his|her|its|my|your|this|that|these|each|every|any|some|no|project|called|named) \Z", re.I
)
#: What is read behind a name, in characters: a few more names and a verb.
_REACH: Final = 160


def is_person_by_deed(content: str, start: int, end: int) -> bool:
    """Whether the words around `content[start:end]` make a plausible name a person's: it speaks, feels or decides."""
    before = content[max(0, start - 20) : start]
    if _DETERMINER.search(before):
        return False
    return _ACTS.match(content, end, end + _REACH) is not None or _SPOKEN_TO.search(before) is not None


def may_be_person_name(text: str) -> bool:
    """Whether two to four capitalised words, particles apart, may be a person's name for all that lists know."""
    words = [word for word in text.split() if word not in PARTICLES]
    folded = [word.casefold() for word in words]
    if not 1 < len(words) < 5 or any(len(word) < 2 or word.isupper() for word in words):
        return False
    if any(word in NOT_NAMES or word in PLACES or word in COMMON_WORDS for word in folded):
        return False
    first, last = folded[0], folded[-1]
    if (
        first in BRANDS
        or first in COMMON_FIRST
        or first in PLACE_FIRST
        or last in PLACE_LAST
        or text.casefold() in PLACES
    ):
        return False
    if last.strip(".") in COMPANY_WORDS or (last in OFFICES and last not in FAMILY_WORDS):
        return False
    return not (last.endswith("s") and (last[:-1] in NOT_NAMES or last[:-1] in COMMON_WORDS))
