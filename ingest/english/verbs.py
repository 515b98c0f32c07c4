"""What people do in sentences, as patterns: which words tell a person, a promise, and a thing that merely goes on."""

from typing import Final

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
