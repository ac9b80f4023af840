"""New tournament files, made from the commented examples."""

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Final

from referee import registry
from referee.errors import ConfigError
from referee.game import GameInfo
from tournaments.config.cautions import new_seed

EXAMPLES: Final = {
    "new": "all keys with comments",
    "contest": "a round robin on the same deals",
    "class": "a Swiss tournament with more time and three strikes",
    "stages": "all bots meet, and the best play a knockout",
    "games": "several games and one combined table",
    "regression": "one bot against all others",
    "demo": "the sample bots of a game among themselves",
}
"""The examples to start from."""


def write_new(file: Path, like: str, game: str | None) -> None:
    """Write an example, with a seed of its own unless it is the demo, and with another game if one is named.

    Raises ConfigError for a file that exists or cannot be written, for a game that does not exist, and for a
    game that is named with the example of several.
    """
    text = _example(like)
    if game is not None:
        text = _for_game(text, registry.game(game).info, like)
    text = _demo(text) if like == "demo" else with_value(text, "seed", new_seed())
    write_file(file, text)


def example_text(like: str) -> str:
    """Return an example with a seed of its own."""
    return with_value(_example(like), "seed", new_seed())


def _example(like: str) -> str:
    return (files("tournaments") / "examples" / f"{like}.toml").read_text("utf-8")


def write_file(file: Path, text: str) -> None:
    """Write a new tournament file. Raises ConfigError for one that exists or cannot be written."""
    try:
        with file.open("x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError as error:
        raise ConfigError(f"{file} exists already: name another file") from error
    except OSError as error:
        raise ConfigError(f"cannot write {file}: {error.strerror}") from error


def _for_game(text: str, info: GameInfo, like: str) -> str:
    """Fit an example to another game: its id, and a bot that plays it in place of one that does not."""
    keys = tomllib.loads(text)
    if "game" not in keys:
        raise ConfigError(f"--like {like} has several games: leave out --game, and change them in the file")
    text = with_value(text, "game", info.id)
    ours = info.samples[0].name if info.samples else "random"
    for theirs in registry.game(keys["game"]).info.samples:
        text = re.sub(rf'^sample = "{theirs.name}"', f'sample = "{ours}"', text, flags=re.MULTILINE)
    return text


def _demo(text: str) -> str:
    """Fit the demo to its game: its title, its seats, and the first sample bot that it brings."""
    info = registry.game(tomllib.loads(text)["game"]).info
    text = with_value(text, "name", f"Demo: {info.title}").replace("seats = 2", f"seats = {info.least_seats}")
    blocks = [f'\n[[bots]]\nname = "{one.name}"\nsample = "{one.name}"\n' for one in info.samples[:1]]
    return text + "".join(blocks)


def with_value(text: str, key: str, value: str) -> str:
    """Replace the value of a key."""
    return re.sub(rf'^{key} = ".*?"', f'{key} = "{value}"', text, count=1, flags=re.MULTILINE)
