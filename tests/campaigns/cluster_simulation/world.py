"""Simulated time: hosts, a scheduler and a network, with everything that goes wrong there.

What the organiser does takes no time. What happens within a tick reaches it together, as in a loop that is
busy for that long.
"""

import heapq
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from distributed import CancelledError
from msgspec import Struct

from tests.campaigns.cluster_simulation.faults import Cause, Faults
from tests.campaigns.cluster_simulation.hosts import SimulatedHost, Task
from tests.campaigns.cluster_simulation.ledger import Ledger

TICK_S: Final = 2.0
"""The time between two looks at which hosts are there, and of one turn of the organiser."""

_LOOK_S: Final = 60.0
"""The time between two looks at which nothing is new: for what the organiser finds to be late."""

_DAY_S: Final = 86_400.0
_LOAD: Final = 0.8
"""Without faults the matches take this part of the time for which faults last."""

_NOTICE_S: Final = 30.0
"""How long at most the scheduler hears nothing from a host before it takes it as gone."""

_LONGEST: Final = 20.0
"""A run that takes so many times as long as faults last does not end."""


class Setting(Struct, frozen=True):
    """What is simulated."""

    hosts: int
    matches: int
    hours: float
    seed: int
    faults: Faults


class OrganiserKilled(BaseException):
    """The organiser's process is killed: no code of ours handles that."""


class EndlessRunError(Exception):
    """The organiser waits for something that does not come."""


class World:
    """All that is not the organiser."""

    def __init__(self, setting: Setting) -> None:
        self.now = 0.0
        self.setting = setting
        self.faults = setting.faults
        self.ledger = Ledger()
        self.hosts = [SimulatedHost(number, self.faults, setting.seed) for number in range(setting.hosts)]
        self.lanes = sum(host.lanes for host in self.hosts)
        self.killed: Counter[str] = Counter()
        """By match: how many processes were killed while they played it."""
        self.refused: list[SimulatedHost] = []
        """The hosts that organisers have refused, each time that one did."""
        self.look: Callable[[], None] | None = None
        """Lets the organiser look which hosts are there, if there is an organiser."""
        self.length_s = _LOAD * self._until * self.capacity / setting.matches
        """How long a match of usual length takes on a usual host."""
        self._luck = random.Random(f"{setting.seed}-world")
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._count = itertools.count()
        self._view: dict[str, dict[str, Any]] = {}
        """What the scheduler knows of its hosts, by address."""
        self._addresses: dict[str, SimulatedHost] = {}
        self._refused: set[str] = set()
        self._lied: set[str] = set()
        """Addresses of hosts that this organiser has refused, and of those that have lied to it."""
        self._is_up = True
        self._looks = False
        self._stall_s = 0.0
        self._begin()

    @property
    def _until(self) -> float:
        """Until when new faults come."""
        return self.setting.hours * 3600

    @property
    def capacity(self) -> float:
        """How many usual hosts, with one match at once, play as much as all of these do."""
        return sum(host.lanes * host.usual_speed for host in self.hosts)

    def _begin(self) -> None:
        self._keep_looking()
        for host in self.hosts:
            self.after(host.luck.uniform(0, 20), partial(self._join, host))
            self._again_and_again(self.faults.crashes, host.luck, partial(self._crash, host))
            self._again_and_again(self.faults.cuts, host.luck, partial(self._cut, host))
        self._again_and_again(self.faults.scheduler_restarts, self._luck, self._stop_scheduler)
        self._again_and_again(self.faults.organiser_kills, self._luck, self._kill_organiser)
        self._again_and_again(self.faults.stalls, self._luck, self._stall)

    # Time.

    def after(self, wait_s: float, event: Callable[[], None]) -> None:
        """Let something happen after a time."""
        heapq.heappush(self._events, (self.now + wait_s, next(self._count), event))

    def _again_and_again(self, a_day: float, luck: random.Random, event: Callable[[], None]) -> None:
        """Let something happen so often in a day, until faults end."""
        if not a_day:
            return
        wait_s = luck.expovariate(a_day / _DAY_S)
        if self.now + wait_s < self._until:
            self.after(wait_s, event)
            self.after(wait_s, partial(self._again_and_again, a_day, luck, event))

    def advance(self) -> None:
        """Let time go on until something happens, and let all happen that falls into the same tick."""
        if not self._events or self.now > _LONGEST * self._until:
            raise EndlessRunError(f"the run has not ended after {self.now / 3600:.0f} simulated hours")
        self._until_time(self._events[0][0] + TICK_S)

    def wait(self, wait_s: float) -> None:
        """Let time go on without the organiser."""
        until = self.now + wait_s
        self._until_time(until)
        self.now = until

    def _until_time(self, until: float) -> None:
        while self._events and self._events[0][0] < until:
            self.now, _, event = heapq.heappop(self._events)
            event()

    # What the organiser asks of the cluster.

    def workers(self) -> dict[str, dict[str, Any]]:
        """Return the hosts that the scheduler knows; raises OSError while there is no scheduler."""
        if not self._is_up:
            raise OSError("no scheduler")
        return dict(self._view)

    def submit(self, key: str, data: bytes, address: str) -> Task:
        """Send a batch to a host."""
        host = self._addresses.get(address) if self._is_up else None
        task = Task(key, data, host)
        task.cancel, task.release = partial(self._cancelled, task), partial(self._released, task)
        self.ledger.largest = max(self.ledger.largest, len(task.batch.matches))
        if host is not None:
            host.waiting.append(task)
            self._play(host)
        return task

    def _cancelled(self, task: Task) -> None:
        """End a batch that the organiser does not want any more; a host that is cut off plays on."""
        host = task.host
        if host is None or task.is_settled:
            return
        if host.is_cut and not task.is_over:
            task.is_unwanted = True
            return
        self._lose([task], self._blame(host))
        self._play(host)

    def _blame(self, host: SimulatedHost) -> Cause:
        """Return why the organiser may have let go of what a host plays."""
        if self.look is None:
            return "the organiser was killed"
        if host.is_slow:
            return "a host is too slow"
        if host.is_liar:
            return "a host lies"
        if host.address not in self._view:
            return "a network cut"
        if self.now < host.delayed_until:
            return "a batch straggled"
        return "a process on a host was killed" if self.now < host.shaken_until else "unexplained"

    def _released(self, task: Task) -> None:
        """Count what the organiser has taken."""
        if task.is_settled or task.host is None:
            return
        task.is_settled = True
        host, done = task.host, task.done
        assert done is not None
        if host.is_liar:
            if host.address not in self._lied:
                self._lied.add(host.address)
                self.ledger.fault("a host lies", host.lanes)
                # Only a look shows what is refused.
                self._news()
            self.ledger.lost(len(task.batch.matches), "a host lies")
            return
        played = done.over[: len(task.batch.matches)]
        for over in played:
            self.ledger.taken(over.match)
        self.ledger.happened["a result came a second time"] += len(done.over) - len(played)
        host.last = done.over[-1] if done.over else host.last
        for match in done.begun:
            self.killed[match] += 1
            host.deaths += 1
            host.shaken_until = self.now + 2 * TICK_S
            self.ledger.fault("a process on a host was killed", 1)
            self.ledger.lost(1, "a process on a host was killed")

    def refuses(self, addresses: Iterable[str]) -> None:
        """Take note which hosts the organiser refuses now."""
        for address in addresses:
            if address not in self._refused:
                self._refused.add(address)
                host = self._addresses[address]
                self.refused.append(host)
                if host.is_slow:
                    self.ledger.fault("a host is too slow", host.lanes)

    # Hosts that play.

    def _play(self, host: SimulatedHost) -> None:
        """Begin what waits, as far as the host has room."""
        while host.is_up and not host.is_cut and host.waiting and len(host.playing) < host.lanes:
            self._start(host, host.waiting.popleft())

    def _start(self, host: SimulatedHost, task: Task) -> None:
        host.playing[task] = None
        strain = host.strain()
        task.began, task.takes = self.now, strain * host.time_for(task.batch, self.length_s)
        if strain > 1:
            host.delayed_until = max(host.delayed_until, self.now + 2 * task.takes)
            self.ledger.fault("a batch straggled", host.lanes)
        self.after(task.takes, partial(self._over, host, task))
        if not host.has_said_speed:
            host.has_said_speed = True
            self.after(10 * TICK_S, partial(self._say_speed, host, host.address))

    def _say_speed(self, host: SimulatedHost, address: str) -> None:
        if address in self._view:
            self._view[address] = host.facts()
            self._news()

    def _over(self, host: SimulatedHost, task: Task) -> None:
        if task not in host.playing:
            return
        del host.playing[task]
        task.is_over = True
        if host.is_cut:
            host.unsent.append(task)
        else:
            self._deliver(host, task)
        # What waits was sent before a cut, so it is there.
        if host.waiting and len(host.playing) < host.lanes:
            self._start(host, host.waiting.popleft())

    def _deliver(self, host: SimulatedHost, task: Task) -> None:
        data, task.done = host.done(task)
        task.answer(data)

    def _lose(self, tasks: Iterable[Task], cause: Cause) -> None:
        """Take batches from their hosts, and count what was played of them."""
        for task in tasks:
            host = task.host
            if host is None or task.is_settled:
                continue
            task.is_settled = True
            begun = len(task.batch.matches) if task.is_over else task.begun(self.now)
            self.ledger.lost(begun, cause)
            host.playing.pop(task, None)
            for others in (host.waiting, host.unsent):
                if task in others:
                    others.remove(task)

    # Hosts that come and go.

    def _join(self, host: SimulatedHost) -> None:
        """Let a host join, if there is a scheduler; if not, it joins when there is."""
        host.is_up, host.is_cut, host.has_said_speed = True, False, False
        if not self._is_up or host.address in self._view:
            return
        host.joined += 1
        self._addresses[host.address] = host
        self._view[host.address] = host.facts()
        self._news()

    def _leave(self, host: SimulatedHost, address: str, *, if_cut: bool = False) -> None:
        """Let the scheduler notice that a host is gone."""
        is_back = if_cut and not host.is_cut
        if not is_back and self._view.pop(address, None) is not None:
            self._news()

    def _crash(self, host: SimulatedHost) -> None:
        if not host.is_up:
            return
        self.ledger.fault("a host crashed", host.lanes)
        host.is_up = False
        self._lose(host.tasks, "a host crashed")
        self.after(host.luck.uniform(0, _NOTICE_S), partial(self._leave, host, host.address))
        away_s = _NOTICE_S + host.luck.expovariate(1 / self.faults.away_s)
        self.after(away_s, partial(self._join, host))

    def _cut(self, host: SimulatedHost) -> None:
        if not host.is_up or host.is_cut:
            return
        self.ledger.fault("a network cut", host.lanes)
        host.is_cut = True
        self.after(
            host.luck.uniform(0.5, 1) * _NOTICE_S, partial(self._leave, host, host.address, if_cut=True)
        )
        self.after(host.luck.expovariate(1 / self.faults.cut_s), partial(self._heal, host, host.address))

    def _heal(self, host: SimulatedHost, address: str) -> None:
        """End a cut: results arrive late, and too late if the scheduler has given up the host."""
        if not host.is_up or not host.is_cut or host.address != address:
            return
        host.is_cut = False
        unsent, host.unsent = host.unsent, []
        for task in unsent:
            self._deliver(host, task)
        if address in self._view:
            self._play(host)
            return
        self._lose([*(task for task in unsent if task.is_unwanted), *host.tasks], "a network cut")
        self.after(host.luck.uniform(1, 5), partial(self._join, host))

    # The scheduler and the organiser.

    def _stop_scheduler(self) -> None:
        """Let the scheduler end: its clients cancel all futures, and hosts end what they play."""
        if not self._is_up:
            return
        self.ledger.fault("the scheduler restarted", self.lanes)
        self._is_up = False
        self._view.clear()
        for host in self.hosts:
            tasks = host.tasks
            self._lose(tasks, "the scheduler restarted")
            for task in tasks:
                task.answer(CancelledError("scheduler-connection-lost"))
        self._news()
        self.after(self._luck.uniform(5, 60), self._start_scheduler)

    def _start_scheduler(self) -> None:
        self._is_up = True
        for host in self.hosts:
            if host.is_up and not host.is_cut:
                self.after(host.luck.uniform(0, 5), partial(self._join, host))
        self._news()

    def _kill_organiser(self) -> None:
        if self.look is None:
            return
        self.ledger.fault("the organiser was killed", self.lanes, self.ledger.uncommitted)
        self.look = None
        for host in self.hosts:
            self._lose(host.tasks, "the organiser was killed")
            host.last = None
        self.ledger.drop_uncommitted("the organiser was killed")
        raise OrganiserKilled

    def _stall(self) -> None:
        """Let the next commit take very long."""
        self.ledger.happened["the organiser's disk was slow"] += 1
        self._stall_s = self._luck.uniform(60, 360)

    def commit_s(self) -> float:
        """Return how long the next commit takes."""
        stall_s, self._stall_s = self._stall_s, 0.0
        return stall_s + self._luck.uniform(0.2, 1.8) * self.faults.commit_s

    def restart_s(self) -> float:
        """Return how long it takes until a killed organiser is started again."""
        return self._luck.uniform(10, 120)

    def arrive(self, look: Callable[[], None]) -> None:
        """Take note of a new organiser, and of how it looks which hosts are there."""
        self.look = look
        self._refused.clear()
        self._lied.clear()
        self._news()

    def _news(self) -> None:
        """Let the organiser see soon that hosts have come or gone."""
        if not self._looks:
            self._looks = True
            self.after(TICK_S, self._let_look)

    def _keep_looking(self) -> None:
        self._news()
        self.after(_LOOK_S, self._keep_looking)

    def _let_look(self) -> None:
        self._looks = False
        if self.look is not None:
            self.look()

    def end(self) -> None:
        """Count what hosts still play that were cut off: the run is over."""
        for host in self.hosts:
            self._lose(host.tasks, "a network cut" if host.is_cut else "unexplained")
        self.ledger.drop_uncommitted("unexplained")
