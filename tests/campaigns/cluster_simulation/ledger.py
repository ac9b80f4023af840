"""What was played on the hosts, and why some of it twice."""

from collections import Counter

from tests.campaigns.cluster_simulation.faults import Cause


class Ledger:
    """Counts matches from their beginning on a host to their commit."""

    def __init__(self) -> None:
        self.begun = 0
        """Matches that hosts have begun, each as often as it was."""
        self.twice: Counter[Cause] = Counter()
        """What of it did not count."""
        self.at_most: Counter[Cause] = Counter()
        """What the faults so far may have cost: two batches for each match at once that they concern."""
        self.happened: Counter[str] = Counter()
        """Faults by their kind."""
        self.largest = 1
        """The most matches in one batch so far."""
        self._untaken: Counter[str] = Counter()
        """Matches that the organiser has taken from a host and not committed, each as often as it did."""

    def fault(self, cause: Cause, lanes: int, more: int = 0) -> None:
        """Count a fault that concerns so many matches at once, and so many results."""
        self.happened[cause] += 1
        self.at_most[cause] += 2 * lanes * self.largest + more

    def lost(self, begun: int, cause: Cause) -> None:
        """Count matches of which nothing comes."""
        self.begun += begun
        self.twice[cause] += begun

    def taken(self, match: str) -> None:
        """Count a match that the organiser has taken."""
        self.begun += 1
        self._untaken[match] += 1

    def committed(self, match: str) -> None:
        """Count a match that is in the store."""
        if self._untaken[match] == 1:
            del self._untaken[match]
        else:
            self._untaken[match] -= 1

    @property
    def uncommitted(self) -> int:
        """How many matches the organiser has taken and not committed."""
        return self._untaken.total()

    def drop_uncommitted(self, cause: Cause) -> None:
        """Count what was taken and never committed."""
        self.twice[cause] += self.uncommitted
        self._untaken.clear()
