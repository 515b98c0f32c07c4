"""Organisations by the form of their names, and who is no person because of it."""

import pytest

from tests.ingest.extracting import entity, extract, names


@pytest.mark.parametrize(
    ("content", "firms"),
    [
        ("The lease was drawn up by Harlow & Finch.", {"Harlow & Finch"}),
        ("Lawyers: Baker, Holt & Partners.", {"Baker, Holt & Partners"}),
        ("We buy flour from Astrid & Sons and bread at Martin's Bakery.", {"Astrid & Sons", "Martin's Bakery"}),
        ("The plans of Jansen Architects arrived.", {"Jansen Architects"}),
        ("The ferry of Tidewell Shipping AS was late.", {"Tidewell Shipping AS"}),
        ("A letter came from the Friends of Eastgate Library.", {"Friends of Eastgate Library"}),
        ("An interview with Radio Severnside went well.", {"Radio Severnside"}),
        (
            "Marina Textiles pays late, and so does Hollis Groundworks Ltd.",
            {"Marina Textiles", "Hollis Groundworks Ltd"},
        ),
        ("The pumps of Hartwell Valves leak. Hartwell promised new ones.", {"Hartwell Valves"}),
        ("We bought it from Tidewell Freight Ltd.", {"Tidewell Freight Ltd"}),
        ("St Brannoc's has a new roof. St Patrick's Day is free.", {"St Brannoc's"}),
        ("The Gemeente Hoogwater pays for the dyke.", {"Gemeente Hoogwater"}),
        ("The drawings of Veldman Bouw are here.", {"Veldman Bouw"}),
        ("Python Training and React Testing are dull.", set()),
        ("Health & Safety and Terms & Conditions are on page two.", set()),
        ("The Finance Committee and the Planning Group met.", set()),
        (
            "The Releases WG met, and the Harbourline Working Group did not.",
            {"Releases WG", "Harbourline Working Group"},
        ),
        ("The HTB members and the Kestrel Steering Council agreed.", {"HTB", "Kestrel Steering Council", "Kestrel"}),
        ("We saw the Alder.js Documentation Team.", {"Alder.js Documentation Team", "Alder.js"}),
        ("# Alder Community Meeting\n\nThe HTB Board was told.", {"Alder", "HTB Board", "HTB"}),
        ("It was sent to the Survey Team, and Alder's team waits.", {"Survey Team"}),
        ("### HTB and Board meeting updates\n\nThe Council approved it.", {"HTB", "Board", "Council"}),
        ("Chessmen are on board. A Planning Board of cork hangs there.", set()),
        ("NASA pays, and Microsoft's lawyers wrote.", {"NASA", "Microsoft"}),
        ("A Google calendar and Microsoft Office are open, and so is a GitHub issue.", set()),
        ("We met with GitHub and Slack staff.", {"GitHub", "Slack"}),
        ("An Auto-scaling Group grew, as Marsden & Mackey (2014) say.", set()),
    ],
)
def test_organisations_are_known_by_form(content: str, firms: set[str]) -> None:
    """Legal forms, what they are, partners' names with a sign between, and who something was bought from."""
    found = extract(content)
    assert names(found, "org") == firms
    assert names(found, "person") == set()


def test_who_somebody_is_in_brackets_is_no_organisation() -> None:
    """Neither an office nor what one does at a meeting."""
    found = extract("We met with the Developer-in-Residence (Mara Lind). Present: Ana Berg (Observer)")
    assert names(found, "org") == set()


@pytest.mark.parametrize(
    ("content", "body", "forms"),
    [
        ("The Alder Design Team met. It was sent to the Design Team.", "Alder Design Team", {"Design Team"}),
        ("The Council agreed. It is the Kestrel Steering Council.", "Kestrel Steering Council", {"Council"}),
        ("# Release WG\n\nAsk wg-release.", "Release WG", {"wg-release"}),
        ("HTB members came: the Harbour Towage Board.", "Harbour Towage Board", {"HTB"}),
    ],
)
def test_a_body_is_one_under_all_that_a_text_calls_it(content: str, body: str, forms: set[str]) -> None:
    """The end of its name, its letters, and as repositories write it."""
    assert forms <= set(entity(extract(content), body).aliases)


@pytest.mark.parametrize("context", ["chat", "meeting"])
def test_two_people_with_a_sign_between_are_no_firm(context: str) -> None:
    """Where people speak, and wherever one of them is known, "Tom & Wanda" are two."""
    found = extract("Tom & Wanda bring the tent.", context=context)
    assert (names(found, "org"), names(found, "person")) == (set(), {"Tom", "Wanda"})
    found = extract("Present: Harlow Reed, Finch Okoro\n\nHarlow & Finch bring the tent.")
    assert names(found, "org") == set()


def test_a_firm_among_the_senders_of_a_mail_is_no_person() -> None:
    """Its name ends as firms' names do."""
    found = extract("From: Orchard Street Vets <desk@vets.example>\nTo: Ben Stone\n\nBiscuit is well.", context="email")
    assert names(found, "person") == {"Ben Stone"}
    assert "Orchard Street Vets" in names(found, "org")


@pytest.mark.parametrize(
    ("content", "employer"),
    [
        ("Mara Lind of Halvorsen Textiles called.", "Halvorsen Textiles"),
        ("We met Mara Lind, head of design at Halvorsen Textiles, on Monday.", "Halvorsen Textiles"),
        ("The quote came from Mara Lind (Tidewell Freight).", "Tidewell Freight"),
        ("From: Mara Lind, Tidewell Freight\n\nThe van is late.", "Tidewell Freight"),
        ("Tidewell Freight's Mara Lind called.", "Tidewell Freight"),
        ("We like Tidewell Freight's new driver Mara Lind.", "Tidewell Freight"),
        ("Our contact at Tidewell Freight is Mara Lind.", "Tidewell Freight"),
        ("Mara Lind, Tidewell Freight, was late.", "Tidewell Freight"),
        ("Mara Lind, who works for Tidewell Freight, was late.", "Tidewell Freight"),
        ("Mara Lind agreed with us, Tidewell Freight was late.", None),
        ("Tidewell Freight: Mara Lind, Anna Berg\n\nAll agreed.", "Tidewell Freight"),
        ("Mara Lind, angry that we bought from Tidewell Freight, left.", None),
        ("Tidewell Freight sent Mara Lind a bill.", None),
        ("Mara Lind from Globexa called.", "Globexa"),
        ("Kestrol Ltd (Bo Lund, Mara Lind) replied.", "Kestrol Ltd"),
        ("Bo Lund and Mara Lind are from Tidewell Freight.", "Tidewell Freight"),
        ("Mara Lind (Terhorst) brings the keys.", "Terhorst"),
        ("Mara Lind (sales, Tidewell Freight) brings the keys.", "Tidewell Freight"),
        ("Deciders: Mara Lind (Commissioning Editor, Tidewell Freight), Bo Li", "Tidewell Freight"),
        ("Present: Mara Lind (notes, for the works council)", None),
        ("Mara Lind from Leeds called.", None),
        ("Mara Lind of Upper Denby called.", None),
        ("Attendees: Mara Lind (Halvorsen Frukt, by video), Bo Li", "Halvorsen Frukt"),
        ("Mara Lind drove a van from Tidewell Freight.", None),
        ("Mara Lind agreed. Tidewell Freight pays.", None),
    ],
)
def test_where_somebody_works_is_told_right_behind_the_full_name(content: str, employer: str | None) -> None:
    """By "of", by what they are there, or in brackets."""
    assert entity(extract(content), "Mara Lind").organization == employer


def test_the_subject_of_a_mail_names_firms() -> None:
    """Their partners are no people there either."""
    found = extract("From: Ben Stone\nSubject: Meyer & Sons and Martin's Bakery\n\nSee below.", context="email")
    assert names(found, "org") == {"Meyer & Sons", "Martin's Bakery"}
    assert names(found, "person") == {"Ben Stone"}


def test_a_first_name_alone_may_be_from_somewhere_too() -> None:
    """But who is from whom is no firm's, and neither are greetings."""
    found = extract("Anna from Globexa asked Ben from Leeds. Greetings from Initechs. Clara from Anna says hello.")
    assert {each.name: each.organization for each in found.entities if each.type == "person"} == {
        "Anna": "Globexa",
        "Ben": None,
        "Clara": None,
    }


@pytest.mark.parametrize(
    ("content", "firms", "people"),
    [
        (
            "## Attendees\n\n* Mara Lind - Tidewell\n* Jonas Petrov -Lilly\n* Ana Silva – K&K\n* Bo Lund - Tern / Skua",
            {"Tidewell", "Lilly", "K&K", "Tern", "Skua"},
            {"Mara Lind", "Jonas Petrov", "Ana Silva", "Bo Lund"},
        ),
        (
            "## Attendees\n\n* Mara Lind, Tidewell\n* Jonas Petrov, Hartwell Institute\n* Ana Silva, Bo Lund\n",
            {"Tidewell", "Hartwell Institute"},
            {"Mara Lind", "Jonas Petrov", "Ana Silva", "Bo Lund"},
        ),
        (
            "## Attendees\n\n* Mara Lind - Chair\n* Jonas Petrov - QA lead\n* Bo Lund - Design\n",
            set(),
            {"Mara Lind", "Jonas Petrov", "Bo Lund"},
        ),
        ("Compiled by: Jonas Petrov (JAP)\n\nIt rained.", set(), {"Jonas Petrov"}),
        ("The TC9 community and the KV chair met.", {"TC9", "KV"}, set()),
        ("The Dredging Subgroup and the Previous Harbour Board met.", {"Dredging Subgroup", "Harbour Board"}, set()),
        ("We heard the Task Force on Moorings.", {"Task Force on Moorings"}, set()),
    ],
)
def test_lists_of_people_name_where_they_are_from_and_records_name_bodies(
    content: str, firms: set[str], people: set[str]
) -> None:
    """Behind a dash or a comma, several with a slash between; a job, a department or another person is no firm."""
    found = extract(content)
    assert names(found, "org") == firms
    assert names(found, "person") == people
