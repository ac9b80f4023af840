"""A view rebuilt from events alone: shows that a bot that reads its events needs nothing else."""

from bisect import insort

from referee.gamelib.follower import Follower
from referee.gamelib.wording import Seen
from referee.games.gangsters.components import COPIES, KINDS, NAMES
from referee.games.gangsters.grid import CELL_NUMBERS, CELLS


class GangstersFollower(Follower):
    """A follower of Gangsters de Chicago."""

    def _on_started(self, event: Seen) -> None:
        seats, options = event["seats"], event["options"]
        self._begin(
            event,
            "turn",
            gangs=list(event["gangs"]),
            neutral=list(event["neutral"]),
            decisions=0,
            quiet=0,
            quiet_limit=None if options["stall"] == "none" else options["quiet_per_seat"] * seats,
            barred=False,
            ban=None,
            board=[""] * CELLS,
            complete=[],
            scores=[0] * seats,
            reached=[0] * seats,
            cartridges=list(event["cartridges"]),
            reserves=[list(reserve) for reserve in event["reserves"]],
            common=list(event["common"]),
            piles=list(event["piles"]),
            unseen=dict.fromkeys(NAMES, COPIES),
            drawn=None,
            drawn_from=None,
            pending=None,
            withdrawn=[],
            removed=[],
        )
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
        view |= {"phase": "turn", "drawn": None, "drawn_from": None}
        view |= {"quiet": 0, "ban": event["cell"], "decisions": view["decisions"] + 1}
        self._set(event["cell"], event["tile"])

    def _on_moved(self, event: Seen) -> None:
        self._set(event["from"], "")
        self._set(event["to"], event["tile"])
        self.view |= {"quiet": self.view["quiet"] + 1, "ban": event["to"]}
        self.view["decisions"] += 1

    def _on_shot(self, event: Seen) -> None:
        self._set(event["cell"], f"{event['tile']}x")
        self.view["cartridges"][event["seat"]] = event["cartridges"]
        self.view |= {"quiet": 0, "ban": None, "decisions": self.view["decisions"] + 1}

    def _on_refilled(self, event: Seen) -> None:
        self._turn_up(event)
        insort(self.view["common"], event["tile"], key=KINDS.__getitem__)

    def _on_completed(self, event: Seen) -> None:
        self.view["complete"].append(event["line"])
        # A turn completes a row and a column at most, the row first; then it is chosen which counts first.
        self._completed.append(event["line"])
        if len(self._completed) > 1:
            self.view |= {"phase": "order", "pending": self._completed}

    def _on_order_chosen(self, event: Seen) -> None:
        self.view |= {"phase": "turn", "pending": None}
        if event["seat"] is not None:
            self.view["decisions"] += 1

    def _on_scored(self, event: Seen) -> None:
        self.view["scores"] = list(event["scores"])
        if event["seat"] is not None:
            self.view["reached"][event["seat"]] = max(self.view["reached"]) + 1

    def _on_barred(self, event: Seen) -> None:
        self.view["barred"] = event["on"]

    def _on_turn_began(self, event: Seen) -> None:
        super()._on_turn_began(event)
        self.view["phase"] = "turn"
        self._completed: list[str] = []

    _on_skipped = Follower.no_change

    def _on_withdrawn(self, event: Seen) -> None:
        view, seat = self.view, event["seat"]
        view["withdrawn"].append(seat)
        view["neutral"] = [gang for gang in "RBYG" if gang in (*view["neutral"], view["gangs"][seat])]
        view["removed"] += event["tiles"]
        view["reserves"][seat] = []
        view["cartridges"][seat] = 0
        if seat == view["active"] and view["phase"] != "order":
            view |= {"phase": "turn", "drawn": None, "drawn_from": None}

    def _turn_up(self, event: Seen) -> None:
        self.view["piles"][event["pile"] - 1] -= 1
        self.view["unseen"][event["tile"]] -= 1

    def _set(self, cell: str, code: str) -> None:
        self.view["board"][CELL_NUMBERS[cell]] = code
