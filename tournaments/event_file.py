"""An event: the tournaments of one file, in the order of play, and the tables that they make together.

A later stage has a plan when the stage before it is complete: its bots are the best of that stage's table,
the best first. Everything else about a part is a tournament like any other, with its own store and replays.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby, pairwise
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from referee import registry
from referee.errors import ConfigError, nearest
from referee.wording import plural
from tournaments.config.file_checks import MOST_BOTS
from tournaments.config.mistakes import PlanError
from tournaments.config.parts import Part
from tournaments.config.plan import EventConfig, Plan, plan_of, read_event
from tournaments.pairing.blocks import lot
from tournaments.placing.places import span_text
from tournaments.rating.combined import CombinedTable, GameTable, WholePlace, combine, level
from tournaments.rating.standings import best_of_pools, qualified
from tournaments.report.results_so_far import ResultsSoFar, is_complete, plan_results


class EventPart(Struct, frozen=True):
    """A part of an event, with its plan if its bots are known."""

    part: Part
    plan: Plan | None
    waits: str = ""
    """What must be over before its bots are known, in words; '' if they are."""
    lacks_bots: bool = False
    """Whether the stage before is over, and too few of its bots have results for a match."""


class EventPlan(Struct, frozen=True):
    """An event as far as its plans are known."""

    file: EventConfig
    parts: tuple[EventPart, ...]
    flaws: tuple[str, ...] = ()
    """Where the file is not what was committed; only an audit goes on with any."""

    @property
    def name(self) -> str:
        """The name of the event."""
        return self.file.name

    @property
    def is_single(self) -> bool:
        """Whether it is one tournament."""
        return len(self.parts) == 1

    @property
    def plans(self) -> list[Plan]:
        """The plans that are known, in the order of play."""
        return [one.plan for one in self.parts if one.plan is not None]

    def named(self, part: str) -> EventPart:
        """Return a part by its name; raises ConfigError if there is none."""
        known = {one.part.name: one for one in self.parts}
        if self.is_single:
            raise ConfigError(f"--part {part}: {self.file.path.name} has one tournament; leave --part out")
        if part not in known:
            raise ConfigError(f"--part: there is no part {part!r}: {nearest(part, known)}")
        return known[part]

    def only(self, part: str) -> "EventPlan":
        """Return the event of one part alone; raises ConfigError if its bots are not known yet."""
        self.plan_named(part)
        return replace(self, parts=(self.named(part),))

    def plan_named(self, part: str) -> Plan:
        """Return the plan of a part by its name; raises ConfigError if there is none yet."""
        found = self.named(part)
        if found.plan is None:
            raise ConfigError(f"part {part}: its bots are not known yet: {found.waits}")
        return found.plan


Results = Callable[[Plan], ResultsSoFar]
"""How the results of a part are read: all of them, or those that the public may see."""


def event_at(path: Path, *, is_staff: bool = False) -> EventPlan:
    """Read an event, with the plans that are known; raises PlanError for a mistake in the file."""
    event = event_for_audit(path, is_staff=is_staff)
    if event.flaws:
        raise PlanError("\n".join(event.flaws))
    return event


def event_for_audit(path: Path, *, is_staff: bool = False) -> EventPlan:
    """Read an event; where its file is not what was committed is in it."""
    file = read_event(path, is_staff=is_staff)
    parts: list[EventPart] = []
    flaws: list[str] = []
    for number in range(file.parts[-1].number + 1):
        stage = [part for part in file.parts if part.number == number]
        going = _going_on(file, parts, stage) if number else _GoingOn(None)
        for part in stage:
            plan: Plan | None = None
            if not going.waits:
                plan, found = plan_of(file, part, going.bots)
                flaws += found
            parts.append(EventPart(part, plan, going.waits, going.lacks_bots))
    return EventPlan(file, tuple(parts), tuple(dict.fromkeys(flaws)))


def plans_of(file: Path) -> list[Plan]:
    """Return the tournaments of a file that are known so far; raises PlanError, as `load` does."""
    return event_at(file).plans


def plan_at(path: Path, part: str = "") -> Plan:
    """Return one tournament of a file: the only one, or the part of this name.

    Raises ConfigError if there is none, if its bots are not known yet, or if one is to be named.
    """
    event = event_at(path)
    if part:
        return event.plan_named(part)
    if not event.is_single:
        names = ", ".join(one.part.name for one in event.parts)
        raise ConfigError(f"{path}: an event of several tournaments: name one with --part ({names})")
    return event.plans[0]


class _GoingOn(Struct, frozen=True):
    """Which bots play a stage, or why that is not known."""

    bots: list[str] | None
    """Their names, the best first; None: all of the file, or not known."""
    waits: str = ""
    lacks_bots: bool = False


def _going_on(file: EventConfig, parts: Sequence[EventPart], stage: Sequence[Part]) -> _GoingOn:
    """Return the bots that go on to a stage; if fewer have results than it takes, all of these."""
    next_part = stage[0]
    before = [one for one in parts if one.part.number == next_part.number - 1]
    plans = [one.plan for one in before if one.plan is not None]
    if len(plans) < len(before) or not all(map(is_complete, plans)):
        return _GoingOn(None, f"after {before[0].part.stage}: its best {next_part.take_text} go on")
    found = _best(file, before, [plan_results(plan) for plan in plans], next_part)
    least = max(map(_least_bots, stage))
    if len(found) < least:
        have = f"only {len(found)} {'has' if len(found) == 1 else 'have'}"
        waits = f"when {plural(least, 'bot')} have results in {before[0].part.stage}: {have}"
        return _GoingOn(None, waits, lacks_bots=True)
    return _GoingOn(found[: next_part.entrants])


def _least_bots(part: Part) -> int:
    """Return how many bots a tournament needs at least: a match in each of its pools."""
    seats = part.file.seats or registry.game(str(part.file.game)).info.least_seats
    return seats * (part.file.pools or 1)


def _best(
    file: EventConfig, parts: Sequence[EventPart], results: Sequence[ResultsSoFar], next_part: Part
) -> list[str]:
    """Return the bots that go on from a stage, the best first: so many of each pool, or of all games."""
    if len(parts) > 1:
        table = combine(file.combine, _tables(parts, results), _lots(parts))
        left_out = set.intersection(*(set(found.standings.left_out) for found in results))
        pool_of = _pools(results)
        pools: dict[str, list[str]] = {pool: [] for pool in sorted({*pool_of.values()})}
        for line in table.lines:
            if line.games or line.name not in left_out:
                pools[pool_of[line.name]].append(line.name)
        return best_of_pools(pools.values(), next_part.take or 0)
    return qualified(results[0].standings, next_part.take or 0)


def _pools(results: Iterable[ResultsSoFar]) -> dict[str, str]:
    """Return the pool of each bot, '' without pools; all games of a stage divide the field alike."""
    return {line.name: line.pool for found in results for line in found.standings.table}


def _tables(parts: Sequence[EventPart], results: Sequence[ResultsSoFar]) -> list[GameTable]:
    return [
        GameTable(one.part.game, one.part.weight, found.standings)
        for one, found in zip(parts, results, strict=True)
    ]


def _lots(parts: Sequence[EventPart]) -> Callable[[str], str]:
    """Return what decides between bots that are equal in all games, so that no name helps a bot to go on."""
    plan = parts[0].plan
    assert plan is not None
    return partial(lot, plan)


# What came of it.


class StageResults(Struct, frozen=True):
    """A stage of an event: the results of its games, and what they make together."""

    name: str
    """'' without stages."""
    parts: tuple[EventPart, ...]
    results: tuple[ResultsSoFar, ...]
    """By part; empty while the stage waits."""
    combined: CombinedTable | None
    """With several games."""
    waits: str
    take: int | None
    """How many bots go on to the next stage; None after the last one."""

    @property
    def order(self) -> list[tuple[str, int]]:
        """The bots that have played with their places, best first; winners of pools share the first place."""
        if self.combined is not None:
            return [(line.name, line.place) for line in self.combined.lines if line.games]
        lines = [line for found in self.results for line in found.standings.table if line.matches]
        return [(line.name, line.place) for line in sorted(lines, key=lambda line: line.place)]


class FinalPlace(Struct, frozen=True):
    """A place in the whole event."""

    place: int
    """From 1; bots that share a place of their last stage share it here."""
    place_to: int
    """The last of the places that these share; its place if it has one alone."""
    name: str
    stage: str
    """The last stage that it played."""

    @property
    def shown(self) -> str:
        """The place, or the places that it shares, for people."""
        return span_text(self.place, self.place_to)


class EventResults(Struct, frozen=True):
    """Everything that the results of an event say, of all its parts."""

    name: str
    stages: tuple[StageResults, ...]
    places: tuple[FinalPlace, ...]
    """Of all bots, with several stages: those of the last stage first, then those of the one before."""
    ties: tuple[str, ...] = ()
    """Sentences about bots that share a place of which not all went on, and what decided that, and about
    stages that have fewer bots than they take."""

    @property
    def authors(self) -> dict[str, tuple[str, ...]]:
        """By bot the people who wrote it, as far as they are known and shown."""
        facts = [found.facts for stage in self.stages for found in stage.results if found.facts is not None]
        return {name: authors for one in facts for name, authors in one.authors.items()}

    @property
    def combined(self) -> CombinedTable | None:
        """The combined table of the last stage that has results, if there are several games."""
        return next((one.combined for one in reversed(self.stages) if one.combined), None)

    @property
    def leaders(self) -> tuple[str, ...]:
        """The bots in the first place of all parts together; none before the first match."""
        if not any(stage.order for stage in self.stages):
            return ()
        lines = self.places or (self.combined.lines if self.combined else ())
        return tuple(one.name for one in lines if one.place == 1)

    @property
    def whole(self) -> dict[str, WholePlace]:
        """What all parts make together, by bot: the places after several stages, or the combined table."""
        table = self.combined
        if self.places or table is None:
            return {one.name: WholePlace(one.place) for one in self.places}
        lines = [line for line in table.lines if line.games]
        if table.rule == "places":
            return {line.name: WholePlace(line.place, line.value) for line in lines}
        return {line.name: WholePlace(line.place, None, line.value) for line in lines}


def results_of_event(event: EventPlan, results: Results, *, public: bool = False) -> EventResults:
    """Return what came of an event; `results` reads those of a part, for the public or for the organiser."""
    last = event.parts[-1].part.number
    stages = []
    for number in range(last + 1):
        parts = tuple(one for one in event.parts if one.part.number == number)
        takes = [one.part.take for one in event.parts if one.part.number == number + 1]
        found = tuple(results(one.plan) for one in parts if one.plan is not None)
        has_table = len(parts) > 1 and len(found) == len(parts)
        stages.append(
            StageResults(
                name=parts[0].part.stage,
                parts=parts,
                results=found,
                combined=combine(event.file.combine, _tables(parts, found), _lots(parts))
                if has_table
                else None,
                waits=parts[0].waits,
                take=takes[0] if takes else None,
            )
        )
    places = tuple(_places(stages, public=public)) if last else ()
    return EventResults(event.name, tuple(stages), places, tuple(_ties(stages, public=public)))


def _ties(stages: Sequence[StageResults], *, public: bool) -> Iterable[str]:
    """Return a sentence about each place that bots share of which only some have gone on.

    And about each stage to which fewer bots have gone on than it takes.
    """
    for stage, following in pairwise(stages):
        plans = [one.plan for one in following.parts if one.plan is not None]
        wanted = following.parts[0].part.entrants or 0
        if plans and len(plans[0].names) < wanted:
            has = f"has only {len(plans[0].names)}: no more have results in {stage.name}"
            yield f"Stage {following.name} takes {plural(wanted, 'bot')}, but {has}."
        going = {plan.shown(bot) if public else bot for plan in plans for bot in plan.names}
        decided = "seeding" if stage.parts[0].part.file.format == "knockout" else "lot"
        for equals in _equals(stage) if going else ():
            chosen = [name for name in equals if name in going]
            if 0 < len(chosen) < len(equals):
                others = [name for name in equals if name not in going]
                yield (
                    f"The {decided} decided that {', '.join(chosen)} went on from {stage.name}, and not "
                    f"{', '.join(others)}, which did as well."
                )


def _equals(stage: StageResults) -> Iterable[list[str]]:
    """Return the bots of a stage by what they reached, those that nothing in its table parts together."""
    if stage.combined is not None:
        pool_of = _pools(stage.results)
        # Stable: the order of the combined table stays within each pool.
        lines = sorted(
            (line for line in stage.combined.lines if line.games), key=lambda one: pool_of[one.name]
        )
        by_level = groupby(lines, key=lambda one: (pool_of[one.name], level(one)))
        return [[line.name for line in equal] for _, equal in by_level]
    table = (line for found in stage.results for line in found.standings.table if line.matches)
    return [
        [line.name for line in equal] for _, equal in groupby(table, key=lambda one: (one.pool, one.place))
    ]


def _places(stages: Sequence[StageResults], *, public: bool) -> list[FinalPlace]:
    """Return the places of the whole event.

    Bots that are in a later stage are ahead of those that are not, in its order, also before its first match.
    """
    found: dict[str, tuple[int, str]] = {}
    for stage in reversed(stages):
        plans = [one.plan for one in stage.parts if one.plan is not None]
        left_out = {name for result in stage.results for name in result.standings.left_out}
        shown = [plan.shown(bot) if public else bot for plan in plans for bot in plan.names]
        entered = [name for name in shown if name not in left_out]
        # A place of the stage, and the place of the event that it is.
        known: dict[int, int] = {}
        for name, place in [*stage.order, *((name, MOST_BOTS + 1) for name in entered)]:
            if name not in found:
                found[name] = known.setdefault(place, len(found) + 1), stage.name
    sharing = Counter(place for place, _ in found.values())
    return [
        FinalPlace(place, place + sharing[place] - 1, name, stage) for name, (place, stage) in found.items()
    ]
