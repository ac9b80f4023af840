"""The bench: who has to wait outside, and for how long."""

from referee.gate.cooldown import FIRST_S, LONGEST_S, Cooldown


def test_a_key_is_suspended_for_the_returned_time_and_no_longer() -> None:
    bench = Cooldown()
    assert not bench.has("a", 100.0)
    assert bench.send("a", 100.0) == FIRST_S
    assert bench.has("a", 100.0 + FIRST_S - 0.1)
    assert not bench.has("a", 100.0 + FIRST_S)
    assert not bench.has("b", 100.0)


def test_every_time_it_is_twice_as_long_up_to_an_end() -> None:
    bench = Cooldown()
    pauses = [bench.send("a", 0.0) for _ in range(8)]
    assert pauses == [10, 20, 40, 80, 160, 320, 640, 640]
    assert pauses[-1] == LONGEST_S
    assert bench.send("b", 0.0) == FIRST_S


def test_who_is_forgiven_begins_anew() -> None:
    bench = Cooldown()
    bench.send("a", 0.0)
    bench.send("a", 0.0)
    bench.forgive("a")
    bench.forgive("b")
    assert bench.has("a", 5.0)
    assert bench.send("a", 30.0) == FIRST_S
