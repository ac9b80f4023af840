"""Hints: what the first sample of a game would do in a person's place, knowing what the person knows."""

from importlib import import_module
from typing import NamedTuple

from protocol.client import Bot, FunctionBot
from protocol.messages import Seen, Start, View
from referee import registry
from referee.game import SampleBot


class Hint(NamedTuple):
    """The action an adviser would take."""

    action: str
    by: str
    why: str


class Adviser:
    """A sample bot that is sent what a person is sent, and answers when it is asked."""

    def __init__(self, start: Start) -> None:
        self._sample = next(iter(registry.game(start.game).info.samples), None)
        self._bot = None if self._sample is None else _bot(self._sample)
        if self._bot is not None:
            self._bot.start(start)

    def see(self, events: list[Seen]) -> None:
        """Pass events on to the sample."""
        if self._bot is not None:
            self._bot.see(events)

    def hint(self, view: View, legal: list[str]) -> Hint:
        """Return what it would do: without a sample of the game, the first legal action."""
        if self._bot is None or self._sample is None:
            return Hint(legal[0], "", "no sample bot knows this game, so it is the first of the list")
        chosen = self._bot.choose(view, legal)
        action = chosen if isinstance(chosen, str) else chosen[0]
        return Hint(action, self._sample.name, self._sample.way)


def _bot(sample: SampleBot) -> Bot:
    """Return a sample to ask: the class of its module that is a bot, or else its function `choose`."""
    module = import_module(sample.module)
    classes = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, Bot)]
    ours = [each for each in classes if each.__module__ == module.__name__]
    return ours[0]() if ours else FunctionBot(module.choose)
