"""Details of an event: its summary, what a decision is about, and when a reported event happened."""

import re
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Final

from core.dates import MONTHS
from core.regex import regex
from graph.text.tokens import ledger_stems
from ingest.document.dates import holds_only_a_day
from ingest.document.lines import is_generic
from ingest.english.date_phrases import DatePhrase, date_phrases

#: Longest summary, in characters.
MAX_SUMMARY: Final = 200
#: What it is about takes so many of them at least.
_LEAST: Final = 40

_MARKUP: Final = regex(r"\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)|\[[ xX]\] ")
_LINK: Final = regex(r"\[([^\]\n]{1,200})\]\([^)\n]{0,500}\)")
#: What lists of tasks write beside a task: days, repeats, priorities, fields, marks, and tags at the end.
_TASK_FIELDS: Final = regex(
    r"(?<!\S)(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):\s*[<\[][^>\]\n]{8,40}[>\]]|"
    r"(?:📅|📆|🗓|⏳|⌛|➕|🛫|✅|❌)\ufe0f?\s*\d{4}-\d\d-\d\d|🔁|[🔺⏫🔼🔽⏬]\ufe0f?|"
    r"[\[(][a-z]{2,12}::[^\])\n]{0,60}[\])]|(?<!\S)(?:due|scheduled|id|priority|repeat)::\s*\S+|"
    r"(?<!\S)(?:due|t|rec|pri|created|completed|start|threshold):[\w.+-]+(?!\S)|@(?:due|start|"
    r"scheduled)\([^)\n]{0,30}\)|"
    r"\(\([\da-f-]{6,36}\)\)|\(priority [A-Z]\)|\[#[A-Z]\]|\s:[\w@]+(?::[\w@]+){0,5}:(?=\s*(?:\Z|[A-Z]{6,9}: ?[<\[]))"
)
_NOTE_LINK: Final = regex(r"\[\[(?:[^\]|\n]{1,100}\|)?([^\]|\n]{1,100})\]\]")
_FIRST_PERSON: Final = (
    (regex(r"\bI(?: ?['’]ll| will)\b"), "will"),
    (regex(r"\bI(?: ?['’]ve| have)\b"), "has"),
    (regex(r"\bI(?: ?['’]m| am)\b"), "is"),
)
_BEGINS: Final = regex(r"I (?=(?:[a-z]+ed|chose|sent|met|set|can)\b)")
#: The answer that a question for objections got, before what follows from it.
_NOBODY: Final = regex(r"\A\((?:none|nobody|no one|silence)\) (?=\w)", re.I)
_SPEAKS: Final = regex(r"\b(?:I|[Ww]e|[Mm]y|[Oo]ur|me|us)\b")
_LEADING: Final = regex(
    r"^(?:(?:OK|Okay|So|And|But|Well|Yeah|Yes|Also|Then|Oh|Right|Alright|Great|Thanks)\b[ ,.!]*)+(?=\w)", re.I
)


def summarise(text: str, speaker: str | None, matter: str | None = None) -> str:
    """Return `text` as one line of at most 200 characters, with the speaker named in place of "I" or "we".

    What it is about goes before it, if that is given.
    """
    clean = plain_line(_TASK_FIELDS.sub(" ", text)) or plain_line(text)
    clean = _LEADING.sub("", _NOBODY.sub("", clean)) or clean
    clean = clean[:1].upper() + clean[1:]
    if speaker is not None:
        clean = _named(clean, speaker)
    if matter is not None and matter.casefold() not in clean.casefold():
        shown = shorten(matter, max(_LEAST, MAX_SUMMARY - 2 - len(clean)))
        clean = f"{shown}{'' if shown.endswith('?') else ':'} {clean}"
    return shorten(clean, MAX_SUMMARY)


def shorten(text: str, length: int) -> str:
    """Return a text cut between words, with a mark where it is cut."""
    return text if len(text) <= length else text[: length - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def plain_line(text: str) -> str:
    """Return a text as one line without markup, links by their words."""
    return " ".join(_MARKUP.sub("", _NOTE_LINK.sub(r"\1", _LINK.sub(r"\1", text))).split())


def _named(clean: str, speaker: str) -> str:
    begins = _BEGINS.match(clean)
    named = f"{speaker} {clean[begins.end() :]}" if begins else clean
    for pattern, verb in _FIRST_PERSON:
        named = f"{speaker} {verb}".join(pattern.split(named))
    return named if named != clean or not _SPEAKS.search(clean) else f"{speaker}: {clean}"


#: What any decision may say: verdicts, majorities, who decides, reasons that point elsewhere.
_SAID_OF_ANY: Final = frozenset(
    ledger_stems(
        """approve approved accept accepted agree agreed agreement adopt reject rejected decline decide decision resolve
        resolution pass passed carry carried merge land close closed defer table postpone choose select go proceed move
        forward ahead motion proposal propose request vote voted favour favor unanimous unanimously consensus objection
        objections abstention abstain majority all everyone board committee council group team meeting member members
        seconded second yes no ok okay yay nay plus sounds good fine let do make want will would can now today here
        based base above below concern concerns reason following follow discussion discuss comment option item issue
        pr pull request thing result outcome conclusion conclude unless clear keep next week still also just one two
        three lgtm ship done confirm confirmed ratify ratified sign signed thumbs up reach reached hear hearing none
        nobody any object consider considered think thought say said note see add
        added take taken give given great alright people
        folks everybody support supported back well could should must need general agreeable ultimately finally
        short long quick brief length deliberation maybe perhaps probably time much many also already still later
        discussed"""
    )
)
#: A sentence that points to what was said before.
_BACK: Final = (
    r"(?:this|these|those|them|both|it(?! (?:is|was|(?:would|will|should|could|may|might) (?:be|make))\b)|"
    r"that(?= (?:item|one|way|proposal|pr|change|request|idea|is|was|should|would|will)\b|\W*\Z|[.,;])|"
    r"the (?:above|proposal|motion|request|change|suggestion|idea|same|pep|rfc|pr|issue|former|latter))\b"
)
_POINTS_BACK: Final = regex(
    rf"\W*(?:(?:the |our )?(?:we|they|all|everyone|group|board|council|committee|team|meeting|[A-Z]{{2,5}}) )?"
    rf"(?:(?:have |has )?\w+ed (?:to \w+ )?)?(?:{_BACK}|its\b|it (?:is|was)(?! (?:\w+ly )?(?:decided|agreed|noted|"
    r"concluded|suggested|proposed|mentioned|reported|ok|fine)\b))",
    re.I,
)
#: What is decided is a word for what was named before.
_DECIDES_IT: Final = regex(
    r"\b(?:decided|agreed) (?:to|we (?:should|can|will)) (?:move forward|go ahead|proceed)\b(?! with)|"
    r"\b(?:agree\w*|decid\w+|decision|approv\w+|accept\w*|reject\w*|conclu\w+|consensus|consider\w*|defer\w*|"
    r"postpone\w*|go(?:ing)? (?:ahead )?with|merge|land|adopt\w*) "
    r"(?:(?:was|is|that|to|on|we|the group|they|would|will|should|not|also|with|against|reject|accept|approve|do|defer|"
    rf"discuss|leave|make|put|take|keep|move|merge|land|backport|postpone|revisit) ){{0,5}}{_BACK}",
    re.I,
)
#: What introduces reasons.
_REASON: Final = regex(
    r"\b(?:because|since|reasons?(?: (?:are|were|is|being))?|why|benefits|advantages|means|e\.g\.|"
    r"for example|such as)\s*[:*_]*\s*\Z",
    re.I,
)
_TITLE: Final = regex(r"\s*# ([^\n]{3,120})")
_RECORD: Final = regex(r"^#+ Decision\b", re.M)
_NO_OBJECTION: Final = regex(
    r"\W*(?:(?:there (?:are|were) )?no (?:objections?|concerns?|comments?)|hearing none|nobody objects?)\W*", re.I
)
#: How far behind a sentence its verdict is, in characters.
_SOON: Final = 120
_VERDICT: Final = regex(
    r"\W*(?:[\w-]+: )?(?:(?:the )?(?:minutes|motion|proposal|resolution|pr|it)(?: (?:is|are|was|were))? )?"
    r"(?:approved|accepted|adopted|merged|carried|passed|published|closed)\W*",
    re.I,
)
#: A verdict without what it is about: "Carried.", "Approved 5-0", "Status: accepted", "The motion failed."
_BARE_VERDICT: Final = regex(
    r"\W*(?:(?:the )?(?:motion|proposal|resolution|vote|request|change|result|outcome|status|decision|verdict|it)\b"
    r"(?: (?:is|was|has been))?[\s:*_–-]*)?(?:unanimously |duly )?(?:accepted|approved|adopted|carried|passed|ratified|"
    r"rejected|declined|defeated|lost|failed|turned down|not (?:accepted|approved|adopted|carried))"
    r"(?: (?:unanimously|by (?:consensus|acclamation|all|a majority)|without (?:objections?|dissent)|as (?:amended|"
    r"proposed)))?"
    r"[\s(,:]*(?:\d+ ?[-–:/] ?\d+(?: ?[-–:/] ?\d+)?|\d+ (?:for|in favou?r|yes|ayes?)[^.\n]{0,40})?\W*",
    re.I,
)
#: Above the status of a record that says its decision elsewhere.
_OF_RECORD: Final = regex(r"^#+ (?:[\w ]{0,20}\bdecisions?\b|status\b)", re.I | re.M)
#: What a meeting settles in a sentence that goes on from another: "It was decided that Bo would write to them".
_COLLECTIVE: Final = regex(
    r"\W*(?:[^.;]{0,40}, )?(?:it was|(?:the )?(?:group|team|meeting|board|council|committee)|they|we|"
    r"[A-Z]{2,5}) (?:also |then |all |have |has )?"
    r"(?:decided|agreed|concluded)\b(?![^.;]*\b(?:PEP|RFC) ?\d)",
    re.I,
)
#: That a sentence says what was talked about.
_DISCUSSED: Final = regex(
    r"\b(?:discuss\w*|review\w*|brought up|talked|raised|question|topic|presented|went over|looked at)\b", re.I
)
#: A label of somebody's words.
_LABEL: Final = regex(
    r"[ \t]*(?:[-*+•][ \t]+)?[*_]{0,3}@?(?:[A-Z]{2,4}|[A-Z][\w.-]+(?: [A-Z][\w.-]*)?):[*_]{0,3}\s+(?=\S)"
)
#: What is named by its number.
_NAMED: Final = regex(r"\b(?:PEP|RFC|NEP|ADR|RFP)[ -]?\d+|(?<!\w)#\d+")
#: What is put to the vote.
_PUT: Final = regex(
    r"\b(?:motion|moved|moves|propos\w+|recommend\w*|request\w*|suggest\w*|resolution|vote on|whether|asks?|asked|"
    r"seek\w*|nominat\w+|appl(?:y|ied|ication))\b",
    re.I,
)
#: Who moved and seconded, and how many voted: what stands between a motion and its verdict.
_BALLOT: Final = regex(
    r"\W*(?:(?:[\w.'’-]+ ){1,3}(?:moved|moves|proposed)[,;]?(?: and)? (?:[\w.'’-]+ ){1,3}(?:seconded|seconds)|(?:moved|"
    r"proposed|seconded)(?: by)?:? [\w .,;/&'’-]{2,80}|(?:votes?|ayes?|in favou?r|result|for|"
    r"against)\b[\w ,:/–-]{1,40})\W*",
    re.I,
)
#: The number or the address of an issue or a request.
_NUMBERED: Final = regex(r"(?<!\w)#\d+|/(?:issues|pull|pulls|merge_requests)/\d+")
_PART: Final = regex(
    rf"\W*(?:(?:slot|session|part|day|week|call) \d+\b|(?:(?:{'|'.join(MONTHS)}|recap|19\d\d|20\d\d|and|&|-)\W*)+\Z|"
    r"(?:[\w-]+ ){0,3}(?:discussions?|topics|updates|peps|prs|pull requests|misc\w*)\W*\Z)",
    re.I,
)
_HEADING: Final = regex(
    r"[ \t]{0,3}(?P<level>#{1,6})[ \t]+(?P<text>\S[^\n]*)|"
    r"[ \t]*\*\*(?P<bold>[^*\n]{3,120})\*\*:?[ \t]*\Z"
)
_BULLET: Final = regex(r"[ \t]*(?:[-*+•–]|\(?\d{1,3}[.)]|[a-z][.)])[ \t]+")
_NUMBERING: Final = regex(r"\A(?:\(?\d{1,2}(?:\.\d{1,2})*[.)]?|[-*+•–])[ \t]+(?=\S)")
_SENTENCE: Final = regex(r"(?<=[.!?])[ \t\n]+(?=[A-Z*\[])")
#: A sentence with so many words of its own says what it decides.
_FEW: Final = 3
#: Longest matter, in characters; how many lines and characters above a sentence are looked at.
_LONGEST, _LINES, _REACH = 100, 150, 6_000
_NO_HEADING: Final = 7
#: A title that names a meeting or a day, and not what is decided.
_MEETING: Final = regex(r"\b(?:meetings?|minutes|calls?|sync|stand-?up|notes|update)\b|\d{4}", re.I)


def listed_below(content: str, start: int, end: int) -> str:
    """Return the entries of the list that a sentence introduces by a colon at its end; empty if there is none.

    Of a list within a list these are deeper than the sentence, which is an entry itself.
    """
    behind, *lines = content[end : end + _REACH].split("\n")
    if behind.strip(" *_") or not content[start:end].rstrip(" *_").endswith(":"):
        return ""
    own = _BULLET.match(content, content.rfind("\n", 0, start) + 1)
    least = -1 if own is None else _indent(own[0])
    entries, depth = list[str](), least + 1
    for line in filter(str.strip, lines):
        bullet = _BULLET.match(line)
        if bullet is None or (indent := _indent(line)) <= least or (entries and indent < depth):
            break
        depth = depth if entries else indent
        if indent == depth:
            entries.append(line[bullet.end() :].strip(" .,;"))
    return "; ".join(entries)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def states_topic(text: str, names: Collection[str]) -> bool:
    """Whether a sentence says what is decided: by enough words besides verdicts and names, not by pointing back."""
    text = _unlabelled(text)
    if points_back(text):
        return False
    return _own_words(text, names) >= _FEW


def _unlabelled(text: str) -> str:
    """Return a text without the label of whoever says it."""
    label = _LABEL.match(text)
    return text if label is None else text[label.end() :]


def _own_words(text: str, names: Collection[str]) -> int:
    """Return how many words of a sentence are neither a name nor what any decision may say."""
    named = {stem for name in names for stem in ledger_stems(name)}
    stems = (stem for stem in ledger_stems(plain_line(text)) if stem not in _SAID_OF_ANY and not stem.isdigit())
    return sum(stem not in named for stem in stems)


def points_back(text: str) -> bool:
    """Whether a sentence says of something named before that it is decided: "decided to accept it"."""
    if _POINTS_BACK.match(text):
        return True
    match = _DECIDES_IT.search(text)
    before = "" if match is None else text[: match.start()]
    return match is not None and _own_words(before, ()) < _FEW and not _NAMED.search(before)


def below_reason(content: str, start: int) -> bool:
    """Whether the list that a line is in is introduced as reasons or as what a word means: "because:"."""
    line_start = content.rfind("\n", 0, start) + 1
    indent = indent_of(content[line_start:start])
    for line in reversed(content[max(0, line_start - _REACH) : line_start].split("\n")[-_LINES:-1]):
        if not line.strip():
            continue
        is_item = _BULLET.match(line) is not None
        if _HEADING.match(line):
            return False
        if (is_item and indent_of(line) >= indent) or (not is_item and indent_of(line) > indent):
            continue
        return _REASON.search(line) is not None
    return False


def precedes_verdict(content: str, start: int, end: int) -> bool:
    """Whether a sentence says that nobody objects, and the next one, soon after, what is decided by that."""
    if _NO_OBJECTION.fullmatch(content, start, end) is None:
        return False
    line = next((one for one in content[end : end + _SOON].split("\n") if one.strip(" \t.)")), "")
    return _VERDICT.fullmatch(line) is not None


def is_bare_verdict(content: str, start: int, end: int) -> bool:
    """Whether a line is a verdict alone, in a text that is no record of one decision with its own section."""
    return _BARE_VERDICT.fullmatch(content, start, end) is not None and _OF_RECORD.search(content) is None


def find_topic_above(content: str, start: int, names: Collection[str], *, points_back: bool = False) -> str | None:
    """Return the motion, item or heading that a sentence at `start` is below; None if there is none that says more.

    With `points_back` the sentence before is meant, whatever its words are.
    """
    line_start = content.rfind("\n", 0, start) + 1
    begin = _paragraph_start(content, start)
    before = _sentence_before(content, begin, start)
    if before is not None and _BALLOT.fullmatch(before):
        before = None
    if before is not None and not _LABEL.match(content, begin) and (points_back or _is_told(before)):
        return _shown(before)
    above = _line_above(content, line_start, start, names)
    is_continued = content[line_start:start].lstrip().startswith("...")
    return _shown(before) if above is None and before is not None and is_continued else above


def names_issue(text: str) -> bool:
    """Whether a text has the number or the address of an issue or a pull request."""
    return _NUMBERED.search(text) is not None


def goes_on(text: str) -> bool:
    """Whether a sentence says what a meeting settled after what the sentence before says that it talked about."""
    return _COLLECTIVE.match(text) is not None


def talked_about(content: str, start: int) -> str | None:
    """Return what was talked about by the sentence before in the same paragraph; None if it does not say that."""
    begin = _paragraph_start(content, start)
    before = None if _LABEL.match(content, begin) else _sentence_before(content, begin, start)
    return _shown(before) if before is not None and _is_told(before) else None


def record_title(content: str) -> str | None:
    """Return what a record of one decision is about, by its first heading; None if the text is no such record."""
    title = _TITLE.match(content)
    is_record = title is not None and _RECORD.search(content) is not None and not _MEETING.search(title[1])
    return _shown(title[1]) if title is not None and is_record else None


def _line_above(content: str, line_start: int, start: int, names: Collection[str]) -> str | None:
    """Return the item or the heading that a line is below."""
    lines = content[max(0, line_start - _REACH) : line_start].split("\n")[:-1]
    indent, level, is_next = indent_of(content[line_start:start]), _NO_HEADING, True
    for line in reversed(lines[-_LINES:]):
        if not line.strip():
            continue
        if heading := _HEADING.match(line):
            here = len(heading["level"]) if heading["level"] else _NO_HEADING - 1
            text = heading["text"] or heading["bold"]
            if here < level and not (is_generic(plain_line(text)) or _is_of_a_day(plain_line(text))):
                return None if here == 1 and _MEETING.search(text) else _shown(text)
            level, indent = min(level, here), 0
            continue
        if level < _NO_HEADING:
            continue
        bullet = _BULLET.match(line)
        text, at = line[bullet.end() if bullet else 0 :], indent_of(line)
        is_above = at < indent and bullet is not None
        is_put = is_next and at == indent and _PUT.search(text) is not None
        if (is_above or is_put) and _says_something(text, names) and not _is_of_a_day(plain_line(text)):
            return _shown(text)
        if is_above:
            indent = at
        is_next = is_next and _BALLOT.fullmatch(text) is not None
    return None


def _is_told(text: str) -> bool:
    """Whether a sentence says what is put to the vote or talked about."""
    return any(one.search(text) for one in (_PUT, _NUMBERED, _DISCUSSED))


def _sentence_before(content: str, begin: int, start: int) -> str | None:
    """Return the sentence before in a paragraph, or its first if that one says little."""
    first = max(begin, start - _REACH)
    opening = _LABEL.match(content, first) or _BULLET.match(content, first)
    head = content[min(start, opening.end()) if opening else first : start].strip(" \t\n.…")
    said = [one for one in _SENTENCE.split(head) if one.strip(" .…\n")]
    if not said:
        return None
    return said[0] if _own_words(said[-1], ()) < _FEW else said[-1]


def _paragraph_start(content: str, start: int) -> int:
    """Return where the bullet or the paragraph begins in which a sentence is, which lines may be wrapped."""
    begin = content.rfind("\n", 0, start) + 1
    for _ in range(_LINES):
        line = content[begin : content.find("\n", begin) if content.find("\n", begin) >= 0 else None]
        if begin == 0 or _BULLET.match(line) or _HEADING.match(line) or _LABEL.match(line):
            return begin
        above = content.rfind("\n", 0, begin - 1) + 1
        before = content[above : begin - 1]
        if not before.strip() or _HEADING.match(before) or before.lstrip().startswith("|"):
            return begin
        begin = above
    return begin


def _is_of_a_day(heading: str) -> bool:
    """Whether a heading says when, and not what: a day, or a part of a meeting."""
    return holds_only_a_day(heading) or _PART.match(heading) is not None


def _says_something(text: str, names: Collection[str]) -> bool:
    named = {stem for name in names for stem in ledger_stems(name)}
    return any(stem not in _SAID_OF_ANY | named for stem in ledger_stems(plain_line(text)))


def indent_of(line: str) -> int:
    """Return the width of a line's indentation, in columns."""
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _shown(text: str) -> str | None:
    """Return what heads a decision as one line without numbering and markup; None if nothing is left."""
    clean = _NUMBERING.sub("", _unlabelled(plain_line(text.strip()).strip())).strip(" :*_#-–—.")
    return shorten(clean, _LONGEST) or None


#: Words before a date that make it the day of what is told; the others set a limit or a length.
_CUES: Final = frozenset({"", "on", "since"})
_DECIDED: Final = (
    r"(?:decided|agreed|resolved|approved|voted|chose|chosen|adopted|confirmed|settled|opted|selected|concluded|"
    r"rejected)"
)
#: What was done, by the form of its verb; with group `decided`, what was decided.
_PAST: Final = regex(
    rf"\b(?:(?P<decided>{_DECIDED})|was|were|had|did|(?:has|have) been|got|went|came|met|sent|gave|took|made|saw|said|"
    r"told|found|held|spoke|wrote|bought|sold|paid|put|set|cut|shut|hit|left|lost|won|ran|rang|began|broke|brought|"
    r"built|burnt|caught|drew|drove|fell|felt|flew|froze|grew|heard|kept|knew|laid|led|let|meant|read|rose|sat|shook|"
    r"shot|slid|slept|spent|split|spread|stood|stole|stuck|taught|thought|threw|understood|woke|wore|done|"
    r"[a-z]+[^\We]ed)\b",
    re.I,
)
#: What is still to be done, or might be.
_AHEAD: Final = regex(
    r"\b(?:will|shall|won['’]t|can|could|would|should|must|may|might|going to|(?:has|have|had|needs?|ought|is|are|was|"
    r"were|be|due) to|planned|scheduled|expected|supposed|meant|promised|if|unless)\b|['’]ll\b",
    re.I,
)
#: A date that tells of which thing something is said: "the minutes of 3 March", "Monday's meeting", "from A to B".
_OF_A_THING: Final = regex(
    r"\b(?:of|dated|than|instead|versus|between|and|to|planned|scheduled|due|meant)(?: of)?(?: the)? \Z", re.I
)
_POSSESSIVE: Final = regex(r"['’]s?\b|[ -](?:meeting|call|session|deadline|release|version|workshop|minutes)\b")
#: Between what was decided and a date, these make it a date of what comes of it.
_CONTENT: Final = regex(r"\b(?:to|that|for|against|with)\b|:", re.I)
#: Where one thing that is told ends and another begins.
_CLAUSE: Final = regex(r"[;:.!?]\s|,? (?:but|while|whereas|although|though|because|and then) |, (?=and )")
#: The day of what was told just before, and how many days later.
_THEN: Final = regex(
    r"\b(?:(?:the )?(?:next|following) (?:day|morning)|(?:the )?day after(?! tomorrow)|(?:a|one) day later|"
    r"(?P<two>two days later)|(?:on )?the (?P<same>same) (?:day|morning|afternoon|evening))\b",
    re.I,
)


def find_event_time(text: str, before: str, written: datetime | None, *, decides: bool) -> datetime | None:
    """Return the last moment of the day on which a text tells that something was done, None if it names none.

    `before` is what stands before the text, for "the next day". Of what is decided (`decides`) only the day of deciding
    counts: one that stands before what was decided.
    """
    told = (date for date in date_phrases(text, written, past=True) if _is_of_the_deed(text, date, decides=decides))
    if (day := _before(told, written)) is not None:
        return day
    then = _THEN.search(text)
    if then is None or decides or _PAST.search(text) is None:
        return None
    day = _before(reversed(list(date_phrases(before, written, past=True))), written)
    if day is None:
        return None
    day += timedelta(days=0 if then["same"] else 2 if then["two"] else 1)
    return day if written is None or day.date() < written.date() else None


def _before(dates: Iterable[DatePhrase], written: datetime | None) -> datetime | None:
    """Return the first of these moments that is of an earlier day than that of writing, if this is known."""
    moments = (date.moment for date in dates)
    return next((moment for moment in moments if written is None or moment.date() < written.date()), None)


def _is_of_the_deed(text: str, date: DatePhrase, *, decides: bool) -> bool:
    if date.cue not in _CUES or _OF_A_THING.search(text, 0, date.start) or _POSSESSIVE.match(text, date.end):
        return False
    start, end = _clause(text, date)
    verb = _PAST.search(text, start, end)
    if verb is None:
        return date.cue == "since"
    if _AHEAD.search(text, start, max(date.start, verb.start())) is not None:
        return False
    is_content = decides and verb["decided"] and date.start > verb.end()
    return not (is_content and _CONTENT.search(text, verb.end(), date.start))


def _clause(text: str, date: DatePhrase) -> tuple[int, int]:
    """Return where the clause begins and ends in which a date stands; "3 May: the pump failed" is one."""
    breaks = [(match.start(), match.end()) for match in _CLAUSE.finditer(text) if match.start() != date.end]
    start = max((end for _, end in breaks if end <= date.start), default=0)
    return start, min((begin for begin, _ in breaks if begin >= date.end), default=len(text))
