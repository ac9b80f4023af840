"""What a site costs the hub: the same matches without a site, with one, and with many watchers."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from statistics import median
from urllib.request import urlopen

from benchmarks.echo import ROOT
from benchmarks.meter import Cost, Medians
from benchmarks.play import Arena, Cast, arena
from benchmarks.samples import GAME
from benchmarks.sheet import Cell, Goal, Sheet, Size
from referee.hub.feed import Feed, FeedEar
from tournaments.live.settings import EventSource, SiteSettings
from tournaments.live.site_process import SiteProcess

NONE = "no site"
IDLE = "a site that no browser watches"
WATCHED = "a site with {} watchers"

AT_ONCE = 16
_TURNS = 3
"""How many times as often each is measured as elsewhere: the differences are small."""
_LONGER = 5
"""How many times as many decisions are measured: some seconds, so that many beats of the feed are in it."""


class MeteredFeed(Feed):
    """A feed that counts its own processor time."""

    spent_s = 0.0

    def _read(self) -> None:
        began = time.thread_time()
        super()._read()
        MeteredFeed.spent_s += time.thread_time() - began

    def _beat(self, due_ns: int) -> None:
        began = time.thread_time()
        super()._beat(due_ns)
        MeteredFeed.spent_s += time.thread_time() - began


def measure(size: Size) -> Sequence[Sheet]:
    """Measure the three in turns, with one hub; a ratio is the median of those of the turns."""
    watchers, count = (200, _TURNS * size.repetitions) if size.decisions > 100 else (4, 1)
    watched = WATCHED.format(watchers)
    modes = [NONE, IDLE, watched]
    turns: list[dict[str, Cost]] = []
    shares: list[float] = []
    with arena(Cast("hub", "stdio", 4)) as stage:
        stage.measure(AT_ONCE, size.decisions)
        for turn in range(count):
            costs = {}
            MeteredFeed.spent_s = 0.0
            for mode in (*modes[turn % 3 :], *modes[: turn % 3]):
                with _site(stage, mode, watchers):
                    costs[mode] = stage.measure(AT_ONCE, _LONGER * size.decisions)
            turns.append(costs)
            shares.append(100 * MeteredFeed.spent_s / costs[watched].own_s)

    def ratio(mode: str) -> float:
        return median(costs[mode].own_us / costs[NONE].own_us for costs in turns)

    rows: list[tuple[Cell, ...]] = []
    for mode in modes:
        middle = Medians.of([costs[mode] for costs in turns])
        rows.append((mode, AT_ONCE, round(middle.rate), middle.own_us, ratio(mode)))
    columns = ("what", "at once", "decisions /s", "CPU µs of the hub's process", "ratio")
    goals = [
        Goal(f"{watched}: percent of the hub's CPU that its feed takes", median(shares), "at most", 5),
        Goal(f"CPU of the hub, {watched} / {NONE}", ratio(watched), "at most", 1.05),
        Goal(f"CPU of the hub, {IDLE} / {NONE}", ratio(IDLE), "at most", 1.02),
    ]
    title = "What a site costs the hub, for a decision"
    remark = (
        "site, watchers, bots and hub share the processors here; the ratio has that in it, the percentage not"
    )
    return [Sheet("watchers", title, columns, rows, goals, [remark])]


@contextmanager
def _site(stage: Arena, mode: str, watchers: int) -> Iterator[None]:
    """Start a site for a hub, and its watchers, for a while."""
    if mode == NONE:
        yield
        return
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    source = EventSource(slug="run", kind="run", title="benchmark", game=GAME, planned=1_000_000)
    with ExitStack() as stack:
        site = stack.enter_context(SiteProcess(listener, SiteSettings((source,), url, True, playing="run")))
        site.attach(stage.hub, FeedEar(order=lambda *_: None), MeteredFeed)
        # Measured is the site as it serves, not the start of its process, which takes a processor a second.
        with urlopen(f"{url}/index.html") as answer:
            answer.read()
        if mode != IDLE:
            stack.enter_context(_clients(url, watchers))
        yield


@contextmanager
def _clients(url: str, count: int) -> Iterator[None]:
    """Let so many watchers read, in a process of their own. It yields: real watchers are on other hosts."""
    words = ["nice", "-n", "19", sys.executable, "-m", "benchmarks.stream_clients", url, str(count)]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdout.readline()
            yield
        finally:
            process.stdin.close()
            process.wait()
