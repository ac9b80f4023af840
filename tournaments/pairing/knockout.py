"""The rounds of a knockout, as far as it is played. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from referee.hub.fixture import Fixture
from tournaments.config.plan import Plan
from tournaments.pairing import formats
from tournaments.pairing.blocks import block, lot
from tournaments.pairing.rounds import Decision, Round, RoundGroup, group_of
from tournaments.results import Played

MORE_DEALS: Final = 4
"""Deals that a group plays at most to break a tie; then the lot decides."""

FINAL: Final = "Final"
THIRD_PLACE: Final = "Third place"

_TITLES: Final = {4: "Semifinals", 8: "Quarterfinals"}
"""By the number of bots that are left, where two meet."""


class Knockout:
    """A knockout as far as it is played: the matches that are known, and its rounds."""

    def __init__(self, plan: Plan, done: Mapping[str, Played]) -> None:
        self._plan = plan
        self._done = done
        self.fixtures: list[Fixture] = []
        self.rounds: list[Round] = []
        alive = list(plan.names)
        while alive:
            alive = self._play(alive)

    def _play(self, alive: Sequence[str]) -> list[str]:
        """Add a round; return the bots that go on, best seeds first, or none before the round is over."""
        this = formats.knockout(alive, self._plan.seats)
        of_round = len(self.rounds) + 1
        title = FINAL if this.is_final else self._title(len(alive))
        groups = [self._group(one, of_round, FINAL if this.is_final else "") for one in this.groups]
        if this.is_final and (third := self._for_third_place()):
            groups.append(self._group(formats.KnockoutGroup(third, 1), of_round, THIRD_PLACE))
        self.rounds.append(Round(of_round, title, tuple(groups), tuple(this.resting)))
        if this.is_final or not all(group.through for group in groups):
            return []
        through = {name for group in groups for name in group.through}.union(this.resting)
        return [name for name in alive if name in through]

    def _title(self, alive: int) -> str:
        number = f"Round {len(self.rounds) + 1}"
        return _TITLES.get(alive, number) if self._plan.seats == 2 else number

    def _for_third_place(self) -> formats.Group:
        """Return the losers of the semifinals, if they are to meet; a single loser is third anyway."""
        if not self._plan.third_place or not self.rounds:
            return ()
        losers = tuple(bot for group in self.rounds[-1].groups for bot in group.losers)
        return losers if len(losers) == self._plan.seats else ()

    def _group(self, one: formats.KnockoutGroup, of_round: int, title: str) -> RoundGroup:
        """Add the matches of a group: further deals as long as points leave open which bots go on."""
        deals = self._plan.blocks
        first = (of_round - 1) * (deals + MORE_DEALS) + 1
        planned = [
            fixture
            for number in range(first, first + deals)
            for fixture in block(self._plan, one.group, of_round, number)
        ]
        group = group_of(one.group, planned, self._done)
        further = 0
        while group.is_over and _is_tied(group, one.through) and further < MORE_DEALS:
            planned += block(self._plan, one.group, of_round, first + deals + further)
            further += 1
            group = group_of(one.group, planned, self._done)
        self.fixtures += planned
        group = replace(group, title=title, goes_on=one.through, further=further)
        return self._decided(group, of_round) if group.is_over else group

    def _decided(self, group: RoundGroup, of_round: int) -> RoundGroup:
        """Return a group with the bots that go on, after all its matches."""
        how: Decision = "further deals" if group.further else "points"
        if _is_tied(group, group.goes_on):
            how = "lot"
            scores = sorted(group.scores, key=lambda score: (-score[1], lot(self._plan, score[0], of_round)))
            group = replace(group, bots=tuple(bot for bot, _ in scores))
        return replace(group, through=group.bots[: group.goes_on], decided=how)


def _is_tied(group: RoundGroup, goes_on: int) -> bool:
    """Return whether points leave open which bots go on."""
    return group.points[goes_on - 1] == group.points[goes_on]
