"""The benchmark of the search bot plays mirrored deals, the same ones in every run."""

from click.testing import CliRunner

from benchmarks.search import SAMPLES, Setting, main, won_of
from tests.rules.rulebook import FOLDERS, Rulebook


def test_every_game_of_this_house_is_measured() -> None:
    assert set(SAMPLES) == {Rulebook(folder).game.info.id for folder in FOLDERS}


def test_a_deal_is_played_from_every_seat_and_gives_the_same_again() -> None:
    setting = Setting("gangsters", 2, move_ms=10**9, trials=4)
    won = won_of(setting, 0)
    assert won in {0.0, 0.25, 0.5, 0.75, 1.0}
    assert won_of(setting, 0) == won


def test_a_row_names_game_seats_share_and_error() -> None:
    words = ["--game", "chicago-poker", "--seats", "2", "--deals", "2", "--trials", "1"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    for text in ("chicago-poker", "standard error", "fair share", "50%"):
        assert text in done.output
