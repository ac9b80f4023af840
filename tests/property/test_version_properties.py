"""Versions of bots: other ids and other deals for what concerns a changed bot, the same for all else."""

from hashlib import sha256
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.hub.fixture import Fixture
from tests.unit.tournaments.plans import plan, played
from tournaments.pairing.schedule import fixtures, rightful

THREE = ("ann", "bob", "cleo")
PINNED: list[tuple[dict[str, Any], str]] = [
    ({"bots": THREE, "blocks": 2}, "95a6f50ae431661d"),
    ({"bots": THREE, "blocks": 2, "common_deals": True}, "3ccad6369ca4c8c7"),
    ({"bots": THREE, "blocks": 2, "aliases": True}, "6604a4032a62e232"),
    ({"bots": 5, "seats": 3, "format": "gauntlet", "hero": "bot02"}, "2cd0e1ac9deebe12"),
    ({"bots": 5, "format": "swiss", "rounds": 3}, "2e49c25461083547"),
    ({"bots": 5, "format": "knockout"}, "54beceed72f9fea1"),
]
"""Hashes of the matches of version 0.5.0, which knew no versions of bots."""


def matches_hash(planned: list[Fixture]) -> str:
    lines = [f"{one.match} {one.deal} {one.block} {one.bots}" for one in planned]
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


@pytest.mark.parametrize(("settings", "expected"), PINNED, ids=str)
def test_first_versions_have_the_matches_that_they_always_had(
    settings: dict[str, Any], expected: str
) -> None:
    terms = plan(**settings)
    assert matches_hash(fixtures(terms)) == expected
    first = replace(terms, versions=dict.fromkeys(terms.names, 1))
    assert matches_hash(fixtures(first)) == expected


versions = st.fixed_dictionaries({name: st.integers(1, 4) for name in ("bot00", "bot01", "bot02", "bot03")})


@pytest.mark.parametrize("settings", [{}, {"seats": 3}, {"format": "gauntlet", "hero": "bot01"}], ids=str)
@pytest.mark.parametrize("style", ["plain", "aliases", "common_deals"])
@given(before=versions, now=versions)
def test_only_what_concerns_a_changed_bot_has_other_matches_and_other_deals(
    settings: dict[str, Any], style: str, before: dict[str, int], now: dict[str, int]
) -> None:
    terms = plan(4, blocks=2, **settings, **({style: True} if style != "plain" else {}))
    one, other = (replace(terms, versions=found) for found in (before, now))
    changed = {name for name in before if before[name] != now[name]}
    matches = [{fixture.match: fixture for fixture in fixtures(each)} for each in (one, other)]
    assert len(matches[0]) == len(matches[1])
    same = matches[0].keys() & matches[1].keys()
    assert same == {match for match, fixture in matches[0].items() if not changed & set(fixture.bots)}
    assert all(matches[0][match] == matches[1][match] for match in same)
    if style != "common_deals":
        deals = [{fixture.deal for match, fixture in each.items() if match not in same} for each in matches]
        assert not deals[0] & deals[1]
    for each, found in zip((one, other), matches, strict=True):
        for fixture in found.values():
            assert rightful(each, played(fixture)) == fixture
            if fixture.match not in same:
                wrong = other if each is one else one
                assert rightful(wrong, played(fixture)) is None


def test_ids_of_many_versions_are_all_different() -> None:
    terms = plan(("ann", "bob"), blocks=1)
    found = [
        {fixture.match for fixture in fixtures(replace(terms, versions={"ann": ann, "bob": bob}))}
        for ann in range(1, 9)
        for bob in range(1, 9)
    ]
    assert all(not one & other for one, other in combinations(found, 2))
