"""The file of a ladder of several games: what it says, and how mistakes are reported."""

from pathlib import Path

import pytest

from tournaments.config.ladder_file import load_ladder
from tournaments.config.mistakes import PlanError

GOOD = """
announcement = "Final on Friday"
rated = ["Mon-Fri 18:00-23:00", "Sat,Sun 10:00-24:00"]
zone = "Europe/Berlin"
outside = "nothing"

[[games]]
game = "coins"
jobs = 3
even = true
options = { rounds = 2 }

[[games]]
game = "chicago-poker"
profile = "classroom"
[games.clock]
move_ms = 2000
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "ladder.toml"
    path.write_text(text)
    return path


def test_games_hours_and_announcement_are_read(tmp_path: Path) -> None:
    plan = load_ladder(write(tmp_path, GOOD))
    assert [one.game.info.id for one in plan.games] == ["coins", "chicago-poker"]
    assert [one.jobs for one in plan.games] == [3, None]
    assert plan.games[0].options["rounds"] == 2
    assert plan.games[0].even
    assert plan.games[1].profile.clock.move_ms == 2_000
    assert plan.announcement == "Final on Friday"
    assert plan.hours is not None
    assert (plan.hours.zone, plan.hours.outside) == ("Europe/Berlin", "nothing")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('game = "coins"', 'game = "coin"'), ":8: games 1, game: "),
        (("rounds = 2", "rounds = 2000"), ":7: games 1: "),
        (("18:00-23:00", "18-23"), ":3: rated 1: 'Mon-Fri 18-23' are no hours"),
        (("Europe/Berlin", "Berlin"), ":4: zone: there is no time zone 'Berlin'"),
        (('outside = "nothing"', 'outside = "none"'), ':5: outside: cannot be "none"'),
        (('game = "chicago-poker"', 'game = "coins"'), ":14: games 2, game: coins is there twice"),
        (("jobs = 3", "job = 3"), ":9: games 1, job: there is no such key here: did you mean"),
        (("announcement", "= announcement"), ":2: this is no TOML"),
    ],
)
def test_mistakes_are_named_with_line_and_cure(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    with pytest.raises(PlanError) as caught:
        load_ladder(write(tmp_path, GOOD.replace(*change)))
    assert said in str(caught.value)


def test_a_wrong_zone_hides_no_wrong_hours(tmp_path: Path) -> None:
    text = GOOD.replace("Europe/Berlin", "Berlin").replace("Sat,Sun", "Someday,Sun")
    with pytest.raises(PlanError) as caught:
        load_ladder(write(tmp_path, text))
    assert ":3: rated 2: 'Someday,Sun 10:00-24:00'" in str(caught.value)
    assert ":4: zone: there is no time zone 'Berlin'" in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"cannot read .*none\.toml: No such file"):
        load_ladder(tmp_path / "none.toml")


def test_a_file_without_games_says_so(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="games: is missing"):
        load_ladder(write(tmp_path, 'zone = "UTC"\n'))
