"""Words the local extractor knows by heart. Only that of given names is long; the others guard precision."""

from pathlib import Path
from typing import Final

from core.dates import MONTH_ABBREVIATIONS, MONTHS, WEEKDAY_ABBREVIATIONS, WEEKDAYS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _given_names() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the given names of the list by its three parts: women's, men's, and either's."""
    listed = Path(__file__).with_name("given_names.txt").read_text(encoding="utf-8")
    women, men, either = listed.split("\n# ")[-3:]
    return _words(women.partition("\n")[2]), _words(men.partition("\n")[2]), _words(either.partition("\n")[2])


_WOMEN, _MEN, _EITHER = _given_names()
#: Given names that are rarely anything else, folded to lower case.
GIVEN_NAMES: Final = _WOMEN | _MEN | _EITHER

#: Given names that are also common words, months, places or brands: a person only where the sentence says so.
AMBIGUOUS_NAMES: Final = _words("""
ada amber april art august austin autumn bill bud chase chelsea crystal dallas dawn dean dick drew earl faith florence
frank georgia grace grant guy hope houston iris ivy jack jackson jasper jordan joy june kent lance lily lincoln
madison marina mark max may mercedes milan piers clement miles morgan nick norman paris pat patience pearl penny ray
reed rich rob robin rod roman rose ruby rusty sandy sky sterling sue summer sydney violet victoria virginia wade
warren will wren chen jan jun mei art jean okta alta palma
angel athena aurora basil blaze brook cliff colt coral ebony eden emerald flint garnet genesis ginger hera ivory
jade jet lark mars melody messiah misty neo pepper prudence ridge sable sage sierra trinity willow zion cassandra alexa
siri
""")

#: Both: what may be somebody's given name.
FIRST_NAMES: Final = GIVEN_NAMES | AMBIGUOUS_NAMES
#: Given names that only women, and only men, are known to have.
WOMEN: Final = _WOMEN | _words("""
ada amber april dawn faith georgia ginger grace ivy june lily marina melody mercedes misty patience pearl penny rose
sable sky sue summer victoria violet virginia willow
""")
MEN: Final = _MEN | _words("""
art august austin bill bud cliff dean dick earl frank grant guy houston jack jackson kent lance mark max miles neo nick
norman ray reed rich rob rod roman rusty sterling wade warren will
""")
#: Those of the ambiguous that are names wherever they stand alone with a capital inside a sentence.
INNER_NAMES: Final = _words("""
ada bill bud chase dawn dean dick drew earl faith frank grace grant guy hope jack joy lance lily mark max miles nick
norman pat patience pearl penny ray reed rich rob robin rod rose rusty sandy sue violet wade will wren chen jean
""")
#: Those of which an everyday word does not do or become anything: "Mark was", "Will knows".
FINITE_NAMES: Final = _words("""
chase drew frank jack mark max nick norman pat ray rich rob rod sue wade will
""")
#: Family names of the East that stand before the given one, unless its bearer turns them round.
EASTERN_FAMILIES: Final = _words("""
wang li zhang liu chen yang huang zhao wu zhou xu zhu hu guo lin gao luo zheng liang xie tang deng feng cao peng zeng
xiao tian dong pan yuan cai jiang yu cheng wei ding ren shen yao lu tan wong chan chow cheung leung ng kwok lam lau
tsai hsu chang chiang kim park choi jung kang yoon jang shin seo kwon hwang nguyen nguyễn tran trần pham phạm hoang
hoàng bae baek heo ryu yoo noh hong jeon joo ahn phan vu vũ vo võ dang đặng bui bùi ngo ngô duong dương ly lý
""")

CALENDAR: Final = MONTH_ABBREVIATIONS.union(MONTHS, WEEKDAYS, WEEKDAY_ABBREVIATIONS) | _words("""
q1 q2 q3 q4 h1 h2 today tomorrow yesterday christmas easter thanksgiving halloween ramadan hanukkah diwali am pm utc
gmt cet est pst eod eow
""")  # fmt: skip

#: Words that a sentence or line may begin with, capitalised, and that are never part of a name.
STARTERS: Final = _words("""
a about above according action actually after again all almost also although always an and another any anyone anything
are as ask at based be because before below besides best both but by bye can cc certainly cheers clearly come compared
congrats could currently dear decided decision definitely despite did do does done down due during each either even
every everybody everyone everything except few finally first firstly following for from further generally get give
given go going good got great guys had happy has have having he hello hence her here hey hi his hmm hopefully how
however i if important in indeed initially inside instead into is isn it its just keep last lastly later let lets like
likewise looking lots make many may maybe me meanwhile might mm mmm more moreover most much must my near need neither
never nevertheless new next nice no nobody none nor not note nothing notice now obviously of off often oh ok okay old
on once one only open or originally other others otherwise our out over overall own perhaps please possibly pending
previously probably quite rather re really regarding regards remember right same say second see seems several shall
she should similarly since sincerely so some someone something sometimes somebody soon sorry speaking still subject
such sure surely take talking tell than thank thanks that the their them then there therefore these they think third
this those though through throughout thus to together too toward two three four five six under unfortunately unless
until up upon us use used using usually very via want was we welcome well were what whatever when whenever where
whereas whether which while who whoever whom whose why wow with within without wonderful would yeah yep yes yesterday
yet you your yours yup agreed approved attendees participants present ps fyi aha um uh ah hm wait cool awesome amazing
absolutely exactly feel fix add update remove review check send call email ping follow set move create write build
test deploy ship merge prepare schedule draft finish complete investigate discuss confirm contact document define plan
share start stop run
""")

#: Words that make a capitalised phrase a role, a team or a thing rather than a person.
THING_WORDS: Final = _words("""
friends governors members parents trustees volunteers
academy account accounting action admin administration agenda agent agile analysis analyst analytics api app
application architect architecture archive archives area association authority backend backlog bank beta billing blog
board book branch budget build bureau business calendar campaign center centre channel chief claim client cloud club
code college commission committee community company compliance conference consulting consumer contract control core
corp corporation council country court customer customers dashboard data database date deal decision decisions
department design designer desk dev developer development director discussion division docs document documentation
draft edition education electronics engine engineer engineering enterprise environment error event events executive
expert experience external facility feature feedback file finance financial floor form foundation framework front
frontend fund gateway general goal goals governance government grad group guide head health high holdings home
hospital hotel house human idea incident index industrial industries industry info information infrastructure inc
initiative input insights institute integration interface internal international internet inventory invoice issue
issues item items job key kit lab labs language launch law lead leader leadership league learning legal level library
license limited list llc local logic login logistics ltd machine mail management manager market marketer marketing
media meeting meetings member members memo message migration minister ministry minutes mobile model module money month
museum national network news notes number office officer online operations operator option options order organisation
organization outcome owner page paper park partner partners party payment payments phase phd phone plan planning
platform point policy portal postdoc power president pricing principal problem process procurement product production
professional professor program programme project projects proposal protocol public purchase quality quarter question
questions queue quick radio rates recruiting region release remote report reports request requirements research
resource resources response retail review risk risks road roadmap role room rule sales school schedule science search
secretary section sector security senate senior server service services session sheet shop site software solution
solutions source spec speech sprint staff stakeholder standard standup state states status step steps storage store
strategy street studio study success suite summary supplier support survey sync system systems table task tasks team
teams technical technology tech template terms test testing thread ticket time timeline title tool tools topic tower
trade traffic training transport trust type union unit united university update updates user users value vendor
vendors version video vice warehouse purchasing procurement facilities payroll reception maintenance treasury
controlling communications recruitment packaging helpdesk dispatch kitchen shipping everybody web website week weekly
wiki work workflow working workshop world year
""")

#: Words by which a label such as "Project Manager" names a speaker's role: its first word is no first name.
ROLE_WORDS: Final = THING_WORDS | _words("""
assistant author cfo ceo chair chairman chairperson chairwoman coach consultant coo coordinator cto customer doctor dr
facilitator guest host intern interviewee interviewer journalist judge lawyer minister moderator mr mrs ms narrator
nurse panelist participant patient pm postdoc prof reporter representative salesperson sir speaker student teacher
therapist undergrad user witness cllr councillor messrs rev hon sir madam lord lady herr frau
""")

#: Line labels ("Note: …") that are no speaker, folded to lower case.
NOT_SPEAKERS: Final = STARTERS | _words("""
ai attendee author background bcc blocker blockers bug category commit commitment concern concerns conclusion
conclusions consequences context copy created decided decider deciders default deadline deadlines def description
details due eta example examples from goal goals hint http https impact info issue keywords link links location
minutes motivation name objective outcome outcomes owner owners participant place priority problem problems proposal
purpose pros cons question questions rationale reason reasons reference references reply resolution resolved result
results risk risks sent scope severity solution source sources speaker speakers status summary tag tags team time tip
tl;dr tldr title todo to-do topic topics type update updates url version warning when where
""") | frozenset(MONTHS) | frozenset(WEEKDAYS)  # fmt: skip

#: Places a work document is likely to name, folded to lower case.
PLACES: Final = frozenset(
    name.strip()
    for name in """
africa, amsterdam, argentina, asia, athens, atlanta, australia, austria, bangalore, barcelona, beijing, belgium,
berlin, boston, brazil, brussels, budapest, california, canada, chicago, chile, china, cologne, copenhagen, denmark,
dubai, dublin, edinburgh, egypt, england, europe, finland, france, frankfurt, geneva, germany, greece, hamburg,
helsinki, hong kong, hungary, india, indonesia, ireland, israel, istanbul, italy, japan, kenya, lagos, lisbon, london,
los angeles, madrid, manchester, melbourne, mexico, miami, montreal, moscow, mumbai, munich, nairobi, netherlands, new
york, new zealand, nigeria, norway, oslo, paris, poland, portugal, prague, rome, san francisco, scotland, seattle,
seoul, shanghai, singapore, south africa, south korea, spain, stockholm, sweden, switzerland, taiwan, texas, tokyo,
toronto, turkey, ukraine, united kingdom, united states, vancouver, vienna, vietnam, wales, warsaw, zurich, aberdeen,
abuja, accra, dallas, houston, addis ababa, aleppo, algeria, algiers, ankara, antwerp, auckland, baghdad, bangkok,
basel, beirut, belfast, belgrade, bergen, bern, birmingham, bogota, bologna, bordeaux, bratislava, bremen, brisbane,
bristol, brno, bruges, bucharest, buenos aires, bulgaria, cairo, calgary, cambridge, cape town, cardiff, casablanca,
colombia, croatia, cyprus, czech republic, dakar, damascus, delhi, denver, detroit, dhaka, doha, dresden, durban,
dusseldorf, düsseldorf, eindhoven, estonia, gdansk, gdynia, genoa, ghana, ghent, glasgow, gothenburg, graz, groningen,
hanoi, hanover, harare, havana, ho chi minh city, iceland, indianapolis, innsbruck, jakarta, jerusalem, johannesburg,
kampala, karachi, katowice, kiev, köln, krakow, kraków, kuala lumpur, kyiv, kyoto, lahore, latvia, leeds, leicester,
leiden, leipzig, leuven, lille, linz, lithuania, liverpool, ljubljana, lodz, luxembourg, lviv, malaga, malaysia, malmö,
manila, mannheim, marseille, minneapolis, minsk, mombasa, montevideo, morocco, münchen, nantes, naples, new delhi, new
orleans, new south wales, newcastle, nottingham, nuremberg, nürnberg, osaka, ostrava, ottawa, oxford, pakistan,
palermo, perth, peru, philadelphia, philippines, pittsburgh, plymouth, poznan, poznań, pretoria, quito, reykjavik,
riga, rio de janeiro, romania, rotterdam, russia, saigon, salzburg, san diego, sao paulo, são paulo, sarajevo, saudi
arabia, senegal, serbia, seville, sheffield, slovakia, slovenia, southampton, strasbourg, stuttgart, tallinn, tampere,
tbilisi, tehran, tel aviv, thailand, the hague, thessaloniki, timisoara, tunis, turin, uganda, utrecht, venezuela,
venice, vilnius, winnipeg, wroclaw, wrocław, zagreb, zimbabwe, lyon
""".replace("\n", " ").split(",")
)

#: First and last words that make a capitalised phrase a place: "Port Calder", "Teal Bridge".
PLACE_FIRST: Final = _words("""
port upper lower mount lake fort cape glen loch nether north south east west san santa sankt
""")
PLACE_LAST: Final = _words("""
cross quay bridge hill hills street road avenue lane square valley beach island islands bay harbour harbor heights river
lake lakes mountain mountains forest coast county city town village creek falls springs junction wharf moor abbey
cathedral peninsula airport cottage lodge rectory vicarage
""")

#: Legal forms of companies, as they stand behind the name; "as", "sa", "co" and the like are often other words.
LEGAL_FORMS: Final = _words("inc ltd gmbh corp llc ag plc srl spa sarl bv nv ab oy aps kg llp limited")
#: Last words of a company's name.
COMPANY_WORDS: Final = LEGAL_FORMS | _words("""
foods systems technologies industries airlines software solutions group labs bank services media networks energy
holdings partners consulting university institute foundation hospital motors insurance logistics ventures se pty
freight hotels clinics analytics robotics pharma biotech capital shipping
""")

#: Makers and products whose names are followed by other capitalised words.
BRANDS: Final = _words("""
bayer credit deutsche foo nestle nike prince princess queen renault tata volvo
adobe airbnb airbus amazon android apache apple atlassian aws azure bosch boeing cisco citrix confluence debian dell
docker ebay elastic facebook fedora firefox github gitlab globex goldman google grafana hashicorp huawei ibm ikea
initech intel java javascript jenkins jira jp kafka kubernetes lenovo linkedin linux lotus macos mariadb mastercard
meta microsoft mongo mongodb morgan mozilla mysql netflix nginx nokia nvidia openai oracle outlook paypal pepsi
philips postgres postgresql power prometheus python pytorch qualcomm rabbitmq redis rust safari salesforce samsung sap
sharepoint shopify siemens slack snowflake sony spark spotify sql sqlite stripe swift terraform tesla toyota twitter
typescript uber ubuntu unix visa visual vmware volkswagen walmart wells windows xerox yahoo youtube zendesk acme contoso
""")

#: Everyday words that titles and names of things are made of, and hardly any person's name.
COMMON_WORDS: Final = _words("""
absolute advanced african air airlines airways alert alerts alpha american ancient annual apple arab arctic asian
associates atlantic audio australian austrian autumn average baltic basic battery bear belgian better big bird blue
body bold bottom box brave brazilian breakfast breaking bright british broken brother brothers bug bulk bus busy
button cable canadian candidate capital car carbon card career castle casual celtic chain chart chat chinese christian
church civil class classic clean clear climate closed coal code cold collective commerce commercial common
communications complete compound computer computing concept congress constant cool core corner cosmic cost cotton crew
critical crown cultural cup custom cyber cycle danish dark death deep deer default defence defense delivery delta
democratic desktop device devices diamond digital dinner direct disk domestic double draft dream drive dual dutch
dynamic eagle early earth eastern easy echo eco economic edge efficient electric electrical electronic electronics
eleven elite emergency emerging empty energy english enterprises entertainment equal essential ethernet european
evening exact exchange expert express extended extra factory fair family fast federal fiber final fine fire fish flag
flash flat fleet flight flow focus food foods force foreign forward foundation fourth free french fresh friday
friendly frozen full fund funding future gadgets galaxy game gamma garden gas gate gateway german giant gizmo global
gold grand graph great greek grid ground growth guard half hand happy hard hat heavy hidden high hill historic hollow
home honest horizon horse hot hybrid ice icon image imperial indian indie industries infinite inland instant insurance
integrated intelligent interim irish iron islamic italian japanese joint journey junior key kick kingdom korean
lantern laser last late latin launch law layer lean leap left legacy liberal liberty light lightning limited line
liquid list live load local logic loop lucky lunar lunch machine macro magic magnetic main marine mass master matrix
medical memory mental merchant metal metro metropolitan mexican micro mid midnight military mini minor mint mission
mixed mobile modern monthly moonlight morning motion motor motors mountain multi mutual narrow nation national native
natural naval nearby nest nexus night nine nordic normal northern norwegian nova nuclear number ocean official olympic
omega online open optical optional orange orbit original pacific panel parallel party peak people perfect personal
phantom phase phoenix photo pictures pilot pioneer pipeline planet plastic player pocket polar police polish political
pop port portuguese post practical premier premium presidential press prime print private pro production progressive
prototype proud public pulse pure purple quantum queue quiet race rail railway rain rainbow random rapid raw ready
real rebel recent red regional regular relational republic republican rescue residential restricted reverse rising
river road robust rocket rolling root royal rural russian sacred safe safety saint sample satellite scandinavian
scarlet scottish screen sea second secret secure senate sensor seven shadow shared shell shield shiny ship side signal
silent silicon simple single six sky slow smart smooth social soft solar solid solutions sonic sons sound source
southern soviet space spanish spare spark special speed spirit split sport sports spring square stable standard star
state static station strategic stream street strict strong studio sub summer sunrise sunset super supreme surface
swedish swiss symphony tablet tactical tank task team technologies ten term terminal theory thermal thin third three
thunder tiger tiny titan token top total touch tour track trade traditional train transit transparent travel triple
tropical true trusted turbo turkish twin two ultimate ultra underground unified universal universe upstream urban
vacuum valid vast vector ventures vertical victory vintage virtual visible vision vital vocal voice wall war warm
waste water wave weak weather web welsh western wheel whole wide widgets wild wind window wire wireless wonder world
worldwide yellow youth zero zone
""")
#: Common family names as well, but hardly anybody's first name.
COMMON_FIRST: Final = COMMON_WORDS | _words("""
bell black brown cash cross golden green grey hawk heart king land large lion long low major max moon noble olive
power rock round self sharp short silver small snow steel stone storm sun swift violet white winter wise wolf wood
young
""")

#: Words of everyday that are family names behind a given one: "Ruth Marsh", "Anna Church".
FAMILY_WORDS: Final = _words("""
an archer baker barber bell berry best bird bishop black blue boss bowman brook brooks brown bush butler bye carpenter
carter cash castle chambers chapman church clay cook cooper cross crow day dean do draper drew drummer duke dyer east
english farmer ferry field fields fisher flint flower flowers ford forest forester foster fowler fox frank freeman
french frost fuller garden gardener gibbon glass glover gold golden good goodman grant gray green grey grove hall hand
hardy harper hart hawk hay hayes head heath herd hill hills holder hood hook hope hunt hunter keen key king kirk
kitchen knight lake lamb land lane law leach little long lord love low lucky major marsh marshall mason may mayor
meadows mercer merchant miller mills monk moon moor moss nail neat noble north nurse oh page painter palmer park
parker parks parrott paul peacock pearl penny pepper pike piper pitt pool pope porter potter pound power powers price
priest prince prior quick rain ray read reed rice rich rivers rock rose royal rush sage sands savage saw sawyer sharp
shaw shepherd shields short silver singer skinner slater small smart smith snow so south spark sparks speed spencer
spring stark steel stern steward stone storm street strong stubbs summer summers sun swan swift tailor tanner taylor
temple thatcher thorn tower towns turner tyler vale vine wade walker wall ward waters way weaver webster weeks wells
west wheeler white wild winter winters wise wolf wood woods woodward worth wright young
""")

#: Mail domains that say nothing about an employer.
FREE_MAIL: Final = _words("""
gmail googlemail outlook hotmail live yahoo icloud me aol gmx web proton protonmail mail fastmail zoho example
localhost posteo mailbox tutanota tuta t-online freenet orange wanadoo laposte libero virgilio tiscali seznam onet
interia yandex qq naver comcast verizon btinternet virginmedia hey pm duck bluewin ymail rocketmail msn hushmail runbox
""")

#: Mail boxes and handles that are no person.
SHARED_BOXES: Final = _words("""
info support help sales contact admin team hello office billing press jobs hr noreply no-reply donotreply
notifications everyone here channel all list dev security marketing postmaster webmaster root ops claims reception
bookings orders enquiries inquiries accounts service services kontakt contacto shop store events membership
""")

#: Never the first or last word of a person's name.
NOT_NAMES: Final = STARTERS | THING_WORDS | CALENDAR | ROLE_WORDS
#: What people are, by trade or office.
OFFICES: Final = ROLE_WORDS | _words("""
architect engineer director manager chief analyst designer officer composer producer editor president lead head
auditor treasurer secretary deputy owner dean general major provost canon photographer surveyor inspector plumber
electrician caretaker trainee volunteer farmer baker cook chef gardener tutor trainer midwife surgeon registrar
librarian curator archivist author writer poet singer conductor soprano tenor skipper pilot driver mechanic technician
operator foreman builder carpenter painter solicitor barrister clerk priest apprentice researcher bosun matron porter
usher warden verger sexton steward stewardess helmsman purser forewoman scientist lecturer neighbour neighbor landlord
tenant
""")
#: Parts of an organisation, which somebody of it may be said to be of.
DEPARTMENTS: Final = _words("""
accounts admissions archives assembly assurance audit board cardiology care catering claims cleaning clinic clinical
collections committee communications compliance conservation contracts controlling council curatorial customer design
dispatch education emergency engineering estates events export facilities fabrication faculty field finance fire floor
frontend front fundraising governance grounds group health helpdesk housekeeping infection infrastructure it
kitchen lab laboratory lead legal library logistics maintenance maintainers management marketing medical membership
midwifery mobile network night nursing office oncology operations ops outpatients packing paint parents payments payroll
personnel pharmacy planning platform portering press prevention procurement production programme projects property
public purchasing quality radiology reception records recruitment registry relations research retail reliability safety
sales secretariat secretary security service services settlement shift site staff stores strategy studio supply support
surgery talent team technical tenants testing theatre theatres tooling training transport treasury trustees visitor
volunteers ward warehouse web welding welfare wing workshop works x-ray desk department dept division unit section union
""")
#: Words that are hardly anybody's name: of everyday, places, makers.
OTHER_WORDS: Final = NOT_NAMES | COMMON_WORDS | PLACES | BRANDS | COMPANY_WORDS
#: Words that are as likely something else as a family name.
LISTED: Final = OTHER_WORDS | GIVEN_NAMES | AMBIGUOUS_NAMES
