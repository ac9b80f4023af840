"""How the search bot goes about Gangsters: it looks some turns ahead where the sample looks one."""

from protocol.messages import View
from referee.chance import Chance
from referee.games.gangsters.state import State
from sample_bots.python.gangsters import Position, choose
from sample_bots.python.search_guide import TurnGuide, lead, victory

# So many actions are tried.
MOST = 8
# What the game is worth, won or lost, in points.
WIN = 20.0


class GangstersGuide(TurnGuide[State]):
    """One match of Gangsters."""

    rounds = 2

    def candidates(self, view: View, legal: list[str]) -> list[str]:
        """Return the actions that look best at once."""
        return sorted(legal, key=Position(view).judge, reverse=True)[:MOST]

    def reply(self, state: State, seat: int, luck: Chance) -> str:
        """Return what the sample would do."""
        del luck
        return choose(state.view(seat), state.legal(seat))

    def value(self, state: State) -> float:
        """Return points in hand, and what the lines that are not complete yet promise."""
        ahead = lead(state.scores, self.seat)
        if state.ended is not None:
            return ahead + WIN * victory(state.ended, self.seat)
        return ahead + sum(Position(state.view(self.seat)).worths)
