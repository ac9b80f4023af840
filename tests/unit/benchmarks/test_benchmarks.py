"""Every part of the benchmarks runs, hands over what it promises, and leaves no process behind."""

import os
from functools import cache

import msgspec
import pytest
from click.testing import CliRunner

from benchmarks import hubs
from benchmarks.__main__ import MODULES, main, part
from benchmarks.meter import descendants
from benchmarks.samples import traffic
from benchmarks.sheet import TINY, Goal, Sheet, plain
from protocol.codec import Encoding
from referee import registry


@cache
def measured(name: str) -> tuple[Sheet, ...]:
    before = set(descendants(os.getpid()))
    sheets = tuple(part(name)(TINY))
    assert set(descendants(os.getpid())) <= before, "processes were left behind"
    return sheets


LONG = ("starts", "tournament", "watchers", "workers")
"""Parts that start very many processes."""


MAY_BE_ZERO = ("ms of the clock",)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in MODULES]
)
def test_a_part_runs_and_every_figure_is_a_positive_number(name: str) -> None:
    sheets = measured(name)
    assert sheets
    for sheet in sheets:
        assert sheet.rows
        for row in sheet.rows:
            assert len(row) == len(sheet.columns)
            figures = [
                (column, cell)
                for column, cell in zip(sheet.columns, row, strict=True)
                if not isinstance(cell, str)
            ]
            assert figures
            # What is charged to a clock should be nothing, and mostly is.
            assert all(figure > 0 or (figure == 0 and column in MAY_BE_ZERO) for column, figure in figures), (
                row
            )
        msgspec.json.encode(plain(sheet))


def test_the_hub_is_measured_with_every_transport_beside_every_yardstick() -> None:
    (sheet,) = measured("hub")
    cells = {(row[0], row[1]) for row in sheet.rows}
    titles = [cast.title for cast in hubs.casts(TINY.bots)]
    titles += [hubs.ROUTER, hubs.PIPES, hubs.PIPE, hubs.GATHERED]
    crowded = {(cast.title, TINY.crowded) for cast in hubs.many(TINY.bots)}
    assert cells == {(title, at_once) for title in titles for at_once in TINY.matches} | crowded
    assert len(sheet.goals) == 15
    for row in sheet.rows:
        # Sums of the same times in another order differ in their last digits.
        own, with_gates, everything = (round(float(figure), 6) for figure in row[3:])
        assert own <= with_gates <= everything


def test_every_registered_game_is_measured_with_every_number_of_seats() -> None:
    (sheet,) = measured("rules")
    assert [(row[0], row[1]) for row in sheet.rows] == [
        (game.info.id, seats)
        for game in registry.games().values()
        for seats in range(game.info.least_seats, game.info.most_seats + 1)
    ]


def test_the_yardsticks_carry_as_many_bytes_as_real_messages() -> None:
    said = traffic()
    assert len(said.exchanges) > 100
    assert said.request_bytes[Encoding.JSON] > said.request_bytes[Encoding.MSGPACK] > 100
    assert said.answer_bytes[Encoding.JSON] > said.answer_bytes[Encoding.MSGPACK] > 20


def test_a_goal_says_whether_it_is_reached() -> None:
    assert Goal("cost", 1.4, "at most", 1.5).reached
    assert not Goal("cost", 1.6, "at most", 1.5).reached
    assert Goal("speed", 0.6, "at least", 0.5).reached
    assert not Goal("speed", 0.4, "at least", 0.5).reached


def test_the_command_prints_tables_for_people_and_json_for_machines() -> None:
    runner = CliRunner()
    shown = runner.invoke(main, ["--quick", "codec"])
    assert shown.exit_code == 0, shown.output
    assert "msgpack" in shown.output
    spoken = runner.invoke(main, ["--quick", "--json", "codec"])
    (sheet,) = msgspec.json.decode(spoken.stdout)["sheets"]
    assert [row["encoding"] for row in sheet["rows"]] == ["msgpack", "json"]


def test_an_unknown_part_is_refused_with_the_known_ones() -> None:
    refused = CliRunner().invoke(main, ["warp"])
    assert refused.exit_code == 2
    assert "replays" in refused.output
