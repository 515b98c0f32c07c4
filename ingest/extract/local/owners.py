"""Whose event it is: who decides, in the sentence or by the record's body, and the owner of a list."""

import re
from pathlib import PurePath
from typing import Final

from core.dates import MONTHS
from core.knowledge.findings import normalise_name
from core.regex import regex
from ingest.document.lines import is_generic, section_of
from ingest.extract.local.entities.names import Names
from ingest.extract.local.event_details import indent_of, plain_line

_VERBS: Final = (
    r"(?:decid\w+|agree[ds]?|approv\w+|accept(?:s|ed)?|adopt(?:s|ed)?|chose|chooses?|chosen|pick(?:s|ed)?|select(?:s|"
    r"ed)?|"
    r"reject(?:s|ed)?|declin(?:es?|ed)|vote[sd]?|resolv\w+|settle[sd]?|opt(?:s|ed)|confirm(?:s|ed)?|ratif\w+|"
    r"elect(?:s|ed)?|"
    r"appoint(?:s|ed)?|sign(?:s|ed)? off|rule[sd]?|postpon\w+|defer(?:s|red)?|cancel\w*|withdr[ae]w\w*|clos(?:es|ed)|"
    r"consent(?:s|ed)|grant(?:s|ed)?|authori[sz]\w+|endors\w+|goes? with|went with|(?:has|have|had) no objections?)"
)
_ADVERBS: Final = r"(?:(?:has|have|had|also|then|unanimously|formally|today|members?|finally|now|both|all) ){0,4}"
#: What decides in a sentence: a body by its kind or its acronym.
_ACRONYM: Final = r"(?!(?:PRs?|PEPs?|RFCs?|ADRs?|APIs?|CI|RC\d?|OK|NO|YES|TODO|AI|FYI|MR)\b)[A-Z]{2,6}\b"
_GOVERNING: Final = (
    r"(?:[A-Z][\w.&’'-]+ ){0,4}"
    r"(?:[Bb]oard|[Cc]ommittee|[Cc]ouncil|[Gg]roup|[Tt]eam|[Aa]ssembly|[Cc]ommission|[Pp]anel|WG|SIG)"
)
_BODY: Final = regex(
    rf"(?<![\w@'’-])(?:(?:[Tt]he|[Oo]ur) )?(?P<name>{_GOVERNING}|(?:(?<=[Tt]he )|\A\W*){_ACRONYM})"
    r"(?: \([A-Z]{2,6}\))? "
    rf"(?:\w+(?:ed|t) [^;\n]{{2,250}}?,? and (?:after [\w ]{{3,30}} )?)?{_ADVERBS}{_VERBS}\b"
)
_BY: Final = regex(rf"\b{_VERBS} (?:unanimously )?by (?:the |our )?(?P<name>{_GOVERNING}|{_ACRONYM})\b")
_DECIDED_BY: Final = regex(rf"\b{_VERBS} (?:unanimously )?by @?\Z")
#: Folders of any team.
_TOO_PLAIN: Final = frozenset("team group board community meetings minutes notes docs adr adrs rfc rfcs".split())
#: Behind somebody who decides, and behind one who is decided about.
_DECIDES: Final = regex(
    r"(?:,? [JS]r\.)?"
    rf"(?:(?:\s*,|\s)(?:(?!\b(?:it (?:was|is)|(?:the|this|our) \w+|we|they) {_VERBS})[^.;]){{0,60}}?\b|:\W*)"
    rf"{_VERBS}\b(?! as\b)"
)
_DECIDED_ABOUT: Final = regex(
    r"['’]s?\b|\s+(?:was|were|is|are|be|has been|have been|had been|will be|being|to be|got|gets)\s+"
    r"(?:\w+\s+)?\w+(?:ed|en)\b|"
    r"\s+(?:approved|accepted|appointed|elected|selected|confirmed|chosen|adopted) (?:as|to|for)\b"
)
#: What a meeting settles together, whoever says so.
_TOGETHER: Final = regex(
    r"\b(?:hearing (?:none|no \w+)|(?:any|no) (?:objections?|concerns?)|without objection|(?:nobody|no one) objects|"
    r"unanimous\w*|consensus|resolution|motion|in favou?r|seconded|(?:all|everyone|everybody|group|meeting|they) "
    r"(?:have |has )?(?:agree[ds]?|decided?|approved?|accepted?|consider)|it (?:was|is) (?:agreed|decided|approved))\b"
    r"|\A\W*(?:approved|accepted|adopted|agreed|merged|rejected|carried|passed|deferred|postponed)\W*\Z",
    re.I,
)
_KINDS: Final = (
    r"(?:(?:sub)?group|board|committee|council|team|foundation|society|club|assembly|commission|panel|guild|trust|"
    r"union|"
    r"working group|(?:WG|SIG)(?:-[\w-]+)?|TSC|CPC|task force|community)"
)
#: Whose record a title or a first line says that a text is.
_MINUTES_OF: Final = regex(
    r"(?:\w+ )?(?:minutes|notes|record|summary) (?:of|from|for) (?:an? |the |our )?(?P<name>[^,:;()|]{3,70}?)"
    r"(?= meetings?\b| calls?\b|\s*[,:;()|–—-]|\s+\d| on | held|$)",
    re.I,
)
_MEETING_OF: Final = regex(
    rf"(?P<name>(?:[\w.&’'/-]+ ){{0,7}}?{_KINDS}(?: (?:of|for) [\w.&’' -]{{3,40}}?)?)(?: \((?P<short>[A-Z]{{2,6}})\))?"
    r"(?=(?: (?:bi-?)?(?:week|month|quarter|year)ly| regular| annual)?(?: meetings?| calls?| minutes| notes| update)\b|"
    r"\s*[,:;()|–—-]|\s+\d|$)",
    re.I,
)
_ACRONYM_OF: Final = regex(r"(?P<name>(?!(?:A|E)GM\b)[A-Z]{2,6}(?: [A-Z][\w.-]*){0,2}?) (?i:meeting|call|minutes)")
#: Whose meeting a line is about: "Agenda for the call of the Parser Subgroup".
_CALL_OF: Final = regex(
    rf"[^,:;()|]{{0,70}}?\b(?:meetings?|calls?|sessions?) of (?:an? |the |our )?"
    rf"(?P<name>(?:[\w.&’'/-]+ ){{0,5}}?{_KINDS})\b",
    re.I,
)
#: A project or body whose name is no ordinary word, by its capitals: "WoT TD calls", "OpenAPI minutes".
_SERIES_OF: Final = regex(
    r"(?P<name>(?:[A-Z][\w.-]*[ /])*?(?:[A-Z][a-z]+[A-Z]\w*)(?: [A-Z][\w.-]*){0,2}?"
    r"(?: (?:triage|planning|maintainers?|contributors?|developers?|dev|docs?|documentation|newcomers?))?) "
    r"(?i:(?:weekly |monthly |team )?(?:meetings?|calls?|minutes|notes|sync)\b)"
)
#: What may be said of a body without being its name.
_QUALIFIED: Final = regex(
    rf"\A(?:(?:an?|the|our|exiting|outgoing|incoming|new|current|previous|former|old|interim|abbreviated|short|next|"
    rf"last|joint|meetings? of|and|&|(?:{'|'.join(MONTHS)})[a-z]*|(?:19|20)\d\d)\s+)+(?=\S)",
    re.I,
)
#: "Steering Council Community update" is written for a community, by the council.
_FOR_ALL: Final = regex(r"(?<=\w) community\Z", re.I)
_NUMBERS: Final = regex(r"\A[\W\d_]+|\b(?:19|20)\d\d[-/.]\d\d?(?:[-/.]\d\d?)?\b")
_PERIODIC: Final = regex(
    rf"\A(?:(?:{'|'.join(MONTHS)}) \d{{1,2}}(?:st|nd|rd|th)?,? |minutes? (?!of\b|from\b|for\b)|"
    r"(?:weekly|monthly|quarterly|annual|regular|general|special|draft|approved|public|private|the|our) )+",
    re.I,
)
#: First lines that are looked at, and their longest, in characters.
_FIRST_LINES, _LONGEST = 6, 160
#: How far before a name "decided by" is looked for, in characters.
_BEFORE: Final = 60
_PREFIX: Final = regex(r"\A(wg|sig)-([\w-]+)", re.I)
#: What a folder or a file is called that holds the records of a body.
_FOLDER: Final = regex(
    rf"(?:(?:wg|sig)-[a-z][\w-]*|(?-i:[A-Z]{{2,6}})|[\w -]*?\b{_KINDS})"
    r"(?=$|[- _]+(?:\d|meeting|minutes|info|notes|update))",
    re.I,
)
_KIND: Final = regex(rf"\b{_KINDS}\b", re.I)
_ALONE: Final = regex(r"group|team|meeting|members|community|assembly|panel", re.I)


def is_decider(text: str, end: int) -> bool:
    """Whether a person named before `end` decides, and is not the one who is decided about."""
    return _DECIDED_ABOUT.match(text, end) is None and _DECIDES.match(text, end) is not None


def is_decided_by(text: str, start: int, end: int) -> bool:
    """Whether the words before `end` say that something was decided by whoever is named there."""
    return _DECIDED_BY.search(text, max(start, end - _BEFORE), end) is not None


def deciding_body(text: str, names: Names, record: str | None) -> str | None:
    """Return the body that decides by the words of a sentence; "the board" is that of the record if it is one."""
    match = _BODY.search(text) or _BY.search(text)
    if match is None:
        return None
    said = match["name"].strip()
    if said.isupper() and (person := _person_of(said, names)) is not None:
        return person
    if said.isupper() and record is not None and _initials(record) == said:
        return record
    known = names.called(said)
    if known is not None:
        return known.name if known.type == "org" else None
    kind = normalise_name(said).split()[-1]
    bodies = [*([record] if record else []), *(name.name for name in names.all if name.type == "org")]
    if said.isupper() and (full := _spelled_out(said, bodies)) is not None:
        return full
    if " " in said or said.isupper():
        return said[0].upper() + said[1:]
    if _ALONE.fullmatch(kind):
        return record
    alike = list(dict.fromkeys(name for name in bodies if normalise_name(name).split()[-1:] == [kind]))
    if record in alike or len(alike) == 1:
        return record if record in alike else alike[0]
    return said[0].upper() + said[1:]


def is_decided_together(text: str) -> bool:
    """Whether a sentence reports what a meeting settles, so that it is not the decision of whoever says it."""
    return _TOGETHER.search(text) is not None


def _person_of(initials: str, names: Names) -> str | None:
    """Return the only person of a text whose initials these are; None if there is none or there are several."""
    people = {name.name for name in names.all if name.type == "person" and _initials(name.name) == initials}
    return people.pop() if len(people) == 1 else None


def _spelled_out(acronym: str, bodies: list[str]) -> str | None:
    """Return the body whose initials an acronym is, else one whose last words have them."""
    ends = [one for one in bodies if _initials(one).endswith(acronym)]
    return next((one for one in ends if _initials(one) == acronym), ends[0] if ends else None)


def _initials(name: str) -> str:
    """Return the first letters of a name's words: "SC" of "Steering Council"."""
    words = [word for word in name.split() if word[0].isupper()]
    return "".join(word[0] for word in words) if len(words) > 1 else ""


def record_body(title: str | None, content: str, file_path: str | None, names: Names) -> str | None:
    """Return the body whose minutes or record a text is, by its title, first lines, file or folders; else None."""
    head = [line for line in content[: _FIRST_LINES * _LONGEST * 2].split("\n") if line.strip()][:_FIRST_LINES]
    for line in filter(None, [title, *head]):
        text = _PERIODIC.sub("", _NUMBERS.sub("", plain_line(line[:_LONGEST])).strip()).strip()
        for pattern in (_MINUTES_OF, _CALL_OF, _MEETING_OF, _ACRONYM_OF, _SERIES_OF):
            if (match := pattern.match(text)) is not None and (body := _body_named(match["name"], names)) is not None:
                return body
    return folder_body(file_path, names)


def folder_body(file_path: str | None, names: Names) -> str | None:
    """Return the body whose records a file or its folders hold by their names; None if they don't say."""
    path = PurePath(file_path or "")
    parts = [part for one in (*path.parent.parts[-4:], path.stem) for part in one.split("__")]
    for part in reversed(parts):
        match = _FOLDER.match(_NUMBERS.sub("", part.replace("_", " ")).strip())
        if match is not None and part.casefold() not in _TOO_PLAIN:
            said = _PREFIX.sub(r"\2 \1", match[0].strip(" -")).replace("-", " ")
            words = [
                word.upper() if word.casefold() in ("wg", "sig") else word[0].upper() + word[1:]
                for word in said.split()
            ]
            if (body := _body_named(" ".join(words), names)) is not None:
                return body
    return None


def _body_named(said: str, names: Names) -> str | None:
    """Return the body of that name, as the text writes it; None if the name is no body's."""
    name = _QUALIFIED.sub("", _PERIODIC.sub("", said.strip())).strip()
    if _KIND.search(plain := _FOR_ALL.sub("", name)):
        name = plain
    known = names.called(name) if name else None
    if known is not None:
        return known.name if known.type in ("org", "project") else None
    if not name or _ALONE.fullmatch(name):
        return None
    is_telling = _KIND.search(name) is not None or sum(letter.isupper() for letter in name) > 1
    if not is_telling:
        return None
    return name[0].upper() + name[1:]


_MARK: Final = regex(r"[ \t]*(?:[-*+•–]|\(?\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_HANDLE: Final = regex(r"@([A-Za-z][\w-]*)(?: \([^()\n]{1,40}\))?")
#: How many lines and characters above a line are looked at.
_LINES_ABOVE, _REACH = 60, 6_000


def list_owner(content: str, start: int, names: Names) -> str | None:
    """Return the name or handle that stands alone above the list in which the line at `start` is; None if none does."""
    line_start = content.rfind("\n", 0, start) + 1
    if _MARK.match(content, line_start) is None:
        return None
    indent = indent_of(content[line_start:start])
    for line in reversed(content[max(0, line_start - _REACH) : line_start].split("\n")[-_LINES_ABOVE - 1 : -1]):
        if not line.strip():
            continue
        mark, at = _MARK.match(line), indent_of(line)
        if mark is not None and at >= indent:
            continue
        if mark is None and at > indent:
            continue  # a line of an item, wrapped
        text = line[mark.end() if mark else 0 :].strip(" \t#*_:")
        if (name := _name(text, names)) is not None:
            return name
        if not (is_generic(text) or section_of(text) is not None) or mark is None:
            return None
        indent = at
    return None


def _name(text: str, names: Names) -> str | None:
    handle = _HANDLE.fullmatch(text)
    known = names.called(text if handle is None else handle[1])
    if known is not None and known.type == "person":
        return known.name
    return None if handle is None else handle[1]
