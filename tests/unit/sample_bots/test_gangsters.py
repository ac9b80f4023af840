"""The gangsters bot: it takes points, denies them, knows who must stop waiting, and wins."""

import time

from referee.chance import KeyedChance
from referee.game import Options
from referee.games.gangsters import GAME
from sample_bots.python import gangsters
from tests.rules.acting import play
from tests.rules.gangsters.build import column, position, row
from tests.unit.sample_bots.arena import HEROES, answer, match

CROSS = f"{row(3, 'R3 R2 - R1 B1 Y1')} {column('c', 'B3 B2 - B2 Y1 G1')}"

HERO = HEROES["gangsters"]


# What it does.


def test_it_takes_the_line_that_pays_most() -> None:
    cells = f"{row(1, 'R3 R2 B1 Y1 G1 -')} {row(6, 'R1 Y2 B2 G2 Y1 -')}"
    assert answer(HERO, position(cells=cells, common="R2 G1", reserves=["12", "3", "3", "3"])).endswith(" f1")


def test_it_completes_a_line_with_a_foreign_tile_if_that_pays() -> None:
    cells = row(1, "R3 R3 R2 B1 Y2 -")
    state = position(2, cells, common="G1 B3", piles=["", ""], reserves=["", "1"], cartridges=[0, 0])
    assert answer(HERO, state) == "common G1 f1"


def test_it_ends_the_game_when_it_can() -> None:
    cells = f"{row(1, 'R3 R2 B1 Y1 G1 -')} {row(6, 'R3 Y2 B2 G2 Y1 -')}"
    state = position(
        cells=cells, common="Y3 G1", reserves=["1", "3", "3", "3"], scores=[12, 0, 0, 0], reached=[1, 0, 0, 0]
    )
    assert answer(HERO, state) == "own 1 f1"


def test_it_does_not_lay_the_fifth_tile_of_a_line_that_the_next_seat_can_take() -> None:
    state = position(2, row(1, "B3 B2 Y1 G1 - -"), common="Y1 G2", reserves=["123", "3"])
    assert answer(HERO, state)[-1] != "1"


def test_it_spoils_a_line_that_the_next_seat_can_take() -> None:
    state = position(2, row(1, "B3 B2 B1 G1 Y1 -"), common="Y3 G1", reserves=["3", "3"], cartridges=[0, 2])
    before = gangsters.Position(state.view(0)).risks[0]
    play(state, answer(HERO, state))
    view = state.view(0)
    assert before > 5
    assert "1" in view["complete"] or gangsters.Position(view).risks[0] < before
    assert view["scores"][1] < 7


def test_it_chooses_the_order_that_wins() -> None:
    state = position(cells=CROSS, common="G2 Y3", scores=[13, 13, 0, 0], reached=[1, 2, 0, 0])
    play(state, "common G2 c3")
    assert answer(HERO, state) == "first 3"
    rival = position(cells=CROSS, common="G2 Y3", scores=[13, 13, 0, 0], reached=[1, 2, 0, 0], active=1)
    play(rival, "common G2 c3")
    assert answer(HERO, rival) == "first c"


def test_it_waits_only_if_another_seat_must_stop_waiting() -> None:
    began, joined = position(2, "a1=R1 f6=B1", quiet=2), position(2, "a1=R1 f6=B1", quiet=3)
    assert gangsters.Position(began.view(0)).waiting() < 0 < gangsters.Position(joined.view(0)).waiting()


def test_it_waits_for_the_end_if_it_is_ahead() -> None:
    options: Options = {"stall": "end"}
    ahead, level = position(2, scores=[3, 1], options=options), position(2, scores=[3, 3], options=options)
    assert gangsters.Position(ahead.view(0)).waiting() > 0 > gangsters.Position(level.view(0)).waiting()


def test_it_shoots_where_it_turns_a_line() -> None:
    cells = f"{row(1, 'R3 B3 B3 Y1 G1 -')} a2=R2"
    state = position(2, cells, common="Y1 Y1", piles=["", ""], reserves=["", "3"], cartridges=[1, 0])
    judged = gangsters.Position(state.view(0))
    assert judged.shooting(1) > max(judged.shooting(0), judged.shooting(6))


# How it plays.


def test_it_plays_on_when_a_seat_has_left() -> None:
    state, _ = GAME.new(3, KeyedChance(bytes(32)))
    state.withdraw(1)
    while state.to_act():
        state.apply(state.active, answer(HERO, state))
    assert state.outcome()


def test_it_is_quick() -> None:
    began = time.process_time()
    actions = match(GAME, [HERO.make] * 2, "quick").actions
    assert (time.process_time() - began) / len(actions) < 0.01
