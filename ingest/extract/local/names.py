"""The names a document uses: which forms belong together, and where each of them stands."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from core.knowledge import EntityType, FoundEntity, Span, normalised
from ingest.extract.local.lexicon import (
    AMBIGUOUS_NAMES,
    BRANDS,
    COMMON_WORDS,
    COMPANY_WORDS,
    GIVEN_NAMES,
    NOT_NAMES,
    PLACES,
    ROLE_WORDS,
    STARTERS,
)

#: Latin with its marks, Greek, Cyrillic and Armenian.
_ALPHABETS: Final = (*range(0x41, 0x530), *range(0x1E00, 0x1F00))
UPPER: Final = "".join(chr(code) for code in _ALPHABETS if chr(code).isupper())
#: A capitalised word, its accents one sign with their letter or not. Apostrophes and hyphens only between letters.
CAPITALISED: Final = rf"[{UPPER}][\w\u0300-\u036f]*+(?:[-'’](?!ll\b)[\w\u0300-\u036f]+)*+"
PARTICLES: Final = tuple(
    "van von de der den del della da di la le las los bin ibn al el ten ter dos das du zu af av".split()
)
#: A blank and a word in small letters inside a family name.
PARTICLE: Final = rf"(?: (?:{'|'.join(PARTICLES)})\b)"
#: What stands before a family name and is no part of a name, in small letters.
TITLES: Final = frozenset(
    """mr mrs ms miss mx dr prof professor hon sir dame lord lady rev reverend senator judge cllr councillor messrs fr
    herr frau captain capt lieutenant sergeant sgt inspector nurse sister father pastor rabbi imam monsieur madame mme
    signor signora señor señora dott auditor treasurer chancellor commissioner colonel commander detective constable
    bishop mayor ambassador superintendent headmaster headmistress""".split()
)
#: A title with its family name behind it, or with the full one.
TITLED: Final = rf"\b(?:{'|'.join(sorted(title.capitalize() for title in TITLES))})\b\.?(?: (?:Dr|Prof)\.?)?"
#: Two or three initials with dots, or one.
INITIALS: Final = rf"[{UPPER}]\.(?: ?[{UPPER}]\.){{0,2}} ?"
#: What may be a person's name, of one word or more: "Alice", "J. R. Smith", "Ana-Maria de la Cruz".
NAME: Final = rf"(?:{INITIALS})?{CAPITALISED}(?:(?: [{UPPER}]\.)?{PARTICLE}{{0,2}} {CAPITALISED}){{0,3}}"
#: What may stand between a name and its verb: "Mara Lind, our designer, …", "Mara Lind (design) …".
ASIDE: Final = r"(?: \([^()\n]{1,40}\)|, [a-z][^,;:.\n]{1,50},| and (?:her|his|their) [\w-]+)?"
#: The names behind the first of several. ", and I" begins a clause of its own.
OTHERS: Final = rf"(?:(?:, {NAME}){{0,6}}(?:,? (?:and|&) (?!I\b){NAME}| (?:and|&) I\b))?"
_TOKEN: Final = re.compile(r"\w+")
_INITIAL_ALONE: Final = re.compile(r"(?:[^\W\d_]\.)+")
#: What a person does, after the name: tells "Will said" from "will say".
PERSON_VERB: Final = re.compile(
    r"\s+(?:said|says|asked|asks|told|thinks|thought|wants|wanted|agreed|agrees|will|has|had|promised|volunteered|"
    r"mentioned|suggested|suggests|proposed|proposes|raised|reported|reports|confirmed|confirms|noted|replied|"
    r"explained|"
    r"presented|decided|committed|offered|joined|owns|leads|is going to|to (?:send|write|prepare|review|check|follow|"
    r"draft|share|schedule|update|fix|confirm|set|own|investigate|talk|ask|contact|create|finish|look|deliver))\b"
)
#: A first name's initial with a family name.
_INITIAL_NAME: Final = re.compile(rf"[{UPPER}]\. ?[^\W\d_][\w'’-]+")
#: Two or three capitals that say whose a task is, or stand behind the name that they shorten.
_CAPITALS: Final = re.compile(
    r"(?:^[ \t]*(?:[-*•|]|\d+[.)]|\[[ xX]\])[ \t]*|\| *|\(|^|[.!?] )([A-Z]{2,3})"
    r"(?= to [a-z]| will |:| *\||\)| [-–—] | [a-z]{3,}s the )",
    re.M,
)
#: What follows the given name of somebody whom the text knows, no plain word: a verb, an address, the end of a line.
_NAMED_BEFORE: Final = re.compile(
    r"['’]s [a-z]|,? (?:and|&|or) [A-Z]|, (?:please|can|could|would|will|you|thank|I|we|what|how|do|did|are|let)\b|"
    r"[,:]?[ \t]*(?:\n|\Z)| (?!(?:is|was|has|does|us|plus|less|this|always|perhaps|yes|across|as)\b)[a-z]{3,}(?:s|ed) "
)
#: The rest of a name before its last word: another word of it, or an initial.
_NAME_BEFORE: Final = re.compile(rf"(?:\b[{UPPER}]\.|\b[{UPPER}][\w'’-]+{PARTICLE}?|{PARTICLE}) \Z")
#: A capitalised word that no other one follows.
_WORD_ALONE: Final = re.compile(rf"(?<![\w@.'’-]){CAPITALISED}(?![\w@-]| [{UPPER}])")
#: What is as likely something else as a family name.
_OTHER_WORDS: Final = NOT_NAMES | COMMON_WORDS | GIVEN_NAMES | AMBIGUOUS_NAMES | PLACES | BRANDS | COMPANY_WORDS
_PAIR: Final = re.compile(rf"(?<!\w)({CAPITALISED})(?= ({CAPITALISED}))")
_AFTER_PERSON_WORD: Final = re.compile(
    r"\b(?:with|from|ask|asked|told|and|by|thanks|hi|hello|dear|hey|cc)[ ,]+\Z", re.I
)


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
    def given(self) -> str:
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
    singles: dict[str, str] = field(default_factory=dict)
    family: set[str] = field(default_factory=set)
    initials: set[str] = field(default_factory=set)
    handles: set[str] = field(default_factory=set)
    #: Plausible names that act like people; a thing of a certain type outweighs them.
    guesses: dict[str, str] = field(default_factory=dict)
    #: What seems to be a place, unless it is certainly something else.
    place_guesses: dict[str, str] = field(default_factory=dict)
    #: Where people work by the text's word, folded: no given names.
    firms: set[str] = field(default_factory=set)
    #: Unknown words that act as people and organisations do, perhaps a family name alone, keyed folded.
    acting: dict[str, str] = field(default_factory=dict)
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
        key = normalised(name)
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
        known = self.things.setdefault(normalised(name), Name(name, type_))
        if known.type == "object" and type_ != "object":
            known.type = type_
        return known

    def settle(self, content: str, flat: str) -> None:
        """Join the forms of each person, drop things that are people, and find every place of every name.

        `flat` is the content with blanks in place of line breaks: a name may be wrapped.
        """
        self._believe()
        self._join_initials()
        self._join_doubled()
        self._join_lettered()
        self._join_capitals(content)
        self._join_family()
        self._join_surnames(content)
        self._join_singles()
        self._join_mails(flat)
        self._join_handles()
        for person in self.people.values():
            for form in (person.name, *person.forms):
                if normalised(form) in self.people or self.things.get(normalised(form), person).type in (
                    "object",
                    "other",
                ):
                    self.things.pop(normalised(form), None)
        parts = {word for key in (*self.people, *self.things) if " " in key for word in key.split()}
        for key in [key for key, thing in self.things.items() if thing.type == "object" and key in parts]:
            del self.things[key]
        self._add_acting()
        self.all = sorted([*self.people.values(), *self.things.values()], key=lambda name: (name.type, name.name))
        for index, name in enumerate(self.all):
            for form in (name.name, *sorted(name.forms), *filter(None, [name.surname])):
                self._by_form.setdefault(normalised(form), index)
        self.places = list(self._find(content, flat))
        self._starts = [place.start for place in self.places]

    def between(self, start: int, end: int) -> list[Place]:
        """Return the names that stand inside a range, in order."""
        first, last = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return [place for place in self.places[first:last] if place.end <= end]

    def called(self, form: str) -> Name | None:
        """Return what goes by this name or handle here."""
        index = self._by_form.get(normalised(form), self._by_form.get(f"@{normalised(form)}"))
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
                tuple(sorted(name.forms - {name.name})),
                name.role,
                name.organization,
                tuple(spans.get(index, [])),
            )
            for index, name in enumerate(self.all)
        )

    def _believe(self) -> None:
        """Make people of the guesses that nothing contradicts."""
        employers = {normalised(thing.name) for key, thing in self.things.items() if key.startswith("@")}
        for key, name in self.guesses.items():
            thing = self.things.get(key)
            if key.split()[0] not in employers and (thing is None or thing.type in ("object", "other")):
                self.person(name)
        for key, name in self.place_guesses.items():
            thing = self.things.get(key)
            if thing is None or thing.type == "object":
                self.thing(name, "place")

    def _add_acting(self) -> None:
        """Add what acts and is nothing else: a family name that other texts may know, or an organisation."""
        known = {normalised(form) for name in self.people.values() for form in (*name.forms, name.surname or name.name)}
        known |= {word for key in (*self.people, *self.things) for word in key.split() if word != key}
        known |= {key for key, thing in self.things.items() if thing.type != "object"}
        for key, form in self.acting.items():
            if key not in known:
                self.thing(form, "other")

    def _full(self) -> list[Name]:
        return [person for person in self.people.values() if len(person.name.split()) > 1]

    def _join_singles(self) -> None:
        """Give a first name alone to the one full name that begins with it, else make it a person of its own."""
        by_given: dict[str, list[Name]] = {}
        for person in self._full():
            by_given.setdefault(normalised(person.given), []).append(person)
        declared = {key: person for key, person in self.people.items() if " " not in key}
        firms = {key.split()[0] for key, thing in self.things.items() if thing.type == "org"}
        taken = {normalised(form) for person in self.people.values() for form in person.forms}
        for key, form in [*self.singles.items(), *((key, person.name) for key, person in declared.items())]:
            full = by_given.get(key, []) or self._by_last_name(key, by_given)
            if key in taken or (key in self.firms and not full):
                continue
            if key in firms and not full and key not in self.people and key not in GIVEN_NAMES:
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
                full[0].forms.add(full[0].given)

    def _by_last_name(self, key: str, by_given: Mapping[str, object]) -> list[Name]:
        """Return the one whose name this ends who is not called by its first word: "Mei" for Sun Mei."""
        fits = [person for person in self._full() if normalised(person.name).split()[-1] == key]
        named = [person for person in fits if normalised(person.given) in self.singles]
        return fits if len(fits) == 1 and not named and key not in self.people and key not in by_given else []

    def _join_family(self) -> None:
        """Give a titled family name ("Ms Kwan") to the one full name that ends with it, else make it a person."""
        for form in sorted(self.family):
            full = [person for person in self._full() if person.name.split()[-1] == form]
            if len(full) == 1:
                full[0].forms.add(form)
            elif not full:
                self.person(form)

    def _join_surnames(self, content: str) -> None:
        """Give everybody the family name alone by which the text calls nobody else."""
        full = self._full()
        families: dict[str, list[Name]] = {}
        for person in full:
            families.setdefault(person.name.split()[-1], []).append(person)
        for word in _WORD_ALONE.finditer(content):
            people = families.get(word[0], [])
            if len(people) != 1 or normalised(word[0]) in self.people or not _is_telling(word[0]):
                continue
            if not _NAME_BEFORE.search(content, max(0, word.start() - 24), word.start()):
                people[0].surname = word[0]

    def _join_initials(self) -> None:
        self.initials |= {person.name for person in self.people.values() if _INITIAL_NAME.fullmatch(person.name)}
        for form in sorted(self.initials):
            letter, last = form[0], form.split()[-1]
            full = [
                person
                for person in self._full()
                if person.name[0] == letter
                and person.name.split()[-1] == last
                and person.name[1:2] != "."
                and person.name != form
            ]
            if len(full) == 1:
                alone = self.people.pop(normalised(form), None)
                full[0].forms |= {form} | (alone.forms if alone else set())
            elif not full:
                self.person(form)

    def _join_capitals(self, content: str) -> None:
        """Give initials that a line or a cell begins with ("WC to send …") to the one name that has them."""
        by_letters: dict[str, list[Name]] = {}
        for person in self._full():
            letters = "".join(word[0] for word in re.split(r"[ -]", person.name) if word[0].isupper())
            by_letters.setdefault(letters, []).append(person)
        for match in _CAPITALS.finditer(content):
            people = by_letters.get(match[1], [])
            if len(people) == 1 and normalised(match[1]) not in self.things:
                people[0].forms.add(match[1])

    def _join_doubled(self) -> None:
        """Give "Juan Carlos" to the one name that goes on behind it."""
        for key in [key for key in self.people if " " in key]:
            longer = [person for name, person in self.people.items() if name.startswith(f"{key} ")]
            if len(longer) == 1:
                self._merge(key, longer[0])

    def _join_lettered(self) -> None:
        """Give "Alice C." to the one full name that it shortens."""
        for key in [key for key in self.people if len(key.split()) == 2 and len(key.split()[1]) == 1]:
            given, letter = key.split()
            full = [
                person
                for person in self._full()
                if normalised(person.given) == given
                and normalised(person.name).split()[-1].startswith(letter)
                and person is not self.people[key]
            ]
            if len(full) == 1:
                self._merge(key, full[0])

    def _merge(self, key: str, person: Name) -> None:
        """Make one of the people another name of `person`."""
        alone = self.people.pop(key)
        person.forms |= {alone.name, *alone.forms}

    def _join_mails(self, content: str) -> None:
        """Give each address to its owner, and the owner the organisation of its domain."""
        employers = self._join_employers(content)
        boxes = self._boxes()
        for address, display in sorted(self.mails.items()):
            box, domain = address.casefold().split("@")
            person = self.people.get(normalised(display)) if display else None
            person = person or self._owner(box, boxes)
            if person is not None:
                person.forms.add(address)
                person.organization = person.organization or employers.get(f"@{domain}")

    def _join_employers(self, content: str) -> dict[str, str]:
        """Join domains with the organisations the text names by the same first word; return each domain's name."""
        domains = {key: thing for key, thing in self.things.items() if key.startswith("@")}
        first_words = {key.split()[0]: thing for key, thing in reversed(self.things.items()) if thing.type == "org"}
        companies = _companies(content) if domains else {}
        for key, employer in domains.items():
            del self.things[key]
            label = normalised(employer.name)
            if label in companies and label not in first_words:
                first_words[label] = self.thing(companies[label], "org")
            named = first_words.get(label)
            if named is not None:
                named.forms |= employer.forms
                domains[key] = named
            else:
                domains[key] = self.things.setdefault(label, employer)
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
        if fits or not parts or parts[0] not in GIVEN_NAMES or len(parts) > 3 or any(len(part) < 2 for part in parts):
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
    return len(surname) > 2 and surname.casefold() not in _OTHER_WORDS


def is_role(name: str) -> bool:
    """Whether a name is a role or a numbered speaker rather than someone's own name."""
    words = [word.strip(".").casefold() for word in name.split()]
    return any(word in ROLE_WORDS for word in words) or (len(words) > 1 and len(words[-1]) == 1)


def looks_like_name(text: str) -> bool:
    """Whether an unknown word or two may be someone's name: capitalised, no role, team, date or sentence starter."""
    words = [word for word in text.split() if word not in PARTICLES and not _INITIAL_ALONE.fullmatch(word)]
    return 0 < len(words) <= 4 and all(
        re.fullmatch(CAPITALISED, word) is not None
        and word.casefold() not in NOT_NAMES
        and not (word.isupper() and len(word) > 1)
        and not word.endswith(("'s", "’s"))
        for word in words
    )


def is_spoken_of(content: str, end: int) -> bool:
    """Whether what follows `content[:end]` makes the given name of somebody the text knows hers, not a plain word."""
    return _NAMED_BEFORE.match(content, end, end + 40) is not None


def acts_like_person(content: str, start: int, end: int) -> bool:
    """Whether the words around `content[start:end]` treat it as a person."""
    return bool(
        PERSON_VERB.match(content, end, end + 40) or _AFTER_PERSON_WORD.search(content, max(0, start - 12), start)
    )


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
    if " " not in form and form.casefold() in AMBIGUOUS_NAMES | STARTERS:
        begins = content[max(0, start - 3) : start].strip(" \t\"'“(*_")[-1:] in ("", ".", "!", "?", "\n", ":", "-", "•")
        return acts_like_person(content, start, end) or is_spoken_of(content, end) if begins else True
    return True


def _companies(content: str) -> dict[str, str]:
    """Return what looks like a company ("Vandermoor Foods") by its first word, the first such name of the text."""
    companies: dict[str, str] = {}
    for match in _PAIR.finditer(content):
        if match[2].casefold() in COMPANY_WORDS:
            companies.setdefault(normalised(match[1]), f"{match[1]} {match[2]}")
    return companies


def _box_names(name: str) -> set[str]:
    words = [re.sub(r"[^\w]", "", word).casefold() for word in name.split()]
    if not words or not all(words):
        return set()
    if len(words) == 1:
        return {words[0]}
    first, last = words[0], words[-1]
    return {first, first + last, first[0] + last, first + last[0], last + first}
