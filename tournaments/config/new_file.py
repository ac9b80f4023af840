"""New tournament files, made from the commented examples."""

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Final

from referee import registry
from referee.errors import ConfigError
from tournaments.config.cautions import new_seed

EXAMPLES: Final = {
    "new": "all keys with comments",
    "contest": "a round robin on the same deals",
    "class": "a Swiss tournament with more time and three strikes",
    "regression": "one bot against all others",
    "demo": "the sample bots of a game among themselves",
}
"""The examples to start from."""


def write_new(file: Path, like: str, game: str | None) -> None:
    """Write an example, with a seed of its own unless it is the demo, and with another game if one is named.

    Raises ConfigError for a file that exists or cannot be written, and for a game that does not exist.
    """
    text = (files("tournaments") / "examples" / f"{like}.toml").read_text("utf-8")
    if game is not None:
        text = _with(text, "game", registry.game(game).info.id)
    text = _demo(text) if like == "demo" else _with(text, "seed", new_seed())
    try:
        with file.open("x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError as error:
        raise ConfigError(f"{file} exists already: name another file") from error
    except OSError as error:
        raise ConfigError(f"cannot write {file}: {error.strerror}") from error


def _demo(text: str) -> str:
    """Fit the demo to its game: its title, its seats, and the first sample bot that it brings."""
    info = registry.game(tomllib.loads(text)["game"]).info
    text = _with(text, "name", f"Demo: {info.title}").replace("seats = 2", f"seats = {info.least_seats}")
    blocks = [f'\n[[bots]]\nname = "{one.name}"\nsample = "{one.name}"\n' for one in info.samples[:1]]
    return text + "".join(blocks)


def _with(text: str, key: str, value: str) -> str:
    """Replace the value of a key."""
    return re.sub(rf'^{key} = ".*?"', f'{key} = "{value}"', text, count=1, flags=re.MULTILINE)
