"""A new pair of files for a grade: staff bots and a scale, made from the commented examples."""

import re
from importlib.resources import files
from pathlib import Path
from typing import Final

from referee import registry
from referee.errors import ConfigError
from tournaments.config.cautions import new_seed

STAFF: Final = "staff.toml"
SCALE: Final = "grade.toml"


def write_pair(folder: Path, game: str | None) -> None:
    """Write both files into a folder, with a seed of their own, for this game.

    Raises ConfigError if one exists already, and then writes none.
    """
    paths = [folder / name for name in (STAFF, SCALE)]
    for path in paths:
        if path.exists():
            raise ConfigError(f"{path} exists already: name another folder")
    values = {"seed": new_seed()}
    seats = 2
    if game is not None:
        info = registry.game(game).info
        values["game"], seats = info.id, info.least_seats
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in paths:
            text = (files("tournaments") / "grading" / "examples" / path.name).read_text("utf-8")
            for key, value in values.items():
                text = re.sub(rf'^(#? *){key} = ".*?"', rf'\1{key} = "{value}"', text, flags=re.MULTILINE)
            path.write_text(re.sub(r"^seats = 2", f"seats = {seats}", text, flags=re.MULTILINE), "utf-8")
        paths[0].chmod(0o600)
    except OSError as error:
        raise ConfigError(f"cannot write to {folder}: {error.strerror}") from error
