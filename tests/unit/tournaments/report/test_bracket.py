"""The bracket: its columns are in the order of a tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.test_places import results_of
from tests.unit.tournaments.plans import plan
from tournaments.pairing.rounds import Decision, RoundGroup
from tournaments.pairing.schedule import rounds_of
from tournaments.report.bracket import bracket_of, decision_text


@given(st.integers(2, 33), st.integers(0, 99), st.floats(0, 1))
def test_every_slot_of_a_knockout_of_pairs_stands_between_its_two_feeders(
    bots: int, luck: int, share: float
) -> None:
    terms = plan(bots, format="knockout")
    bracket = bracket_of(rounds_of(terms, results_of(terms, luck, share)))
    assert bracket is not None
    assert bracket.is_tree
    for before, after in zip(bracket.columns, bracket.columns[1:], strict=False):
        assert len(before.slots) == 2 * len(after.slots)
        for at, slot in enumerate(after.slots):
            for bot, feeder in zip(slot.bots, before.slots[2 * at : 2 * at + 2], strict=True):
                assert bot in feeder.bots
                assert feeder.group is None or bot in feeder.group.through


def test_groups_of_three_are_no_tree() -> None:
    terms = plan(6, 3, format="knockout")
    bracket = bracket_of(rounds_of(terms, []))
    assert bracket is not None
    assert not bracket.is_tree
    assert bracket.winner == ""


def test_without_rounds_there_is_no_bracket() -> None:
    assert bracket_of([]) is None


@pytest.mark.parametrize(
    ("decided", "further", "words"),
    [
        ("points", 0, ""),
        ("further deals", 1, "decided by 1 further deal"),
        ("further deals", 3, "decided by 3 further deals"),
        ("lot", 4, "decided by lot after 4 further deals"),
        ("", 2, "tied: 2 further deals so far"),
    ],
)
def test_it_is_said_how_a_tie_was_broken(decided: Decision, further: int, words: str) -> None:
    group = RoundGroup(("a", "b"), (4, 4), 4, 4, 2, 2, goes_on=1, decided=decided, further=further)
    assert decision_text(group) == words
