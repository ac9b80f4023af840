"""Secrecy on the wire: two matches that look the same to a seat send it the same bytes."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codec import Encoding, encode
from protocol.messages import Ask, End
from referee import registry
from referee.cli.output.run_report import result_line
from referee.game import Game, State
from referee.hub.pairing import Pairing
from referee.hub.running_match import RunningMatch
from referee.match.faults import PROFILES, FaultCode
from referee.match.match import Match, Sends
from referee.match.seat import SeatConfig
from referee.replay.dossier import Dossier, dossier_bytes
from referee.replay.explanation import MatchFiles, explain
from tests.contract import leaks
from tests.contract.leaks import Leak, LeakyGame
from tests.contract.secrecy import imagined, seen
from tests.contract.walk import WITHOUT_SHRINKING, Deal, Picks, deals, examples, fixed_matches, picks, walk

every_game = pytest.mark.parametrize("game", registry.games().values(), ids=registry.ids())
WANTS = [frozenset({"view", "legal", "events"}), frozenset({"events"}), frozenset({"stream", "legal"})]
DECISIONS = 20
MS = 1_000_000


class Twins:
    """A match and its double, which differ in nothing that one seat may know."""

    wants: Sequence[frozenset[str]] = WANTS

    def __init__(self, game: Game, deal: Deal, seat: int, states: tuple[State, State], picks: Picks) -> None:
        self.seat, self.picks, self.now_ns = seat, picks, 0
        wants = picks.of(self.wants)
        seats = [SeatConfig(f"bot{other}", wants) for other in range(deal.seats)]
        profile = PROFILES[picks.of(sorted(PROFILES))]
        self.real, self.double = (
            Match("m", game, seats, deal.key, profile, deal.options, opening=(state, [])) for state in states
        )
        self.key = deal.key.hex().encode()
        self.asked: dict[int, int] = {}
        pairing = Pairing("m", game, tuple(seat.name for seat in seats), deal.key, profile, deal.options)
        self.running = tuple(_running(pairing, match) for match in (self.real, self.double))

    def _have_parted(self) -> bool:
        """Say whether the two end otherwise by what the seat was sent; `keeps_secrets` judges if rightly."""
        ends, told = [], []
        for match in (self.real, self.double):
            ends.append(match.result and (match.result.ranks, match.result.scores, match.result.reason))
            told.append(seen(match.events, self.seat))
        return ends[0] != ends[1] and told[0] != told[1]

    def compare(self, sends: Sends, others: Sends) -> None:
        """Compare what the seat was sent, byte for byte, and note what is asked."""
        if self._have_parted():
            # Its own fault may bring that about: the house takes its turn, and cards are shown.
            return
        for encoding in Encoding:
            mine, theirs = (
                [encode(message, encoding) for seat, message in some if seat == self.seat]
                for some in (sends, others)
            )
            assert mine == theirs, f"wire: {mine!r} is not {theirs!r}"
        for running, some in zip(self.running, (sends, others), strict=True):
            for seat, message in some:
                running.traffic[seat].append((running.began_ns + self.now_ns, encode(message, Encoding.JSON)))
        for seat, message in sends:
            told = encode(message, Encoding.JSON)
            assert self.key not in told or isinstance(message, End), "wire: the key before the end"
            if isinstance(message, Ask):
                self.asked[seat] = message.id

    def begin(self) -> None:
        """Start both matches; all bots are ready."""
        self.compare(self.real.begin(0), self.double.begin(0))
        for seat in range(len(self.real.configs)):
            self.compare(self.real.ready(seat, 0), self.double.ready(seat, 0))

    def answer(self, seat: int, text: str) -> Sends:
        """Give both matches the same answer at the same time."""
        self.now_ns += self.picks.below(3000) * MS
        ask, both = self.asked.get(seat, 0), (self.real, self.double)
        sends, others = (match.act(seat, ask, [text], 0, self.now_ns) for match in both)
        self.compare(sends, others)
        return sends

    def _will_part(self, choices: dict[int, str]) -> bool:
        """Say whether the seat will now be sent what differs; `keeps_secrets` judges if rightly so."""
        told = []
        for match in (self.real, self.double):
            state = match.state.clone()
            events = [event for seat, action in choices.items() for event in state.apply(seat, action)]
            told.append(seen(events, self.seat))
        return told[0] != told[1]

    def fail(self) -> None:
        """Let the seat fail, and compare all that is then reported of it: to it, to its owner, to all."""
        both = (self.real, self.double)
        self.compare(*(match.fault(self.seat, FaultCode.CRASHED, "exit 3", self.now_ns) for match in both))
        self.compare(*(match.abandon("enough") for match in both))
        if self._have_parted():
            return
        mine, theirs = (_reports_on(running, self.seat) for running in self.running)
        assert mine == theirs, f"file: {mine!r} is not {theirs!r}"

    def decide(self) -> bool:
        """Let all seats that are asked answer; say whether the matches can go on together."""
        real, double = self.real.state, self.double.state
        acting = list(real.to_act())
        choices = {seat: self.picks.action(real.legal(seat)) for seat in acting}
        if self.seat in acting and self.picks.below(6) == 0:
            self.answer(self.seat, self.picks.of(["nothing of the kind", choices[acting[0]] + " ", "0"]))
            if not self.real.owes(self.seat):
                return False
        if not all(action in double.legal(seat) for seat, action in choices.items()):
            return False
        if self._will_part(choices):
            return False
        for left, seat in reversed(list(enumerate(acting))):
            sends = self.answer(seat, choices[seat])
            assert not left or not sends, "wire: something was sent before all have chosen"
        return self.real.result is None


def _running(pairing: Pairing, match: Match) -> RunningMatch:
    """Return this match as the hub keeps it."""
    running = RunningMatch(pairing, [None] * len(pairing.bots), (None,) * len(pairing.bots))
    running.match = match
    return running


def _reports_on(running: RunningMatch, seat: int) -> tuple[bytes, list[str], str]:
    """Return what is on file of a seat, what `referee why` prints of it, and the line of the log."""
    result = running.match.result
    assert result is not None
    part = running.seat_dossier(result, seat)
    dossier = Dossier("m", result.game, "", (part,))
    return dossier_bytes(dossier), list(explain(MatchFiles(None, dossier))), result_line(result)


def look_the_same(game: Game, deal: Deal, picks: Picks) -> None:
    """Begin at some positions of a match, as one seat knows them, and play on twice."""
    for run in walk(game, deal, picks):
        if not picks.looks(len(run.taken)) or run.held or not run.state.to_act():
            continue
        seat = picks.below(deal.seats)
        double = imagined(game, run.state, seat, picks)
        twins = Twins(game, deal, seat, (run.state.clone(), double), picks)
        twins.begin()
        for _ in range(DECISIONS):
            if not twins.decide():
                break
        twins.fail()


@every_game
def test_matches_that_look_the_same_to_a_seat_send_it_the_same_bytes(game: Game) -> None:
    @settings(max_examples=examples(game, 2), phases=WITHOUT_SHRINKING)
    @given(st.data())
    def look(data: st.DataObject) -> None:
        look_the_same(game, data.draw(deals(game, whole=False), "deal"), data.draw(picks, "picks"))

    look()


def run(game: Game) -> None:
    for deal, numbers in fixed_matches(game, 60, whole=False):
        look_the_same(game, deal, numbers)


@every_game
@pytest.mark.parametrize(
    "leak",
    [
        Leak(legal=leaks.rotated),
        Leak(reason=lambda state, _: f"not {state.secret()}"),
    ],
    ids=["order of legal actions", "reason of a refusal"],
)
def test_the_comparison_on_the_wire_finds_a_leak_of(leak: Leak, game: Game) -> None:
    with pytest.raises(AssertionError, match=r"^wire:"):
        run(LeakyGame(game, leak))
