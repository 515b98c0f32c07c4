"""The shape of a document: headings, bullets, tasks, mail headers, speaker labels, and what others wrote."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final, Literal

from core.dates import MONTH_STEM, WEEKDAY_STEM
from core.knowledge.findings import Span
from core.regex import regex
from graph.text.sentences import MAX_SENTENCE, sentences
from ingest.document.clauses import own_clauses
from ingest.document.dates import SectionDays, full_date, holds_only_a_day, line_day, stamp_day
from ingest.document.lines import (
    ASIDE,
    OWNED_TASK,
    LogForm,
    Section,
    ends_section,
    is_statement,
    log_form,
    names_section,
    section_of,
    speaks_below,
)
from ingest.document.tables import Row, Table, record, table
from ingest.document.terms import ORIGINAL, header_in, quoted_author, wrote_at
from ingest.english.lexicon import ACTION, FIRST_NAMES, GIVEN_NAMES, NO_ACT, NOT_SPEAKERS, OTHER_WORDS
from ingest.english.name_patterns import LOOSE_TITLES, TITLES

#: `task` is an open check box, `done` a ticked one, `void` one that is not to be done, `row` a table row that says
#: something, `cell` another, `header` a line such as "Attendees: …", `label` the name in front of a speaker's words.
Kind = Literal["prose", "bullet", "task", "done", "void", "heading", "cell", "row", "header", "label"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, bullet or line at `content[start:end]`, and where in the document it stands.

    `speaker` is whose words these are by a label or a mail header, None for the artifact's own author.
    `first` is true for the first sentence below its heading that states something. `said` is where the words begin
    behind a speaker's name in a bullet. `row` is set for the row of a table of actions, decisions or risks, `day` where
    the document dates the words apart from itself: the stamp of a chat line, a mail that is quoted or forwarded.
    """

    start: int
    end: int
    kind: Kind
    heading: str = ""
    section: Section | None = None
    speaker: str | None = None
    first: bool = False
    said: int = 0
    row: Row | None = None
    day: date | None = None
    #: The cell of a row of another table that says who.
    who: Span | None = None
    #: Not the first sentence of its bullet.
    later: bool = False
    #: The day of the section, where a heading gives it one.
    below: date | None = None

    @property
    def words(self) -> int:
        """Return where the words begin."""
        return max(self.start, self.said)


#: A record of one decision says it below such a heading or behind such a marker, if it has one.
_DECISION_BELOW: Final = regex(
    r"^[ \t]{0,3}(?:#{2,6}[ \t].{0,40}\b(?:decisions?|decided|resolution)\b|[-*+]?[ \t]*[*_]{0,2}decision\b.{0,4}:)",
    re.M | re.I,
)
#: A title of more than one decision.
_OF_SEVERAL: Final = regex(r"\b(?:logs?|register|journal|list|decisions|overview)\b", re.I)
_APART: Final = regex(r"[ \t\r]*\n[ \t\r]*\n")
_FENCE: Final = regex(r"[ \t]{0,3}(```|~~~)")
#: How a patch begins, and its lines.
_PATCH: Final = regex(r"diff --git \S|@@ -\d+(?:,\d+)? \+\d")
_PATCH_LINE: Final = regex(r"[ +@\\-]|(?:index|new file|deleted file|similarity|rename|Binary files) |$")
_PATCHED: Final = "patch"
_QUOTED: Final = regex(r"[ \t]{0,8}>")
#: The words of a quoted line; ">>>" is a program's.
_QUOTED_WORDS: Final = regex(r"^[ \t]{0,8}>(?!>>)[> \t]*(?P<said>[^\s>][^\n]{0,1000})", re.M)
_ROW: Final = regex(r"[ \t]*\|")
_RULE: Final = regex(r"[ \t]*(?:[-=_*~]{3,}|[-=_*~ ]{5,})[ \t]*$")
_FRONT_MATTER: Final = regex(r"---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*+---[ \t]*(?:\r?\n|\Z)")
#: A line of it: a field, or an entry of one.
_FIELD: Final = regex(r"^[ \t]*(?:[\w -]{2,30}:|-)[ \t]+(?P<said>[^\n]+)", re.M)
#: Front matter that is longer, in characters, is text.
_FRONT_MATTER_REACH: Final = 10_000
_HASH: Final = regex(r"[ \t]{0,3}(#{1,6})[ \t]+(?=\S)")
_BULLET: Final = regex(
    r"[ \t]*(?:[-*+•‣▪◦–—]|\(?\d{1,3}[.)]|[a-z][.)]|[A-Z]{1,6}(?:\d{1,3}[.):]|-\d{1,4}[.):]?)|"
    r"#\d{1,4}(?:[.):]|(?=[ \t]+[A-Z]))|\d{1,3}/\d{2,4}[.):]?(?=[ \t]+[A-Z]))[ \t]+(?:\[([ xX✓✔])\][ \t]+)?(?=\S)"
)
#: The date or time that begins an entry of a log: "2026-06-20 Added a cap", "08:10 UTC - Token rotated".
_LOGGED: Final = regex(
    r"[ \t]*(?:(?P<day>\d{4}-\d\d-\d\d)|[0-2]?\d[:.][0-5]\d(?: ?(?:UTC|[CE]E?S?T|[ap]m))?)[ \t]*[–—:-]?[ \t]+(?=[A-Z])"
)
#: A word that heads its paragraph on the same line: "Outcome. Accepted on 28 May."
_RUN_IN: Final = regex(
    r"[ \t]*[*_]{0,2}(?P<head>(?:Outcome|Resolution|Decision|Motivation|Proposal|Discussion|Follow-up|Risks?|Context|"
    r"Summary|Consequences|Background|Status|Rationale|Next steps|Concerns|Feedback|Actions?|Verdict|Options|"
    r"Alternatives|Changes|Problem|Impact|Root cause|Results?))\.[*_]{0,2}[ \t]+(?=\S)"
)
#: A box, and what some programs write in it: begun (/), important (!), not to be done (-), moved (> <).
_BOX: Final = regex(r"[ \t]*(?:[-*+][ \t]+)?(?:\[([ xX/!><-])\]|([☐☑✅✔✓]))[ \t]*(?=\S)")
_OPEN_BOXES: Final = frozenset(" /!☐")
_VOID_BOXES: Final = frozenset("-<>")
#: A task of Logseq, Org or Roam: its keyword and priority.
_TASK: Final = regex(
    r"[ \t]*(?:[-+]|\*{1,8})[ \t]+(?:\{\{(?:\[\[)?)?"
    r"(?:(?P<open>TODO|NOW|LATER|DOING|(?P<waits>WAITING|WAIT)|NEXT|STARTED|IN-PROGRESS)|(?P<done>DONE)|CANCELL?ED)"
    r"(?:(?:\]\])?\}\})?[ \t]+(?:\[#[A-Z]\][ \t]+)?(?=\S)"
)
#: The mark of a task that is done, in TaskPaper's lists.
_DONE_MARK: Final = regex(r"(?<!\S)@done\b")
#: The line below a task that says when.
_PLANNED: Final = regex(r"[ \t]*(?:SCHEDULED|DEADLINE|CLOSED):[ \t]*[<\[]")
_HEADER: Final = regex(
    r"[ \t]*(?:[-*][ \t]+)?[*_]{0,2}(from|to|cc|bcc|attendees|participants|speakers|pres(?:ent)?|abs|(?:also )?t?here|"
    r"in attendance|invitees|invited|"
    r"attending|absent(?: with apologies)?|not present|apologies(?: for absence)?|regrets|distribution|copy(?: to)?|"
    r"witnesses|driver|signed|secretary|host|chair(?:ed by|person)?|minutes(?: by| taken by)?|note[- ]?taker|scribe|"
    r"facilitator|who|members|interviewers?|interviewees?|on the (?:line|call)|authors?|sponsors?|approvers?|"
    r"chaired by|"
    r"reported by|prepared by|written by|reviewed by|decided by|"
    r"approved by|deciders?|reviewers?|owner|subject|date|sent|reply-to|held on|status|supersedes|interviewed|"
    r"attendance|minute[- ]taker|"
    r"consulted|informed|decision[ -]makers|taking notes|in the room|excused|drafted by|recorded by|signed by|"
    r"proposed by|seconded by|contributors|moderator|"
    r"production|(?:our |your )?ref(?:erence)?|version|revision|venue|location|classification|file(?: no)?)"
    r"\.?[*_]{0,2}[ \t]*:[*_]{0,2}[ \t]*(?=\S)",
    re.I,
)
#: A line that says by itself what it is about: "Guests: …", "id:: 7", ":LOGBOOK:".
_HEADED: Final = regex(r"[ \t]*[A-Z][\w'’-]*(?: [\w'’-]+){0,2}:[ \t]+[A-Z]|[ \t]+(?:[\w-]+::[ \t]|:[A-Z]+:)")
_DATED: Final = frozenset({"date", "sent"})
#: "On Tue, 3 Mar 2026, Bob Li <bob@acme.com> wrote:", on one line or wrapped to two.
_WROTE: Final = regex(r"[ \t]*On\b[^\n]{4,200}(?:\n[^\n]{0,80})?\bwrote:[ \t]*$", re.M)
#: A record with such a status decides nothing now.
_UNSETTLED: Final = regex(
    r"^[\W_]*(?:decision |document )?status\b[\W_]*(?:rejected|superseded|proposed|proposal|draft|deprecated|withdrawn|"
    r"declined|on hold|under review|in review|in discussion|under discussion|pending|obsolete|deferred)\b",
    re.M | re.I,
)
#: Where the status of a record is looked for, in characters.
_STATUS_REACH: Final = 2_000
_SIGNATURE: Final = regex(r"-- ?$")
_MONTH: Final = rf"(?:{MONTH_STEM.title()})[a-z]{{0,6}}\.?"
#: Before the time of a chat's line, in words: "Thu 09:14", "12 March, 09:14".
_ON: Final = (
    rf"(?:(?:{WEEKDAY_STEM.title()})[a-z]{{0,6}}\.?,?[ ])?"
    rf"(?:(?:\d{{1,2}}(?:st|nd|rd|th|\.)?[ ]{_MONTH}|{_MONTH}[ ]\d{{1,2}}),?[ ](?:\d{{4}},?[ ])?(?:at[ ])?"
    r"(?=\d{1,2}[:.]\d))?"
)
_STAMP: Final = rf"(?:[\[(]?{_ON}[\d](?:[\d/.:,\- ]|T(?=\d)){{2,24}}(?:[ap]m)?[\])]?[ \t]*(?:-[ \t]+)?)?"
_NAME: Final = r"@?[^\W\d_][\w.'’&/-]{0,30}(?:[ ](?![\[(]?\d{1,2}:\d)[\w.'’&/()-]{1,30}){0,3}"
_DAY: Final = r"(?:\d{4}-\d\d-\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|[Tt]oday|[Yy]esterday)"
_TIME: Final = rf"[\[(]?(?:{_DAY},?[ ](?:at[ ])?)?\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:[ ]?[aApP][mM])?[\])]?"
#: What a chat's user wears behind the name.
_PICTURE: Final = r"[^\w\s:;,.()\[\]<>*-]{1,4}"
_LABEL: Final = regex(
    rf"[ \t]*(?i:{_STAMP})(?:\*\*|__)?<?(?P<name>{_NAME}){ASIDE}>?(?:\*\*|__)?[ \t]{{0,3}}"
    rf"(?:[\[(][\d:.\- ]{{3,20}}(?:[aApP][mM])?[\])]|{_TIME}|{_PICTURE})?[ \t]?"
    r"(?P<colon>[:：])(?:\*\*|__)?(?:[ \t]+|$|(?<=：))"
)
#: A line that only says who speaks and when, as chat programs copy it: "Dana Fox, 9:02 AM".
_CHAT_LINE: Final = regex(
    rf"[ \t]*(?:\*\*)?(?P<name>{_NAME}){ASIDE}(?:\*\*)?,?[ \t]+(?:[—–-][ \t]+)?{_TIME}[ \t]*(?P<colon>(?!))?$"
)
#: "<nick> words", with or without a time before it.
_NICK: Final = regex(rf"[ \t]*(?i:{_STAMP})<(?P<name>@?[^\W\d_][\w.-]{{0,30}})>(?P<colon>[ \t]+)(?=\S)")
#: "**nick** 09:12 words".
_BOLD_NICK: Final = regex(rf"[ \t]*(?:\*\*|__)(?P<name>{_NAME}){ASIDE}(?:\*\*|__)[ \t]+{_TIME}(?P<colon>[ \t]+)(?=\S)")
#: "[09:12] nick: words", "[09:12] Prof. Ito: words".
_STAMPED: Final = regex(
    rf"^[ \t]*[\[(]?{_ON}(?:[\d-]{{8,10}}[T ,]{{1,2}})?\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?:[ ]?[aApP][mM])?"
    r"(?:,[ ][\d/.]{6,10})?[\])]?[ \t]+(?:-[ \t]+)?"
    rf"(?P<name>{_NAME}){ASIDE}:[ \t]",
    re.M,
)
_SPEAKER_LINES: Final = (_LABEL, _CHAT_LINE, _NICK, _BOLD_NICK)
#: Who speaks by their office: "CHAIR: That concludes item two."
_OFFICES: Final = frozenset({"chair", "chairperson", "moderator", "facilitator"})
#: An assignment rather than somebody's words: a verb in small letters behind the colon.
_ASSIGNMENT: Final = regex(
    rf"{ACTION}|(?:please|pls)\b|(?!(?:{NO_ACT}|i|we|he|she|it|they|you|this|that|these|those|there|our|my|his|"
    rf"her|their|yes|ok|okay|so|"
    r"and|but|or|if|is|are|was|were|will|would|can|could|should|may|might|just|also|then|what|when|why|how|who)\b)"
    r"[a-z]\w+ [^;]*?\b(?:by|before|until|till) "
)
#: A heading without any mark: a few words without a verb's form or a sentence's end, in what is written by sections.
_PLAIN_TITLE: Final = regex(
    r"(?:\d{1,2}(?:\.\d)*[.)]? )?[A-Z][\w'’&/-]*(?: (?!(?:is|are|was|were|has|have|will|to)\b)[\w'’&/-]+){0,4}"
)
_TITLED: Final = frozenset({"document", "meeting", "project", "decision", "reference"})
_BOLD_LINE: Final = regex(r"[ \t]*(?:\*\*|__)([^*_\n]{1,80})(?:\*\*|__):?[ \t]*$")
_ENDS_SENTENCE: Final = regex(r"[.!?…。！？:;][\"'”’)\]*_]*\s*\Z")
_INLINE_LABELS: Final = regex(rf"^{_LABEL.pattern}", re.M)
_BULLET_LABELS: Final = regex(rf"^[ \t]*[-*•][ \t]+{_LABEL.pattern}", re.M)
#: An entry of a list that begins with a word in small letters and a colon.
_HANDLE_ENTRY: Final = regex(
    r"^[ \t]*[-*•+][ \t]+@?(?P<name>[a-z][a-z0-9_.-]{1,24}):[ \t]+(?P<said>[^\n]{1,400})", re.M
)
#: What people say to each other.
_TALKS: Final = regex(
    r"\b(?:I|[Ii]['’](?:m|ll|ve|d)|i (?:will|think|am|have|agree|can)|me|my|you|your|we|us|our|yes|no|ok|okay|thanks|"
    r"agreed|accepted|rejected|sounds|looks|let['’]s)\b|\?"
)
_CLOCKED: Final = regex(r"\d:\d\d")
_INLINE_TIMES: Final = regex(rf"^{_CHAT_LINE.pattern}", re.M)
_INLINE_NICKS: Final = regex(rf"^{_NICK.pattern}", re.M)
_INLINE_BOLD_NICKS: Final = regex(rf"^{_BOLD_NICK.pattern}", re.M)
#: Contexts whose lines are spoken by someone.
SPOKEN: Final = frozenset({"meeting", "chat", "transcript", "conversation"})
#: Contexts in which the text after a label is always spoken.
_TALK: Final = SPOKEN - {"meeting"}
_ACTION_WORD: Final = regex(ACTION)
#: Lines with a label from which on a chat may consist of them.
_FEW_LINES: Final = 4
#: Lines from which on it does if each of them has one.
_ALL_LINES: Final = 3
#: A line as long as this that does not end a sentence was wrapped by an editor and goes on below.
_WRAPPED: Final = 50
#: What of a line is searched for labels, headers and the like, in characters.
_LINE_HEAD: Final = 400
#: From this level on headings have no mark of their own but their type.
_UNMARKED: Final = 5
#: A bullet before a day, and the level of the section below a line that is a day.
_DAY_BULLET: Final = regex(r"([ \t]*)[-*+•][ \t]+")
_DAY_LINE: Final = 7
#: A line that is longer, in characters, is no heading, no row and no field, but sentences.
_LONGEST_LINE: Final = 2_000


def speaker_labels(content: str, context: str, known: frozenset[str], form: LogForm | None = None) -> frozenset[str]:
    """Return the line labels ("Name:") that name a speaker, those of the document's `form` of a log among them.

    Certain are known people, by name or handle, and in spoken contexts every @handle; a label that looks like a
    person's name counts too, and in spoken contexts any capitalised label that comes twice; once in a transcript and
    where most lines of a chat have one.
    """
    labels = list(_INLINE_LABELS.finditer(content))
    times = [line["name"] for line in _INLINE_TIMES.finditer(content)]
    marked = [line["name"] for pattern in (_INLINE_NICKS, _INLINE_BOLD_NICKS) for line in pattern.finditer(content)]
    counts = Counter(label["name"].strip() for label in labels)
    listed = {match["name"].strip() for match in _BULLET_LABELS.finditer(content)} - counts.keys()
    counts.update(dict.fromkeys(listed, 0))
    for name in (*times, *marked):
        counts[name.strip()] += 2
    spoken = context in SPOKEN
    is_dense = context in _TALK and (
        len(labels) >= max(_FEW_LINES, content.count("\n") / 2)
        or len(labels) == sum(map(bool, map(str.strip, content.split("\n")))) >= _ALL_LINES
    )
    needed = 1 if context == "transcript" or is_dense else 2
    nicks = set(marked) if spoken else set()
    if is_dense:
        nicks |= {label["name"] for label in labels if " " not in label["name"]}
    if context in _TALK:
        nicks |= {match["name"] for match in _STAMPED.finditer(content)}
        nicks |= {label["name"] for label in labels if _CLOCKED.search(content, label.end("name"), label.end())}
        nicks |= {name for name in times if " " not in name}
    return (
        frozenset(form.speakers if form else ())
        | _listed_handles(content)
        | frozenset(
            name
            for name, count in counts.items()
            if name.casefold().lstrip("@") in known
            or (spoken and name[0] == "@" and " " not in name)
            or (name in nicks and name.casefold() not in NOT_SPEAKERS)
            or _speaks(name, enough=spoken and (count >= needed or _is_titled(name)))
        )
    )


def _listed_handles(content: str) -> frozenset[str]:
    """Return the handles in small letters that begin the entries of a list in which people talk to each other."""
    found = [(entry["name"], entry["said"]) for entry in _HANDLE_ENTRY.finditer(content)]
    found = [(name, said) for name, said in found if _is_handle(name)]
    handles = {name for name, _ in found}
    talks = sum(_TALKS.search(said) is not None for _, said in found)
    is_talk = len(handles) > 1 and len(found) >= _ALL_LINES and len(found) > len(handles) and talks >= len(found) / 4
    return frozenset(handles) if is_talk else frozenset()


def _is_handle(name: str) -> bool:
    is_word = name in OTHER_WORDS and name not in FIRST_NAMES
    return name not in NOT_SPEAKERS and not is_word and not _ACTION_WORD.fullmatch(name)


def form_of(content: str, context: str) -> LogForm | None:
    """Return how the lines of a talk are written if they all are in one way that needs to be told first."""
    return log_form(content) if context in _TALK else None


def _is_titled(name: str) -> bool:
    return name.split()[0].strip(".").casefold() in TITLES - LOOSE_TITLES


def _speaks(name: str, *, enough: bool) -> bool:
    words = name.split()
    if any(word.casefold().strip("*_.") in NOT_SPEAKERS for word in (words[0], words[-1]) if len(word.strip(".")) > 1):
        return False
    if len(words) > 4 or any(word[0].islower() for word in words):
        return False
    return enough or (words[0].casefold() in GIVEN_NAMES and len(words) <= 3)


def _speaks_by_office(header: re.Match[str], words: str) -> bool:
    """Whether an office before a colon is whose words follow, not what somebody is."""
    return header[1].casefold() in _OFFICES and is_statement(words) and _ENDS_SENTENCE.search(words) is not None


def is_current_record(content: str) -> bool:
    """Whether nothing says that the document is a record of what was rejected, replaced or only proposed."""
    return _UNSETTLED.search(content, 0, _STATUS_REACH) is None


def passages(
    content: str,
    *,
    title: str,
    labels: frozenset[str],
    context: str,
    written: date | None = None,
    form: LogForm | None = None,
) -> Iterator[Passage]:
    """Yield the passages of a document in order; code, quoted mail and block quotes are left out.

    `written` is the document's day, which tells how the stamps of chat lines are meant, `form` how its lines are
    written if it is a log.
    """
    reader = _Reader(content, labels, context, section=None, title=title, written=written or date.min)
    reader.form, reader.days = form, SectionDays(content, reader.written)
    reader.settled = is_current_record(content)
    at, size = _front_matter_end(content), len(content)
    while at < size:
        newline = content.find("\n", at)
        end = size if newline < 0 else newline
        yield from reader.line(at, end)
        at = end + 1
    yield from reader.flush()


def unsaid(content: str) -> Iterator[Passage]:
    """Yield what says nothing but names people: quotes, who wrote them, and the fields above all."""
    for match in _FIELD.finditer(content, 0, _front_matter_end(content)):
        kind: Kind = "header" if _HEADER.match(match[0]) else "bullet"
        yield Passage(match.start("said") if kind == "bullet" else match.start(), match.end(), kind)
    for match in _QUOTED_WORDS.finditer(content):
        kind = "header" if _HEADER.match(match["said"]) else "prose"
        yield Passage(match.start("said"), match.end("said"), kind)
    for match in _WROTE.finditer(content):
        yield Passage(match.start(), match.end(), "prose")


def _front_matter_end(content: str) -> int:
    """Return where the text begins behind a block of fields between two lines of `---`; 0 without one."""
    match = _FRONT_MATTER.match(content, 0, _FRONT_MATTER_REACH)
    return 0 if match is None else match.end()


@dataclass(slots=True)
class _Reader:
    """Reads line by line; `open` is the passage that the next line may continue."""

    content: str
    labels: frozenset[str]
    context: str
    section: Section | None
    title: str
    heading: str = ""
    level: int = 0
    speaker: str | None = None
    lasting: bool = False
    fence: str = ""
    pending_quote: str | None = None
    fresh: bool = False
    #: Below the title of a record of one decision that has not been stated yet.
    unstated: bool = False
    last_decision: int | None = None
    levels: list[tuple[int, Section | None]] = field(default_factory=list)
    #: Levels of headings that are directly followed by a list or table.
    with_list: set[int] = field(default_factory=set)
    open: Passage | None = None
    written: date = date.min
    day: date | None = None
    days: SectionDays = field(default_factory=lambda: SectionDays("", date.min))
    table: Table | None = None
    settled: bool = True
    form: LogForm | None = None
    #: Lines that begin before this were read with the line above.
    read_to: int = 0

    def line(self, start: int, end: int) -> Iterator[Passage]:
        head = self.content[start : min(end, start + _LINE_HEAD)].rstrip()
        if start < self.read_to:
            return
        if not _ROW.match(head):
            self.table = None
        if _PATCH.match(head) or (self.fence == _PATCHED and _PATCH_LINE.match(head)):
            yield from self.flush()
            self.fence = _PATCHED
            return
        if self.fence == _PATCHED:
            self.fence = ""
        if fence := _FENCE.match(head):
            yield from self.flush()
            self.fence = ("" if self.fence == fence[1] else self.fence) if self.fence else fence[1]
        elif self.fence:
            return
        elif not head.strip():
            yield from self._blank(start, end)
        elif self.form and (place := self.form.match(self.content, start)):
            yield from self._logged(place, start, end)
        elif _QUOTED.match(head) or _RULE.match(head) or _SIGNATURE.match(head):
            yield from self.flush()
            self.pending_quote = None
        elif ORIGINAL.match(head):
            yield from self._quoted_mail(head, start)
        elif wrote := _WROTE.match(self.content, start):
            yield from self._quoted_mail(wrote[0], start)
        elif quoted := wrote_at(self.content, start):
            yield from self._quoted_mail(quoted, start)
        else:
            self._settle_quote()
            yield from self._structured(head, start, end)

    def flush(self) -> Iterator[Passage]:
        """Yield what is open, sentence by sentence."""
        passage, self.open = self.open, None
        if passage is None:
            return
        for span in self._spans(passage):
            stated = is_statement(self.content[span.start_char : span.end_char])
            first = self.fresh and stated
            section: Section | None = "decisions" if self.unstated and stated else passage.section
            later = passage.kind == "bullet" and span.start_char > passage.words
            yield replace(passage, start=span.start_char, end=span.end_char, first=first, section=section, later=later)
            self.fresh, self.unstated = self.fresh and not stated, self.unstated and not stated

    def _spans(self, passage: Passage) -> Iterator[Span]:
        for span in sentences(self.content, passage.start, passage.end):
            yield from own_clauses(self.content, span) if passage.kind in ("prose", "bullet") else [span]

    def _logged(self, place: tuple[int, int, int], start: int, end: int) -> Iterator[Passage]:
        """Read a log's line, or who speaks in the lines below."""
        named, stop, words = place
        yield from self.flush()
        self.speaker, self.lasting = self.content[named:stop].strip(), words > end
        self.day = stamp_day(self.content[start:words], self.written) or self.day
        yield self._passage(named, stop, "label")
        if words > end:
            # The time may be on a separate line.
            self.read_to = self.content.rindex("\n", start, words) + 1
        else:
            self.open = self._passage(words, end, "prose")

    def _blank(self, start: int, end: int) -> Iterator[Passage]:
        if end - start > _LINE_HEAD and self.content[start:end].strip():
            yield from self._structured("", start, end)
            return
        yield from self.flush()
        if not self.lasting and self.context not in ("transcript", "chat"):
            self.speaker = None

    def _quoted_mail(self, head: str, start: int) -> Iterator[Passage]:
        yield from self.flush()
        self.pending_quote, self.day = quoted_author(head), full_date(head)
        self.heading, self.section = "", None
        if "\n" in head:
            self.read_to = start + head.index("\n") + 2

    def _settle_quote(self) -> None:
        """Give the words after "On … wrote:" to their writer, unless they were marked as quoted with `>`."""
        if self.pending_quote is not None:
            self.speaker, self.pending_quote, self.lasting = self.pending_quote or "?", None, True

    def _structured(self, head: str, start: int, end: int) -> Iterator[Passage]:
        is_whole = end - start <= _LONGEST_LINE
        if is_whole and (heading := self._heading(head, start, end)):
            yield from self.flush()
            yield heading
        elif is_whole and _ROW.match(head):
            yield from self.flush()
            yield self._row(start, end)
        elif is_whole and (rows := record(self.content, start, end)) is not None:
            yield from self.flush()
            passage = self._passage(start, end, "cell")
            yield replace(passage, kind="row", row=rows[0]) if rows else passage
        elif (day := line_day(head)) is not None and self.context in SPOKEN:
            yield from self.flush()
            self.day = day
        elif self._is_day_line(head, end):
            yield from self.flush()
            self.days.enter(_DAY_LINE, head)
        elif is_whole and (owned := OWNED_TASK.match(head)):
            yield from self.flush()
            yield self._passage(start + owned.start("owner"), end, "task")
        elif is_whole and (field := header_in(head, is_mail=self.context == "email")):
            yield from self.flush()
            yield self._field(*field, head, start, end)
        elif (header := _HEADER.match(head)) and _speaks_by_office(header, head[header.end() :]):
            yield from self.flush()
            self.speaker, self.lasting = header[1] if header[1] in self.labels else "?", False
            yield self._passage(start, start + header.end(), "label")
            self.open = self._passage(start + header.end(), end, "prose")
        elif header and is_whole:
            yield from self.flush()
            yield self._field(header[1].casefold(), header.end(), head, start, end)
        elif box := _BOX.match(head):
            yield from self.flush()
            self._note_list()
            sign = box[1] or box[2]
            kind: Kind = "task" if sign in _OPEN_BOXES else "void" if sign in _VOID_BOXES else "done"
            self.open = self._passage(start + box.end(), end, kind)
        elif task := _TASK.match(head):
            yield from self.flush()
            self._note_list()
            state: Kind = "task" if task["open"] else "done" if task["done"] else "void"
            self.open = self._passage(start + (task.start("waits") if task["waits"] else task.end()), end, state)
        elif bullet := _BULLET.match(head):
            yield from self.flush()
            self._note_list()
            is_done = _DONE_MARK.search(head) is not None
            begin = start + bullet.end()
            self.open = self._passage(begin, end, "done") if is_done else self._bullet(begin, end)
        elif (run_in := _RUN_IN.match(head)) and self.context not in _TALK:
            yield from self.flush()
            yield self._headed(start + run_in.start("head"), start + run_in.end("head"), 6)
            self.open = self._passage(start + run_in.end(), end, "prose")
        elif label := self._label(head):
            yield from self.flush()
            if self.levels and self.levels[-1][0] in self.with_list:
                self.section = None  # the list below the heading has ended: people talk
            self.speaker, self.lasting = label["name"].strip(), label["colon"] is None
            self.day = stamp_day(head[: label.end()], self.written) or self.day
            yield self._passage(start + label.start("name"), start + label.end("name"), "label")
            self.open = self._passage(start + label.end(), end, "prose") if start + label.end() < end else None
        elif (logged := _LOGGED.match(head)) and self.context not in _TALK:
            yield from self.flush()
            passage = self._passage(start + logged.end(), end, "bullet")
            self.open = replace(passage, day=full_date(logged["day"]) if logged["day"] else passage.day)
        else:
            yield from self._prose(head, start, end)

    def _field(self, name: str, value: int, head: str, start: int, end: int) -> Passage:
        """Read a field of a mail or of minutes, and who writes from there on, or on which day."""
        if name == "from" and not any(sign.isdigit() for sign in head.split("<")[0]):
            self.speaker, self.lasting = head[value:], True
        elif name in _DATED:
            self.day = full_date(head) or self.day
        return self._passage(start, end, "header")

    def _prose(self, head: str, start: int, end: int) -> Iterator[Passage]:
        if self.open is None or not self._goes_on(head, start):
            yield from self.flush()
            self.open = self._passage(start, end, "prose")
        else:
            self.open = replace(self.open, end=end)

    def _goes_on(self, head: str, start: int) -> bool:
        """Whether this line continues the open passage: it was wrapped, or it begins in the middle of a sentence."""
        assert self.open is not None
        tail_start = max(self.open.start, start - 1 - MAX_SENTENCE)
        tail = self.content[tail_start : start - 1].rsplit("\n", 1)[-1]
        if self.open.kind == "task" and _PLANNED.match(head):
            return True
        if _HEADED.match(head):
            return False
        if self.open.kind != "prose":
            return head[:1] in " \t" and not _ENDS_SENTENCE.search(tail)
        if self.context == "chat" and self.lasting and len(tail.strip()) < _WRAPPED:
            return False
        first = head.lstrip()[:1]
        if _ENDS_SENTENCE.search(tail):
            return len(tail.strip()) >= _WRAPPED
        return first.islower() or len(tail.strip()) >= _WRAPPED

    def _passage(self, start: int, end: int, kind: Kind) -> Passage:
        section: Section | None = "open" if self.section == "decisions" and not self.settled else self.section
        day = self.days.day
        return Passage(start, end, kind, self.heading, section, self.speaker, day=self.day, below=day)

    def _row(self, start: int, end: int) -> Passage:
        """Read a row of a table; its first one names the columns."""
        self._note_list()
        if self.table is None:
            self.table = table(self.content, start, end)
            return self._passage(start, end, "cell" if self.table.category is None else "void")
        row = self.table.row(self.content, start, end)
        inner = self.content[start:end].strip().strip("|").strip()
        first = self.content.find(inner, start, end) if inner else start
        cells = self._passage(first, first + len(inner) if inner else end, "cell")
        if row is not None:
            return replace(cells, kind="row", row=row)
        return replace(cells, who=self.table.who(self.content, start, end))

    def _note_list(self) -> None:
        if self.levels:
            self.with_list.add(self.levels[-1][0])

    def _bullet(self, start: int, end: int) -> Passage:
        """Read a bullet, and who says it if it begins with a known name: "- Dev: the upgrade is done"."""
        passage = self._passage(start, end, "bullet")
        label = _LABEL.match(self.content, start, min(end, start + _LINE_HEAD))
        if label is None or label["name"].strip() not in self.labels or self.section in ("actions", "people"):
            return passage
        if _ASSIGNMENT.match(self.content, label.end(), min(end, start + _LINE_HEAD)):
            return passage
        return replace(passage, speaker=label["name"].strip(), said=label.end())

    def _heading(self, head: str, start: int, end: int) -> Passage | None:
        level = 0
        if marked := _HASH.match(head):
            level, start = len(marked[1]), start + marked.end()
        elif (bold := _BOLD_LINE.match(head)) and bold[1].strip(": ") not in self.labels:
            level, start = 5, start + bold.start(1)
        elif names_section(head, self.labels) or self._stands_apart(head, start, end):
            level = 6
        else:
            return None
        return self._headed(start, end, level)

    def _stands_apart(self, head: str, start: int, end: int) -> bool:
        """Whether a line of a few words below a blank line and above a full one heads what follows."""
        if self.context not in _TITLED or not _PLAIN_TITLE.fullmatch(head.strip()):
            return False
        above, below = self.content[:start].rstrip(" \t"), self.content[end + 1 : end + 1 + _LINE_HEAD]
        return above.endswith("\n\n") and len(below.split("\n", 1)[0].split()) > len(head.split())

    def _headed(self, start: int, end: int, level: int) -> Passage:
        """Return a heading of this level and remember what it says about the lines below it."""
        text = self.content[start : min(end, start + _LINE_HEAD)].strip().strip("*_#: ")
        while self.levels and self.levels[-1][0] >= level:
            self.with_list.discard(self.levels.pop()[0])
        if level >= _UNMARKED and self.levels and self.levels[-1][0] in self.with_list:
            self.levels[-1] = (self.levels[-1][0], None)  # its list has ended
        named, below = section_of(text), speaks_below(text, level)
        if named is None and self.levels and not ends_section(text):
            named = self.levels[-1][1]
        titled = level == 1 and not below
        self.section = None if titled else named
        of_one = named == "decisions" and _OF_SEVERAL.search(text) is None
        self.unstated = titled and self.settled and of_one and self._last_decision() < end
        self.levels.append((level, self.section if below else None))
        self.days.enter(level, text)
        self.day = None if self.days.day is not None else self.day
        self.heading, self.fresh, self.speaker, self.lasting = text, True, None, False
        return Passage(start, end, "heading", text, self.section)

    def _last_decision(self) -> int:
        """Return where the last heading or marker of a decision stands, -1 if none does; looked for once."""
        if self.last_decision is None:
            self.last_decision = max((found.start() for found in _DECISION_BELOW.finditer(self.content)), default=-1)
        return self.last_decision

    def _is_day_line(self, head: str, end: int) -> bool:
        """Whether a line or bullet holds nothing but the day of the lines below it, those of a bullet farther in."""
        bullet = _DAY_BULLET.match(head)
        if not holds_only_a_day(head if bullet is None else head[bullet.end() :]):
            return False
        if bullet is None:
            return True
        below = self.content[end + 1 : end + 1 + _LINE_HEAD].split("\n", 1)[0].expandtabs(4)
        indent = len(bullet[1].expandtabs(4))
        return len(below) - len(below.lstrip()) > indent

    def _label(self, head: str) -> re.Match[str] | None:
        for pattern in _SPEAKER_LINES:
            match = pattern.match(head)
            if match and match["name"].strip() in self.labels and not self._assigns(head[match.end() :]):
                return match
        return None

    def _assigns(self, words: str) -> bool:
        """Whether the words behind "Name:" say what Name is to do, where nobody is quoted."""
        return self.context not in _TALK and _ASSIGNMENT.match(words) is not None


def titles(content: str, passage: Passage) -> bool:
    """Whether a first passage stands apart as a title does: an empty line below, and no end of a sentence above."""
    return content[passage.end - 1] not in ".!?…" and _APART.match(content, passage.end) is not None
