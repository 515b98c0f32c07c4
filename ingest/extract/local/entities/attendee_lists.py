"""Finding people in an artifact's fields, and in the headers, lists and addresses of its text."""

import re
from collections.abc import Iterator
from typing import Final

from core.interface.memory import Memory
from core.knowledge.findings import normalise_name
from core.regex import regex
from ingest.document.condensed import one_line
from ingest.document.terms import header_in
from ingest.english.lexicon import (
    BRANDS,
    COMPANY_WORDS,
    DEPARTMENTS,
    FIRST_NAMES,
    FREE_MAIL,
    GIVEN_NAMES,
    NOT_NAMES,
    OFFICES,
    ORGANISATION_KINDS,
    OTHER_WORDS,
    PERSON_HEADERS,
    PLACES,
    SHARED_BOXES,
    STARTERS,
    THING_WORDS,
)
from ingest.english.name_patterns import (
    CAPITALISED,
    capitals,
    entries,
    given_and_letter,
    is_group,
    is_list_domain,
    is_role,
    is_shared_address,
    is_title,
    list_behind,
    looks_like_name,
    names_shared_address,
    unturned,
)
from ingest.extract.local.entities.names import Name, Names, may_be_person_name
from ingest.extract.local.entities.organisations import is_firm

#: Roles of a model's conversation: nobody's name.
MACHINE_ROLES: Final = frozenset({"user", "assistant", "system", "tool", "human", "ai", "bot", "model", "developer"})
#: A program that writes into a chat.
_MACHINE: Final = regex(r"[\w.-]*[-_.]bot", re.I)
MAIL: Final = regex(r"(?<![\w.+-])([A-Za-z0-9][\w.+-]{0,63})@((?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24})\b")
#: The handle at the end of "Tomasz Wieczorek (@tomek)".
_OWN_HANDLE: Final = regex(r"(?<=\S)\s+[(<\[]?@([A-Za-z][\w.-]{0,38})[)>\]]?(?=\s*(?:\(|$))")
#: What mailing lists add to the name of who writes, and how programs that write are marked.
_VIA_LIST: Final = regex(r" via [\w. -]{1,60}$")
_ROBOT: Final = "[bot]"
#: What programs of meetings show behind a name: "Ana Li | Mill", "Ana Li - Mill".
_AFFILIATION: Final = regex(r"(?<=[\w)\]])\s+(?:[|•·/–—-]|@(?=\s))\s+\S.*", re.DOTALL)
_ENTRY_PARTS: Final = regex(
    r" ?(?:and |& )?[\"'*_]*+(?P<name>[^<(\[\n\"*]+?)[\"'*_]* ?(?:[<\[](?:mailto:)?(?P<mail>[^>\]]+)[>\]])? ?"
    r"(?:\((?P<note>[^)]*)\))? ?$"
)
_NOBODY: Final = (
    STARTERS
    | SHARED_BOXES
    | frozenset("name handle username nickname somebody someone tbd tba none nobody various".split())
    | {"john doe", "jane doe", "joe bloggs", "max mustermann", "erika mustermann"}
)
#: What of an entry is read, in characters.
_LONGEST_ENTRY: Final = 300
#: Most words of a name that a language which is not read gives an owner.
_MOST_WORDS: Final = 3
#: Words in small letters that a name may have: "van der".
_MOST_PARTICLES: Final = 2
#: Words of the shortest full name.
_WORDS_OF_NAME: Final = 2
#: Between the people of one cell.
_OWNERS_APART: Final = regex(r"[,;/+&、，；]| (?:and|und|et|y|e|en) ")
#: Whose a task is, before a colon: "Ines Falk: order the pump".
LABELLED: Final = regex(r"\W*([^\W\d_][^:：\n.]{0,40}?)[ ]?[:：]")
_PEOPLE_APART: Final = regex(
    r"\s*[,;、，；]\s*| (?:und|sowie|et|y|e|en|i|oraz|и) |(?<=[^\W\d_])[和及と](?=[^\W\d_]{2})"
)
_NARROW: Final = str.maketrans({"（": " (", "）": ")", "［": "[", "］": "]", "＜": "<", "＞": ">"})
_UNSPACED: Final = regex(r"[\u3041-\u30ff\u3400-\u9fff]")
#: Particles between two words, which no name has.
_PHRASE: Final = regex(r"[\u3400-\u9fff](?:の|を|に|で|的|了)[^\s]|(?:す|した|ます|する)\Z")
#: Most signs of a name in a script without blanks.
_MOST_SIGNS: Final = 8
#: What may follow a name in a list: " – product lead", ": design", " R&D".
_ROLE_BEHIND: Final = regex(r"(?: [–—-] ?|: | (?=[A-Z]&[A-Z]\b))(?P<said>.*)")
#: Between several organisations that somebody is from.
_FIRMS_APART: Final = regex(r" ?/ ?| (?:and|&) ")
#: Where somebody is from, in brackets behind the name.
_EMPLOYER: Final = regex(
    rf"{CAPITALISED}(?:(?: (?:of|for|the|and|&)){{0,2}} {CAPITALISED}){{0,3}}|[A-Z]{{1,3}}&[A-Z]{{1,3}}"
)
_FIRM_WORDS: Final = COMPANY_WORDS | ORGANISATION_KINDS | THING_WORDS
_NO_EMPLOYER: Final = OTHER_WORDS - BRANDS
#: Header lines whose entries are only people if they look like it: a role, a team or a text may stand there too.
_LOOSE_HEADERS: Final = frozenset({"members", "who", "minutes", "chair", "owner", "here", "there"})
#: Those that name one person.
_OF_ONE: Final = frozenset(
    {"from", "author", "reported by", "prepared by", "written by", "drafted by", "recorded by", "minutes by"}
)
#: Behind a list of people in a line: "Ann Lee, Bo Li. Later Mara Lind". No initial and no title ends it.
_SENTENCE_END: Final = regex(r"(?:(?<=[a-z]{3})(?<!\bMrs)(?<!\bProf)|(?<=\)))\. +(?=\w)")
#: Between the fields of one line: "Owner: Mara Lind · Reviewers: Jo Park".
_FIELDS_APART: Final = regex(r" [·•|] ")
_HEADER_LINE: Final = regex(
    r"^[ \t]*(?:[-*][ \t]+)?[*_]{0,2}(?P<head>[A-Za-z][A-Za-z -]{1,18})\.?[*_]{0,2}[ \t]*:[*_]{0,2}[ "
    r"\t]*(?P<said>\S[^\n]{0,600})",
    re.M,
)


#: A list of people below its heading, and an entry of one that is a handle: "- kfrm", "@zol_t (chair)".
_LIST_OF_PEOPLE: Final = regex(
    r"^[ \t]*(?:[-*+][ \t]+)?(?:#{1,6}[ \t]+|\*\*)?"
    r"(?:attendees|participants|present|in attendance|who was there|attending)\W{0,4}?[ \t]*\n"
    r"(?P<entries>(?:[ \t]*\n)?(?:[ \t]*[-*+][ \t]+[^\n]{1,100}(?:\n|\Z)){1,100})",
    re.I | re.M,
)
_LISTED_HANDLE: Final = regex(
    r"[ \t]*[*_]*(?:@(?P<marked>[A-Za-z][\w.-]{0,38}[^\W_])|(?P<plain>[a-z][a-z0-9_.-]{1,24}))[*_]*"
    rf"(?:[ \t]*\((?P<name>{CAPITALISED}(?: {CAPITALISED})?)\)|[ \t]*[(\[](?!bot\]).*)?[ \t]*$"
)
#: A handle that is a heading, or a line of its own above a list of what its owner did.
_HEADING_HANDLE: Final = regex(
    r"^[ \t]*(?:#{1,6}[ \t]+|(?=\S+[ \t]*\n(?:[ \t]*\n)?[ \t]*[-*+] ))"
    r"[*_]*@(?P<handle>[A-Za-z][\w-]{1,38})[*_]*:?[ \t]*$",
    re.M,
)


def declare_people(names: Names, memory: Memory) -> None:
    """Add the author, the participants and a turn's speaker: people by the caller's word."""
    if memory.author:
        add_entry(names, memory.author, role=memory.author_title)
    for participant in memory.participants:
        add_entry(names, participant)
    for handle, name in listed_handles(memory.content).items():
        person = names.person(name if name is not None and " " in name else handle)
        person.forms |= {name, handle} if name is not None and looks_like_name(name) else {handle}
        names.handle(person, handle)
        names.present.add(normalise_name(person.name))
    if memory.role and memory.role.casefold() not in MACHINE_ROLES:
        add_entry(names, memory.role)


def listed_people(content: str) -> Iterator[str]:
    """Yield the full and the first name of everyone in a header line such as "Attendees: …"."""
    for line in _HEADER_LINE.finditer(content):
        if line["head"].casefold().strip() in PERSON_HEADERS:
            for part in entries(line["said"]):
                name = entry_name(part)
                if name is not None and looks_like_name(name):
                    yield name
                    yield name.split()[0]
    for text in content.split("\n"):
        if (header := header_in(text, is_mail=False)) is not None and header[0] in PERSON_HEADERS:
            yield from filter(None, map(entry_name, people_apart(text[header[1] :])))


def people_apart(text: str) -> list[str]:
    """Return the entries of a list of people in a language other than English."""
    plain = text.translate(_NARROW).strip(" \t[].。")
    return [part for part in _PEOPLE_APART.split(plain) if part]


def listed_handles(content: str) -> dict[str, str | None]:
    """Return the handles that lists of people have, "kfrm, @zol_t (Zoe)", and headings, each with its name."""
    said = [
        part
        for line in _HEADER_LINE.finditer(content)
        if line["head"].casefold().strip() in PERSON_HEADERS
        for part in entries(line["said"])
    ]
    for listed in _LIST_OF_PEOPLE.finditer(content):
        said += (line.lstrip(" \t-*+") for line in listed["entries"].splitlines())
    found: dict[str, str | None] = {match["handle"]: None for match in _HEADING_HANDLE.finditer(content)}
    for match in filter(None, map(_LISTED_HANDLE.match, said)):
        if match["marked"] or match["plain"] not in OTHER_WORDS:
            found[match["marked"] or match["plain"]] = match["name"]
    return {handle: name for handle, name in found.items() if handle.casefold() not in _NOBODY}


def speaker_of(memory: Memory) -> str | None:
    """Return who says "I" in this artifact as its fields have it; None if they name nobody."""
    if memory.author:
        return entry_name(memory.author)
    return entry_name(memory.role) if memory.role and memory.role.casefold() not in MACHINE_ROLES else None


#: What somebody is called, inside the full name: 'Robert "Bob" Kline'.
_CALLED: Final = regex(
    rf"[\s*_]*(?P<given>{CAPITALISED}) [\"“'‘(](?P<nickname>{CAPITALISED})[\"”'’)] "
    rf"(?P<family>{CAPITALISED}(?: {CAPITALISED})?)"
)


#: Before another name in brackets: "Elizabeth Grey (aka Liz)".
_ALSO_CALLED: Final = regex(r"(?:aka|a\.k\.a\.|alias|called|known as|goes by) ", re.I)
#: A nickname before the full name: "Liz (Elizabeth Grey)".
_FULL_BEHIND: Final = regex(rf"\A\W*(?P<nickname>{CAPITALISED}) \((?P<full>{CAPITALISED} {CAPITALISED})\)\s*\Z")


def _full_first(entry: re.Match[str]) -> str:
    """Return the entry with the full name first, if it is one: "Elizabeth Grey (Liz)"."""
    nickname, given = entry["nickname"].casefold(), entry["full"].split()[0].casefold()
    is_name = {nickname, given} <= FIRST_NAMES and not is_firm(entry["full"])
    return f"{entry['full']} ({entry['nickname']})" if is_name else entry[0]


def _without_nickname(entry: str) -> str:
    called = _CALLED.match(entry)
    return entry if called is None else f"{called['given']} {called['family']}{entry[called.end() :]}"


def entry_name(entry: str) -> str | None:
    """Return the name in `Alice Chen <alice@acme.com>`, `alice.chen@acme.com` or `Alice Chen (CTO)`."""
    entry = _without_nickname(one_line(entry, _LONGEST_ENTRY))
    if mail := MAIL.fullmatch(entry.strip()):
        return _box_name(mail[1]) if not is_shared_address(mail[1], mail[2]) else None
    entry = _AFFILIATION.sub("", entry)
    found = _ENTRY_PARTS.match(_OWN_HANDLE.sub("", entry))
    name = (found["name"] if found else entry.partition(" (")[0]).strip(" \t@*_\"'")
    name = _VIA_LIST.sub("", name)
    if is_group(name) or _ROBOT in entry or (not is_firm(name) and _is_of_shared_address(name, entry)):
        return None
    words = (unturned(f'"{name}"' if entry.lstrip()[:1] == '"' else name) or name).split()
    name = " ".join(words)
    letters = all(re.fullmatch(r"[^\W\d_][\w.'’&-]*|\d", word) for word in words)
    if name[:1].isupper() and sum(map(str.islower, words)) > _MOST_PARTICLES:
        return None  # a sentence
    name = plain_name(name)
    return name if 0 < len(words) <= 5 and letters and normalise_name(name) not in _NOBODY else None


def _is_of_shared_address(name: str, entry: str) -> bool:
    address = MAIL.search(entry)
    return address is not None and names_shared_address(name, address[1], address[2])


def _box_name(box: str) -> str | None:
    """Return the name that a mail box spells: "Alice Chen", "A. Chen"; the box itself if it is one unknown word."""
    parts = [part for part in re.split(r"[._-]", box.casefold()) if part.isalpha()]
    if len(parts) < 2:
        return parts[0].capitalize() if parts and parts[0] in GIVEN_NAMES else box.casefold() if parts else None
    return " ".join(part.capitalize() + "." * (len(part) == 1 and at == 0) for at, part in enumerate(parts))


def plain_name(name: str) -> str:
    """Return a name without the titles before it: "Hon. Mary Ng" is Mary Ng."""
    words = name.split()
    while len(words) > 2 and is_title(words[0]):
        words.pop(0)
    return " ".join(words)


def add_entry(names: Names, entry: str, *, role: str | None = None) -> Name | None:
    """Add one entry of a list of people, with its address, role or organisation; None if it names nobody."""
    entry = _FULL_BEHIND.sub(_full_first, one_line(entry, _LONGEST_ENTRY))
    called = _CALLED.match(entry)
    entry = _without_nickname(entry)
    if (name := entry_name(entry)) is None or _MACHINE.fullmatch(name):
        return None
    if is_firm(name):
        names.thing(name, "org")
        return None
    parts = _ENTRY_PARTS.match(_OWN_HANDLE.sub("", entry))
    note = (parts["note"] or "").strip() if parts else ""
    employer, initials = None, set[str]()
    for part in filter(None, map(str.strip, note.split(","))):
        plain = _ALSO_CALLED.sub("", part).strip("\"'“”‘’")
        if part == capitals(name) or has_initials(name, part) or _is_nickname(plain, name):
            initials.add(plain)
        elif _is_job(part):
            role = role or part
        elif _may_employ(part) and part.casefold() not in _NO_EMPLOYER:
            employer = employer or names.thing(part, "org").name
    for mail in MAIL.finditer(entry):
        add_mail(names, mail[1], mail[2], name)
    if " " not in name and (owner := names.owners.get(name.casefold())) is not None:
        return owner
    person = names.person(name, role=role, organization=employer)
    person.forms |= initials
    if called is not None:
        person.forms |= {called["nickname"], called[0].strip(" *_")}
    names.present.add(normalise_name(name))
    names.given_present.add(re.split(r"[\s._-]", normalise_name(name))[0])
    if handle := _OWN_HANDLE.search(entry):
        names.handle(person, handle[1])
    titled = (parts["name"] if parts else entry).strip(" \t*_\"'")
    if is_title(titled.split(" ")[0]):
        names.titles.setdefault(normalise_name(name), set()).add(titled.split(" ")[0].strip(".").casefold())
    if (titled != name and titled.endswith(name)) or titled.startswith(name + " ") or "," in titled:
        person.forms.add(titled)
    return person


def has_initials(name: str, letters: str) -> bool:
    """Whether capitals are a name's, with that of a middle name that it leaves out: "Jo Park (JAP)"."""
    ends = capitals(name)
    return len(letters) == 3 and letters.isupper() and len(ends) == 2 and (letters[0], letters[-1]) == tuple(ends)


def _is_nickname(note: str, name: str) -> bool:
    """Whether a note behind a full name is another given name: "Margaret Dorn (Peggy)"."""
    return " " in name and note[:1].isupper() and note.casefold() in FIRST_NAMES


def _is_job(note: str) -> bool:
    """Whether a note behind a name says what somebody is or does, "Commissioning Editor", "QA lead", and no firm."""
    words = note.casefold().split()
    if words[0] in FIRST_NAMES or is_firm(note):
        return False
    return words[0] in OFFICES or words[-1] in OFFICES or words[-1] in DEPARTMENTS


def add_mail(names: Names, box: str, domain: str, display: str | None = None) -> None:
    """Note an address, and its employer's domain unless it is a free mail service."""
    if not is_shared_address(box, domain):
        names.mails[f"{box}@{domain}"] = display or names.mails.get(f"{box}@{domain}")
    label = None if is_list_domain(domain) else _company(domain)
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
    if (header := header_in(text, is_mail=True)) is not None:
        found = people_apart(text[header[1] :]) if header[0] in PERSON_HEADERS else []
        for part in found:
            add_person(names, part)
        return bool(found)
    folded, text = _head(text).casefold(), text.partition(":")[2]
    if folded not in PERSON_HEADERS:
        return False
    text = text.strip(" \t[]")
    # A mail is from one.
    turned = unturned(f'"{text}"') if folded == "from" and len(text.split()) == 2 else None
    before: Name | None = None
    for part in [turned] if turned else entries(text):
        name = entry_name(part)
        if not name or not (name[0].isupper() or "@" in part) or normalise_name(name) in NOT_NAMES:
            continue
        if before is not None and "@" not in part and _is_job(name):
            before.role = before.role or name
        elif before is not None and _is_employer(name, part, of_one=folded in _OF_ONE and " " in before.name):
            before.organization = before.organization or names.thing(name, "org").name
        elif folded not in _LOOSE_HEADERS or _is_known(name) or "@" in part:
            before = add_entry(names, part)
    return True


def add_person(names: Names, entry: str) -> bool:
    """Add whom an entry of a list in any language names; False if it seems to be nobody's name."""
    name = entry_name(entry)
    if name is None or len(name.split()) > _MOST_WORDS + 1 or not ("@" in entry or may_be_name(name)):
        return False
    return add_entry(names, entry) is not None


def may_be_name(text: str) -> bool:
    """Whether words may be somebody's name in any script: capitals where the script has them, few signs where not."""
    words = text.split()
    if _UNSPACED.match(text):
        return len(text.replace(" ", "").replace("・", "")) <= _MOST_SIGNS and _PHRASE.search(text) is None
    particles = {"de", "da", "do", "dos", "van", "der", "den", "von", "di", "del", "la", "le", "y", "e"}
    return 0 < len(words) <= _MOST_WORDS + 1 and all(
        word in particles or (word[0].isupper() and not any(map(str.isdigit, word))) for word in words
    )


def end_of_list(text: str) -> tuple[int, int]:
    """Return where a header line that names people stops listing them, and where a sentence goes on behind that."""
    match = _SENTENCE_END.search(text, text.find(":"))
    return (len(text), len(text)) if match is None or not lists_people(text) else match.span()


def lists_people(text: str) -> bool:
    """Whether a header line names people, whoever they are: "To: …", not "Subject: …"."""
    return any(_is_of_people(field) for field in _FIELDS_APART.split(text))


def _is_of_people(field: str) -> bool:
    header = header_in(field, is_mail=True)
    return (_head(field).casefold() if header is None else header[0]) in PERSON_HEADERS


def _head(field: str) -> str:
    return field.partition(":")[0].strip(" *_\t-.")


def add_if_list(names: Names, text: str) -> bool:
    """Add the people of a line that lists nobody else, whatever it is headed by; False if it may list other things."""
    parts = entries(list_behind(text) or "")
    named = [name for part in parts if (name := entry_name(part)) and " " in name and looks_like_name(name)]
    known = [name for name in named if _is_known(name) or name[1:2] == "."]
    if len(named) < len(parts) or len(known) < 2 or len(known) * 2 < len(named):
        return False
    for part in parts:
        add_entry(names, part)
    return True


def _is_employer(name: str, entry: str, *, of_one: bool) -> bool:
    """Whether an entry behind a person's is where that one works: "Mara Lind, Regional Health Office".

    Of a line that names one person, whatever follows and is no given name is.
    """
    words = name.casefold().split()
    if "@" in entry or words[0] in GIVEN_NAMES or words[0].endswith("."):
        return False
    told = any(word in THING_WORDS for word in words) or words[-1].strip(".") in COMPANY_WORDS or is_firm(name)
    return told or (of_one and (len(words) > 1 or words[0] not in FIRST_NAMES))


def add_owners(names: Names, cell: str, *, is_sure: bool = False) -> None:
    """Add the people of a cell that says whose a row is: full names, and words that may be given ones.

    With `is_sure` every name of up to three words is somebody's.
    """
    for name in filter(None, map(entry_name, _OWNERS_APART.split(cell))):
        if (is_sure and len(name.split()) <= _MOST_WORDS and not name.islower()) or (
            " " in name
            and (given_and_letter(name) or (looks_like_name(name) and _is_known(name) and not is_role(name)))
        ):
            names.person(name)
        elif name.casefold() in FIRST_NAMES:
            names.single_word_names.setdefault(normalise_name(name), name)


def _is_known(name: str | None) -> bool:
    """Whether a name begins with a given name that lists know, or is at least plausible."""
    return name is not None and (name.split()[0].casefold() in GIVEN_NAMES or may_be_person_name(plain_name(name)))


def add_roster(names: Names, text: str, kind: str) -> bool:
    """Add the people of one line below a heading such as "Attendees"; False if the line is a sentence."""
    parts = entries(text)
    if kind == "bullet" and len(parts) == 2 and _names_someone(parts[0]) and _is_firm_behind(parts[1]):
        _add_employee(names, parts[0], parts[1])
        return True
    found = [
        part
        for part in (_ROLE_BEHIND.sub("", part) for part in parts)
        if _names_someone(part) or (len(parts) == 1 and _may_be_listed(part))
    ]
    if kind == "prose" and len(found) < len(parts):
        return False
    if kind == "bullet" and len(parts) == len(found) == 1 and (behind := _ROLE_BEHIND.search(parts[0])):
        _add_employee(names, found[0], behind["said"])
        return True
    for at, part in enumerate(found):
        name = entry_name(part) or ""
        if at == 0 or may_be_person_name(name) or name.split()[0].casefold() in GIVEN_NAMES or "@" in part:
            add_entry(names, part)
    return bool(found)


def _may_be_listed(entry: str) -> bool:
    """Whether an entry that fills its line of a list names somebody with an everyday word: "Liang He", "CG Wang"."""
    words = (entry_name(entry) or "").split()
    return (
        len(words) == _WORDS_OF_NAME
        and all(re.fullmatch(CAPITALISED, word) for word in words)
        and not words[1].isupper()
        and not NOT_NAMES.issuperset(map(str.casefold, words))
        and not is_role(" ".join(words))
        and not is_firm(" ".join(words))
    )


def _add_employee(names: Names, entry: str, behind: str) -> None:
    """Add one of a list of people with the organisations behind the name, if that is no job."""
    person = add_entry(names, entry)
    for firm in _FIRMS_APART.split(behind.strip()):
        if person is not None and _may_employ(firm, is_apart=True):
            employer = names.thing(firm, "org").name
            person.organization = person.organization or employer


def _may_employ(text: str, *, is_apart: bool = False) -> bool:
    """Whether what stands behind a name in a list of people names an organisation: no job, department or person.

    Behind a dash (`is_apart`) a single word is nobody's given name.
    """
    words = text.casefold().split()
    if not words or _EMPLOYER.fullmatch(text) is None or text.casefold() in PLACES or _is_job(text) or is_role(text):
        return False
    if words[0] in FIRST_NAMES:
        return is_apart and len(words) == 1
    return words[0] not in _NO_EMPLOYER


def _is_firm_behind(text: str) -> bool:
    """Whether the second of two entries of a line names an organisation, and not somebody else."""
    text = text.strip()
    return _may_employ(text) and (" " not in text or is_firm(text) or text.split()[-1].casefold() in _FIRM_WORDS)


def _names_someone(part: str) -> bool:
    name = entry_name(part)
    return name is not None and (looks_like_name(name) or "@" in part)
