"""Names of months, weekdays and relative days in languages other than English.

Months, weekdays, days, units and counted forms are those of the Unicode CLDR 48.2 (npm: cldr-dates-full, Unicode
License V3), all their inflected forms; the words for a limit, for a beginning and for the end of a span, and further
words for last, this and next are added. A bar divides positions, a comma the forms at one.
"""

from typing import Final, NamedTuple


class LocaleWords(NamedTuple):
    """The words of a language; months and weekdays (Monday first) by their number, others as the fields say."""

    months: str
    short_months: str
    weekdays: str
    short_weekdays: str
    #: Two days ago, yesterday, today, tomorrow, in two days.
    days: str
    #: Day, week, month, quarter, year, weekend.
    units: str
    #: Last, this, next, next but one.
    which: str
    #: Before and behind a number of units to come, and of units ago.
    ahead: str
    ago: str
    #: Before a day by which something is due, and before one at which something begins or began.
    limit: str
    begin: str
    #: The end of a month or another unit.
    end: str
    #: What may stand between these.
    between: str
    #: The beginning and the middle of a month.
    start: str
    middle: str
    #: Before the number of a calendar week.
    weeks: str
    #: Whether "next Friday" is the coming one, not that of the next week.
    is_next_coming: bool = False
    #: Words for one to fifteen.
    numbers: str = ""


LOCALE_WORDS: Final = {
    "de": LocaleWords(
        "januar,jänner|februar,feber|märz|april|mai|juni|juli|august|september|oktober|november|dezember",
        "jan,jän|feb|mär,mrz|apr||jun|jul|aug|sep,sept|okt|nov|dez",
        "montag,montags|dienstag,dienstags|mittwoch,mittwochs|donnerstag,donnerstags|freitag,freitags|"
        "samstag,sonnabend|sonntag,sonntags",
        "mo|di|mi|do|fr|sa|so",
        "vorgestern|gestern|heute|morgen|übermorgen",
        "tag,tage,tagen|woche,wochen|monat,monate,monaten,monats|quartal,quartale,quartalen,quartals|"
        "jahr,jahre,jahren,jahres|wochenende,wochenenden,wochenendes",
        "letzte,letzten,letzter,letztes,letztem,vorige,vorigen,voriger,voriges,vergangene,vergangenen|"
        "diese,diesen,dieser,dieses,diesem|"
        "nächste,nächsten,nächster,nächstes,nächstem,kommende,kommenden,kommender,kommendes,kommendem|"
        "übernächste,übernächsten,übernächster,übernächstes,übernächstem",
        "heute in,in,binnen,innerhalb von|", "vor|",
        "bis spätestens,bis zum,bis zur,bis,spätestens bis,spätestens am,spätestens,vor dem,vor,fällig am,"
        "fällig bis,fällig,frist,termin,deadline",
        "ab dem,ab,seit dem,seit,vom,nach dem,nach,von",
        "ende", "dem,den,der,des,am,im,in,zum,zur,den,nur", "anfang,beginn", "mitte", "kw,kalenderwoche,woche",
        numbers="ein,eine,einen,einem,einer|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn||zwölf||vierzehn|fünfzehn",
    ),
    "fr": LocaleWords(
        "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
        "janv|févr,fév||avr|||juil||sept|oct|nov|déc",
        "lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche", "lun|mar|mer|jeu|ven|sam|dim",
        "avant-hier|hier|aujourd'hui|demain|après-demain",
        "jour,jours|semaine,semaines|mois|trimestre,trimestres|an,ans,année,années|"
        "week-end,week-ends,weekend,fin de semaine",
        "dernier,dernière,passé,passée|ce,cette|prochain,prochaine,qui vient,suivant,suivante",
        "dans,sous,d'ici|", "il y a|",
        "au plus tard le,au plus tard,avant le,avant la,avant,d'ici le,d'ici au,d'ici à,d'ici la,d'ici,jusqu'au,"
        "jusqu'à,pour le,pour,échéance,délai,date limite",
        "à partir du,à partir de,à compter du,dès le,dès,depuis le,depuis,après le,après,du,de",
        "la fin du,la fin de,la fin,fin du,fin de,fin", "le,la,l',les,du,de,au,à,ce,en",
        "début", "mi-,mi,milieu",
        "semaine,sem.,sem", is_next_coming=True,
        numbers="un,une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix||douze|||quinze",
    ),
    "es": LocaleWords(
        "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre,setiembre|octubre|noviembre|diciembre",
        "ene|feb|mar|abr|may|jun|jul|ago|sept,sep|oct|nov|dic",
        "lunes|martes|miércoles|jueves|viernes|sábado,sábados|domingo,domingos", "lun|mar|mié|jue|vie|sáb|dom",
        "anteayer,antes de ayer|ayer|hoy|mañana|pasado mañana",
        "día,días|semana,semanas|mes,meses|trimestre,trimestres|año,años|fin de semana,fines de semana",
        "pasado,pasada,último,última,anterior|este,esta|próximo,próxima,que viene,siguiente,entrante",
        "dentro de,en|", "hace|",
        "a más tardar el,a más tardar,antes del,antes de la,antes de,hasta el,hasta la,hasta,para el,para la,para,"
        "vence el,vence,fecha límite,plazo",
        "a partir del,a partir de,desde el,desde,después del,tras el,del,de",
        "a finales de,finales de,fines de,fin del,fin de,final de", "el,la,los,del,de,al,este,día",
        "principios,inicios,comienzos,principio,inicio", "mediados",
        "semana,sem.", is_next_coming=True,
        numbers="un,una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez||doce|||quince",
    ),
    "it": LocaleWords(
        "gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre",
        "gen|feb|mar|apr|mag|giu|lug|ago|set|ott|nov|dic",
        "lunedì|martedì|mercoledì|giovedì|venerdì|sabato,sabati|domenica,domeniche", "lun|mar|mer|gio|ven|sab|dom",
        "l'altro ieri,altro ieri,ieri l'altro|ieri|oggi|domani|dopodomani",
        "giorno,giorni|settimana,settimane|mese,mesi|trimestre,trimestri|anno,anni|fine settimana,week-end,weekend",
        "scorso,scorsa,passato,passata|questo,questa,quest'|prossimo,prossima,che viene,seguente",
        "tra,fra,entro|", "|fa",
        "al più tardi il,al più tardi,non oltre il,non oltre,entro il,entro la,entro le,entro,prima del,prima di,"
        "fino al,fino a,per il,per,scadenza,scade il",
        "a partire dal,a partire da,dal,da,dopo il,dopo,del,di",
        "la fine di,la fine del,la fine della,fine del,fine", "il,la,lo,l',del,della,dello,dell',di,al,fine",
        "inizio,inizi,l'inizio", "metà", "settimana,sett.", is_next_coming=True,
        numbers="un,una|due|tre|quattro|cinque|sei|sette|otto|nove|dieci||dodici|||quindici",
    ),
    "pt": LocaleWords(
        "janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro",
        "jan|fev|mar|abr|mai|jun|jul|ago|set|out|nov|dez",
        "segunda-feira,segundas-feiras|terça-feira,terças-feiras|quarta-feira,quartas-feiras|"
        "quinta-feira,quintas-feiras|sexta-feira,sextas-feiras|sábado,sábados|domingo,domingos",
        "segunda,seg|terça,ter|quarta,qua|quinta,qui|sexta,sex|sáb|dom",
        "anteontem|ontem|hoje|amanhã|depois de amanhã",
        "dia,dias|semana,semanas|mês,meses|trimestre,trimestres|ano,anos|"
        "fim de semana,fins de semana,final de semana,fim-de-semana",
        "passado,passada,último,última|este,esta,nesta,neste|próximo,próxima,que vem,seguinte",
        "em,dentro de,daqui a|", "há|atrás,",
        "o mais tardar até,até ao,até à,até às,até o,até a,até,antes do,antes da,antes de,para o,para a,prazo,vence em",
        "a partir do,a partir da,a partir de,desde o,desde a,desde,depois do,após,do,da,de",
        "o fim do,o fim de,o final do,o final de,final do,final de,fim do,fim da,fim de,ao fim do",
        "o,a,do,da,de,no,na,ao,dia", "início,princípio,começo", "meados", "semana,sem.", is_next_coming=True,
        numbers="um,uma|dois,duas|três|quatro|cinco|seis|sete|oito|nove|dez||doze|||quinze",
    ),
    "nl": LocaleWords(
        "januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december",
        "jan|feb|mrt|apr||jun|jul|aug|sep,sept|okt|nov|dec",
        "maandag,maandagen|dinsdag,dinsdagen|woensdag,woensdagen|donderdag,donderdagen|vrijdag,vrijdagen|"
        "zaterdag,zaterdagen|zondag,zondagen",
        "ma|di|wo|do|vr|za|zo",
        "eergisteren|gisteren|vandaag|morgen|overmorgen",
        "dag,dagen|week,weken|maand,maanden|kwartaal,kwartalen|jaar|weekend,weekeinde",
        "vorige,vorig,afgelopen,verleden|deze,dit|volgende,volgend,komende,komend,aanstaande,aankomende",
        "over,binnen|", "|geleden",
        "uiterlijk op,uiterlijk,ten laatste,vóór,voor,tot en met,tot,t/m,deadline",
        "vanaf,sinds,na,van",
        "het eind van,het einde van,eind van,einde van,eind,einde", "de,het,van,op,op de",
        "begin", "half,medio,midden", "week,wk",
        numbers="een,één|twee|drie|vier|vijf|zes|zeven|acht|negen|tien||twaalf||veertien|vijftien",
    ),
    "pl": LocaleWords(
        "stycznia,styczeń,styczniu|lutego,luty,lutym|marca,marzec,marcu|kwietnia,kwiecień,kwietniu|maja,maj,maju|"
        "czerwca,czerwiec,czerwcu|lipca,lipiec,lipcu|sierpnia,sierpień,sierpniu|września,wrzesień,wrześniu|"
        "października,październik,październiku|listopada,listopad,listopadzie|grudnia,grudzień,grudniu",
        "sty|lut|mar|kwi|maj|cze|lip|sie|wrz|paź|lis|gru",
        "poniedziałek,poniedziałku,poniedziałki|wtorek,wtorku,wtorki|środa,środę,środy,środzie|"
        "czwartek,czwartku,czwartki|piątek,piątku,piątki|sobota,sobotę,soboty,sobocie|"
        "niedziela,niedzielę,niedziele,niedzieli",
        "pon,pn|wt|śr|czw|pt|sob|niedz,nd",
        "przedwczoraj|wczoraj|dzisiaj,dziś|jutro,jutra|pojutrze",
        "dzień,dni,dnia|tydzień,tygodnie,tygodni,tygodnia,tygodniu|miesiąc,miesiące,miesięcy,miesiąca,miesiącu|"
        "kwartał,kwartały,kwartałów,kwartału,kwartale|rok,lata,lat,roku|"
        "weekend,weekendu,weekendem",
        "zeszły,zeszłym,zeszłą,zeszłego,ubiegły,ubiegłym,ubiegłego,ostatni|ten,tym,tę,tego|"
        "przyszły,przyszłym,przyszłą,przyszłego,przyszłej,następny,następnym,następnego,następną,najbliższy,najbliższą,"
        "najbliższego",
        "za,w ciągu|", "|temu",
        "najpóźniej do,najpóźniej w,najpóźniej,nie później niż,do dnia,do,przed,termin",
        "od dnia,od,po,z dnia,z",
        "koniec,końca,końcem,końcu", "w,we,do,na,dnia,dniu", "początek,początku,początkiem", "połowa,połowy,połowie",
        "tydzień,tygodniu,tygodnia,tyg.",
        numbers="jeden|dwa,dwie|trzy|cztery|pięć|sześć|siedem|osiem|dziewięć|dziesięć||dwanaście||czternaście|piętnaście",
    ),
    "ru": LocaleWords(
        "января,январь,январе|февраля,февраль,феврале|марта,март,марте|апреля,апрель,апреле|мая,май,мае|"
        "июня,июнь,июне|июля,июль,июле|августа,август,августе|сентября,сентябрь,сентябре|октября,октябрь,октябре|"
        "ноября,ноябрь,ноябре|декабря,декабрь,декабре",
        "янв|февр,фев|мар|апр||июн|июл|авг|сент,сен|окт|нояб,ноя|дек",
        "понедельник,понедельника,понедельники,понедельнику|вторник,вторника,вторники,вторнику|среда,среду,среды,среде|"
        "четверг,четверга,четверги,четвергу|"
        "пятница,пятницу,пятницы,пятнице|суббота,субботу,субботы,субботе|воскресенье,воскресенья,воскресенью",
        "пн|вт|ср|чт|пт|сб|вс",
        "позавчера|вчера|сегодня|завтра|послезавтра",
        "день,дня,дней|неделя,неделю,недели,недель,неделе|месяц,месяца,месяцев,месяце|"
        "квартал,квартала,кварталов,квартале|год,года,лет,году|"
        "выходные,выходных,выходным,уикенд",
        "прошлый,прошлые,прошлых,прошлая,прошлой,прошлую,прошлом,прошлого,прошлое,последний|"
        "этот,эти,этих,эту,это,этой,этом,этого,текущий,текущей,текущем|"
        "следующий,следующие,следующих,следующая,следующую,следующей,следующем,следующего,следующее,будущей,ближайший,ближайшую",
        "через,в течение|", "|назад",
        "не позднее,не позже,до,к,срок,перед",
        "начиная с,с,со,от,после",
        "конец,конца,концу,конце", "в,во,на,до,к", "начало,начала,началу,начале", "середина,середины,середине,середину",
        "неделя,неделе,недели,неделю",
        numbers="один,одну|два,две|три|четыре|пять|шесть|семь|восемь|девять|десять||двенадцать||четырнадцать|пятнадцать",
    ),
}  # fmt: skip
