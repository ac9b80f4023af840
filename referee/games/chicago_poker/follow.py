"""A view rebuilt from events alone: shows that a bot that reads its events needs nothing else."""

from bisect import insort
from typing import Any

from referee.gamelib.follower import Follower
from referee.gamelib.wording import Seen
from referee.games.chicago_poker.components import CARDS, DEALT, UNKNOWN


class PokerFollower(Follower):
    """A follower of Chicago Poker."""

    def _on_started(self, event: Seen) -> None:
        seats = event["seats"]
        self._begin(
            event,
            "action",
            first=event["first"],
            must=0,
            may=0,
            revolvers=0,
            idle=0,
            quiet=True,
            hands=[DEALT] * seats,
            deck=event["deck"],
            discard=[],
            pile=event["pile"],
            slots=[
                {"kind": kind, "rows": [[] for _ in range(seats)], "marks": []} for kind in event["slots"]
            ],
            won=[[] for _ in range(seats)],
            fight=None,
        )
        if self._seat is not None:
            self.view["hand"] = list(event["hand"])

    def _on_turn_began(self, event: Seen) -> None:
        super()._on_turn_began(event)
        self.view |= {"phase": "action", "must": event["must"], "may": event["may"]}
        self.view |= {"revolvers": 0, "quiet": True}

    def _on_order_asked(self, event: Seen) -> None:
        self._ask("order", event["seat"])

    def _on_drawn(self, event: Seen) -> None:
        if event["cause"] == "action":
            self._act()
        self.view["deck"] -= 1
        self._gain(event["seat"], event["card"])

    def _on_reshuffled(self, event: Seen) -> None:
        self.view["deck"] = event["deck"]
        self.view["discard"] = []

    def _on_played(self, event: Seen) -> None:
        self._act()
        self._lose(event["seat"], event["card"])
        self._lay(event["slot"], event["seat"], event["card"], event["up"])

    def _on_marked(self, event: Seen) -> None:
        insort(self._slot(event["slot"])["marks"], event["seat"])
        self.view |= {"idle": 0, "quiet": False}

    def _on_liquidated(self, event: Seen) -> None:
        self._act()
        if event["slot"] is not None:
            self._slot(event["slot"])["rows"][event["target"]].pop()
            self._throw(event["card"])
        self._spend(event["seat"], "LQ")

    def _on_raided(self, event: Seen) -> None:
        self._act()
        self._spend(event["seat"], "PR")

    def _on_limo_played(self, event: Seen) -> None:
        self._act()
        seat = event["seat"]
        if event["from"] is not None:
            row = self._slot(event["from"])["rows"][seat]
            row[:] = [shown for place, shown in enumerate(row, 1) if place not in event["take"]]
            for card, up in event["put"]:
                self._lay(event["to"], seat, card, up)
        self._spend(seat, "LM")

    def _on_revolver_played(self, event: Seen) -> None:
        self._act()
        self.view["may"] += 2
        self.view["revolvers"] += 1
        self._spend(event["seat"], "RV")

    def _on_bribed(self, event: Seen) -> None:
        self._act()
        if event["card"] is not None:
            self.view["deck"] = event["deck"]
            self.view["discard"] = []
            self._gain(event["seat"], event["card"])
        self._spend(event["seat"], "BR")

    def _on_passed(self, event: Seen) -> None:
        self.view |= {"must": 0, "may": 0, "idle": event["idle"], "quiet": False}

    def _on_shootout_held(self, event: Seen) -> None:
        self._ask("action", self.view["active"])
        self.view |= {"idle": 0, "quiet": False}
        self._slot(event["slot"])["rows"] = [list(row) for row in event["hands"]]
        self._tie(event["slot"], event["best"], 1)

    def _on_reinforced(self, event: Seen) -> None:
        for seat, card in event["sent"].items():
            if card is not None:
                self._lose(int(seat), card)
                self._throw(card)
        self._tie(event["slot"], event["best"], event["round"] + 1)

    def _on_captured(self, event: Seen) -> None:
        slot = self._slot(event["slot"])
        self.view["won"][event["seat"]].append(event["kind"])
        for row in slot["rows"]:
            for card in row:
                self._throw(card)
            row.clear()
        slot |= {"kind": None, "marks": []}
        self._ask("action", self.view["active"])
        self.view["fight"] = None

    def _on_tile_opened(self, event: Seen) -> None:
        self._slot(event["slot"])["kind"] = event["kind"]
        self.view["pile"] = event["pile"]

    _on_lot_drawn = _on_deadlocked = Follower.no_change

    def _tie(self, slot: int, best: list[int], number: int) -> None:
        if len(best) > 1:
            self._ask("reinforce", *best)
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
