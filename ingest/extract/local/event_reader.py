"""Reading one document's events: whose act it is, by when, about what."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import datetime, time
from typing import Final

from core.dates.reading import due_day
from core.dates.recurrence import without_recurrence
from core.knowledge.findings import ActorRole, Category, FoundEvent, Span, normalise_name
from core.records import Artifact
from core.regex import regex
from ingest.document.reference_prose import is_record
from ingest.document.structure import Passage
from ingest.english.lexicon import ACTION
from ingest.english.name_patterns import NAME, looks_like_name
from ingest.extract.local.acts import EXPLICIT, Act
from ingest.extract.local.commitments import (
    find_assignee,
    find_first_assignee,
    find_handle,
    find_owner_field,
    initials_first,
    is_assignee,
    is_owed_to_speaker,
    is_own_commitment,
    is_recipient,
    is_unnamed,
    lacks_subject,
    limit,
    line_speaker,
    split_promises,
)
from ingest.extract.local.entities.attendee_lists import LABELLED, entry_name, listed_handles
from ingest.extract.local.entities.names import Name, Names, Place
from ingest.extract.local.entities.people import ASSIGNEE
from ingest.extract.local.event_details import (
    below_reason,
    find_event_time,
    find_topic_above,
    goes_on,
    is_bare_verdict,
    listed_below,
    names_issue,
    points_back,
    precedes_verdict,
    record_title,
    states_topic,
    summarise,
    talked_about,
)
from ingest.extract.local.other_languages import doer, owners
from ingest.extract.local.owners import (
    deciding_body,
    is_decided_by,
    is_decided_together,
    is_decider,
    list_owner,
    record_body,
)
from ingest.extract.local.speech_acts import marker_end

#: Words in italics: "_Dana Marsh_".
_EMPHASIS: Final = regex(r"(?<!\w)_(?=[^\s_])([^_\n]{1,200})(?<=\S)_(?!\w)")
_FIRST_PERSON: Final = regex(r"I\b|I['’]", re.I)
_PLURAL: Final = regex(r"we\b|our\b", re.I)
_CONTRIBUTES: Final = regex(r"\b(?:with|together with|and)\s+@?\Z", re.I)
_AGENT: Final = regex(r"\bby\s+@?\Z", re.I)
_REVIEWS: Final = regex(r"\breview(?:ed|s)? by\s+@?\Z", re.I)
_NAMED_OWNER: Final = regex(r"(?:\(|(?<!\[)\[|—|–|->|→|\bowner:?|\bassigned to:?|\bassignee:?|@)\s*@?\Z", re.I)
_WORD: Final = regex(r"\w+")
_SIGN: Final = regex(r"[^\W_]")
#: A cell that is a link or a handle, and how much of a line is read for its owner.
_LINKED: Final = regex(r"\[@?(?P<link>[^\]\n]{2,40})\]\([^)\n]*\)|@(?P<handle>[\w.-]{2,38})")
_LONGEST_LINE: Final = 2_000
_NAME_LAST: Final = regex(rf" (?:[–—-]|-+>|→|=>) ({NAME})[\s.|]*\Z")
#: What one person does.
_PERSONAL: Final = frozenset({"Commitment", "Execution", "Stakeholder"})
#: Of what is decided, feared or changed who says it is the one; of what is done or praised if it names nobody.
_RAISED: Final = frozenset({"Decision", "QualityRisk", "Change"})
_TOLD: Final = frozenset({"Commitment", "Execution", "Feedback"})
#: Contexts in which the words are their author's own.
_VOICED: Final = frozenset({"email", "chat", "note", "transcript", "conversation", "decision", "task"})
#: Contexts in which a verdict alone settles what is above it, and those of texts that may be records.
_SETTLES: Final = frozenset({"meeting", "decision", "project", "note"})
_PROSE: Final = frozenset({"document", "reference"})
_OWNER: Final[ActorRole] = "owner"
_RECEIVES: Final = regex(r"\b(?:to|for|from|with|about) (?:@|\[\[)?\Z")
#: What is to be done, before whom it is done to: "Call Bo", "send Bo the plan".
_ORDERED: Final = regex(rf"\W*(?:please )?{ACTION}(?: with| to)? (?:@|\[\[)?", re.I)
_POSSESSIVE: Final = regex(r"['’]s\b")
#: The line in the head of a record that names who decided, and how far that reaches, in characters.
_DECIDERS: Final = regex(
    r"(?<![^ ])[*_|>#-]*[ ]?(?:deciders?|decided by|decision[ -]makers?|approved by)\b[*_]*[ ]?[:|]", re.I
)
_HEAD: Final = 3_000
#: That somebody takes something on, and decides nothing: "Dana agreed to look for a contact".
_AGREES_TO_DO: Final = regex(
    r"\W*(?:(?:action|todo)\W+)?(?:[^.;]{0,60}, )?(?P<who>[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,2}) "
    r"(?:[^.;]{0,120} and )?(?:has |have |also )?(?:agree[ds]?|offer(?:s|ed)|volunteer(?:s|ed)) to (?!disagree\b)[a-z]"
)
_INITIALS: Final = regex(r"\([^()]{0,40}\)|\b[A-Z]{2,3}\b")
_NEAR_BEGINNING: Final = 12
#: A name that ends within so many characters begins a sentence.
_BEGINNING: Final = 40
#: A marker that says how it was decided.
_VERDICT: Final = regex(r"(?:rejected|approved|accepted|declined|signed off|adopted)", re.I)
#: What a speaker decides has so many words: "Agreed" says yes to what another said.
_FEWEST_WORDS: Final = 2
#: A promise that does not say what about: "Will do", "I'll fix it tomorrow".
_SAYS_LITTLE: Final = regex(
    r"\W*(?:[^\n:]{1,40}:\s+)?(?:(?:[\w.'’-]+ ){0,3}?(?:will|shall|to|can)|\w+['’]ll) "
    r"(?:(?:also|then|just|try to) )*\w+(?: (?:into|on|up on|care of))?"
    r"(?: (?:it|that|this|them|so|both|one|another (?:pass|look|round|try)))*"
    r"(?: (?:today|tomorrow|soon|later|now|then|(?:next|this) week|(?:by|on|before) \w+))*\W*",
    re.I,
)
#: Behind somebody who is only said to do something beside a decision: "with Ana volunteering".
_DOES: Final = regex(r"\s+\w+ing\b")
#: How far back "he", "she" or "the next day" is looked for, in characters.
_NEARBY: Final = 250


@dataclass(frozen=True, slots=True)
class Reading:
    """One document while its events are read."""

    artifact: Artifact
    flat: str
    #: When it was written, as far as known; None means that relative times in it mean nothing.
    written: datetime | None
    names: Names
    author: str | None
    #: Whether it is in a language of which only the structure is read.
    is_foreign: bool = False
    #: Handles in small letters that lists of people in it have.
    _handles: Collection[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_handles", listed_handles(self.artifact.memory.content))

    def events(self, passage: Passage, done: list[Act]) -> list[FoundEvent]:
        parts = (part for act in self._undertaken(passage, done) for part in self._parts(passage, act))
        return [event for part, act in parts if (event := self._event(part, act)) is not None]

    def _parts(self, passage: Passage, act: Act) -> list[tuple[Passage, Act]]:
        if act.category != "Commitment":
            return [(passage, act)]
        return split_promises(self.flat, passage, act, self.names, self._day(passage))

    def _day(self, passage: Passage) -> datetime:
        """Return a day for what only asks whether there is a date, which is the day of storing where none is known."""
        return self._written(passage) or self.artifact.happened_at

    def _written(self, passage: Passage) -> datetime | None:
        day = passage.day or passage.below
        if day is None or (self.written is not None and passage.day is None and self.written.date() == day):
            return self.written
        return datetime.combine(day, time.min, (self.written or self.artifact.happened_at).tzinfo)

    def _event(self, passage: Passage, act: Act) -> FoundEvent | None:
        if (passage.kind in ("task", "done") or act.category == "Commitment") and self._is_name(passage):
            return None  # somebody who was there, or a legend of initials
        quote = self.artifact.memory.content[passage.start : passage.end]
        written = self._written(passage)
        due = self._due(passage, self._day(passage)) if act.category == "Commitment" else None
        speaker = self._speaker(passage)
        actors = self._actors(passage, act, speaker)
        opening = marker_end(self.flat, passage)
        if act.category == "Decision" and self._decides_nothing(passage, opening):
            return None
        matter = self._matter(passage, speaker, act.category)
        is_short = len(_WORD.findall(self.flat, opening, passage.end)) < _FEWEST_WORDS
        if act.category == "Decision" and passage.speaker is not None and is_short and matter is None:
            return None
        label = self.flat[passage.words : opening].strip(" *_:–—-[]")
        opening = passage.words if _VERDICT.fullmatch(label) else opening
        said = Span(opening, passage.end) if passage.row is None else passage.row.what
        listed = "" if passage.row else listed_below(self.artifact.memory.content, passage.start, passage.end)
        return FoundEvent(
            act.category,
            summarise(f"{self.flat[said.start_char : said.end_char]} {listed}", speaker, matter),
            quote,
            passage.start,
            self._owned(passage, act, actors, speaker),
            self._subjects(passage),
            self._event_time(passage, act, written),
            self._due(passage, None) if written is None and due is not None else due,
            act.confidence,
        )

    def _decides_nothing(self, passage: Passage, opening: int) -> bool:
        """Whether a sentence is a form to fill in, gives a reason, or precedes the verdict that confirms it."""
        content = self.artifact.memory.content
        if _SIGN.search(self.flat, opening, passage.end) is None:
            return True
        if passage.kind == "bullet" and below_reason(content, passage.start):
            return True
        return precedes_verdict(content, passage.start, passage.end)

    def _undertaken(self, passage: Passage, done: list[Act]) -> list[Act]:
        """Return what a sentence does; what one person agrees to do is a promise and no decision."""
        if not any(act.category == "Decision" for act in done) and self._settles_above(passage):
            return [*done, Act("Decision", EXPLICIT, passage.words, passage.words, passage.words)]
        promised = _AGREES_TO_DO.match(self.flat, passage.words, passage.end)
        if promised is None or not self._is_person(promised["who"]):
            return done
        others = [act for act in done if act.category != "Decision"]
        if len(others) == len(done) or any(act.category == "Commitment" for act in others):
            return others
        return [*others, *(replace(act, category="Commitment") for act in done if act.category == "Decision")]

    def _settles_above(self, passage: Passage) -> bool:
        """Whether a passage is a verdict alone, in minutes or a record, on what stands above it."""
        memory = self.artifact.memory
        if memory.context not in _SETTLES and not (memory.context in _PROSE and is_record(memory.content)):
            return False
        speaker = self._speaker(passage)
        return (
            passage.row is None
            and is_bare_verdict(memory.content, passage.words, passage.end)
            and self._matter(passage, speaker, "Decision") is not None
        )

    def _is_person(self, name: str) -> bool:
        known = self.names.called(name)
        if known is not None and known.type == "person":
            return True
        is_listed = name in self.names.initials or any(name.casefold() == one.casefold() for one in self.names.handles)
        return is_listed or any(
            name == "".join(word[0] for word in one.name.split() if word[0].isupper())
            for one in self.names.all
            if one.type == "person" and " " in one.name
        )

    def _is_name(self, passage: Passage) -> bool:
        """Whether a passage is somebody's name and nothing else, but for initials in brackets."""
        at, rest = passage.words, ""
        for place in self.names.between(passage.words, passage.end):
            if place.start >= at and self.names.all[place.index].type == "person":
                rest, at = rest + self.flat[at : place.start], place.end
        return at > passage.words and _INITIALS.sub("", rest + self.flat[at : passage.end]).strip(" ,;:|-@*_") == ""

    def _matter(self, passage: Passage, speaker: str | None, category: Category) -> str | None:
        """Return what a decision or commitment is about by what it is below, if its own sentence does not say it."""
        if passage.row is not None or category not in ("Decision", "Commitment"):
            return None
        first = self.names.between(passage.start, passage.words + _BEGINNING)
        named = {self.names.all[place.index].name for place in first} | ({speaker} if speaker else set())
        text = self.flat[passage.words : passage.end]
        content = self.artifact.memory.content
        if category == "Commitment":
            return find_topic_above(content, passage.start, named) if _SAYS_LITTLE.fullmatch(text) else None
        if not states_topic(text, named):
            return find_topic_above(content, passage.start, named, points_back=points_back(text))
        if goes_on(text):
            said = talked_about(content, passage.start)
        else:
            said = record_title(content) if passage.section == "decisions" else None
        if said is not None:
            return said
        above = None if names_issue(text) else find_topic_above(content, passage.start, named)
        return above if above is not None and names_issue(above) else None

    def _due(self, passage: Passage, written: datetime | None) -> datetime | None:
        when = None if passage.row is None else passage.row.when
        text = self.flat[passage.start : passage.end]
        if self.is_foreign:
            return self._foreign_due(text, passage, written)
        told = None if when is None else limit(f"due: {self.flat[when.start_char : when.end_char]}", written)
        if told is None and (rest := without_recurrence(text)) != text:
            return limit(rest, written)  # what comes back has no day by which all of it is done
        if told is None and (told := limit(text, written)) is None:
            day = due_day(text, None if written is None else written.date(), only_limits=True)
            told = None if day is None else limit(f"due: {day}", written)
        return told

    def _foreign_due(self, text: str, passage: Passage, written: datetime | None) -> datetime | None:
        """Return when something is due by the words of another language, of a row by its own cell first."""
        when = None if passage.row is None else passage.row.when
        today = None if written is None else written.date()
        cell = None if when is None else due_day(self.flat[when.start_char : when.end_char], today, is_limit=True)
        day = cell or due_day(text, today)
        return limit(text if day is None else f"due: {day}", written)

    def _speaker(self, passage: Passage) -> str | None:
        if passage.speaker is None:
            return self.author if self.author is None else self._canonical(self.author)
        name = entry_name(passage.speaker) if passage.speaker != "?" else None
        return None if name is None else self._canonical(name)

    def _canonical(self, name: str) -> str:
        known = self.names.called(name)
        return name if known is None else known.name

    def _actors(self, passage: Passage, act: Act, speaker: str | None) -> tuple[tuple[str, ActorRole], ...]:
        if self.is_foreign:
            return self._foreign_actors(passage, act)
        roles: dict[str, ActorRole] = {}
        sentence = self.flat[passage.words : passage.end]
        who = self.flat[act.who_start : act.who_end].rsplit(" ", 1)[-1]
        if speaker is not None and _FIRST_PERSON.fullmatch(who):
            roles[speaker] = "owner"
        elif speaker is not None and _PLURAL.match(who) and not is_unnamed(sentence):
            roles[speaker] = "contributor"
        owner = self._owner_of_line(passage) if act.category == "Commitment" else None
        for assignee in self._assignees(passage, act) if owner is None else [owner]:
            roles[assignee] = "owner"
        if act.category == "Commitment" and not roles and (first := find_first_assignee(sentence)) is not None:
            roles[self._canonical(first)] = "owner"
        for place in self.names.between(passage.start, passage.end):
            name = self.names.all[place.index]
            if name.type not in ("person", "org", "object"):
                continue
            role = self._role(passage, act, place, owned="owner" in roles.values())
            allowed = {"org": ("owner", "recipient"), "object": ("recipient",)}.get(name.type, ())
            is_party = name.type == "person" or (act.category == "Commitment" and role in allowed)
            if roles.get(name.name) != "owner" and is_party:
                roles[name.name] = role
        if act.category == "Commitment":
            self._add_parties(roles, sentence, speaker)
        if "owner" not in roles.values() and speaker is not None and act.own and self._is_own(act):
            roles[speaker] = "owner"
        named = [name for name, role in roles.items() if name != speaker and role != "recipient"]
        if "owner" not in roles.values() and (meant := self._meant(passage, act, who, named)) is not None:
            roles[meant] = "owner"
        return tuple(roles.items())

    def _foreign_actors(self, passage: Passage, act: Act) -> tuple[tuple[str, ActorRole], ...]:
        """Return whose act it is by structure, and whom else it names."""
        named = [self.names.all[place.index] for place in self.names.between(passage.start, passage.end)]
        roles = dict[str, ActorRole]((name.name, "stakeholder") for name in named if name.type == "person")
        if act.category != "Decision":
            first = doer(self.flat, passage, self.names)
            owned = owners(self.flat, passage) or ([] if first is None else [first])
            roles |= dict.fromkeys(map(self._canonical, owned), _OWNER)
        return tuple(roles.items())

    def _add_parties(self, roles: dict[str, ActorRole], sentence: str, speaker: str | None) -> None:
        """Add the owner whom a sentence gives by initials, a handle or as its speaker, and the speaker as recipient."""
        named = find_assignee(sentence) or find_handle(sentence, self._handles)
        if "owner" not in roles.values() and named is not None:
            roles[self._canonical(named)] = "owner"
        if speaker is None:
            return
        is_owned = "owner" in roles.values()
        if not is_owned and is_own_commitment(sentence) and not is_unnamed(sentence):
            roles[speaker] = "owner"
        elif roles.get(speaker) != "owner" and is_owed_to_speaker(sentence):
            roles[speaker] = "recipient"

    def _is_own(self, act: Act) -> bool:
        """Whether what somebody says of "my" thing may be that one's act; `_add_parties` tells whose a promise is."""
        if act.category == "Commitment":
            return False
        return act.category != "Decision" or self.artifact.memory.context in _VOICED

    def _meant(self, passage: Passage, act: Act, who: str, named: list[str]) -> str | None:
        """Return whose act it is by what stands around: "he" or "she" is the only person named shortly before.

        What one person does is done by the first whom its sentence names, unless it was done for that one.
        """
        if who.casefold() in ("he", "she"):
            return self._before(passage)
        sentence = self.flat[passage.words : passage.end]
        if act.category == "Commitment" and (is_own_commitment(sentence) or is_unnamed(sentence)):
            return None
        if act.category == "Commitment":
            named = [name for name in named if self._begins(passage, name)]
        if act.category in _PERSONAL and not self._has_subject(act):
            if act.category == "Stakeholder":
                return next(iter(named), None)
            return next((name for name in named if not self._receives(passage, name)), None)
        return None

    def _begins(self, passage: Passage, person: str) -> bool:
        """Whether a person is named at the beginning of a passage, or behind its marker."""
        end = marker_end(self.flat, passage) + _NEAR_BEGINNING
        near = self.names.between(passage.words, min(passage.end, end + len(person)))
        return any(self.names.all[place.index].name == person and place.start <= end for place in near)

    def _receives(self, passage: Passage, person: str) -> bool:
        """Whether something is done for a person or with what is theirs: "sent to Bo", "call Bo", "Bo's laptop"."""
        places = self.names.between(passage.words, passage.end)
        place = next((place for place in places if self.names.all[place.index].name == person), None)
        if place is None:
            return True
        begin = marker_end(self.flat, passage)
        if _ORDERED.fullmatch(self.flat, begin, place.start):
            return True
        before = self.flat[max(passage.words, place.start - 24) : place.start]
        return _RECEIVES.search(before) is not None or _POSSESSIVE.match(self.flat, place.end) is not None

    def _owned(
        self, passage: Passage, act: Act, actors: tuple[tuple[str, ActorRole], ...], speaker: str | None
    ) -> tuple[tuple[str, ActorRole], ...]:
        """Return the actors of an act; what nobody in it owns is of those who decide by the document, or who speaks."""
        if self.is_foreign or any(role == "owner" for _, role in actors):
            return actors
        owners = self._deciders(passage) if act.category == "Decision" else ()
        if act.category == "Commitment":
            owners = self._owners_around(passage, act)
        if not owners and speaker is not None and self._speaks_for(passage, act, actors, speaker):
            owners = (speaker,)
        return tuple({**dict(actors), **dict.fromkeys(owners, _OWNER)}.items())

    def _owners_around(self, passage: Passage, act: Act) -> tuple[str, ...]:
        """Return who speaks in the line of a commitment, or whose list it is in, if its own sentence names nobody."""
        sentence = self.flat[passage.words : passage.end]
        if is_unnamed(sentence):
            return ()
        content = self.artifact.memory.content
        if passage.speaker is None and (is_own_commitment(sentence) or lacks_subject(sentence)):
            starts = content.rfind("\n", 0, passage.start) + 1, content.rfind("\n\n", 0, passage.start) + 2
            said = (line_speaker(content[start : passage.start]) for start in starts)
            if (label := next(filter(None, said), None)) is not None:
                return (self._canonical(label),)
        owner = None if self._has_subject(act) else list_owner(content, passage.start, self.names)
        return () if owner is None else (owner,)

    def _owner_of_line(self, passage: Passage) -> str | None:
        """Return whom a field of a line, or the cell of a row, names as the owner."""
        content = self.artifact.memory.content
        if passage.row is not None:
            who = passage.row.who
            cell = "" if who is None else content[who.start_char : who.end_char]
            named = _LINKED.fullmatch(cell.strip())
            return None if named is None else self._canonical(named["link"] or named["handle"])
        end = content.find("\n", passage.end)
        line = content[content.rfind("\n", 0, passage.start) + 1 : end if end >= 0 else len(content)]
        found = find_owner_field(line[:_LONGEST_LINE])
        if found is None and (last := _NAME_LAST.search(line[:_LONGEST_LINE])) is not None:
            known = self.names.called(last[1])
            found = None if known is None or known.type != "person" else known.name
        return None if found is None else self._canonical(found)

    def _deciders(self, passage: Passage) -> tuple[str, ...]:
        """Return the body that decides by the sentence, else whom the head of the document names as those who decided,
        else the body whose record it is."""
        memory = self.artifact.memory
        is_spoken = memory.context in _VOICED and memory.context != "transcript"
        record = None if is_spoken else record_body(memory.title, memory.content, memory.file_path, self.names)
        if (body := deciding_body(self.flat[passage.start : passage.end], self.names, record)) is not None:
            return (body,)
        return self._named_deciders() or (() if record is None else (record,))

    def _named_deciders(self) -> tuple[str, ...]:
        line = _DECIDERS.search(self.flat, 0, _HEAD)
        if line is None:
            return ()
        content = self.artifact.memory.content
        ends = content.find("\n", line.end())
        named = (
            self.names.all[place.index] for place in self.names.between(line.end(), ends if ends >= 0 else len(content))
        )
        return tuple(dict.fromkeys(name.name for name in named if name.type == "person"))

    def _speaks_for(self, passage: Passage, act: Act, actors: tuple[tuple[str, ActorRole], ...], speaker: str) -> bool:
        """Whether an act without a subject belongs to the speaker; minutes and reports have no speaker."""
        if act.category == "Commitment" and is_unnamed(self.flat[passage.words : passage.end]):
            return False
        is_voiced = self.artifact.memory.context in _VOICED
        if not is_voiced and (passage.speaker is None or act.category == "Decision"):
            return False
        is_of_all = act.category == "Decision" and self.artifact.memory.context == "transcript"
        if is_of_all and is_decided_together(self.flat[passage.words : passage.end]):
            return False
        who = self.flat[act.who_start : act.who_end].rsplit(" ", 1)[-1]
        if _PLURAL.match(who):
            return True
        if self._has_subject(act):
            return False
        others = [name for name, _ in actors if name != speaker]
        return act.category in _RAISED or (act.category in _TOLD and not others)

    def _has_subject(self, act: Act) -> bool:
        """Whether an act has a person as subject; a capitalised word that is no known name may be an ordinary word."""
        who = self.flat[act.who_start : act.who_end]
        known = self.names.called(who)
        return act.has_who and (who.rsplit(" ", 1)[-1].islower() if known is None else known.type in ("person", "org"))

    def _before(self, passage: Passage) -> str | None:
        """Return whose words they are, else the only person named in the sentence before or in the paragraph so far."""
        if passage.said and (speaker := self._speaker(passage)) is not None:
            return speaker
        paragraph = self._paragraph(passage)
        for start in (max(paragraph, self.flat.rfind(". ", paragraph, passage.start - 2)), paragraph):
            near = [self.names.all[place.index] for place in self.names.between(start, passage.start)]
            people = {name.name for name in near if name.type == "person"}
            subject = initials_first(self.flat[start : passage.start].lstrip(" .*-"))
            if len(people) == 1 and subject is None:
                return people.pop()
            if subject is not None:
                return self._canonical(subject)
        return None

    def _paragraph(self, passage: Passage) -> int:
        """Return where the paragraph begins in which a passage stands, or what is near before it."""
        start = max(0, passage.start - _NEARBY)
        return max(start, self.artifact.memory.content.rfind("\n\n", start, passage.start))

    def _assignees(self, passage: Passage, act: Act) -> list[str]:
        """Return the names before "to send …" or ": send …" of a task, known or not."""
        if act.category not in ("Commitment", "Execution"):
            return []
        match = ASSIGNEE.match(self.flat, marker_end(self.flat, passage), passage.end)
        if match is None:
            label = LABELLED.match(self.flat, passage.start, passage.end) if passage.kind in ("task", "done") else None
            owner = None if label is None else self.names.called(label[1])
            return [owner.name] if owner is not None and owner.type == "person" else []
        owners = []
        for name in [match[1], *re.findall(NAME, match[2] or "")]:
            known = self.names.called(name)
            if known is None and looks_like_name(name) and not act.has_who:
                owners.append(name)
            elif known is not None and known.type == "person":
                owners.append(known.name)
        return owners

    def _role(self, passage: Passage, act: Act, place: Place, *, owned: bool) -> ActorRole:
        start, before = place.start, self.flat[max(passage.start, place.start - 24) : place.start]
        if act.category == "Commitment" and is_recipient(
            self.flat, start, place.end, is_person=self.names.all[place.index].type == "person"
        ):
            return "recipient"
        if act.category == "Commitment" and not owned:
            span = Span(passage.start, passage.end)
            if is_assignee(self.flat, span, start, place.end):
                return "owner"
        if act.category in ("Commitment", "Execution") and _POSSESSIVE.match(self.flat, place.end):
            return "stakeholder"  # "Bo's laptop was repaired", "Bo's brother will repair it"
        is_first = act.category == "Decision" and start <= passage.words + 2
        if act.who_start <= start < act.who_end or is_first:
            return "owner" if act.category != "Decision" or is_decider(self.flat, place.end) else "stakeholder"
        if _REVIEWS.search(before):
            return "reviewer"
        is_agent = act.category != "Decision" and _AGENT.search(before) is not None
        if act.category == "Decision" and is_decided_by(self.flat, passage.start, start):
            return "owner"
        if not owned and (is_agent or (act.category == "Commitment" and _NAMED_OWNER.search(before))):
            return "owner"
        if not owned and act.category in ("Commitment", "Execution") and start == passage.start and not act.has_who:
            return "owner"
        is_beside = act.category == "Decision" and _DOES.match(self.flat, place.end) is not None
        return "contributor" if _CONTRIBUTES.search(before) and not is_beside else "stakeholder"

    def _subjects(self, passage: Passage) -> tuple[str, ...]:
        """Return the things named in the passage, else those of its heading, else those of the title."""
        named = [self.names.all[place.index] for place in self.names.between(passage.start, passage.end)]
        found = _things(named)
        for text in (passage.heading, self.artifact.memory.title or ""):
            if not found and text:
                found = _things([name for name in self.names.all if _names(text, name)])
        return found

    def _event_time(self, passage: Passage, act: Act, written: datetime | None) -> datetime | None:
        """Return the past day that the sentence tells of, else when it was written."""
        if act.category == "Commitment":
            return written
        text, before = self.flat[passage.words : passage.end], self.flat[self._paragraph(passage) : passage.start]
        return find_event_time(text, before, written, decides=act.category == "Decision") or written


def unemphasised(content: str) -> str:
    """Return a text with blanks in place of the underscores around words in italics; no place moves."""
    return _EMPHASIS.sub(r" \1 ", content)


def _things(names: list[Name]) -> tuple[str, ...]:
    things = [name for name in names if name.type in ("project", "org", "object")]
    return tuple(dict.fromkeys(name.name for name in things))


def _names(text: str, name: Name) -> bool:
    folded = _plain(text)
    return any(_plain(form) in folded for form in (name.name, *name.forms))


def _plain(text: str) -> str:
    return f" {' '.join(_WORD.findall(normalise_name(text)))} "
