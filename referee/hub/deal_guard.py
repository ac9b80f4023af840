"""The rule that no process plays a deal which it could already know.

A deal comes again in other rotations of the seats. A new process remembers nothing, but it can learn from a
process of the same bot that is still there, and that one from an older one. What counts is therefore the
chain: a bot could know every deal that any process of it has played since the last moment at which it had no
process at all. A match whose deal one of its bots could know waits until all processes of that bot are known
to be gone, and until then no process of that bot is started.

The rule is for bots that start fresh. Others may remember what they like.
"""

from collections.abc import Hashable, Iterable, Iterator

from referee.hub.pairing import Pairing
from referee.process.spec import BotSpec


class DealGuard:
    """Knows which deals the living processes of each bot could know. Pure: no process, no clock."""

    def __init__(self) -> None:
        self._living: dict[Hashable, set[Hashable]] = {}
        """By bot: its processes that are not known to be gone. A bot without one could know nothing."""
        self._known: dict[Hashable, set[bytes]] = {}
        """By bot that has a process: the deals that its processes could know."""

    def started(self, spec: BotSpec, process: Hashable) -> None:
        """Take note of a process before it is started; a start that fails counts too."""
        if spec.fresh:
            self._living.setdefault(_bot(spec), set()).add(process)
            self._known.setdefault(_bot(spec), set())

    def gone(self, spec: BotSpec, process: Hashable) -> None:
        """Take note that a process and all processes it has started are gone."""
        living = self._living.get(_bot(spec), set())
        living.discard(process)
        if not living:
            self._living.pop(_bot(spec), None)
            self._known.pop(_bot(spec), None)

    def dealt(self, spec: BotSpec, deal: bytes) -> None:
        """Take note that a process of a bot plays a deal, which is known by its key."""
        if spec.fresh:
            self._known[_bot(spec)].add(deal)

    def allowed(self, matches: Iterable[tuple[Pairing, list[BotSpec]]]) -> Iterator[Pairing]:
        """Return the matches that may begin, in their order; given are matches with their bots.

        A match does not overtake another that waits for the same bot: the bot would never come to its end.
        No more matches are looked at than are asked for, because most often the first one may begin.
        """
        if not self._known:
            yield from (pairing for pairing, _ in matches)
            return
        for pairing, bots, leaving in self._looked_at(matches):
            if bots.isdisjoint(leaving):
                yield pairing

    def divide(self, matches: Iterable[tuple[Pairing, list[BotSpec]]]) -> tuple[list[Pairing], "LeavingBots"]:
        """Return all matches that may begin, and the bots that must end first for the others."""
        leaving: set[Hashable] = set()
        staying: set[Hashable] = set()
        allowed = []
        for pairing, bots, leaving in self._looked_at(matches):
            if bots.isdisjoint(leaving):
                staying |= bots
                allowed.append(pairing)
        # A bot that an earlier match needs leaves after that match.
        return allowed, LeavingBots(leaving - staying)

    def _looked_at(
        self, matches: Iterable[tuple[Pairing, list[BotSpec]]]
    ) -> Iterator[tuple[Pairing, set[Hashable], set[Hashable]]]:
        """Return each match with its fresh bots, and the bots whose end it or an earlier match waits for."""
        leaving: set[Hashable] = set()
        # A bot is in many of the matches, and the hub asks in every turn while one of them waits.
        bot_of: dict[int, Hashable] = {}
        for pairing, specs in matches:
            for spec in specs:
                if spec.fresh and id(spec) not in bot_of:
                    bot_of[id(spec)] = _bot(spec)
            bots = {bot_of[id(spec)] for spec in specs if spec.fresh}
            leaving |= {bot for bot in bots if pairing.key in self._known.get(bot, ())}
            yield pairing, bots, leaving


class LeavingBots:
    """The bots of which every process must end before a waiting match can begin."""

    def __init__(self, bots: set[Hashable]) -> None:
        self._bots = bots

    def __contains__(self, spec: BotSpec) -> bool:
        return _bot(spec) in self._bots


def _bot(spec: BotSpec) -> Hashable:
    """Return what makes two bots one: the same files and the same command, under any name."""
    program = spec.program
    inside = f"{program.folder}/"
    return (program.bundle or program.folder, *[word.removeprefix(inside) for word in program.argv])
