"""The line of a sequential test that runs."""

from msgspec.structs import replace

from referee.cli.output.sprt_progress import describe
from tournaments.rating.sprt import Sprt


def test_a_difference_that_rounds_to_zero_has_no_minus() -> None:
    state = Sprt(0, 10).state
    assert "Elo +0.0" in describe(replace(state, elo=-0.01))
    assert "Elo -0.1" in describe(replace(state, elo=-0.1))
