"""How the search bot goes about Chicago: it tries the best ways of its members, and waits for the answers."""

from protocol.messages import View
from referee.chance import Chance
from referee.game import Game
from referee.games.chicago.components import MOST_RINGS
from referee.games.chicago.ending import FIVE, wealth_of
from referee.games.chicago.state import State
from sample_bots.python.chicago import GOAL, choose, next_step, steps_by_member, ways
from sample_bots.python.chicago_table import Table
from sample_bots.python.search_guide import Guide, lead, victory

# So many actions are tried, and so many rounds looked ahead.
MOST = 6
ROUNDS = 1
# What the game is worth, won or lost, in FT.
WIN = 1_000_000
# A goal or set that is complete by half is worth only a small part of it.
STEEPNESS = 3
# Before the first round of a phase gangs buy, then place.
STAGES_BEFORE = ("phase_buy", "place")


class ChicagoGuide(Guide[State]):
    """One match of Chicago."""

    def __init__(self, game: Game, seat: int, seats: int) -> None:
        super().__init__(game, seat, seats)
        self._gangs = 0

    def candidates(self, view: View, legal: list[str]) -> list[str]:
        """Return what the sample would do, and of steps the first of other ways that are worth most."""
        self._gangs = len(view["gangs"])
        favourite = choose(view, legal)
        others = first_steps(Table(view), legal) if view["stage"] == "move" else legal
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
        return (state.phase * (before + state.rules.rounds) + stage) * self._gangs + state.cursor

    def reach(self) -> int:
        """Look ahead some rounds."""
        return ROUNDS * self._gangs

    def value(self, state: State) -> float:
        """Return by how much I am richer than my richest rival, with what is to come."""
        ahead = lead([worth(state, seat) for seat in range(self.seats)], self.seat)
        return ahead + WIN * victory(state.ended, self.seat)


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


def worth(state: State, seat: int) -> float:
    """Return the wealth of a seat, with what its buildings will still pay and what its goals promise."""
    total = float(wealth_of(state, seat))
    if state.ended is not None:
        return total
    gangs = [gang for gang, holder in enumerate(state.seat_of) if holder == seat]
    return total + sum(income(state, gang) for gang in gangs) + GOAL * sum(goals(state, gangs))


def income(state: State, gang: int) -> float:
    """Return what the buildings of a gang will pay until the end, if it keeps them all."""
    rules, board, owner = state.rules, state.board, state.owner
    phases = rules.phases - state.phase
    payments = phases * rules.rounds - max(state.round - 1, 0) if rules.every_round else phases
    total = float(payments * sum(board.values[node] for node, who in enumerate(owner) if who == gang))
    for nodes in board.sets[gang]:
        share = sum(owner[node] == gang for node in nodes) / len(nodes)
        total += 2 * phases * sum(board.values[node] for node in nodes) * share**STEEPNESS
    return total


def goals(state: State, gangs: list[int]) -> list[float]:
    """Return how near a seat with these gangs is to each goal: 1 is there."""
    board, owner = state.board, state.owner
    casinos = sum(owner[node] in gangs for node in board.casinos) / state.rules.casinos
    central = sum(owner[node] in gangs for node in board.central) / len(board.central)
    fours = [sum(state.rings[pawn] == MOST_RINGS for pawn in state.members[gang]) for gang in gangs]
    five = (sum(fours) if state.rules.five_by_seat else max(fours)) / FIVE
    return [min(share, 1.0) ** STEEPNESS for share in (casinos, central, five)]
