"""A bot that plays at random, but in the same match always the same: its luck is made from match and seat.

It picks a verb first (`play`), then one of its actions (`play R7 2`): otherwise the verb with the longest
list would be played nearly always.
"""

from hashlib import sha256

from protocol.client import Bot, run
from protocol.messages import Start, View


class RandomBot(Bot):
    """One match of the random bot."""

    def start(self, start: Start) -> None:
        """Make the luck of this match."""
        self._luck = sha256(f"{start.match}:{start.seat}".encode()).digest()

    def choose(self, view: View, legal: list[str]) -> str:
        """Return a random action of a random verb."""
        del view
        verbs = sorted({action.split()[0] for action in legal})
        verb = self._pick(verbs)
        return self._pick([action for action in legal if action.split()[0] == verb])

    def _pick(self, items: list[str]) -> str:
        self._luck = sha256(self._luck).digest()
        return items[int.from_bytes(self._luck[:8], "big") % len(items)]


def main() -> None:
    """Play until the referee says goodbye."""
    run(RandomBot, name="random", wants=["legal"], capacity=64)


if __name__ == "__main__":
    main()
