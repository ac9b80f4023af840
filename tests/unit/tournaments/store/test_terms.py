"""The terms of a store: which tournaments may go on in it."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.unit.tournaments.plans import plan
from tournaments.report.results_so_far import stored_results
from tournaments.store import terms
from tournaments.store.errors import StoreError
from tournaments.store.store import Store

NEW_IN_0_6 = ("number of pools", "setting of third_place")
RULES = ("rule of Swiss pairing", "choice of few groups")


def noted_by_an_earlier_version(**settings: Any) -> str:
    """Return the terms as version 0.3 noted them."""
    noted = msgspec.json.decode(terms.text_of(plan(**settings)), type=dict[str, str])
    return msgspec.json.encode({name: term for name, term in noted.items() if name not in RULES}).decode()


@pytest.mark.parametrize(
    ("settings", "other"),
    [
        ({"format": "swiss"}, ["rule of Swiss pairing"]),
        ({"bots": 12, "seats": 5, "groups": "few"}, ["choice of few groups"]),
        (
            {"bots": 13, "seats": 6, "groups": "few", "format": "gauntlet", "hero": "bot00"},
            ["choice of few groups"],
        ),
        ({"bots": 13, "seats": 5, "groups": "few"}, []),
        ({"bots": 12, "seats": 5}, []),
        ({"format": "knockout"}, []),
    ],
    ids=str,
)
def test_a_store_of_an_earlier_version_is_refused_if_its_matches_were_others(
    settings: dict[str, Any], other: list[str], tmp_path: Path
) -> None:
    terms_of_plan = plan(**settings, store=tmp_path / "old.sqlite")
    noted = noted_by_an_earlier_version(**settings)
    assert terms.differences(terms_of_plan, noted) == other
    with Store(terms_of_plan.store) as store:
        store.note(terms.NOTE, noted)
    if other:
        with pytest.raises(StoreError, match=f"begun by an earlier version, with another {other[0]}"):
            stored_results(terms_of_plan)
    else:
        assert stored_results(terms_of_plan).rows == []


def test_a_store_of_this_version_goes_on() -> None:
    for settings in ({"format": "swiss"}, {"bots": 12, "seats": 5, "groups": "few"}):
        assert not terms.differences(plan(**settings), terms.text_of(plan(**settings)))
    began_with_all = terms.text_of(plan(11, 5))
    assert not terms.differences(plan(12, 5, groups="few"), began_with_all)


def test_the_number_of_swiss_rounds_is_a_term() -> None:
    noted = terms.text_of(plan(format="swiss", rounds=2))
    assert terms.differences(plan(format="swiss", rounds=3), noted) == ["number of rounds"]


@pytest.mark.parametrize(
    ("settings", "other"),
    [
        ({}, []),
        ({"format": "knockout"}, []),
        ({"pools": 2}, ["number of pools"]),
        ({"format": "knockout", "third_place": True}, ["setting of third_place"]),
    ],
    ids=str,
)
def test_a_store_without_the_terms_of_later_versions_goes_on_as_it_was(
    settings: dict[str, Any], other: list[str]
) -> None:
    usual = {name: value for name, value in settings.items() if name == "format"}
    noted = msgspec.json.decode(terms.text_of(plan(**usual)), type=dict[str, str])
    old = {name: term for name, term in noted.items() if name not in NEW_IN_0_6}
    assert len(old) == len(noted) - len(NEW_IN_0_6)
    assert terms.differences(plan(**settings), msgspec.json.encode(old).decode()) == other
    # The other way round: what was noted as divided is not read as one field.
    assert terms.differences(plan(**usual), terms.text_of(plan(**settings))) == other
