"""The hosts of a cluster as its organiser knows them: which may play, which are refused, and why."""

import platform
from collections.abc import Callable, Iterable, Mapping
from statistics import median_high
from typing import Any, Final

from protocol import limits
from referee.wording import clean
from referee.worker.code import code_hash

SLOWEST: Final = 0.5
"""A host below this part of the median speed of all hosts is refused: bots would lose on time there."""

_SLOW_LOOKS: Final = 5
"""So many looks in a row must find a host slow: any host may be held up for a moment."""

_STRIKES: Final = 3
"""So many batches of a host may fail without a match coming to its end between."""


class Host:
    """One host that has joined."""

    def __init__(self, address: str, name: str, lanes: int) -> None:
        self.address = address
        self.name = name
        self.lanes = lanes
        """How many matches it plays at once."""
        self.speed = 0.0
        self.bundles: set[str] = set()
        """Digests of what was sent there."""
        self.refusal = ""
        """Why it is refused; '' if it may play."""
        self.heard = 0.0
        """When the last result came from it."""
        self.is_resting = False
        """Whether it gets no lane for now, because a batch took far too long there."""
        self._slow_looks = 0
        self._strikes = 0

    def is_slow(self, usual: float) -> bool:
        """Return whether the host has had far less than the usual speed at every one of the last looks."""
        self._slow_looks = self._slow_looks + 1 if self.speed < SLOWEST * usual else 0
        return self._slow_looks >= _SLOW_LOOKS

    def failed(self, why: str) -> bool:
        """Count a batch that has failed; return whether the host is refused for it now."""
        self._strikes += 1
        if self._strikes < _STRIKES or self.refusal:
            return False
        self.refusal = f"{_STRIKES} of its batches have failed, the last one because it {why}"
        return True

    def succeeded(self) -> None:
        """Take note of a batch that was played."""
        self._strikes = 0


class HostList:
    """All hosts that are there."""

    def __init__(self, processors: int, note: Callable[[str], None]) -> None:
        """Begin with none; a match needs so many processors, `note` gets lines for the operator."""
        self._processors = processors
        self._note = note
        self.known: dict[str, Host] = {}

    @property
    def able(self) -> list[Host]:
        """The hosts that may play."""
        return [host for host in self.known.values() if not host.refusal]

    def look(self, workers: Mapping[str, Mapping[str, Any]]) -> None:
        """Take what the scheduler knows of its workers now, by address."""
        for address in self.known.keys() - workers.keys():
            gone = self.known.pop(address)
            if not gone.refusal:
                self._note(f"host {gone.name} has left the cluster")
        for address, found in workers.items():
            host = self.known.get(address) or self._join(address, found)
            beat = found.get("metrics", {}).get("referee", {})
            host.speed = float(beat.get("speed", 0.0) or 0.0)
        self._refuse_slow()

    def refuse(self, host: Host, why: str) -> None:
        """Give a host no more matches."""
        host.refusal = why
        self._note(f"host {host.name} is refused: {clean(why)}")

    def _join(self, address: str, found: Mapping[str, Any]) -> Host:
        facts = found.get("referee") or {}
        processors = int(found.get("resources", {}).get("processors", 0))
        name = clean(str(facts.get("host") or found.get("name") or address))
        host = self.known[address] = Host(address, name, processors // self._processors)
        if why := self._flaw(facts, processors):
            self.refuse(host, why)
        else:
            self._note(f"host {name} has joined the cluster, and plays {host.lanes} at once")
        return host

    def _flaw(self, facts: Mapping[str, Any], processors: int) -> str:
        """Return why a host may not play; '' if it may."""
        if not facts:
            return "it was not started with `referee worker`"
        if facts.get("protocol") != limits.VERSION or facts.get("code") != code_hash():
            return "its referee is not the same code as here; install the same version on both"
        if facts.get("machine") != platform.machine():
            return f"it is of another kind ({facts.get('machine')}), and bots were built for this one"
        if processors < self._processors:
            return f"it offers {processors} processors, and a match needs {self._processors}"
        return ""

    def _refuse_slow(self) -> None:
        measured = [host for host in self.able if host.speed]
        if len(measured) < 2:
            return
        usual = median_high(host.speed for host in measured)
        for host in measured:
            if host.is_slow(usual):
                self.refuse(
                    host,
                    f"under the load of matches it has {host.speed / usual:.0%} of the speed of the others, "
                    f"less than {SLOWEST:.0%}",
                )


def refusals(hosts: Iterable[Host]) -> str:
    """Return why these hosts are refused, in one line."""
    return "; ".join(f"{host.name}: {host.refusal}" for host in hosts)
