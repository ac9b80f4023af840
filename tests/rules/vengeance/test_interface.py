"""Options, notation, refusals, order of the legal list, and what is shown to people."""

import re
from typing import Any

import pytest

from referee import registry
from referee.errors import OptionError
from referee.games.vengeance import GAME
from referee.games.vengeance.contents import CODES, COMPACT, CONTENTS
from referee.games.vengeance.text import describe
from tests.rules.acting import LUCK, play, refusal
from tests.rules.rulebook import PEOPLE, check_described
from tests.rules.vengeance.build import Queue, begin, begun, content, position


@pytest.mark.parametrize(
    "options", [{"absent": "P"}, {"pair_turn": "player"}, {"lives": -1}, {"max_rounds": 0}, {"players": 3}]
)
def test_options_that_cannot_be_are_refused(options: dict[str, str | int]) -> None:
    with pytest.raises(OptionError):
        GAME.new(3, LUCK.clone(), options)


@pytest.mark.parametrize(("absent", "gangs"), [("G", "OYB"), ("O", "YBG"), ("Y", "OBG"), ("B", "OYG")])
def test_with_three_seats_one_gang_is_left_out(absent: str, gangs: str) -> None:
    state, events = GAME.new(3, LUCK.clone(), {"absent": absent})
    assert events[0].public["gangs"] == [[gang] for gang in gangs]
    view = state.view(None)
    assert list(view["gangs"]) == list(gangs)
    assert [gang["seat"] for gang in view["gangs"].values()] == [0, 1, 2]
    assert all(action.split(" ")[1] == gangs[state.active] for action in state.legal(state.active))


def test_the_legal_list_is_in_canonical_order() -> None:
    state = begun({12: "O*O", 3: "O", 23: "B"}, [5, 2], 2)
    assert state.legal(0) == [
        *("boss O 2", "boss O 5"),
        *("hood O hq 2", "hood O hq 5", "hood O 3 2", "hood O 3 5", "hood O 12 2", "hood O 12 5"),
        *("sum O hq", "sum O 3", "sum O 12"),
        *("boss B 2", "boss B 5"),
        *("hood B hq 2", "hood B hq 5", "hood B 23 2", "hood B 23 5"),
        *("sum B hq", "sum B 23"),
    ]
    assert state.legal(1) == []
    play(state, "hood B 23 5")
    assert state.legal(0)[-1] == "stop"
    assert state.fallback(0) == "stop"


def test_the_house_plays_the_first_action_if_it_may_not_stop() -> None:
    state = begun({}, [2, 5])
    assert state.fallback(0) == state.legal(0)[0] == "boss O 2"


REFUSALS = [
    ("jump", "no such verb"),
    ("", "no such verb"),
    ("hood O 012 2", "spelt like 'hood O 12 5'"),
    ("hood  O 12 2", "spelt like"),
    ("stop ", "spelt like 'stop'"),
    ("sum O", "spelt like 'sum O hq'"),
    ("boss O 7", "spelt like 'boss O 3'"),
    ("hood O 12 2\n", "spelt like"),
    ("hood O 36 2", "from 0 to 35"),
    ("stop", "at least one figure"),
    ("hood Y hq 2", "turn of O"),
    ("hood O hq 4", "you have no 4: the dice left are 2 and 3"),
    ("hood O hq 2", "no free orange hood in the HQ"),
    ("hood O 13 2", "no free orange hood on cell 13"),
    ("hood O 20 2", "no free orange hood on cell 20"),
    ("boss O 2", "without a free hood"),
    ("hood O 12 3", "cell 15 holds YYY and admits no orange figure"),
]


@pytest.mark.parametrize(("action", "reason"), REFUSALS)
def test_a_refusal_gives_its_reason_and_changes_nothing(action: str, reason: str) -> None:
    state = begun({12: "O", 15: "YYY", 20: "G(O)"}, [2, 3], hq={"O": 0})
    assert reason in refusal(state, action)


def test_refusals_follow_the_turn() -> None:
    state = begun({12: "O*O", 33: "O", 10: "O"}, [2, 5])
    assert "not your decision" in refusal(state, "stop", 1)
    play(state, "hood O 33 2")
    for action, reason in {
        "hood O 35 5": "the hood on cell 35 has already used a die",
        "hood O 12 2": "you have no 2: the dice left are 5",
        "sum O 12": "the total needs both dice",
    }.items():
        assert reason in refusal(state, action)
    boss = begun({12: "O*O"}, [2, 5])
    play(boss, "boss O 2")
    assert "a boss has already moved" in refusal(boss, "boss O 5")


def test_refusals_follow_the_options() -> None:
    forced = begun({12: "O*", 10: "O"}, [2, 3], hq={"O": 0}, options={"spare_die": "forced"})
    assert "another first move uses both dice" in refusal(forced, "hood O 10 3")
    play(forced, "hood O 10 2")
    assert "has to be" in refusal(forced, "stop")
    never = begun({33: "O*O"}, [5, 2], options={"overshoot": "never"})
    assert "he is 3 from home and may not pass" in refusal(never, "boss O 5")
    paired = begun({12: "O", 14: "O(B*)"}, [2, 3], 2)
    play(paired, "hood O 12 2")
    assert "the blue boss fell in this turn" in refusal(paired, "hood B hq 3")
    mortal = begun({12: "O", 14: "O(B*)"}, [2, 3], 2, options={"lives": 1})
    play(mortal, "hood O 12 2")
    assert "the blue gang has left the game" in refusal(mortal, "hood B hq 3")
    over = begun({33: "O*O"}, [3, 1])
    play(over, "boss O 3")
    assert "the game is over" in refusal(over, "stop", 0)


def test_contents_have_short_texts_that_can_be_read_back() -> None:
    assert len(CONTENTS) == len(CODES) == len(set(COMPACT)) == 73
    for code, text in enumerate(COMPACT):
        assert content(text) == code
    assert {"OO", "O*", "O*O", "O(Y)", "Y*(O*)"} <= set(COMPACT)


def test_every_kind_of_event_is_plain_and_described_in_a_sentence() -> None:
    _, events = GAME.new(3, Queue([6, 6, 6, 6, 1, 1, 5, 1, 6, 5, 1, 2]))
    hired = begun({34: "O", 13: "Y(O)", 8: "O", 9: "Y"}, [3, 3, 13, 2], pool={"O": 1})
    events += play(hired, "hood O 34 3", "stop")
    fallen = begun({12: "O", 14: "O(Y*)", 9: "O"}, [2, 3], options={"lives": 2})
    events += play(fallen, "hood O 12 2", "stop")
    out = begun({12: "O", 14: "O(Y*)"}, [2, 3], options={"lives": 1})
    events += play(out, "hood O 12 2", "stop")
    events += begin(position({12: "O*"}, [2, 3], hq={"O": 0}))
    taken = begun({12: "O", 14: "Y"}, [2, 3])
    events += play(taken, "hood O 12 2")
    events += taken.withdraw(3) or []
    home = begun({33: "O*O"}, [3, 1])
    events += play(home, "boss O 3")
    check_described(GAME, events, tuple(describe))
    assert all(event.private is None for event in events)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (
            {"event": "moved", "gang": "O", "figure": "hood", "from": "hq", "to": 8, "by": "sum"},
            "The orange hood goes with both dice from the HQ to cell 8.",
        ),
        (
            {"event": "moved", "gang": "O", "figure": "boss", "from": 35, "to": "hq", "by": 1},
            "The orange boss goes with a 1 from cell 35 home to his HQ.",
        ),
        (
            {"event": "killed", "gang": "G", "figure": "boss", "cell": 4, "cause": "wheel"},
            "The green boss is shot by the marksmen on cell 4.",
        ),
        (
            {"event": "start_rolled", "totals": {"0": 7, "2": 7}},
            "The dice for the start are Al 7, Cleo 7; Al and Cleo roll again.",
        ),
        (
            {"event": "turn_began", "seat": 1, "turn": 3, "round": 0, "due": ["Y", "G"]},
            "Turn 3, round 0: Bugs moves yellow and green.",
        ),
        (
            {"event": "ended", "reason": "cap", "winner": None, "ranking": [1, 2, 1]},
            "The last round is over; first by progress: Al and Cleo.",
        ),
        ({"event": "stopped", "seat": 0, "dice": [5]}, "Al leaves the 5 unused."),
    ],
)
def test_events_are_described_in_plain_words(event: dict[str, Any], sentence: str) -> None:
    assert GAME.describe(event, PEOPLE) == sentence


def test_a_position_is_drawn_with_every_cell_and_gang() -> None:
    state = begun({0: "O*O", 20: "Y*(B)", 35: "GGG"}, [2, 5])
    drawing = GAME.draw(state.view(0))
    words = drawing.split()
    for text in ("O*O", "Y*(B)", "GGG", "<O", "<Y", "<B", "<G", "(you)"):
        assert any(text in word for word in words), text
    numbers = {int(match) for match in re.findall(r"(?m)(?:^|(?<=\s))(\d+)(?=[ +o!\n])", drawing)}
    assert set(range(36)) <= numbers
    assert drawing.startswith("turn 11, round 2, @0 (O), first move: rolled 2 5, left 2 5\n")
    assert "boss on 20 (12)" in drawing
    assert max(map(len, drawing.splitlines())) <= 80
    play(state, "sum O hq")
    assert "spins due" not in GAME.draw(state.view(None))


def test_every_phase_is_drawn() -> None:
    state = begun({12: "O", 18: "O"}, [3, 3, 30, 2], pool={"Y": 8})
    play(state, "hood O 12 3")
    assert "second move: rolled 3 3, left 3, spins due for O" in GAME.draw(state.view(1))
    assert "ruined" in GAME.draw(state.view(1))
    play(state, "stop")
    assert "extra move: rolled 3 3, left 2" in GAME.draw(state.view(1))
    over = begun({33: "O*O"}, [3, 1])
    play(over, "boss O 3")
    assert "over (goal): ranks 1 2 2 2" in GAME.draw(over.view(1))
    left = begun({}, [1, 2])
    left.withdraw(1)
    assert "boss gone (0)  hq 0  pool 8  falls 0  out" in GAME.draw(left.view(None))


def test_the_rules_name_every_way_to_end() -> None:
    for reason in ("goal", "last_seat", "stalemate", "cap"):
        assert f"**{reason}**" in registry.rules(GAME), reason
