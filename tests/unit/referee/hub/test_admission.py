"""The admission of a bot: what its hello claims, and its latency."""

import time

import pytest
from msgspec.structs import replace

from protocol.codec import Encoding
from referee.gate.records import Greeted, Ponged
from referee.hub.admission import Admission
from referee.match.clock import MS

HELLO = Greeted(1, [1], "far", [], ["view"], 1, None, "", Encoding.JSON)


def measured(delays_ms: list[int], *, near: bool = False) -> Admission:
    """Return the admission of a bot that answers its pings after these times."""
    pinged: list[int] = []
    admission = Admission(100, pinged.append)
    admission.greet(replace(HELLO, near=near))
    admission.measure()
    for n, delay_ms in enumerate(delays_ms, 1):
        assert pinged == list(range(1, n + 1))
        known = admission.pong(Ponged(1, n, time.monotonic_ns() + delay_ms * MS))
        assert known is (n == len(delays_ms))
    return admission


@pytest.mark.parametrize("delays_ms", [[30, 900, 900], [900, 30, 900], [900, 900, 30]])
def test_9_4_the_shortest_round_trip_counts(delays_ms: list[int]) -> None:
    assert 30 <= measured(delays_ms).latency_ms < 60


def test_9_4_a_bot_that_delays_all_its_pongs_gets_the_cap_and_no_more() -> None:
    assert measured([5_000, 5_000, 5_000]).latency_ms == 100


def test_9_4_a_bot_on_this_host_gets_no_allowance() -> None:
    admission = measured([5_000, 5_000, 5_000], near=True)
    assert (admission.measured, admission.latency_ms) == (True, 0)


def test_a_pong_that_was_sent_before_its_ping_gives_no_negative_latency() -> None:
    assert measured([-50, -50, -50]).latency_ms == 0
