"""What the contract cannot find out about a game by itself; a game that is added needs an entry in PIECES."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from referee.chance import KeyedChance
from referee.game import Game, View

Seen = Mapping[str, Any]


def _coins(table: View) -> Iterator[str]:
    yield from map(str, chain(table["order"], table["discard"], *table["hands"]))


def _poker(table: View) -> Iterator[str]:
    cards = [f"{colour}{value}" for colour in "RGBYP" for value in range(1, 16)]
    if table["options"]["specials"] == "yes":
        cards += ["LQ", "PR", "PR", "LM", "RV", "BR"]
    rows = chain.from_iterable(row for slot in table["slots"] for row in slot["rows"])
    seen = [*table["discard"], *(card.strip("()") for card in rows), *chain(*table["cards"])]
    yield from _with_hidden(cards, seen, table["deck"])
    kinds = [slot["kind"] for slot in table["slots"] if slot["kind"] is not None]
    yield from _with_hidden(list("SJDH" * 5), [*kinds, *chain(*table["won"])], table["pile"])


def _with_hidden(everything: Sequence[str], seen: Sequence[str], hidden: int) -> Iterator[str]:
    """Yield everything, if what is seen and the number of hidden pieces make it up; else what is seen."""
    rest = Counter(everything)
    rest.subtract(seen)
    whole = min(rest.values()) >= 0 and rest.total() == hidden
    yield from everything if whole else [*seen, *["hidden"] * hidden]


PIECES: dict[str, Callable[[View], Iterator[str]]] = {"chicago-poker": _poker, "coins": _coins}
"""All pieces that a game's `reveal` shows: they may neither be lost nor made."""


def _lasting_at_poker(event: Seen, watcher: int | None) -> Seen:
    """Leave out what a raid shows the raider, and the places of cards that have left a row for all to see."""
    if event["event"] == "raid" and event["seat"] == watcher:
        return {**event, "cards": {}}
    if event["event"] == "limo":
        return {**event, "take": len(event["take"])}
    if event["event"] == "shootout":
        return {**event, "hands": [sorted(hand) for hand in event["hands"]]}
    return event


LASTING: dict[str, Callable[[Seen, int | None], Seen]] = {"chicago-poker": _lasting_at_poker}
"""Events without what a watcher is rightly shown but its view does not keep: bots may remember it."""


def _tie_at_poker(game: Game) -> View:
    """Return a shootout of two equal hands: both seats are to send a card."""
    view = game.new(2, KeyedChance(bytes(32)), {"first": "0"})[0].view(0)
    rows = [[f"{colour}{value}" for value in (1, 3, 5, 7, 9)] for colour in "RG"]
    slots: list[dict[str, Any]] = [
        {"kind": "D", "rows": rows, "marks": [0]},
        {"kind": "S", "rows": [[], []], "marks": []},
    ]
    hand = ["R15", "B2", "B6", "PR"]
    deck = 81 - 10 - 2 * len(hand)
    fight = {"slot": 1, "tied": [0, 1], "round": 1}
    view |= {"phase": "reinforce", "turn": 9, "must": 0, "may": 0, "fight": fight, "slots": slots}
    return view | {"hand": hand, "hands": [len(hand)] * 2, "deck": deck, "pile": 18}


STARTS: dict[str, Sequence[Callable[[Game], View]]] = {"chicago-poker": [_tie_at_poker]}
"""Positions that play by lot hardly ever reaches, as a watcher sees them."""
