"""Finding people: in an artifact's fields, headers, labels, addresses and sentences."""

import re
from collections.abc import Iterator
from typing import Final

from core.knowledge import Span, normalised
from core.memory import Memory
from ingest.extract.local import unknown
from ingest.extract.local.lexicon import (
    AMBIGUOUS_NAMES,
    BRANDS,
    CALENDAR,
    COMMON_WORDS,
    COMPANY_WORDS,
    FREE_MAIL,
    GIVEN_NAMES,
    NOT_NAMES,
    PLACES,
    ROLE_WORDS,
    SHARED_BOXES,
    STARTERS,
    THING_WORDS,
)
from ingest.extract.local.names import (
    CAPITALISED,
    INITIALS,
    NAME,
    OTHERS,
    PARTICLE,
    PARTICLES,
    TITLED,
    TITLES,
    UPPER,
    Name,
    Names,
    acts_like_person,
    is_role,
    looks_like_name,
)
from ingest.extract.local.structure import Passage
from ingest.extract.local.verbs import ACTION, NO_ACT

#: Roles of a model's conversation: nobody's name.
MACHINE_ROLES: Final = frozenset({"user", "assistant", "system", "tool", "human", "ai", "bot", "model", "developer"})

#: A program that writes into a chat, or what is written below a letter.
_MACHINE: Final = re.compile(
    r"(?:p\.){1,2}s\.?|n\.b\.?|[\w.-]*[-_.]bot|(?:slack|dependa|github|gitlab|jira|build|deploy|ci|stand|geek)-?bot",
    re.I,
)
SEQUENCE: Final = re.compile(rf"(?<![\w@#/.'’-]){CAPITALISED}(?:(?: [A-Z]\.)?{PARTICLE}{{0,2}} {CAPITALISED}){{0,4}}")
_MAIL: Final = re.compile(r"(?<![\w.+-])([A-Za-z0-9][\w.+-]{0,63})@((?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24})\b")
_HANDLE: Final = re.compile(r"(?<![\w@/.])@([A-Za-z][\w-]{1,38})(?![\w/(.@]*[/(@])")
#: One initial may end the sentence before: it counts at the start, or if the name behind it acts.
_INITIAL: Final = re.compile(rf"(?<![\w.'’]){INITIALS}{CAPITALISED}(?:{PARTICLE}{{0,2}} {CAPITALISED})?")
_ONE_INITIAL: Final = re.compile(r"[^\W\d_]\. ?[^\W\d_]+\Z")
_BEHIND_WORD: Final = re.compile(r"(?<!\bby)(?<!\band)(?<!\bwith)(?<!\bto)(?<!\bfrom)(?<!\bcc)(?<=[^\W_]) \Z")
_NAMED_HANDLE: Final = re.compile(rf"({NAME}) \(@([A-Za-z][\w.-]{{0,38}})\)")
#: The handle at the end of "Tomasz Wieczorek (@tomek)".
_OWN_HANDLE: Final = re.compile(r"(?<=\S)\s+[(<\[]?@([A-Za-z][\w.-]{0,38})[)>\]]?(?=\s*(?:\(|$))")
_ONLY_HANDLE: Final = re.compile(r"@([A-Za-z][\w.-]{0,38})")
_ENTRY: Final = re.compile(r"[^,;\n]+?(?:\([^)\n]*\)[^,;\n]*)?(?=[,;\n]|$)")
_ENTRY_PARTS: Final = re.compile(
    r"^\s*(?:and |& )?[\"'*_]*(?P<name>[^<(\[\n\"*]+?)[\"'*_]*\s*(?:[<\[](?:mailto:)?(?P<mail>[^>\]]+)[>\]])?\s*"
    r"(?:\((?P<note>[^)]*)\))?\s*$"
)
_COMMON: Final = STARTERS | CALENDAR
_MANY_THINGS: Final = re.compile(r"(?:s|ing|ion|ment|ness|ity|ance|ence|ware|ly|al|people|men)\Z")
#: In no list: perhaps a family name, or an organisation's.
_LISTED: Final = NOT_NAMES | COMMON_WORDS | GIVEN_NAMES | AMBIGUOUS_NAMES | PLACES | BRANDS | COMPANY_WORDS
#: Given names that are no word in small letters, and how far before one it is looked for what makes it a name.
_SMALL_NAMES: Final = GIVEN_NAMES - AMBIGUOUS_NAMES - _COMMON - COMMON_WORDS - {"captain", "don", "mile"}
_SMALL_REACH: Final = 12
_OFFICES: Final = ROLE_WORDS | frozenset(
    "architect engineer director manager chief analyst designer officer composer producer editor president lead head "
    "auditor treasurer secretary deputy owner".split()
)
_QUOTES: Final = tuple('"“”„«»')
_CONTRACTION: Final = re.compile(r"(?:n?['’](?:t|ll|ve|re|d|m))+\Z")
#: Before a given name only if it is a place's or a saint's.
_OF_PLACE: Final = re.compile(r"\b(?:[Ii]n|[Nn]ear|St\.?|Saint|Santa|San) \Z")
#: Before two words of which the first is a given name and a place's or a thing's as well.
_NO_PERSON: Final = re.compile(r"\b(?:the|an?|at|in|near|of|from|to|on|via|our|their) \Z", re.I)
_POSSESSIVE: Final = re.compile(r"['’]s\Z")
#: Before a given name only if it is a hotel's, a ship's or a product's.
_ARTICLE: Final = re.compile(r"\b[Tt]he \Z")
#: Where somebody works.
_WORKS_AT: Final = re.compile(
    r"\b(?:(?:contacts?|works?|working|worked|people|colleagues?|manager|engineers?|jobs?|team|office) at|"
    rf"{CAPITALISED} {CAPITALISED} (?:of|at)) ({CAPITALISED})(?! {CAPITALISED})"
)
#: Somebody's colleague, by name.
_RELATED: Final = re.compile(
    r"(?:\b(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|[Yy]our)|\w['’]s) (?:(?:new|old|former|dear) )?(?:colleague|boss|"
    r"friend|brother|sister|wife|husband|partner|assistant|deputy|manager|teammate|co-?worker|predecessor|successor|daughter|son|"
    rf"mother|father|neighbou?r|intern|apprentice),? ({CAPITALISED}(?: {CAPITALISED})?)"
)
_INITIAL_BEFORE: Final = re.compile(rf"[{UPPER}]\. \Z")
_LETTERS: Final = frozenset("AM MP MS MSP MEP QC PhD MD MBA CPA PMP CFA Esq".split())
_TITLED: Final = re.compile(rf"{TITLED} ((?:{INITIALS})?(?![{UPPER}]\.){CAPITALISED}(?: {CAPITALISED})?)")
#: "Name to send …", "Name: send …" and "Name will send …" at the start of a bullet or task.
ASSIGNEE: Final = re.compile(
    rf"(?:\*\*|\[|@)?(?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?({NAME})({OTHERS})(?:\*\*|\])?(?: \([^()\n]{{1,30}}\))?"
    rf"(?: ?:(?:\*\*)?| to(?= [a-z])| will(?= [a-z])| - | – | — | ?->| ?→)"
)
#: Behind "Mara Lind:" an assignment: a verb in small letters and, later, a time limit.
_ASSIGNED: Final = re.compile(
    rf"(?<=:)\s+(?:{ACTION}(?! (?:with|of|on|by|from|about)\b)|(?!{NO_ACT})[a-z]+ (?=.*\b(?:by|before|until|till) "
    r"(?:\d|the\b|end\b|next\b|this\b|to(?:day|night|morrow)|noon|EO|COB|Q\d|Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|"
    r"Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)))"
)
#: Between the people of one cell.
_OWNERS_APART: Final = re.compile(r"[,;/+&]| and ")
#: What makes a given name a company's.
_NAMED_AFTER: Final = re.compile(
    r" (?:&|and) (?:Sons?|Daughters?|Brothers|Co|Company|Partners|Associates)\b\.?|"
    r"['’]s (?:Bakery|Caf[eé]|Restaurant|Bar|Pub|"
    r"Kitchen|Shop|Store|Pizza|Coffee|Books|Garage|Diner|Deli|Market|Farm|Brewery|Pharmacy|Hardware)\b"
)
#: What may follow a name in a list: " – product lead", ": design".
_ROLE_BEHIND: Final = re.compile(r"(?: [–—-] |: ).*")
_JOB_WORDS: Final = re.compile(
    r"\b(?:c[a-z]o|vp|head|lead|manager|director|engineer\w*|design\w*|product|sales|marketing|legal|finance|ops|pm|qa|"
    r"chair|host|notes?|scribe|facilitator|owner|developer|analyst|intern|remote|support|security|hr|founder|"
    r"president)\b",
    re.I,
)
#: A name in small letters, perhaps with the initial of a family name behind it.
_SMALL: Final = re.compile(
    r"(?<![\w@.'’-])(?P<given>[^\W\d_]{2,})(?: (?!a\b|i\b)[a-z](?=[,.!?]| (?!\d)\w{2,}))?(?![\w@'’-]*[@_])"
)
_CAPITAL: Final = re.compile(rf"(?![I])[{UPPER}]")
#: What makes a word in small letters a name: a word to or of a person before it, or what people do behind it.
_SMALL_BEFORE: Final = re.compile(
    r"\b(?:thanks|thx|ty|hi|hey|hello|ask|asked|tell|told|ping|with|from|by|cc|sorry|and|for|ring|"
    r"call|called|text|message|met|saw|remind|invite|to|let|help) \Z"
)
_SMALL_BEHIND: Final = re.compile(
    r"['’](?:s|ll|d) | (?:is|was|has|had|will|can|says|said|asks|asked|wants|does|did|thinks|told|okayed|from|starts|"
    r"joins|agrees|knows|likes|needs|wrote|gets|\w{3,}ed)\b|, (?:can|could|will|would|please|pls|you)\b"
)
#: Behind a full name, what one does or is: hardly said of anything else.
_PREDICATE: Final = re.compile(
    r",? who\b| (?!(?:is|was|has|does|plus|this|us|opens|closes|offers|sells|releases|starts|ends|costs|runs)\b)"
    r"[a-z]{3,}s "
    r"(?:the|a|an|our|his|her|their|it|to|us|that|for)\b"
)
#: How somebody takes part, behind a name: "Dmitri on video".
_PRESENT: Final = re.compile(
    r"(?<=\w) (?:(?:on|by|via) (?:the )?(?:video|phone|zoom|teams|skype|call|line)|online|remote(?:ly)?|"
    r"(?:until|till|from|as of) \d[\d:. apm]*|(?:joined|left|arrived)(?: late| early)?(?: (?:at|until) [\d:. apm]+)?)"
    r"\s*\Z",
    re.I,
)
#: A date behind a name, in a line such as "Decided by: Monique Lefevre, 24 February 2026".
_SINCE: Final = re.compile(r"(?:,| on|:)? \(?(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b).*", re.I)
#: What somebody does in one meeting is no role of theirs.
_DUTY: Final = re.compile(r"(?:takes |taking )?(?:notes?|minutes|scribe|remote|online|late|by phone|by video)", re.I)
_PERSON_HEADERS: Final = frozenset(
    "from to cc bcc attendees participants present invitees invited attending author authors decider deciders reviewer "
    "sponsor sponsors approver approvers interviewee "
    "reviewers owner reply-to absent apologies regrets chair chairperson scribe facilitator interviewer interviewers "
    "members who minutes".split()
) | {
    "reported by", "in attendance", "chaired by", "minutes by", "minutes taken by", "note-taker", "notetaker",
    "note taker", "prepared by", "on the line", "on the call", "written by", "reviewed by", "decided by", "approved by",
    "attendance", "minute taker",
    "interviewed", "consulted", "informed", "decision makers", "decision-makers", "taking notes", "in the room",
    "excused", "drafted by", "recorded by", "signed by", "proposed by", "seconded by", "contributors", "moderator",
}  # fmt: skip
#: Header lines whose entries are only people if they look like it: a role, a team or a text may stand there too.
_LOOSE_HEADERS: Final = frozenset({"members", "who", "minutes", "chair", "owner"})
#: Between the fields of one line: "Owner: Mara Lind · Reviewers: Jo Park".
_FIELDS_APART: Final = re.compile(r" [·•|] ")
_HEADER_LINE: Final = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?[*_]{0,2}(?P<head>[A-Za-z][A-Za-z -]{1,18})[*_]{0,2}[ \t]*:[*_]{0,2}[ "
    r"\t]*(?P<said>\S[^\n]{0,600})",
    re.M,
)


def declare_people(names: Names, memory: Memory) -> None:
    """Add the author, the participants and a turn's speaker: people by the caller's word."""
    if memory.author:
        add_entry(names, memory.author, role=memory.author_title)
    for participant in memory.participants:
        add_entry(names, participant)
    if memory.role and memory.role.casefold() not in MACHINE_ROLES:
        add_entry(names, memory.role)


def listed_people(content: str) -> Iterator[str]:
    """Yield the full and the first name of everyone in a header line such as "Attendees: …"."""
    for line in _HEADER_LINE.finditer(content):
        if line["head"].casefold().strip() in _PERSON_HEADERS:
            for part in _entries(line["said"]):
                name = entry_name(part)
                if name is not None and looks_like_name(name):
                    yield name
                    yield name.split()[0]


def speaker_of(memory: Memory) -> str | None:
    """Return who says "I" in this artifact as its fields have it; None if they name nobody."""
    if memory.author:
        return entry_name(memory.author)
    return entry_name(memory.role) if memory.role and memory.role.casefold() not in MACHINE_ROLES else None


def entry_name(entry: str) -> str | None:
    """Return the name in `Alice Chen <alice@acme.com>`, `alice.chen@acme.com` or `Alice Chen (CTO)`."""
    if mail := _MAIL.fullmatch(entry.strip()):
        return _box_name(mail[1]) if mail[1].casefold() not in SHARED_BOXES else None
    found = _ENTRY_PARTS.match(_OWN_HANDLE.sub("", entry))
    name = (found["name"] if found else entry).strip(" \t@*_\"'")
    words = _PRESENT.sub("", name).split()
    name = " ".join(words)
    letters = all(re.fullmatch(r"[^\W\d_][\w.'’&-]*|\d", word) for word in words)
    name = plain_name(name)
    return (
        name
        if 0 < len(words) <= 5 and letters and normalised(name) not in STARTERS and name not in SHARED_BOXES
        else None
    )


def _box_name(box: str) -> str | None:
    """Return the name that a mail box spells: "Alice Chen", "A. Chen"; the box itself if it is one unknown word."""
    parts = [part for part in re.split(r"[._-]", box.casefold()) if part.isalpha()]
    if len(parts) < 2:
        return parts[0].capitalize() if parts and parts[0] in GIVEN_NAMES else box.casefold() if parts else None
    return " ".join(part.capitalize() + "." * (len(part) == 1 and at == 0) for at, part in enumerate(parts))


def plain_name(name: str) -> str:
    """Return a name without the titles around it: "Hon. Mary Ng" and "Mary Ng MP" are Mary Ng."""
    words = name.split()
    while len(words) > 2 and words[0].strip(".").casefold() in TITLES:
        words.pop(0)
    while len(words) > 2 and words[-1].strip(".") in _LETTERS:
        words.pop()
    return " ".join(words)


def add_entry(names: Names, entry: str, *, role: str | None = None) -> Name | None:
    """Add one entry of a list of people, with its address, role or organisation; None if it names nobody."""
    if (name := entry_name(entry)) is None or _MACHINE.fullmatch(name):
        return None
    entry = _PRESENT.sub("", entry)
    parts = _ENTRY_PARTS.match(_OWN_HANDLE.sub("", entry))
    note = (parts["note"] or "").strip() if parts else ""
    employer = None
    if _DUTY.fullmatch(note):
        note = ""
    if note and _JOB_WORDS.search(note):
        role = role or note
    elif re.fullmatch(rf"{CAPITALISED}(?: {CAPITALISED}){{0,2}}", note) and note.casefold() not in PLACES | NOT_NAMES:
        employer = note
        names.thing(note, "org")
    for mail in _MAIL.finditer(entry):
        add_mail(names, mail[1], mail[2], name)
    if " " not in name and (owner := names.owners.get(name.casefold())) is not None:
        return owner
    person = names.person(name, role=role, organization=employer)
    if handle := _OWN_HANDLE.search(entry) or _ONLY_HANDLE.fullmatch(entry.strip()):
        names.handle(person, handle[1])
    titled = (parts["name"] if parts else entry).strip(" \t*_\"'")
    if (titled != name and titled.endswith(name)) or titled.startswith(name + " "):
        person.forms.add(titled)
    return person


def add_mail(names: Names, box: str, domain: str, display: str | None = None) -> None:
    """Note an address, and its employer's domain unless it is a free mail service."""
    if box.casefold() not in SHARED_BOXES:
        names.mails[f"{box}@{domain}"] = display or names.mails.get(f"{box}@{domain}")
    label = _company(domain)
    if label is not None:
        employer = names.things.setdefault(f"@{domain.casefold()}", Name(label, "org"))
        employer.forms.add(domain)


def _company(domain: str) -> str | None:
    parts = domain.casefold().split(".")
    second_level = len(parts) > 2 and parts[-2] in ("co", "com", "ac", "org", "edu", "gov")
    label = parts[-3] if second_level else parts[-2]
    return None if label in FREE_MAIL or label.isdigit() else label.capitalize()


def scan_people(names: Names, content: str, passage: Passage, *, social: bool) -> None:
    """Add the people that one passage names; `social` allows @handles, which elsewhere are mostly code."""
    start, end = passage.start, passage.end
    if passage.kind == "label":
        _label(names, content[start:end], Span(start, end))
        return
    if content.find("@", start, end) >= 0:
        _addresses(names, content, start, end, social=social)
    if passage.kind == "header":
        _list(names, content[start:end])
        return
    if passage.row is not None and passage.row.who is not None:
        _owners(names, content[passage.row.who.start_char : passage.row.who.end_char])
    if passage.section == "people" and passage.kind != "heading" and _roster(names, content[start:end], passage.kind):
        return
    _initials(names, content, passage)
    names.firms.update(match[1].casefold() for match in _WORKS_AT.finditer(content, start, end))
    for match in _RELATED.finditer(content, start, end):
        if looks_like_name(match[1]) and " " in match[1]:
            names.person(match[1])
        elif looks_like_name(match[1]):
            names.singles.setdefault(normalised(match[1]), match[1])
    for match in _TITLED.finditer(content, start, end):
        name = _POSSESSIVE.sub("", match[1])
        if name.casefold() in CALENDAR:
            names.person(match[0].removesuffix(match[1]) + name)
        elif looks_like_name(name):
            if name[1:2] == ".":
                names.initials.add(name)
            elif " " in name:
                names.person(name)
            else:
                names.family.add(name)
    if passage.kind != "heading":
        _assignee(names, content, passage)
    _sentence(names, content, passage)
    if passage.speaker is not None and not _CAPITAL.search(content, start, end):
        _small(names, content, start, end)


def _addresses(names: Names, content: str, start: int, end: int, *, social: bool) -> None:
    for mail in _MAIL.finditer(content, start, end):
        add_mail(names, mail[1], mail[2])
    for match in _NAMED_HANDLE.finditer(content, start, end):
        if looks_like_name(match[1]):
            names.handle(names.person(match[1]), match[2])
    names.handles.update(
        handle[1]
        for handle in _HANDLE.finditer(content, start, end)
        if handle[1].casefold() not in SHARED_BOXES and (social or handle[1].casefold() in GIVEN_NAMES)
    )


def _initials(names: Names, content: str, passage: Passage) -> None:
    """Add "A. Chen" and "J. R. Smith"; behind a word a single initial may be the end of it ("plan B. Then")."""
    for match in _INITIAL.finditer(content, passage.start, passage.end):
        family = re.split(r"[ .]", match[0])[-1]
        if len(family) < 3 or family.casefold() in NOT_NAMES:
            continue
        behind_word = _BEHIND_WORD.search(content, max(passage.start, match.start() - 6), match.start())
        one = _ONE_INITIAL.match(match[0])
        if not (behind_word and one) or unknown.acts(content, match.start(), match.end()):
            names.initials.add(match[0])


def _label(names: Names, name: str, span: Span) -> None:
    """Add a speaker; a label that is a role is only a name where it labels, and not in the text."""
    person = add_entry(names, name)
    names.labelled.add(span.start_char)
    if person is not None and is_role(person.name):
        person.labels_only = [*(person.labels_only or []), span]


def _list(names: Names, text: str) -> None:
    for field in _FIELDS_APART.split(text):
        _field(names, field)


def _field(names: Names, text: str) -> None:
    head, _, text = text.partition(":")
    folded = head.strip(" *_\t-").casefold()
    if folded not in _PERSON_HEADERS:
        return
    entries = [_SINCE.sub("", part) for part in _entries(text)]
    several = sum(_is_known(entry_name(part)) for part in entries) > 1
    before: Name | None = None
    for part in entries:
        name = entry_name(part)
        if not name or not (name[0].isupper() or "@" in part) or normalised(name) in NOT_NAMES:
            continue
        if before is not None and _is_employer(name, part):
            before.organization = before.organization or names.thing(name, "org").name
        elif folded not in _LOOSE_HEADERS or several or _is_known(name) or "@" in part:
            before = add_entry(names, part)


def _is_employer(name: str, entry: str) -> bool:
    """Whether an entry behind a person's is where that one works: "Mara Lind, Regional Health Office"."""
    words = name.casefold().split()
    return (
        "@" not in entry
        and words[0] not in GIVEN_NAMES
        and (any(word in THING_WORDS for word in words) or words[-1].strip(".") in COMPANY_WORDS)
    )


def _owners(names: Names, cell: str) -> None:
    """Add the people of a cell that says whose a row is: full names, and words that may be given ones."""
    for part in _OWNERS_APART.split(cell):
        name = entry_name(part)
        if name is None or not looks_like_name(name) or is_role(name):
            continue
        if " " in name and (_is_known(name) or _ONE_INITIAL.match(name)):
            names.initials.add(name) if _ONE_INITIAL.match(name) else names.person(name)
        elif name.casefold() in GIVEN_NAMES or name.casefold() in AMBIGUOUS_NAMES:
            names.singles.setdefault(normalised(name), name)


def _is_known(name: str | None) -> bool:
    """Whether a name begins with a given name that lists know, or is at least plausible."""
    return name is not None and (name.split()[0].casefold() in GIVEN_NAMES or unknown.plausible(plain_name(name)))


def _entries(text: str) -> list[str]:
    return [part for match in _ENTRY.finditer(text.strip("* \t")) for part in re.split(r" and | & ", match[0])]


def _roster(names: Names, text: str, kind: str) -> bool:
    """Add the people of one line below a heading such as "Attendees"; False if the line is a sentence."""
    entries = _entries(text)
    found = [part for part in (_ROLE_BEHIND.sub("", entry) for entry in entries) if _names_someone(part)]
    if kind == "prose" and len(found) < len(entries):
        return False
    for at, part in enumerate(found):
        name = entry_name(part) or ""
        if at == 0 or unknown.plausible(name) or name.split()[0].casefold() in GIVEN_NAMES or "@" in part:
            add_entry(names, part)
    return bool(found)


def _names_someone(part: str) -> bool:
    name = entry_name(part)
    return name is not None and (looks_like_name(name) or "@" in part)


def _assignee(names: Names, content: str, passage: Passage) -> None:
    match = ASSIGNEE.match(content, passage.start, passage.end)
    if match is None or not looks_like_name(match[1]):
        return
    by_form = passage.kind in ("task", "done") or (passage.kind == "bullet" and passage.section == "actions")
    known = match[1].split()[0].casefold() in GIVEN_NAMES
    if by_form or (passage.kind == "bullet" and known and match[0].endswith((" to", " will"))):
        if " " in match[1]:
            names.person(match[1])
        else:
            names.singles[normalised(match[1])] = match[1]
    elif unknown.plausible(match[1]) and _ASSIGNED.match(content, match.end(), passage.end):
        names.guesses.setdefault(normalised(match[1]), match[1])


def _sentence(names: Names, content: str, passage: Passage) -> None:
    for start, words in sequences(content, passage):
        text = " ".join(words)
        end = start + len(text)
        first = words[0].casefold()
        if _INITIAL_BEFORE.search(content, max(passage.start, start - 3), start):
            continue
        if len(words) > 1:
            if _is_full_name(content, start, end, words):
                names.person(text)
            elif unknown.plausible(text) and unknown.acts(content, start, end):
                names.guesses.setdefault(normalised(text), text)
        elif (
            passage.kind == "prose"
            and _may_be_family(text, begins=start == passage.start)
            and unknown.acts(content, start, end)
        ):
            names.acting.setdefault(normalised(text), text)
        elif (
            passage.kind != "heading" and _is_given_name(content, start, end, first) and not _heads(names, content, end)
        ):
            names.singles.setdefault(normalised(text), text)


def _small(names: Names, content: str, start: int, end: int) -> None:
    """Add those whom a line without a capital names: "thanks marius", "tom b says"."""
    for match in _SMALL.finditer(content, start, end):
        before = max(start, match.start() - _SMALL_REACH)
        if match["given"] in _SMALL_NAMES and (
            _SMALL_BEFORE.search(content, before, match.start()) or _SMALL_BEHIND.match(content, match.end())
        ):
            names.singles.setdefault(match[0], match[0])


def _heads(names: Names, content: str, end: int) -> bool:
    """Add the company that a given name begins: "Astrid & Sons", "Martin's Bakery"; False if it begins none."""
    match = _NAMED_AFTER.match(content, end)
    if match is not None:
        start = content.rfind(" ", 0, end) + 1
        names.thing(content[start : match.end()].lstrip("(\"“‘'*_["), "org")
    return match is not None


def _is_given_name(content: str, start: int, end: int, word: str) -> bool:
    if _OF_PLACE.search(content, max(0, start - 8), start) or _ARTICLE.search(content, max(0, start - 5), start):
        return False
    if word in AMBIGUOUS_NAMES:
        return word not in STARTERS | PLACES and acts_like_person(content, start, end)
    return word in GIVEN_NAMES


def _may_be_family(word: str, *, begins: bool) -> bool:
    """Whether a word is in no list, so that it may be a family name as well as an organisation's.

    At the beginning of a sentence every word has a capital, and without an article only many things or a mass.
    """
    if begins and _MANY_THINGS.search(word):
        return False
    return len(word) > 3 and word.isalpha() and word[1:].islower() and word.casefold() not in _LISTED


def _is_full_name(content: str, start: int, end: int, words: list[str]) -> bool:
    """Whether a run of capitalised words begins with a given name that lists know, and is nothing else."""
    words = [word for word in words if word not in PARTICLES]
    folded = [word.casefold() for word in words]
    if (
        not 1 < len(words) < 5
        or folded[-1] in NOT_NAMES
        or folded[-1] in PLACES
        or any(w.isupper() and len(w) > 1 for w in words)
    ):
        return False
    given = folded[0].split("-")[0]
    if given in GIVEN_NAMES and given not in AMBIGUOUS_NAMES:
        things = any(word in COMMON_WORDS or word in COMPANY_WORDS for word in folded[1:])
        return not things and not any(word in CALENDAR for word in folded)
    if len(words) > 3 or any(word in NOT_NAMES for word in folded):
        return False
    things = any(word in COMMON_WORDS or word in COMPANY_WORDS for word in folded[1:])
    acting = acts_like_person(content, start, end) or (not things and _PREDICATE.match(content, end) is not None)
    alone = (
        len(words) == 2
        and unknown.plausible(" ".join(words))
        and not _NO_PERSON.search(content, max(0, start - 8), start)
    )
    return given in AMBIGUOUS_NAMES and (acting or alone)


def _is_common(word: str) -> bool:
    """Whether a capitalised word is a sentence starter or a date, alone or contracted ("I'll", "We've")."""
    return _CONTRACTION.sub("", word.casefold()) in _COMMON


def _is_office(words: list[str]) -> bool:
    """Whether a run of words begins with a title, or with an office in front of a first name and another one."""
    first = words[0].casefold()
    titled = len(words) > 1 and first in TITLES
    return titled or (len(words) > 2 and first in _OFFICES and words[1].casefold() in GIVEN_NAMES)


def sequences(content: str, passage: Passage) -> Iterator[tuple[int, list[str]]]:
    """Yield runs of capitalised words without sentence starters, titles and dates around them, as (offset, words)."""
    for match in SEQUENCE.finditer(content, passage.start, passage.end):
        words = match[0].split(" ")
        start = match.start()
        if (
            len(words) > 1
            and content[start - 1 : start] in _QUOTES
            and content[match.end() : match.end() + 1] in _QUOTES
        ):
            yield start, words  # a title: all of it is the name
            continue
        while words and (_is_common(words[0]) or _is_office(words)):
            start += len(words[0]) + 1
            words.pop(0)
        while words and _is_common(words[-1]):
            words.pop()
        if words and words[-1].endswith(("'s", "’s")):
            words[-1] = words[-1][:-2]
        cut = next((i for i, word in enumerate(words) if word.endswith(("'s", "’s"))), None)
        if cut is not None:
            words = [*words[:cut], words[cut][:-2]]
        if words and words[0]:
            yield start, words
