"""What the contract cannot find out about a game by itself; a game that is added needs an entry in PIECES."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from referee.chance import KeyedChance
from referee.game import Game, Options, View

Seen = Mapping[str, Any]


def _coins(shown: View) -> Iterator[str]:
    yield from map(str, chain(shown["order"], shown["discard"], *shown["hands"]))


def _poker(shown: View) -> Iterator[str]:
    cards = [f"{colour}{value}" for colour in "RGBYP" for value in range(1, 16)]
    if shown["options"]["specials"] == "yes":
        cards += ["LQ", "PR", "PR", "LM", "RV", "BR"]
    rows = chain.from_iterable(row for slot in shown["slots"] for row in slot["rows"])
    seen = [*shown["discard"], *(card.strip("()") for card in rows), *chain(*shown["cards"])]
    yield from _with_hidden(cards, seen, shown["deck"])
    kinds = [slot["kind"] for slot in shown["slots"] if slot["kind"] is not None]
    yield from _with_hidden(list("SJDH" * 5), [*kinds, *chain(*shown["won"])], shown["pile"])


def _gangsters(shown: View) -> Iterator[str]:
    yield from (code.rstrip("x") for code in shown["board"] if code)
    for gang, reserve in zip(shown["gangs"], shown["reserves"], strict=True):
        yield from (f"{gang}{strength}" for strength in reserve)
    yield from chain(shown["common"], shown["removed"], *shown["tiles"])
    yield from () if shown["drawn"] is None else (shown["drawn"],)


def _chicago(shown: View) -> Iterator[str]:
    """Yield rings, tokens in reserve and on buildings, and the buildings; pawns do die."""
    gangs = shown["gangs"]
    worn = sum(rings for gang in gangs.values() for _, rings, _ in gang["members"])
    yield from ["ring"] * (shown["ring_bank"] + worn)
    for colour, gang in gangs.items():
        printed = {name for name in shown["owner"] if name[0] == colour and name[1:] in _PRINTED}
        laid = sum(owner == colour and name not in printed for name, owner in shown["owner"].items())
        yield from [f"token {colour}"] * (gang["tokens"] + laid)
    yield from shown["owner"]


_PRINTED = {"H", "K", "1a", "1b", "1c", "1d", "2a", "2b", "2c", "3b"}


def _vengeance(shown: View) -> Iterator[str]:
    """Yield hoods and bosses; those of a gang that has left the game lie in its pool and at its side."""
    for letter, gang in shown["gangs"].items():
        yield from [f"{letter} hood"] * (gang["hq"] + gang["pool"])
        yield from [f"{letter} boss"] * (gang["boss"] in {"hq", None})
    for cell in shown["cells"].values():
        yield from [f"{cell['gang']} hood"] * cell["hoods"] + [f"{cell['gang']} boss"] * cell["boss"]
        if cell["hostage"] is not None:
            yield f"{cell['hostage']['gang']} {'boss' if cell['hostage']['boss'] else 'hood'}"


def _with_hidden(everything: Sequence[str], seen: Sequence[str], hidden: int) -> Iterator[str]:
    """Yield everything, if what is seen and the number of hidden pieces make it up; else what is seen."""
    rest = Counter(everything)
    rest.subtract(seen)
    whole = min(rest.values()) >= 0 and rest.total() == hidden
    yield from everything if whole else [*seen, *["hidden"] * hidden]


PIECES: dict[str, Callable[[View], Iterator[str]]] = {
    "chicago": _chicago,
    "chicago-poker": _poker,
    "coins": _coins,
    "gangsters": _gangsters,
    "vengeance": _vengeance,
}
"""All pieces that a game's `reveal` shows: they may neither be lost nor made."""


def _lasting_at_poker(event: Seen, watcher: int | None) -> Seen:
    """Leave out what a raid shows the raider, and the places of cards that have left a row for all to see."""
    if event["event"] == "raided" and event["seat"] == watcher:
        return {**event, "cards": {}}
    if event["event"] == "limo_played":
        return {**event, "take": len(event["take"])}
    if event["event"] == "shootout_held":
        return {**event, "hands": [sorted(hand) for hand in event["hands"]]}
    return event


def _lasting_in_chicago(event: Seen, _watcher: int | None) -> Seen | None:
    """Leave out how duels went: the view shows who is left, with how many rings and how much money."""
    return None if event["event"] in {"thrown", "lost_ring", "died", "won"} else event


LASTING: dict[str, Callable[[Seen, int | None], Seen | None]] = {
    "chicago": _lasting_in_chicago,
    "chicago-poker": _lasting_at_poker,
}
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
    view |= {
        "phase": "reinforce",
        "to_act": [0, 1],
        "turn": 9,
        "must": 0,
        "may": 0,
        "fight": fight,
        "slots": slots,
    }
    return view | {"hand": hand, "hands": [len(hand)] * 2, "deck": deck, "pile": 18}


def _pick_in_chicago(game: Game) -> View:
    """Return an attack on three members in one building: somebody has to pick the first of them."""
    options: Options = {"variant_stack": "yes", "phases": 1, "rounds": 1}
    view = game.new(3, KeyedChance(bytes(32)), options)[0].view(None)
    view |= {"phase": "pick", "turn": 1, "round": 1, "points": 4, "ring_bank": 138 - 7}
    view["gangs"]["Y"]["members"] = [["Y1", 4, "R1a"], ["Y2", 2, "k4"]]
    view["gangs"]["R"]["members"] = [["R1", 4, "R1a"], ["R2", 2, "R1a"], ["R3", 1, "R1a"], ["R4", 1, "RK"]]
    view["gangs"]["G"]["members"] = [["G1", 4, "GK"], ["G2", 1, "k5"]]
    for gang in view["gangs"].values():
        gang["reserve"] = 20 - len(gang["members"])
    duel = {"attacker": "Y1", "defenders": ["R1", "R2", "R3"], "at": "R1a", "picks": "Y"}
    return view | {"duel": duel}


STARTS: dict[str, Sequence[Callable[[Game], View]]] = {
    "chicago": [_pick_in_chicago],
    "chicago-poker": [_tie_at_poker],
}
"""Positions that play by lot hardly ever reaches, as a watcher sees them."""

OPEN = {"chicago", "gangsters", "vengeance"}
"""Games in which no seat is told anything that not all are told."""

BARE = {"chicago", "vengeance"}
"""Games whose views show the whole shown: nothing but the luck to come is hidden."""
