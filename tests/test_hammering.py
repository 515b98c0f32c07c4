"""Bad input: all of it is answered soon, by a result or an error with a code. `benchmarks.hammering` asks more."""

from pathlib import Path

import pytest

from benchmarks.hammering import PATIENCE, hammer_on
from service.settings import Settings
from service.wiring import open_app

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("seed", "number"), [(1, 150), pytest.param(2, 5_000, marks=[pytest.mark.exhaustive, pytest.mark.timeout(600)])]
)
async def test_bad_input_is_answered_with_a_result_or_an_error_that_has_a_code(
    tmp_path: Path, seed: int, number: int
) -> None:
    """By every tool, resource, route and reader, without a trace of the program, and no answer hangs."""
    with open_app(Settings(REMEMBRANCER_HOME=tmp_path / "home")) as app:
        async with hammer_on(app, seed, tmp_path) as hammer:
            await hammer.strike(number)

    assert [issue for issue in hammer.tally.issues if not issue.endswith(" s")] == []
    assert hammer.tally.slowest < 5 * PATIENCE
