"""The published examples of luck: our code and the text of the specification agree on them."""

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from hmac import digest
from pathlib import Path
from typing import Any

import pytest

import protocol
from referee.chance import (
    Beacon,
    KeyedChance,
    commitment,
    deal_key,
    plan_hash,
    seed_hash,
    tournament_commitment,
)

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


def field(text: str) -> bytes:
    return len(text.encode()).to_bytes(8, "big") + text.encode()


@pytest.mark.parametrize("vector", VECTORS["beacons"])
def test_the_seed_of_a_tournament_with_a_beacon(vector: dict[str, Any]) -> None:
    # Written from 8.11 and 8.12 of SPEC.md.
    of_plan = sha256(b"plan:" + vector["plan"].encode()).hexdigest()
    of_seed = sha256(b"seed:" + vector["operator_seed"].encode()).hexdigest()
    whole = sha256(f"tournament:{of_seed}{of_plan}".encode()).hexdigest()
    message = b"luck:" + field(of_plan) + field(vector["beacon"]) + field(vector["value"])
    seed = digest(vector["operator_seed"].encode(), message, "sha256").hex()
    fingerprint = sha256(b"seed:" + seed.encode()).hexdigest()
    key = digest(seed.encode(), b"deal:" + vector["deal"].encode(), "sha256").hex()
    names = ("plan_hash", "seed_hash", "commitment", "message", "seed", "fingerprint", "key")
    assert (of_plan, of_seed, whole, message.hex(), seed, fingerprint, key) == tuple(map(vector.get, names))
    # Our own code.
    beacon = Beacon(vector["beacon"], vector["value"], plan_hash(vector["plan"].encode()))
    assert (beacon.plan, seed_hash(vector["operator_seed"])) == (of_plan, of_seed)
    assert tournament_commitment(of_seed, of_plan) == whole
    assert beacon.seed(vector["operator_seed"]) == seed
    assert (seed_hash(seed), deal_key(seed, vector["deal"]).hex()) == (fingerprint, key)


def test_a_letter_that_moves_from_the_name_of_a_beacon_to_its_value_gives_another_seed() -> None:
    one, other = (v for v in VECTORS["beacons"] if v["beacon"] + v["value"] == "abc")
    assert one["plan_hash"] == other["plan_hash"]
    assert one["seed"] != other["seed"]


def test_the_example_in_the_specification_is_one_of_the_vectors() -> None:
    spec = (FILE.parents[1] / "SPEC.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```\n([0-9a-f \n]+)^```", spec, re.MULTILINE)
    (vector,) = [v for v in VECTORS["beacons"] if v["message"] == re.sub(r"\s", "", shown)]
    for name in ("plan_hash", "seed", "operator_seed", "plan", "beacon", "value"):
        assert f"`{vector[name]}`" in spec


def test_the_examples_show_words_that_are_thrown_away() -> None:
    vector = next(v for v in VECTORS["below"] if v["n"] == 2**31 + 1)
    source = words(vector["key"], vector["stream"])
    first = [next(source) for _ in vector["draws"]]
    assert max(first) >= vector["n"]


def test_a_whole_deck_of_81_is_among_the_examples() -> None:
    assert any(sorted(v["order"]) == list(range(81)) for v in VECTORS["shuffles"])
