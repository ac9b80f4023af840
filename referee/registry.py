"""Finds games: the folders of `referee.games`, then installed entry points of the group `referee.games`.

A game's id is the name of its folder with hyphens for underscores, or the name of its entry point; so games
are listed without being imported, and asking for one loads no other.
"""

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from referee import games as folders
from referee.errors import RefereeError, UnknownGameError, nearest
from referee.game import Game, SampleBot

GROUP = "referee.games"


class Source(NamedTuple):
    """Where a game comes from: its id, words for error texts, and how to load it."""

    id: str
    place: str
    load: Callable[[], object]


def _folder(name: str) -> Source:
    module = f"{folders.__name__}.{name}"
    return Source(name.replace("_", "-"), module, lambda: importlib.import_module(module).GAME)


def _found() -> Iterator[Source]:
    # Imported late: a bot that asks for one of our own rules should not wait for this.
    from importlib.metadata import entry_points

    for module in pkgutil.iter_modules(folders.__path__):
        if module.ispkg:
            yield _folder(module.name)
    for entry in entry_points(group=GROUP):
        distribution = f" of {entry.dist.name} {entry.dist.version}" if entry.dist else ""
        yield Source(entry.name, f"entry point {entry.value}{distribution}", entry.load)


@cache
def _sources() -> dict[str, Source]:
    sources: dict[str, Source] = {}
    for source in _found():
        other = sources.setdefault(source.id, source)
        if other is not source and other.place != source.place:
            raise RefereeError(f"two games are called {source.id}: {other.place} and {source.place}")
    return dict(sorted(sources.items()))


@cache
def _loaded(source: Source) -> Game:
    try:
        loaded = source.load()
    except Exception as error:  # a module from outside may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise RefereeError(f"the game {source.id} ({source.place}) cannot be loaded: {reason}") from error
    if not isinstance(loaded, Game):
        raise RefereeError(f"the game {source.id} ({source.place}) is no Game but {type(loaded).__name__}")
    if loaded.info.id != source.id:
        raise RefereeError(f"the game {source.id} ({source.place}) calls itself {loaded.info.id}")
    return loaded


def forget() -> None:
    """Forget all games that were found, so that the next call finds what was installed meanwhile."""
    _sources.cache_clear()
    _loaded.cache_clear()


def ids() -> list[str]:
    """Return the ids of all games, sorted, without loading any."""
    return list(_sources())


def game(id: str) -> Game:
    """Return the game of this id; of a wrong id, name the nearest right ones."""
    source = _sources().get(id)
    if source is None:
        raise UnknownGameError(f"there is no game {id!r}: {nearest(id, ids())}")
    return _loaded(source)


def games() -> dict[str, Game]:
    """Return all games by id, sorted. One that cannot be loaded is an error that names it."""
    return {id: game(id) for id in ids()}


def samples() -> dict[str, SampleBot]:
    """Return the sample bots that games bring, by name. Of one name, the game whose id is first has it."""
    found: dict[str, SampleBot] = {}
    for id in ids():
        try:
            brought = game(id).info.samples
        except RefereeError:  # reported where this very game is asked for
            continue
        for sample in brought:
            found.setdefault(sample.name, sample)
    return found


def rules(game: Game) -> str:
    """Return the text of the RULES.md beside the game's code."""
    text = file_of(game, "RULES.md")
    if text is None:
        raise RefereeError(f"the game {game.info.id} has no RULES.md beside {type(game).__module__}")
    return text


def file_of(game: Game, name: str) -> str | None:
    """Return the text of a file beside the game's code; None if there is no such file."""
    from importlib.resources import files

    spec = sys.modules[type(game).__module__].__spec__
    package = spec.parent if spec else None
    while package:
        text = files(package) / name
        if text.is_file():
            return text.read_text("utf-8")
        package = package.rpartition(".")[0]
    return None
