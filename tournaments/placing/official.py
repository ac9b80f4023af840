"""The official order of a tournament, by its format."""

from collections.abc import Callable, Sequence
from functools import partial

from tournaments.config.plan import Plan
from tournaments.pairing.blocks import lot
from tournaments.pairing.formats import pool_name
from tournaments.pairing.rounds import Round
from tournaments.pairing.schedule import pools_of
from tournaments.placing.knockout_order import knockout_order
from tournaments.placing.places import OfficialOrder, Scored
from tournaments.placing.swiss_order import swiss_order
from tournaments.placing.table_order import Margin, by_points, by_rating, in_pools


def official_order(
    plan: Plan, rounds: Sequence[Round], lines: Sequence[Scored], margin: Margin, *, is_complete: bool
) -> OfficialOrder:
    """Return the places of all bots of a plan.

    When all matches are played, bots that share places stand in the order of a lot, so that no name helps a
    bot into the next stage; until then in the order of their names.
    """
    if plan.format == "swiss":
        return swiss_order(plan, rounds, lines, partial(lot, plan))
    if plan.format == "knockout":
        return knockout_order(rounds, plan.names)
    row: Callable[[str], object] = partial(lot, plan) if is_complete else str
    order = _table_order(plan, margin, row)
    if plan.pools == 1:
        return order(lines)
    pools = {pool_name(number): names for number, names in enumerate(pools_of(plan))}
    return in_pools(pools, lines, order)


def _table_order(
    plan: Plan, margin: Margin, row: Callable[[str], object]
) -> Callable[[Sequence[Scored]], OfficialOrder]:
    if plan.order == "points":
        return partial(by_points, margin=margin, percent=plan.format == "gauntlet", row=row)
    return partial(by_rating, row=row)
