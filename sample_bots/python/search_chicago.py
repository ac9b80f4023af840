"""How the search bot goes about Chicago: it tries the best ways of its members, and waits for the answers."""

from protocol.messages import View
from referee.chance import Chance
from referee.games.chicago.components import MOST_RINGS
from referee.games.chicago.ending import FIVE, wealth_of
from referee.games.chicago.state import State
from sample_bots.python.chicago import choose, next_step, steps_by_member, ways
from sample_bots.python.chicago_table import Table
from sample_bots.python.search_guide import Guide, odds_to_win, victory
from sample_bots.python.search_trials import Doubt

# So many actions are tried, and so many turns of gangs looked ahead: one's own and the next.
MOST = 4
TURNS = 2
# What counts how much for the odds to win, fitted to some matches of the sample against itself (a few of its
# actions at random): money at hand or still to be paid, by 100,000 FT; sets of the home zone, by what they
# would pay; casinos, the place and five strong members, as shares of the goal; rings.
MONEY = 0.2 / 100_000
SETS = 1.0 / 100_000
GOALS = (0.8, 1.2, 0.4)
RING = 0.1
# A goal or set that is complete by half is worth only a small part of it.
STEEPNESS = 3
# Before the first round of a phase gangs buy, then place.
STAGES_BEFORE = ("phase_buy", "place")


class ChicagoGuide(Guide[State]):
    """One match of Chicago."""

    doubt = Doubt(errors=2.0, error=0.01)

    def candidates(self, view: View, legal: list[str]) -> list[str]:
        """Return what the sample would do, and of steps the first of other ways that are worth most."""
        favourite = choose(view, legal)
        others: list[str] = []
        if view["stage"] == "move":
            others = first_steps(Table(view), legal)
        elif view["stage"] != "place":  # the sample places well enough
            others = legal
        return list(dict.fromkeys([favourite, *others]))[:MOST]

    def reply(self, state: State, seat: int, luck: Chance) -> str:
        """Return what the sample would do."""
        del luck
        return choose(state.view(seat), state.legal(seat))

    def moment(self, state: State, steps: int) -> int:
        """Count gangs that had their say."""
        del steps
        before = len(STAGES_BEFORE)
        stage = before + state.round - 1 if state.round else STAGES_BEFORE.index(state.stage)
        return (state.phase * (before + state.rules.rounds) + stage) * state.gangs + state.cursor

    def reach(self) -> int:
        """Look ahead some turns."""
        return TURNS

    def value(self, state: State) -> float:
        """Return my odds to win."""
        if state.ended is not None:
            return (1 + victory(state.ended, self.seat)) / 2
        return odds_to_win([prospects(state, seat) for seat in range(self.seats)], self.seat)


def first_steps(table: Table, legal: list[str]) -> list[str]:
    """Return the first steps of the best ways, the best first."""
    steps = steps_by_member(legal)
    found: dict[str, None] = {}
    for _, member, target in sorted(ways(table, steps), key=lambda way: way[0], reverse=True):
        step = next_step(table, member, target, steps[member.name])
        if step:
            found[f"move {member.name} {step}"] = None
            if len(found) == MOST:
                break
    return list(found)


def prospects(state: State, seat: int) -> float:
    """Return how well a seat stands; the odds to win are as the exponentials of these numbers."""
    gangs = [gang for gang, holder in enumerate(state.seat_of) if holder == seat]
    money = wealth_of(state, seat) + sum(payments(state, gang) for gang in gangs)
    rings = sum(state.rings[pawn] for gang in gangs for pawn in state.members[gang])
    promised = sum(weight * near for weight, near in zip(GOALS, goals(state, gangs), strict=True))
    return MONEY * money + SETS * sum(bonus(state, gang) for gang in gangs) + RING * rings + promised


def payments(state: State, gang: int) -> int:
    """Return what the buildings of a gang will pay until the end, if it keeps them all."""
    rules, values = state.rules, state.board.values
    phases = rules.phases - state.phase
    times = phases * rules.rounds - max(state.round - 1, 0) if rules.every_round else phases
    return times * sum(values[node] for node, owner in enumerate(state.owner) if owner == gang)


def bonus(state: State, gang: int) -> float:
    """Return what the sets of a gang will pay on top, of those that are not complete a small part."""
    total, values = 0.0, state.board.values
    for nodes in state.board.sets[gang]:
        share = sum(state.owner[node] == gang for node in nodes) / len(nodes)
        total += 2 * sum(values[node] for node in nodes) * share**STEEPNESS
    return total * (state.rules.phases - state.phase)


def goals(state: State, gangs: list[int]) -> list[float]:
    """Return how near a seat with these gangs is to each goal: 1 is there."""
    board, owner = state.board, state.owner
    casinos = sum(owner[node] in gangs for node in board.casinos) / state.rules.casinos
    central = sum(owner[node] in gangs for node in board.central) / len(board.central)
    fours = [sum(state.rings[pawn] == MOST_RINGS for pawn in state.members[gang]) for gang in gangs]
    five = (sum(fours) if state.rules.five_by_seat else max(fours)) / FIVE
    return [min(share, 1.0) ** STEEPNESS for share in (casinos, central, five)]
