"""How the search bot goes about Chicago Poker: it deals what it cannot see, and has the shootouts fought.

Its rules of thumb are those of the sample; with one or two rivals it has more patience. A row laid down shows
them what to beat and gives them time to do so, and cards in hand fit more than one business. So it draws
whenever it may. That is most of what makes it stronger there than the sample. In trials it plays on in its
own way, and rivals as the sample does.
"""

from collections.abc import Sequence

from protocol.messages import Seen, View
from referee.chance import Chance
from referee.game import Game
from referee.games.chicago_poker import GAME
from referee.games.chicago_poker.components import FULL, HAND_LIMIT, KINDS, NAMES, UNKNOWN
from referee.games.chicago_poker.state import State
from sample_bots.python.poker import EAGER, RULES, Decision, Patience, aims_at, choose, pursue
from sample_bots.python.poker_position import Memory, Position
from sample_bots.python.poker_value import chance, outlook, progress, tile_gain, wins_game
from sample_bots.python.search_guide import TurnGuide, odds_to_win, victory
from sample_bots.python.search_trials import Doubt

# No row is good enough while another card can be drawn, even one more than may be kept at the end of a turn.
PATIENT = Patience(sure=float("inf"), content=0.7, full=HAND_LIMIT + 1)
# With more seats than this patience was measured to lose: there, who waits wins less than a fair share.
PATIENT_SEATS = 3
# So many actions are tried.
MOST = 8
# Of the rows one could make, so many are tried.
AIMS = 4
# Specials are tried even where the sample sees no use in them.
TRIED = {"draw", "liquidate", "raid", "revolver"}
# What counts how much for the odds to win, fitted to some hundred matches of the sample against itself (a few
# of its actions at random): tiles won; one tile missing; complete rows; the best row one could hope for, and
# the best one to be made of the cards at hand; the best row begun; each card.
PROGRESS = 2.0
NEAR = 0.25
DUE = 2.8
HOPE = 1.1
READY = 0.7
BEGUN = 1.0
CARD = 0.03

NO_MEMORY = Memory()


class PokerGuide(TurnGuide[State]):
    """One match of Chicago Poker."""

    doubt = Doubt(errors=2.0, error=0.02)

    def __init__(self, game: Game, seat: int, seats: int) -> None:
        super().__init__(game, seat, seats)
        self._memory = Memory()
        self._patience = PATIENT if seats <= PATIENT_SEATS else EAGER

    def see(self, events: Sequence[Seen]) -> None:
        """Remember what raids showed, and what lay face up once."""
        for event in events:
            self._memory.note(event)

    def imagine(self, view: View, luck: Chance) -> State:
        """Deal what is neither seen nor remembered."""
        return GAME.imagine(remembered(view, self._memory), luck)

    def candidates(self, view: View, legal: list[str]) -> list[str]:
        """Return what the sample's rules of thumb say, and some actions they would not think of."""
        favourite = choose(view, legal, self._memory, self._patience)
        others = legal if view["phase"] != "action" else self._ideas(view, legal)
        return list(dict.fromkeys([favourite, *others]))[:MOST]

    def _ideas(self, view: View, legal: list[str]) -> list[str]:
        decision = Decision(Position(view, self._memory), legal, self._patience)
        ideas = [rule(decision) for rule in RULES]
        for aim in decision.aims[:AIMS]:
            if aim.cards:
                decision.ready = aim
                ideas.append(pursue(decision))
        found = [idea for idea in ideas if idea in legal]
        return found + [action for action in legal if action.split(" ")[0] in TRIED]

    def reply(self, state: State, seat: int, luck: Chance) -> str:
        """Return what I would do without a search, or what the sample would."""
        del luck
        legal = state.legal(seat)
        patience = self._patience if seat == self.seat else EAGER
        return legal[0] if len(legal) == 1 else choose(state.view(seat), legal, NO_MEMORY, patience)

    def value(self, state: State) -> float:
        """Return my odds to win."""
        if state.ended is not None:
            return (1 + victory(state.ended, self.seat)) / 2
        return odds_to_win([prospects(state, seat) for seat in range(self.seats)], self.seat)


def prospects(state: State, seat: int) -> float:
    """Return how well a seat stands; the odds to win are as the exponentials of these numbers."""
    position = Position(state.view(seat), NO_MEMORY)
    won, short = "".join(state.won[seat]), state.rules.short
    due = hope = ready = begun = cards = 0.0
    for business in position.businesses.values():
        gain, rivals = tile_gain(business.kind, won, short), business.outlooks()
        cards += len(business.mine)
        if not business.room:
            due += gain * chance(outlook(business.mine, 0), rivals)
            continue
        for aim in aims_at(business, position):
            hope = max(hope, gain * aim.chance)
            if not aim.missing:
                ready = max(ready, gain * aim.chance)
        odds = chance(outlook(business.mine, business.room), rivals)
        begun = max(begun, gain * odds * len(business.mine) / FULL)
    near = any(wins_game(kind, won, short) for kind in KINDS)
    return (
        PROGRESS * progress(won, short)
        + NEAR * near
        + DUE * due
        + HOPE * hope
        + READY * ready
        + BEGUN * begun
        + CARD * (cards + len(position.hand))
    )


def remembered(view: View, memory: Memory) -> View:
    """Return a view in which cards that lie face down, but are remembered, are written as one's own are.

    Memory can err about places, since a limousine hides the order of what it carries. A card that lies open
    elsewhere is none to be remembered.
    """
    rows = [row for slot in view["slots"] for row in slot["rows"]]
    open_cards = {shown.strip("()") for row in rows for shown in row} | {*view["hand"], *view["discard"]}
    slots = []
    for number, slot in enumerate(view["slots"], 1):
        known = []
        for seat, row in enumerate(slot["rows"]):
            cards = row[:]
            for place, card in enumerate(memory.complete(number, seat, row)):
                if row[place] == UNKNOWN and card is not None and NAMES[card] not in open_cards:
                    cards[place] = f"({NAMES[card]})"
                    open_cards.add(NAMES[card])
            known.append(cards)
        slots.append({**slot, "rows": known})
    return {**view, "slots": slots}
