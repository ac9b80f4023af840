"""A view rebuilt from events alone: shows that a bot that reads its events needs nothing else.

It knows the figures one by one and none of the rules: whatever happens to a figure is told.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from referee.game import View
from referee.games.vengeance.components import GANGS, HOODS
from referee.games.vengeance.view import standing

Seen = Mapping[str, Any]


class Follower:
    """An observer at one seat (None: a spectator) who writes down what it is told."""

    def __init__(self, seat: int | None) -> None:
        self._seat = seat
        self._view: View = {}
        self._exits: dict[str, int] = {}
        self._size = 0
        self._figures: dict[int, list[dict[str, Any]]] = {}
        """By cell: the figures there, each with `gang`, `boss` and whether it is `held`."""

    def hear(self, event: Seen) -> None:
        """Take note of one event."""
        _NOTES[event["event"]](self, event)

    def view(self) -> View:
        """Return the view after all that was heard."""
        alone = self._view["options"]["hq_alone"] == "open"
        for gang in self._view["gangs"].values():
            in_hq = gang["boss"] == "hq"
            gang["state"] = standing(gang["boss"] is None, in_hq, gang["pool"], alone)
        return self._view | {
            "cells": {str(cell): _cell(self._figures[cell]) for cell in sorted(self._figures)}
        }

    def _start(self, event: Seen) -> None:
        board = event["board"]
        self._exits = board["exits"]
        self._size = len(board["cells"])
        owners = {gang: seat for seat, gangs in enumerate(event["gangs"]) for gang in gangs}
        self._view = {
            "you": self._seat,
            "seats": event["seats"],
            "options": dict(event["options"]),
            "board": board["name"],
            "phase": "first",
            "active": 0,
            "due": [],
            "turn": 0,
            "round": 0,
            "first": 0,
            "roll": [],
            "dice": [],
            "moved": None,
            "boss_moved": False,
            "hires": [],
            "luck": {"dice": [], "wheel": []},
            "cells": {},
            "gangs": {gang: _fresh(owners[gang]) for gang in GANGS if gang in owners},
            "out": [],
            "ranking": None,
            "reason": None,
        }

    def _turn(self, event: Seen) -> None:
        self._view |= {"phase": "first", "active": event["seat"], "due": list(event["due"])}
        self._view |= {"turn": event["turn"], "round": event["round"], "moved": None, "boss_moved": False}
        if event["turn"] == 1:
            self._view["first"] = event["seat"]
        for gang in self._view["gangs"].values():
            gang["locked"] = False

    def _roll(self, event: Seen) -> None:
        self._view |= {"roll": list(event["dice"]), "dice": list(event["dice"])}
        self._view["luck"]["dice"].append(list(event["dice"]))

    def _extra(self, event: Seen) -> None:
        self._view |= {"phase": "extra", "dice": [event["die"]], "moved": None, "boss_moved": False}
        self._view["luck"]["dice"].append([event["die"]])

    def _stop(self, _event: Seen) -> None:
        self._view["luck"] = {"dice": [], "wheel": []}

    def _move(self, event: Seen) -> None:
        self._view["luck"] = {"dice": [], "wheel": []}
        gang, boss, target = self._view["gangs"][event["gang"]], event["figure"] == "boss", event["to"]
        if event["from"] != "hq":
            self._remove(event["from"], event["gang"], boss)
        elif not boss:
            gang["hq"] -= 1
        if target != "hq":
            figure = {"gang": event["gang"], "boss": boss, "held": False}
            self._figures.setdefault(target, []).append(figure)
            progress = (target - self._exits[event["gang"]]) % self._size + 1
        else:
            progress = self._size + 1
        if boss:
            gang |= {"boss": target, "progress": progress}
            self._view["boss_moved"] = True
        else:
            self._view["moved"] = {"gang": event["gang"], "cell": target}
        if self._view["phase"] == "first" and event["by"] != "sum":
            self._view["phase"] = "second"
            self._view["dice"].remove(event["by"])

    def _recruit(self, event: Seen) -> None:
        gang = self._view["gangs"][event["gang"]]
        gang["hq"] += event["count"]
        gang["pool"] -= event["count"]

    def _hostage(self, event: Seen) -> None:
        self._find(event)["held"] = True

    def _free(self, event: Seen) -> None:
        self._find(event)["held"] = False

    def _kill(self, event: Seen) -> None:
        gang, boss = self._view["gangs"][event["gang"]], event["figure"] == "boss"
        self._remove(event["cell"], event["gang"], boss)
        if boss:
            gang["falls"] += 1
        else:
            gang["pool"] += 1
            if event["cause"] == "ambush":
                self._view["moved"] = None

    def _reform(self, event: Seen) -> None:
        self._clear(event["gang"])
        gang = self._view["gangs"][event["gang"]]
        locked = gang["seat"] == self._view["active"]
        gang |= {"boss": "hq", "progress": 0, "hq": event["hq"], "pool": event["pool"], "locked": locked}

    def _out(self, event: Seen) -> None:
        letter = event["gang"]
        self._clear(letter)
        gone = {"boss": None, "progress": 0, "hq": 0, "pool": HOODS, "locked": False}
        self._view["gangs"][letter] |= gone
        self._view["out"].append({"gang": letter, "cause": event["cause"]})
        if event["cause"] == "forfeit":
            self._view["luck"] = {"dice": [], "wheel": []}
            self._view["hires"] = [hirer for hirer in self._view["hires"] if hirer != letter]

    def _hire(self, event: Seen) -> None:
        self._view["hires"].append(event["gang"])

    def _spin(self, event: Seen) -> None:
        self._view["hires"].pop(0)
        self._view["luck"]["wheel"].append(event["stop"])

    def _end(self, event: Seen) -> None:
        self._view |= {"phase": "over", "roll": [], "dice": [], "moved": None, "boss_moved": False}
        self._view |= {"hires": [], "ranking": list(event["ranking"]), "reason": event["reason"]}

    def _nothing(self, _event: Seen) -> None:
        """Note nothing: the next event says it all."""

    def _find(self, event: Seen) -> dict[str, Any]:
        """Return the figure that a kidnapping or a release is about."""
        freed, boss = event["event"] == "free", event["figure"] == "boss"
        wanted = {"gang": event["gang"], "boss": boss, "held": freed}
        return next(figure for figure in self._figures[event["cell"]] if figure == wanted)

    def _remove(self, cell: int, gang: str, boss: bool) -> None:
        figures = self._figures[cell]
        figures.remove(next(one for one in figures if one["gang"] == gang and one["boss"] == boss))
        if not figures:
            del self._figures[cell]

    def _clear(self, gang: str) -> None:
        staying = {
            cell: [figure for figure in figures if figure["gang"] != gang]
            for cell, figures in self._figures.items()
        }
        self._figures = {cell: figures for cell, figures in staying.items() if figures}


def _fresh(seat: int) -> dict[str, Any]:
    gang = {"seat": seat, "boss": "hq", "progress": 0, "hq": HOODS, "pool": 0, "falls": 0, "locked": False}
    return gang | {"state": "active"}


def _cell(figures: Iterable[Seen]) -> dict[str, Any]:
    free = [figure for figure in figures if not figure["held"]]
    held = [{"gang": figure["gang"], "boss": figure["boss"]} for figure in figures if figure["held"]]
    return {
        "gang": free[0]["gang"],
        "hoods": sum(not figure["boss"] for figure in free),
        "boss": any(figure["boss"] for figure in free),
        "hostage": held[0] if held else None,
    }


_NOTES = {
    "start": Follower._start,
    "first_roll": Follower._nothing,
    "turn": Follower._turn,
    "roll": Follower._roll,
    "extra": Follower._extra,
    "move": Follower._move,
    "recruit": Follower._recruit,
    "hostage": Follower._hostage,
    "free": Follower._free,
    "kill": Follower._kill,
    "reform": Follower._reform,
    "out": Follower._out,
    "hire": Follower._hire,
    "spin": Follower._spin,
    "no_move": Follower._nothing,
    "stop": Follower._stop,
    "end": Follower._end,
}


def follow(seat: int | None, events: Iterable[Seen]) -> View:
    """Return the view of a seat (None: the public) after these events, the first of which is `start`."""
    follower = Follower(seat)
    for event in events:
        follower.hear(event)
    return follower.view()
