"""A match as a state machine: any inputs, in any order, at any time."""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from random import Random
from typing import NamedTuple

from protocol.codec import Encoding, encode, from_referee
from protocol.messages import Ask, End
from referee import registry
from referee.game import Game
from referee.match.clock import MS
from referee.match.faults import PROFILES, FaultCode
from referee.match.match import Match, Sends
from referee.match.seat import SeatConfig
from referee.replay import files, format, playback
from referee.replay.format import parse
from tests.campaigns.fuzz.engine import Target
from tests.campaigns.fuzz.mutation import mutated
from tests.campaigns.fuzz.program import Program

WANTS = ({"view", "legal", "events"}, {"events"}, {"stream", "legal"}, set[str]())
CODES = tuple(FaultCode)


@cache
def _games() -> tuple[Game, ...]:
    """Return all games, the short one most often."""
    games = registry.games()
    return (games["coins"],) * 12 + tuple(games.values())


class FuzzedMatch(NamedTuple):
    """A match under attack, its asks, and the seats that received `end`."""

    match: Match
    asked: dict[int, int]
    ended: list[int]

    def hear(self, sends: Sends) -> None:
        """See that what is sent can be sent, and that nothing follows the end."""
        for seat, message in sends:
            for encoding in Encoding:
                assert from_referee(encode(message, encoding)) == message, f"not the same in {encoding}"
            assert seat not in self.ended, "something was sent after the end"
            if isinstance(message, Ask):
                self.asked[seat] = message.id
            if isinstance(message, End):
                self.ended.append(seat)


def check(data: bytes) -> None:
    """A match takes anything without an error, and its replay verifies."""
    program = Program(data)
    fuzzed = _set_up(program)
    match, now_ns = fuzzed.match, 0
    fuzzed.hear(match.begin(now_ns))
    if program.below(16) == 0:
        absent = {seat: (CODES[program.below(12)], "absent") for seat in range(program.below(3))}
        fuzzed.hear(match.absent(absent, now_ns))
    elif program.below(8):
        for seat in range(len(match.configs)):
            fuzzed.hear(match.ready(seat, now_ns))
    while program and match.result is None:
        now_ns += (0, 0, 1, 20 * MS, 3_000 * MS)[program.below(5)]
        _do(fuzzed, program, now_ns)
    _see_out(fuzzed, now_ns)


def _set_up(program: Program) -> FuzzedMatch:
    game = _games()[program.below(len(_games()))]
    seats = game.info.least_seats + program.below(1 + game.info.most_seats - game.info.least_seats)
    wants = frozenset(WANTS[program.below(4)])
    configs = [SeatConfig(f"bot{seat}", wants, program.below(50)) for seat in range(seats)]
    key = sha256(bytes([program.below(256)])).digest()
    profile = PROFILES[("strict", "classroom")[program.below(2)]]
    match = Match("m", game, configs, key, profile, reveal=bool(program.below(2)), hides=seats > 2)
    return FuzzedMatch(match, {}, [])


def _do(fuzzed: FuzzedMatch, program: Program, now_ns: int) -> None:
    """Do one thing to a match."""
    match, kind = fuzzed.match, program.below(16)
    seat = program.below(len(match.configs))
    if kind < 8:
        # Most seats answer well, or nothing would ever happen.
        for other in tuple(match.state.to_act()):
            if match.owes(other) and other in fuzzed.asked:
                fuzzed.hear(_answer(fuzzed, program, other, kind, now_ns))
    elif kind == 8:
        number, text = program.number(), program.ascii()
        fuzzed.hear(match.act(seat, number, [text], program.number(), now_ns + program.number()))
    elif kind == 9:
        fuzzed.hear(match.ready(seat, now_ns))
    elif kind == 10 and program.below(4) == 0:
        fuzzed.hear(match.fault(seat, CODES[program.below(len(CODES))], program.text(), now_ns))
    elif kind == 11:
        match.open_messages(seat)
    elif kind == 12 and program.below(16) == 0:
        fuzzed.hear(match.abandon(program.text()))
    elif kind == 13:
        fuzzed.hear(match.show(now_ns))
    else:
        fuzzed.hear(match.tick(now_ns))


def _answer(fuzzed: FuzzedMatch, program: Program, seat: int, kind: int, now_ns: int) -> Sends:
    legal = fuzzed.match.state.legal(seat)
    texts = [legal[program.below(len(legal))] if legal else "?" for _ in range(1 + (kind == 7))]
    if kind == 6 and program.below(3) == 0:
        text = texts[0]
        at = program.below(len(text))
        texts = [(text[:at] + program.ascii() + text[at + 1 :])[:256]]
    return fuzzed.match.act(seat, fuzzed.asked[seat], texts, 0, now_ns)


def _see_out(fuzzed: FuzzedMatch, now_ns: int) -> None:
    match = fuzzed.match
    while match.result is None:
        now_ns = max(now_ns, match.deadline_ns or 0)
        fuzzed.hear(match.show(now_ns) if match.hidden else match.tick(now_ns))
    assert sorted(fuzzed.ended) == list(range(len(match.configs))), (
        "a seat did not receive the end exactly once"
    )
    replay = files.replay_bytes(format.replay_text(match, format.About()).lines)
    playback.verify(parse(replay, "replay"))


def mutate(luck: Random, corpus: Sequence[bytes]) -> bytes:
    """Return a program: random, or a known one changed."""
    if luck.getrandbits(2) == 0:
        return mutated(luck.choice(corpus), luck, corpus)
    return luck.randbytes(8 + luck.getrandbits(7))


MATCH = Target("match", check, mutate, lambda: [bytes(40), bytes(range(200)), bytes(range(255, 0, -3))])
