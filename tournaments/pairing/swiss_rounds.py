"""The rounds of a Swiss tournament, as far as it is played. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence

from referee.hub.fixture import Fixture
from tournaments.config.plan import Plan
from tournaments.pairing.blocks import block, in_turn, lot
from tournaments.pairing.formats import Group
from tournaments.pairing.rounds import Round, group_of
from tournaments.results import Played


class SwissRounds:
    """The rounds so far and the next: neighbours in the standings meet; of equals, the lot decides."""

    def __init__(self, plan: Plan, done: Mapping[str, Played]) -> None:
        # Imported late, with NumPy: `play` starts in half the time without it.
        from tournaments.pairing.swiss import Course

        self._plan = plan
        self._done = done
        self.fixtures: list[Fixture] = []
        self.rounds: list[Round] = []
        # Bots are numbered by lot, so that the order in the file decides nothing.
        names = sorted(plan.names, key=lambda name: lot(plan, name))
        sums: Counter[str] = Counter()
        course = Course(len(names), plan.seats, plan.rounds)
        for _ in range(plan.rounds):
            order = sorted(range(len(names)), key=lambda bot: (-sums[names[bot]], bot))
            this = self._play([tuple(names[bot] for bot in group) for group in course.next(order)])
            self.rounds.append(this)
            if not this.is_over:
                break
            sums.update(points_of(this, plan))

    def _play(self, groups: Sequence[Group]) -> Round:
        """Add the matches of a round."""
        plan, of_round = self._plan, len(self.rounds) + 1
        matches: dict[Group, list[Fixture]] = {group: [] for group in groups}
        for number in range((of_round - 1) * plan.blocks + 1, of_round * plan.blocks + 1):
            for group in in_turn(plan, groups, number):
                planned = block(plan, group, of_round, number)
                matches[group] += planned
                self.fixtures += planned
        return Round(
            number=of_round,
            title=f"Round {of_round}",
            groups=tuple(group_of(group, matches[group], self._done) for group in groups),
            resting=tuple(sorted(set(plan.names).difference(*groups))),
        )


def points_of(one: Round, plan: Plan) -> dict[str, int]:
    """Return the points of a round; a rest is worth what draws would be."""
    rest = plan.blocks * plan.seats * (plan.seats - 1)
    gained = {bot: int(points) for group in one.groups for bot, points in group.scores}
    return gained | dict.fromkeys(one.resting, rest)
