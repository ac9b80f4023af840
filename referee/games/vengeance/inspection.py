"""What the contract suite asks of the game: its pieces."""

from collections.abc import Iterator

from referee.game import View
from referee.games.vengeance.components import HOODS, roster


def pieces(revealed: View) -> Iterator[str]:
    """Yield hoods and bosses; those of a gang that has left the game lie in its pool and at its side."""
    excluded = revealed["options"]["fallen_hoods"] == "out"
    for letter, gang in revealed["gangs"].items():
        out = HOODS - roster(gang["falls"], excluded)
        yield from [f"{letter} hood"] * (gang["hq"] + gang["pool"] + out)
        yield from [f"{letter} boss"] * (gang["boss"] in {"hq", None})
    for cell in revealed["cells"].values():
        yield from [f"{cell['gang']} hood"] * cell["hoods"] + [f"{cell['gang']} boss"] * cell["boss"]
        if cell["hostage"] is not None:
            yield f"{cell['hostage']['gang']} {'boss' if cell['hostage']['boss'] else 'hood'}"


def progress(view: View) -> list[int]:
    """Return how far the boss of every seat has come who has come farthest."""
    gangs = view["gangs"].values()
    return [max(gang["progress"] for gang in gangs if gang["seat"] == seat) for seat in range(view["seats"])]
