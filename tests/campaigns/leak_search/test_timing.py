"""Choices made at once are released together: a third seat hears of them when the last is in."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import Encoding, encode
from protocol.messages import Ask
from referee import registry
from referee.game import Options
from referee.match.clock import MS
from referee.match.faults import PROFILES
from referee.match.match import Match
from referee.match.seat import SeatConfig

SEATS = 3
Heard = list[tuple[int, bytes]]
"""What one seat was sent after its answer, with the time at which it was."""


def third_seat_hears(choices: list[int], thought_ms: list[int], order: tuple[int, ...]) -> Heard:
    """Play one round in fake time; return what seat 2 is sent once the round has begun, and when."""
    configs = [SeatConfig(f"bot{seat}", frozenset({"view", "legal", "stream"})) for seat in range(SEATS)]
    options: Options = {"peek": "no", "rounds": 2}
    match = Match("m", registry.game("coins"), configs, bytes(32), PROFILES["strict"], options)
    match.begin(0)
    asks: dict[int, Ask] = {}
    for seat in range(SEATS):
        asks |= {to: message for to, message in match.ready(seat, 0) if isinstance(message, Ask)}
    heard: Heard = []
    # Answers are handed over as they arrive; those that arrive together, in any order.
    for seat in sorted(order, key=lambda seat: thought_ms[seat]):
        legal = asks[seat].legal or []
        now_ns = thought_ms[seat] * MS
        sends = match.act(seat, asks[seat].id, [legal[choices[seat] % len(legal)]], 0, now_ns)
        heard += [(now_ns, encode(message, Encoding.JSON)) for to, message in sends if to == 2]
    return heard


@given(
    choices=st.lists(st.integers(0, 2), min_size=SEATS, max_size=SEATS),
    thought_ms=st.lists(st.integers(0, 1_900), min_size=SEATS, max_size=SEATS),
)
def test_what_a_seat_hears_and_when_depends_on_the_last_answer_alone(
    choices: list[int], thought_ms: list[int]
) -> None:
    last_ms = max(thought_ms)
    expected = third_seat_hears(choices, [last_ms] * SEATS, (0, 1, 2))
    assert expected
    assert {at_ns for at_ns, _ in expected} == {last_ms * MS}
    for order in permutations(range(SEATS)):
        assert third_seat_hears(choices, thought_ms, order) == expected


def test_a_secret_that_sets_the_thinking_time_shows_in_nothing_while_another_seat_is_slower() -> None:
    heard = {
        secret: third_seat_hears([secret, 1, 0], [500 * secret, 1_500, 0], (0, 1, 2)) for secret in range(3)
    }
    assert {at_ns for said in heard.values() for at_ns, _ in said} == {1_500 * MS}
    assert {len(said) for said in heard.values()} == {len(heard[0])}
