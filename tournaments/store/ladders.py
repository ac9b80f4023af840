"""The store of a ladder: where it lies in the folder of `referee serve`, and which ladder it is of."""

from pathlib import Path
from typing import Final

import msgspec

from referee.errors import ConfigError, FormatVersionError
from referee.game import Options
from referee.hub.pairing import Finished
from tournaments.results import Played, played
from tournaments.store.errors import StoreError
from tournaments.store.store import Store

STORE: Final = "results.db"
"""The name of the store, beside the replays."""

NOTE: Final = "ladder"
"""The name of the notes; a daemon adds one if it plays other than the last one did."""

_OLD_RESULTS: Final = "results.jsonl"
"""Where referee 0.1.0 kept the results of a ladder."""

_MAGIC: Final = b"SQLite format 3\0"


class LadderTerms(msgspec.Struct, frozen=True):
    """What is played on a ladder."""

    name: str
    game: str
    seats: int
    options: Options
    hours: str = ""
    """When matches are rated, in words; '' if always."""


def store_path(folder: Path) -> Path:
    """Return where the store of a ladder is. Raises FormatVersionError for a folder of referee 0.1.0."""
    path = folder / STORE
    if not path.exists() and (folder / _OLD_RESULTS).exists():
        raise FormatVersionError(f"{folder / _OLD_RESULTS}: results", "0.1.0", "as lines of text")
    return path


def find(path: Path) -> Path | None:
    """Return the store of the ladder that a path names: the folder of the ladder, or the store itself.

    Returns None for any other file. Raises ConfigError for a folder without a store.
    """
    if path.is_dir():
        store = store_path(path)
        if not store.exists():
            raise ConfigError(
                f"{path} is neither a tournament file nor the folder of a ladder: it has no {STORE}"
                f"{_below(path)}"
            )
        return store
    try:
        with path.open("rb") as file:
            is_store = file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        # The reader of tournament files reports what is wrong with it.
        return None
    return path if is_store else None


def _below(folder: Path) -> str:
    """Return a hint: the ladders of a daemon of several games are in folders of their own."""
    found = ", ".join(map(str, folders_below(folder)))
    return f"; name one of {found}" if found else ""


def folders_below(folder: Path) -> list[Path]:
    """Return the folders of the ladders of a daemon of several games; none if it is not the folder of one."""
    return [store.parent for store in sorted(folder.glob(f"*/{STORE}"))] if folder.is_dir() else []


def folder_of(folder: Path, game: str, *, several: bool) -> Path:
    """Return where the ladder of a game is kept, in the folder of a daemon.

    A daemon of one game keeps it in the folder itself, unless it has played several games before. Raises
    ConfigError if the folder has the ladder of one game, and several are to be played.
    """
    if several and store_path(folder).exists():
        raise ConfigError(
            f"{folder} has the ladder of one game: to play several, move everything in it to "
            f"{folder}/GAME, with the id of that game, or choose another folder"
        )
    below = folder / game
    return below if several or (below / STORE).exists() else folder


def replays_of(store: Store) -> Path:
    """Return the folder of the replays of a ladder: they are beside its store."""
    if not isinstance(store.address, Path):
        raise StoreError(f"{store.address}: a ladder is read from its folder, where its replays are")
    return store.address.parent


def note(store: Store, terms: LadderTerms) -> None:
    """Note what is played from now on, if that is news."""
    text = msgspec.json.encode(terms).decode()
    if store.noted(NOTE)[-1:] != [text]:
        store.note(NOTE, text)


def terms_of(store: Store) -> LadderTerms:
    """Return what is played on the ladder. Raises StoreError if the store is not of a ladder."""
    noted = store.noted(NOTE)
    if not noted:
        raise StoreError(f"{store.address}: the store of a tournament; name the tournament file instead")
    try:
        return msgspec.json.decode(noted[-1], type=LadderTerms)
    except ValueError as error:
        raise StoreError(f"{store.address}: the note of the ladder is not as it was written") from error


def ladder_row(finished: Finished, number: int) -> Played:
    """Return the row of a match: on a ladder every match has a deal of its own, and is a round of its own.

    Void matches are kept too: unlike those of a tournament they are never played again under their id.
    """
    return played(finished, number, finished.result.match)
