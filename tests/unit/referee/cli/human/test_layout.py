"""What people are shown fits into the width of their terminal."""

import random

import pytest

from referee import registry
from referee.chance import KeyedChance, deal_key
from referee.cli.human.layout import fit_board, wrapped
from referee.cli.human.menu import Menu
from referee.game import Game


def boards(game: Game, seats: int) -> list[str]:
    """Return the drawings of a random game, as each seat to act sees it, and the last one."""
    luck = random.Random(f"{game.info.id} {seats}")
    state, _ = game.new(seats, KeyedChance(deal_key("boards", str(seats))), None)
    drawn = []
    for number in range(400):
        if state.outcome() is not None:
            break
        for seat in tuple(state.to_act()):
            if number % 20 == 0:
                drawn.append(game.draw(state.view(seat)))
            state.apply(seat, luck.choice(state.legal(seat)))
    return [*drawn, game.draw(state.view(0))]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("id_", registry.ids())
def test_the_boards_of_all_games_fit_and_lose_nothing(id_: str, width: int) -> None:
    game = registry.game(id_)
    for seats in (game.info.least_seats, game.info.most_seats):
        for board in boards(game, seats):
            lines = fit_board(board, width)
            assert max(map(len, lines)) <= width, "\n".join(lines)
            assert set("".join(board.split())) == set("".join("".join(lines).split()))
            assert set(board.split()) <= set(" ".join(lines).split())


def test_a_board_that_fits_is_not_changed() -> None:
    board = "turn 1\n\n   a b\n 1 . .\n"
    assert fit_board(board, 80) == board.splitlines()


def test_a_wide_board_is_drawn_in_parts_that_repeat_the_names_of_the_rows() -> None:
    heads = "    " + "".join(f"{column:<5}" for column in "abcdef")
    rows = [f" {row}  " + "".join(f"{column}{row}   " for column in "abcdef") for row in range(1, 5)]
    legend = "    a1: the first, b1: the second one"
    lines = fit_board("\n".join(["turn 1", "", heads, *rows, legend]), 24)
    assert [line.split() for line in lines] == [
        ["turn", "1"],
        [],
        ["a", "b", "c", "d"],
        *([str(row), *(f"{column}{row}" for column in "abcd")] for row in range(1, 5)),
        [],
        ["e", "f"],
        *([str(row), *(f"{column}{row}" for column in "ef")] for row in range(1, 5)),
        ["a1:", "the", "first,", "b1:"],
        ["the", "second", "one"],
    ]


def test_a_long_line_is_wrapped_between_words_and_indented() -> None:
    assert wrapped("    1) play R7 1  Ann plays R7 in slot 1.", 30) == [
        "    1) play R7 1  Ann plays R7",
        "       in slot 1.",
    ]
    assert wrapped("- Ann draws a card and another one.", 20) == ["- Ann draws a card", "  and another one."]
    assert wrapped("short", 80) == ["short"]
    assert wrapped("", 80) == [""]
    assert wrapped("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]


ACTIONS = [f"own {n} {c}{r}" for n in (1, 2, 3) for r in range(1, 7) for c in "abcdef"] + ["draw 1", "draw 2"]


def test_an_action_has_one_number_in_every_part_of_the_list() -> None:
    luck, menu = random.Random(7), Menu(ACTIONS)
    shown = 0
    for _ in range(500):
        if luck.random() < 0.5:
            menu.turn()
        else:
            menu.narrow(luck.choice(["", "own", "own 2", "c3", "3", "draw", "1", "b", "nothing"]))
        for line in menu.lines():
            if not line.is_group:
                shown += 1
                assert menu.numbered(line.numbers[0]) == line.words
                assert menu.number_of(line.words) == line.numbers[0] == ACTIONS.index(line.words) + 1
    assert shown > 500
