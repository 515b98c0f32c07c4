"""Given names that are used for one another: short forms, and nicknames that are not short forms."""

from typing import Final

#: One name and its short forms a line.
_GROUPS: Final = """
abigail abby gail|albert al bert|alexander alex alec sandy|alexandra alex sandra|alfred alf fred|andrew andy drew
anthony tony|barbara barb|benjamin ben benny|catherine cathy kate kathy katie|charles charlie chuck
christina chris tina|christine chris tina|christopher chris|daniel dan danny|david dave|deborah deb debbie
donald don|dorothy dot|edward ed eddie ted|eleanor ellie nora|elizabeth beth betty eliza liz lizzie|emily em
evelyn evie|florence flo|frances fran|francis frank|frederick fred freddy|gabriel gabe|gerald gerry jerry
gregory greg|harold harry|helen nell|henry hank harry|isabella bella izzy|jacob jake|james jamie jim jimmy
janet jan|jennifer jen jenny|jessica jess|john jack johnny|jonathan jon jonny|joseph joe joey|joshua josh
judith judy|katherine kate kathy katie|kenneth ken|kenji ken|lawrence larry|leonard len leo|louis lou|lucille lucy
margaret maggie meg peggy|martin marty|matthew matt|maximilian max|melissa mel|michael mick mike|mitchell mitch
natalie nat|nathan nate|nathaniel nate|nicholas nick|nicole nicky|oliver ollie|pamela pam|patricia pat patty trish
patrick pat paddy|peter pete|philip phil|priscilla cilla|rachel rach|raymond ray|rebecca becca becky|reginald reg
richard dick rich rick|robert bob bobby rob|ronald ron|rosemary rose|russell russ|samantha sam|samuel sam
sarah sally|stephanie steph|stephen steve|steven steve|susan sue suzie|terence terry|theodore ted theo|theresa tess
thomas tom tommy|timothy tim|tobias toby|tomasz tomek|valerie val|veronica ronnie|victoria vicky|vincent vince
virginia ginny|walter wally walt|wilhelm willi|william bill billy will|zachary zach
alasdair al ally|alejandro alex|aleksander alex alek|alison ali|arthur art|beatrice bea|beatriz bia|bernard bernie
bradley brad|caroline caro carrie|cassandra cass cassie|charlotte charlie lottie|clifford cliff|danielle dani
dominic dom|douglas doug|edmund ed|eugene gene|felicity fliss|francesca fran|geoffrey geoff|georgina georgie gina
gwendolyn gwen|jacqueline jackie|jeffrey jeff|joanna jo|josephine jo josie|julia jules|julian jules|katarina kat
kathleen kath kathy|kimberly kim|laurence larry|leonardo leo|magdalena lena magda|malgorzata gosia|madeleine maddie
marcus marc|matilda tilly|melanie mel|michelle shelly|mohamed mo|mohammed mo|muhammad mo|natalia nat|natasha tasha
olivia liv|penelope penny|philippa pippa|rafael rafa|roberta bobbie|roderick rod|rodney rod|rosalind ros
sebastian seb|stanley stan|stuart stu|tatiana tanya|vladimir vlad|wesley wes|winifred winnie|xavier xavi|yasmin yaz
adebayo bayo|aditya adi|abhishek abhi|agnieszka aga|aleksandra ola sasha|alessandro ale|alexandra lexi sasha
alexander sasha xander|anastasia nastya|andreas andi|anton toni|antonia toni|cornelis kees|chukwuemeka emeka
dimitrios dimitris|dmitri dima|dolores lola|eduardo edu|ekaterina katya|elisabeth lisa sissi|emmanuel manny manu
enrique quique|federica fede|federico fede|florian flo|francisco paco pancho|friedrich fritz|georgios giorgos yorgos
giovanni gianni|giuseppe beppe peppe|heinrich heinz|hendrik henk|ignacio nacho|ioannis yannis|ivan vanya|jakub kuba
johanna hanna jo|johannes hannes|josef sepp|jose pepe|katarzyna kasia|katharina kathi|konstantin kostya
konstantinos kostas|krzysztof krzysiek|magdalena leni|manuel manu|matthias matti|mikhail misha|nikolai kolya niko
nikolaos nikos|nikolaus klaus niko|oluwaseun seun|oluwatobi tobi|panagiotis panos|piotr piotrek|priyanka priya
rajesh raj|rajiv raj|sebastian basti|sergei seryozha|siddharth sid|stanislaw staszek|stefanie steffi|susanne susi
temitope temi tope|tobias tobi|valentina vale|valeria vale|venkatesh venky|vikram vik|wojciech wojtek|yevgeny zhenya
"""


def _read(groups: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in groups.replace("|", "\n").split("\n"):
        full, *short = group.split() or [""]
        for name in short:
            found.setdefault(name, set()).add(full)
            found.setdefault(full, set()).add(name)
    return {name: frozenset(others) for name, others in found.items()}


_OTHERS: Final = _read(_GROUPS)
_FULL: Final = frozenset(group.split()[0] for group in _GROUPS.replace("|", "\n").split("\n") if group)


def nicknames(given: str) -> frozenset[str]:
    """Return the names that this given name, in small letters, may be used for or by; none for most."""
    return _OTHERS.get(given, frozenset())


def is_of_several(nickname: str) -> bool:
    """Whether a nickname, in small letters, is used for more than one name: Charlie for Charles and for Charlotte."""
    return nickname not in _FULL and len(_OTHERS.get(nickname, ())) > 1
