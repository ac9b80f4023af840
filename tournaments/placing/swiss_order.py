"""The order of a Swiss tournament: its points, then Buchholz, wins, rating and the lot."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

from tournaments.config.plan import Plan
from tournaments.pairing.rounds import Round
from tournaments.pairing.swiss_rounds import points_of
from tournaments.placing.places import OfficialOrder, Place, Scored, in_words, ranked, rating_key

BY = ("Swiss points", "Buchholz", "wins", "rating", "lot")


def swiss_order(
    plan: Plan, rounds: Sequence[Round], lines: Iterable[Scored], lot: Callable[[str], str]
) -> OfficialOrder:
    """Order by the rounds that are over. The lot decides when all are; until then equals share a place."""
    scored = {line.name: line for line in lines}
    over = [one for one in rounds if one.is_over]
    is_complete = len(over) == plan.rounds
    sums: Counter[str] = Counter(dict.fromkeys(scored, 0))
    for one in over:
        sums.update(points_of(one, plan))
    met = buchholz(over, sums, plan.seats)
    rests = Counter(bot for one in over for bot in one.resting)

    def key(name: str) -> tuple[object, ...]:
        return -sums[name], -met[name], -scored[name].wins, *rating_key(scored[name])

    def decided(name: str) -> object:
        return (*key(name), lot(name)) if is_complete else key(name)

    drawn = _parted_by_lot(scored, key) if is_complete else set()
    places = {
        name: Place(
            place=first,
            place_to=last,
            swiss_points=sums[name],
            buchholz=met[name],
            rests=rests[name],
            by_lot=name in drawn,
        )
        for name, first, last in ranked(scored, decided, str)
    }
    by = BY if is_complete else BY[:-1]
    rounds_over = "" if is_complete else f" after {len(over)} of {plan.rounds} rounds"
    return OfficialOrder(
        places,
        by,
        f"Ordered by {by[0]}{rounds_over}, {in_words(by).partition(', ')[2]}.",
        follows_rounds=True,
    )


def buchholz(over: Sequence[Round], sums: Counter[str], seats: int) -> Counter[str]:
    """Return the points of all bots that each one met; a rest counts as if it had met bots like itself."""
    found: Counter[str] = Counter(dict.fromkeys(sums, 0))
    for one in over:
        for group in one.groups:
            together = sum(sums[bot] for bot in group.bots)
            found.update({bot: together - sums[bot] for bot in group.bots})
        found.update({bot: (seats - 1) * sums[bot] for bot in one.resting})
    return found


def _parted_by_lot(names: Iterable[str], key: Callable[[str], tuple[object, ...]]) -> set[str]:
    """Return the bots that share everything but the lot with another one."""
    order = sorted(names, key=key)
    shared = [list(equals) for _, equals in groupby(order, key=key)]
    return {name for equals in shared if len(equals) > 1 for name in equals}
