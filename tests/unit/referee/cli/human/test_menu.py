"""The numbered list of legal actions that a person at a terminal reads."""

from referee.cli.human.menu import PAGE, Menu

GANGSTERS = [f"own {n} {c}{r}" for n in (1, 2, 3) for r in range(1, 7) for c in "abcdef"] + [
    "draw 1",
    "draw 2",
]


def test_a_short_list_is_shown_as_it_is() -> None:
    menu = Menu(["draw", "play R7 1", "play R7 2"])
    assert [(line.numbers[0], line.words) for line in menu.lines()] == [
        (1, "draw"),
        (2, "play R7 1"),
        (3, "play R7 2"),
    ]
    assert menu.heading() == ""
    assert menu.numbered(3) == "play R7 2"
    assert menu.numbered(4) is None
    assert menu.numbered(0) is None
    assert menu.spelled("PLAY r7 1") == "play R7 1"
    assert menu.spelled("play") is None


def test_a_long_list_is_shown_by_its_first_words_and_opens_step_by_step() -> None:
    menu = Menu(GANGSTERS)
    assert [(line.words, len(line.numbers)) for line in menu.lines()] == [("own", 108), ("draw", 2)]
    assert not menu.shows(1)
    assert menu.narrow("own")
    assert [(line.words, line.numbers[0]) for line in menu.lines()] == [
        ("own 1", 1),
        ("own 2", 37),
        ("own 3", 73),
    ]
    assert menu.narrow("own 2")
    assert "36 of 110 actions" in menu.heading()
    assert "page 1 of 2" in menu.heading()
    first = menu.lines()
    assert len(first) == PAGE
    menu.turn()
    assert [line.numbers[0] for line in first + menu.lines()] == list(range(37, 73))
    assert menu.shows(72)
    menu.turn()
    assert menu.lines() == first
    assert menu.narrow("c3")
    assert [GANGSTERS[line.numbers[0] - 1] for line in menu.lines()] == ["own 1 c3", "own 2 c3", "own 3 c3"]
    assert not menu.narrow("z9")
    assert len(menu.lines()) == 3
    assert menu.narrow("")
    assert len(menu.lines()) == 2


def test_the_first_words_that_lead_to_one_action_only_show_it_in_full() -> None:
    menu = Menu([*GANGSTERS, "shoot a1"])
    assert [line.words for line in menu.lines()] == ["own", "draw", "shoot a1"]
    assert menu.shows(len(GANGSTERS) + 1)
