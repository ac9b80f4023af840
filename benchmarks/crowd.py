"""`python -m benchmarks.crowd`: a thousand bots connected to one daemon at once, and all of them play.

The bots live in a few processes, with a socket each; every one is let in, measured, matched and asked as any
bot from elsewhere is. There are half as many matches as bots, so every bot plays.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import zmq
from msgspec import Struct

from benchmarks.echo import ROOT
from benchmarks.meter import Meter, pss_kib, rss_kib
from benchmarks.samples import GAME
from protocol import limits
from protocol.codec import Encoding, encode, from_referee
from protocol.messages import Act, Ask, Bye, Hello, Message, Ping, Pong, Ready, Start
from referee import registry
from referee.hub.event_loop import allow_many_files, collect_rarely
from referee.hub.pairing import Finished
from referee.match.faults import PROFILES
from referee.server.daemon import Daemon
from referee.server.served_game import ServedGame
from tournaments.ladder import Ladder

_PROCESSES = 4
_SEATS = 2


class Crowd(Struct, frozen=True):
    """What came of it."""

    bots: int
    matches: int
    faults: int
    decisions: int
    connect_s: float
    play_s: float
    own_s: float
    """Processor time of the daemon while they played."""
    daemon_kib: int
    gate_kib: int
    choose_s: float
    """What the ladder takes to choose one match among all bots."""

    def lines(self) -> list[str]:
        """Return the figures, for people."""
        rate = self.decisions / self.play_s
        own_us = 1e6 * self.own_s / self.decisions
        return [
            f"{self.bots} bots connected and measured in {self.connect_s:.1f} s",
            f"{self.matches} matches, {self.bots // _SEATS} at once, in {self.play_s:.1f} s: "
            f"{self.decisions:,} decisions, {rate:,.0f} a second, {self.faults} lost by a fault",
            f"daemon: {self.daemon_kib / 1024:.0f} MiB, {own_us:.0f} us a decision; "
            f"gate: {self.gate_kib / 1024:.0f} MiB, {self.gate_kib / self.bots:.0f} KiB a bot",
            f"the ladder chooses a match among {self.bots} bots in {1e3 * self.choose_s:.0f} ms",
        ]


def gather(bots: int, matches: int) -> Crowd:
    """Let so many bots come and play so many matches, and measure."""
    allow_many_files()
    done: list[Finished] = []
    # Far more bots than processors: who is slow here is the host, and a minute is enough for it.
    patience = PROFILES["classroom"].timed({"ready_ms": 120_000, "first_ms": 60_000, "move_ms": 60_000})
    with TemporaryDirectory(prefix="crowd-") as folder:
        game = ServedGame(
            registry.game(GAME),
            _SEATS,
            {},
            folder=Path(folder),
            # The first bots in the list: the time a ladder takes to choose is measured separately.
            choose=lambda names, _: names[:_SEATS] if len(names) >= _SEATS else None,
            jobs=bots // _SEATS,
            profile=patience,
            seed="crowd",
        )
        served = Daemon("tcp://127.0.0.1:0", [game], folder=Path(folder), most_bots=bots, report=done.append)
        began = time.monotonic()
        command = [sys.executable, "-m", "benchmarks.crowd", "--be"]
        share = [bots // _PROCESSES + (n < bots % _PROCESSES) for n in range(_PROCESSES)]
        crowd = [subprocess.Popen([*command, str(n), served.address], cwd=ROOT) for n in share if n]
        try:
            hub = served.hub
            while sum(session.admission.measured for session in hub.sessions) < bots:
                hub.loop.turn()
            connect_s = time.monotonic() - began
            collect_rarely()
            meter = Meter()
            served.run(matches=matches)
            decisions = sum(one.result.decisions for one in done)
            cost = meter.read(decisions)
            return Crowd(
                bots,
                len(done),
                sum(any(one.result.faults) for one in done),
                decisions,
                connect_s,
                cost.wall_s,
                cost.own_s,
                rss_kib(),
                pss_kib(served.gate_watch.pid),
                _choose_s(bots),
            )
        finally:
            served.close()
            for each in crowd:
                each.terminate()
                each.wait()


def _choose_s(bots: int) -> float:
    ladder = Ladder("crowd", GAME, _SEATS)
    began = time.process_time()
    ladder.choose([f"bot{n}" for n in range(bots)], [])
    return time.process_time() - began


def be(bots: int, address: str) -> None:
    """Be so many bots in one process, each with a connection of its own."""
    allow_many_files()
    context = zmq.Context()
    context.set(zmq.MAX_SOCKETS, bots + 16)
    poller = zmq.Poller()
    for n in range(bots):
        bot = context.socket(zmq.DEALER)
        bot.setsockopt(zmq.LINGER, 0)
        bot.connect(address)
        hello = Hello([limits.VERSION], f"bot{os.getpid()}-{n}", wants=["legal"])
        bot.send(encode(hello, Encoding.MSGPACK))
        poller.register(bot, zmq.POLLIN)
    staying = bots
    while staying:
        for bot, _ in poller.poll(5_000):
            message = from_referee(bot.recv())
            if isinstance(message, Bye):
                poller.unregister(bot)
                staying -= 1
            elif (answer := _answer(message)) is not None:
                bot.send(encode(answer, Encoding.MSGPACK))


def _answer(message: Message) -> Message | None:
    match message:
        case Ask(legal=[first, *_]):
            return Act(message.match, message.id, first)
        case Start():
            return Ready(message.match)
        case Ping():
            return Pong(message.n)
    return None


@click.command()
@click.option("--bots", type=click.IntRange(min=2), default=1_000, show_default=True)
@click.option("--matches", type=click.IntRange(min=1), help="Default: one for every two bots.")
@click.option("--be", "crowd", type=(int, str), hidden=True)
def main(bots: int, matches: int | None, crowd: tuple[int, str] | None) -> None:
    """Connect many bots to one daemon at once, let them play, and print what it took."""
    if crowd is not None:
        be(*crowd)
        return
    found = gather(bots, matches or bots // _SEATS)
    print("\n".join(found.lines()))
    sys.exit(1 if found.faults else 0)


if __name__ == "__main__":
    main()
