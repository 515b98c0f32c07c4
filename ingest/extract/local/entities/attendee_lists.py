"""Finding people in an artifact's fields, and in the headers, lists and addresses of its text."""

import re
from collections.abc import Iterator
from typing import Final

from core.interface.memory import Memory
from core.knowledge.findings import normalised
from ingest.document.condensed import one_line
from ingest.english.entries import SYLLABLES, entries, list_behind, unturned
from ingest.english.lexicon import (
    AMBIGUOUS_NAMES,
    BRANDS,
    COMMON_WORDS,
    COMPANY_WORDS,
    DEPARTMENTS,
    EASTERN_FAMILIES,
    FIRST_NAMES,
    FREE_MAIL,
    GIVEN_NAMES,
    NOT_NAMES,
    OFFICES,
    PLACES,
    ROLE_WORDS,
    SHARED_BOXES,
    STARTERS,
    THING_WORDS,
)
from ingest.english.name_patterns import (
    CAPITALISED,
    TITLED,
    capitals,
    given_and_letter,
    is_role,
    is_title,
    looks_like_name,
)
from ingest.extract.local.entities import unknown_names
from ingest.extract.local.entities.names import Name, Names
from ingest.extract.local.entities.organisations import is_firm

#: Roles of a model's conversation: nobody's name.
MACHINE_ROLES: Final = frozenset({"user", "assistant", "system", "tool", "human", "ai", "bot", "model", "developer"})
#: A program that writes into a chat, or what is written below a letter.
_MACHINE: Final = re.compile(
    r"(?:p\.){1,2}s\.?|n\.b\.?|[\w.-]*[-_.]bot|(?:slack|dependa|github|gitlab|jira|build|deploy|ci|stand|geek)-?bot",
    re.I,
)
MAIL: Final = re.compile(r"(?<![\w.+-])([A-Za-z0-9][\w.+-]{0,63})@((?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24})\b")
ONE_INITIAL: Final = re.compile(r"[^\W\d_]\. ?[^\W\d_]+\Z")
#: The handle at the end of "Tomasz Wieczorek (@tomek)".
_OWN_HANDLE: Final = re.compile(r"(?<=\S)\s+[(<\[]?@([A-Za-z][\w.-]{0,38})[)>\]]?(?=\s*(?:\(|$))")
_ONLY_HANDLE: Final = re.compile(r"@([A-Za-z][\w.-]{0,38})")
_ENTRY_PARTS: Final = re.compile(
    r" ?(?:and |& )?[\"'*_]*+(?P<name>[^<(\[\n\"*]+?)[\"'*_]* ?(?:[<\[](?:mailto:)?(?P<mail>[^>\]]+)[>\]])? ?"
    r"(?:\((?P<note>[^)]*)\))? ?$"
)
_LETTERS: Final = frozenset("AM MP MS MSP MEP QC PhD MD MBA CPA PMP CFA Esq".split())
#: What of an entry is read, in characters.
_LONGEST_ENTRY: Final = 300
#: Letters of a degree or a profession behind a name: "MSc", "BVSc", "MRCVS".
_DEGREE: Final = re.compile(r"[A-Z]{1,3}[a-z]{0,2}[A-Z]{1,3}[a-z]?|[A-Z]{3,6}")
#: What in brackets behind a name is no employer, and what the names of departments and offices are made of.
_NO_FIRM: Final = PLACES | NOT_NAMES | COMMON_WORDS - BRANDS
_OF_DEPARTMENTS: Final = DEPARTMENTS | ROLE_WORDS | {"and", "of", "the"}
#: Between the people of one cell.
_OWNERS_APART: Final = re.compile(r"[,;/+&]| and ")
#: What may follow a name in a list: " – product lead", ": design".
_ROLE_BEHIND: Final = re.compile(r"(?: [–—-] |: ).*")
_JOB_WORDS: Final = re.compile(
    r"\b(?:c[deimopt]o|cfo|vp|head|lead|manager|director|engineer\w*|design\w*|product|sales|marketing|legal|finance|ops|pm|qa|"
    r"chair|host|notes?|scribe|facilitator|owner|developer|analyst|intern|remote|support|security|hr|founder|"
    r"president)\b",
    re.I,
)
#: How somebody takes part, behind a name: "Dmitri on video".
_PRESENT: Final = re.compile(
    r"(?<=\w) (?:(?:on|by|via) (?:the )?(?:video|phone|zoom|teams|skype|call|line)|online|remote(?:ly)?|"
    r"(?:until|till|from|as of) \d[\d:. apm]*|(?:joined|left|arrived)(?: late| early)?(?: (?:at|until) [\d:. apm]+)?)"
    r"\s*\Z",
    re.I,
)
#: Where somebody is from, behind the name: "Daniel Cho from Kestrel", "Mara Lind of the Tidewell Trust (by phone)".
_OF_FIRM: Final = re.compile(
    r"(?<=\w),? (?P<by>from|of|at|for|on behalf of|representing) (?:the )?"
    rf"(?P<firm>{CAPITALISED}(?: (?:& )?{CAPITALISED}){{0,3}})(?=[ \t]*(?:\(|<|$))"
)
#: For whom somebody is there, without a name: "Joaquim Bezerra for the contractor".
_FOR_OTHERS: Final = re.compile(
    r"(?<=\w),? (?:(?:for|on behalf of|representing|standing in for) |(?:from|of|in|at) (?:our|the|my|his|her|their) )"
    r"[a-z][^(<]*(?=[ \t]*(?:\(|<|$))"
)
#: The same in brackets, of a body: "treasurer, for the residents' association".
_FOR: Final = re.compile(
    r"\b(?:for|representing|on behalf of) the ((?:[a-z][\w'’-]+ ){0,3}(?:association|society|club|union|charity|trust|"
    r"council|parish|contractors?|landlords?|suppliers?|residents|tenants|neighbours|bank|city|town|county|school|"
    r"university|agency|insurers?|church|friends))\b"
)
_OF: Final = re.compile(r"\A(?:of|from|at|for|with) (?:the )?(?=[A-Z])")
#: What begins with where somebody works and goes on with what one does there: "BRC grants office".
_FIRM_BEGUN: Final = re.compile(rf"({CAPITALISED}(?: {CAPITALISED}){{0,2}}) [a-z][a-z ]+\Z")
#: "Mara Lind, Tidewell <m.lind@tidewell.example>".
_BOXED: Final = re.compile(
    rf"[\"*_ ]*(?P<name>{CAPITALISED}(?: {CAPITALISED}){{1,3}}), (?P<firm>[^,<>\"]{{3,60}}?)[\"*_]* "
    r"<(?P<mail>[^<>\s]+)>"
)
#: A date behind a name, in a line such as "Decided by: Monique Lefevre, 24 February 2026".
_SINCE: Final = re.compile(r"(?:,| on|:)? \(?(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b).*", re.I)
#: What somebody does in one meeting is no role of theirs.
_TITLED_NAME: Final = rf"(?:{TITLED} )?{CAPITALISED}(?: {CAPITALISED})*"
#: An organisation with its people in brackets: "Kestrel (Mr Holm, Ms Berg)".
_FIRM_WITH: Final = re.compile(
    rf"(?<![\w@.])(?P<firm>{CAPITALISED}(?: (?:& )?{CAPITALISED}){{0,3}}) "
    rf"\((?P<people>{_TITLED_NAME}(?:(?:, | and |; ){_TITLED_NAME})*)\)"
)
_DUTY: Final = re.compile(r"(?:takes |taking )?(?:notes?|minutes|scribe|remote|online|late|by phone|by video)", re.I)
_PERSON_HEADERS: Final = frozenset(
    "from to cc bcc attendees participants speakers present invitees invited attending author authors decider deciders "
    "reviewer sponsor sponsors approver approvers interviewee "
    "reviewers owner reply-to absent apologies regrets chair chairperson scribe facilitator interviewer interviewers "
    "members who minutes".split()
) | {
    "reported by", "in attendance", "chaired by", "minutes by", "minutes taken by", "note-taker", "notetaker",
    "note taker", "prepared by", "on the line", "on the call", "written by", "reviewed by", "decided by", "approved by",
    "attendance", "minute taker",
    "interviewed", "consulted", "informed", "decision makers", "decision-makers", "taking notes", "in the room",
    "excused", "drafted by", "absent with apologies", "apologies for absence", "not present", "distribution", "copy",
    "copy to", "witnesses", "driver", "signed", "secretary", "host",
    "here", "there", "also here", "also there", "pres", "abs",
    "recorded by", "signed by", "proposed by", "seconded by", "contributors", "moderator",
}  # fmt: skip
#: Header lines whose entries are only people if they look like it: a role, a team or a text may stand there too.
_LOOSE_HEADERS: Final = frozenset({"members", "who", "minutes", "chair", "owner", "here", "there"})
#: Those that name one person.
_OF_ONE: Final = frozenset(
    {"from", "author", "reported by", "prepared by", "written by", "drafted by", "recorded by", "minutes by"}
)
#: Behind a list of people in a line: "Ann Lee, Bo Li. Later Mara Lind". No initial and no title ends it.
_SENTENCE_END: Final = re.compile(r"(?:(?<=[a-z]{3})(?<!\bMrs)(?<!\bProf)|(?<=\)))\. +(?=\w)")
#: Between the fields of one line: "Owner: Mara Lind · Reviewers: Jo Park".
_FIELDS_APART: Final = re.compile(r" [·•|] ")
_HEADER_LINE: Final = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?[*_]{0,2}(?P<head>[A-Za-z][A-Za-z -]{1,18})\.?[*_]{0,2}[ \t]*:[*_]{0,2}[ "
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
            for part in entries(line["said"]):
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
    entry = one_line(entry, _LONGEST_ENTRY)
    if mail := MAIL.fullmatch(entry.strip()):
        return _box_name(mail[1]) if mail[1].casefold() not in SHARED_BOXES else None
    found = _ENTRY_PARTS.match(_OWN_HANDLE.sub("", _without_firm(entry)[0]))
    name = (found["name"] if found else entry.partition(" (")[0]).strip(" \t@*_\"'")
    words = (unturned(f'"{name}"' if entry.lstrip()[:1] == '"' else name) or _PRESENT.sub("", name)).split()
    name = " ".join(words)
    letters = all(re.fullmatch(r"[^\W\d_][\w.'’&-]*|\d", word) for word in words)
    name = plain_name(name)
    return name if 0 < len(words) <= 5 and letters and normalised(name) not in STARTERS | SHARED_BOXES else None


def _without_firm(entry: str) -> tuple[str, str | None]:
    """Return an entry without where somebody is from, and that; None if it does not say so."""
    end = entry.find("(") if "(" in entry else len(entry)
    match = _OF_FIRM.search(entry, 0, end) or _FOR_OTHERS.search(entry, 0, end)
    if match is None or not _is_known(entry[: match.start()].strip(" \t*_@")):
        return entry, None
    firm = match["firm"] if match.re is _OF_FIRM else None
    if firm and match["by"] in ("for", "on behalf of") and firm.split()[0].casefold() in GIVEN_NAMES:
        firm = firm if is_firm(firm) else None  # whom somebody stands in for
    return entry[: match.start()] + entry[match.end() :], firm


def _box_name(box: str) -> str | None:
    """Return the name that a mail box spells: "Alice Chen", "A. Chen"; the box itself if it is one unknown word."""
    parts = [part for part in re.split(r"[._-]", box.casefold()) if part.isalpha()]
    if len(parts) > 1 and any(part in THING_WORDS or part in DEPARTMENTS or part == "all" for part in parts):
        return None
    if len(parts) < 2:
        return parts[0].capitalize() if parts and parts[0] in GIVEN_NAMES else box.casefold() if parts else None
    return " ".join(part.capitalize() + "." * (len(part) == 1 and at == 0) for at, part in enumerate(parts))


def plain_name(name: str) -> str:
    """Return a name without the titles around it: "Hon. Mary Ng" and "Mary Ng MP" are Mary Ng."""
    words = name.split()
    while len(words) > 2 and is_title(words[0]):
        words.pop(0)
    while len(words) > 2 and (words[-1].strip(".") in _LETTERS or _DEGREE.fullmatch(words[-1])):
        words.pop()
    return " ".join(words)


def add_entry(names: Names, entry: str, *, role: str | None = None) -> Name | None:
    """Add one entry of a list of people, with its address, role or organisation; None if it names nobody."""
    entry = one_line(entry, _LONGEST_ENTRY)
    if (name := entry_name(entry)) is None or _MACHINE.fullmatch(name):
        return None
    if is_firm(name):
        names.thing(name, "org")
        return None
    entry, firm = _without_firm(_PRESENT.sub("", entry))
    parts = _ENTRY_PARTS.match(_OWN_HANDLE.sub("", entry))
    note = (parts["note"] or "").strip() if parts else ""
    if note and is_role(name) and not is_title(name.split()[0]) and _names_whom(note):
        return add_entry(names, note, role=name)
    employer, own = None, set[str]()
    if (others := _FOR.search(note)) and not _is_department(others[1]):
        employer = others[1]
    note = _OF.sub("", _FOR.sub("", note)).strip(" ,;")
    if _DUTY.fullmatch(note):
        note = ""
    shortened = [part for part in re.split(r"[,;/] ?", note) if part == capitals(name)]
    if shortened and note not in shortened:
        own = set(shortened)
        note = re.sub(rf"[,;/]? ?\b{re.escape(shortened[0])}\b[,;/]? ?", "", note)
    if begun := _FIRM_BEGUN.match(note):
        note = begun[1]
    if "," in note:
        note, role = _firm_and_job(note, role)
    is_initials = len(note) < 4 and note.isupper() and note.casefold() not in BRANDS and begun is None
    if note and (_JOB_WORDS.search(note) or _is_office(note)) and not is_firm(note):
        role = role or note
    elif note and capitals(name) == note:
        own = {note}
    elif (
        re.fullmatch(rf"{CAPITALISED}(?:(?: (?:of|for|the|and|&)){{0,2}} {CAPITALISED}){{0,3}}", note)
        and note.casefold() not in _NO_FIRM
        and not _is_department(note)
        and not is_initials
    ):
        employer = names.thing(note, "org").name
    if employer is None and firm is not None and firm.casefold() not in PLACES:
        employer = names.thing(firm, "org").name
    for mail in MAIL.finditer(entry):
        add_mail(names, mail[1], mail[2], name)
    if " " not in name and (owner := names.owners.get(name.casefold())) is not None:
        return owner
    person = names.person(name, role=role, organization=employer)
    names.present.add(normalised(name))
    names.given_present.add(re.split(r"[\s._-]", normalised(name))[0])
    person.forms |= own
    if handle := _OWN_HANDLE.search(entry) or _ONLY_HANDLE.fullmatch(entry.strip()):
        names.handle(person, handle[1])
    titled = (parts["name"] if parts else entry).strip(" \t*_\"'")
    if is_title(titled.split(" ")[0]):
        names.titles.setdefault(normalised(name), set()).add(titled.split(" ")[0].strip(".").casefold())
    if (titled != name and titled.endswith(name)) or titled.startswith(name + " ") or "," in titled:
        person.forms.add(titled)
    return person


def _firm_and_job(note: str, role: str | None) -> tuple[str, str | None]:
    """Return what a note with commas says of an employer, and of a role: "Fenwire, sales"; or its first part alone."""
    parts = [part.strip() for part in note.split(",")]
    jobs = [part for part in parts if _is_job(part) and not is_firm(part)]
    firms = [part for part in parts if part not in jobs]
    return (firms or jobs)[0], role or (jobs[0] if jobs and firms else None)


def _is_job(part: str) -> bool:
    return _JOB_WORDS.search(part) is not None or _is_department(part) or _is_office(part)


def _is_office(note: str) -> bool:
    """Whether a note ends with what somebody is: "Commissioning Editor", "caretaker"."""
    return note.split()[-1].casefold() in OFFICES


def _names_whom(note: str) -> bool:
    """Whether what stands in brackets behind a role is who has it: "Architect (Mara Lind)"."""
    return is_title(note.split()[0]) or (" " in note and looks_like_name(note) and not is_firm(note))


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


def add_list(names: Names, text: str) -> bool:
    """Add the people of a header line; False if it has none to name, as "Subject: …"."""
    listed = [_field(names, field) for field in _FIELDS_APART.split(text)]
    return any(listed)


def _field(names: Names, text: str) -> bool:
    folded, text = _head(text).casefold(), text.partition(":")[2]
    if folded not in _PERSON_HEADERS:
        return False
    text = _with_firms(names, text.strip(" \t[]"))
    # A mail is from one; whoever is written so there is so elsewhere.
    turned = unturned(f'"{text}"') if len(text.split()) == 2 else None
    family, _, given = normalised(text).partition(", ")
    if folded in _OF_ONE and (boxed := _BOXED.fullmatch(text)) and _is_known(boxed["name"]):
        return _at_box(names, boxed)
    is_turned = folded == "from" or (given in FIRST_NAMES and family not in FIRST_NAMES)
    if turned and (is_turned or normalised(turned) in names.people):
        parts = [turned]
    else:
        parts = [_SINCE.sub("", part) if "(" not in part else part for part in entries(text)]
    several = sum(_is_known(entry_name(part)) for part in parts) > 1
    before: Name | None = None
    for part in parts:
        name = entry_name(part)
        if not name or not (name[0].isupper() or "@" in part) or (normalised(name) in NOT_NAMES and "(" not in part):
            continue
        is_job = _is_department(name) or (_JOB_WORDS.search(name) is not None and not is_firm(name))
        if before is not None and "@" not in part and is_job:
            before.role = before.role or name
        elif before is not None and _is_employer(name, part, of_one=folded in _OF_ONE and " " in before.name):
            before.organization = before.organization or names.thing(name, "org").name
        elif folded not in _LOOSE_HEADERS or several or _is_known(name) or "@" in part:
            before = add_entry(names, part)
    return True


def _at_box(names: Names, boxed: re.Match[str]) -> bool:
    """Add who a line names with an organisation, or a job, before the address."""
    person = add_entry(names, f"{boxed['name']} <{boxed['mail']}>")
    if person is not None and _is_job(boxed["firm"]):
        person.role = person.role or boxed["firm"]
    elif person is not None:
        person.organization = names.thing(boxed["firm"], "org").name
    return person is not None


def _with_firms(names: Names, text: str) -> str:
    """Add the organisations of a list that have their people in brackets behind, and return what is left of it."""
    left = text
    for match in _FIRM_WITH.finditer(text):
        people = re.split(r", | and |; ", match["people"])
        are_titled = all(is_title(person.split()[0]) for person in people)
        are_full = len(people) > 1 and all(" " in person and _is_known(person) for person in people)
        if not (are_titled or are_full) or match["firm"].split()[0].casefold() in FIRST_NAMES:
            continue
        firm = names.thing(match["firm"], "org").name
        for person in filter(None, [add_entry(names, person) for person in people]):
            person.organization = person.organization or firm
        left = left.replace(match[0], "")
    return left


def end_of_list(text: str) -> tuple[int, int]:
    """Return where a header line that names people stops listing them, and where a sentence goes on behind that."""
    match = _SENTENCE_END.search(text, text.find(":"))
    return (len(text), len(text)) if match is None or not lists_people(text) else match.span()


def lists_people(text: str) -> bool:
    """Whether a header line names people, whoever they are: "To: …", not "Subject: …"."""
    return any(_head(field).casefold() in _PERSON_HEADERS for field in _FIELDS_APART.split(text))


def _head(field: str) -> str:
    return field.partition(":")[0].strip(" *_\t-.")


def add_if_list(names: Names, text: str) -> bool:
    """Add the people of a line that lists nobody else, whatever it is headed by; False if it may list other things."""
    if (listed := list_behind(text)) is None:
        return False
    parts = entries(listed)
    named = [name for part in parts if (name := entry_name(part)) and " " in name and looks_like_name(name)]
    known = [name for name in named if _is_known(name) or name[1:2] == "."]
    if len(named) < len(parts) or len(known) < 2 or len(known) * 2 < len(named):
        return False
    head = _head(text)
    employer = names.thing(head, "org").name if is_firm(head) else None
    for part in parts:
        person = add_entry(names, part)
        if person is not None:
            person.organization = person.organization or employer
    return True


def _is_employer(name: str, entry: str, *, of_one: bool) -> bool:
    """Whether an entry behind a person's is where that one works: "Mara Lind, Regional Health Office".

    Of a line that names one person, whatever follows and is no given name is.
    """
    words = name.casefold().split()
    if "@" in entry or words[0] in GIVEN_NAMES or _is_department(name):
        return False
    if _JOB_WORDS.search(name) and not is_firm(name):
        return False
    if words[0].endswith("."):
        return False
    told = any(word in THING_WORDS for word in words) or words[-1].strip(".") in COMPANY_WORDS or is_firm(name)
    return told or (of_one and (len(words) > 1 or words[0] not in FIRST_NAMES))


def _is_department(name: str) -> bool:
    """Whether a name is that of a part of an organisation, or of an office: "Estates", "Clinical Lead"."""
    words = {word.strip(".,") for word in name.casefold().replace("&", " ").split()}
    return words <= _OF_DEPARTMENTS


def add_owners(names: Names, cell: str) -> None:
    """Add the people of a cell that says whose a row is: full names, and words that may be given ones."""
    for part in _OWNERS_APART.split(cell):
        name = entry_name(part)
        if name is None or is_role(name):
            continue
        if given_and_letter(name) or is_eastern_turned(name.split()):
            names.person(name)
        if not looks_like_name(name):
            continue
        if " " in name and (_is_known(name) or ONE_INITIAL.match(name)):
            names.initials.add(name) if ONE_INITIAL.match(name) else names.person(name)
        elif name.casefold() in GIVEN_NAMES or name.casefold() in AMBIGUOUS_NAMES:
            names.singles.setdefault(normalised(name), name)


def _is_known(name: str | None) -> bool:
    """Whether a name begins with a given name that lists know, or is at least plausible."""
    return name is not None and (name.split()[0].casefold() in GIVEN_NAMES or unknown_names.plausible(plain_name(name)))


def add_roster(names: Names, text: str, kind: str) -> bool:
    """Add the people of one line below a heading such as "Attendees"; False if the line is a sentence."""
    parts = entries(text)
    found = [part for part in (_ROLE_BEHIND.sub("", part) for part in parts) if _names_someone(part)]
    if kind == "prose" and len(found) < len(parts):
        return False
    for at, part in enumerate(found):
        name = entry_name(part) or ""
        if at == 0 or unknown_names.plausible(name) or name.split()[0].casefold() in GIVEN_NAMES or "@" in part:
            add_entry(names, part)
    return bool(found)


def _names_someone(part: str) -> bool:
    name = entry_name(part)
    return name is not None and (looks_like_name(name) or "@" in part)


def is_eastern_turned(words: list[str]) -> bool:
    """Whether a name is of two syllables with a hyphen before an Eastern family name: "Ji-woo Park"."""
    return len(words) == 2 and words[1].casefold() in EASTERN_FAMILIES and SYLLABLES.fullmatch(words[0]) is not None
