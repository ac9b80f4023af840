"""Planned matches: their ids, and what the hub is given of them."""

import re
from collections import Counter
from itertools import permutations
from typing import Any

import pytest

from referee.chance import Beacon, deal_key
from referee.hub.fixture import Fixture, Planner, number_of, rotated
from referee.match.faults import PROFILES
from referee.registry import game

ABC = ("cat", "ant", "bee")


def planner(**settings: Any) -> Planner:
    return Planner(settings.pop("game", "coins"), settings.pop("seed", "demo"), **settings)


def ids(fixtures: list[Fixture]) -> set[str]:
    return {fixture.match for fixture in fixtures}


def test_an_id_names_game_deal_and_rotation() -> None:
    block = planner().block(ABC, "0012")
    assert all(re.fullmatch(r"coins-0012-[0-9a-f]{12}-r[012]", fixture.match) for fixture in block)
    assert len(ids(block)) == 3
    assert {number_of(one) for one in ids(block)} == {12}


def test_ids_are_different_and_safe_as_file_names_for_any_text() -> None:
    awkward = planner(game="../x", seed="../../etc: \n", options={"a": "\udcff"})
    names = ["0001", "a/b", "a b", "\n", "x" * 500, "ü", "-"]
    found = [fixture.match for name in names for fixture in awkward.block(("\x00", "/"), name)]
    assert len(set(found)) == len(found)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,110}", one) for one in found)


def test_an_id_holds_neither_seed_nor_names() -> None:
    assert not any(word in one for one in ids(planner().block(ABC, "0001")) for word in ("demo", *ABC))


def test_the_same_bots_of_another_deal_have_another_tag() -> None:
    tags = {one.split("-")[2] for name in ("0001", "0002", "0003") for one in ids(planner().block(ABC, name))}
    assert len(tags) == 3


def test_the_rotation_does_not_disclose_the_order_of_names() -> None:
    # A bot that is not shown names must not learn from the id whether it comes before the other by name.
    seats = Counter(
        fixture.bots.index("ant") == int(fixture.match[-1])
        for number in range(200)
        for fixture in planner().block(("ant", "bee"), f"{number:04}")
    )
    assert 120 < seats[True] < 280


@pytest.mark.parametrize(
    "other",
    [{"seed": "x"}, {"options": {"rounds": 2}}, {"game": "gangsters"}, {"run": "2"}],
    ids=lambda terms: next(iter(terms)),
)
def test_other_terms_give_other_ids_and_deals(other: dict[str, Any]) -> None:
    before, after = planner().block(ABC, "0001"), planner(**other).block(ABC, "0001")
    assert not ids(before) & ids(after)
    assert before[0].deal != after[0].deal


def test_other_bots_or_another_order_of_them_are_another_match() -> None:
    first = planner().block(ABC, "0001")
    assert not ids(first) & ids(planner().block(("cat", "ant", "dog"), "0001"))
    assert not ids(first) & ids(planner().block(("cat", "bee", "ant"), "0001"))


def test_an_id_depends_on_the_seats_alone_and_not_on_how_the_block_was_made() -> None:
    for order in permutations(ABC):
        by_bots = {fixture.bots: fixture for fixture in planner().block(order, "0001")}
        for by in range(3):
            again = planner().block(rotated(order, by), "0001", rotations=[0])
            assert again == [by_bots[rotated(order, by)]]


def test_a_deal_is_numbered_or_belongs_to_its_block() -> None:
    [own] = {fixture.deal for fixture in planner().block(ABC, "0001")}
    [numbered] = {fixture.deal for fixture in planner(numbered_deals=True).block(ABC, "0001")}
    assert numbered == "0001"
    assert own == planner().block(ABC, "0001")[0].block


def test_the_hub_is_given_the_key_of_the_deal_and_shows_it_unless_it_is_shared() -> None:
    for shared in (True, False):
        [fixture] = planner().block(ABC, "0001", rotations=[0], shared=shared)
        pairing = planner().pairing(fixture, game("coins"), PROFILES["strict"])
        assert pairing.key == deal_key("demo", fixture.deal)
        assert pairing.reveal is not shared
        assert (pairing.match, pairing.bots, pairing.deal) == (fixture.match, ABC, fixture.deal)
        assert pairing.seed == "demo"


def test_with_a_beacon_the_replay_is_given_the_parts_and_the_hub_the_key_they_make() -> None:
    beacon = Beacon("drand round 5000000", "9f3e", "ab" * 32)
    made = planner(seed=beacon.seed("own"), operator_seed="own", beacon=beacon)
    [fixture] = made.block(ABC, "0001", rotations=[0])
    pairing = made.pairing(fixture, game("coins"), PROFILES["strict"])
    assert (pairing.seed, pairing.beacon) == ("own", beacon)
    assert pairing.key == deal_key(beacon.seed("own"), fixture.deal)
    assert fixture.match != planner(seed="own").block(ABC, "0001", rotations=[0])[0].match


def test_the_seed_of_a_ladder_is_not_written_into_replays() -> None:
    ladder = planner(writes_seed=False)
    [fixture] = ladder.block(ABC, "0001", rotations=[0])
    assert ladder.pairing(fixture, game("coins"), PROFILES["strict"]).seed == ""


@pytest.mark.parametrize(
    "match", ["", "m-1", "coins-12-5b1d32a0c1d2-r1", "coins-0012-5b1d-r1", "coins-0012-r1"]
)
def test_an_id_of_another_kind_has_no_number(match: str) -> None:
    assert number_of(match) is None


def test_rotating_all_the_way_round_changes_nothing() -> None:
    assert rotated(ABC, 3) == rotated(ABC, 0) == ABC


def test_neither_seed_nor_key_is_printed() -> None:
    assert "demo" not in repr(planner())
    assert "key" not in repr(planner().block(ABC, "0001")[0])
