"""Secrecy of the page of a person: worlds that look the same to its seat give it the same bytes."""

import msgspec
import pytest

from protocol.codec import Encoding, encode
from protocol.messages import Ask, Start, Tell
from referee import registry
from referee.game import Game, State
from referee.match.match import Sends
from tests.contract.leaks import Leak, LeakyGame, rotated
from tests.contract.secrecy import imagined
from tests.contract.test_wire import DECISIONS, Twins
from tests.contract.walk import Picks, Run, fixed_matches, walk
from tournaments.live.seat_session import NotNowError, SeatSession

every_game = pytest.mark.parametrize("game", registry.games().values(), ids=registry.ids())


class PageTwins(Twins):
    """A match and its double, each with the page of a person in the same seat."""

    wants = (frozenset({"view", "legal", "events", "stream"}),)

    def __init__(self, run: Run, seat: int, states: tuple[State, State], picks: Picks) -> None:
        super().__init__(run.game, run.deal, seat, states, picks)
        self.pages = SeatSession("bot", timed=False), SeatSession("bot", timed=False)
        self.history = list(run.told[seat])
        self.looks = 0

    def compare(self, sends: Sends, others: Sends) -> None:
        """Compare what the pages are sent, and the hints that they get."""
        if self._have_parted():
            return
        for page, some in zip(self.pages, (sends, others), strict=True):
            for seat, message in some:
                if seat == self.seat:
                    page.hear(encode(message, Encoding.JSON), 0)
                if seat == self.seat and isinstance(message, Start):
                    page.hear(encode(Tell("m", self.history), Encoding.JSON), 0)
        mine, theirs = (msgspec.json.encode(page.state({}, 0)) for page in self.pages)
        assert mine == theirs, f"page: {mine!r} is not {theirs!r}"
        assert self.key not in mine
        self.looks += 1
        for seat, message in sends:
            if seat == self.seat and isinstance(message, Ask):
                first, second = (self._hint(page) for page in self.pages)
                assert first == second, f"page: the hint {first!r} is not {second!r}"
        for running, some in zip(self.running, (sends, others), strict=True):
            for seat, message in some:
                running.traffic[seat].append((running.began_ns + self.now_ns, encode(message, Encoding.JSON)))
        self._note_asks(sends)

    def _note_asks(self, sends: Sends) -> None:
        for seat, message in sends:
            if isinstance(message, Ask):
                self.asked[seat] = message.id

    @staticmethod
    def _hint(page: SeatSession) -> object:
        now = page.state({}, 0)["now"]
        if now is None or now["ask"] is None:
            return None
        try:
            return page.hint(now["match"], now["ask"]["id"])
        except NotNowError as refused:
            return str(refused)


def looks_of(game: Game, matches: int) -> int:
    """Begin at some positions of matches, as one seat knows them, play on twice, and count the looks."""
    looks = 0
    for deal, picks in fixed_matches(game, matches, whole=True):
        for run in walk(game, deal, picks):
            if not picks.looks(len(run.taken)) or run.held or not run.state.to_act():
                continue
            seat = picks.below(deal.seats)
            double = imagined(game, run.state, seat, picks)
            twins = PageTwins(run, seat, (run.state.clone(), double), picks)
            twins.begin()
            for _ in range(DECISIONS):
                if not twins.decide():
                    break
            looks += twins.looks
    return looks


@every_game
def test_pages_of_worlds_that_look_the_same_to_a_seat_are_the_same(game: Game) -> None:
    assert looks_of(game, 4) > 15


@every_game
def test_the_comparison_of_pages_finds_a_leak(game: Game) -> None:
    with pytest.raises(AssertionError, match=r"^page:"):
        looks_of(LeakyGame(game, Leak(legal=rotated)), 60)
