"""How the search bot goes about Vengeance: as the sample does, but it sees the dice and the wheel come."""

from protocol.messages import View
from referee.chance import Chance
from referee.games.vengeance import GAME
from referee.games.vengeance.state import State
from sample_bots.python.search_guide import TurnGuide, victory
from sample_bots.python.vengeance import NO_LUCK, best_continuation, outcome_of, ranked
from sample_bots.python.vengeance_value import value

# So many actions are tried.
MOST = 6
# What the game is worth, won or lost, in points of progress: about as much as a whole way around.
WIN = 80.0


class VengeanceGuide(TurnGuide[State]):
    """One match of Vengeance."""

    def candidates(self, view: View, legal: list[str]) -> list[str]:
        """Return what the sample would do, and what leads to the best positions after both dice."""
        state = GAME.imagine(view, NO_LUCK)
        favourite = ranked(state, legal)[0]
        worth = {action: self._worth(state, action) for action in legal}
        others = sorted(legal, key=lambda action: worth[action], reverse=True)
        return list(dict.fromkeys([favourite, *others]))[:MOST]

    def _worth(self, state: State, action: str) -> float:
        after = outcome_of(state, action)
        worth = value(after, self.seat)
        return best_continuation(after, worth, self.seat) if state.phase == "first" else worth

    def reply(self, state: State, seat: int, luck: Chance) -> str:
        """Return what the sample would do."""
        del luck
        legal = state.legal(seat)
        return legal[0] if len(legal) == 1 else ranked(state, legal)[0]

    def value(self, state: State) -> float:
        """Return the sample's opinion, within reason."""
        if state.ended is not None:
            return WIN * victory(state.ended, self.seat)
        return max(-WIN, min(WIN, value(state, self.seat)))
