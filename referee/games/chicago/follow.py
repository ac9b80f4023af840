"""A view rebuilt from events alone: shows that a bot that reads its events needs nothing else."""

from typing import Any

from referee.chance import KeyedChance
from referee.gamelib.follower import Observer
from referee.gamelib.wording import Seen
from referee.games.chicago.board import Board
from referee.games.chicago.components import Rules
from referee.games.chicago.position import Position
from referee.games.chicago.view import view_of


class Follower(Observer):
    """An observer of Chicago."""

    def __init__(self, seat: int | None, board: Board) -> None:
        super().__init__(seat)
        self._board = board

    def _on_start(self, event: Seen) -> None:
        """Set the table up: there is no luck in it, and none is drawn."""
        rules = Rules.of(dict(event["options"]))
        self.view = view_of(Position(rules, event["seats"], self._board, KeyedChance(bytes(32))), self._seat)

    def _on_phase(self, event: Seen) -> None:
        self.view |= {"phase": event["phase"], "order": list(event["order"]), "round": 0}
        for gang in self.view["gangs"].values():
            gang["bought"][2] = 0
            if self.view["options"]["balance_scope"] != "game":
                gang["bought"][:2] = 0, 0

    def _on_buying(self, event: Seen) -> None:
        self._ask("phase_buy", event["gang"])

    def _on_bought(self, event: Seen) -> None:
        gang = self.view["gangs"][event["gang"]]
        gang["cash"] -= event["price"]
        gang["reserve"] -= 1
        gang["bought"][event["rings"] - 1] += 1
        gang["members"].append([event["pawn"], event["rings"], event["at"]])
        self.view["ring_bank"] -= event["rings"]

    def _on_placing(self, event: Seen) -> None:
        self._ask("place", event["gang"])

    def _on_placed(self, event: Seen) -> None:
        self._member(event["pawn"])[2] = event["at"]

    def _on_round(self, event: Seen) -> None:
        self.view["round"] = event["round"]

    def _on_turn(self, event: Seen) -> None:
        self._ask("turn_buy", event["gang"])
        if self.view["options"]["balance_scope"] == "session":
            self.view["gangs"][event["gang"]]["bought"][:2] = 0, 0

    def _on_roll(self, event: Seen) -> None:
        self.view |= {"stage": "move", "points": event["points"]}

    def _on_moved(self, event: Seen) -> None:
        self._member(event["pawn"])[2] = event["to"]
        self.view["points"] = event["left"]

    def _on_picking(self, event: Seen) -> None:
        self.view |= {"stage": "pick", "to_act": self.view["gangs"][event["gang"]]["seat"]}
        duel = {"attacker": event["attacker"], "defenders": list(event["defenders"])}
        self.view["duel"] = duel | {"at": event["at"], "picks": event["gang"]}

    def _on_duel(self, _event: Seen) -> None:
        self._ask("move", self.view["turn"])
        self.view["duel"] = None

    def _on_lost_ring(self, event: Seen) -> None:
        for pawn, rings in zip((event["attacker"], event["defender"]), event["rings"], strict=True):
            self._member(pawn)[1] = rings
        self.view["ring_bank"] += 2

    def _on_died(self, event: Seen) -> None:
        self.view["gangs"][event["pawn"][0]]["members"].remove(self._member(event["pawn"]))
        self.view["ring_bank"] += event["rings"]

    def _on_won(self, event: Seen) -> None:
        member = self._member(event["pawn"])
        self.view["ring_bank"] -= event["rings"] - member[1]
        member[1] = event["rings"]
        self.view["gangs"][event["pawn"][0]]["cash"] += event["reward"]

    def _on_captured(self, event: Seen) -> None:
        self.view["owner"][event["building"]] = event["to"]
        for gang, tokens in event["tokens"].items():
            self.view["gangs"][gang]["tokens"] = tokens

    def _on_lapse(self, _event: Seen) -> None:
        self.view["points"] = 0

    def _on_income(self, event: Seen) -> None:
        self.view["gangs"][event["gang"]]["cash"] = event["cash"]

    def _on_end(self, event: Seen) -> None:
        self.view |= {"stage": "over", "to_act": None}
        self.view |= {"ranking": list(event["ranking"]), "reason": event["reason"]}

    _on_skip = _on_throw = _on_no_token = _on_goal = Observer._nothing

    def _ask(self, stage: str, gang: str) -> None:
        self.view |= {"stage": stage, "turn": gang, "to_act": self.view["gangs"][gang]["seat"]}

    def _member(self, pawn: str) -> list[Any]:
        members: list[list[Any]] = self.view["gangs"][pawn[0]]["members"]
        return next(member for member in members if member[0] == pawn)
