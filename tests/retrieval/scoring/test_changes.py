"""Which text says otherwise than an earlier one."""

import pytest

from graph.text.tokens import distinctive_stems
from retrieval.scoring.changes import Said, contradicts, differs_in_value


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("My phone number is 12345.", "My new phone number is 54321."),
        ("I work at Acme.", "I started a new job at Globex."),
        ("My favourite colour is green.", "My favorite color is purple."),
        ("The bakery opens at 8.", "The bakery now opens at 9."),
        ("Call me Olaf.", "Call me Ole."),
        ("I drive a Volvo.", "I sold the Volvo and drive a Kia now."),
        ("A bus ticket costs 3 euros.", "A bus ticket costs 4 euros."),
        ("Use semicolons in JavaScript.", "Do not use semicolons in JavaScript any more."),
        ("Indent with 4 spaces.", "Indent with 2 spaces."),
        ("The dredging budget is 90,000.", "The dredging budget was cut to 70,000."),
        ("I use vim.", "I switched from vim to Helix."),
        ("Anna lives in Rome.", "Anna moved to Paris."),
        ("I drink coffee in the morning.", "I no longer drink coffee in the morning."),
        ("Our office is on Elm Street.", "Our office moved to Oak Street."),
        ("Deploy from the main branch.", "Deploy from the release branch instead of the main branch."),
        ("I smoke.", "I stopped smoking."),
        ("I'm vegan.", "I eat meat again."),
        ("Answer me in German.", "From now on answer me in English."),
        ("My address is 5 Elm Street.", "My address changed to 9 Oak Street."),
        ("The standup is at 9:30.", "The standup moved to 10:00."),
        ("Prefer unittest over pytest.", "Prefer pytest over unittest."),
        ("Nora Lind works for Elm Foods.", "Nora Lind left Elm Foods and joined Oak Mills."),
    ],
)
def test_what_cannot_hold_together_with_an_earlier_text_replaces_it(older: str, newer: str) -> None:
    assert contradicts(Said.of(newer), Said.of(older), asked=())


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Anna lives in Rome.", "Bob lives in Paris now."),
        ("I live in Rome.", "Anna lives in Paris now."),
        ("I live in Rome.", "I work in Paris now."),
        ("Never commit secrets.", "Never commit binaries."),
        ("I love cats.", "I love dogs."),
        ("I like tea.", "I like coffee now."),
        ("Run tests before a commit.", "Also run linters before a commit."),
        ("I prefer tabs over spaces in Go.", "I prefer spaces over tabs in Python."),
        ("Open port 80.", "Open port 443."),
        ("The API is slow.", "The API is versioned."),
        ("Use pytest for tests.", "From now on use ruff for linting."),
        ("Name tables after their entity.", "Name new tables in the singular."),
        ("Don't use wildcard imports.", "Use absolute imports."),
        ("My dog's name is Rex.", "My cat's name is Tom."),
        ("Use tabs.", "Use tabs now."),
        ("Parcel 42 left for depot 0.", "Parcel 58 left for depot 2."),
    ],
)
def test_what_adds_to_an_earlier_text_or_is_about_something_else_leaves_it(older: str, newer: str) -> None:
    assert not contradicts(Said.of(newer), Said.of(older), asked=())


def test_another_value_in_the_same_words_says_otherwise_to_who_asks_for_it() -> None:
    older, newer = (
        Said.of("The ferry to Moss leaves from pier Ost."),
        Said.of("The ferry to Moss leaves from pier Vest."),
    )
    assert differs_in_value(newer, older, distinctive_stems("Where does the ferry to Moss leave from?"))
    assert not differs_in_value(newer, older, distinctive_stems("pier Ost"))


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("Oda ran the marathon in 4:02.", "Oda ran the half marathon in 1:48.", "How fast did Oda run the marathon?"),
        ("Crew A beat crew D.", "Crew B beat crew D.", "Whom did crew A beat?"),
        ("Block C has 12 flats.", "Block E has 30 flats.", "How many flats has block C?"),
    ],
)
def test_another_thing_of_the_same_kind_is_no_change(older: str, newer: str, question: str) -> None:
    asked = distinctive_stems(question)
    assert not differs_in_value(Said.of(newer), Said.of(older), asked)
    assert not contradicts(Said.of(newer), Said.of(older), asked)
