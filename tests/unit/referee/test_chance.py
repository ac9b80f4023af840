"""Luck: fair, separate by stream, reproducible, and silent about its key."""

import copy
import pickle
from collections import Counter
from hashlib import sha256
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.chance import KeyedChance, ScriptedChance, commitment, deal_key, picked

KEY = bytes(range(32))
# The chi-square value that fair luck exceeds once in a hundred, by degrees of freedom.
AT_99_PERCENT = {1: 6.635, 5: 15.086, 6: 16.812, 11: 24.725, 23: 41.638}


def chi_square(counts: list[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


def key(number: int) -> bytes:
    return sha256(number.to_bytes(4, "big")).digest()


@pytest.mark.parametrize("n", [2, 6, 7, 12])
def test_every_number_is_as_likely_as_any_other(n: int) -> None:
    chance = KeyedChance(KEY)
    counts = Counter(chance.below("dice", n) for _ in range(12_000))
    assert chi_square([counts[face] for face in range(n)]) < AT_99_PERCENT[n - 1]


def test_every_order_is_as_likely_as_any_other() -> None:
    chance, counts = KeyedChance(KEY), Counter[tuple[int, ...]]()
    for _ in range(12_000):
        items = [0, 1, 2, 3]
        chance.shuffle("deck", items)
        counts[tuple(items)] += 1
    assert chi_square([counts[order] for order in permutations(range(4))]) < AT_99_PERCENT[23]


def test_the_first_number_is_fair_over_many_keys() -> None:
    counts = Counter(KeyedChance(key(number)).below("lots", 6) for number in range(6_000))
    assert chi_square([counts[face] for face in range(6)]) < AT_99_PERCENT[5]


def test_two_streams_of_a_key_do_not_depend_on_each_other() -> None:
    counts: Counter[tuple[int, int]] = Counter()
    for number in range(6_000):
        chance = KeyedChance(key(number))
        counts[chance.below("deck", 3), chance.below("tiles", 4)] += 1
    assert chi_square([counts[a, b] for a in range(3) for b in range(4)]) < AT_99_PERCENT[11]


def test_the_algorithm_is_the_documented_one() -> None:
    # Worked out from the module's docstring with HMAC and SHA-256 alone.
    from hmac import digest

    block = sha256(digest(KEY, b"deck", "sha256") + bytes(8)).digest()
    words = [int.from_bytes(block[at : at + 4], "big") for at in range(0, 32, 4)]
    chance = KeyedChance(KEY)
    assert [chance.below("deck", 2**32) for _ in range(8)] == words
    block = sha256(digest(KEY, b"deck", "sha256") + (1).to_bytes(8, "big")).digest()
    assert chance.below("deck", 2**32) == int.from_bytes(block[:4], "big")


def test_words_beyond_the_last_whole_multiple_are_thrown_away() -> None:
    n = 2**31 + 1  # nearly half of all words are too large
    words, chance = KeyedChance(KEY), KeyedChance(KEY)
    fitting = [word for word in (words.below("deck", 2**32) for _ in range(100)) if word < n]
    assert len(fitting) < 80
    assert [chance.below("deck", n) for _ in fitting] == fitting


@given(st.binary(min_size=32, max_size=32), st.lists(st.sampled_from(["a", "b", "c"]), max_size=40))
def test_draws_from_one_stream_never_shift_another(drawn_key: bytes, order: list[str]) -> None:
    mixed, alone = KeyedChance(drawn_key), {name: KeyedChance(drawn_key) for name in "abc"}
    for stream in order:
        assert mixed.below(stream, 1000) == alone[stream].below(stream, 1000)


@given(st.binary(min_size=32, max_size=32), st.integers(0, 20), st.integers(1, 2**32))
def test_a_clone_draws_the_same_and_leaves_the_original_alone(drawn_key: bytes, used: int, n: int) -> None:
    chance = KeyedChance(drawn_key)
    for _ in range(used):
        chance.below("deck", 10)
    clone = chance.clone()
    ahead = [clone.below("deck", n) for _ in range(20)]
    assert [chance.below("deck", n) for _ in range(20)] == ahead
    assert all(0 <= number < n for number in ahead)


@given(st.lists(st.integers()), st.binary(min_size=32, max_size=32))
def test_a_shuffle_keeps_the_items(items: list[int], drawn_key: bytes) -> None:
    shuffled = list(items)
    KeyedChance(drawn_key).shuffle("deck", shuffled)
    assert sorted(shuffled) == sorted(items)


def test_the_key_is_in_no_representation() -> None:
    chance = KeyedChance(KEY)
    chance.below("deck", 5)
    for text in (repr(chance), str(chance), f"{chance}", repr([chance])):
        assert "KeyedChance" in text
        assert KEY.hex() not in text
        assert repr(KEY)[2:-1] not in text


@pytest.mark.parametrize("leave", [pickle.dumps, copy.copy, copy.deepcopy])
def test_luck_refuses_to_leave_the_process(leave: object) -> None:
    assert callable(leave)
    with pytest.raises(TypeError, match="luck is not to be copied"):
        leave(KeyedChance(KEY))


@pytest.mark.parametrize("length", [0, 16, 31, 33])
def test_a_key_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match=f"a key has 32 bytes, not {length}"):
        KeyedChance(bytes(length))


def test_scripted_luck_gives_what_was_laid_down_and_then_the_fallback() -> None:
    chance = ScriptedChance(KeyedChance(KEY), dice=[3, 0], deck=[["b", "a"]])
    items = ["a", "b"]
    chance.shuffle("deck", items)
    assert items == ["b", "a"]
    assert [chance.below("dice", 6), chance.below("dice", 6)] == [3, 0]
    plain = KeyedChance(KEY)
    assert [chance.below("dice", 1000), chance.below("lots", 1000)] == [
        plain.below("dice", 1000),
        plain.below("lots", 1000),
    ]
    many, others = list(range(9)), list(range(9))
    chance.shuffle("deck", many)
    plain.shuffle("deck", others)
    assert many == others


def test_scripted_luck_refuses_what_cannot_be() -> None:
    chance = ScriptedChance(KeyedChance(KEY), dice=[6], deck=[["a", "c"]])
    with pytest.raises(ValueError, match="gives 6, which is not below 6"):
        chance.below("dice", 6)
    with pytest.raises(ValueError, match="does not hold the items"):
        chance.shuffle("deck", ["a", "b"])


def test_a_clone_of_scripted_luck_draws_the_same() -> None:
    chance = ScriptedChance(KeyedChance(KEY), dice=[1, 2])
    chance.below("dice", 6)
    clone = chance.clone()
    ahead = [clone.below("dice", 1000) for _ in range(5)]
    assert ahead[0] == 2
    assert [chance.below("dice", 1000) for _ in range(5)] == ahead


def test_a_key_depends_on_seed_and_deal_alone() -> None:
    keys = {deal_key(seed, deal) for seed in ("a", "b") for deal in ("1", "2")}
    assert len(keys) == 4
    assert deal_key("a", "1") == deal_key("a", "1")
    assert {len(one) for one in keys} == {32}


def test_a_commitment_binds_to_key_and_match_and_does_not_show_the_key() -> None:
    promise = commitment(KEY, "m1")
    assert promise == sha256(b"commit:" + KEY + b"m1").hexdigest()
    assert len({promise, commitment(KEY, "m2"), commitment(key(1), "m1")}) == 3
    assert KEY.hex() not in promise


def test_one_of_several_is_picked_by_the_named_stream() -> None:
    chance = ScriptedChance(KeyedChance(KEY), lots=[2, 0])
    assert picked(chance, "lots", "abc") == "c"
    assert picked(chance, "lots", {"x": 1, "y": 2}) == "x"
