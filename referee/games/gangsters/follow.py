"""A view rebuilt from events alone: shows that a bot that reads its events needs nothing else."""

from bisect import insort

from referee.gamelib.follower import Observer
from referee.gamelib.wording import Seen
from referee.games.gangsters.components import COPIES, KINDS, NAMES
from referee.games.gangsters.grid import CELL_NUMBERS, CELLS, LINE_NAMES


class Follower(Observer):
    """An observer of Gangsters de Chicago."""

    def __init__(self, seat: int | None) -> None:
        super().__init__(seat)
        self._actor = 0
        self._lines: list[str] = []

    def _on_start(self, event: Seen) -> None:
        seats, options = event["seats"], event["options"]
        self.view = {
            "you": self._seat,
            "seats": seats,
            "options": dict(options),
            "gangs": list(event["gangs"]),
            "neutral": list(event["neutral"]),
            "phase": "turn",
            "active": event["first"],
            "turn": 0,
            "decisions": 0,
            "quiet": 0,
            "quiet_limit": None if options["stall"] == "none" else options["quiet_per_seat"] * seats,
            "barred": False,
            "ban": None,
            "board": [""] * CELLS,
            "complete": [],
            "scores": [0] * seats,
            "reached": [0] * seats,
            "cartridges": list(event["cartridges"]),
            "reserves": [list(reserve) for reserve in event["reserves"]],
            "common": list(event["common"]),
            "piles": list(event["piles"]),
            "unseen": dict.fromkeys(NAMES, COPIES),
            "drawn": None,
            "drawn_from": None,
            "pending": None,
            "withdrawn": [],
            "removed": [],
            "ranking": None,
            "reason": None,
        }
        held = [
            f"{gang}{strength}"
            for gang, reserve in zip(event["gangs"], event["reserves"], strict=True)
            for strength in reserve
        ]
        for tile in (*held, *event["common"]):
            self.view["unseen"][tile] -= 1

    def _on_drawn(self, event: Seen) -> None:
        if self.view["options"]["draw"] == "see":
            self.view["decisions"] += 1
        self._turn_up(event)
        self.view |= {"phase": "put", "drawn": event["tile"], "drawn_from": event["pile"]}

    def _on_placed(self, event: Seen) -> None:
        view = self.view
        if event["from"] == "own":
            view["reserves"][event["seat"]].remove(int(event["tile"][1]))
        elif event["from"] == "common":
            view["common"].remove(event["tile"])
        view |= {"drawn": None, "drawn_from": None, "quiet": 0, "ban": event["cell"]}
        self._set(event["cell"], event["tile"])
        self._act(event["seat"])

    def _on_moved(self, event: Seen) -> None:
        self._set(event["from"], "")
        self._set(event["to"], event["tile"])
        self.view |= {"quiet": self.view["quiet"] + 1, "ban": event["to"]}
        self._act(event["seat"])

    def _on_shot(self, event: Seen) -> None:
        self._set(event["cell"], f"{event['tile']}x")
        self.view["cartridges"][event["seat"]] = event["cartridges"]
        self.view |= {"quiet": 0, "ban": None}
        self._act(event["seat"])

    def _on_refilled(self, event: Seen) -> None:
        self._turn_up(event)
        insort(self.view["common"], event["tile"], key=KINDS.__getitem__)

    def _on_completed(self, event: Seen) -> None:
        self.view["complete"].append(event["line"])
        self._lines.append(event["line"])
        if len(self._lines) > 1:  # the turn goes on until it is known which is counted first
            lines = sorted(self._lines, key=LINE_NAMES.index)
            self.view |= {"phase": "order", "active": self._actor, "pending": lines}

    def _on_order(self, event: Seen) -> None:
        self.view |= {"phase": "turn", "pending": None}
        if event["seat"] is not None:
            self.view["decisions"] += 1
        self._pass_on()

    def _on_scored(self, event: Seen) -> None:
        self.view["scores"] = list(event["scores"])
        if event["seat"] is not None:
            self.view["reached"][event["seat"]] = max(self.view["reached"]) + 1

    def _on_stall(self, event: Seen) -> None:
        self.view["barred"] = event["on"]

    def _on_skipped(self, _event: Seen) -> None:
        self._pass_on()

    def _on_withdrawn(self, event: Seen) -> None:
        view, seat = self.view, event["seat"]
        view["withdrawn"].append(seat)
        view["neutral"] = [gang for gang in "RBYG" if gang in (*view["neutral"], view["gangs"][seat])]
        view["removed"] += event["tiles"]
        view["reserves"][seat] = []
        view["cartridges"][seat] = 0
        if seat == view["active"] and view["phase"] != "order":
            view |= {"phase": "turn", "drawn": None, "drawn_from": None}
            self._pass_on()

    def _on_end(self, event: Seen) -> None:
        self.view |= {"phase": "over", "active": None}
        self.view |= {"ranking": list(event["ranking"]), "reason": event["reason"]}

    def _turn_up(self, event: Seen) -> None:
        self.view["piles"][event["pile"] - 1] -= 1
        self.view["unseen"][event["tile"]] -= 1

    def _set(self, cell: str, code: str) -> None:
        self.view["board"][CELL_NUMBERS[cell]] = code

    def _act(self, seat: int) -> None:
        """Note that a seat has taken its turn."""
        self.view |= {"phase": "turn", "turn": self.view["turn"] + 1, "active": seat}
        self.view["decisions"] += 1
        self._actor = seat
        self._lines = []
        self._pass_on()

    def _pass_on(self) -> None:
        """Go on to the next seat that has not left."""
        view = self.view
        seats = view["seats"]
        after = ((view["active"] + step) % seats for step in range(1, seats + 1))
        view["active"] = next((seat for seat in after if seat not in view["withdrawn"]), view["active"])
