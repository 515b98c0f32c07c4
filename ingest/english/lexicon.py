"""Lists of words: what is a name and what is not (`lexicon.txt`, `given_names.txt`), verbs of people; plain letters."""

import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import Final

from core.dates import MONTH_ABBREVIATIONS, MONTHS, WEEKDAY_ABBREVIATIONS, WEEKDAYS
from core.regex import regex


def read_sections(file: Path) -> dict[str, frozenset[str]]:
    """Return the words, or where these are parted by commas the phrases, under each `[name]` of a file."""
    sections: dict[str, frozenset[str]] = {}
    for section in file.read_text(encoding="utf-8").split("\n[")[1:]:
        name, _, text = section.partition("]\n")
        words = " ".join(text.split()).split(", ") if "," in text else text.split()
        sections[name] = frozenset(words)
    return sections


_SECTIONS: Final = read_sections(Path(__file__).with_name("lexicon.txt"))
_GIVEN: Final = read_sections(Path(__file__).with_name("given_names.txt"))
#: Given names that are rarely anything else, folded to lower case.
GIVEN_NAMES: Final = frozenset().union(*_GIVEN.values())

#: Given names that are also common words, months, places or brands: a person only where the sentence says so.
AMBIGUOUS_NAMES: Final = _SECTIONS["ambiguous names"]

#: Both: what may be somebody's given name.
FIRST_NAMES: Final = GIVEN_NAMES | AMBIGUOUS_NAMES
#: Given names that only women, and only men, are known to have.
WOMEN: Final = _GIVEN["of women"] | _SECTIONS["names of women"]
MEN: Final = _GIVEN["of men"] | _SECTIONS["names of men"]
# A megabyte and a half that the sets above have, too.
_GIVEN.clear()
#: Ambiguous names that are names wherever they are alone, with a capital, inside a sentence.
INNER_NAMES: Final = _SECTIONS["inner names"]
#: Ambiguous names whose everyday word does not act or become anything: "Mark was", "Will knows".
FINITE_NAMES: Final = _SECTIONS["finite names"]
#: East Asian family names, which come before the given name unless the bearer reverses them.
EASTERN_FAMILIES: Final = _SECTIONS["eastern families"]

CALENDAR: Final = MONTH_ABBREVIATIONS.union(MONTHS, WEEKDAYS, WEEKDAY_ABBREVIATIONS) | _SECTIONS["calendar"]

#: Words that a sentence or line may begin with, capitalised, and that are never part of a name.
STARTERS: Final = _SECTIONS["starters"]

#: Words that make a capitalised phrase a role, a team or a thing rather than a person.
THING_WORDS: Final = _SECTIONS["thing words"]

#: Words by which a label such as "Project Manager" names a speaker's role: its first word is no first name.
ROLE_WORDS: Final = THING_WORDS | _SECTIONS["role words"]

#: Line labels ("Note: …") that are no speaker, folded to lower case.
NOT_SPEAKERS: Final = STARTERS | _SECTIONS["not speakers"] | frozenset(MONTHS) | frozenset(WEEKDAYS)

#: Places a work document is likely to name, folded to lower case.
PLACES: Final = _SECTIONS["places"]

#: First and last words that make a capitalised phrase a place: "Port Calder", "Teal Bridge".
PLACE_FIRST: Final = _SECTIONS["place first"]
PLACE_LAST: Final = _SECTIONS["place last"]

#: Legal forms of companies, as written after the name; "as", "sa", "co" and the like are often other words.
LEGAL_FORMS: Final = frozenset("inc ltd gmbh corp llc ag plc srl spa sarl bv nv ab oy aps kg llp limited".split())
#: Last words of a company's name.
COMPANY_WORDS: Final = LEGAL_FORMS | _SECTIONS["company words"]

#: Makers and products whose names are followed by other capitalised words.
BRANDS: Final = _SECTIONS["brands"]

#: Organisations that hardly anything else is called like: companies in small letters, acronyms in capitals.
ORGANISATIONS: Final = _SECTIONS["organisations"]

#: What a name of several words ends with, if it is an organisation's: what it is or what it deals in.
ORGANISATION_KINDS: Final = _SECTIONS["kinds of organisations"]

#: The same behind a given name alone: elsewhere it is more often no name at all ("Python Training").
TRADES: Final = _SECTIONS["trades"]

#: Words in capitals that name nothing.
PLAIN_ACRONYMS: Final = _SECTIONS["plain acronyms"]

#: Everyday words that titles and names of things are made of, and hardly any person's name.
COMMON_WORDS: Final = _SECTIONS["common words"]
#: Common family names as well, but hardly anybody's first name.
COMMON_FIRST: Final = COMMON_WORDS | _SECTIONS["common first"]

#: Words of everyday that are family names behind a given one: "Ruth Marsh", "Anna Church".
FAMILY_WORDS: Final = _SECTIONS["family words"]

#: Mail domains that say nothing about an employer.
FREE_MAIL: Final = _SECTIONS["free mail"]

#: Mail boxes and handles that are no person.
SHARED_BOXES: Final = _SECTIONS["shared boxes"]

#: Words in the names and mail boxes of teams, rooms, mailing lists and programs.
GROUP_WORDS: Final = _SECTIONS["group words"]

#: Never the first or last word of a person's name.
NOT_NAMES: Final = STARTERS | THING_WORDS | CALENDAR | ROLE_WORDS
#: What people are, by trade or office.
OFFICES: Final = ROLE_WORDS | _SECTIONS["offices"]
#: What heads a line that lists people, folded.
PERSON_HEADERS: Final = _SECTIONS["person headers"]
#: Parts of an organisation, which somebody of it may be said to be of.
DEPARTMENTS: Final = _SECTIONS["departments"]
#: Purposes of teams, boards and committees, written after the owner's name.
BODY_TASKS: Final = DEPARTMENTS | _SECTIONS["tasks of bodies"]
#: Words that are hardly anybody's name: of everyday, places, makers.
OTHER_WORDS: Final = NOT_NAMES | COMMON_WORDS | PLACES | BRANDS | COMPANY_WORDS
#: Words that are as likely something else as a family name.
LISTED: Final = OTHER_WORDS | GIVEN_NAMES | AMBIGUOUS_NAMES


#: Letters that are others with a mark by custom alone, which Unicode does not take apart.
_MARKED: Final = str.maketrans(
    {
        "ı": "i",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "ß": "ss",
        "æ": "ae",
        "œ": "oe",
        "ð": "d",
        "þ": "th",
        "Þ": "Th",
    }
)


#: What some writers leave out inside a name: an apostrophe, the blank between two names in Chinese characters, in
#: kana or in Hangul.
_LEFT_OUT: Final = regex(
    r"(?<=[^\W\d_])['’‘ʼ`](?=[^\W\d_])|(?<=[\u3040-\u9fff\uac00-\ud7af]) +(?=[\u3040-\u9fff\uac00-\ud7af])"
)


@lru_cache(20_000)
def unmarked(name: str) -> str:
    """Return a name in plain Latin letters where it has marks or apostrophes: Elif Yildiz for Elif Yıldız."""
    if name.isascii():
        return _LEFT_OUT.sub("", name)
    parts = unicodedata.normalize("NFKD", _LEFT_OUT.sub("", name).translate(_MARKED))
    return "".join(sign for sign in parts if not "\u0300" <= sign <= "\u036f")


#: Letters that are written as two where a keyboard does not have them.
_AS_TWO: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Å": "Aa", "Ø": "Oe"}
)


def spelt_out(name: str) -> str:
    """Return a name with two letters for each with a mark, as German and Danish spell it: Juergen for Jürgen."""
    return unmarked(unicodedata.normalize("NFC", name).translate(_AS_TWO))


#: What work is promised with: enough for a promise without a date.
ACTION: Final = (
    r"(?:send|share|write|draft|prepare|review|check|follow|fix|update|finish|finali[sz]e|complete|deliver|schedule|"
    r"set up|organi[sz]e|book|contact|call|e-?mail|ask|talk to|speak to|speak with|look into|look at|investigate|"
    r"create|build|implement|"
    r"test|deploy|ship|submit|publish|document|present|provide|collect|get back|circulate|order|sign|confirm|add|"
    r"remove|migrate|"
    r"move|merge|release|launch|report|arrange|coordinate|handle|own|lead|run|reach out|upload|post|file|open|close|"
    r"analy[sz]e|evaluate|design|develop|refactor|clean up|verify|validate|approve|distribute|post|revise|rewrite|"
    r"take over|take care of|work on|work with|bring|hand over|hire|pay|transcribe|record|notify|inform|train|"
    r"monitor|onboard|propose|redo|chase|tell|raise|ping|forward|rotate|renew|replace|restart|repair|recruit|"
    r"inventory|reply|respond|answer|clarify|estimate|sketch|measure|research|compile|gather|invite|register|install|"
    r"configure|announce|translate|print|buy|purchase|negotiate|plan|push|pull|bump|roll out|roll back|rerun|re-run|"
    r"double-check|sync with|meet with|meet|visit|drive|fetch|pick up|drop off|archive|back up|restore|rename|extend|"
    r"summari[sz]e|produce|host|moderate|supply|return|hand in|hand out|map|list|audit|assess|interview|survey)\b"
)
#: What is no act, or no firm one: after "will" these tell of a state, a feeling, a doubt or a denial.
NO_ACT: Final = (
    r"(?:be(?!(?: \w+ly)? \w+ing\b)|been|have|has|had|see|know|like|love|hate|think|feel|hope|wish|seem|appear|remain|"
    r"stay|become|turn|need|want|believe|understand|mean|matter|depend|happen|occur|rain|snow|die|suffer|benefit|"
    r"not|never|no|hardly|probably|possibly|likely|hopefully|presumably|maybe|perhaps|only|soon|always|usually|"
    r"often|sometimes|still|the|a|an|do|does|say|leave|retire|lose|miss|win)\b"
)
#: What things do as readily as people: no sign that the name before it is a person's.
_OF_THINGS: Final = (
    r"(?:begin|start|end|go|come|launch|expire|cost|contain|include|require|support|replace|reach|arrive|fall|rise|"
    r"grow|shrink|drop|increase|decrease|continue|resume|take|last|work|fail|break|change|move|get|close|open|ship|"
    r"stop|serve|host|feature|bring|make|offer|provide|give|enable|allow|help|use|apply|affect|cover|run)\b"
)
#: What hardly anything but a person does: speech and feeling.
SPEECH: Final = (
    r"(?:said|says|asked|asks|told|tells|thinks|thought|replied|explained|promised|promises|volunteered|mentioned|"
    r"suggested|suggests|nodded|insisted|argued|argues|admitted|complained|wondered|wonders|hopes|hoped|feels|felt|"
    r"believes|believed|doubts|prefers|preferred|wants|wanted|wishes|wished|apologi[sz]ed|reminded|warned|noticed|"
    r"wrote|phoned|(?:is|are|was|were) (?:very |not |a bit |quite |also |still )?(?:worried|concerned|afraid|happy|"
    r"unhappy|sorry|pleased|annoyed|convinced|sure|keen|sick|ill|away|on (?:leave|holiday|vacation)))\b"
)
_DEED: Final = (
    r"(?:decided|decides|agreed|agrees|approved|approves|chose|opted|signed|rejected|voted|selected|settled|proposed|"
    r"proposes|requested|reviewed|committed|commits|pledged|undertook|offered|presented|raised|reported|confirmed|"
    r"noted|pointed out|leads|owns|manages|looks after|joined)\b"
)
_ADVERB: Final = r"(?:(?:also|just|already|finally|now|then|formally|jointly|therefore|since|recently) )?"
#: What a person or an organisation does, after a blank: tells two unknown capitalised words from a thing's name.
DEED: Final = (
    rf"(?:(?:(?:has|have|had) )?{_ADVERB}{_DEED}|(?:will|shall|is going to|are going to|has to|have to|needs to|"
    rf"need to|must) {_ADVERB}(?:be \w+ing\b|(?!{NO_ACT}|{_OF_THINGS})[a-z]))"
)
