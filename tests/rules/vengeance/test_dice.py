"""Dice that must be used or may be left, and the boss who passes his HQ: read a second time, naively."""

from typing import Any

import pytest

from referee.game import Options
from referee.games.vengeance import GAME
from referee.games.vengeance.state import State
from tests.rules.acting import LUCK, kinds_of, only, play, refusal
from tests.rules.random_games import games
from tests.rules.vengeance.build import begun, occupied

HOME = 37


def passes_home(view: dict[str, Any], action: str) -> bool:
    """Return whether an action takes a boss past his own door."""
    verb, *words = action.split(" ")
    return verb == "boss" and view["gangs"][words[0]]["progress"] + int(words[1]) > HOME


def loosened(view: dict[str, Any]) -> State:
    """Return the position under rules that force and forbid nothing."""
    loose = {"spare_die": "free", "overshoot": "free", "extra_die": "free"}
    return GAME.imagine({**view, "options": view["options"] | loose}, LUCK.clone())


def naive_moves(view: dict[str, Any], options: Options) -> list[str]:
    """Return the moves of one decision, without a look at what they leave of the dice."""
    state = loosened(view)
    if not state.to_act():
        return []
    found = [action for action in state.legal(state.active) if action != "stop"]
    inside = [action for action in found if not passes_home(view, action)]
    if options["overshoot"] == "free":
        return found
    stops = {"second": options["spare_die"], "extra": options["extra_die"]}.get(view["phase"]) == "free"
    return inside if inside or stops or options["overshoot"] == "never" else found


def naive_legal(view: dict[str, Any]) -> list[str]:
    """Return the legal actions by trying everything out."""
    options, phase = view["options"], view["phase"]
    found = naive_moves(view, options)
    if phase != "first":
        stops = options["spare_die" if phase == "second" else "extra_die"] == "free"
        return [*found, "stop"] if stops else found
    if options["spare_die"] == "free":
        return found
    both, ends = [], []
    for action in found:
        after = loosened(view)
        after.apply(after.active, action)
        then = after.view(None)
        if action.startswith("sum"):
            both.append(action)
        elif then["reason"] == "goal":
            ends.append(action)
        elif (then["turn"], then["phase"]) == (view["turn"], "second") and naive_moves(then, options):
            both.append(action)
    return [action for action in found if action in both or action in ends] if both else found


@pytest.mark.parametrize("seed", range(8))
def test_r1_r21_r36_r37_the_list_is_that_of_a_naive_reading(seed: int) -> None:
    for state, dealt in games(GAME.new, GAME.info, 7000 + seed, lives=[0], max_rounds=[25]):
        while state.to_act():
            view, legal = state.view(None), state.legal(state.active)
            assert legal == naive_legal(view), view
            # Bosses that travel come to their doors; play at random hardly ever brings them there.
            bosses = [action for action in legal if action.startswith("boss")]
            state.apply(state.active, dealt.random.choice(bosses or legal))


@pytest.mark.case("F01")
def test_r1_a_total_uses_both_dice_so_that_no_single_die_is_legal() -> None:
    forced = begun({12: "O"}, [2, 3], hq={"O": 0}, options={"spare_die": "forced"})
    assert forced.legal(0) == ["sum O 12"]
    assert "another first move uses both dice" in refusal(forced, "hood O 12 2")


@pytest.mark.case("F02")
def test_r1_if_nothing_uses_both_dice_each_of_them_is_legal() -> None:
    forced = begun({12: "O", 17: "YYY"}, [2, 3], hq={"O": 0}, options={"spare_die": "forced"})
    assert forced.legal(0) == ["hood O 12 2", "hood O 12 3"]


@pytest.mark.case("F03")
def test_r36_the_way_home_is_open_though_a_total_uses_both_dice() -> None:
    options: Options = {"spare_die": "forced", "overshoot": "never"}
    # The hood passes the door, and there is no hood in the pool who could come in and use the other die.
    held = dict.fromkeys(range(10, 17), "Y(O)")
    forced = begun({33: "O*O", **held}, [3, 6], options=options)
    assert forced.legal(0) == ["boss O 3", "sum O 33"]


@pytest.mark.case("F04")
def test_r21_a_boss_who_passes_only_if_obliged_does_not_while_his_hood_could_go_or_a_die_may_be_left() -> (
    None
):
    options: Options = {"overshoot": "obliged"}
    first = begun({33: "O*O"}, [5, 6], hq={"O": 0}, options=options)
    assert not [action for action in first.legal(0) if action.startswith("boss")]
    assert "only if no other figure can use the die" in refusal(first, "boss O 5")
    # The hood joins his boss with the first die and may not use the second; the seat may leave it.
    free = begun({31: "O", 33: "O*"}, [2, 5, 1, 2], hq={"O": 0}, options=options)
    play(free, "hood O 31 2")
    assert free.active == 1


@pytest.mark.case("F05")
def test_r21_a_boss_is_obliged_when_the_die_must_be_used_and_no_other_figure_can() -> None:
    options: Options = {"overshoot": "obliged", "spare_die": "forced"}
    state = begun({27: "O", 33: "O*"}, [6, 5, 1, 2], hq={"O": 0}, options=options)
    assert state.legal(0) == ["hood O 27 6", "sum O 27"]
    play(state, "hood O 27 6")
    assert state.legal(0) == ["boss O 5"]
    events = play(state, "boss O 5")
    assert only(events, "recruited").public["count"] == 3
    assert occupied(state)[2] == "O*"


@pytest.mark.case("F06")
def test_r37_the_extra_die_may_be_left_if_the_option_says_so() -> None:
    forced = begun({12: "O"}, [2, 2, 5, 1, 2], hq={"O": 0})
    play(forced, "sum O 12")
    assert forced.legal(0) == ["hood O 16 5"]
    assert "extra_die=forced" in refusal(forced, "stop")
    free = begun({12: "O"}, [2, 2, 5, 1, 2], hq={"O": 0}, options={"extra_die": "free"})
    play(free, "sum O 12")
    assert free.legal(0) == ["hood O 16 5", "stop"]
    assert free.fallback(0) == "stop"
    events = play(free, "stop")
    assert only(events, "stopped").public["dice"] == [5]
    assert (free.active, occupied(free)) == (1, {16: "O"})


@pytest.mark.case("F07")
def test_r7_and_r37_the_spins_at_the_end_come_though_the_extra_die_was_left() -> None:
    options: Options = {"extra_die": "free", "double_spin": "end"}
    state = begun({12: "O", 20: "O"}, [3, 3, 1, 30, 1, 2], hq={"O": 0}, options=options)
    play(state, "hood O 12 3", "stop")
    assert state.phase == "extra"
    assert kinds_of(play(state, "stop"))[:2] == ["stopped", "spun"]


@pytest.mark.case("F08")
def test_r16_the_five_others_may_be_out_of_the_game() -> None:
    options: Options = {"fallen_hoods": "out"}
    state = begun({12: "O", 14: "O(Y*)", 3: "YY"}, [2, 3], hq={"Y": 4}, options=options)
    reformed = only(play(state, "hood O 12 2"), "reformed").public
    assert (reformed["lost"], reformed["hq"], reformed["pool"]) == (6, 3, 0)
    assert (state.hq[1], state.pool[1]) == (3, 0)
    assert state.view(None)["gangs"]["Y"]["state"] == "active"


@pytest.mark.case("F09")
def test_r16_a_hood_that_died_after_the_fall_can_be_recruited_but_none_of_the_five() -> None:
    options: Options = {"fallen_hoods": "out"}
    state = begun({35: "O", 33: "O"}, [2, 3], hq={"O": 0}, options=options)
    state.falls[0], state.pool[0] = 1, 1
    assert only(play(state, "hood O 35 2"), "recruited").public["count"] == 1
    assert (state.hq[0], state.pool[0]) == (1, 0)
    assert "recruited" not in kinds_of(play(state, "hood O 33 3"))
    assert (state.hq[0], state.pool[0]) == (1, 0)


@pytest.mark.case("F09")
def test_r16_a_second_fall_brings_the_same_three_again() -> None:
    options: Options = {"fallen_hoods": "out"}
    state = begun({12: "O", 14: "O(Y*)"}, [2, 3], hq={"Y": 1}, options=options)
    state.falls[1], state.pool[1] = 1, 2
    reformed = only(play(state, "hood O 12 2"), "reformed").public
    assert (reformed["lost"], reformed["hq"], reformed["pool"]) == (1, 3, 0)
    assert state.view(None)["gangs"]["Y"]["falls"] == 2


@pytest.mark.case("F09")
def test_r16_three_hoods_in_the_pool_are_all_that_such_a_gang_has() -> None:
    for hq, pool, word in ((0, 3, "ruined"), (1, 2, "active")):
        state = begun({12: "O"}, [2, 3], hq={"Y": hq}, options={"fallen_hoods": "out"})
        state.falls[1], state.pool[1] = 1, pool
        assert state.view(None)["gangs"]["Y"]["state"] == word


@pytest.mark.case("F10")
def test_r16_and_r24_a_gang_whose_last_three_hoods_are_gone_is_ruined() -> None:
    options: Options = {"fallen_hoods": "out"}
    state = begun({12: "O"}, [2, 3, 1, 2], 2, hq={"Y": 0, "G": 3}, options=options)
    state.falls[1] = state.falls[3] = 1
    state.pool[1], state.pool[3] = 3, 3
    state.hq[3] = 0
    play(state, "hood O 12 2", "stop")
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.reason, outcome.ranks) == ("last_seat", (1, 2))
