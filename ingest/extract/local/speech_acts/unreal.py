"""What is not said as true: sentences that deny, leave open, imagine or quote a decision or a commitment."""

import re
from typing import Final

from core.knowledge.findings import Category

_DECIDE: Final = (
    r"(?:decid\w*|agree\w*|approv\w*|vot\w+|resolv\w*|settl\w*|conclu\w+|cho(?:ose|se|sen)|select\w*|reach\w*)"
)
_SETTLE: Final = r"(?:decid\w*|agree\w*|resolv\w*|settl\w*|conclu\w+|cho(?:ose|se|sen)|reach\w*)"
#: That nobody decided, or that it is left open.
_UNDECIDED: Final = re.compile(
    rf"\b(?:nobody|no[ -]one|none of \w+|neither(?: \w+){{1,4}}) (?:has |have |had |ever )*{_DECIDE}\b|"
    r"\b(?:refus\w+|declin\w+|hesitat\w+|unable|fail\w*|unwilling|reluctant|wait\w*|want\w*|wish\w*|hop\w+|need\w*|"
    r"going|about|plan\w*|tr(?:y|ied|ying)|ha(?:s|ve|d)|yet|expected|supposed|free|asked|left(?: \w+){0,3}) to "
    r"(?:decide|choose|vote|conclude|be (?:\w+ )?(?:decided|approved|agreed|voted))\b|"
    rf"\b(?:ha(?:s|ve|d)|did|do|does|was|were|is|are|could|can|would)(?: not|n['’]t|not)(?: yet| even| really|"
    rf" been)* {_SETTLE}\b"
    r"|"
    r"\b(?:no|without(?: an?| any)?) (?:formal |final |clear |firm )?(?:decisions?|consensus|agreement|resolution|"
    r"quorum|vote)\b|"
    r"\b(?:decisions?|vote|discussion|consensus)(?: (?:on|about|for|regarding) [^.;]{1,60}?)? "
    r"(?:(?:is|was|were|are|has been|have been|will be|to be|be|still|remains?) ){0,3}"
    r"(?:deferred|postponed|tabled|pending|outstanding|open|delayed|needed|required|due|taken later|made later)\b|"
    r"\bas (?:(?:was|we|it|had|previously|already|earlier) ){0,3}(?:agreed|decided)\b|"
    r"\b\w+s? (?:we|they) (?:had )?(?:agreed|decided) (?:up)?on (?:did|do|does|is|are|was|were|has|have|will)\b|"
    r"\bbefore (?:any|a|the|making a) (?:\w+ )?decision\b|"
    r"\bany (?:objections?|concerns?)\b(?![^.;]*\b(?:none|no|nope|nobody)\b)(?=[^.;]*\Z)|"
    r"\b(?:undecided|(?:yet|still) to be (?:decided|agreed|determined)|to be decided|tbd)\b|"
    r"\b(?:must|should|needs?|ha(?:s|ve) to|might|may|could|would|can|cannot|needs? to|will have to)(?: also| first|"
    r" still| not)* "
    r"(?:be (?:\w+ )?(?:decided|approved|agreed|accepted|adopted|voted|rejected|ratified)|(?:decide|vote|agree|"
    r"choose)\b|"
    r"(?:get |have )?(?:consensus|approval|a (?:decision|vote)))|"
    r"\bdecide whether\b",
    re.I,
)
#: That somebody decides to leave it: a decision all the same.
_AGAINST: Final = re.compile(
    r"\b(?:decided|agreed|voted|chose|resolved|opted) (?:not to|against)\b|\bwill (?:not|no longer)\b|\bwon['’]t\b",
    re.I,
)
#: A condition, an example, something imagined.
_IMAGINED: Final = re.compile(
    r"\A\W*(?:(?:and|but|so|or|also|well),? )?(?:if|should (?!be\b)(?:we|they|you|he|she|it|the|anyone|[A-Z])|unless|"
    r"suppose|"
    r"supposing|imagine|assum(?:e|ing)|in case|were (?:we|they|it)|let['’]s (?:say|pretend|assume|imagine)|say,|"
    r"pretend|what if|had (?:we|they|he|she|it))\b|"
    r"\A\W*(?:for example|for instance|e\.g\.|example|sample|a sample|template)\b[,:]?|"
    r"\b(?:hypothetical\w*|just kidding|(?:only|just) (?:a )?jok\w+|in (?:the|my|a|this) (?:novel|story|film|movie|"
    r"game|dream|"
    r"play|book|episode|chapter|tale|fiction)|once upon a time|(?:such|for example|e\.g\.|like) as [\"“‘']|"
    r"(?:phrases?|sentences?|words?|texts?|messages?|prompts?) (?:like|such as) [\"“‘'])",
    re.I,
)
#: What leads a meeting: said and done at once.
_LEADS: Final = re.compile(
    r"\b(?:I|we)(?:['’]ll| will| am going to| are going to|['’]m going to|['’]re going to|['’]m gonna) "
    r"(?:(?:just|now|also|quickly|then|first|briefly|maybe|actually|probably|go ahead and|try and|try to) )*"
    r"(?:(?:start|stop|begin|pause|end|resume|hit) (?:the |this |our )?(?:recording|meeting|call|session|stream|"
    r"record|transcript\w*|"
    r"sharing|presentation|with|by|off|from)|record\b|say\b|move (?:on|forward|to|ahead|along|over)|jump\b|dive\b|"
    r"kick\b|"
    r"(?:open|close|run|manage) (?:the |up the )?(?:queue|floor|meeting|session|vote|poll)|open (?:it )?up|share my|"
    r"present\b|"
    r"go (?:on|over|through|ahead|back|next|first|to|into|quickly|around|down)|hand (?:it )?(?:over|back)|pass (?:it|"
    r"over|on)|"
    r"turn (?:it|this|over)|(?:un)?mute|wait\b|skip\b|let\b|read\b|wrap\b|get (?:started|going|back to)|talk about|"
    r"mention\b|"
    r"note\b|point out|leave it|stop there|give (?:it|you|everyone|people|folks|everybody) (?:an?|the|some|one|two|"
    r"five)|"
    r"take (?:that|this|it|questions|notes|the notes|a (?:break|look))|call (?:on|it)|ask (?:a|one|the|you|if)|"
    r"summari[sz]e\b|explain\b|show\b|cover\b|discuss\b|be (?:quick|brief|right back|back)|pull up|paste|drop (?:it|"
    r"off|the link)|"
    r"stay\b|defer to|try to be)",
    re.I,
)
#: What whoever fills in a form is asked for, and what stays to be filled in.
_FORM: Final = re.compile(
    r"\A\W*(?:please )?(?:add|put|insert|enter|list|write|fill in|submit (?:an? )?(?:pr|issue|pull request))\b[^.]*"
    r"\b(?:your (?:\w+ ){0,3}(?:here|below|name|items?|topics?)|here\W*\Z)|\A\W*(?:tbd|todo|n/?a|none|nothing)\W*\Z",
    re.I,
)
#: What only says when something takes place, or that somebody is away.
_ANNOUNCED: Final = re.compile(
    r"\A\W*(?:(?:note|reminder|fyi|info)\W+)?(?:the |our |this )?(?:(?:next|following|upcoming|[\w-]+day['’]?s?) )?"
    r"(?:[\w&/-]+ ){0,3}(?:meetings?|calls?|sessions?|conferences?|workshops?|summit|webinar|event)(?: [^.,]{1,60}?)? "
    r"(?:will|is going to|are going to) (?:be (?:held|at|on|in|the|this|next|\w+day|\d)|take place|start|begin|happen|"
    r"last|run)\b|"
    r"\b(?:will|is going to|are going to|['’]ll) be (?:away|absent|out of (?:the )?office|out "
    r"(?:on|until|next|this|all)|on (?:vacation|holiday|leave|pto)|off (?:on|next|this|until)|"
    r"travell?ing|unavailable|late)\b",
    re.I,
)
#: What of a sentence is searched, in characters.
_REACH: Final = 600


def is_not_asserted(text: str, category: Category, *, is_spoken: bool) -> bool:
    """Whether a sentence does not say that something was decided or promised, whatever its words are.

    What leads a meeting is no commitment where it `is_spoken`.
    """
    text = text[:_REACH]
    if category not in ("Decision", "Commitment"):
        return False
    if _IMAGINED.search(text):
        return True
    if category == "Commitment":
        if _FORM.search(text) or _ANNOUNCED.search(text):
            return True
        return is_spoken and _LEADS.search(text) is not None
    return _UNDECIDED.search(text) is not None and _AGAINST.search(text) is None
