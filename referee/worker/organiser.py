"""The hub of an organiser with several workers: it plans and writes, and lets its workers play.

To those who use it, it is a hub. Matches leave its queue in their order; all matches of one block, which have
the same deal and the same bots, go to the same worker, because what a bot could know of a deal is watched
there (`referee.hub.deal_guard`). A worker that ends costs the matches it was playing, and they are played
again; one match that has ended two workers is given up as void.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain, groupby, islice
from pathlib import Path
from typing import Final

from referee.chance import commitment
from referee.errors import RefereeError
from referee.hub.archive import Filing, Keep, MakeArchive
from referee.hub.capacity import WorkDivision
from referee.hub.hub import Hub
from referee.hub.pairing import Finished, Pairing
from referee.hub.running_match import InPlay
from referee.match.clock import MS
from referee.match.faults import PROFILES, Profile
from referee.process.spec import BotSpec
from referee.replay.format import ReplayText, header_of
from referee.worker.code import code_hash
from referee.worker.local_member import LocalMember
from referee.worker.member import AwayMatch, CrewMember, StartMember
from referee.worker.orders import (
    AbandonMatches,
    DrainMatches,
    FromWorker,
    MatchBegan,
    MatchesReturned,
    MatchMoment,
    MatchOver,
    NoWorkerLeft,
    Pause,
    PlayMatches,
    SetUp,
    TakeBots,
    WatchMatches,
    WorkerFailed,
    WorkerStarted,
    order_for,
)
from referee.worker.rooms import Rooms

_LOOK: Final = 64
"""So many matches of the queue, for each that is played at once, are looked at for one that may be given."""

_AHEAD: Final = 4
"""A worker has up to so many times as many matches as it plays at once, so that it never waits for us."""

_AHEAD_LIGHT: Final = 2
"""The same while it plays more matches of light bots: what one worker has, no other can play at the end."""

_TRIES: Final = 2
"""After so many ends of workers a match that each of them was playing is void."""

_RESTARTS: Final = 5
"""So many workers may end without one match coming to its end between."""

_LAST_NS: Final = 2_000 * MS
"""How long workers have to send what they abandon; then they are ended."""

Block = tuple[bytes, tuple[str, ...]]


class OrganiserHub(Hub):
    """A hub that lets workers play."""

    def __init__(
        self,
        bots: Iterable[BotSpec] = (),
        *,
        work: WorkDivision,
        replays: Path | None = None,
        compress: bool = False,
        profile: Profile = PROFILES["strict"],
        keep: Keep = lambda _: None,
        report: Callable[[Finished], None] = lambda _: None,
        note: Callable[[str], None] = lambda _: None,
        start: StartMember = LocalMember,
        whole_blocks: bool = False,
        archive: MakeArchive | None = None,
    ) -> None:
        """Get ready to play with workers; `note` gets lines for the operator.

        The workers are started with the first match: until then bots are tried here. With `whole_blocks` all
        matches of a block are given at once, because what is given next may be played on another host.
        """
        super().__init__(
            bots,
            jobs=work.jobs,
            replays=replays,
            compress=compress,
            profile=profile,
            keep=keep,
            report=report,
            archive=archive,
        )
        self._shares = shares(work.jobs, work.workers)
        self._light_jobs = work.most // len(self._shares)
        """What each worker plays at once while all bots are light."""
        self._note = note
        self._start = start
        self._whole_blocks = whole_blocks
        self._crew: list[CrewMember | None] = [None] * len(self._shares)
        self._with_room: set[int] = set()
        """Workers that may have room: all but those that were full, and have sent nothing since."""
        self._homes: dict[Block, int] = {}
        """By block: the worker that plays all its matches."""
        self._sent_bots = -1
        self._sent_pause = False
        self._ends: Counter[str] = Counter()
        """By id of a match: how many workers have ended while they played it."""
        self._restarts = 0
        self._watched: list[str] = []
        """The matches that workers show."""

    # What a hub is asked.

    @property
    def in_play(self) -> Sequence[InPlay]:
        """The matches that are being played."""
        return [one for one in self._away() if one.began_ns]

    @property
    def given(self) -> Iterable[Pairing]:
        """The matches that wait at workers, the next one first."""
        return (one.pairing for one in self._away() if not one.began_ns)

    @property
    def connected(self) -> int:
        """How many bots are connected: of those at the workers the ones that play."""
        return super().connected + sum(len(one.present) for one in self.in_play)

    def _away(self) -> Iterator[AwayMatch]:
        # A list of each: the thread of the metrics looks while matches begin and end.
        return (one for member in self._members() for one in list(member.matches.values()))

    @property
    def is_busy(self) -> bool:
        """Whether a match waits, is being played, or is not reported yet."""
        return super().is_busy or any(member.matches for member in self._members())

    def submit(self, pairings: Iterable[Pairing]) -> None:
        """Put matches into the queue: in their order, or block by block in the order of the blocks."""
        if not self._whole_blocks:
            super().submit(pairings)
            return
        blocks: dict[Block, list[Pairing]] = {}
        for pairing in pairings:
            blocks.setdefault(block_of(pairing), []).append(pairing)
        super().submit(chain.from_iterable(blocks.values()))

    def drain(self) -> None:
        """Begin no more matches; those that run are played to their end."""
        super().drain()
        self._order_all(DrainMatches())

    def fail(self, error: RefereeError) -> None:
        """Begin no more matches, because of an error that is not a bot's."""
        super().fail(error)
        self._order_all(DrainMatches())

    def abandon(self, why: str) -> None:
        """End all running matches without a verdict."""
        super().abandon(why)
        self._order_all(AbandonMatches(why))
        self.loop.at(time.monotonic_ns() + _LAST_NS, self._end_silent)

    def watch(self, matches: Sequence[str]) -> None:
        """Have the workers show these matches, and no others."""
        wanted = [match for match in matches if any(match in member.matches for member in self._members())]
        if wanted == self._watched:
            return
        self._watched = wanted
        for member in self._members():
            member.send(WatchMatches(tuple(match for match in matches if match in member.matches)))

    def close(self) -> None:
        """End all workers, and everything that was started."""
        with ExitStack() as rest:
            rest.callback(super().close)
            rest.callback(self._end_crew)
            self.abandon("the hub closes")
            end_ns = time.monotonic_ns() + _LAST_NS
            while any(member.matches for member in self._members()) and time.monotonic_ns() < end_ns:
                self.loop.turn(50 * MS)

    # Giving matches to workers.

    def fill(self) -> None:
        """Give matches to workers that have room, in the order of the queue."""
        self._pass_on_pause()
        if not self.queue or self.draining or self.paused or self.desk.is_full:
            return
        self._complete_crew()
        self._pass_on_bots()
        given: dict[int, list[Pairing]] = {}
        rooms = Rooms({number: self._room(number) for number in sorted(self._with_room)})
        for together in self._near():
            if rooms.is_full:
                break
            pairing = together[0]
            home = self._home(pairing, rooms)
            if rooms[home] <= 0 or not self._may_go(pairing, home, given):
                continue
            rooms.fill(home, rooms[home] if pairing.match in self._ends else len(together))
            given.setdefault(home, []).extend(together)
        for home, pairings in given.items():
            self._give(home, pairings)

    def _room(self, number: int) -> int:
        """Return how many matches a worker may be given now: none beside one that has ended a worker."""
        member = self._crew[number]
        assert member is not None
        is_alone = bool(self._ends) and not self._ends.keys().isdisjoint(member.matches)
        room = 0 if is_alone else member.most - len(member.matches)
        if room <= 0 and member.matches:
            # It has room again when it has sent something. There may be very many workers.
            self._with_room.discard(number)
        return room

    def _home(self, pairing: Pairing, rooms: Rooms) -> int:
        """Return the worker of a block; a new block goes where there is most room."""
        block = block_of(pairing)
        home = self._homes.get(block)
        if home is None:
            home = rooms.widest
            # A block that is given whole has no matches that follow it; what comes back goes anywhere.
            if rooms[home] > 0 and not self._whole_blocks:
                self._homes[block] = home
        return home

    def _near(self) -> Iterator[list[Pairing]]:
        """Return what is given together of the next matches: one, or a block without those given alone."""
        near = islice(self.queue, _LOOK * self.jobs)
        if not self._whole_blocks:
            yield from ([pairing] for pairing in near)
            return
        for (_, has_ended), block in groupby(near, lambda one: (block_of(one), one.match in self._ends)):
            together = list(block)
            yield from ([one] for one in together) if has_ended else [together]

    def _may_go(self, pairing: Pairing, home: int, given: Mapping[int, object]) -> bool:
        """Return whether a match may be given beside others of a worker.

        One that a worker has ended with is played alone: if that comes again, it is known what it was.
        """
        member = self._crew[home]
        assert member is not None
        return pairing.match not in self._ends or (not member.matches and home not in given)

    def _give(self, home: int, pairings: list[Pairing]) -> None:
        member = self._crew[home]
        assert member is not None
        self.queue.remove(pairings)
        for pairing in pairings:
            member.matches[pairing.match] = AwayMatch(pairing)
        member.send(PlayMatches(tuple(map(order_for, pairings))))

    def _complete_crew(self) -> None:
        """Start the workers that are missing."""
        if None not in self._crew:
            return
        for number, jobs in enumerate(self._shares):
            if self._crew[number] is None:
                light_jobs = max(jobs, self._light_jobs)
                most = max(_AHEAD * jobs, _AHEAD_LIGHT * light_jobs)
                member = self._start(
                    self.loop, most, partial(self._take_from, number), partial(self._ended, number)
                )
                self._crew[number] = member
                self._with_room.add(number)
                member.send(SetUp(jobs, light_jobs, self.profile))
                member.send(self._bots())
                # Tried here, played there: what was started for the trial is not needed any more.
                for session in list(self.sessions):
                    session.dismiss()

    def _pass_on_bots(self) -> None:
        if self._sent_bots != self.roster.changes:
            self._sent_bots = self.roster.changes
            self._order_all(self._bots())

    def _bots(self) -> TakeBots:
        return TakeBots(tuple(self.roster.specs.values()), dict(self.roster.broken))

    def _pass_on_pause(self) -> None:
        if self._sent_pause is not self.paused:
            self._sent_pause = self.paused
            self._order_all(Pause(self.paused))

    def _members(self) -> list[CrewMember]:
        return [member for member in self._crew if member is not None]

    def _order_all(self, record: DrainMatches | AbandonMatches | TakeBots | Pause) -> None:
        for member in self._members():
            member.send(record)

    # What workers send.

    def _take_from(self, number: int, member: CrewMember, record: FromWorker) -> None:
        self._with_room.add(number)
        self._take(member, record)

    def _take(self, member: CrewMember, record: FromWorker) -> None:
        match record:
            case WorkerStarted():
                self._check_code(record.code)
            case MatchBegan():
                self._began(member, record.match)
            case MatchMoment():
                if (away := member.matches.get(record.moment.match)) is not None:
                    away.take(record.moment)
            case MatchOver():
                self._over(member, record)
            case MatchesReturned():
                for match in record.matches:
                    member.matches.pop(match, None)
            case WorkerFailed():
                member.refuse(record.why)
                self._ended(self._crew.index(member), member, f"failed: {record.why}")
            case NoWorkerLeft():
                self.fail(RefereeError(record.why))

    def _check_code(self, code: str) -> None:
        if code != code_hash():
            self.fail(RefereeError("the code of the referee was changed while it ran; start it again"))

    def _began(self, member: CrewMember, match: str) -> None:
        if (away := member.matches.get(match)) is not None:
            away.began_ns = time.monotonic_ns()
            self.counts.begun += 1

    def _over(self, member: CrewMember, over: MatchOver) -> None:
        """File a match, if it is one that this worker was given, and was played with its cards."""
        away = member.matches.get(over.match)
        if away is None:
            self._note(f"match {over.match} came a second time from a worker: the first result stands")
            return
        if wrong := mismatch(away.pairing, over):
            self._note(f"match {over.match}: {wrong}; nothing more is taken from that worker")
            member.refuse(f"match {over.match}: {wrong}")
            self._ended(self._crew.index(member), member)
            return
        del member.matches[over.match]
        self._ends.pop(over.match, None)
        self._restarts = 0
        self.counts.times.add_all(over.times)
        pairing = away.pairing
        replay = ReplayText(list(over.replay), over.play)
        if replay.bodies:
            replay = replay.with_origin(pairing.seed, pairing.beacon)
        path = self.replay_path(pairing) if replay.bodies else None
        finished = Finished(pairing, over.result, over.play, path, host=member.host, speed=member.speed)
        self.desk.file(Filing(finished, replay, over.dossier))

    def _end_silent(self) -> None:
        """End the workers that do not send what they were to abandon: they may be stopped, or stuck."""
        silent = [(number, one) for number, one in enumerate(self._crew) if one is not None and one.matches]
        for number, member in silent:
            member.kill()
            self._ended(number, member)

    def _ended(self, number: int, member: CrewMember, why: str = "") -> None:
        """Play the matches of a worker that has ended again; `why` says so if it is known."""
        self._crew[number] = None
        self._with_room.discard(number)
        lost = list(member.matches.values())
        member.matches = {}
        ended = member.end()
        how = why or ended
        if self.draining:
            for away in lost:
                if away.began_ns:
                    self.desk.take_void(away.pairing, f"its worker {how}")
            return
        again = [away.pairing for away in lost if member.is_lost or not self._gives_up(away, how)]
        self.queue.put_back(again)
        are = "is" if len(again) == 1 else "are"
        self._note(f"a worker {how}; {len(again)} of its matches {are} played again")
        self._restarts += not member.is_lost
        if self._restarts > _RESTARTS:
            self.fail(RefereeError(f"{_RESTARTS + 1} workers have ended, and no match: the last one {how}"))
        begun = {away.pairing.match for away in lost if away.began_ns}
        # They wait again, and will begin a second time.
        self.counts.submitted += sum(pairing.match in begun for pairing in again)

    def _gives_up(self, away: AwayMatch, how: str) -> bool:
        """Return whether a match that was being played has ended too many workers; it is void then."""
        if not away.began_ns:
            return False
        match = away.pairing.match
        self._ends[match] += 1
        if self._ends[match] < _TRIES:
            return False
        self.desk.take_void(away.pairing, f"{_TRIES} workers ended while it was played; the last one {how}")
        return True

    def _end_crew(self) -> None:
        members = self._members()
        self._crew = [None] * len(self._shares)
        self._with_room.clear()
        for member in members:
            member.let_go()
        for member in members:
            member.end()


def block_of(pairing: Pairing) -> Block:
    """Return what the matches of one block have in common: the deal and the bots."""
    return pairing.key, tuple(sorted(pairing.bots))


def shares(jobs: int, workers: int) -> list[int]:
    """Return how many matches each worker plays at once; a worker without a match is left out.

    >>> shares(5, 2), shares(1, 4)
    ([3, 2], [1])
    """
    least, more = divmod(jobs, workers)
    return [share for number in range(workers) if (share := least + (number < more))]


def mismatch(pairing: Pairing, over: MatchOver) -> str:
    """Return why what a worker sent is not the match that it was given; '' if it is."""
    names = pairing.names or pairing.bots
    if over.result.match != pairing.match or over.result.names != tuple(names):
        return "it came back as another match"
    if not over.replay:
        return "" if over.result.void else "it came back without its replay"
    header = header_of(over.replay[0])
    if header is None or (header.match, header.commit) != (
        pairing.match,
        commitment(pairing.key, pairing.match),
    ):
        return "it came back with other cards"
    return ""
