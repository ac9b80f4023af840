"""Tournaments with stores and replays on disk, played in process, for the tests of sites."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from referee.hub.fixture import Fixture
from referee.match.faults import FaultCode
from referee.replay import files, format
from referee.replay.dossier import DOSSIER_SUFFIX, Dossier, Said, SeatDossier, dossier_bytes
from tests.unit.referee.replay.played import SimulatedMatch
from tests.unit.tournaments.plans import plan
from tournaments.config.plan import Plan
from tournaments.pairing.schedule import fixtures
from tournaments.results import Played
from tournaments.store import terms
from tournaments.store.store import Store

HOSTILE = '<img src=x onerror="document.title=1">\u202e'
SECRET = "written-to-stderr"


def plan_in(folder: Path, bots: int | tuple[str, ...] = 3, **settings: Any) -> Plan:
    """Return a plan whose store and replays are in a folder."""
    return plan(bots, store=folder / "plan.sqlite", replays=folder / "replays", **settings)


def play(plan: Plan, matches: Sequence[Fixture], *, failing: Sequence[str] = ()) -> list[Played]:
    """Play matches and commit them; in those of `failing` the bot in seat 1 crashes after two actions."""
    plan.replays.mkdir(parents=True, exist_ok=True)
    rows = [_played(plan, fixture, fixture.match in failing) for fixture in matches]
    with Store(plan.store) as store:
        if not store.noted(terms.NOTE):
            store.note(terms.NOTE, terms.text_of(plan))
        store.add(rows)
    return rows


def play_all(plan: Plan, **settings: Any) -> list[Played]:
    """Play all matches of a plan that are known."""
    return play(plan, fixtures(plan), **settings)


def _played(plan: Plan, fixture: Fixture, fails: bool) -> Played:
    simulated = SimulatedMatch(
        f"the-seed-{fixture.deal}", match=fixture.match, seats=len(fixture.bots)
    ).ready()
    if fails:
        for _ in range(2):
            seat = simulated.owing()[0]
            simulated.answer(seat, simulated.pick(seat))
        simulated.fail(1, FaultCode.CRASHED)
    simulated.play_out()
    text = format.replay_text(simulated.match, format.About(seed=simulated.seed, deal="7"))
    name = f"{fixture.match}.jsonl"
    files.write(plan.replays / name, text.lines)
    if fails:
        _write_dossier(plan.replays, fixture)
    result = simulated.match.result
    assert result is not None
    seats = tuple(replace(seat, name=bot) for seat, bot in zip(result.seats, fixture.bots, strict=True))
    return Played(
        round=fixture.round,
        block=fixture.block,
        deal=fixture.deal,
        bots=fixture.bots,
        result=replace(result, seats=seats),
        play=text.play,
        replay=name,
    )


def _write_dossier(folder: Path, fixture: Fixture) -> None:
    said = (
        Said(3, "to", "ask id=1 legal=a|b"),
        Said(4, "from", "hello token=s3cret"),
        Said(5, "from", "act x"),
    )
    seats = tuple(
        SeatDossier(name, command="/home/author/run", stderr=SECRET, messages=said, folder="/home/author")
        for name in fixture.bots
    )
    dossier = Dossier(fixture.match, "coins", f"{fixture.match}.jsonl", seats)
    (folder / f"{fixture.match}{DOSSIER_SUFFIX}").write_bytes(dossier_bytes(dossier))
