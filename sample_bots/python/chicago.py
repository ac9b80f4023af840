"""A bot that plays Chicago sensibly, and a model to learn from.

Its strategy in short: everything has a worth in FT. A building is worth what it will still pay, and more if
it completes a set, a goal, or spoils a rival's goal; a duel is worth what it brings on average. Of all its
members and all targets the bot takes the pair with the most worth for each step, and goes one step of the
way. Members cost what they are worth, so it buys early and often. It looks at nothing but its view and the
legal actions, uses neither luck nor clock, and so does the same again in the same position.
"""

from collections.abc import Iterator
from typing import NamedTuple

from protocol.client import run
from protocol.messages import View
from sample_bots.python.chicago_table import (
    CASINOS,
    CENTRAL,
    FARTHEST,
    SETS,
    VALUE,
    Member,
    Table,
    duel_worth,
    odds,
    threat,
    ways_to,
)

# A gang needs no more members than it can move.
ENOUGH = 10
# What a goal is worth when it is complete; a part of it is worth much less.
GOAL = 400_000
# What is out of reach in this turn counts less: others may come first.
LATER = 0.6
# What it costs to leave a casino of one's own alone while a rival is so near, as a share of its worth.
GUARD = 0.5
NEAR = 12
# A set that lacks more buildings than this is not worth thinking of.
FEW = 3


class Taste(NamedTuple):
    """What is chosen by, beside money."""

    goal: float = GOAL
    """What a complete goal is worth."""
    caution: float = 0.0
    """How much it counts that a rival may strike where one comes to stand: 1 is as much as money."""
    later: float = LATER
    """What counts of a target that is out of reach in this turn."""
    guard: float = GUARD
    """What it costs to leave a casino alone, as a share of its worth."""
    goals_wait: int = 0
    """Goals count by the share of the phase that has gone by, to this power: with 0 always alike."""
    guards_wait: int = 0
    """Guards count by the share of the phase that has gone by, to this power."""
    enough: int = ENOUGH
    """A gang needs no more members."""


TASTE = Taste()


def choose(view: View, legal: list[str], taste: Taste = TASTE) -> str:
    """Return the action for one decision."""
    if len(legal) == 1:
        return legal[0]
    table = Table(view)
    stage = view["stage"]
    if stage == "move":
        return move(table, legal, taste)
    if stage == "place":
        return place(table, legal, taste)
    if stage == "pick":
        return pick(table, legal)
    return buy(table, legal, taste)


# Buying and placing.


def buy(table: Table, legal: list[str], taste: Taste) -> str:
    """Buy the strongest member there is, until the gang is large enough."""
    if table.is_last_turn() or len(table.view["gangs"][table.gang]["members"]) >= taste.enough:
        return "done"
    return legal[-2]  # the last one is `done`


def place(table: Table, legal: list[str], taste: Taste) -> str:
    """Put the first member into the casino and the others where they have most to win."""
    worth = target_worths(table, taste)
    pawn = legal[0].split()[1]
    rings = table.rings_of(pawn)

    def promise(action: str) -> float:
        building = action.split()[2]
        member = Member(pawn, rings, building)
        outlook = max((score for score, _ in outlooks(table, member, worth, taste)), default=0.0)
        return outlook + VALUE[building] * taste.guard * (building in CASINOS)

    return max(legal, key=promise)


# Duels.


def pick(table: Table, legal: list[str]) -> str:
    """Attack where a duel brings most; defend with whom is likeliest to win."""
    attacker = table.view["duel"]["attacker"]
    rings = table.rings_of(attacker)
    if table.gang == attacker[0]:
        return max(legal, key=lambda text: duel_worth(rings, table.rings_of(text.split()[1]), table.rivalry))
    return max(legal, key=lambda text: odds(rings, table.rings_of(text.split()[1]))[1])


def fight_worth(table: Table, rings: int, node: str) -> tuple[float, float]:
    """Return what it brings to enter a node by force, and how likely one is left alone there."""
    total, alive = 0.0, 1.0
    for rival in table.rivals.get(node, ()):
        total += alive * duel_worth(rings, rival.rings, table.rivalry)
        alive *= odds(rings, rival.rings)[0]
    return total, alive


# Targets.


def building_worth(table: Table, name: str, taste: Taste = TASTE) -> float:
    """Return what it is worth to own a building that I do not own yet."""
    payments = table.payments()
    owner = table.owner[name]
    worth: float = VALUE[name] * payments * (1 + (table.rivalry if owner else 0))
    for names in SETS[table.gang]:
        if name in names:
            missing = sum(table.owner[other] != table.gang for other in names)
            if missing <= FEW:
                worth += 2 * len(names) * VALUE[name] * payments / missing
    if name in CASINOS:
        needed = int(table.options["casinos_needed"])
        worth += goal_worth(table, CASINOS, needed, owner, taste)
    if name in CENTRAL:
        worth += goal_worth(table, CENTRAL, len(CENTRAL), owner, taste)
    return worth


def goal_worth(table: Table, buildings: set[str], needed: int, owner: str | None, taste: Taste) -> float:
    """Return what one more of these buildings is worth to me, and what it takes from who owns it."""
    mine = min(table.owned_by(table.seat, buildings) + 1, needed)
    goal = taste.goal * gone_by(table) ** taste.goals_wait
    worth: float = goal * (mine / needed) ** 3
    if owner is not None:
        yours = table.owned_by(table.seat_of[owner], buildings)
        worth += goal * table.rivalry * (min(yours, needed) / needed) ** 3
    return worth


def gone_by(table: Table) -> float:
    """Return the share of the phase that has gone by; before the first round it is that of the first."""
    return max(table.round, 1) / int(table.options["rounds"])


def target_worths(table: Table, taste: Taste = TASTE) -> dict[str, list[float]]:
    """Return what every target is worth, by the rings of the member that goes there; others are not asked."""
    worths: dict[str, list[float]] = {}
    strengths = {rings for _, rings, _ in table.view["gangs"][table.gang]["members"]}
    for name in VALUE:
        if not table.is_mine(name) and table.has_token_for(name):
            plain = building_worth(table, name, taste)
            worths[name] = [plain] * 5
    for node in table.rivals:
        plain = worths.get(node, [0.0])[0]
        worths[node] = [0.0] * 5
        for rings in strengths:
            total, alive = fight_worth(table, rings, node)
            worths[node][rings] = total + alive * plain
    if taste.caution:
        for node, by_rings in worths.items():
            near = rivals_near(table, node)
            for rings in strengths:
                by_rings[rings] -= taste.caution * danger(near, node, rings)
    return worths


def rivals_near(table: Table, node: str) -> list[Member]:
    """Return the rivals elsewhere that could come to a node by one roll."""
    steps = ways_to(node)
    places = (at for at in table.rivals if at != node and steps[at] <= FARTHEST)
    return [rival for at in places for rival in table.rivals[at]]


def danger(near: list[Member], node: str, rings: int) -> float:
    """Return what rivals near a node may expect of an attack on a member that stands there."""
    return max((threat(rival.at, node, rival.rings, rings) for rival in near), default=0.0)


def outlooks(
    table: Table, member: Member, worths: dict[str, list[float]], taste: Taste
) -> Iterator[tuple[float, str]]:
    """Yield what every target is worth to a member for each step of the way, and the target."""
    distance = ways_to(member.at)  # as far there as back
    points, rings, later = table.points, member.rings, taste.later
    for target, by_rings in worths.items():
        steps = distance[target]
        yield by_rings[rings] / steps * (1 if steps <= points else later) if steps else 0.0, target


# Moving.


def move(table: Table, legal: list[str], taste: Taste) -> str:
    """Take one step of the best way there is; without any, the step that does least harm."""
    way = best_way(table, steps_by_member(legal), taste)
    return way.action if way else max(legal, key=lambda action: harmlessness(table, action, taste))


class Way(NamedTuple):
    """Where a member could go."""

    action: str
    """The first step."""
    pawn: str
    target: str


def best_way(table: Table, steps: dict[str, list[str]], taste: Taste = TASTE) -> Way | None:
    """Return the way that is worth most, if any is worth something."""
    best, found = 0.0, None
    for score, member, target in ways(table, steps, taste):
        if score > best:
            step = next_step(table, member, target, steps[member.name])
            if step:
                best, found = score, Way(f"move {member.name} {step}", member.name, target)
    return found


def steps_by_member(legal: list[str]) -> dict[str, list[str]]:
    """Return the nodes that each member can step to."""
    steps: dict[str, list[str]] = {}
    for action in legal:
        _, pawn, node = action.split(" ")
        steps.setdefault(pawn, []).append(node)
    return steps


def ways(
    table: Table, steps: dict[str, list[str]], taste: Taste = TASTE
) -> Iterator[tuple[float, Member, str]]:
    """Yield every member that can step and every target, with what the way is worth for each step."""
    worths = target_worths(table, taste)
    for member in table.members:
        if member.name in steps:
            cost = leaving_cost(table, member, taste)
            for score, target in outlooks(table, member, worths, taste):
                yield score - cost, member, target


def next_step(table: Table, member: Member, target: str, nodes: list[str]) -> str | None:
    """Return the step that leads nearer to a target, without a duel on the way that is better avoided."""
    way = ways_to(target)
    nearer = [node for node in nodes if way[node] < way[member.at]]
    safe = [node for node in nearer if node == target or fight_worth(table, member.rings, node)[0] >= 0]
    return min(safe, key=lambda node: way[node]) if safe else None


def leaving_cost(table: Table, member: Member, taste: Taste) -> float:
    """Return what a member's absence costs where it stands: a casino wants a guard if rivals are near."""
    if member.at not in CASINOS or not table.is_mine(member.at):
        return 0.0
    near = any(ways_to(member.at)[node] <= NEAR for node in table.rivals)
    wanted = near or table.options["variant_casino"] == "yes"
    return VALUE[member.at] * taste.guard * gone_by(table) ** taste.guards_wait if wanted else 0.0


def harmlessness(table: Table, action: str, taste: Taste) -> float:
    """Return how little harm a step does when there is nothing to win."""
    _, pawn, node = action.split(" ")
    member = next(member for member in table.members if member.name == pawn)
    return fight_worth(table, member.rings, node)[0] - leaving_cost(table, member, taste)


def main() -> None:
    """Play until the referee says goodbye."""
    run(choose, name="chicago", games=["chicago"], capacity=64)


if __name__ == "__main__":
    main()
