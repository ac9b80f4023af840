"""Positions from a few words, for the tests of Chicago Poker."""

from collections.abc import Mapping, Sequence

from referee.chance import Chance
from referee.game import Event, Options
from referee.games.chicago_poker import GAME
from referee.games.chicago_poker.components import (
    CARDS,
    FACING,
    FULL,
    KINDS,
    SLOTS,
    Rules,
    all_cards,
    all_tiles,
)
from referee.games.chicago_poker.state import State
from tests.rules.acting import LUCK


def cards(names: str) -> list[int]:
    """Return the cards of a text like `R7 G12 LQ`."""
    return [CARDS[name] for name in names.split()]


def position(
    seats: int = 2,
    *,
    kinds: str = "DDDD",
    rows: Mapping[tuple[int, int], str] | None = None,
    hands: Sequence[str] = (),
    deck: str | None = None,
    discard: str = "",
    won: Sequence[str] = (),
    pile: str | None = None,
    left: int = 3,
    active: int = 0,
    chance: Chance = LUCK,
    options: Options | None = None,
) -> State:
    """Return a position in the middle of a game: the active seat has `left` actions.

    `rows` are by slot (from 1) and seat; rows of five are marked. A kind `-` is an empty slot. The deck
    and the pile, unless given (top first), hold all cards and tiles that are nowhere else.
    """
    rules = Rules.of(GAME.resolve(options, seats), seats)
    state = State(rules, chance.clone())
    for slot, kind in enumerate(kinds[: SLOTS[seats]]):
        if kind != "-":
            state.open_business(slot, kind)
    used: list[int] = []
    for (number, seat), names in (rows or {}).items():
        kind = kinds[number - 1]
        row = [card + FACING[kind][place] for place, card in enumerate(cards(names))]
        state.lay_row(number - 1, seat, row)
        used += cards(names)
        if len(row) == FULL:
            state.marks[number - 1] |= 1 << seat
    for seat, names in enumerate(hands):
        state.hands[seat] = sorted(cards(names))
        used += cards(names)
    for card in cards(discard):
        state.throw(card)
        used.append(card)
    if deck is None:
        rest = all_cards(rules)
        for card in used:
            rest.remove(card)
        state.deck = rest
    else:
        state.deck = cards(deck)[::-1]
    state.won = [list(won[seat]) if seat < len(won) else [] for seat in range(seats)]
    tiles = all_tiles()
    for kind in "".join([*kinds[: SLOTS[seats]].replace("-", ""), *won]):
        tiles.remove(kind)
    state.pile = tiles if pile is None else list(pile)[::-1]
    state.active = active
    state.turn = 10
    state.must, state.may = (left, 0) if rules.exact else (0, left)
    state.ask(active)
    assert set(kinds) <= {*KINDS, "-"}
    return state


def begin(state: State) -> list[Event]:
    """Begin the turn of the active seat: what is due happens."""
    events: list[Event] = []
    state.begin_turn(events)
    return events
