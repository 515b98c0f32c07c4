"""The wording of speech acts: what people write when they decide, promise, warn, report, change or judge something."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from core.knowledge.findings import Category
from ingest.english.name_patterns import ASIDE, CAPITALISED, NAME, OTHERS
from ingest.english.verbs import ACTION, DONE, NO_ACT, PAST

EXPLICIT: Final = 0.9
STRONG: Final = 0.75
LIKELY: Final = 0.6
WEAK: Final = 0.5

#: What undoes a match: `all` doubts and denials, `denials` alone, or only a condition: some wordings hold their doubt
#: or denial themselves ("may lose", "has not delivered").
Undone = Literal["all", "denials", "conditions"]


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to say something. `stems` are letters of which a sentence must have some, which is faster to see.

    Group `who` is the grammatical subject; group `dated` makes it count only with a person and a time limit; with `own`
    the sentence has no subject, and the speaker is meant.
    """

    category: Category
    confidence: float
    stems: tuple[str, ...]
    expression: str
    undone: Undone = "all"
    own: bool = False
    flags: re.RegexFlag = re.NOFLAG

    @property
    def pattern(self) -> re.Pattern[str]:
        """The expression, made when it is first needed: all of them take half a second, and a service starts before."""
        return _compiled(self.expression, self.flags)

    @property
    def is_dated(self) -> bool:
        """Whether it counts only with a person and a time limit."""
        return "(?P<dated>" in self.expression


@cache
def _compiled(expression: str, flags: re.RegexFlag) -> re.Pattern[str]:
    return re.compile(expression, flags)


def _say(
    category: Category, confidence: float, stems: str, pattern: str, *, undone: Undone = "all", own: bool = False,
    ignore_case: bool = False,
) -> Wording:  # fmt: skip
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    return Wording(category, confidence, tuple(filter(None, stems.split(","))), pattern, undone, own, flags)


_NO_NAME: Final = (
    r"(?!(?:That|This|These|Those|It|There|What|Which|Who|You|If|And|But|So|The|Our|My|We|I|They|He|She|Your|Their|His|"
    r"Her|Its|Some|Many|All|Most|When|While|As|Then|Also|Just|Please|Not|No|Yes|A|An|Nobody|Nothing|None)\b)"
)
_NOUNS: Final = (
    r"(?:[Tt]he|[Oo]ur|[Mm]y|[Tt]heir|[Ii]ts) [\w-]+"
    r"(?: (?!(?:has|have|had|was|were|is|are|stays?|remains?|keeps?|will|who|which|that) )[\w-]+){0,3}?"
)
_WHO: Final = (
    rf"(?P<who>(?<![\w@])@\w[\w-]*|\b(?:[Ii]|[Ww]e|[Hh]e|[Ss]he|[Tt]hey|{_NOUNS}"
    rf"|{_NO_NAME}{NAME}{OTHERS}{ASIDE}|(?:[Tt]he|[Oo]ur) [\w -]{{2,40}}, {NAME},"
    r"|[Ee]veryone|[Ee]verybody|[Aa]ll))"
)
_ADVERB: Final = (
    r"(?:\s+(?:all|both|just|also|already|finally|now|then|jointly|unanimously|recently|therefore|formally|today|"
    r"yesterday|successfully|since|have|has|had|even|actually|later|collectively|mutually|then|eventually|quietly|"
    r"together)|['’]ve)"
)
_WILL: Final = (
    r"(?:['’]ll|\s+(?:will|shall))"
    r"(?: (?:also|then|now|each|both|personally|definitely|gladly|again|jointly))?\s+"
)
_PASSIVE: Final = (
    r"(?<!that )(?<!which )\b(?:was|were|is now|are now|has been|have been|had been|got|has now been)"
    r"(?: (?:just|successfully|finally|now|already|formally|unanimously|also))?\s+"
)
_ONE: Final = rf"(?P<who>(?<![\w@])@\w[\w-]*|\b(?:I|[Hh]e|[Ss]he|{_NO_NAME}{NAME}{OTHERS}{ASIDE}))"
_PERSON: Final = rf"(?P<who>(?<![\w@])@\w[\w-]*|\b(?:I|[Hh]e|[Ss]he|[Tt]hey|[Ww]e|{_NO_NAME}{NAME}{OTHERS}{ASIDE}))"
#: Whom minutes charge with something: by name, or by office.
_CHARGED: Final = (
    rf"(?:[Tt]he (?:[\w-]+ )?(?:clerk|[Cc]lerk|[Ss]ecretary|[Tt]reasurer|[Cc]hair|[Oo]fficers?|[Tt]eam|[Oo]ffice|"
    rf"[Dd]epartment|[Cc]ommittee|[Gg]roup|[Bb]oard|[Mm]anager|[Cc]ontractor|[Ss]upplier|[Vv]endor) |"
    rf"{_NO_NAME}{NAME}{OTHERS} )"
)
_ANY_VERB: Final = rf"(?!{NO_ACT})(?:\w+ly )?+(?!{NO_ACT})[a-z]\w+"
_LIMIT: Final = r"(?=[^;]*?\b(?:by|before|until|till|no later than|target|due(?: on| by)?|in (?:week|calendar week)) )"
_OPENING: Final = r"\A[\W_]{0,6}(?:(?:ok|okay|yes|sure|great|thanks|fine|so|and|right|perfect|cool)\b[,.! ]{1,3}){0,2}"
_DECIDES: Final = (
    "decid,agree,approv,chos,settl,opt,sign,resolv,vot,select,rul,green,went,reject,turned down,endors,okayed,ok'd,"
    "ok’d,pick,land,converg,drop,grant,ratif,accept,declin,scrap,shelv,discard,confirm,carried,adopt,favour"
)
_WILLS: Final = "will,shall,ll ,going to"

#: Tried in this order; the first reading of a clause wins.
DECISIONS: Final = (
    _say("Decision", STRONG, _DECIDES,
        rf"{_WHO}{_ADVERB}{{0,3}}\s+(?:decided|agreed (?:on|that|with \w+ (?:to|that))|approved|chose|chosen|"
        r"settled on|opted (?:for|to|against)|signed off|resolved (?:to|that)|voted (?:to|for|against|in favou?r)|"
        r"selected|ruled out|green-?lit|went with|rejected|turned down|endorsed|ok(?:ay)?['’]?e?d|"
        r"picked(?! up| out)|landed on|"
        r"converged on|ratified|(?:gave|given) (?:(?:us|it|them|this|the \w+) )?(?:the|its|their|his|her) "
        r"(?:go-?ahead|green light|blessing|approval|consent|ok(?:ay)?)|decides? (?:to|against|for|in)|"
        r"(?:scrapped|shelved|discarded|dropped) (?:the|our) (?:idea|plan|proposal|option)|"
        r"agreed to (?:the|a|an|our|this|that|his|her|their)\b)\b"),
    _say("Decision", STRONG, "approv,reject,adopt,endors",
        r"(?P<who>\b(?:[Tt]he|[Oo]ur) (?:\w+ )?(?:team|company|board|committee|council|group|management|panel|"
        r"assembly|jury|court|parliament))\s+(?:approves|rejects|adopts|endorses|adopted)\b"),
    _say("Decision", STRONG, "adopt", r"(?P<who>\b[Ww]e)(?: have|['’]ve)?(?: just)? adopted\b"),
    _say("Decision", STRONG, "agreed to", r"(?P<who>\b(?:[Ww]e|[Tt]hey|[Ee]veryone|[Tt]he (?:team|group|board|"
        r"committee)))(?: all| both| have| has|['’]ve){0,2}\s+agreed to\b"),
    _say("Decision", STRONG, _DECIDES,
        rf"{_PASSIVE}(?:decided|agreed|approved|signed off|rejected|chosen|selected|resolved (?:to|that)|ruled out|"
        r"turned down|carried|voted down|adopted|dropped in favou?r|dismissed|discarded|scrapped|shelved|ratified|"
        r"granted|declined|picked|preferred (?:over|to)|not approved|agreed upon|taken as read|okayed|given the "
        r"(?:go-?ahead|green light)|decided (?:on|against))\b", ignore_case=True),
    _say("Decision", STRONG, "off the table,a go,no-go,dead,go-ahead,green light,thumbs",
        r"\b(?:is|are) (?:now )?(?:off the table|(?:a )?no-?go|ruled out)\b|\b(?:gets?|got|has|have|had) (?:got )?"
        r"(?:the |our |its |his |her )(?:go-?ahead|green light|thumbs up)\b"),
    _say("Decision", STRONG, "go ahead,proceed,accept",
        r"(?P<who>\b[Ww]e)(?:['’]re| are|['’]d| would)?(?: (?:be )?(?:happy|glad|pleased|ready))?(?: like)? (?:to )?"
        r"(?:accept (?:the|your|their)|(?:proceed|go ahead) with)\b"),
    _say("Decision", STRONG, "instead of,over,not approved,granted,accepted,approved,rejected,declined,refused",
        r"\A[\W_]{0,4}(?!(?:if|when|once|unless|until|not yet|yet)\b|"
        r".*\b(?:I|me|fe(?:lt|el|els)|such|being)\b)[\w'’ -]{3,70}?(?: [–—-]|:)? (?:not approved|"
        r"(?:was |were )?(?:granted|approved|accepted|rejected|declined|refused|turned down))"
        r"(?: (?:by|with|on|unanimously|as|in)\b[^.;]{0,80})?[\W]*\Z", ignore_case=True),
    _say("Decision", STRONG, _DECIDES,
        r"\b(?:considered|discussed|reviewed|compared|debated|looked at|weighed)\b[^.;]{0,80}?\band"
        r"(?: (?:then|finally|unanimously|eventually))? (?:decided|agreed|approved|rejected|chose|opted|dismissed|"
        r"settled)\b"),
    _say("Decision", STRONG, "agreed", r"(?:\A|[:;,.] |\bthen )\W{0,3}[Aa]greed\b"
        r"(?!,? [A-Z]\w+\W*\Z)(?:[,:]| on\b| that\b| to\b)"),
    _say("Decision", STRONG, "go,standardi,adopt,stick,choos,keep",
        r"(?P<who>\b[Ww]e)(?:['’]ll| will|['’]re going to| are going to| are|['’]re)(?: now)?\s+"
        r"(?:go(?:ing)? (?:ahead )?(?:with|for)|standardi[sz](?:e|ing) on|adopt(?:ing)?|stick(?:ing)? (?:with|to)|"
        r"choos(?:e|ing)|keep(?:ing)? (?!(?:you|going|trying|working|posted)\b))"),
    _say("Decision", STRONG, "decision",
        r"\b(?:the|our|final|my)(?: final)? decision (?:is|was) (?:to|that|made)|\bdecision (?:has been|was) (?:made|"
        r"taken)|\bmade (?:the|a) decision to\b|\bthat['’]?s (?:my|our|the) (?:final )?decision\b|"
        r"\b(?:took|taken) (?:the|a) decision\b", ignore_case=True),
    _say("Decision", STRONG, "carried,passed,vote,favour,favor", r"\b(?:motion|vote|proposal|resolution)"
        r"\b.{0,80}\b(?:carried|passed)\b|"
        r"\bin favou?r\b.{0,40}\bagainst\b|\A[\W_]{0,4}[Vv]ote:"),
    _say("Decision", LIKELY, "won’t,won't,will not,no longer,are not going to",
        r"(?P<who>\b[Ww]e)(?: won['’]t| will not| will no longer| are not going to|['’]re not going to) "
        r"(?:be )?(?:renew|use|support|continue|pursu|buy|migrat|offer|build|hire|publish|extend|accept|chang|upgrad|"
        r"replac|ship|open|attend|sponsor|sell|allow|invest|charg|implement|do)\w*", undone="conditions"),
    _say("Decision", LIKELY, "we go,we take,we stay,we keep,we drop,we use,we are going,re going,we do not,we stop",
        r"(?:\A|[,:.;] |\b(?i:so|then|okay|ok|and|but|that) )(?P<who>[Ww]e) (?:(?:go|stick|stay) (?:with|for|to)"
        r"|take the|keep|"
        r"drop|stop|use|disable|switch to|move to|skip|freeze|start with|buy|rent|do not)\b"),
    _say("Decision", LIKELY, "it is", r"\A\W{0,4}(?:(?:ok|okay|right|fine|great|good|then|so)\b[,!. ]{1,3})"
        r"+[\w' -]{2,30} "
        r"it is\b|\A\W{0,4}(?!(?:here|there|what|where|how|as|like|so|that|this|whatever|which|who|yes|"
        r"no|because|if|the way)\b)[\w' -]{2,30} it is(?: then| now)?\W*\Z", ignore_case=True),
    _say("Decision", LIKELY, "dropping,scrapping,keeping,going with,sticking,skipping",
        r"\A[\W_]{0,4}(?:(?:ok|okay|also|so|right|and|then|fine)\b[,: ]{1,2}){0,2}(?:dropping|scrapping|keeping|going "
        r"with|sticking (?:with|to)|skipping) "
        r"(?!(?:by|in|off|on|out|up|an? eye|lunch|dinner|breakfast)\b)\w+", own=True, ignore_case=True),
    _say("Decision", WEAK, "let,we", r"\b(?:[Ll]et['’]?s (?:go (?:ahead )?(?:with|for)|use|stick (?:with|to)|keep|drop|"
        r"take the|skip)|(?P<who>[Ww]e)(?:['’]ll| will) use)\b"),
)  # fmt: skip
COMMITMENTS: Final = (
    _say("Commitment", STRONG, "commit,promis,volunteer,undert,pledg,agree,offer",
        rf"{_WHO}{_ADVERB}{{0,2}}\s+(?:commits?|committed|promises?|promised|volunteers?|volunteered|undertook|"
        r"undertakes|pledged|pledges|agreed|agrees|offered|offers)(?: (?:him|her|us|them|me|you|[A-Z]\w+))? to "
        r"(?!be\b)\w+"),
    _say("Commitment", STRONG, "promis,commit,guarante",
        rf"{_PERSON}(?P<dated>{_ADVERB}{{0,2}}\s+(?:promised|committed to|guaranteed)) (?!to )\w+"),
    _say("Commitment", STRONG, _WILLS, rf"{_WHO}{_WILL}{ACTION}"),
    _say("Commitment", STRONG, _WILLS, rf"{_ONE}(?P<dated>{_WILL}|(?:['’][sm]| is| am| are) going to ){_ANY_VERB}"),
    _say("Commitment", STRONG, "going to", rf"{_ONE}(?:['’][sm]| is| am| are) going to {ACTION}"),
    _say("Commitment", STRONG, "will,gonna",
        rf"(?:{_OPENING}|[.!;] +)(?:will|gonna|going to) (?:also )?(?:do\b|{ACTION})", own=True, ignore_case=True),
    _say("Commitment", STRONG, "ll do,will do,ll redo,ll take,ll sort,ll try,ll get,ll make,ll put,ll keep",
        r"(?P<who>\bI)(?:['’]ll| will) (?:do|redo|take|sort|get|make|put|swap|cover|chase|tell|raise|ping|"
        r"forward|inform|"
        r"let \w+ know|keep (?:you|everyone|everybody|the team|an eye))\b"),
    _say("Commitment", STRONG, "said,says,promised,confirmed,told",
        rf"(?P<who>\b{_NO_NAME}{NAME})(?P<dated> (?:said|says|promised|confirmed|told \w+)(?: that)? (?:he|she|they)"
        r"(?:['’]d|['’]ll| will| would) )(?:(?!be |have |not |rather |like )\w+)", undone="conditions"),
    _say("Commitment", STRONG, "has to,have to,needs to,need to,must",
        rf"{_ONE}(?P<dated>\s+(?:has to|have to|needs to|need to|must)) (?:also |now )?{_ANY_VERB}{_LIMIT}"),
    _say("Commitment", LIKELY, "s ",
        rf"{_ONE}(?P<dated> )(?:also |then |now )?(?!(?:is|was|has|does|needs|wants|hopes|plans|thinks|says|"
        rf"starts|ends|"
        r"leaves|remains|expects|likes|loves|prefers|knows|means|seems|works|lives|goes|comes|expires|begins|opens|"
        rf"closes|arrives|asks|wonders|believes|feels|reports|takes the|meets)\b)[a-z]{{2,}}s {_LIMIT}"),
    _say("Commitment", STRONG, ":",
        rf"\A[\W_]{{0,4}}(?P<who>{NAME})(?:\*\*)?(?P<dated>:)(?:\*\*)? +{_ANY_VERB}{_LIMIT}"),
    _say("Commitment", STRONG, "please,pls",
        rf"\A[\W_]{{0,4}}(?P<who>(?<![\w@])@\w[\w-]*|{NAME})(?:\*\*)?(?::| [-–—]|,)(?:\*\*)? *"
        rf"(?:(?:please|pls) (?!note|see|find|let|feel|be\b)[a-z]+|{ACTION}.*\b(?:please|pls)\b)"),
    _say("Commitment", LIKELY, "please,pls,kindly",
        rf"(?:{_OPENING}|[.!;] +)(?:please|pls|kindly) (?:also )?(?!note|see|find|let|feel|be\b|don)[a-z]+ {_LIMIT}",
        undone="conditions", ignore_case=True),
    _say("Commitment", STRONG, "is to,are to", rf"(?P<who>\b{_CHARGED})(?:is|are) to {ACTION}"),
    _say("Commitment", STRONG, "was asked to,were asked to,instructed to,tasked",
        rf"(?P<who>\b{_CHARGED})(?:was|were|has been|have been) (?:asked to|instructed to|tasked (?:to|with))\b"),
    _say("Commitment", LIKELY, " to ",
        rf"\A[\W_]{{0,4}}(?P<who>(?<![\w@])@\w[\w-]*|{NAME}{OTHERS}) to (?!be\b|(?:the|a|an|our|us|me|him|her|"
        rf"them)\b){ACTION}"),
)  # fmt: skip
RISKS: Final = (
    _say("QualityRisk", STRONG, "",
        r"\b(?:(?:a|the|big|biggest|main|major|high|real|serious|some|key|only) risks? (?:of|that|here|is|are)|"
        r"at risk\b|"
        r"blocked (?:by|on|until|because|since)|(?:is|are|am|was|were|still|completely) (?:blocked|stuck)\b|"
        r"blockers?\b|"
        r"worried (?:about|that)|concern(?:ed)? (?:about|that|is|over)|concerns about|(?:raised|has|have|had|voiced) "
        r"(?:a |some |serious |the )?concerns?\b|outages?\b|data loss|"
        r"security (?:incident|breach|hole|issue|problem)|vulnerabilit(?:y|ies)|regressions?\b|behind "
        r"(?:schedule|plan)|"
        r"(?:is|are|keeps?|still|were|was) failing|memory leak|missed the deadline|over budget|"
        r"(?:is|are|was|were|been|be) (?:\w+ )?delayed|out of (?:order|memory|stock|disk space|service)|"
        r"(?:is|are|was|were|went|goes) (?:completely |still |again )?down\b(?! (?:to|by|from|from))|"
        r"(?:in|a) danger of|in jeopardy|jeopardi[sz]\w+|bottleneck|single point of failure|"
        r"short(?:age)? of (?:staff|people|parts|money)|shortage|understaffed|burn(?:ed|t)? out|bankrupt\w*|"
        r"insolven\w+|"
        r"data breach|breach of|leak(?:s|ed|ing|age)\b|afraid that|fears? that|danger(?:ous)?\b|unsafe\b|hazard)"
        r"", ignore_case=True),
    _say("QualityRisk", STRONG, "",
        r"\b(?:fail(?:s|ed)\b(?! over)|(?:is|are|still) not working|does(?:n['’]t| not) work\b|"
        r"(?:has|have|had)(?: not|n['’]t)(?: yet| been| yet been)? (?:delivered|arrived|answered|responded|"
        r"replied|started|"
        r"tested|received|shipped|paid|heard|come)\b|did(?:n['’]t| not) (?:arrive|deliver|start|work|pass|"
        r"answer|respond)|"
        r"(?:cannot|can['’]t|can not|could not|couldn['’]t) (?:log in|access|reach|open|connect|load|print|"
        r"start|deliver|"
        r"keep up|be reached|handle|cope|meet|reproduce|guarantee)|"
        r"(?:has|have|is|are|had) expired|stop(?:s|ped) (?:working|responding|accepting|sending|at)|"
        r"(?:was|were|been|are|is|got) (?:lost|corrupt(?:ed)?|stolen|damaged|hacked|overloaded|compromised|broken)|"
        r"missed (?:its|their|the|our|his|her) (?:date|deadline|target|milestone)|"
        r"(?:be|running|runs) late\b|(?:is|are) (?:\w+ (?:days?|weeks?|months?)|again|already|too|very) late\b|"
        r"fall(?:s|en|ing)? (?:below|behind|short)|"
        r"fell (?:below|behind|short)|dropped below|below (?:target|plan)|slip(?:s|ped|ping)\b|exceed(?:s|ed)? the|"
        r"(?:is|are|went|turned) red\b|no backups?\b|no (?:one|body) (?:else )?(?:knows|is trained|can))",
        undone="conditions", ignore_case=True),
    _say("QualityRisk", STRONG, "may ,might,could,likely,would,threaten,risk",
        r"\b(?:may|might|could|would|likely to|risk(?:s|ed|ing)?|threaten(?:s|ed|ing)? to|we (?:will|['’]ll))"
        r"(?: not)?(?: be| well| even| also| still)?"
        r" (?:los(?:e|ing)|miss(?:ing)?|break(?:ing)?|fail(?:ing)?|slip(?:ping)?|delay(?:ed|ing)?|late|"
        r"run(?:ning)? out|"
        r"overrun|leak(?:ing)?|crash(?:ing)?|collapse|derail|jeopardi[sz]e|be rejected|be stopped|not be ready)\b",
        undone="conditions", ignore_case=True),
)  # fmt: skip
EXECUTIONS: Final = (
    _say("Execution", STRONG, "", rf"{_WHO}{_ADVERB}{{0,3}}\s+{DONE}\s+(?=[\w@“\"])"),
    _say("Execution", STRONG, "",
        rf"{_PASSIVE}(?:{DONE}|repaired|restored)\b|\b(?:is|are)(?: now| finally| already)? (?:live|in "
        rf"production|finished|"
        r"done|complete|completed|fixed|up and running|online(?: again)?|in place)\b(?! (?:by|in|on|when|with))|"
        r"\b(?:went|gone) live\b",
        ignore_case=True),
    _say("Execution", STRONG, "", rf"(?P<who>\b(?:I|[Ww]e))(?: have|['’]ve)(?: (?:already|just|now|also|finally)"
        rf")?\s+(?:{PAST})\b"),
    _say("Execution", LIKELY, "",
        rf"{_PERSON}(?: has| have|['’]ve)?(?: (?:already|just|now|also|finally|then))?\s+(?:{PAST})\s+(?=[\w@“\"])"),
    _say("Execution", LIKELY, "",
        rf"{_PASSIVE}(?:sent|paid|signed|uploaded|updated|restarted|ordered|booked|created|reviewed|tested|collected|"
        r"bought|purchased|handed over|filed|closed|archived|cleaned|calibrated|built|drafted|configured)\b",
        ignore_case=True),
    _say("Execution", LIKELY, "",
        rf"\A[\W_]{{0,4}}(?:(?:ok|just|already|also|now|finally|update|and)\b[,: ]{{1,2}}){{0,2}}(?:{DONE}|done|"
        rf"restarted|sent|"
        r"uploaded|updated|ordered|booked|paid|restored|replaced|reverted|rolled back|pushed|tested|reviewed)"
        r"\b(?=[\s,:]+\S)",
        own=True, ignore_case=True),
    _say("Execution", LIKELY, "",
        r"\A[\W_]{0,4}(?:[\w.'’/#-]+ ){1,6}(?:deployed|fixed|merged|done|sent|shipped|released|restored|"
        r"completed|finished|"
        r"updated|ordered|booked|paid|signed|uploaded|installed)(?: (?:now|again|today|already|on \w+))?[^\w]*\Z",
        own=True, ignore_case=True),
)  # fmt: skip
CHANGES: Final = (
    _say("Change", STRONG, "postpon,resched,cancel,renam,forward,push,deprec,switched off,shut "
        "down,retired,discontinu,phased,brought",
        r"(?:\b(?:was|were|is|are|be|been|being|has|have|had|we|they|I|gets?)|['’]ve)(?: (?:just|now|also|had "
        r"to|been))?"
        r"(?: be)? (?:postponed|rescheduled|cancell?ed|renamed|brought forward|"
        r"pushed back|put back|deprecated|switched off|shut down|retired|discontinued|phased out|decommissioned|"
        r"relocated|called off)\b", ignore_case=True),
    _say("Change", STRONG,
        "moved,replac,switch,chang,extend,shorten,increas,reduc,rais,lower,cut,doubl,halv,shift,delay",
        rf"(?:{_WHO}{_ADVERB}{{0,2}}|\b(?:was|were|is|are|been|be))\s+(?:moved|replaced|switched|changed|extended|"
        r"shortened|increased|reduced|raised|lowered|cut|doubled|halved|shifted|delayed)\b"
        r"(?: [\w'’,%-]+){0,7}? (?:to|from|by|with|until|into)\b"),
    _say("Change", STRONG, "moved,changed", r"\b(?:We|I|They|He|She|we|they)(?:['’]ve| have| has)? (?:moved|"
        r"changed|switched) (?:the|our) \w+"),
    _say("Change", STRONG, "move,shift,slip,switch,change,become,rise,drop,grow,increase,decrease",
        r"\b(?:moves?|shifts?|slips?|switch(?:es)?|changes?|increases?|decreases?|rises?|drops?)(?: (?:back|"
        r"forward|up|down|out))? "
        r"(?:[\w'’-]+ ){0,2}?(?:from [^.;]{1,40}? to|to (?:the )?(?:\d|mon|tues|wednes|thurs|fri|satur|sun|jan|"
        r"feb|mar|apr|may|jun|"
        r"jul|aug|sep|oct|nov|dec|next|Q\d)|by \d)", ignore_case=True),
    _say("Change", STRONG, "no longer,instead of,replac",
        r"\b(?:is|are) no longer (?:valid|supported|available|needed|required|used|in use|part|offered|allowed)|"
        r"\b(?:takes?|uses?|will use|runs?|gets?)\b[^.;]{0,60}\binstead of\b|\breplaces the\b|\bwill replace\b",
        undone="conditions", ignore_case=True),
)  # fmt: skip
_JOB: Final = (
    r"(?:owner|lead|leader|head|manager|director|sponsor|contact|chair|chairman|chairwoman|chairperson|"
    r"treasurer|secretary|"
    r"president|deputy|officer|coordinator|architect|engineer|representative|CEO|CTO|CFO|COO|editor|principal|captain|"
    r"supervisor|administrator|maintainer|point of contact|spokesperson|counsel|analyst|designer|developer|planner)"
)
STAKEHOLDERS: Final = (
    _say("Stakeholder", STRONG, "join,took over,takes over,taking over,respons,reports "
        "to,owner,lead,head,manag,direct,sponsor,contact,promot,appoint,hired,elect,succe,charge,chair,treasur",
        rf"(?P<who>\b(?:[Hh]e|[Ss]he|I|{_NO_NAME}{NAME}{ASIDE}))(?: (?:has|have|had|will be|is now|now|will|is|"
        rf"was|just|also|recently))?(?: (?:joined|joining|join|joins|"
        r"took over|takes over|taken over|take over|taking over|reports to|report to|succeeds?|succeeded|"
        r"steps? in (?:as|for)|stands? in for|represents?|chairs|heads|"
        r"(?:is |remains |be )?(?:responsible|accountable) for|(?:is |remains )?in charge of|"
        rf"(?:(?:is|was|becomes|became|be|as) )?(?:now )?(?:the|our|a|an|their|my|his|her) (?:new |main |only |"
        rf"acting |interim |primary )?(?:[\w-]+ ){{0,3}}{_JOB}\b|"
        rf"(?:becomes|became|be|act as|acts as|serves as|serve as) (?:[\w-]+ ){{0,3}}{_JOB}\b|"
        r"(?:lead|head|run|manage|chair) the [\w -]{1,30}?(?:team|department|unit|group|office|branch|committee|"
        r"board|division))|"
        r" (?:was|has been|is|were|been)? ?(?:promoted|appointed|hired|elected|named|nominated)\b)", undone="denials"),
    _say("Stakeholder", STRONG, "left,leav,stand,step,resign,retire,quit,depart",
        rf"(?P<who>\b(?:[Hh]e|[Ss]he|I|{_NO_NAME}{NAME}{OTHERS}{ASIDE}))(?: (?:has|have|had|is|am|are|will be|"
        rf"will|['’]m))?"
        rf"(?: (?:left|leaves|leaving|leave) (?:the (?:company|team|project|board|committee|organi[sz]ation|"
        rf"firm|group|department)|us\b|{CAPITALISED})"
        r"| (?:stands?|stood|standing|steps?|stepped|stepping) down| resigned| resigns| retires?| retired| "
        r"retiring| quit\b)"),
    _say("Stakeholder", STRONG, "contact,owner,lead,sponsor,chair,manager,head",
        rf"\b(?:[Tt]he|[Oo]ur|[Tt]heir|[Mm]y|[Nn]ew|[Mm]ain|[Aa])(?: (?:new|main|only|primary|acting|interim))? "
        rf"(?:[\w-]+ ){{0,3}}{_JOB}"
        rf"(?: (?:there|here|for [\w -]{{1,30}}|of [\w -]{{1,30}}))?(?: is(?: now)?| will be|:) "
        rf"(?P<who>{_NO_NAME}{NAME})"),
    _say("Stakeholder", LIKELY, "who signs,who decides,who approves,decides on,has the final say,signs off",
        rf"(?P<who>\b{NAME}).{{0,20}}\b(?:is the (?:one|person) who (?:signs|decides|approves|pays)|has the "
        rf"final say|decides on|must approve|has to approve)\b", undone="denials"),
)  # fmt: skip
_CROWD: Final = (
    r"(?:customers?|clients?|users?|testers?|reviewers?|participants?|passengers?|patients?|nurses?|doctors?|teachers?|"
    r"parents?|pupils?|members?|readers?|visitors?|guests?|staff|employees?|drivers?|students?|subscribers?|attendees?|"
    r"respondents?|residents?|tenants?|volunteers?|people|interviewees?|shoppers?|buyers?|children|families|farmers?|"
    r"neighbou?rs?|citizens?|pilots?|players?|colleagues|agents|callers?|survey|partners?|dealers?|shops?|"
    r"stores?|schools?)"
)
_MANY: Final = (
    rf"(?:(?:[Tt]he|[Oo]ur|[Ss]ome|[Mm]any|[Mm]ost|[Ss]everal|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive|[Aa] few|[Oo]ne|"
    rf"[Aa]ll|[Bb]oth|\d+)"
    rf"(?: of (?:the|our))?(?: [\w-]+){{0,2}}? )?{_CROWD}|"
    r"\d+(?:[.,]\d+)? ?(?:%|percent|per cent)(?: of (?:the )?[\w -]{2,30})?|\d+ (?:out )?of (?:the )?\d+(?: \w+)?|"
    r"[\w-]+ (?:percent|per cent) of (?:the )?\w+|[Mm]ost|[Mm]any|[Ss]everal"
)
_JUDGES: Final = (
    r"(?:(?:(?:is|are|was|were|keeps?) )?complain(?:ed|s|ing)?|prais(?:ed|es|e)|criticis(?:ed|es|e)|"
    r"criticiz(?:ed|es|e)|liked|likes?|loved|loves?|"
    r"hated|hates?|disliked?|dislikes|enjoyed|enjoys?|appreciated?|preferred|prefers?|recommended|recommends?|"
    r"would (?:like|prefer|recommend|pay|love)|(?:(?:was|were|is|are) |['’]re |['’]s )(?:very |quite |really |"
    r"not |un|rather |more than |extremely )?"
    r"(?:happy|unhappy|pleased|satisfied|dissatisfied|disappointed|annoyed|frustrated|confused|impressed|delighted|"
    r"enthusiastic|upset|angry|puzzled|thrilled) ?(?:with|about|by|that|at|because|since)?|"
    r"(?:found|finds?) (?:it|the|our|this|that|them|all)?[^.;]{0,50}?\b(?:too|very|easy|hard|difficult|"
    r"confusing|useful|"
    r"useless|slow|fast|helpful|ugly|beautiful|unclear|clear|cold|clumsy|great|good|bad|awkward|intuitive|annoying|"
    r"convincing|boring|expensive|cheap|complicated))"
)
FEEDBACK: Final = (
    _say("Feedback", LIKELY, "",
        rf"(?P<who>\b(?:{_MANY}))(?: (?:has|have|also|really|still|had|who \w+))?(?: (?:in|from|at|of) "
        rf"[^.,;]{{2,40}}?)? "
        rf"(?:{_JUDGES}|requested|asked|asks?|wants?|wanted|reported|reports?|said|says?|told us|wished?|wishes|"
        rf"rated|rates?|"
        r"suggested|suggests?|felt|feels?|misses|struggl\w+|mentioned|think|thinks|thought|need)\b",
        undone="conditions"),
    _say("Feedback", LIKELY, "",
        rf"(?P<who>\b(?:[Hh]e|[Ss]he|[Tt]hey|I|[Tt]he (?:client|customer|board|council|team|committee|jury)|"
        rf"{_NO_NAME}{NAME}))(?: (?:has|have|also|really|had|particularly))? (?:{_JUDGES}|asked for (?:a|an|the|"
        rf"more|less)|requested|"
        r"had (?:bad|good|great|mixed) experiences?)", undone="conditions"),
    _say("Feedback", LIKELY, "prefer", r"(?P<who>\bI)(?:['’]d| would) (?:prefer|rather)\b", undone="conditions"),
    _say("Feedback", LIKELY, "want,would like", r"(?P<who>\b(?:[Tt]hey|[Tt]he (?:client|customer)|[Hh]e|[Ss]he))"
        r" (?:wants?|wanted|would like|asked for)\b (?!to\b)", undone="conditions"),
    _say("Feedback", LIKELY, "feedback,review", r"\b(?:feedback (?:from|was|is|on)|(?:positive|negative|good|"
        r"bad|mixed) (?:feedback|reviews?)|(?:gave|received|got) (?:us )?(?:\w+ )?feedback)\b", ignore_case=True),
)  # fmt: skip
COLLABORATIONS: Final = (
    _say("Collaboration", LIKELY, "work,partner,collab,cooperat,pair,team,met "
        ",meets,coordinat,liais,join,jointly,together,sat down",
        r"\b(?:(?:work(?:ed|ing|s)?|collaborat(?:e|ed|ing|es)|cooperat(?:e|ed|ing|es)|partner(?:ed|ing|s)?|"
        r"pair(?:ed|ing|s)?|"
        r"team(?:ed|ing|s)? up|coordinat(?:e|ed|ing|es)|liais(?:e|ed|ing|es)|join(?:ed|s|ing)? forces|sat down|"
        r"met|meets|meeting up)"
        r"(?: (?:closely|together|jointly|directly|hand in hand))*(?: on [^.;,]{2,40}?)? with (?!(?:it|this|"
        r"that|these|those|our own|a lot|what|which|\w+ing)\b)"
        r"|(?:in|in close) (?:cooperation|collaboration|partnership|coordination|alliance) with|partnership "
        r"(?:with|between)|"
        r"(?:work|works|worked|working) (?:closely )?together|jointly \w+|joint (?:project|effort|workshop|team|"
        r"venture|task force|session))\b"),
    _say("Collaboration", LIKELY, "ogether with", r"\b[Tt]ogether with (?:the |our )?[^.,;]{3,40}?(?:,| we\b| "
        r"is\b| are\b| has\b| have\b)"),
    _say("Collaboration", LIKELY, "help,support,assist,joined",
        rf"(?P<who>\b{_NO_NAME}{NAME})(?: (?:has|have|is|are|was|were))? (?:helped|helps|helping|supported|"
        rf"supports|supporting|assisted|assists|assisting) (?={CAPITALISED})"),
)  # fmt: skip
WEAK_RISKS: Final = (
    _say("QualityRisk", WEAK, "",
        r"\b(?:bugs? (?:in|with|that)|(?:issue|problem|trouble|difficult(?:y|ie))s? (?:with|is|are|in)|"
        r"crash(?:es|ed|ing)?\b|incident(?![\s-]+(?:report|response|"
        r"manage|review|log|summary|number|process|channel|commander|lead|tracker))|flaky|overdue|downtime|"
        r"timed? out|(?:is|are|was|were) broken|unstable|still untested|(?:nearly|almost) (?:used up|full|"
        r"exhausted|empty)|"
        r"known issue|errors?\b(?! (?:message|handling|page|code|budget))|too (?:slow|late|old|few)\b|worries|"
        r"accident|injur\w+|defect(?:s|ive)?)\b", ignore_case=True),
)  # fmt: skip

WORDINGS: Final = (
    *DECISIONS, *STAKEHOLDERS, *COMMITMENTS, *RISKS, *CHANGES, *FEEDBACK, *EXECUTIONS, *COLLABORATIONS, *WEAK_RISKS,
)  # fmt: skip
#: Where wordings stand that look for these letters, and those that look for none.
_BY_STEM: Final = {
    stem: [at for at, said in enumerate(WORDINGS) if stem in said.stems] for said in WORDINGS for stem in said.stems
}
_WITHOUT: Final = [at for at, said in enumerate(WORDINGS) if not said.stems]


def likely_wordings(folded: str) -> list[Wording]:
    """Return the wordings that may be in a text, which is in small letters, in their order."""
    places = {at for stem, found in _BY_STEM.items() if stem in folded for at in found}
    return [WORDINGS[at] for at in sorted(places.union(_WITHOUT))]
