"""The daemon: bots connect from other hosts, are matched, and play continuously.

The public gate, the one socket that strangers can reach, is a process of its own. When it ends, for any
reason, it is opened again at the same address; bots come back with their sessions, and their matches go on.

A daemon that is restarted sends a bye that says when it will be back, and keeps what must outlast that
(`referee.server.kept_state`). One daemon may play several games; a bot plays those that its hello names.
"""

import itertools
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from weakref import WeakSet

from protocol.codec import encode
from protocol.messages import Bye, Refuse
from referee import names
from referee.errors import AddressError
from referee.gate.config import GateConfig
from referee.gate.cooldown import Cooldown
from referee.gate.keystore import KeyStore
from referee.gate.records import Beat, Deliver, Expelled, Failed, Forget, Greeted, Noted, Opened, Up
from referee.hub.archive import Keep
from referee.hub.hub import Hub
from referee.hub.match_run import MatchRun
from referee.hub.pairing import Finished
from referee.hub.running_match import RunningMatch
from referee.hub.session import Session
from referee.match.clock import MS
from referee.match.faults import FaultCode
from referee.process.forkserver import Forkserver
from referee.replay import files
from referee.server.author_notices import AuthorNotices
from referee.server.gate_watch import GateWatch
from referee.server.kept_state import KeptSession, KeptState, read_state, write_state
from referee.server.served_game import ServedGame

_AWAY_NS = 60_000 * MS
"""How long the daemon waits for a bot that lost its connection."""

_RETURN_NS = 1_000 * MS
"""What bots are given to come back through a gate that was open and has ended."""

_MOST_FAULTS = 3
"""A bot that loses this many matches in a row by its own fault is sent away."""

_FAREWELL_NS = 300 * MS
"""How long the gate stays open for bots that were sent a bye."""

_LOOK_NS = 50 * MS
"""How often the daemon looks which bots its matches wait for: a look in every turn would cost time."""

_DRAIN_MS = 30_000
"""How long matches may go on after the daemon was asked to stop."""


class Daemon:
    """Lets bots in, matches them, and keeps the results."""

    reopen_ns = 200 * MS
    """After this time a gate that has ended is opened again."""

    def __init__(
        self,
        address: str,
        games: Sequence[ServedGame],
        *,
        folder: Path,
        most_bots: int = 256,
        keys: Path | None = None,
        site: str = "",
        keep: Keep = lambda _: None,
        report: Callable[[Finished], None] = lambda _: None,
        note: Callable[[str], None] = lambda _: None,
        watch: Callable[[Hub], None] = lambda _: None,
        trace: Callable[[Up], None] = lambda _: None,
        forkserver: Forkserver | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Open the gate; `note` is called with what the operator should know.

        With a folder of `keys` only bots on its list may enter, each under its account. `site` is the address
        of the web site, for the authors of bots. `watch` is given the hub before the gate is open, `trace`
        each record of the gate. What outlasts a restart is in the folder; `keep` commits the results.

        Raises AddressError if the address cannot be bound, ConfigError if the keys are no good.
        """
        _check_keys(keys)
        self.games = {game.id: game for game in games}
        self.address = ""
        self.played = 0
        self.back_ms: int | None = None
        """After how long the daemon listens again when it is closed; None if it does not come back."""
        self._folder = folder
        self._turns = list(games)
        """The games in the order in which they may begin a match: the last to begin one comes last."""
        self._most_bots = most_bots
        self._keys = None if keys is None else str(keys.resolve())
        self._site = site
        self._report = report
        self._note = note
        self._now = now
        kept = read_state(folder)
        self._returning = kept.sessions
        """Sessions of before a restart whose bots have not come back yet."""
        self.faults_in_a_row: Counter[str] = Counter(kept.faults_in_a_row)
        """By name: how many matches in a row it has lost by its own fault."""
        self._players: dict[str, Sequence[Session]] = {}
        """By match: its bots, by seat."""
        self._sent_away: WeakSet[Session] = WeakSet()
        self.cooldown = Cooldown()
        """Accounts that were sent away. They may connect again, but get no match for a while."""
        self.cooldown.restore(kept.aged(time.time()), time.monotonic())
        self._looked_ns = time.monotonic_ns()
        self._away_since: dict[str, int] = {}
        self._connected: dict[int, Session] = {}
        """By the gate's number for its bot."""
        self._unopened = ""
        """Why the gate cannot be opened again; '' if it can, or has not been tried."""
        self._trace = trace
        self.hub = Hub(
            on_gone=self._gone,
            forkserver=forkserver,
            jobs=sum(game.jobs for game in games),
            replays=folder,
            profile=games[0].profile,
            keep=keep,
            report=self._finished,
        )
        self.notices = AuthorNotices(self.hub, games, now)
        self.gate_watch = GateWatch(self.hub, self._take)
        self._run = MatchRun(self.hub, note, limit_ms=_DRAIN_MS)
        self._start(address, watch)

    def _start(self, address: str, watch: Callable[[Hub], None]) -> None:
        """Open the gate and wait until it listens."""
        try:
            for game in self.games.values():
                files.make_private(game.folder)
                game.follow_hours(self._now())
            if self._returning:
                # They are ours now: after a kill their matches would be lost, and with them the sessions.
                self._keep_state({})
            watch(self.hub)
            self._open(address)
            while not self.address:
                self.hub.loop.turn()
        except BaseException:
            self.close()
            raise

    # The gate.

    def _open(self, address: str) -> None:
        self.gate_watch.open(GateConfig(address, None, self._most_bots, self._keys))

    def _take(self, record: Up) -> None:
        self._trace(record)
        if isinstance(record, Opened):
            # Once: a gate does not decide where the next one is opened.
            self.address = self.address or record.address
            if self._unopened:
                self._unopened = ""
                self._note("the public gate is open again")
        elif isinstance(record, Failed):
            self._gate_failed(record)
        elif isinstance(record, Greeted):
            self._greeted(record)
        elif isinstance(record, Noted):
            self._note(record.text)
        elif isinstance(record, Expelled):
            if record.bot in self._connected:
                self._connected[record.bot].fail(FaultCode.DISCONNECTED, record.why)
        elif not isinstance(record, Beat) and record.bot in self._connected:
            self._connected[record.bot].take(record)

    def _gate_failed(self, record: Failed) -> None:
        if not self.address:
            raise AddressError(record.why)
        if self.gate_watch.pid:
            self._note("the public gate has ended and is opened again; bots may come back")
            self.gate_watch.excuse(_RETURN_NS)
        elif record.why != self._unopened:
            self._unopened = record.why
            self._note(f"the public gate cannot be opened again yet; it is tried until it can: {record.why}")
        self._connected.clear()
        for session in self.hub.sessions:
            session.away = True
        self.hub.loop.at(time.monotonic_ns() + self.reopen_ns, self._reopen)

    def _reopen(self) -> None:
        if not self.hub.forkserver.has_ended():
            self._open(self.address)

    def _greeted(self, record: Greeted) -> None:
        """Take in a bot: one that comes back, or a new one."""
        before = self._connected.get(record.bot)
        known = [s for s in self.hub.sessions if record.session is not None and s.id == record.session]
        if record.account:
            # A session belongs to the account it began with, and an account has one at most.
            known = [session for session in known if session.name == record.account]
            for other in [s for s in self.hub.sessions if s.name == record.account]:
                if other is not before and other not in known:
                    other.fail(FaultCode.DISCONNECTED, "a newer connection with its key has taken its place")
        if not known and before is None and (why := self._unfit_name(record)):
            self._refuse(record, why)
            return
        # One connection is one bot: a second hello does not make another of it.
        session = known[0] if known else before or self._admit(record)
        is_new = session.is_starting
        if before is not None and before is not session:
            before.away = True
        self._away_since.pop(session.id, None)
        self._disconnect(session)
        self._connected[record.bot] = session
        assert self.gate_watch.gate is not None
        session.join(self.gate_watch.gate, record.bot)
        session.take(record)
        if is_new:
            self.notices.greet(session)

    def _unfit_name(self, record: Greeted) -> str:
        """Return why a bot may not play under the name it has chosen, or ''; accounts are the operator's."""
        if record.account or self._kept_name(record):
            return ""
        if flaw := names.flaw(record.name):
            return f"the name {record.name!r} is not admitted: {flaw}; choose another name"
        other = names.look_alike(record.name, [session.name for session in self.hub.sessions])
        if other is None:
            return ""
        return f"the name {record.name!r} looks like {other!r}, which is taken; choose another name"

    def _refuse(self, record: Greeted, why: str) -> None:
        """Send a bot away that has just said hello."""
        gate = self.gate_watch.gate
        assert gate is not None
        for message in (Refuse("name", why), Bye(why)):
            gate.send(Deliver(record.bot, "", 0, encode(message, record.encoding)))
        gate.send(Forget(record.bot, ""))
        self._note(f"a bot was refused: {why}")

    def _disconnect(self, session: Session) -> None:
        for bot in [bot for bot, other in self._connected.items() if other is session]:
            del self._connected[bot]

    def _admit(self, record: Greeted) -> Session:
        """Begin a session, or go on with one of before a restart."""
        kept = self._kept_name(record)
        session = self.hub.admit(record.account or kept or self._free_name(record.name))
        session.site = self._site
        if kept and record.session is not None:
            del self._returning[record.session]
            session.id, session.returns = record.session, True
        for game in self.games.values():
            game.greet(session, record)
        self._note(f"{session.name} has come{' back' * bool(kept)} ({len(self.hub.sessions)} here)")
        return session

    def _kept_name(self, record: Greeted) -> str:
        """Return the name that a session of before a restart had, if the bot may go on with it; or ''."""
        kept = self._returning.get(record.session or "")
        if kept is None or kept.account is not bool(record.account):
            return ""
        if record.account:
            return kept.name if kept.name == record.account else ""
        return kept.name if kept.name not in {session.name for session in self.hub.sessions} else ""

    def _free_name(self, wanted: str) -> str:
        taken = {session.name for session in self.hub.sessions}
        numbered = itertools.chain([wanted], (f"{wanted}~{n}" for n in itertools.count(2)))
        return next(name for name in numbered if name not in taken)

    # Matches.

    def run(self, matches: int | None = None) -> None:
        """Match bots until `drain` is called, or until so many matches have been begun."""
        while not self.hub.draining and (matches is None or self.played < matches):
            self._send_away_the_lost()
            self.turn(200 * MS)
        while self.hub.running:
            self.hub.loop.turn(200 * MS)
        self.hub.run()

    def turn(self, most_ns: int) -> None:
        """Begin a match if there are bots for it, and handle what has happened; wait at most this long."""
        self.hub.loop.turn(0 if self._begin_next() else most_ns)
        now_ns = time.monotonic_ns()
        if now_ns - self._looked_ns < _LOOK_NS:
            return
        now = self._now()
        for game in self.games.values():
            game.look(self._running(game), now_ns - self._looked_ns)
            if game.follow_hours(now):
                self._note(self.notices.send_hours(game))
        self.notices.report_mute(self._note)
        self._looked_ns = now_ns

    def _running(self, game: ServedGame) -> list[RunningMatch]:
        """Return the matches of a game that are being played."""
        running = self.hub.running.values()
        return (
            list(running) if len(self.games) == 1 else [one for one in running if one.match.game is game.game]
        )

    def drain(self) -> None:
        """Begin no more matches; `run` returns when those that run have ended, or half a minute later.

        May be called from a signal handler, as may `abandon`.
        """
        self._run.drain()

    def abandon(self) -> None:
        """End all matches without a verdict, now."""
        self._run.abandon()

    def _begin_next(self) -> bool:
        """Begin one match, if there are bots and a table for it; return whether it was.

        Not several at once: to choose among a thousand bots takes a while, and those that play must be heard.
        """
        found = None if self.hub.paused else self.next_match()
        if found is None:
            return False
        self.begin(*found)
        return True

    def next_match(self) -> tuple[ServedGame, list[Session]] | None:
        """Return the game and the bots of the next match, by seat; None if there is none now."""
        for game in self._turns:
            running = self._running(game)
            if len(running) >= game.jobs or game.mode == "nothing":
                continue
            able = [session for session in self.hub.sessions if self._is_able(session, game)]
            players = game.next_players(able, running, time.monotonic_ns())
            if players is not None:
                return game, players
        return None

    def _is_able(self, session: Session, game: ServedGame) -> bool:
        """Return whether a bot could play, now or when another of its matches is over."""
        admission = session.admission
        able = session.is_open and admission.measured and not session.away
        return able and not self.cooldown.has(session.name, time.monotonic()) and admission.plays(game.id)

    def begin(self, game: ServedGame, players: Sequence[Session]) -> None:
        """Begin a match of a game among these bots."""
        self.played += 1
        self._turns.remove(game)
        self._turns.append(game)
        pairing = game.pairing(players)
        self._players[pairing.match] = players
        self.hub.begin(pairing, list(players))

    def _finished(self, finished: Finished) -> None:
        players = self._players.pop(finished.result.match)
        self.games[finished.result.game].ended(finished.result.match, players)
        for session, fault in zip(players, finished.result.faults, strict=True):
            name = session.name
            if session in self._sent_away:
                # It was charged for that already; on a slow disk the result comes late.
                continue
            self.faults_in_a_row[name] = self.faults_in_a_row[name] + 1 if fault else 0
            if not fault and not finished.result.void:
                self.cooldown.forgive(name)
            if self.faults_in_a_row[name] >= _MOST_FAULTS:
                self._send_away(name)
        self._report(finished)

    # Leaving.

    def _send_away(self, name: str) -> None:
        del self.faults_in_a_row[name]
        self._note(f"{name} is sent away: it lost {_MOST_FAULTS} matches in a row by its own fault")
        why = f"you lost {_MOST_FAULTS} matches in a row by your own fault; mend the bot, then join again"
        if self._keys is not None:
            # Without keys it could come back under another name, and spoil this one for others.
            pause = f"no match for {self.cooldown.send(name, time.monotonic()):.0f} s"
            self._note(f"{name} gets {pause}")
            why += f" (it gets {pause})"
            self._keep_state({})
        for session in [s for s in self.hub.sessions if s.name == name]:
            self._sent_away.add(session)
            session.dismiss(why)

    def _send_away_the_lost(self) -> None:
        now_ns = time.monotonic_ns()
        for session in [s for s in self.hub.sessions if s.away]:
            since_ns = self._away_since.setdefault(session.id, now_ns)
            if now_ns - since_ns > _AWAY_NS and not session.matches:
                session.fail(FaultCode.DISCONNECTED, "it lost its connection and did not come back")

    def _gone(self, session: Session, why: str) -> None:
        self._away_since.pop(session.id, None)
        self._disconnect(session)
        if not session.dismissed:
            self._note(f"{session.name} has gone: {why} ({len(self.hub.sessions)} here)")

    def close(self) -> None:
        """Dismiss all bots and close the gate."""
        self._run.over = True
        try:
            self.dismiss_all()
        finally:
            self.hub.close()

    def dismiss_all(self) -> None:
        """Send a bye to all bots, and leave the gate open until it has left.

        A bot that reads our bye and the end of the connection at once may lose the bye.
        """
        self.hub.abandon("the daemon closes")
        is_account = self._keys is not None
        here = {one.id: KeptSession(one.name, is_account) for one in self.hub.sessions if one.is_open}
        # Those that have not come back since the last restart may still come.
        self._keep_state({**self._returning, **here} if self.back_ms is not None else {})
        if not self.hub.sessions:
            return
        for session in list(self.hub.sessions):
            if self.back_ms is None:
                session.dismiss()
            else:
                session.dismiss("the referee is restarted", self.back_ms)
        over: list[None] = []
        # By the loop's time, which stands still while this host does: a bye could not leave in the meantime.
        self.hub.loop.at(time.monotonic_ns() + _FAREWELL_NS, lambda: over.append(None))
        while not over:
            self.hub.loop.turn()

    def _keep_state(self, sessions: dict[str, KeptSession]) -> None:
        """Write what outlasts a restart; a disk that does not take it costs no bot its match."""
        state = KeptState(
            time.time(),
            sessions,
            self.cooldown.suspensions(time.monotonic()),
            {name: count for name, count in self.faults_in_a_row.items() if count},
        )
        try:
            write_state(self._folder, state)
        except OSError as error:
            self._note(f"sessions and suspensions are not kept over a restart: {error.strerror}")


def _check_keys(keys: Path | None) -> None:
    """Raise ConfigError for keys that are no good, before anything is made."""
    if keys is not None:
        KeyStore(keys).server()
        KeyStore(keys).accounts()
