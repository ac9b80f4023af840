"""What the contract suite asks of the game: its pieces, what views do not keep, and rare positions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from referee.chance import KeyedChance
from referee.game import Game, Seen, View
from referee.games.chicago_poker.components import NAMES, Rules, all_cards, all_tiles


def pieces(revealed: View) -> Iterator[str]:
    """Yield all cards and tiles."""
    rules = Rules.of(revealed["options"], revealed["seats"])
    cards = [NAMES[card] for card in all_cards(rules)]
    rows = chain.from_iterable(row for slot in revealed["slots"] for row in slot["rows"])
    seen = [*revealed["discard"], *(card.strip("()") for card in rows), *chain(*revealed["cards"])]
    yield from _with_hidden(cards, seen, revealed["deck"])
    kinds = [slot["kind"] for slot in revealed["slots"] if slot["kind"] is not None]
    yield from _with_hidden(all_tiles(), [*kinds, *chain(*revealed["won"])], revealed["pile"])


def _with_hidden(everything: Sequence[str], seen: Sequence[str], hidden: int) -> Iterator[str]:
    """Yield everything, if what is seen and the number of hidden pieces make it up; else what is seen."""
    rest = Counter(everything)
    rest.subtract(seen)
    whole = min(rest.values()) >= 0 and rest.total() == hidden
    yield from everything if whole else [*seen, *["hidden"] * hidden]


def lasting(event: Seen, seat: int | None) -> Seen:
    """Leave out what a raid shows the raider, and the places of cards that have left a row for all to see."""
    if event["event"] == "raided" and event["seat"] == seat:
        return {**event, "cards": {}}
    if event["event"] == "limo_played":
        return {**event, "take": len(event["take"])}
    if event["event"] == "shootout_held":
        return {**event, "hands": [sorted(hand) for hand in event["hands"]]}
    return event


def tie(game: Game) -> View:
    """Return a shootout of two equal hands: both seats are to send a card."""
    view = game.new(2, KeyedChance(bytes(32)), {"first": "0"})[0].view(0)
    rows = [[f"{colour}{value}" for value in (1, 3, 5, 7, 9)] for colour in "RG"]
    slots: list[dict[str, Any]] = [
        {"kind": "D", "rows": rows, "marks": [0]},
        {"kind": "S", "rows": [[], []], "marks": []},
    ]
    hand = ["R15", "B2", "B6", "PR"]
    deck = 81 - 10 - 2 * len(hand)
    view |= {"phase": "reinforce", "to_act": [0, 1], "turn": 9, "must": 0, "may": 0, "slots": slots}
    view |= {"fight": {"slot": 1, "tied": [0, 1], "round": 1}, "deck": deck, "pile": 18}
    return view | {"hand": hand, "hands": [len(hand)] * 2}


def nine_cards(game: Game) -> View:
    """Return the view of a seat while the other one holds nine cards: it must play the Revolver."""
    view = game.new(2, KeyedChance(bytes(32)), {"first": "0"})[0].view(1)
    deck = view["deck"] + view["hands"][0] - 9
    return view | {"turn": 3, "must": 1, "quiet": False, "hands": [9, view["hands"][1]], "deck": deck}
