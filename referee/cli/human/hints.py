"""Hints: what the sample bot of a game would do in a person's seat, knowing what the person knows."""

from importlib import import_module
from typing import NamedTuple

from protocol.client import Bot, FunctionBot
from protocol.messages import Seen, Start, View
from sample_bots.python import SAMPLES, SENSIBLE

_WAYS = {
    "chicago": "it weighs what a building or a duel would bring against what leaving a place costs",
    "gangsters": "it takes what adds most to its rows and columns, less what that leaves to the next seat",
    "poker": "it pursues the businesses where its row stands the best chance, and draws when it has none",
    "vengeance": "it compares where its bosses and hoods would stand after each action, and how safely",
}
"""How each sample of a game decides."""


class Hint(NamedTuple):
    """The action an adviser would take."""

    action: str
    by: str
    why: str


class Adviser:
    """A sample bot that receives what a person's seat receives, and decides when it is asked."""

    def __init__(self, start: Start) -> None:
        self._name = SENSIBLE.get(start.game, "")
        self._bot = _bot(self._name)
        if self._bot is not None:
            self._bot.start(start)

    def see(self, events: list[Seen]) -> None:
        """Pass events on to the sample."""
        if self._bot is not None:
            self._bot.see(events)

    def hint(self, view: View, legal: list[str]) -> Hint:
        """Return the action of the sample; without a sample for the game, the first legal action."""
        if self._bot is None:
            return Hint(legal[0], "", "no sample bot knows this game, so it is the first of the list")
        chosen = self._bot.choose(view, legal)
        action = chosen if isinstance(chosen, str) else chosen[0]
        return Hint(action, self._name, _WAYS.get(self._name, ""))


def _bot(name: str) -> Bot | None:
    """Return the sample: the bot class of its module, or else its function `choose`."""
    if not name:
        return None
    module = import_module(SAMPLES[name])
    classes = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, Bot)]
    ours = [each for each in classes if each.__module__ == module.__name__]
    return ours[0]() if ours else FunctionBot(module.choose)
