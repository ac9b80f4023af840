"""The bench: who has to wait outside, and for how long."""

from referee.gate.cooldown import FIRST_S, LONGEST_S, Cooldown, Suspension


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


def test_suspensions_are_restored_and_bounded() -> None:
    before, after = Cooldown(), Cooldown()
    before.send("a", 0.0)
    before.send("a", 0.0)
    before.send("b", 0.0)
    before.forgive("b")
    kept = before.suspensions(5.0)
    assert {key: (one.left_s, one.last_s) for key, one in kept.items()} == {
        "a": (15.0, 20.0),
        "b": (5.0, 0.0),
    }
    after.restore(kept, 100.0)
    assert after.has("a", 114.0)
    assert not after.has("a", 115.0)
    assert after.has("b", 104.0)
    assert after.send("a", 200.0) == 40.0
    assert after.send("b", 200.0) == FIRST_S
    assert before.suspensions(1_000.0).keys() == {"a"}, "what is over and forgiven is forgotten"
    after.restore({"c": Suspension(1e9, 1e9)}, 0.0)
    assert not after.has("c", LONGEST_S)
