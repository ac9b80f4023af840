"""The processes that play on a host of a cluster: started for a batch, and kept for the next one.

Bundles are unpacked once for all of them, into a folder that is closed to other users. It is the folder of a
forkserver, which removes it when this process ends, also by kill -9.
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Final

from referee.errors import LaunchError, RefereeError
from referee.hub.event_loop import EventLoop
from referee.hub.host_speed import HostSpeed
from referee.match.clock import MS
from referee.process.bundle_tar import unpack
from referee.process.forkserver import Forkserver
from referee.process.spec import BotSpec
from referee.worker.batch import Batch, BatchDone
from referee.worker.code import code_hash, game_hash
from referee.worker.local_member import LocalMember
from referee.worker.member import CrewMember
from referee.worker.orders import (
    FromWorker,
    MatchBegan,
    MatchOver,
    PlayMatches,
    SetUp,
    TakeBots,
    WorkerFailed,
    WorkerStarted,
)
from referee.worker.travel import settle

_IDLE_S: Final = 3.0
"""After this time without a batch a process is ended: its event is over, or its organiser has gone."""


class HostPlayers:
    """All processes that play on this host. Batches may be played in several threads at once."""

    def __init__(self, host: str) -> None:
        self.host = host
        self.speed = HostSpeed()
        self._keeper = Forkserver()
        self.folder = self._keeper.folder
        """What is there is removed when this process ends."""
        self._bundles = self.folder / "bots"
        self._spare = self.folder / "spare"
        for folder in (self._bundles, self._spare):
            folder.mkdir(mode=0o700)
        self._lock = Lock()
        self._unpacking = Lock()
        self._players: set[_Player] = set()
        # The kernel ends a process with the thread that started it: this thread lives as long as we do.
        self._starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="starter")

    def play(self, batch: Batch, tars: Mapping[str, bytes], is_wanted: Callable[[], bool]) -> BatchDone:
        """Play a batch to its end, or until it is not wanted any more; `tars` came with it."""
        began = time.monotonic()
        self.speed.sample()
        try:
            done = self._play(batch, tars, is_wanted)
        except LaunchError as error:
            done = self._done(trouble=str(error))
        self.speed.sample()
        return BatchDone(
            done.host,
            self.speed.per_second,
            time.monotonic() - began,
            done.over,
            done.ended,
            done.begun,
            done.lacking,
            done.trouble,
        )

    def _done(self, *, lacking: tuple[str, ...] = (), trouble: str = "") -> BatchDone:
        return BatchDone(self.host, 0.0, 0.0, lacking=lacking, trouble=trouble)

    def _play(self, batch: Batch, tars: Mapping[str, bytes], is_wanted: Callable[[], bool]) -> BatchDone:
        if batch.code != code_hash():
            return self._done(trouble=f"host {self.host} runs other code than the organiser")
        if flaw := _flaw_of_games(batch.games):
            return self._done(trouble=f"host {self.host} {flaw}; install the same version as the organiser's")
        with self._unpacking:
            for digest, tar in tars.items():
                unpack(tar, digest, self._bundles)
        wanted = dict.fromkeys(bot.digest for bot in batch.bots if bot.digest)
        if lacking := tuple(digest for digest in wanted if not (self._bundles / digest).is_dir()):
            return self._done(lacking=lacking)
        specs = tuple(
            settle(bot, self._bundles / bot.digest if bot.digest else None, self._spare, self.host)
            for bot in batch.bots
        )
        player = self._take(batch)
        try:
            return player.play(batch, specs, is_wanted, self)
        finally:
            self._give_back(player)

    def _take(self, batch: Batch) -> "_Player":
        """Return a process of this event that is idle, or a new one."""
        with self._lock:
            for player in self._players:
                if player.event == batch.event and not player.is_busy:
                    player.is_busy = True
                    return player
        player = self._starter.submit(_Player, batch).result()
        with self._lock:
            self._players.add(player)
        return player

    def _give_back(self, player: "_Player") -> None:
        with self._lock:
            player.is_busy = False
            player.used = time.monotonic()
            if not player.has_ended:
                return
            self._players.discard(player)
        player.end()

    def end_idle(self, after_s: float = _IDLE_S) -> None:
        """End the processes that no batch has needed for some time."""
        until = time.monotonic() - after_s
        with self._lock:
            idle = [one for one in self._players if not one.is_busy and one.used <= until]
            self._players.difference_update(idle)
        for player in idle:
            player.end()

    def stop(self) -> None:
        """Let all processes end at once; batches that are being played end with them."""
        with self._lock:
            players = list(self._players)
        for player in players:
            player.kill()

    def close(self) -> None:
        """End everything, and remove all bundles."""
        self.stop()
        self.end_idle(after_s=0.0)
        self._starter.shutdown()
        self._keeper.close()


def _flaw_of_games(games: Mapping[str, str]) -> str:
    """Return which game is another one here than where its hash was taken; '' if none is."""
    for game, digest in games.items():
        try:
            if game_hash(game) != digest:
                return f"has other code of the game {game}"
        except RefereeError as error:
            return f"cannot play: {error}"
    return ""


class _Player:
    """One process that plays, for one batch at a time."""

    def __init__(self, batch: Batch) -> None:
        self.event = batch.event
        self.is_busy = True
        self.used = 0.0
        self.has_ended = False
        """Whether it is of no use any more."""
        self._loop = EventLoop()
        self._open: set[str] = set()
        self._begun: dict[str, None] = {}
        self._over: list[MatchOver] = []
        self._how = ""
        self._member = LocalMember(self._loop, 1, self._take, self._gone)
        self._member.send(SetUp(1, 1, batch.profile))

    def play(
        self, batch: Batch, specs: tuple[BotSpec, ...], is_wanted: Callable[[], bool], host: HostPlayers
    ) -> BatchDone:
        """Play a batch, and measure meanwhile."""
        self._open = {order.match for order in batch.matches}
        self._begun, self._over = {}, []
        self._member.send(TakeBots(specs, batch.broken))
        self._member.send(PlayMatches(batch.matches))
        while self._open and not self.has_ended:
            self._loop.turn(50 * MS)
            host.speed.sample_now_and_then()
            if not is_wanted():
                self.has_ended, self._how = True, "was let go: its matches are not wanted any more"
        return BatchDone(
            host.host, 0.0, 0.0, tuple(self._over), self._how if self._open else "", tuple(self._begun)
        )

    def _take(self, _: CrewMember, record: FromWorker) -> None:
        match record:
            case WorkerStarted(code=code) if code != code_hash():
                self.has_ended, self._how = True, "runs code that was changed since its host joined"
            case MatchBegan(match=match):
                self._begun[match] = None
            case MatchOver(match=match):
                self._open.discard(match)
                self._begun.pop(match, None)
                self._over.append(record)
            case WorkerFailed(why=why):
                self.has_ended, self._how = True, f"failed: {why}"

    def _gone(self, member: CrewMember) -> None:
        self.has_ended = True
        self._how = self._how or member.end()

    def kill(self) -> None:
        """End the process without waiting."""
        self._member.kill()

    def end(self) -> None:
        """End the process, and all it has started."""
        self._member.end()
        self._loop.close()
