"""Every case of the specification, from `cases.json`: a position, the luck to come, actions, what follows.

`cells` is the circuit before the turn; figures that are not listed are in their HQ, unless `hq` or `pool`
says otherwise. `chance` is the luck in order. `steps` check the legal actions and act, `expect` is
checked at the end. A case with `setup` begins with the deal.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from referee.game import Event
from referee.games.vengeance import GAME
from referee.games.vengeance.components import GANG_NUMBERS, HQ
from referee.games.vengeance.state import State
from tests.rules.vengeance.build import Queue, begin, brief, content, position

Case = dict[str, Any]
CASES: list[Case] = json.loads((Path(__file__).parent / "cases.json").read_text())


def test_there_are_87_cases_each_with_its_own_id() -> None:
    assert len({case["id"] for case in CASES}) == len(CASES) == 87


@pytest.mark.parametrize(
    "case", [pytest.param(case, id=case["id"], marks=pytest.mark.case(case["id"])) for case in CASES]
)
def test_the_case_comes_out_as_specified(case: Case) -> None:
    state, events = _set_up(case)
    for step in case.get("steps", ()):
        _check_legal(state, step)
        if "do" in step:
            events += state.apply(state.to_act()[0], step["do"])
    expected = case.get("expect", {})
    _check_position(state, expected)
    _check_events([brief(event) for event in events], expected)
    _check_end(state, expected)


def _set_up(case: Case) -> tuple[State, list[Event]]:
    seats, luck, options = case.get("seats", 4), Queue(case["chance"]), case.get("options")
    if case.get("setup"):
        return GAME.new(seats, luck, options)
    state = position(
        {int(cell): text for cell, text in case.get("cells", {}).items()},
        seats=seats,
        seat=case.get("seat", 0),
        rounds=case.get("round", 1),
        hq=case.get("hq"),
        pool=case.get("pool"),
        options=options,
        chance=luck,
    )
    events = begin(state)
    if "forfeit_at_start" in case:
        events += state.withdraw(case["forfeit_at_start"]) or []
    return state, events


def _check_legal(state: State, step: Case) -> None:
    legal = state.legal(state.to_act()[0])
    if "legal" in step:
        assert sorted(legal) == sorted(step["legal"])
    assert set(step.get("legal_has", ())) <= set(legal)
    assert not set(step.get("legal_not", ())) & set(legal)
    if "count" in step:
        assert len(legal) == step["count"]


def _check_position(state: State, expected: Case) -> None:
    for cell, text in expected.get("cells", {}).items():
        assert state.cells[int(cell)] == content(text), cell
    for letter, count in expected.get("pool", {}).items():
        assert state.pool[GANG_NUMBERS[letter]] == count
    for letter, count in expected.get("hq", {}).items():
        assert state.hq[GANG_NUMBERS[letter]] == count
    for letter, where in expected.get("boss", {}).items():
        assert state.bosses[GANG_NUMBERS[letter]] == (HQ if where == "hq" else where)


def _check_events(told: list[str], expected: Case) -> None:
    for text in expected.get("events", ()):
        assert text in told
    places = [told.index(text) for text in expected.get("order", ())]
    assert places == sorted(places)
    kinds = Counter(text.split(" ")[0] for text in told)
    for kind in expected.get("no_events", ()):
        assert not kinds[kind]
    for kind, count in expected.get("count", {}).items():
        assert kinds[kind] == count


def _check_end(state: State, expected: Case) -> None:
    if "seat" in expected:
        assert state.to_act() == (expected["seat"],)
    if "legal_after" in expected:
        assert state.legal(state.to_act()[0]) == expected["legal_after"]
    outcome = state.outcome()
    assert (outcome.reason if outcome else None) == expected.get("over")
    if "ranks" in expected:
        assert outcome is not None
        assert list(outcome.ranks) == expected["ranks"]
    if "winner" in expected:
        assert outcome is not None
        first = [seat for seat, rank in enumerate(outcome.ranks) if rank == 1]
        won = outcome.reason in {"goal", "last_seat"}
        assert (first if won else [None]) == [expected["winner"]]
