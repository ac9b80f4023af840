"""An error of the referee itself voids its match, blames no bot, and harms no other match."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee import registry
from referee.chance import KeyedChance, deal_key
from referee.game import Game, View
from referee.hub.pairing import Finished, Pairing
from referee.process.spec import BotSpec, program
from tests.end_to_end.hubs import ROOT, play

BOTS = ("ada", "bob")

CURIOUS = """
from protocol.client import Bot, run
class Curious(Bot):
    def see(self, events): pass
    def choose(self, view, legal): return legal[0]
run(Curious, capacity=3)
"""


def coins() -> Game:
    return registry.game("coins")


def rules() -> Any:
    """Return the class of the toy's positions, which cannot be imported by name."""
    return type(coins().new(2, KeyedChance(bytes(32)))[0])


def matches(folder: Path) -> list[Finished]:
    pairings = [Pairing(f"m{n}", coins(), BOTS, deal_key("errors", str(n))) for n in range(6)]
    curious = program([sys.executable, "-c", CURIOUS], ROOT)
    return play([BotSpec(bot, curious, "stdio") for bot in BOTS], pairings, jobs=3, replays=folder)


def break_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the third deal fail."""
    count = [0]
    sound = type(coins()).new

    def new(game: Game, *words: Any) -> Any:
        count[0] += 1
        if count[0] == 3:
            raise ZeroDivisionError("of the deal")
        return sound(game, *words)

    monkeypatch.setattr(type(coins()), "new", new)


def break_view(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the fifth view hold what cannot be written down."""
    count = [0]
    sound = rules().view

    def view(state: Any, seat: int | None) -> View:
        count[0] += 1
        seen: View = sound(state, seat)
        return seen | {"odd": object()} if count[0] == 5 else seen

    monkeypatch.setattr(rules(), "view", view)


def break_last_event(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the events of one match's end hold what cannot be written down."""
    count = [0]
    sound = rules().apply

    def apply(state: Any, seat: int, action: str) -> Any:
        events = sound(state, seat, action)
        if state.outcome() is not None:
            count[0] += 1
            if count[0] == 2:
                events[-1].public["odd"] = object()
        return events

    monkeypatch.setattr(rules(), "apply", apply)


@pytest.mark.parametrize("spoil", [break_new, break_view, break_last_event])
def test_an_error_of_ours_costs_one_match(
    spoil: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spoil(monkeypatch)
    finished = matches(tmp_path)
    void = [one for one in finished if one.result.void]
    assert len(finished) == 6
    assert len(void) == 1
    assert (void[0].result.void_reason or "").startswith("an error of the referee: ")
    assert void[0].result.public_reason == ""
    assert not any(fault for one in finished for fault in one.result.faults)
    assert all(one.replay and one.replay.exists() for one in finished if not one.result.void)
