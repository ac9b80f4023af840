"""The games of this house by folder, and what their RULES.md says."""

import re
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import msgspec

from referee import games, registry
from referee.game import Event, Game
from referee.gamelib.grammar import Grammar

TESTS = Path(__file__).parent
FOLDERS = [module.name for module in iter_modules(games.__path__)]
PEOPLE = ["Al", "Bugs", "Cleo", "Dutch", "Ed", "Flo"]


class Rulebook:
    """A game with its rules, its verbs and its kinds of events."""

    def __init__(self, folder: str) -> None:
        self.game: Game = import_module(f"referee.games.{folder}").GAME
        self.rules = registry.rules(self.game)
        self.grammar: Grammar = import_module(f"referee.games.{folder}.reasons").GRAMMAR
        self.events: tuple[str, ...] = tuple(import_module(f"referee.games.{folder}.text").describe)
        self.tests = "\n".join(path.read_text() for path in (TESTS / folder).glob("test_*.py"))

    def rulings(self) -> set[str]:
        """Return the numbers of the rulings, like `r7`."""
        return {name.lower() for name in re.findall(r"^\| ([RA]\d+) \|", self.rules, re.MULTILINE)}

    def tested_rulings(self) -> set[str]:
        """Return the rulings that the name of some test cites."""
        names = "\n".join(re.findall(r"def test_\w+", self.tests))
        letter = min(self.rulings())[0]
        return set(re.findall(rf"_({letter}\d+)(?=_|\b)", names))

    def names(self, word: str) -> bool:
        """Return whether the rules have a word as code, or in the grammar."""
        return bool(re.search(rf'[`"]{re.escape(word)}[ `"]', self.rules))


def check_described(game: Game, events: Sequence[Event], kinds: Sequence[str]) -> None:
    """Check that these events are of all kinds, plain, and described in one sentence for each seat."""
    assert {event.kind for event in events} == set(kinds)
    for event in events:
        assert is_plain(event.seen_by_all())
        for seat in (*(event.private or ()), None):
            sentence = game.describe(as_sent(event.seen_by(seat)), PEOPLE)
            assert re.fullmatch(r"[A-Z][^\n]*[^.]\.", sentence), sentence


def as_sent(value: Any) -> Any:
    """Return what a bot makes of a value that it is sent."""
    return msgspec.json.decode(msgspec.json.encode(value))


def is_plain(value: Any) -> bool:
    """Return whether a value has nothing in it but objects, lists, texts, whole numbers, truth and null."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(is_plain, value))
    return value is None or isinstance(value, (str, int))
