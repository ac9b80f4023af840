"""Blocks: one deal of one group of bots, in all rotations of the seats; and the lots that follow from a seed.

Pure. Ids, seats and deals depend on the plan, the bots of the group and the number of the deal alone.
"""

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from math import factorial, gcd

from referee.hub.fixture import Fixture, Planner, deal_name
from tournaments.config.plan import Plan
from tournaments.pairing.formats import Group


def planner_of(plan: Plan) -> Planner:
    """Return what names the matches and deals of a tournament; raises PlanError before the luck is drawn."""
    plan.check_drawn()
    return Planner(
        plan.game,
        plan.seed,
        plan.options,
        numbered_deals=plan.common_deals,
        opaque_ids=plan.aliases,
        operator_seed="" if plan.luck is None else plan.luck.operator_seed,
        beacon=None if plan.luck is None else plan.luck.beacon,
        versions=plan.versions,
    )


def block(plan: Plan, group: Sequence[str], of_round: int, number: int) -> list[Fixture]:
    """Return the matches of one deal in one group: all rotations.

    The deal is shared even if it has one rotation: with common deals a bot that joins later gets it too.
    """
    # Where names are hidden, no order of names may show in the seats.
    names = sorted(group)
    seats = sorted(names, key=lambda name: _draw(plan, "seats", names, name)) if plan.aliases else names
    order = _arranged(seats, number)
    return planner_of(plan).block(order, deal_name(number), round=of_round)


def in_turn(plan: Plan, groups: Sequence[Group], number: int) -> Sequence[Group]:
    """Return the groups in the order in which they play a deal.

    If names are hidden, or if a bot meets one deal in several groups, that is a lot: which opponent comes
    first would show which it is, and could make up for what a bot knows of the deal later. Of common deals
    the order is always the same, so that a group plays many of them before the next group does.
    """
    if not plan.aliases and not plan.common_deals:
        return groups
    turn = 0 if plan.common_deals else number
    return sorted(groups, key=lambda group: _draw(plan, "groups", turn, sorted(group)))


def _draw(plan: Plan, *what: object) -> str:
    """Return a lot about something: unpredictable without the seed, and always the same."""
    return hashlib.sha256(json.dumps(["draw", plan.seed, *what]).encode()).hexdigest()


def _arranged(group: Sequence[str], number: int) -> tuple[str, ...]:
    """Return the order of the seats for one deal: which bot follows which changes from deal to deal.

    Rotations alone would leave every bot behind the same other one in every match.
    """
    first, *rest = group
    count, stride = _stride(len(rest))
    at = (number - 1) * stride % count
    seated = [first]
    while rest:
        at, next_one = divmod(at, len(rest))
        seated.append(rest.pop(next_one))
    return tuple(seated)


@cache
def _stride(rest: int) -> tuple[int, int]:
    """Return how many orders so many bots have, and how far one deal's order is from that of the next."""
    count = factorial(rest)
    # A stride of about the golden section visits all orders, and soon very different ones.
    return count, next(step for step in range(max(1, count * 5 // 8), count + 1) if gcd(step, count) == 1)


def lot(plan: Plan, name: str, of_round: int = 0) -> str:
    """Return what decides between equals: unpredictable without the seed, and always the same."""
    return hashlib.sha256(json.dumps(["lot", plan.seed, of_round, name]).encode()).hexdigest()
