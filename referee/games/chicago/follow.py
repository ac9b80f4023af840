"""A view rebuilt from events alone: shows that a bot that reads its events needs nothing else."""

from typing import Any

from referee.chance import KeyedChance
from referee.gamelib.follower import Follower
from referee.gamelib.wording import Seen
from referee.games.chicago.board import Board
from referee.games.chicago.components import Rules
from referee.games.chicago.state import State


class ChicagoFollower(Follower):
    """A follower of Chicago."""

    def __init__(self, seat: int | None, board: Board) -> None:
        super().__init__(seat)
        self._board = board

    def _on_started(self, event: Seen) -> None:
        """Set the position up: there is no luck in it, and none is drawn."""
        rules = Rules.of(dict(event["options"]), event["seats"])
        self.view = State(rules, KeyedChance(bytes(32)), self._board).view(self._seat)

    def _on_part_began(self, event: Seen) -> None:
        self.view |= {"part": event["part"], "order": list(event["order"]), "round": 0}
        for gang in self.view["gangs"].values():
            gang["bought"][2] = 0
            if self.view["options"]["balance_scope"] != "game":
                gang["bought"][:2] = 0, 0

    def _on_buying_began(self, event: Seen) -> None:
        self._give("part_buy", event["gang"])

    def _on_bought(self, event: Seen) -> None:
        gang = self.view["gangs"][event["gang"]]
        gang["cash"] -= event["price"]
        gang["reserve"] -= 1
        gang["bought"][event["rings"] - 1] += 1
        gang["members"].append([event["pawn"], event["rings"], event["at"]])
        self.view["ring_bank"] -= event["rings"]

    def _on_placing_began(self, event: Seen) -> None:
        self._give("place", event["gang"])

    def _on_placed(self, event: Seen) -> None:
        self._member(event["pawn"])[2] = event["at"]

    def _on_round_began(self, event: Seen) -> None:
        self.view["round"] = event["round"]

    def _on_turn_began(self, event: Seen) -> None:
        super()._on_turn_began(event)
        (gang,) = event["due"]
        self._give("turn_buy", gang)
        if self.view["options"]["balance_scope"] == "session":
            self.view["gangs"][gang]["bought"][:2] = 0, 0

    def _on_rolled(self, event: Seen) -> None:
        self.view |= {"phase": "move", "points": event["points"]}

    def _on_moved(self, event: Seen) -> None:
        self._member(event["pawn"])[2] = event["to"]
        self.view["points"] = event["left"]

    def _on_join_asked(self, event: Seen) -> None:
        self._on_attack("join", event)

    def _on_pick_asked(self, event: Seen) -> None:
        self._on_attack("pick", event)

    def _on_attack(self, phase: str, event: Seen) -> None:
        self._ask(phase, self.view["gangs"][event["gang"]]["seat"])
        duel = {"attackers": list(event["attackers"]), "defenders": list(event["defenders"])}
        self.view["duel"] = duel | {"at": event["at"], "picks": event["gang"]}

    def _on_duel_began(self, _event: Seen) -> None:
        self._ask("move", self.view["active"])
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

    def _on_lapsed(self, _event: Seen) -> None:
        self.view["points"] = 0

    def _on_paid(self, event: Seen) -> None:
        self.view["gangs"][event["gang"]]["cash"] = event["cash"]

    def _on_ended(self, event: Seen) -> None:
        super()._on_ended(event)
        self.view["due"] = []

    _on_skipped = _on_thrown = _on_capture_failed = _on_goal_reached = Follower.no_change

    def _give(self, phase: str, gang: str) -> None:
        """Note that a gang is at hand, and asked."""
        seat = self.view["gangs"][gang]["seat"]
        self.view |= {"due": [gang], "active": seat}
        self._ask(phase, seat)

    def _member(self, pawn: str) -> list[Any]:
        members: list[list[Any]] = self.view["gangs"][pawn[0]]["members"]
        return next(member for member in members if member[0] == pawn)
