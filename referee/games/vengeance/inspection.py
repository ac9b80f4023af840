"""What the contract suite asks of the game: its pieces."""

from collections.abc import Iterator

from referee.game import View


def pieces(revealed: View) -> Iterator[str]:
    """Yield hoods and bosses; those of a gang that has left the game lie in its pool and at its side."""
    for letter, gang in revealed["gangs"].items():
        yield from [f"{letter} hood"] * (gang["hq"] + gang["pool"])
        yield from [f"{letter} boss"] * (gang["boss"] in {"hq", None})
    for cell in revealed["cells"].values():
        yield from [f"{cell['gang']} hood"] * cell["hoods"] + [f"{cell['gang']} boss"] * cell["boss"]
        if cell["hostage"] is not None:
            yield f"{cell['hostage']['gang']} {'boss' if cell['hostage']['boss'] else 'hood'}"
