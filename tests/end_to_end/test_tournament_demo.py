"""The tournaments of `make demo`: the sensible bot of every game is the best, beyond doubt."""

from pathlib import Path

import msgspec
import pytest

from referee import registry
from tests.end_to_end.hubs import ROOT
from tests.end_to_end.ladders import Ear
from tournaments.config.plan import load
from tournaments.rating.ratings import rate
from tournaments.rating.standings import standings
from tournaments.runner import TournamentRunner
from tournaments.store.store import Store

FOLDER = ROOT / "tournaments" / "examples" / "demo"
DEMOS = [path for path in sorted(FOLDER.glob("*.toml")) if path.stem in registry.ids()]


@pytest.mark.slow
@pytest.mark.parametrize("file", DEMOS, ids=lambda path: path.stem)
def test_the_sensible_bot_leads_and_is_better_than_random_beyond_doubt(file: Path, tmp_path: Path) -> None:
    plan = msgspec.structs.replace(load(file), store=tmp_path / "demo.db", replays=tmp_path / "replays")
    (sensible,) = set(plan.names) - {"random", "first"}
    with Store(plan.store) as store:
        ran = TournamentRunner(plan, store, Ear(store)).run()
        played = store.played()
    assert (ran.left, ran.void) == (0, {})
    table = standings(plan, played).table
    assert table[0].name == sensible
    assert not any(line.faults for line in table)
    likelihood = rate(played, plan.names, plan.anchor).difference(sensible, "random").los
    assert likelihood is not None
    assert likelihood > 0.99
