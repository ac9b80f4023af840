"""Secrecy of running matches: worlds that look the same to the public give the same feed, byte for byte."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.messages import Ask
from referee import registry
from referee.game import Game, State
from referee.hub.pairing import Pairing
from referee.hub.running_match import RunningMatch
from referee.match.faults import PROFILES
from referee.match.match import Match
from referee.match.seat import SeatConfig
from tests.contract.secrecy import imagined, seen
from tests.contract.walk import WITHOUT_SHRINKING, Deal, Picks, deals, examples, fixed_matches, picks, walk

every_game = pytest.mark.parametrize("game", registry.games().values(), ids=registry.ids())
with_secrets = [game for game in registry.games().values() if game.info.hidden != "luck"]
DECISIONS = 20

Made = Callable[[RunningMatch], bytes]


def fed(running: RunningMatch) -> bytes:
    """Return what the feed sends of a match."""
    return msgspec.json.encode(running.moment(0), order="deterministic")


class PublicTwins:
    """A match and its double, which differ in nothing that the public may know."""

    def __init__(self, game: Game, deal: Deal, states: tuple[State, State], made: Made) -> None:
        names = tuple(f"bot{seat}" for seat in range(deal.seats))
        profile = PROFILES["strict"]
        pairing = Pairing("m", game, names, deal.key, profile, deal.options)
        self._made = made
        self._asked: dict[int, int] = {}
        self._both = [self._begun(pairing, game, deal, state) for state in states]

    def _begun(self, pairing: Pairing, game: Game, deal: Deal, state: State) -> RunningMatch:
        running = RunningMatch(pairing, [None] * deal.seats, (None,) * deal.seats)
        seats = [SeatConfig(name) for name in pairing.bots]
        running.match = Match(
            "m", game, seats, deal.key, pairing.profile, deal.options, hides=True, opening=(state, [])
        )
        running.match.begin(0)
        for seat in range(deal.seats):
            running.match.ready(seat, 0)
        return running

    def compare(self) -> bytes:
        """Compare what is sent of both."""
        mine, theirs = map(self._made, self._both)
        assert mine == theirs, f"feed: {mine!r} is not {theirs!r}"
        return mine

    def decide(self, picks: Picks) -> bool:
        """Let all seats that are to act answer alike; say whether the matches can go on together."""
        real, double = (running.match for running in self._both)
        acting = list(real.state.to_act())
        choices = {seat: picks.action(real.state.legal(seat)) for seat in acting}
        if not all(action in double.state.legal(seat) for seat, action in choices.items()):
            return False
        if self._will_part(choices):
            return False
        before = self.compare()
        for left, seat in reversed(list(enumerate(acting))):
            for match in (real, double):
                (ask,) = match.open_messages(seat)
                assert isinstance(ask, Ask)
                match.act(seat, ask.id, [choices[seat]], 0, 0)
            if left or real.hidden:
                assert self.compare() == before, "feed: it shows that a seat has chosen"
        for match in (real, double):
            match.show(0)
        self.compare()
        return real.result is None and double.result is None

    def _will_part(self, choices: dict[int, str]) -> bool:
        """Say whether the public will now be sent what differs; `keeps_secrets` judges if rightly so."""
        told = []
        for running in self._both:
            state = running.match.state.clone()
            events = [event for seat, action in choices.items() for event in state.apply(seat, action)]
            told.append((seen(events, None), msgspec.json.encode(state.view(None))))
        return told[0] != told[1]


def look_the_same(game: Game, deal: Deal, picks: Picks, made: Made = fed) -> None:
    """Begin at some positions of a match, as the public knows them, and play on twice."""
    for run in walk(game, deal, picks):
        if not picks.looks(len(run.taken)) or run.held or not run.state.to_act():
            continue
        states = (run.state.clone(), imagined(game, run.state, None, picks))
        twins = PublicTwins(game, deal, states, made)
        for _ in range(DECISIONS):
            if not twins.decide(picks):
                break


@every_game
def test_matches_that_look_the_same_to_the_public_give_the_same_feed(game: Game) -> None:
    @settings(max_examples=examples(game, 2), phases=WITHOUT_SHRINKING)
    @given(st.data())
    def look(data: st.DataObject) -> None:
        look_the_same(game, data.draw(deals(game, whole=False), "deal"), data.draw(picks, "picks"))

    look()


def leaky(running: RunningMatch) -> bytes:
    """Return what a feed would send that looks at the state with all its secrets."""
    return fed(running) + msgspec.json.encode(running.match.state.reveal(), order="deterministic")


def run(game: Game, made: Made) -> None:
    for deal, numbers in fixed_matches(game, 30, whole=False):
        look_the_same(game, deal, numbers, made)


@pytest.mark.parametrize("game", with_secrets, ids=lambda game: game.info.id)
def test_the_comparison_finds_a_feed_that_shows_secrets(game: Game) -> None:
    with pytest.raises(AssertionError, match=r"^feed:"):
        run(game, leaky)


def counting(running: RunningMatch) -> bytes:
    """Return what a feed would send that shows how many seats have answered."""
    match = running.match
    return fed(running) + bytes([sum(match.owes(seat) for seat in range(len(match.configs)))])


def choose_together(made: Made) -> int:
    """Play all decisions of several seats at once in some matches; return how many there were."""
    game, count = registry.game("chicago-poker"), 0
    for deal, numbers in fixed_matches(game, 8, whole=False):
        for run in walk(game, deal, numbers):
            if len(run.state.to_act()) > 1 and not run.held:
                count += 1
                PublicTwins(game, deal, (run.state.clone(), run.state.clone()), made).decide(numbers)
    return count


def test_the_feed_does_not_show_which_seats_have_chosen() -> None:
    assert choose_together(fed) > 5


def test_the_comparison_finds_a_feed_that_shows_who_has_chosen() -> None:
    with pytest.raises(AssertionError, match="has chosen"):
        choose_together(counting)
