"""A view rebuilt from events alone: shows that a bot that reads its events needs nothing else."""

from collections.abc import Iterable
from typing import Any

from referee.game import View
from referee.gamelib.follower import Follower
from referee.gamelib.wording import Seen
from referee.games.vengeance.components import GANGS, HOODS, roster
from referee.games.vengeance.view import standing


class VengeanceFollower(Follower):
    """A follower of Vengeance; it knows single figures, and none of the rules."""

    def __init__(self, seat: int | None) -> None:
        super().__init__(seat)
        self._exits: dict[str, int] = {}
        self._size = 0
        self._figures: dict[int, list[dict[str, Any]]] = {}
        """By cell: the figures there, each with `gang`, `boss` and whether it is `held`."""

    def follow(self, events: Iterable[Seen]) -> View:
        """Return the view after these events, the first of which is `started`."""
        super().follow(events)
        self.view["cells"] = {str(cell): _cell(self._figures[cell]) for cell in sorted(self._figures)}
        alone = self.view["options"]["hq_alone"] == "open"
        for gang in self.view["gangs"].values():
            hoods = self._roster(gang) - gang["pool"]
            gang["state"] = standing(gang["boss"] is None, gang["boss"] == "hq", hoods, alone)
        return self.view

    def _on_started(self, event: Seen) -> None:
        board = event["board"]
        self._exits = board["exits"]
        self._size = len(board["cells"])
        owners = {gang: seat for seat, gangs in enumerate(event["gangs"]) for gang in gangs}
        self._begin(
            event,
            "first",
            board=board["name"],
            due=[],
            round=1,
            first=0,
            roll=[],
            dice=[],
            moved=None,
            boss_moved=False,
            hires=[],
            luck={"dice": [], "wheel": []},
            cells={},
            gangs={gang: _fresh(owners[gang]) for gang in GANGS if gang in owners},
            out=[],
        )

    def _on_turn_began(self, event: Seen) -> None:
        super()._on_turn_began(event)
        self.view |= {"phase": "first", "due": list(event["due"]), "round": event["round"]}
        self.view |= {"moved": None, "boss_moved": False}
        if event["turn"] == 1:
            self.view["first"] = event["seat"]
        for gang in self.view["gangs"].values():
            gang["locked"] = False

    def _on_rolled(self, event: Seen) -> None:
        self.view |= {"roll": list(event["dice"]), "dice": list(event["dice"])}
        self.view["luck"]["dice"].append(list(event["dice"]))

    def _on_extra_rolled(self, event: Seen) -> None:
        self.view |= {"phase": "extra", "dice": [event["die"]], "moved": None, "boss_moved": False}
        self.view["luck"]["dice"].append([event["die"]])

    def _on_stopped(self, _event: Seen) -> None:
        self.view["luck"] = {"dice": [], "wheel": []}

    def _on_moved(self, event: Seen) -> None:
        self.view["luck"] = {"dice": [], "wheel": []}
        gang, boss, target = self.view["gangs"][event["gang"]], event["figure"] == "boss", event["to"]
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
            self.view["boss_moved"] = True
        else:
            self.view["moved"] = {"gang": event["gang"], "cell": target}
        if self.view["phase"] == "first" and event["by"] != "sum":
            self.view["phase"] = "second"
            self.view["dice"].remove(event["by"])

    def _on_recruited(self, event: Seen) -> None:
        gang = self.view["gangs"][event["gang"]]
        gang["hq"] += event["count"]
        gang["pool"] -= event["count"]

    def _on_kidnapped(self, event: Seen) -> None:
        self._find(event)["held"] = True

    def _on_freed(self, event: Seen) -> None:
        self._find(event)["held"] = False

    def _on_killed(self, event: Seen) -> None:
        gang, boss = self.view["gangs"][event["gang"]], event["figure"] == "boss"
        self._remove(event["cell"], event["gang"], boss)
        if boss:
            gang["falls"] += 1
        else:
            gang["pool"] += 1
            if event["cause"] == "ambush":
                self.view["moved"] = None

    def _on_reformed(self, event: Seen) -> None:
        self._clear(event["gang"])
        gang = self.view["gangs"][event["gang"]]
        locked = gang["seat"] == self.view["active"]
        gang |= {"boss": "hq", "progress": 0, "hq": event["hq"], "pool": event["pool"], "locked": locked}

    def _on_eliminated(self, event: Seen) -> None:
        letter = event["gang"]
        self._clear(letter)
        gang = self.view["gangs"][letter]
        gang |= {"boss": None, "progress": 0, "hq": 0, "pool": self._roster(gang), "locked": False}
        self.view["out"].append({"gang": letter, "cause": event["cause"]})
        if event["cause"] == "withdrawn":
            self.view["luck"] = {"dice": [], "wheel": []}
            self.view["hires"] = [hirer for hirer in self.view["hires"] if hirer != letter]

    def _on_hired(self, event: Seen) -> None:
        self.view["hires"].append(event["gang"])

    def _on_spun(self, event: Seen) -> None:
        self.view["hires"].pop(0)
        self.view["luck"]["wheel"].append(event["stop"])

    def _on_ended(self, event: Seen) -> None:
        super()._on_ended(event)
        self.view |= {"due": [], "roll": [], "dice": [], "moved": None, "boss_moved": False, "hires": []}

    _on_start_rolled = _on_lapsed = Follower.no_change

    def _roster(self, gang: Seen) -> int:
        """Return how many hoods of a gang are in the game, those in its pool included."""
        return roster(gang["falls"], self.view["options"]["fallen_hoods"] == "out")

    def _find(self, event: Seen) -> dict[str, Any]:
        """Return the figure that a kidnapping or a release is about."""
        freed, boss = event["event"] == "freed", event["figure"] == "boss"
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
