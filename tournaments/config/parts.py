"""The tournaments of one file: a part for every stage and game, each with the keys of a tournament.

A part takes the keys at the top of the file, then those of its stage, then those of its game. A file with one
game and no stages has one part without a name, which is the tournament itself.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from msgspec import UNSET, Struct
from msgspec.structs import asdict, fields, replace

from tournaments.config.file_checks import MOST_BOTS
from tournaments.config.file_keys import GameEntry, StageEntry, TournamentFile
from tournaments.config.mistakes import Mistakes, Where
from tournaments.config.store_address import of_part

MOST_PARTS: Final = 64

_OF_FORMATS: Final[Mapping[str, tuple[str, ...]]] = {
    "hero": ("gauntlet",),
    "rounds": ("swiss",),
    "groups": ("round-robin", "gauntlet"),
    "order": ("round-robin", "gauntlet"),
    "pools": ("round-robin",),
    "third_place": ("knockout",),
}
"""Keys that belong to some formats. At the top of a file with stages they are for the stages of these."""


class Part(Struct, frozen=True):
    """One tournament of an event file."""

    name: str
    """A word for files, addresses and `--part`; '' if the file has one tournament."""
    stage: str
    """The name of its stage; '' without stages."""
    number: int
    """The number of its stage, from 0."""
    game: str
    """The name of its game; '' if the file has one game."""
    weight: float
    """The weight of its game in the combined table."""
    take: int | None
    """How many bots of the stage before take part, of each of its pools; None: all bots of the file."""
    entrants: int | None
    """How many that are."""
    file: TournamentFile
    """The keys that hold for it."""
    owners: dict[str, Where]
    """Where the file has a key, if that is not its top."""

    @property
    def take_text(self) -> str:
        """How many bots of the stage before take part, for people; '' if all bots of the file do."""
        of_each = " of each pool" if (self.entrants or 0) > (self.take or 0) else ""
        return f"{self.take}{of_each}" if self.take else ""

    @property
    def label(self) -> str:
        """Its stage and game, for people."""
        return ", ".join(filter(None, (self.stage, self.game)))


def parts_of(file: TournamentFile, stem: str) -> list[Part]:
    """Return the tournaments of a file in the order of play; `stem` is the name of the file."""
    several = bool(file.stages) or len(file.games) > 1
    found = []
    for number, stage in enumerate(file.stages or (None,)):
        for index, game in enumerate(file.games or (None,)):
            owners = _owners(file, number if stage else None, index if game else None)
            keys = _keys_of(file, stage, game)
            label = _game_label(game) if len(file.games) > 1 and game else ""
            part = Part(
                name=_word(stage.name if stage else "", label) if several else "",
                stage=stage.name if stage else "",
                number=number,
                game=label,
                weight=game.weight if game else 1.0,
                take=stage.take if stage else None,
                entrants=_entrants(file, number),
                file=keys,
                owners=owners,
            )
            if file.stages and number < len(file.stages) - 1:
                # The bots of the next stage would disclose what a frozen table hides.
                part = replace(part, file=replace(part.file, freeze=None))
            found.append(replace(part, file=_with_own_files(part, stem)))
    return found


def _entrants(file: TournamentFile, number: int) -> int | None:
    """Return how many bots play in a later stage; None: all play."""
    if number == 0 or (take := file.stages[number].take) is None:
        return None
    return take * _pools(file, number - 1)


def _pools(file: TournamentFile, number: int) -> int:
    """Return into how many pools the bots of a stage are divided."""
    stage = file.stages[number]
    is_divided = (stage.format or file.format) == "round-robin"
    return (stage.pools or file.pools or 1) if is_divided else 1


def look_at_parts(file: TournamentFile, mistakes: Mistakes) -> None:
    """Note what is wrong with stages and games as such."""
    if file.games and file.game is not None:
        mistakes.add(("game",), "stands here or below [[games]], not in both places: remove this line")
    if len(file.games) < 2 and file.combine is not UNSET:
        mistakes.add(("combine",), "belongs to a file with several [[games]]")
    count = max(1, len(file.games)) * max(1, len(file.stages))
    if count > MOST_PARTS:
        mistakes.add(("stages",), f"stages and games make {count} tournaments, over {MOST_PARTS}")
        return
    _look_at_names(file, mistakes)
    _look_at_stages(file, mistakes)


def _look_at_names(file: TournamentFile, mistakes: Mistakes) -> None:
    differ = True
    for section, names in (
        ("stages", [stage.name for stage in file.stages]),
        ("games", [_game_label(game) for game in file.games]),
    ):
        taken: set[str] = set()
        for index, name in enumerate(names):
            if _word(name) in taken:
                mistakes.add((section, index, "name"), f"two {section} are called {name}: give each a name")
                differ = False
            taken.add(_word(name))
    words = [part.name for part in parts_of(file, "")] if differ else []
    for word in sorted({word for word in words if words.count(word) > 1}):
        # A stage `a-b` with a game `c`, and a stage `a` with a game `b-c`.
        mistakes.add(("stages",), f"two stages and games make one name, {word}: choose other names")


def _look_at_stages(file: TournamentFile, mistakes: Mistakes) -> None:
    # With submissions it is known later how many bots there are.
    there = len(file.bots) if file.entries is None else MOST_BOTS
    for index, stage in enumerate(file.stages):
        where: Where = ("stages", index, "take")
        if index == 0 and stage.take is not None:
            mistakes.add(where, "belongs to the second stage and later ones: all bots play the first")
        elif index and stage.take is None:
            mistakes.add(where, f"is missing: how many bots of stage {file.stages[index - 1].name} go on")
        elif (wanted := _entrants(file, index) or there) > there:
            mistakes.add(where, f"takes {wanted} bots, but only {there} play in the stage before")
        there = _entrants(file, index) or there
        if index and (stage.format or file.format) == "gauntlet":
            mistakes.add(
                ("stages", index, "format"),
                "a gauntlet can be the first stage only: its hero might not be among the bots that go on",
            )


def _owners(file: TournamentFile, stage: int | None, game: int | None) -> dict[str, Where]:
    """Return where keys are written that a stage or a game has itself."""
    found: dict[str, Where] = {}
    if stage is not None:
        given = _given(file.stages[stage])
        found |= {key: ("stages", stage, key) for key in given}
        if stage:
            # Too few bots for a match are too few that go on.
            found["bots"] = ("stages", stage, "take")
    if game is not None:
        found |= {key: ("games", game, key) for key in _given(file.games[game])} | {
            "game": ("games", game, "game")
        }
    return found


def _given(entry: GameEntry | StageEntry) -> dict[str, object]:
    """Return the keys of a tournament that an entry has."""
    keys = {key: value for key, value in asdict(entry).items() if key in TournamentFile.__struct_fields__}
    return {key: value for key, value in keys.items() if value is not None and key != "name"}


def _keys_of(file: TournamentFile, stage: StageEntry | None, game: GameEntry | None) -> TournamentFile:
    shared: dict[str, object] = {}
    if stage is not None:
        form = stage.format or file.format
        usual = {field.name: field.default for field in fields(TournamentFile)}
        foreign = [key for key, formats in _OF_FORMATS.items() if form not in formats]
        shared = {key: usual[key] for key in foreign} | _given(stage)
    own = _given(game) if game is not None else {}
    return replace(file, games=(), stages=(), combine=UNSET, **shared | own)


def _with_own_files(part: Part, stem: str) -> TournamentFile:
    """Return the keys of a part with its own name, luck and files."""
    file = part.file
    if not part.name:
        return file
    replays = f"{file.replays}-{part.name}" if file.replays else f"{stem}-{part.name}-replays"
    return replace(
        file,
        name=f"{file.name or stem}: {part.label}",
        seed=part_seed(str(file.seed), part.name),
        store=of_part(file.store or f"{stem}.sqlite", part.name, stem),
        replays=replays,
    )


def part_seed(seed: str, part: str) -> str:
    """Return the seed of a part: the deals of two parts have nothing in common."""
    return hashlib.sha256(json.dumps(["part", seed, part]).encode()).hexdigest()


def _game_label(game: GameEntry) -> str:
    return game.name or game.game


def _word(*names: str) -> str:
    """Return names as one word in small letters.

    >>> _word("Final round", "Gangsters")
    'final-round-gangsters'
    """
    return "-".join("-".join(filter(None, names)).casefold().split())
