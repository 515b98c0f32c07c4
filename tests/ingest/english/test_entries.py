"""Lists of people in all their forms: who is named, and by what."""

import pytest

from tests.ingest.extracting import entity, extract, names


@pytest.mark.parametrize(
    "line",
    [
        "Distribution: Lind, M.; van der Berg, P.; Okafor, J. R.",
        "Copies for: Lind, M., van der Berg, P., Okafor, J. R.",
        "Kept informed (by post): M. Lind, P. van der Berg and J. R. Okafor.",
        "Apologies for absence: M. Lind, P. van der Berg, J. R. Okafor",
    ],
)
def test_a_line_that_lists_people_names_them_whatever_heads_it(line: str) -> None:
    """No list of headings is complete: where nobody but people stand, all of them are; turned names are two words."""
    assert names(extract(line), "person") == {"M. Lind", "P. van der Berg", "J. R. Okafor"}


@pytest.mark.parametrize(
    "line", ["Toppings: Cheese, Ham, Olives", "Dates: Monday, Tuesday", "Sites: Paris, Oslo", "Note: Well, Anna, no."]
)
def test_a_line_that_lists_other_things_names_nobody_by_it(line: str) -> None:
    """One plain word among them and it is no list of people."""
    assert names(extract(line), "person") <= {"Anna"}


@pytest.mark.parametrize(
    "text",
    [
        'To: "Brandt, Anna" <mara@acme.example>',
        "- Brandt, Anna ......... 11",
        '"Brandt, Anna", B1, 2026-05-18',
        "| Name | Desk |\n| --- | --- |\n| Brandt, Anna | 11 |",
    ],
)
def test_a_family_name_may_stand_first_behind_a_comma(text: str) -> None:
    """Mail programs, phone books and tables turn names round; as they stand there they are the person's too."""
    assert "Brandt, Anna" in entity(extract(text), "Anna Brandt").aliases


@pytest.mark.parametrize("text", ["- Berlin, Anna is there", "Regards, Anna", "- Finally, Anna (QA) left"])
def test_a_word_before_a_comma_and_a_name_is_no_family_name(text: str) -> None:
    """Places, adverbs and greetings stand there as well."""
    assert names(extract(text), "person") <= {"Anna"}


@pytest.mark.parametrize(
    ("text", "alias"),
    [
        ("Pieter van der Berg came. Van der Berg asked why.", "Van der Berg"),
        ("Fritz von Hohen came. We like Herr von Hohen.", "von Hohen"),
        ("María José García Soto came. Señora García agreed.", "García"),
        ("Annelies Vermeulen-de Wit came. Professor Vermeulen-de Wit agreed.", "Vermeulen-de Wit"),
    ],
)
def test_a_family_name_may_have_several_words(text: str, alias: str) -> None:
    """Particles belong to it, at the beginning of a sentence with a capital, and Spanish names have two."""
    found = extract(text)
    [name] = names(found, "person")
    assert alias in entity(found, name).aliases


@pytest.mark.parametrize("name", ["Zhang Min", "Dr. Abd al-Rahman Haddad", "Tran Van Minh"])
def test_names_of_other_orders_and_articles_are_names(name: str) -> None:
    """A family name of the East comes first, an Arabic article stands inside the name."""
    assert names(extract(f"We thank {name} for the masks."), "person") == {name.removeprefix("Dr. ")}


@pytest.mark.parametrize("name", ["Mark", "Will", "Rose", "Grace", "Bill", "Hope"])
def test_a_word_with_a_capital_inside_a_sentence_is_a_name(name: str) -> None:
    """Nobody writes "mark" or "hope" with a capital there, unless an article makes it a thing."""
    assert names(extract(f"They said that {name} brought the tea."), "person") == {name}
    assert names(extract(f"They read the {name} of last year."), "person") == set()


def test_a_first_name_means_who_takes_part() -> None:
    """Of two with one first name the addressee is meant, not somebody whose letters are insured."""
    found = extract("To: Charles Pember <c@x.example>\n\nDear Charles,\n\nthe Charles Dickens letters are covered.")
    assert "Charles" in entity(found, "Charles Pember").aliases


def test_a_shared_mailbox_is_nobody() -> None:
    """A ward's office has an address and is no person."""
    assert names(extract("Cc: ward-office@clinic.example, Ann Bell", context="email"), "person") == {"Ann Bell"}


def test_most_lines_of_a_chat_have_a_label_so_that_one_line_is_enough_for_a_speaker() -> None:
    """Somebody who says one thing is there too."""
    found = extract("zoe.k: hi\nfvh: it is approved\nzoe.k: thanks\nbe_lo: ok", context="chat")
    assert names(found, "person") == {"zoe.k", "fvh", "be_lo"}


def test_a_cell_that_says_who_names_people() -> None:
    """In a column of names a letter is enough for a family name."""
    found = extract("| Name | Desk |\n| --- | --- |\n| Lena N. | 1 |\n| Ola Brandt | 2 |")
    assert names(found, "person") == {"Lena N.", "Ola Brandt"}


def test_doctors_degrees_are_no_part_of_a_name() -> None:
    """German ones are long."""
    found = extract("Dr. med. vet. Ulf Brandt came. The hives were fine, said Dr. med. vet. Brandt.")
    assert names(found, "person") == {"Ulf Brandt"}


def test_letters_behind_a_name_are_its_own() -> None:
    """Minutes say "Mara Lind (ML)" once and "ML to …" from then on: ML is nobody else, and no employer."""
    found = extract("In attendance: Mara Lind (ML), Dr Joe Kahn (JK), Ann Bell (Acme)\n\nML thanked JK.")
    assert "ML" in entity(found, "Mara Lind").aliases
    assert "JK" in entity(found, "Joe Kahn").aliases
    assert [entity(found, name).organization for name in ("Mara Lind", "Ann Bell")] == [None, "Acme"]
