"""The published examples of luck: our code and the text of the specification agree on them."""

import json
from collections.abc import Iterator
from hashlib import sha256
from hmac import digest
from pathlib import Path
from typing import Any

import pytest

import protocol
from referee.chance import KeyedChance, commitment, deal_key

FILE = Path(protocol.__file__).parent / "vectors" / "chance.json"
VECTORS: dict[str, list[dict[str, Any]]] = json.loads(FILE.read_text(encoding="utf-8"))


# Written from section 8 of SPEC.md, without a look at referee.chance.


def words(key: str, stream: str) -> Iterator[int]:
    subkey = digest(bytes.fromhex(key), stream.encode(), "sha256")
    number = 0
    while True:
        block = sha256(subkey + number.to_bytes(8, "big")).digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(block[start : start + 4], "big")
        number += 1


def below(source: Iterator[int], n: int) -> int:
    return next(word % n for word in source if word < 2**32 - 2**32 % n)


def shuffled(source: Iterator[int], size: int) -> list[int]:
    items = list(range(size))
    for i in range(size - 1, 0, -1):
        j = below(source, i + 1)
        items[i], items[j] = items[j], items[i]
    return items


@pytest.mark.parametrize("vector", VECTORS["words"])
def test_the_words_of_a_stream(vector: dict[str, Any]) -> None:
    source = words(vector["key"], vector["stream"])
    assert [next(source) for _ in vector["words"]] == vector["words"]
    chance = KeyedChance(bytes.fromhex(vector["key"]))
    assert [chance.below(vector["stream"], 2**32) for _ in vector["words"]] == vector["words"]


@pytest.mark.parametrize("vector", VECTORS["below"])
def test_draws_below_a_number(vector: dict[str, Any]) -> None:
    stream, n, draws = vector["stream"], vector["n"], vector["draws"]
    source = words(vector["key"], stream)
    assert [below(source, n) for _ in draws] == draws
    chance = KeyedChance(bytes.fromhex(vector["key"]))
    assert [chance.below(stream, n) for _ in draws] == draws


@pytest.mark.parametrize("vector", VECTORS["shuffles"])
def test_shuffles(vector: dict[str, Any]) -> None:
    order = vector["order"]
    assert shuffled(words(vector["key"], vector["stream"]), len(order)) == order
    items = list(range(len(order)))
    KeyedChance(bytes.fromhex(vector["key"])).shuffle(vector["stream"], items)
    assert items == order


@pytest.mark.parametrize("vector", VECTORS["deals"])
def test_the_key_of_a_deal(vector: dict[str, Any]) -> None:
    assert (
        digest(vector["seed"].encode(), b"deal:" + vector["deal"].encode(), "sha256").hex() == vector["key"]
    )
    assert deal_key(vector["seed"], vector["deal"]).hex() == vector["key"]


@pytest.mark.parametrize("vector", VECTORS["commitments"])
def test_commitments(vector: dict[str, Any]) -> None:
    key, match = bytes.fromhex(vector["key"]), vector["match"]
    assert sha256(b"commit:" + key + match.encode()).hexdigest() == vector["commit"]
    assert commitment(key, match) == vector["commit"]


def test_the_examples_show_words_that_are_thrown_away() -> None:
    vector = next(v for v in VECTORS["below"] if v["n"] == 2**31 + 1)
    source = words(vector["key"], vector["stream"])
    first = [next(source) for _ in vector["draws"]]
    assert max(first) >= vector["n"]


def test_a_whole_deck_of_81_is_among_the_examples() -> None:
    assert any(sorted(v["order"]) == list(range(81)) for v in VECTORS["shuffles"])
