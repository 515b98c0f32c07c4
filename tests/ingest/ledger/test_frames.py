"""Which sentences say of one thing another value, and which are about two things."""

import pytest

from ingest.ledger.frames import restates


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("Evening tours end at 18:30.", "Evening tours end at 19:00."),
        ("Ten parcels a day go to Aarhus by lorry.", "Ten parcels a day go to Aarhus by train."),
        ("We buy our rye straw from Holmgard.", "We decided to take our rye straw from the Berg farm."),
        ("The youth camp is held in the third week of June.", "The youth camp takes place in the last week of May."),
        ("Open workshops last from 13:00 to 19:00.", "Open workshops last from 14:00 to 18:00."),
        ("Wool blankets are kept in room 8.", "Wool blankets are kept in room 12."),
        ("The board resolved to build the shed beside the mill.", "We will build the shed behind the barn."),
        ("Visitors sign in with a badge.", "We agreed that visitors sign in with a form."),
        ("Edith leads the night tours.", "Karim leads the night tours."),
        ("Our bread delivery is Olsen.", "It was agreed with the staff that our bread delivery is Brandt."),
        ("Petersen takes over the egg supply from June.", "Our egg supplier for this year is Voss."),
        ("We've agreed on Fenner as our kit sponsor.", "We're going to take Sportland as our kit sponsor."),
        ("On Mondays the pool closes at 20:00.", "On Mondays the pool stays open until 21:00."),
    ],
)  # fmt: skip
def test_the_same_of_another_value_is_said_anew(later: str, earlier: str) -> None:
    """Word by word the same thing: no sign of a change is needed."""
    assert restates(later, earlier, changed=False)


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("The bulletin goes out on Mondays from now on.", "The bulletin goes out on Fridays."),
        ("We switched to Delta for coal.", "Coal is bought from Harbour Oil."),
        ("The spring fair is moved to 12 May.", "The spring fair is held on 3 May in the town hall."),
    ],
)
def test_a_sign_of_change_lets_less_be_the_same(later: str, earlier: str) -> None:
    """One word of what it is about, or where it was besides."""
    assert restates(later, earlier, changed=True)
    assert not restates(later, earlier, changed=False)


@pytest.mark.parametrize(
    ("later", "earlier"),
    [
        ("Parcels to Norway go with PostNord.", "Parcels to Denmark go with PostNord."),
        ("Parcels to Norway go with GLS.", "Parcels to Denmark go with PostNord."),
        ("The winter concert takes place on 13 December.", "The summer concert takes place on 14 June."),
        ("The shop closes on 24 December.", "The shop closes at 18:00 on Fridays."),
        ("Early shifts begin at 5:00.", "Night shifts end at 5:30."),
        ("Evening tours start at 18:30.", "Evening tours end at 19:00."),
        ("Evening tours on 4 June start at 19:00.", "Evening tours on 3 May start at 18:30."),
        ("We also buy our straw from Holmgard.", "We buy our straw from the Berg farm."),
        ("The next meeting of the garden group is on 10 April.", "The next meeting of the garden group is on 3 March."),
        ("Class 7 goes to Bergen in May.", "Class 8 goes to Oslo in May."),
        ("We buy curtains for the reading room.", "We buy a projector for the reading room."),
        ("We sell eggs at the farm gate.", "We sell our milk to Dairygold."),
        ("The third well stays planned for Kisumu.", "The second well will be drilled in Siaya."),
        ("Evening tours end at 19:00.", "Evening tours end at 19:00."),
    ],
)
def test_what_is_about_another_thing_is_not_said_anew(later: str, earlier: str) -> None:
    """Another attribute, place, number or kind, or something beside it: both stand."""
    assert not restates(later, earlier, changed=False)
