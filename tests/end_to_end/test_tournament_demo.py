"""The tournaments of `make demo`: the sensible bot of every game is the best, beyond doubt."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from referee import registry
from referee.cli.commands.tournament_new import new
from tests.end_to_end.ladders import Ear
from tournaments.config.plan import Plan, load
from tournaments.pairing.schedule import fixtures
from tournaments.rating.ratings import rate
from tournaments.rating.standings import standings
from tournaments.runner import TournamentRunner
from tournaments.store.store import Store

WITH_SAMPLES = [id for id, game in registry.games().items() if game.info.samples]


def demo(folder: Path, game: str) -> Plan:
    """Return the plan of the demo of a game."""
    file = folder / f"{game}.toml"
    written = CliRunner().invoke(new, [str(file), "--like", "demo", "--game", game])
    assert written.exit_code == 0, written.output
    return load(file)


def test_the_demo_of_a_game_is_among_its_own_sample_and_those_that_play_everything(tmp_path: Path) -> None:
    plans = {game: demo(tmp_path, game) for game in registry.ids()}
    assert {game: plan.game for game, plan in plans.items()} == {game: game for game in plans}
    assert plans["chicago-poker"].names == ("random", "first", "poker")
    assert plans["coins"].names == ("random", "first")


@pytest.mark.slow
@pytest.mark.parametrize("game", WITH_SAMPLES)
def test_the_sensible_bot_leads_and_is_better_than_random_beyond_doubt(game: str, tmp_path: Path) -> None:
    plan = demo(tmp_path, game)
    (sensible,) = set(plan.names) - {"random", "first"}
    with Store(plan.store) as store:
        ran = TournamentRunner(plan, store, Ear(store)).run()
        played = store.played()
    assert (ran.left, ran.void) == (0, {})
    table = standings(plan, played, fixtures(plan, played)).table
    assert table[0].name == sensible
    assert not any(line.faults for line in table)
    likelihood = rate(played, plan.names, plan.anchor).difference(sensible, "random").los
    assert likelihood is not None
    assert likelihood > 0.99
