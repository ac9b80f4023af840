"""Plays a pilot: a few blocks, before the real ones, to measure how much blocks differ and what they cost.

Its deals are its own, so that bots know nothing of the real ones afterwards. No results and no replays are
kept.
"""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

from msgspec import Struct
from msgspec.structs import replace

from referee import registry
from referee.errors import ConfigError, RefereeError
from referee.hub.event_loop import collect_rarely
from referee.hub.fixture import Fixture, deal_name
from referee.hub.hub import Hub
from referee.hub.match_run import MatchRun
from referee.hub.pairing import Finished, Pairing
from referee.hub.signals import Stop
from referee.match.faults import Profile
from referee.process.sandbox.levels import insist
from referee.process.spec import BotSpec
from tournaments.config.host_share import division_of
from tournaments.config.plan import Plan
from tournaments.names_in_match import aliases
from tournaments.pairing.blocks import planner_of
from tournaments.pairing.contest import blocks as contest_blocks
from tournaments.pairing.play_order import order_of_play
from tournaments.rating.basis import Basis, MatchTime, drawn_share, match_time, of_blocks, of_results
from tournaments.rating.block_scores import block_score
from tournaments.results import Played, played
from tournaments.sprt_runner import SprtSetting

_OF_A_GROUP = 4
"""Blocks that a group plays at least, if the pilot has as many: only blocks of the same bots are compared."""


class Pilot(Struct, frozen=True):
    """What was played."""

    rows: tuple[Played, ...]
    time: MatchTime


def pilot_seed(seed: str) -> str:
    """Return the seed of the pilot of what has this seed: other deals, which do not show the real ones."""
    return hashlib.sha256(f"pilot:{seed}".encode()).hexdigest()[:32]


def play_pilot(
    bots: Sequence[BotSpec],
    matches: Sequence[tuple[Fixture, Pairing]],
    *,
    profile: Profile,
    jobs: int,
    stop: Stop,
    note: Callable[[str], None] = lambda _: None,
) -> Pilot:
    """Play these matches; raises RefereeError if one is void, KeyboardInterrupt if the operator stops it."""
    planned = {pairing.match: fixture for fixture, pairing in matches}
    rows: list[Played] = []
    failures: list[str] = []

    def count(finished: Finished) -> None:
        if finished.result.void:
            failures.append(f"match {finished.result.match} is void: {finished.result.void_reason}")
            hub.drain()
            return
        fixture = planned[finished.result.match]
        rows.append(played(finished, fixture.round, fixture.block))

    with Hub(bots, jobs=jobs, replays=None, profile=profile, report=count) as hub:
        hub.preflight([matches[0][1].game.info.id])
        collect_rarely()
        began = time.monotonic()
        hub.submit(pairing for _, pairing in matches)
        with MatchRun(hub, note, stop=stop):
            hub.run()
        elapsed_s = time.monotonic() - began
    if stop.asked and len(rows) < len(matches):
        # A forecast has nothing to keep: the command ends as if the signal had not been caught.
        raise KeyboardInterrupt
    if failures:
        raise RefereeError(failures[0])
    return Pilot(tuple(rows), match_time(rows, elapsed_s))


def sprt_pilot(setting: SprtSetting, blocks: int, stop: Stop, note: Callable[[str], None]) -> Basis:
    """Play so many blocks of a sequential test, and return what they say."""
    own = replace(setting, seed=pilot_seed(setting.seed))
    contest = own.contest
    planned = list(islice(contest_blocks(contest), blocks))
    ordered = order_of_play(chain.from_iterable(planned), own.seed)
    matches = [(fixture, own.pairing(contest, fixture)) for fixture in ordered]
    bots = [setting.new, setting.old]
    pilot = play_pilot(bots, matches, profile=setting.profile, jobs=setting.work.jobs, stop=stop, note=note)
    new = setting.new.name
    # The rows name the programs, which copies share; the fixture says where the new bot sat.
    results = {row.match: row.result for row in pilot.rows}
    counts = Counter(
        block_score((fixture.bots.index(new), results[fixture.match]) for fixture in block)
        for block in planned
    )
    basis = of_blocks(counts, drawn_share(pilot.rows, new), pilot.time)
    if basis is None:
        raise ConfigError("the pilot compared nothing: raise --pilot")
    return basis


def tournament_pilot(plan: Plan, blocks: int, stop: Stop, note: Callable[[str], None]) -> Basis:
    """Play so many blocks among bots of a tournament, and return what they say."""
    insist(plan.level, plan.accept_gaps)
    game = registry.game(plan.game)
    with_own_deals = replace(plan, seed=pilot_seed(plan.seed))
    planner = planner_of(with_own_deals)
    fixtures = [fixture for block in _blocks(with_own_deals, blocks) for fixture in block]
    ordered = order_of_play(fixtures, with_own_deals.seed)
    names = aliases(plan.seats) if plan.aliases else ()
    pilot = play_pilot(
        [bot.spec() for bot in plan.bots],
        [(fixture, planner.pairing(fixture, game, plan.profile, names=names)) for fixture in ordered],
        profile=plan.profile,
        jobs=division_of(plan).jobs,
        stop=stop,
        note=note,
    )
    basis = of_results(pilot.rows, "pilot", pilot.time)
    if basis is None:
        raise ConfigError("no two blocks of the pilot can be compared: raise --pilot")
    return basis


def _blocks(plan: Plan, blocks: int) -> Iterator[list[Fixture]]:
    """Return blocks among groups of bots that lots select, several for each group."""
    planner = planner_of(plan)
    groups = _groups(plan, max(1, blocks // _OF_A_GROUP))
    for number in range(blocks):
        yield planner.block(groups[number % len(groups)], deal_name(number + 1))


def _groups(plan: Plan, count: int) -> list[tuple[str, ...]]:
    """Return so many groups; all bots have been in one before a bot is in the next."""
    hero = [plan.hero] if plan.hero is not None else []
    others = [name for name in plan.names if name not in hero]
    size = plan.seats - len(hero)
    groups: list[tuple[str, ...]] = []
    while len(groups) < count:
        order = sorted(others, key=lambda name: _lot(plan, len(groups), name))
        groups += [(*hero, *order[first : first + size]) for first in range(0, len(order) - size + 1, size)]
    return groups[:count]


def _lot(plan: Plan, turn: int, name: str) -> str:
    return hashlib.sha256(json.dumps(["pilot", plan.seed, turn, name]).encode()).hexdigest()
