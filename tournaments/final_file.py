"""A tournament file for a final of the best bots of a ladder, in the order of their ranks.

The bots of a ladder are programs on other hosts, and a final is played where the programs are: their commands
are taken from a tournament file with the same names, also of its submissions (`referee entries`), or from a
folder with a folder for each name.
"""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from referee import registry
from referee.errors import ConfigError
from tournaments.config.entry_record import read_record
from tournaments.config.file_keys import BotEntry
from tournaments.config.mistakes import syntax_error
from tournaments.config.new_file import example_text, with_value, write_file
from tournaments.rating.standings import StandingLine
from tournaments.report.results_so_far import ladder_results
from tournaments.report.words import rating_text
from tournaments.store import ladders
from tournaments.store.ladder_versions import accounts_of
from tournaments.store.ladders import LadderTerms
from tournaments.store.store import Store

COMMANDS: Final = ("./run", "./bot", "run.py", "bot.py", "main.py")
"""What is started of a folder, the first that is there."""


class Finalist(Struct, frozen=True):
    """A bot of the final."""

    name: str
    """Its account."""
    rank: int
    line: StandingLine
    entry: Mapping[str, Any] | None
    """What the file says of its program; None if that is missing."""


class _FileOfBots(Struct, frozen=True):
    """What counts of a tournament file that has the programs."""

    bots: tuple[BotEntry, ...] = ()
    entries: str = ""
    """The folder of the submissions; '' if there is none."""


def write_final(file: Path, like: str, ladder: Path, best: int, bots: Path) -> list[Finalist]:
    """Write the file of a final, and return its bots, also those whose programs are missing.

    Raises ConfigError if it cannot be written, or if fewer bots than one match has are there.
    """
    path = ladders.find(ladder)
    if path is None:
        raise ConfigError(f"{ladder}: this is no ladder: name the folder of `referee serve`, or its store")
    with Store(path, write=False) as store:
        terms, results = ladders.terms_of(store), ladder_results(store)
    accounts = accounts_of(results.played)
    programs = _programs(bots, file.resolve().parent)
    found = [
        Finalist(accounts[line.name], rank, line, programs.get(accounts[line.name]))
        for rank, line in enumerate(results.standings.shown[:best], 1)
    ]
    playing = [one for one in found if one.entry is not None]
    if len(playing) < terms.seats:
        missing = ", ".join(one.name for one in found if one.entry is None) or "none of them has played"
        raise ConfigError(
            f"{bots}: a final needs at least {terms.seats} bots of the ladder; missing: {missing}. Give each "
            f"a folder with its name and one of {', '.join(COMMANDS)}, or name a tournament file that "
            "has them"
        )
    write_file(file, _text(like, terms, playing))
    return found


def _programs(bots: Path, beside: Path) -> dict[str, dict[str, Any]]:
    """Return by name what a tournament file says of a bot's program; paths are relative to the new file."""
    if bots.is_dir():
        return {
            folder.name: {"command": command, "folder": _path(folder, beside)}
            for folder in sorted(bots.iterdir())
            if folder.is_dir() and (command := _command(folder))
        }
    try:
        file = msgspec.convert(tomllib.loads(bots.read_text("utf-8")), _FileOfBots)
    except tomllib.TOMLDecodeError as error:
        raise syntax_error(bots, error) from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else f"no tournament file: {error}"
        raise ConfigError(f"--bots {bots}: {why}") from error
    folder = bots.resolve().parent
    entries = folder / file.entries if file.entries else None
    record = read_record(entries)
    found = {one.name: _entry(one, folder, beside) for one in file.bots if one.name not in record.left_out}
    for one in record.entered():
        assert entries is not None
        authors = {"authors": one.authors} if one.authors else {}
        found[one.bot] = {"command": one.command, "folder": _path(entries / one.folder, beside), **authors}
    return found


def _entry(entry: BotEntry, folder: Path, beside: Path) -> dict[str, Any]:
    limits = {name: value for name, value in asdict(entry.limits).items() if value is not None}
    own = {"env": entry.env, "limits": limits, "authors": entry.authors}
    own = {key: value for key, value in own.items() if value}
    if entry.sample is not None:
        return {"sample": entry.sample, **own}
    here = _path(folder / (entry.folder or ""), beside)
    return {"command": entry.command, "folder": here, "transport": entry.transport, **own}


def _command(folder: Path) -> str:
    for command in COMMANDS:
        path = folder / command
        if path.is_file() and (path.suffix or os.access(path, os.X_OK)):
            return command
    return ""


def _path(folder: Path, beside: Path) -> str:
    return os.path.relpath(folder.resolve(), beside)


def _text(like: str, terms: LadderTerms, finalists: Sequence[Finalist]) -> str:
    """Return the example without its own bots, for the game of the ladder, and with the finalists."""
    text = example_text(like).partition("\n[[bots]]")[0]
    kept = [line for line in text.splitlines() if not line.startswith(("anchor =", "hero =", "seats ="))]
    text = "\n".join(kept).rstrip() + "\n"
    title = registry.game(terms.game).info.title
    text = with_value(with_value(text, "game", terms.game), "name", f"Final of the ladder of {title}")
    text = text.replace("\nseed =", f"\nseats = {terms.seats}\nseed =", 1)
    # A stage cannot take more bots than there are.
    text = re.sub(
        r"^take = (\d+)", lambda found: f"take = {min(int(found[1]), len(finalists))}", text, flags=re.M
    )
    usual = registry.game(terms.game).resolve(None, terms.seats)
    changed = {name: value for name, value in terms.options.items() if usual.get(name) != value}
    if changed:
        text += "\n[options]\n" + "".join(f"{name} = {_value(value)}\n" for name, value in changed.items())
    return text + "".join(map(_block, finalists))


def _block(one: Finalist) -> str:
    assert one.entry is not None
    version = f", version {one.line.name.removeprefix(one.name + '@')}" if one.line.name != one.name else ""
    lines = [
        f"# rank {one.rank} of the ladder: {rating_text(one.line)}{version}",
        f"name = {_value(one.name)}",
    ]
    lines += [f"{key} = {_value(value)}" for key, value in one.entry.items()]
    return "\n[[bots]]\n" + "\n".join(lines) + "\n"


def _value(value: object) -> str:
    """Return a value as TOML spells it: as JSON does, with DEL escaped too, but for the keys of a table."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_value(key)} = {_value(one)}' for key, one in value.items())} }}"
    return msgspec.json.encode(value).decode().replace("\x7f", "\\u007F")
