"""Options, notation, refusals, order of the legal list, and what is shown to people."""

from typing import Any

import pytest

from referee.errors import OptionError
from referee.game import Event
from referee.games.gangsters import GAME
from referee.games.gangsters.text import describe
from tests.rules.acting import LUCK, play, refusal
from tests.rules.gangsters.build import column, crowd, position, row
from tests.rules.rulebook import PEOPLE, check_described

CROSS = f"{row(3, 'R3 R2 - R1 B1 Y1')} {column('c', 'B3 B2 - B2 Y1 G1')}"


def test_two_seats_have_two_cartridges_each_by_default() -> None:
    assert [GAME.resolve(None, seats)["cartridges"] for seats in (2, 3, 4)] == [2, 1, 1]
    assert GAME.resolve({"cartridges": 0}, 2)["cartridges"] == 0


@pytest.mark.parametrize(
    "options", [{"gangs": "RBY"}, {"gangs": "RRRR"}, {"piles": 5}, {"target": 0}, {"stall": "yes"}, {"x": 1}]
)
def test_options_that_cannot_be_are_refused(options: dict[str, str | int]) -> None:
    with pytest.raises(OptionError):
        GAME.new(2, LUCK.clone(), options)


@pytest.mark.parametrize(
    ("seats", "longest"), [(2, 394), (3, 538), (4, 708)], ids=["two seats", "three seats", "four seats"]
)
def test_a_game_is_no_longer_than_the_specification_proves(seats: int, longest: int) -> None:
    assert GAME.longest(seats) == longest
    assert GAME.longest(seats, {"ply_cap": 100}) == 100
    assert GAME.longest(seats, {"stall": "none"}) == 1000


@pytest.mark.parametrize(
    ("options", "widest"),
    [
        ({}, 182),
        ({"piles": 1}, 181),
        ({"draw": "commit"}, 252),
        ({"draw": "commit", "piles": 1}, 216),
        ({"refill": "actor"}, 254),
        ({"refill": "actor", "draw": "commit"}, 324),
    ],
)
def test_no_list_is_longer_than_that_of_the_empty_board(options: dict[str, str | int], widest: int) -> None:
    state = position(common="Y2 B1", options=options)
    assert GAME.widest(4, options) == widest == len(state.legal(0))


def test_the_legal_list_is_in_canonical_order() -> None:
    state = position(
        cells=crowd("c3 d4", "R1 Y2"),
        common="Y2 G3",
        reserves=["12", "", "", ""],
        piles=["", "B1"],
        cartridges=[1, 0, 0, 0],
    )
    targets = [action for action in state.legal(0) if action.startswith("shoot ")]
    assert targets[:3] == ["shoot a1", "shoot b1", "shoot c1"]
    assert state.legal(0) == [
        *("own 1 c3", "own 1 d4", "own 2 c3", "own 2 d4"),
        *("common Y2 c3", "common Y2 d4", "common G3 c3", "common G3 d4"),
        "draw 2",
        *("move d3 d4", "move d3 c3", "move c4 c3", "move c4 d4"),
        *targets,
    ]


REFUSALS = [
    ("pass", "no such verb"),
    ("", "no such verb"),
    ("SHOOT c3", "no such verb"),
    ("own 4 a1", "spelt like 'own 3 a1'"),
    ("own 1  a1", "single blanks"),
    ("own 2 a2 ", "spelt like"),
    ("common R1 g1", "spelt like 'common Y2 c3'"),
    ("put a1", "you have drawn no tile"),
    ("first 1", "no two lines"),
    ("own 1 c3", "c3 is not free"),
    ("own 3 a1", "not in your reserve"),
    ("common G1 a1", "G1 is not in the common reserve"),
    ("common Y2 a1 from 1", "leave out 'from'"),
    ("common Y2 c3", "c3 is not free"),
    ("draw 3", "pile 3 is empty or does not exist"),
    ("draw 2", "pile 2 is empty or does not exist"),
    ("blind 1 a1", "drawn with 'draw'"),
    ("move a1 a1", "no tile on a1"),
    ("move c3 c3", "c3 is not next to c3"),
    ("move c3 e3", "e3 is not next to c3"),
    ("move c3 d3", "d3 is not free"),
    ("move e5 e4", "e5 is dead"),
    ("move a6 a5", "a6 lies on a complete line"),
    ("move d3 d2", "d3 was placed or moved in the turn just before"),
    ("shoot a1", "no tile on a1"),
    ("shoot e5", "dead already"),
    ("shoot c3", "no live tile of your own gang"),
]


@pytest.mark.parametrize(("action", "reason"), REFUSALS)
def test_a_refusal_gives_its_reason_and_changes_nothing(action: str, reason: str) -> None:
    state = position(
        cells=f"c3=R2 d3=B1 e5=G2x {row(6, 'Y1 Y2 G1 B1 G2 B2')}",
        common="Y2 B1",
        reserves=["12", "3", "3", "3"],
        piles=["R1 R1", ""],
        ban="d3",
    )
    assert reason in refusal(state, action)


@pytest.mark.case("V4")
@pytest.mark.parametrize(
    "action",
    ["pass", "own 4 a1", "put a1", "move a1 a1", "common R1 g1", "own 1 a1 ", "SHOOT c3", "own ¹ a1", "\n"],
)
def test_texts_that_are_no_action_are_refused(action: str) -> None:
    state, _ = GAME.new(4, LUCK.clone())
    for seat in (*range(4), 7):
        assert refusal(state, action, seat)


def test_refusals_follow_phase_and_options() -> None:
    drawn = position(cells="c3=B1")
    play(drawn, "draw 1")
    assert "put it on a free cell" in refusal(drawn, "move c3 c4")
    assert refusal(drawn, "put c3") == "c3 is not free"
    order = position(cells=CROSS, common="G2 Y3")
    play(order, "common G2 c3")
    assert refusal(order, "own 1 a1") == "choose the line to be counted first: 3 or c"
    barred = position(cells="c3=B1 a1=R1", quiet=15)
    play(barred, "move a1 a2")
    assert "16 moves in a row" in refusal(barred, "move c3 c4")
    assert "your own gang only" in refusal(
        position(cells="c3=B1", options={"move_whose": "own"}), "move c3 c4"
    )
    assert "no cartridge" in refusal(position(cells="c3=R1 c4=B1", cartridges=[0, 1, 1, 1]), "shoot c4")
    friendly = position(cells="c3=R1 c4=R2", options={"friendly_fire": "no"})
    assert "not shoot your own gang" in refusal(friendly, "shoot c4")
    assert "drawn with 'blind'" in refusal(position(options={"draw": "commit"}), "draw 1")
    actor = position(common="Y2 B1", options={"refill": "actor"}, piles=["R1", ""])
    assert "name the pile" in refusal(actor, "common Y2 a1")
    assert "pile 2 is empty" in refusal(actor, "common Y2 a1 from 2")
    over = position(2)
    over.withdraw(0)
    assert refusal(over, "own 1 a1", 1) == "the game is over"
    assert refusal(position(), "own 1 a1", 1) == "it is not your decision"


def every_kind_of_event() -> list[Event]:
    """Return events of every kind, and of every way to describe them."""
    _, events = GAME.new(4, LUCK.clone())
    cross = position(cells=f"{CROSS} f6=R1", common="G2 Y3", quiet=16)
    cross.barred = True
    events += play(cross, "common G2 c3", "first c", "draw 1", "put a1", "own 3 a2", "move f6 f5", "shoot c3")
    events += cross.withdraw(0) + cross.withdraw(2) + cross.withdraw(3)
    events += play(position(2, "a1=R1 f6=B1", quiet=7), "move a1 a2")
    same = f"{row(3, 'R3 R2 - R1 B1 Y1')} {column('c', 'Y3 Y2 - B2 Y1 G1')}"
    events += play(position(2, same, common="G2 Y3"), "common G2 c3")
    events += play(position(4, row(1, "R1 R1 B1 B1 Y2 -"), common="G2 G1"), "common G2 f1")
    late = position(
        2, crowd("e6 f6", "R1 R2"), common="", piles=["", ""], reserves=["12", ""], cartridges=[0, 0]
    )
    events += play(late, "own 1 e6", "own 2 f6")
    return events


def test_every_kind_of_event_is_plain_and_described_in_a_sentence() -> None:
    events = every_kind_of_event()
    check_described(GAME, events, tuple(describe))
    assert all(event.private is None for event in events)


def test_only_what_luck_decides_is_news() -> None:
    news = {event.kind for event in every_kind_of_event() if event.news}
    assert news == {"started", "drawn", "refilled", "withdrawn"}


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (
            {"event": "placed", "seat": 0, "tile": "Y2", "cell": "c3", "from": "common"},
            "Al places Y2 from the common reserve on c3.",
        ),
        (
            {"event": "placed", "seat": 0, "tile": "Y2", "cell": "c3", "from": "pile 2"},
            "Al places Y2 from pile 2 on c3.",
        ),
        (
            {"event": "shot", "seat": 1, "cell": "d3", "tile": "B1", "cartridges": 1},
            "Bugs shoots B1 on d3 and has 1 cartridge left.",
        ),
        (
            {
                "event": "scored",
                "line": "c",
                "totals": {"R": 3, "B": 3, "Y": 2, "G": 1},
                "neutralised": ["R", "B"],
                "winner": "Y",
                "seat": 2,
                "minus": 1,
                "points": 1,
                "scores": [0, 0, 4, 0],
            },
            "Column c has R 3, B 3, Y 2, G 1 (R B cancel out): Cleo gets 1 point and has 4.",
        ),
        ({"event": "order_chosen", "seat": None, "first": "3"}, "Of the two lines row 3 is counted first."),
        (
            {"event": "ended", "reason": "full", "scores": [0, 0], "reached": [0, 0], "ranking": [1, 1]},
            "Al and Bugs share the win with the city full; the scores are 0 0.",
        ),
        (
            {"event": "ended", "reason": "goal", "scores": [3, 17], "reached": [1, 2], "ranking": [2, 1]},
            "Bugs wins by reaching the target; the scores are 3 17.",
        ),
    ],
)
def test_events_are_described_in_plain_words(event: dict[str, Any], sentence: str) -> None:
    assert GAME.describe(event, PEOPLE) == sentence


def test_a_position_is_drawn() -> None:
    state = position(3, f"{row(1, 'R1 B2x Y1 G1 R2 B2')} c3=G3", common="Y2 B1", ban="c3", scores=[0, 1, 12])
    drawing = GAME.draw(state.view(1))
    assert drawing.splitlines() == [
        "turn 1, @0 to place, move or shoot",
        "",
        "       a    b    c    d    e    f",
        "  1*   R1   B2x  Y1   G1   R2   B2",
        "  2    .    .    .    .    .    .",
        "  3    .    .    [G3] .    .    .",
        "  4    .    .    .    .    .    .",
        "  5    .    .    .    .    .    .",
        "  6    .    .    .    .    .    .",
        "       x dead  * complete line  [ ] placed or moved in the last turn",
        "",
        "> @0 R  score 0  reserve R1 R2 R3  cartridges 1",
        "  @1 (you) B  score 1  reserve B1 B2 B3  cartridges 1",
        "  @2 Y  score 12  reserve Y1 Y2 Y3  cartridges 1",
        "",
        "  neutral gangs G",
        "  common reserve B1 Y2",
        "  face down 9 + 9  (R1:1 R2:1 R3:2 B1:1 B3:2 Y1:1 Y2:1 Y3:2 G1:2 G2:3 G3:2)",
    ]
    tiles = state.reveal()["tiles"]
    assert f"face down {' '.join(tiles[0])}; {' '.join(tiles[1])}" in GAME.draw(state.reveal())


def test_every_phase_is_drawn() -> None:
    drawn = position()
    tile = play(drawn, "draw 1")[0].public["tile"]
    order = position(cells=CROSS, common="G2 Y3")
    play(order, "common G2 c3")
    barred = position(2, "a1=R1", quiet=7, ban="b1")
    play(barred, "move a1 a2")
    over = position(3)
    over.withdraw(0)
    over.withdraw(1)
    assert f"@0 has drawn {tile} and places it" in GAME.draw(drawn.view(1))
    assert "@0 chooses which line counts first: 3 or c" in GAME.draw(order.view(1))
    assert "moves are barred" in GAME.draw(barred.view(1))
    assert "over (last_seat): ranks 3 2 1" in GAME.draw(over.view(1))
    assert "@0 R  score 0  has left" in GAME.draw(over.view(1))
