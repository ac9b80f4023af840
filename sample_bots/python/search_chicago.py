"""How the search bot goes about Chicago: it goes for money, stays out of reach, and tries out last rounds.

It chooses as the sample does, with another taste. Goals tempt it less, and where a rival may strike it does
not like to stand. Goals are looked at when a phase ends, and what is taken before can be taken back: so they
count the more the later it is, and casinos are guarded only when the end is near, since strong members have
better things to do before. It buys whenever it can: a member on the spot need not walk.

In the last round of a phase, when payments and goals are near enough to be seen, each of the best ways is
tried: it is walked to its end, then all gangs play on as they would until the phase is paid, and what came of
it is counted. A way once chosen is walked without another search, unless a rival comes in between.
"""

from protocol.messages import View
from referee.chance import Chance
from referee.game import Game
from referee.games.chicago.components import PAWNS
from referee.games.chicago.ending import wealth_of
from referee.games.chicago.state import State
from sample_bots.python.chicago import TASTE as THEIR_TASTE
from sample_bots.python.chicago import Taste, Way, best_way, choose, next_step, steps_by_member, ways
from sample_bots.python.chicago_position import Position, ways_to
from sample_bots.python.search_guide import Guide, odds_to_win, victory
from sample_bots.python.search_trials import Doubt

# So many ways are tried.
MOST = 6
# The sample is zealous about goals, careless, and thrifty.
TASTE = Taste(goal=50_000, caution=1.0, later=0.4, guard=2.0, goals_wait=1, guards_wait=4, enough=PAWNS)
# What counts how much for the odds to win, when a phase has ended without a goal: money at hand and still to
# be paid, by 100,000 FT. Fitted to some thousand matches against the sample. How near one is to goals hardly
# matters then: others have a whole phase to come in between.
MONEY = 0.45 / 100_000
PROMISED = 0.14 / 100_000
# A set that is complete by half is worth only a small part of it.
STEEPNESS = 3
# Before the first round of a phase gangs buy, then place.
PHASES_BEFORE = ("part_buy", "place")

NO_WAY = Way("", "", "")


class ChicagoGuide(Guide[State]):
    """One match of Chicago."""

    doubt = Doubt(errors=1.0, error=0.002)

    def __init__(self, game: Game, seat: int, seats: int) -> None:
        super().__init__(game, seat, seats)
        self._ways: dict[str, Way] = {}
        self._way = NO_WAY
        self._turn = 0

    def candidates(self, view: View, legal: list[str]) -> list[str]:
        """Return the first steps of the best ways; or the next step of the way that was begun."""
        if view["phase"] != "move":
            return [choose(view, legal, TASTE)]
        position = Position(view)
        if view["turn"] != self._turn:
            self._turn, self._ways = view["turn"], {}
        begun = self._begun(position)
        step = further(position, begun, legal)
        most = MOST if view["round"] == view["options"]["rounds"] else 1
        self._ways = {step: begun._replace(action=step)} if step else first_steps(position, legal, most)
        return list(self._ways) or [choose(view, legal, TASTE)]

    def _begun(self, position: Position) -> Way:
        """Return the way whose first step was taken by my last action, if any was."""
        steps = {f"move {member.name} {member.at}" for member in position.members}
        return next((way for action, way in self._ways.items() if action in steps), NO_WAY)

    def begin(self, action: str) -> None:
        """Take the way that begins so."""
        self._way = self._ways.get(action, NO_WAY)

    def reply(self, state: State, seat: int, luck: Chance) -> str:
        """Return what the sample would do, which walks its ways to their ends."""
        del luck
        legal = state.legal(seat)
        if len(legal) == 1:
            return legal[0]
        taste = TASTE if seat == self.seat else THEIR_TASTE
        if state.phase == "move":
            position = Position(state.view(seat))
            step = further(position, self._way, legal)
            if step:
                return step
            way = best_way(position, steps_by_member(legal), taste)
            if way:
                self._way = way
                return way.action
        return choose(state.view(seat), legal, taste)

    def moment(self, state: State, steps: int) -> int:
        """Count the turns of gangs."""
        del steps
        lap = len(PHASES_BEFORE) + state.round - 1 if state.round else PHASES_BEFORE.index(state.phase)
        return part_begins(state, state.part) + lap * state.gangs + state.cursor

    def until(self, state: State) -> int:
        """Look ahead until the phase is paid and goals are looked at."""
        return part_begins(state, state.part + 1)

    def value(self, state: State) -> float:
        """Return my odds to win."""
        if state.ended is not None:
            return (1 + victory(state.ended, self.seat)) / 2
        return odds_to_win([prospects(state, seat) for seat in range(self.seats)], self.seat)


def part_begins(state: State, part: int) -> int:
    """Return the moment at which a part of the game begins."""
    return part * (len(PHASES_BEFORE) + state.rules.rounds) * state.gangs


def first_steps(position: Position, legal: list[str], most: int) -> dict[str, Way]:
    """Return the best ways, the best first and no more than so many, by their first steps."""
    steps = steps_by_member(legal)
    found: dict[str, Way] = {}
    for _, member, target in sorted(ways(position, steps, TASTE), key=lambda way: way[0], reverse=True):
        step = next_step(position, member, target, steps[member.name])
        if step:
            action = f"move {member.name} {step}"
            found.setdefault(action, Way(action, member.name, target))
            if len(found) == most:
                break
    return found


def further(position: Position, way: Way, legal: list[str]) -> str | None:
    """Return the next step of a way, if the member is there, on turn, and no rival stands between."""
    at = next((member.at for member in position.members if member.name == way.pawn), None)
    if at is None:
        return None
    distance = ways_to(way.target)
    for node in steps_by_member(legal).get(way.pawn, ()):
        if distance[node] < distance[at] and (node == way.target or node not in position.rivals):
            return f"move {way.pawn} {node}"
    return None


def prospects(state: State, seat: int) -> float:
    """Return how well a seat stands; the odds to win are as the exponentials of these numbers."""
    gangs = [gang for gang, holder in enumerate(state.seat_of) if holder == seat]
    promised = sum(payments(state, gang) + bonus(state, gang) for gang in gangs)
    return MONEY * wealth_of(state, seat) + PROMISED * promised


def payments(state: State, gang: int) -> int:
    """Return what the buildings of a gang will pay until the end, if it keeps them all."""
    rules, values = state.rules, state.board.values
    parts = rules.parts - state.part
    times = parts * rules.rounds - max(state.round - 1, 0) if rules.every_round else parts
    return times * sum(values[node] for node, owner in enumerate(state.owner) if owner == gang)


def bonus(state: State, gang: int) -> float:
    """Return what the sets of a gang will pay on top, of those that are not complete a small part."""
    total, values = 0.0, state.board.values
    for nodes in state.board.sets[gang]:
        share = sum(state.owner[node] == gang for node in nodes) / len(nodes)
        total += 2 * sum(values[node] for node in nodes) * share**STEEPNESS
    return total * (state.rules.parts - state.part)
