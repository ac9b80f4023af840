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
from sample_bots.python.chicago_position import (
    CASINOS,
    CENTRAL,
    FARTHEST,
    SETS,
    VALUE,
    Member,
    Position,
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
# A joint attack is strong enough with so many times the rings of the defenders.
ENOUGH_FORCE = 1.5
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
    position = Position(view)
    phase = view["phase"]
    if phase == "move":
        return move(position, legal, taste)
    if phase == "place":
        return place(position, legal, taste)
    if phase == "join":
        return join(position, legal)
    if phase == "pick":
        return pick(position, legal)
    return buy(position, legal, taste)


# Buying and placing.


def buy(position: Position, legal: list[str], taste: Taste) -> str:
    """Buy the strongest member there is, until the gang is large enough."""
    if position.is_last_turn() or len(position.view["gangs"][position.gang]["members"]) >= taste.enough:
        return "done"
    return legal[-2]  # the last one is `done`


def place(position: Position, legal: list[str], taste: Taste) -> str:
    """Put the first member into the casino and the others where they have most to win."""
    worth = target_worths(position, taste)
    pawn = legal[0].split()[1]
    rings = position.rings_of(pawn)

    def promise(action: str) -> float:
        building = action.split()[2]
        member = Member(pawn, rings, building)
        outlook = max((score for score, _ in outlooks(position, member, worth, taste)), default=0.0)
        return outlook + VALUE[building] * taste.guard * (building in CASINOS)

    return max(legal, key=promise)


# Duels.


def pick(position: Position, legal: list[str]) -> str:
    """Attack where a duel brings most; defend where the defender is likeliest to win."""
    attackers = position.view["duel"]["attackers"]
    attacking = position.gang == attackers[0][0]

    def promise(action: str) -> float:
        *one, defender = action.split()[1:]
        # Only in a joint attack the attacker is picked too.
        mine, yours = position.rings_of((one or attackers)[0]), position.rings_of(defender)
        return duel_worth(mine, yours, position.rivalry) if attacking else odds(mine, yours)[1]

    return max(legal, key=promise)


def join(position: Position, legal: list[str]) -> str:
    """Bring the nearest member that is as strong as the defenders, until the attack is strong enough."""
    duel = position.view["duel"]
    at, defenders = duel["at"], [position.rings_of(pawn) for pawn in duel["defenders"]]
    if sum(map(position.rings_of, duel["attackers"])) >= ENOUGH_FORCE * sum(defenders):
        return legal[-1]
    steps = steps_by_member(legal[:-1])  # the last one is `attack`
    distance = ways_to(at)
    helpers = [
        member
        for member in position.members
        if member.name in steps and distance[member.at] <= position.points and member.rings >= min(defenders)
    ]
    for member in sorted(helpers, key=lambda member: distance[member.at]):
        step = next_step(position, member, at, steps[member.name])
        if step:
            return f"move {member.name} {step}"
    return legal[-1]


def fight_worth(position: Position, rings: int, node: str) -> tuple[float, float]:
    """Return what it brings to enter a node by force, and how likely one is left alone there."""
    total, alive = 0.0, 1.0
    for rival in position.rivals.get(node, ()):
        total += alive * duel_worth(rings, rival.rings, position.rivalry)
        alive *= odds(rings, rival.rings)[0]
    return total, alive


# Targets.


def building_worth(position: Position, name: str, taste: Taste = TASTE) -> float:
    """Return what it is worth to own a building that I do not own yet."""
    payments = position.payments()
    owner = position.owner[name]
    worth: float = VALUE[name] * payments * (1 + (position.rivalry if owner else 0))
    for names in SETS[position.gang]:
        if name in names:
            missing = sum(position.owner[other] != position.gang for other in names)
            if missing <= FEW:
                worth += 2 * len(names) * VALUE[name] * payments / missing
    if name in CASINOS:
        needed = int(position.options["casinos_needed"])
        worth += goal_worth(position, CASINOS, needed, owner, taste)
    if name in CENTRAL:
        worth += goal_worth(position, CENTRAL, len(CENTRAL), owner, taste)
    return worth


def goal_worth(
    position: Position, buildings: set[str], needed: int, owner: str | None, taste: Taste
) -> float:
    """Return what one more of these buildings is worth to me, and what it takes from who owns it."""
    mine = min(position.owned_by(position.seat, buildings) + 1, needed)
    goal = taste.goal * gone_by(position) ** taste.goals_wait
    worth: float = goal * (mine / needed) ** 3
    if owner is not None:
        yours = position.owned_by(position.seat_of[owner], buildings)
        worth += goal * position.rivalry * (min(yours, needed) / needed) ** 3
    return worth


def gone_by(position: Position) -> float:
    """Return the share of the phase that has gone by; before the first round it is that of the first."""
    return max(position.round, 1) / int(position.options["rounds"])


def target_worths(position: Position, taste: Taste = TASTE) -> dict[str, list[float]]:
    """Return what every target is worth, by the rings of the member that goes there; others are not asked."""
    worths: dict[str, list[float]] = {}
    strengths = {rings for _, rings, _ in position.view["gangs"][position.gang]["members"]}
    for name in VALUE:
        if not position.is_mine(name) and position.has_token_for(name):
            plain = building_worth(position, name, taste)
            worths[name] = [plain] * 5
    for node in position.rivals:
        plain = worths.get(node, [0.0])[0]
        worths[node] = [0.0] * 5
        for rings in strengths:
            total, alive = fight_worth(position, rings, node)
            worths[node][rings] = total + alive * plain
    if taste.caution:
        for node, by_rings in worths.items():
            near = rivals_near(position, node)
            for rings in strengths:
                by_rings[rings] -= taste.caution * danger(near, node, rings)
    return worths


def rivals_near(position: Position, node: str) -> list[Member]:
    """Return the rivals elsewhere that could come to a node by one roll."""
    steps = ways_to(node)
    places = (at for at in position.rivals if at != node and steps[at] <= FARTHEST)
    return [rival for at in places for rival in position.rivals[at]]


def danger(near: list[Member], node: str, rings: int) -> float:
    """Return what rivals near a node may expect of an attack on a member that stands there."""
    return max((threat(rival.at, node, rival.rings, rings) for rival in near), default=0.0)


def outlooks(
    position: Position, member: Member, worths: dict[str, list[float]], taste: Taste
) -> Iterator[tuple[float, str]]:
    """Yield what every target is worth to a member for each step of the way, and the target."""
    distance = ways_to(member.at)  # as far there as back
    points, rings, later = position.points, member.rings, taste.later
    for target, by_rings in worths.items():
        steps = distance[target]
        yield by_rings[rings] / steps * (1 if steps <= points else later) if steps else 0.0, target


# Moving.


def move(position: Position, legal: list[str], taste: Taste) -> str:
    """Take one step of the best way there is; without any, the step that does least harm."""
    way = best_way(position, steps_by_member(legal), taste)
    return way.action if way else max(legal, key=lambda action: harmlessness(position, action, taste))


class Way(NamedTuple):
    """Where a member could go."""

    action: str
    """The first step."""
    pawn: str
    target: str


def best_way(position: Position, steps: dict[str, list[str]], taste: Taste = TASTE) -> Way | None:
    """Return the way that is worth most, if any is worth something."""
    best, found = 0.0, None
    for score, member, target in ways(position, steps, taste):
        if score > best:
            step = next_step(position, member, target, steps[member.name])
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
    position: Position, steps: dict[str, list[str]], taste: Taste = TASTE
) -> Iterator[tuple[float, Member, str]]:
    """Yield every member that can step and every target, with what the way is worth for each step."""
    worths = target_worths(position, taste)
    for member in position.members:
        if member.name in steps:
            cost = leaving_cost(position, member, taste)
            for score, target in outlooks(position, member, worths, taste):
                yield score - cost, member, target


def next_step(position: Position, member: Member, target: str, nodes: list[str]) -> str | None:
    """Return the step that leads nearer to a target, without a duel on the way that is better avoided."""
    way = ways_to(target)
    nearer = [node for node in nodes if way[node] < way[member.at]]
    safe = [node for node in nearer if node == target or fight_worth(position, member.rings, node)[0] >= 0]
    return min(safe, key=lambda node: way[node]) if safe else None


def leaving_cost(position: Position, member: Member, taste: Taste) -> float:
    """Return what a member's absence costs where it stands: a casino wants a guard if rivals are near."""
    if member.at not in CASINOS or not position.is_mine(member.at):
        return 0.0
    near = any(ways_to(member.at)[node] <= NEAR for node in position.rivals)
    wanted = near or position.options["variant_casino"] == "yes"
    return VALUE[member.at] * taste.guard * gone_by(position) ** taste.guards_wait if wanted else 0.0


def harmlessness(position: Position, action: str, taste: Taste) -> float:
    """Return how little harm a step does when there is nothing to win."""
    _, pawn, node = action.split(" ")
    member = next(member for member in position.members if member.name == pawn)
    return fight_worth(position, member.rings, node)[0] - leaving_cost(position, member, taste)


def main() -> None:
    """Play until the referee says goodbye."""
    run(choose, name="chicago", games=["chicago"], capacity=64)


if __name__ == "__main__":
    main()
