"""Unknown people: whose name is in no list, but who decides, promises and worries as only people do."""

import pytest

from core.knowledge.findings import Extraction
from tests.ingest.extracting import by_rules, entity, extract, names


def owned(found: Extraction) -> list[tuple[str, list[str], str | None]]:
    """Category, owners and due day of each event."""
    return [
        (
            event.category,
            [name for name, role in event.actors if role == "owner"],
            event.due.date().isoformat() if event.due else None,
        )
        for event in found.events
    ]


PEOPLE = [
    "Mara Lind",
    "Ana-Maria de la Cruz",
    "Ludwig van den Berg",
    "Sinead O'Neill",
    "Mara Elin Lind",
    "J. R. Smith",
    "Łucja Żółkiewska",
    "Þórdís Jónsdóttir",
    "Nguyễn Văn Hùng",
    "Đặng Thị Mai",
    "Анна Петрова",
    "Jose\u0301 Ibarrondo",
    "Hamza El-Sayed",
    "Aung San Suu Kyi",
]


@pytest.mark.parametrize("name", PEOPLE)
def test_a_name_of_any_origin_that_decides_is_a_person(name: str) -> None:
    """No list holds all names: one that decides, approves or promises is somebody, and owns what it did."""
    found = extract(f"{name} decided to sell the old press.")
    assert (names(found, "person"), owned(found)) == ({name}, [("Decision", [name], None)])
    assert names(found, "object") == set()


@pytest.mark.parametrize("name", PEOPLE)
@pytest.mark.parametrize(
    "promise", ["will repaint", "is going to repaint", "has to repaint", "needs to repaint", "must repaint"]
)
def test_whatever_a_person_will_do_by_a_date_is_a_promise(name: str, promise: str) -> None:
    """With a person and a date no list of verbs is needed."""
    found = extract(f"{name} {promise} the fence by 2026-05-01.")
    assert owned(found) == [("Commitment", [name], "2026-05-01")]


@pytest.mark.parametrize(
    "sentence",
    [
        "I will repaint the fence before Friday.",
        "I have to repaint the fence by Friday.",
        "Omar Haddad: repaint the fence by Friday.",
        "Mara Lind: send the invoice by Friday.",
        "Yesterday Alice promised to come by Friday.",
        "Mara Lind will be repainting the fence until Friday.",
        "As agreed, Mara Lind will hand in the keys on Friday.",
        "- Mara Lind will repaint the fence tomorrow.",
        "Mara Lind, our new designer, will repaint the fence by Friday.",
        "Mara Lind (design) will repaint the fence by Friday.",
        "Mara Lind and her team will repaint the fence by Friday.",
        "Mara Lind'll repaint the fence by Friday.",
    ],
)
def test_promises_with_a_date_come_in_many_forms(sentence: str) -> None:
    """Each names who owes it and when."""
    [(category, owners, due)] = owned(extract(sentence, author="Dana Fox"))
    assert (category, len(owners), due is not None) == ("Commitment", 1, True)


@pytest.mark.parametrize(
    "sentence",
    [
        "Alice will not paint the fence by Friday.",
        "Alice will probably paint the fence by Friday.",
        "Alice will be on holiday until Friday.",
        "If Alice has to paint the fence by Friday, we wait.",
        "Does Alice have to paint the fence by Friday?",
        "It will rain on Friday.",
        "We will see on Friday.",
        "Phase Two will begin on 2026-05-01.",
        "Monday Morning will be wet until Friday.",
        "Alice will paint the fence.",
        "Black Friday will come by November.",
    ],
)
def test_the_future_alone_is_no_promise(sentence: str) -> None:
    """Weather, plans of things, doubts, denials and anything without a date stay out of the record."""
    assert by_rules(sentence).events == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "New York will close the bridge by Friday.",
        "Project Atlas will close by Friday.",
        "Green Team decided to stop.",
        "Monday Morning decided the match.",
        "Acme Corp decided to stop.",
        "Phase Two will begin on 2026-05-01.",
        "Apache Kafka will replace the queue by Friday.",
        "The Lunar Gateway decided to stop.",
        "European Commission approved the merger.",
        "Red Hat decided to close it.",
        "Upper Denby approved the plan.",
        "Port Calder will get tablets by Friday.",
        "Marketing Department agreed to pay.",
        "Lantern Alerts will stop by Friday.",
        "Quarterly Review said little.",
    ],
)
def test_capitals_that_decide_are_not_always_people(sentence: str) -> None:
    """Places, teams, phases, products and companies act too."""
    assert names(extract(sentence), "person") == set()


@pytest.mark.parametrize(
    "sentence", ["Yesterday Alice decided to stop.", "Finally Mara Lind decided.", "On Monday Mara Lind told us."]
)
def test_words_before_a_name_are_no_part_of_it(sentence: str) -> None:
    """Adverbs and days begin sentences and are capitalised for that."""
    assert names(extract(sentence), "person") <= {"Alice", "Mara Lind"}
    assert names(extract(sentence), "person")


def test_a_worried_person_is_named_with_the_risk() -> None:
    """Feeling is human: "is worried" is enough to tell a name."""
    for name in ("Yusuf Demir", "Mara Lind"):
        [event] = extract(f"{name} is worried that the pump leaks.").events
        assert (event.category, event.actors[0][0]) == ("QualityRisk", name)


def test_two_unknown_people_who_act_together_are_two() -> None:
    """The verb stands behind the second name and counts for both."""
    found = extract("Mara Lind and Iven Holt decided to merge the shops. Mara will tell the bank by Friday.")
    assert names(found, "person") == {"Mara Lind", "Iven Holt"}
    assert owned(found)[1] == ("Commitment", ["Mara Lind"], "2026-03-13")


def test_a_handle_behind_a_name_belongs_to_it() -> None:
    """Fields and member lists say whose @handle it is, however little it resembles the name."""
    declared = extract(
        "@tomek will send the list by Friday.", context="chat", participants=("Tomasz Wieczorek (@tomek)",)
    )
    assert owned(declared) == [("Commitment", ["Tomasz Wieczorek"], "2026-03-13")]
    listed = extract("Members: Mara Lind (@ml), Dana Fox (@dana)\n\n@ml will send the list by Friday.", context="chat")
    assert owned(listed) == [("Commitment", ["Mara Lind"], "2026-03-13")]
    assert "@ml" in entity(listed, "Mara Lind").aliases


@pytest.mark.parametrize(
    "line",
    [
        "@tomek 09:02: I will send the list by Friday.",
        "@tomek: I will send the list by Friday.",
        "[09:02] @tomek: I will send the list by Friday.",
        "Tomasz Wieczorek 09:02: I will send the list by Friday.",
        "Tomasz Wieczorek 09:02\nI will send the list by Friday.",
        "Tomasz Wieczorek, 9:02 AM\nI will send the list by Friday.",
        "Tomasz Wieczorek  [09:02]\nI will send the list by Friday.",
        "Tomasz Wieczorek — 2026-03-10 09:02\nI will send the list by Friday.",
        "<tomek> I will send the list by Friday.",
        "10/03/2026, 09:02 - Tomasz Wieczorek: I will send the list by Friday.",
    ],
)
def test_chat_lines_of_every_client_have_an_owner(line: str) -> None:
    """Who says "I" is the one whose name or handle stands before the words or above them."""
    found = extract(f"{line}\n", context="chat", participants=("Tomasz Wieczorek (@tomek)",))
    assert owned(found) == [("Commitment", ["Tomasz Wieczorek"], "2026-03-13")]


def test_an_unknown_handle_that_speaks_is_a_person() -> None:
    """A chat export may hold nothing but handles."""
    found = extract("@zed 09:02: I will send the list by Friday.\n@kim_o 09:03: fine\n", context="chat")
    assert entity(found, "zed").aliases == ("@zed",)
    assert owned(found) == [("Commitment", ["zed"], "2026-03-13")]


def test_sentences_below_people_are_sentences() -> None:
    """A section of people holds lists and prose; only names become people."""
    found = extract(
        "# Brief\n\n## People\n\nPriya Raman owns the brief. Dana Okafor leads the engineers.\n\n"
        "- Mara Lind, product lead\n- Iven Holt – design\n- Sinead Roy (QA)\n- Everyone else helps out\n"
    )
    assert names(found, "person") == {"Priya Raman", "Dana Okafor", "Mara Lind", "Iven Holt", "Sinead Roy"}


def test_places_are_places() -> None:
    """What stands for a place by its words is neither a person nor a thing."""
    found = extract("We decided to open at Port Calder. Two have nothing: Hollin Cross and Upper Denby.")
    assert names(found, "place") == {"Port Calder", "Hollin Cross", "Upper Denby"}
    assert names(found, "person") | names(found, "object") == set()


def test_where_people_work_is_no_place() -> None:
    """ "At" before an employer does not make it a town."""
    found = extract("Dana Fox, engineering manager at Quillmere, decided to stay. Mara works at Globex.")
    assert names(found, "place") == set()


def test_a_mail_domain_is_the_company_that_begins_with_it() -> None:
    """One company is one organisation, whether its full name or its domain is written."""
    found = extract(
        "From: Omar Siddiqui <omar@vandermoor.example>\n\nWho leaves Vandermoor Foods loses access.\n", context="email"
    )
    assert names(found, "org") == {"Vandermoor Foods"}
    assert entity(found, "Omar Siddiqui").organization == "Vandermoor Foods"


def test_an_incident_report_is_no_incident() -> None:
    """The document is not the trouble it tells of."""
    content = "She wants to release a day before the date in the incident report.\nThe incident\nreport is late enough."
    assert extract(content).events == ()


def test_a_title_does_not_make_every_sentence_a_decision() -> None:
    """Of a record of one decision the text below "Decision", or else its first statement, decides."""
    record = (
        "# Decision record: when Sable starts\n\n18 February 2026. Decided by Marcus Hale.\n\n## Why\n\n"
        "- The rehearsal was long.\n- The data is odd.\n\n## Decision\n\nSable starts in April. It is late.\n\n"
        "## Consequences\n\n- Nobody touches prices.\n"
    )
    assert [event.quote for event in extract(record).events] == ["Sable starts in April."]
    short = "# Decision record: storage\n\n10 March 2026\n\nSQLite holds the record. It is small.\n\n- It is fast.\n"
    assert [event.quote for event in extract(short).events] == ["SQLite holds the record."]
    listed = "# Decisions\n\n- SQLite holds the record.\n- Chroma holds the vectors.\n"
    assert len(extract(listed).events) == 2


@pytest.mark.parametrize(
    ("content", "people"),
    [
        ("Sister Moreau and Captain Solheim agreed with Ms G. Mbeki.", {"Moreau", "Solheim", "G. Mbeki"}),
        ("Ms Sun showed us the mirror.", {"Ms Sun"}),
        ("We talked to my colleague Hao about customs.", {"Hao"}),
        ("We buy flour from Astrid & Sons and bread at Martin's Bakery near the Hilton.", set()),
        ('The flour is called "Old Bailey".', set()),
        ("Cheers, Ana Berg\n\nP.S. The talk was moved.", {"Ana Berg"}),
        ("Written by: Peter Chambers, Regional Health Office", {"Peter Chambers"}),
        ("Interviewed: Jon Reuter, Sister Adele Moreau", {"Jon Reuter", "Adele Moreau"}),
        ("Present: Ellen Park, Will Chambers", {"Ellen Park", "Will Chambers"}),
        ("Architect Benedict Lowe drew the plan with Grace Oyelaran.", {"Benedict Lowe", "Grace Oyelaran"}),
        ("Attendance: Juan Carlos Ortega, Nele Brandt\n\nJuan Carlos agrees.", {"Juan Carlos Ortega", "Nele Brandt"}),
        ("The pump was installed by V. Horvath.", {"V. Horvath"}),
        ("We liked Mrs Petersen's cakes and asked Birgit's neighbour Claude.", {"Petersen", "Birgit", "Claude"}),
        ("* Le Pixel: interview with the team, by Étienne Roux", {"Étienne Roux"}),
    ],
)
def test_people_are_told_from_titles_companies_and_products(content: str, people: set[str]) -> None:
    """A title is no part of a name, a firm that has somebody's name is nobody, and neither is a quoted name."""
    assert names(extract(content), "person") == people


@pytest.mark.parametrize(
    "content",
    [
        "Present: Paris Andersson\n\nParis writes the guide by Friday.",
        "To: Paris Andersson\n\nParis,\nthank you for the guide.",
        "To: Paris Andersson\n\nParis, please print the guide by Friday.",
    ],
)
def test_a_first_name_that_is_also_a_place_is_hers_where_the_text_knows_her(content: str) -> None:
    """At the beginning of a sentence what follows tells: a verb, or that somebody is spoken to."""
    assert entity(extract(content, context="email"), "Paris Andersson").mentions[1:] != ()


@pytest.mark.parametrize("short", ["AC", "A. Costa"])
def test_a_shortened_name_of_a_text_is_one_with_the_full_one(short: str) -> None:
    """Initials, or one with the family name, tell who is meant."""
    found = extract(
        f"Present: Ana Costa, Ben Stone\n\n## Actions\n\n- {short} to send it by Friday.", context="meeting"
    )
    assert names(found, "person") == {"Ana Costa", "Ben Stone"}
    assert owned(found) == [("Commitment", ["Ana Costa"], "2026-03-13")]


def test_who_a_row_belongs_to_is_a_person_though_nothing_else_names_him() -> None:
    """The cell says so: no sentence around the name needs to."""
    found = extract("| Owner | Action | Due |\n| --- | --- | --- |\n| Grace | Call the bank | Friday |")
    assert owned(found) == [("Commitment", ["Grace"], "2026-03-13")]


@pytest.mark.parametrize("stamp", ["dmitri_p (08:50): {}", "dmitri_p  21:04\n{}", "[08:50] dmitri_p: {}"])
def test_who_has_a_handle_in_small_letters_speaks_at_a_time(stamp: str) -> None:
    """A time beside a word makes it the one who writes, and what follows is promised by him."""
    found = extract(stamp.format("i'll send the build by friday"), context="chat")
    assert owned(found) == [("Commitment", ["dmitri_p"], "2026-03-13")]


def test_a_mail_box_gives_the_name_that_it_spells() -> None:
    """A single letter before a dot is an initial, and a word that is nobody's given name stays as it is."""
    found = extract("To: i.halvorsen@nord.no, ydemir@nord.no, ana@nord.no\n\nHello", context="email")
    assert names(found, "person") == {"I. Halvorsen", "ydemir", "Ana"}


@pytest.mark.parametrize(
    ("content", "people"),
    [
        ("We met Anna and Globexa.", {"Anna"}),
        ("Tickets are with Ruth Marsh, the keys with Jonas Halvorsen.", {"Ruth Marsh", "Jonas Halvorsen"}),
        ("Signed: _Dana Marsh_ and _Bo Li_", {"Dana Marsh", "Bo Li"}),
        ("Since May Globexa pays, and in June Initechs does.", set()),
        ("Objection from Ada Roy; noted.", {"Ada Roy"}),
        ("Anna has the key. Granny Anna said so.", {"Anna"}),
        ("Jean-Baptiste wants the samovar.", {"Jean-Baptiste"}),
        ("The Florence Amundsen was in the yard for the Laurence Tate cup.", set()),
        ('The logger "Amelia" was late.', set()),
        ("Fewer dashboards are better. She said so.", set()),
        ("We looked at Anna, Zurich and the budget.", {"Anna"}),
    ],
)
def test_who_is_in_no_list_is_known_by_company_and_by_what_only_people_do(content: str, people: set[str]) -> None:
    """Named in one breath with somebody, spoken to, thinking, or "he" a few words later; ships and cups are not."""
    assert names(extract(content), "person") == people


def test_whom_only_quoted_words_name_is_named() -> None:
    """The quoted mail decides nothing again, but its people and its writer are known."""
    found = extract(
        "Fine by me.\n\nAnna\n\n> On Sun, 20 Oct 2024 at 15:47, Bronagh Tully wrote:\n"
        "> We decided to drop the Hostias with Ben Stone.\n",
        context="email",
    )
    assert names(found, "person") == {"Anna", "Bronagh Tully", "Ben Stone"}
    assert found.events == ()


def test_the_writer_of_a_mail_may_be_written_with_the_family_name_first() -> None:
    """And then is so elsewhere."""
    found = extract("From: Choudhury, Nasreena\nTo: Ben Stone\n\nLater.\n\nNasreena Choudhury", context="email")
    assert names(found, "person") == {"Nasreena Choudhury", "Ben Stone"}


@pytest.mark.parametrize(
    ("content", "people"),
    [
        (
            "Agreed between Mr Rafferty and Ms Rafferty. Declan Rafferty inspects.",
            {"Declan Rafferty", "Ms Rafferty"},
        ),
        (
            "Present: Dr Leila Haddad\n\nDr Haddad saw both flats. Mr Haddad was there.",
            {"Leila Haddad", "Mr Haddad"},
        ),
        (
            "Present: Dr Farida Nazari, Idris Nazari (buildings, for item 1 only)\n\nDr Nazari asked Mr Nazari to go.",
            {"Farida Nazari", "Idris Nazari"},
        ),
        ("For Ms Carvalhal, and an end of work for Mr Carvalhal.", {"Ms Carvalhal", "Mr Carvalhal"}),
        ("Dr Kim Nazari agreed. Mr Nazari did not. Ms Nazari called.", {"Kim Nazari", "Mr Nazari", "Ms Nazari"}),
        ("Mrs Ahlgren said that Ms Ahlgren was late.", {"Ahlgren"}),
        ("Dear Uchida-san,\n\nMr Uchida sends the clock.", {"Uchida"}),
        ("Present: L. van Rijn (chair)\n\nMrs Van Rijn praised it.\n\nLouise van Rijn", {"Louise van Rijn"}),
        ("Prepared by: Ing. Martin Novak\n\nMr Novak was here.", {"Martin Novak"}),
    ],
)
def test_titles_tell_two_of_one_family_apart(content: str, people: set[str]) -> None:
    """A woman's and a man's, or one that nobody but the one full name has in this text."""
    assert names(extract(content), "person") == people


def test_the_fields_above_a_text_name_people() -> None:
    """As records of decisions have them: in one line, in brackets, or a line each."""
    found = extract(
        "---\nstatus: accepted\ndate: 2026-03-01\ndeciders: [Verra Long, Bo Li]\nconsulted:\n"
        "  - Ines Halvorsen\n---\n\n# Storage\n\nSQLite holds it.\n",
        context="decision",
    )
    assert names(found, "person") == {"Verra Long", "Bo Li", "Ines Halvorsen"}


def test_a_header_that_lists_nobody_is_read_as_a_sentence() -> None:
    """What a mail is about may name somebody."""
    found = extract("From: Ana Berg\nSubject: Handover from Jonas Halvorsen to Wei Zhao\n\nSee you.", context="email")
    assert names(found, "person") == {"Ana Berg", "Jonas Halvorsen", "Wei Zhao"}


@pytest.mark.parametrize(
    "content",
    [
        "Attendees: X\u037aanna, \u0399anna\n\nDear X\u037aanna said",
        "Attendees: Mara- Lind (ML), Mara-- Lind\n\nML to call.",
        "From: \ufe70\nTo: \ufe70 \ufe70\n\n\ufe70 agreed.",
        "---\n:\n- \ndeciders: []\n---\n\n& Sons & & Co",
    ],
)
def test_no_name_is_too_odd_to_read(content: str) -> None:
    """Signs that fold to blanks, lonely hyphens, empty lists."""
    found = extract(content, context="email", author="Mara-- Lind")
    assert all(span.end_char <= len(content) for entity in found.entities for span in entity.mentions)


def test_a_longer_name_that_ends_with_another_is_the_same_person() -> None:
    """Carlos Ortega takes part; Juan Carlos Ortega is he."""
    found = extract("Attendees: Carlos Ortega, Mara Lind\n\nJuan Carlos Ortega will send it.", context="meeting")
    assert names(found, "person") == {"Juan Carlos Ortega", "Mara Lind"}


def test_a_label_in_capitals_is_where_somebody_is_named() -> None:
    """As court reporters and machines write them; how it is written is no other name."""
    assert names(extract("P. Horak's script ran. P. Horak left.", context="document"), "person") == {"P. Horak"}
    content = "MARA LIND: The pump leaks.\n\nJO PARK: Again?\n\nMARA LIND: Again, so am I. I'm tired.\n"
    found = extract(content, context="transcript", participants=("Mara Lind", "Jo Park"))
    assert names(found, "person") == {"Mara Lind", "Jo Park"}
    assert [len(entity(found, name).mentions) for name in ("Mara Lind", "Jo Park")] == [2, 1]
    assert "MARA LIND" not in entity(found, "Mara Lind").aliases


@pytest.mark.parametrize(
    ("content", "name", "firm"),
    [
        ("Erik Lund of Norrvik Bank's settlement desk was told.", "Erik Lund", "Norrvik Bank"),
        ("Mark Visser of the Town of Overdam came.", "Mark Visser", "Town of Overdam"),
        ("David Clarke, our fire safety adviser here at Thornbeck General, came.", "David Clarke", "Thornbeck General"),
        ("Cem from Kiezrad had one in his hand.", "Cem", "Kiezrad"),
        ("David Clarke here at Holt & Marsden has the line.", "David Clarke", "Holt & Marsden"),
    ],
)
def test_where_somebody_works_is_told_in_many_ways(content: str, name: str, firm: str) -> None:
    """Even a firm that is called like a person."""
    found = extract(content, context="email")
    assert entity(found, name).organization == firm
    assert firm not in names(found, "person")


def test_a_sentence_behind_a_list_of_people_is_read_as_one() -> None:
    """What follows the list in its line is no entry of it."""
    found = extract("There: Grace Abel, Oswyn Harker. later Bob from the builders came\n", context="meeting")
    assert names(found, "person") == {"Grace Abel", "Oswyn Harker", "Bob"}


@pytest.mark.parametrize(
    ("content", "people"),
    [
        ("Two residents wrote to Jan de Vries about it.", {"Jan de Vries"}),
        ("> We come on Monday.\n> Greetings, Femke", {"Femke"}),
        ("# Notes\n\nA. Introduction\n\nfoo bar.\n\nB. Reported matters\n\nAlice Berg chairs.", {"Alice Berg"}),
        ("Hello, I am with @dpark_tidewell (Daniel Park, our fitter) now.", {"Daniel Park"}),
    ],
)
def test_names_are_told_from_what_stands_around_them(content: str, people: set[str]) -> None:
    """A month, a closing, the letter of an item, a label and a handle are no other people."""
    assert names(extract(content, context="chat" if "@" in content else "meeting"), "person") == people


@pytest.mark.parametrize("exclamation", ["Woah", "Whoa", "Oof", "Brilliant", "Perfect", "Gotcha"])
def test_an_exclamation_is_nobodys_name(exclamation: str) -> None:
    """Not in front of somebody who is spoken to."""
    found = extract(f"{exclamation}, Caroline, that is so kind! Will you call Mel about it tomorrow?")
    assert names(found, "person") == {"Caroline", "Mel"}
    assert not [name for entity in found.entities for name in (entity.name, *entity.aliases) if exclamation in name]


@pytest.mark.parametrize(
    "entry",
    [
        "Harbour Announcements <announcements@pier.example>", "leads@pier.example", "ops-team@pier.example",
        "Mail Delivery Subsystem <mailer-daemon@pier.example>", "quay-users@lists.pier.example",
        "Quay <quay@googlegroups.com>", "Pier Crew <pier-crew@lists.pier.example>",
        "The Crane Team <crane@pier.example>", "Room 4.2 <room-4.2@pier.example>",
        "conference-room-blue@pier.example", "dependabot[bot] <bot@users.noreply.github.com>", "GitHub <n@github.com>",
    ],
)  # fmt: skip
def test_roles_rooms_lists_and_programs_that_get_a_mail_are_no_people(entry: str) -> None:
    """Whoever writes by way of a list, or from a shared mail box, is somebody."""
    people = "Ben Roe <office@pier.example>, Oluwa Adeyemi <oluwa-x7@lists.pier.example>"
    found = extract(
        f"From: Ann Lee via quay-users <quay-users@lists.pier.example>\nTo: {entry}, {people}\n\nHi.",
        context="email",
        author="Ann Lee via quay-users",
    )
    assert names(found, "person") == {"Ann Lee", "Ben Roe", "Oluwa Adeyemi"}


@pytest.mark.parametrize(
    "text",
    [
        "We should ask Chad, Oman and Cuba for prices.",
        "The pump comes from Kiel, and the supplier in Kiel is slow.",
        "Then Ruby 3.4 allows it, and Julia 1.9 allows the same.",
        "IMO we should ask for more time.",
    ],
)
def test_places_products_and_abbreviations_that_are_given_names_too_are_nobody(text: str) -> None:
    assert names(extract(text), "person") == set()


def test_a_given_name_that_is_a_country_is_somebody_who_acts() -> None:
    assert names(extract("Chad will call the insurer. Julia agreed."), "person") == {"Chad", "Julia"}


@pytest.mark.parametrize(
    ("content", "people"),
    [
        ("MARTIN TRAN decided to buy a ladder.", {"Martin Tran"}),
        ("Martin Tran came. MARTIN TRAN decided to buy a ladder.", {"Martin Tran"}),
        ("Catherine Treasurer will send it, says Martin Tran.", {"Martin Tran"}),
        ("Martin Has To Leave at noon.", set()),
        ("Alice Baker and Martin Cook agreed.", {"Alice Baker", "Martin Cook"}),
    ],
)
def test_capitals_roles_and_verbs_of_names(content: str, people: set[str]) -> None:
    """A name in capitals is a person's, and no body; an office or a verb is no family name."""
    found = extract(content)
    assert {name for name in names(found, "person") if " " in name} == people
    assert names(found, "org") == set()


@pytest.mark.parametrize(
    "content",
    [
        "#### Participants\n\n- @kfrm\n- @zolT\n- @harbour",
        "- **Attendees:**\n  - @kfrm\n  - @zolT (Zoltan)\n  - @harbour",
        "-   **Attendees:**\n\n    -   _@kfrm_\n    -   _@zolT_\n    -   _@harbour_",
        "**Attendees**\n* @kfrm\n* @zolT\n* @harbour",
        "Attendees: @kfrm, @zolT, @harbour",
        "Notes\n\n### @kfrm\n\n- Drew the pier.\n\n### @zolT\n\n- Slept.\n\n### @harbour\n\n- Sailed.",
        "@kfrm\n- Drew the pier.\n\n@zolT\n- Slept.\n\n@harbour\n- Sailed.",
    ],
)
def test_who_is_listed_with_a_handle_is_somebody(content: str) -> None:
    """In any context, however the list is marked; a placeholder for one is nobody."""
    content += "\n\n@name\n- What you did.\n\n```\n@property\ndef depth(self): ...\n```\n"
    assert names(by_rules(content, context="document"), "person") == {"kfrm", "zolT", "harbour"}


@pytest.mark.parametrize("heading", ["Attendees", "TSC Members present", "Introduction of attendees", "Others present"])
def test_an_everyday_word_in_a_list_of_people_is_part_of_a_name(heading: str) -> None:
    """Each entry fills its line; so does no name that is all everyday words."""
    content = (
        f"# Minutes\n\n## {heading}\n\n- Mingqiu Sun\n- Liang He\n- CG Wang\n- Ana Li R&D\n- Next Steps\n\n## Notes"
    )
    assert names(by_rules(content, context="meeting"), "person") == {"Mingqiu Sun", "Liang He", "CG Wang", "Ana Li"}


@pytest.mark.parametrize(
    "text",
    [
        "Amber apps need Amber CLI 3.4. Topics: Amber Times, Amber Data Guides, and the Amber Learn section.",
        "Present: This was sadly not written down",
        "- Succession planning (TBD)\n- Attendees: TBD, John Doe",
        "General Balance: 200 euros in Latin America.",
        "SSID: pier-guests\nPassword: herring\n\nSSID: pier-crew\nPassword: gull",
    ],
)
def test_products_placeholders_and_labels_are_nobody(text: str) -> None:
    """Whatever given names begin with them."""
    assert names(by_rules(text, context="meeting"), "person") == set()


@pytest.mark.parametrize("text", ["Will Holm mended the pump.", "Will mended the pump.", "Rune: Will mended the pump."])
def test_what_somebody_called_will_did_is_no_promise(text: str) -> None:
    [event] = extract(text).events
    assert (event.category, [name.split()[0] for name, _ in event.actors]) == ("Execution", ["Will"])


@pytest.mark.parametrize(
    ("text", "person"),
    [("Will Holm is away.", "Will Holm"), ("Will has the key.", "Will"), ("Will Kaja ring the dealer?", "Kaja")],
)
def test_will_is_a_name_or_an_auxiliary_by_what_follows(text: str, person: str) -> None:
    found = extract(text)
    assert names(found, "person") == {person}
    assert not any(event.category == "Commitment" for event in found.events)
