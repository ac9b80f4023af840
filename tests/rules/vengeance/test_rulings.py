"""The rulings of RULES.md, each by its number, and the corners the cases leave open."""

from referee.games.vengeance.components import GANG_NUMBERS, HQ
from tests.rules.acting import kinds_of, only, play
from tests.rules.vengeance.build import begun, brief, occupied


def test_r1_one_die_may_be_left_but_not_with_spare_die_forced() -> None:
    free = begun({12: "O"}, [2, 3])
    forced = begun({12: "O"}, [2, 3], options={"spare_die": "forced"})
    play(free, "hood O 12 2")
    play(forced, "hood O 12 2")
    assert free.legal(0) == [*forced.legal(0), "stop"]


def test_r1_a_first_move_that_wastes_the_other_die_is_not_legal_with_spare_die_forced() -> None:
    # By 2 the only free hood joins the boss, who can then go on by 3; by 3 no figure could go by 2.
    cells = {12: "O*", 10: "O"}
    forced = begun(cells, [2, 3], hq={"O": 0}, options={"spare_die": "forced"})
    free = begun(cells, [2, 3], hq={"O": 0})
    assert free.legal(0) == ["hood O 10 2", "hood O 10 3", "sum O 10"]
    assert forced.legal(0) == ["hood O 10 2", "sum O 10"]


def test_r2_the_hood_that_has_moved_may_not_use_the_other_die() -> None:
    state = begun({12: "O", 20: "O"}, [2, 3], hq={"O": 0})
    play(state, "hood O 12 2")
    assert state.legal(0) == ["hood O 20 3", "stop"]


def test_r2_a_hood_that_died_on_his_way_keeps_no_other_from_moving() -> None:
    state = begun({12: "O", 14: "YY"}, [2, 3], hq={"O": 0})
    events = play(state, "hood O 12 2")
    assert [brief(event) for event in events[1:2]] == ["kill O hood 14 ambush"]
    assert state.active == 1


def test_r3_a_boss_never_goes_by_the_total_but_may_use_the_extra_die() -> None:
    state = begun({12: "O*OO"}, [2, 2, 5], hq={"O": 0})
    assert "boss O 4" not in state.legal(0)
    play(state, "hood O 12 2", "boss O 2")
    assert state.phase == "extra"
    assert "boss O 5" in state.legal(0)


def test_r4_the_cell_behind_the_door_is_the_first_point() -> None:
    state = begun({}, [1, 6])
    play(state, "boss O 1")
    assert state.view(0)["gangs"]["O"]["progress"] == 1
    assert occupied(state) == {0: "O*"}


def test_r5_no_figure_stops_short_of_a_full_cell() -> None:
    state = begun({12: "O", 14: "YYY", 15: "BBB", 17: "GGG"}, [2, 3], hq={"O": 0})
    assert state.active == 1
    assert occupied(state)[12] == "O"


def test_r6_kidnapper_and_hostage_of_two_gangs_admit_no_third() -> None:
    state = begun({12: "O", 14: "Y(B)", 15: "B*(G*)"}, [2, 3], hq={"O": 0})
    assert state.legal(0) == ["sum O 12"]


def test_r7_the_spins_of_a_double_come_before_its_extra_die_unless_the_option_says_so() -> None:
    cells = {12: "O", 18: "O"}
    kinds = {}
    for choice in ("each", "end"):
        # 30 and 12 are shot at, where no figure is left.
        luck = [3, 3, 30, 2] if choice == "each" else [3, 3, 2, 30]
        state = begun(cells, luck, hq={"O": 0}, options={"double_spin": choice})
        events = play(state, "hood O 12 3", "stop")
        kinds[choice] = kinds_of(events)
        assert state.view(0)["hires"] == ([] if choice == "each" else ["O"])
    assert kinds["each"] == ["moved", "hired", "stopped", "spun", "extra_rolled"]
    assert kinds["end"] == ["moved", "hired", "stopped", "extra_rolled"]


def test_r7_with_the_spins_at_the_end_they_come_even_if_the_extra_die_is_of_no_use() -> None:
    luck = [3, 3, 5, 30, 1, 2]
    state = begun({12: "O", 20: "BBB"}, luck, hq={"O": 0}, options={"double_spin": "end"})
    events = play(state, "hood O 12 3")
    assert kinds_of(events)[:5] == ["moved", "hired", "extra_rolled", "lapsed", "spun"]


def test_r8_who_is_ambushed_on_a_shooting_cell_does_not_hire() -> None:
    state = begun({12: "O", 15: "YY"}, [3, 2])
    assert kinds_of(play(state, "hood O 12 3")) == ["moved", "killed"]
    assert state.hires == []


def test_r9_a_hire_holds_when_its_figure_is_gone() -> None:
    state = begun({12: "O", 3: "O*O", 5: "YY"}, [3, 2, 0])
    events = play(state, "hood O 12 3", "boss O 2")
    assert occupied(state) == {5: "YY"}
    assert only(events, "spun").public["cells"] == [0, 18]


def test_r10_a_spin_hits_two_opposite_cells() -> None:
    state = begun({12: "O", 3: "Y", 21: "B"}, [3, 2, 21])
    play(state, "hood O 12 3", "stop")
    assert occupied(state) == {15: "O"}


def test_r11_the_rifle_at_the_stop_shoots_first() -> None:
    dead = {}
    for stop in (3, 21):
        state = begun({12: "O", 3: "Y", 21: "B"}, [3, 2, stop])
        events = play(state, "hood O 12 3", "stop")
        dead[stop] = [event.public["gang"] for event in events if event.kind == "killed"]
    assert dead == {3: ["Y", "B"], 21: ["B", "Y"]}


def test_r12_the_rifles_do_not_reach_into_an_hq() -> None:
    state = begun({12: "O"}, [3, 2, 9])
    events = play(state, "hood O 12 3", "stop")
    assert "killed" not in kinds_of(events)
    assert state.hq[1:] == [8, 8, 8]


def test_r13_on_a_danger_cell_hostage_and_kidnapper_die_in_this_order() -> None:
    state = begun({12: "O", 13: "Y*(B)"}, [3, 2, 13])
    events = play(state, "hood O 12 3", "stop")
    killed = [brief(event) for event in events if event.kind == "killed"]
    assert killed == ["kill B hood 13 wheel", "kill Y boss 13 wheel"]
    assert occupied(state) == {15: "O"}


def test_r13_the_figures_of_the_hirer_on_a_danger_cell_are_spared() -> None:
    state = begun({12: "O", 13: "Y*(O)", 31: "O*(B*)"}, [3, 2, 13])
    events = play(state, "hood O 12 3", "stop")
    told = [brief(event) for event in events if event.kind in {"killed", "freed", "reformed"}]
    assert told == [
        "kill Y boss 13 wheel",
        "free O hood 13",
        "reform Y 3",
        "kill B boss 31 wheel",
        "reform B 3",
    ]
    assert occupied(state) == {13: "O", 15: "O", 31: "O*"}


def test_r14_a_boss_alone_is_shot_and_one_with_a_hood_is_not() -> None:
    state = begun({12: "O", 3: "Y*", 21: "B*B"}, [3, 2, 3])
    play(state, "hood O 12 3", "stop")
    assert occupied(state) == {15: "O", 21: "B*"}
    assert state.falls == [0, 1, 0, 0]


def test_r15_and_r16_after_a_fall_three_hoods_are_in_the_hq_and_five_in_the_pool() -> None:
    state = begun({12: "O", 14: "O(Y*)", 3: "YY"}, [2, 3], hq={"Y": 4})
    events = play(state, "hood O 12 2")
    reform = only(events, "reformed").public
    assert (reform["lost"], reform["hq"], reform["pool"]) == (6, 3, 5)
    assert (state.hq[1], state.pool[1], state.bosses[1]) == (3, 5, HQ)


def test_r17_a_gang_is_locked_only_in_a_turn_of_its_own_seat() -> None:
    own = begun({12: "O*O", 14: "YY"}, [2, 2, 3, 1, 2])
    play(own, "boss O 2")
    assert own.active == 1
    other = begun({12: "O", 14: "O(Y*)"}, [2, 3])
    play(other, "hood O 12 2")
    assert other.locked == [False] * 4
    paired = begun({12: "O", 14: "O(B*)"}, [2, 3], 2)
    play(paired, "hood O 12 2")
    assert paired.locked == [False, False, True, False]
    assert not any(" B " in action for action in paired.legal(0))
    play(paired, "stop")
    assert paired.locked == [False] * 4


def test_r18_recruiting_is_automatic_and_comes_before_the_arrival() -> None:
    state = begun({34: "O", 0: "Y"}, [2, 3], pool={"O": 1})
    assert kinds_of(play(state, "hood O 34 2")) == ["moved", "recruited", "kidnapped"]
    assert (state.hq[0], state.pool[0]) == (7, 0)


def test_r19_a_recruit_may_leave_with_the_other_die() -> None:
    state = begun({34: "O"}, [2, 3], hq={"O": 0})
    play(state, "hood O 34 2")
    assert "hood O hq 3" in state.legal(0)


def test_r20_who_passes_the_door_does_not_count_the_hq() -> None:
    state = begun({35: "O*OO"}, [4, 6], pool={"O": 1})
    play(state, "hood O 35 6", "boss O 4")
    assert occupied(state) == {3: "O*", 5: "O", 35: "O"}


def test_r21_a_boss_may_pass_his_hq_by_choice_and_brings_in_as_many_as_there_are() -> None:
    state = begun({35: "O*O"}, [4, 6], pool={"O": 2})
    events = play(state, "boss O 4")
    assert only(events, "recruited").public["count"] == 2
    assert state.pool[0] == 0


def test_r22_a_boss_alone_in_his_hq_stays_unless_it_is_open() -> None:
    for choice, legal in {"locked": False, "open": True}.items():
        state = begun({12: "O"}, [2, 3], hq={"O": 0}, options={"hq_alone": choice})
        assert ("boss O 2" in state.legal(0)) == legal


def test_r23_a_hostage_is_no_company_neither_held_nor_holding() -> None:
    state = begun({12: "O*(Y)", 14: "Y(O)"}, [2, 3], hq={"O": 0})
    assert state.active == 1


def test_r25_two_bosses_never_use_one_roll() -> None:
    state = begun({12: "O*O", 23: "B*B"}, [2, 5], 2)
    play(state, "boss B 2")
    assert "boss O 5" not in state.legal(0)
    assert "hood B 23 5" in state.legal(0)


def test_r26_with_two_seats_a_roll_may_be_split_between_both_gangs() -> None:
    state = begun({}, [2, 5], 2)
    play(state, "hood O hq 2", "hood B hq 5")
    assert occupied(state) == {1: "O", 22: "B"}
    assert state.active == 1


def test_r26_with_pair_turn_gang_the_gangs_take_turns() -> None:
    state = begun({}, [1, 3] * 5, 2, options={"pair_turn": "gang"})
    order = []
    for _ in range(5):
        view = state.view(None)
        order.append((view["active"], view["due"]))
        play(state, f"sum {view['due'][0]} hq")
    assert order == [(0, ["O"]), (1, ["Y"]), (0, ["B"]), (1, ["G"]), (0, ["O"])]
    assert state.round == 3


def test_r27_the_gangs_of_one_seat_ambush_each_other() -> None:
    state = begun({12: "O", 14: "BB"}, [2, 3], 2)
    events = play(state, "hood O 12 2")
    assert only(events, "killed").public["cause"] == "ambush"


def test_r28_a_rifle_takes_one_hood_of_a_group_and_asks_no_seat() -> None:
    state = begun({12: "O", 14: "YYY", 32: "B*BB"}, [3, 2, 14])
    play(state, "hood O 12 3", "stop")
    assert occupied(state) == {14: "YY", 15: "O", 32: "B*B"}
    assert state.to_act() == (1,)


def test_r30_the_extra_die_is_rolled_though_the_double_was_of_no_use() -> None:
    state = begun({12: "O", 16: "YYY", 20: "BBB"}, [4, 4, 1], hq={"O": 0})
    assert (state.phase, state.dice, state.roll) == ("extra", (1,), (4, 4))


def test_r31_a_boss_who_could_go_home_may_stay_where_he_is() -> None:
    state = begun({33: "O*O"}, [3, 1])
    assert {"boss O 3", "boss O 1", "hood O hq 1"} <= set(state.legal(0))
    play(state, "hood O hq 1", "stop")
    assert state.outcome() is None


def test_r32_after_passing_the_door_a_boss_owes_another_lap() -> None:
    state = begun({33: "O*O"}, [5, 4])
    play(state, "boss O 5")
    assert state.view(0)["gangs"]["O"]["progress"] == 3
    assert state.board.left[GANG_NUMBERS["O"]][2 + 1] == 34


def test_r36_with_spare_die_forced_the_way_home_is_always_open() -> None:
    # By 3 the boss is home, and no figure needs the 1. By 1 the hood would leave him alone, and waste the 3.
    state = begun({33: "O*O"}, [3, 1], hq={"O": 0}, options={"spare_die": "forced"})
    assert "boss O 3" in state.legal(0)
    assert "hood O 33 1" not in state.legal(0)
    play(state, "boss O 3")
    assert state.phase == "over"


def test_in_a_rescue_the_freed_boss_may_leave_at_once() -> None:
    state = begun({12: "O", 14: "Y*(O*)"}, [2, 3], hq={"O": 0})
    events = play(state, "hood O 12 2")
    told = [brief(event) for event in events]
    assert told == ["move O hood 12 14", "kill Y boss 14 rescue", "free O boss 14", "reform Y 3"]
    assert "boss O 3" in state.legal(0)


def test_the_fall_of_a_gang_frees_whom_it_held_and_takes_whom_others_held() -> None:
    state = begun({12: "O", 14: "O(Y*)", 3: "Y(O)", 20: "Y(G*)", 25: "B(Y)"}, [2, 3])
    events = play(state, "hood O 12 2")
    told = [brief(event) for event in events]
    assert told == [
        "move O hood 12 14",
        "kill Y boss 14 gang",
        "free O hood 3",
        "free G boss 20",
        "reform Y 3",
    ]
    assert occupied(state) == {3: "O", 14: "OO", 20: "G*", 25: "B"}


def test_a_long_row_of_turns_without_a_move_is_reported_and_needs_no_decision() -> None:
    # Seats 1 to 3 have only a boss on the circuit; seat 0 is the next that can do anything.
    cells = {12: "O", 20: "Y*", 22: "B*", 24: "G*"}
    state = begun(cells, [1, 3, 1, 2, 3, 3, 6, 1, 2, 2, 4], hq={"Y": 0, "B": 0, "G": 0})
    events = play(state, "sum O 12")
    assert kinds_of(events) == [
        *("moved", "turn_began", "rolled", "lapsed"),
        *("turn_began", "rolled", "lapsed", "extra_rolled", "lapsed"),
        *("turn_began", "rolled", "lapsed", "turn_began", "rolled"),
    ]
    assert state.active == 0
    assert state.view(0)["luck"] == {"dice": [[1, 2], [3, 3], [6], [1, 2], [2, 4]], "wheel": []}
