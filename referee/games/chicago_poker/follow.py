"""A view rebuilt from events alone: shows that a bot that reads its events needs nothing else."""

from bisect import insort
from typing import Any

from referee.gamelib.follower import Observer
from referee.gamelib.wording import Seen
from referee.games.chicago_poker.components import CARDS, DEALT, UNKNOWN


class Follower(Observer):
    """An observer of Chicago Poker."""

    def _on_start(self, event: Seen) -> None:
        seats = event["seats"]
        self.view = {
            "you": self._seat,
            "seats": seats,
            "options": dict(event["options"]),
            "phase": "action",
            "active": event["first"],
            "turn": 0,
            "first": event["first"],
            "must": 0,
            "may": 0,
            "revolvers": 0,
            "idle": 0,
            "quiet": True,
            "hands": [DEALT] * seats,
            "deck": event["deck"],
            "discard": [],
            "pile": event["pile"],
            "slots": [
                {"kind": kind, "rows": [[] for _ in range(seats)], "marks": []} for kind in event["slots"]
            ],
            "won": [[] for _ in range(seats)],
            "fight": None,
            "ranking": None,
            "reason": None,
        }
        if self._seat is not None:
            self.view["hand"] = list(event["hand"])

    def _on_turn(self, event: Seen) -> None:
        self.view |= {"phase": "action", "active": event["seat"], "turn": event["turn"]}
        self.view |= {"must": event["must"], "may": event["may"], "revolvers": 0, "quiet": True}

    def _on_order(self, _event: Seen) -> None:
        self.view["phase"] = "order"

    def _on_draw(self, event: Seen) -> None:
        if event["why"] == "action":
            self._act()
        self.view["deck"] -= 1
        self._gain(event["seat"], event["card"])

    def _on_reshuffle(self, event: Seen) -> None:
        self.view["deck"] = event["deck"]
        self.view["discard"] = []

    def _on_play(self, event: Seen) -> None:
        self._act()
        self._lose(event["seat"], event["card"])
        self._lay(event["slot"], event["seat"], event["card"], event["up"])

    def _on_marker(self, event: Seen) -> None:
        insort(self._slot(event["slot"])["marks"], event["seat"])

    def _on_liquidate(self, event: Seen) -> None:
        self._act()
        if event["slot"] is not None:
            self._slot(event["slot"])["rows"][event["target"]].pop()
            self._throw(event["card"])
        self._spend(event["seat"], "LQ")

    def _on_raid(self, event: Seen) -> None:
        self._act()
        self._spend(event["seat"], "PR")

    def _on_limo(self, event: Seen) -> None:
        self._act()
        seat = event["seat"]
        if event["src"] is not None:
            row = self._slot(event["src"])["rows"][seat]
            row[:] = [shown for place, shown in enumerate(row, 1) if place not in event["take"]]
            for card, up in event["put"]:
                self._lay(event["dst"], seat, card, up)
        self._spend(seat, "LM")

    def _on_revolver(self, event: Seen) -> None:
        self._act()
        self.view["may"] += 2
        self.view["revolvers"] += 1
        self._spend(event["seat"], "RV")

    def _on_bribe(self, event: Seen) -> None:
        self._act()
        if event["card"] is not None:
            self.view["deck"] = event["deck"]
            self.view["discard"] = []
            self._gain(event["seat"], event["card"])
        self._spend(event["seat"], "BR")

    def _on_pass(self, event: Seen) -> None:
        self.view |= {"must": 0, "may": 0, "idle": event["idle"], "quiet": False}

    def _on_shootout(self, event: Seen) -> None:
        self.view |= {"phase": "action", "idle": 0, "quiet": False}
        self._slot(event["slot"])["rows"] = [list(row) for row in event["hands"]]
        self._tie(event["slot"], event["best"], 1)

    def _on_reinforce(self, event: Seen) -> None:
        for seat, card in event["sent"].items():
            if card is not None:
                self._lose(int(seat), card)
                self._throw(card)
        self._tie(event["slot"], event["best"], event["round"] + 1)

    def _on_capture(self, event: Seen) -> None:
        slot = self._slot(event["slot"])
        self.view["won"][event["seat"]].append(event["kind"])
        for row in slot["rows"]:
            for card in row:
                self._throw(card)
            row.clear()
        slot |= {"kind": None, "marks": []}
        self.view |= {"phase": "action", "fight": None}

    def _on_tile(self, event: Seen) -> None:
        self._slot(event["slot"])["kind"] = event["kind"]
        self.view["pile"] = event["pile"]

    def _on_end(self, event: Seen) -> None:
        self.view |= {"phase": "over", "ranking": list(event["ranking"]), "reason": event["reason"]}

    _on_lot = _on_dead = Observer._nothing

    def _tie(self, slot: int, best: list[int], number: int) -> None:
        if len(best) > 1:
            self.view["phase"] = "reinforce"
            self.view["fight"] = {"slot": slot, "tied": list(best), "round": number}

    def _slot(self, number: int) -> dict[str, Any]:
        slot: dict[str, Any] = self.view["slots"][number - 1]
        return slot

    def _act(self) -> None:
        """Use up one action, a duty first."""
        self.view["must" if self.view["must"] else "may"] -= 1
        self.view |= {"idle": 0, "quiet": False}

    def _gain(self, seat: int, card: str) -> None:
        self.view["hands"][seat] += 1
        if seat == self._seat:
            insort(self.view["hand"], card, key=CARDS.__getitem__)

    def _lose(self, seat: int, card: str) -> None:
        self.view["hands"][seat] -= 1
        if seat == self._seat:
            self.view["hand"].remove(card)

    def _throw(self, card: str) -> None:
        insort(self.view["discard"], card, key=CARDS.__getitem__)

    def _spend(self, seat: int, card: str) -> None:
        self._lose(seat, card)
        self._throw(card)

    def _lay(self, slot: int, seat: int, card: str, up: bool) -> None:
        shown = card if up else f"({card})" if seat == self._seat else UNKNOWN
        self._slot(slot)["rows"][seat].append(shown)
