"""A view rebuilt from events alone: shows that a bot that reads its events needs nothing else."""

from collections.abc import Iterable, Mapping
from typing import Any

from referee.chance import KeyedChance
from referee.game import View
from referee.games.chicago.board import Board
from referee.games.chicago.components import Rules
from referee.games.chicago.position import Position
from referee.games.chicago.view import view_of

Seen = Mapping[str, Any]


class Follower:
    """An observer at one seat (None: a spectator) who writes down what it is told."""

    def __init__(self, board: Board, seat: int | None) -> None:
        self._board = board
        self._seat = seat
        self.view: View = {}

    def hear(self, event: Seen) -> None:
        """Take note of one event."""
        _NOTES[event["event"]](self, event)

    def _start(self, event: Seen) -> None:
        """Set the table up: there is no luck in it, and none is drawn."""
        rules = Rules.of(dict(event["options"]))
        self.view = view_of(Position(self._board, rules, event["seats"], KeyedChance(bytes(32))), self._seat)

    def _phase(self, event: Seen) -> None:
        self.view |= {"phase": event["phase"], "order": list(event["order"]), "round": 0}
        for gang in self.view["gangs"].values():
            gang["bought"][2] = 0
            if self.view["options"]["balance_scope"] != "game":
                gang["bought"][:2] = 0, 0

    def _buying(self, event: Seen) -> None:
        self._ask("phase_buy", event["gang"])

    def _bought(self, event: Seen) -> None:
        gang = self.view["gangs"][event["gang"]]
        gang["cash"] -= event["price"]
        gang["reserve"] -= 1
        gang["bought"][event["rings"] - 1] += 1
        gang["members"].append([event["pawn"], event["rings"], event["at"]])
        self.view["ring_bank"] -= event["rings"]

    def _placing(self, event: Seen) -> None:
        self._ask("place", event["gang"])

    def _placed(self, event: Seen) -> None:
        self._member(event["pawn"])[2] = event["at"]

    def _round(self, event: Seen) -> None:
        self.view["round"] = event["round"]

    def _turn(self, event: Seen) -> None:
        self._ask("turn_buy", event["gang"])
        if self.view["options"]["balance_scope"] == "session":
            self.view["gangs"][event["gang"]]["bought"][:2] = 0, 0

    def _roll(self, event: Seen) -> None:
        self.view |= {"stage": "move", "points": event["points"]}

    def _moved(self, event: Seen) -> None:
        self._member(event["pawn"])[2] = event["to"]
        self.view["points"] = event["left"]

    def _picking(self, event: Seen) -> None:
        self.view |= {"stage": "pick", "to_act": self.view["gangs"][event["gang"]]["seat"]}
        duel = {"attacker": event["attacker"], "defenders": list(event["defenders"])}
        self.view["duel"] = duel | {"at": event["at"], "picks": event["gang"]}

    def _duel(self, _event: Seen) -> None:
        self._ask("move", self.view["turn"])
        self.view["duel"] = None

    def _lost_ring(self, event: Seen) -> None:
        for pawn, rings in zip((event["attacker"], event["defender"]), event["rings"], strict=True):
            self._member(pawn)[1] = rings
        self.view["ring_bank"] += 2

    def _died(self, event: Seen) -> None:
        self.view["gangs"][event["pawn"][0]]["members"].remove(self._member(event["pawn"]))
        self.view["ring_bank"] += event["rings"]

    def _won(self, event: Seen) -> None:
        member = self._member(event["pawn"])
        self.view["ring_bank"] -= event["rings"] - member[1]
        member[1] = event["rings"]
        self.view["gangs"][event["pawn"][0]]["cash"] += event["reward"]

    def _captured(self, event: Seen) -> None:
        self.view["owner"][event["building"]] = event["to"]
        for gang, tokens in event["tokens"].items():
            self.view["gangs"][gang]["tokens"] = tokens

    def _lapse(self, _event: Seen) -> None:
        self.view["points"] = 0

    def _income(self, event: Seen) -> None:
        self.view["gangs"][event["gang"]]["cash"] = event["cash"]

    def _end(self, event: Seen) -> None:
        self.view |= {"stage": "over", "to_act": None}
        self.view |= {"ranking": list(event["ranks"]), "reason": event["why"]}

    def _nothing(self, _event: Seen) -> None:
        """Note nothing: other events say it all."""

    def _ask(self, stage: str, gang: str) -> None:
        self.view |= {"stage": stage, "turn": gang, "to_act": self.view["gangs"][gang]["seat"]}

    def _member(self, pawn: str) -> list[Any]:
        members: list[list[Any]] = self.view["gangs"][pawn[0]]["members"]
        return next(member for member in members if member[0] == pawn)


_NOTES = {
    "start": Follower._start,
    "phase": Follower._phase,
    "buying": Follower._buying,
    "bought": Follower._bought,
    "placing": Follower._placing,
    "placed": Follower._placed,
    "round": Follower._round,
    "turn": Follower._turn,
    "skip": Follower._nothing,
    "roll": Follower._roll,
    "moved": Follower._moved,
    "picking": Follower._picking,
    "duel": Follower._duel,
    "throw": Follower._nothing,
    "lost_ring": Follower._lost_ring,
    "died": Follower._died,
    "won": Follower._won,
    "captured": Follower._captured,
    "no_token": Follower._nothing,
    "lapse": Follower._lapse,
    "income": Follower._income,
    "goal": Follower._nothing,
    "end": Follower._end,
}


def follow(board: Board, seat: int | None, events: Iterable[Seen]) -> View:
    """Return the view of a seat (None: the public) after these events, the first of which is `start`."""
    follower = Follower(board, seat)
    for event in events:
        follower.hear(event)
    return follower.view
