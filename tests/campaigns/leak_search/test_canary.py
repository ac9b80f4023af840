"""The quick form of the canary run; `make leaks N=10000` is the long form."""

import subprocess
import sys

import pytest

from tests.campaigns.leak_search.timing import BLIND, Telling, compare, measure
from tests.unit.test_layout import ROOT


def canary(*words: str) -> subprocess.CompletedProcess[str]:
    """Run the canary in a process of its own, in which Sealed is installed."""
    command = [sys.executable, "-m", "tests.campaigns.leak_search", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_no_output_contains_what_its_reader_must_not_know() -> None:
    told = canary("--matches", "60")
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.startswith("60 matches, ")
    assert told.stdout.endswith(" MB searched, no leak\n")


def test_every_planted_leak_is_found() -> None:
    told = canary("--plants")
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.endswith("planted, 0 missed\n")
    assert told.stdout.count("found: ") >= 10


def test_output_and_files_of_the_commands_contain_no_card_and_no_key() -> None:
    told = canary("--commands")
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.count("no leak") == 4


@pytest.mark.parametrize(
    ("low", "high", "auc"),
    [([1, 2, 3], [4, 5, 6], 1.0), ([4, 5, 6], [1, 2, 3], 0.0), ([1, 4], [2, 3], 0.5)],
)
def test_the_measure_of_timing_is_one_where_times_reveal_everything(
    low: list[int], high: list[int], auc: float
) -> None:
    assert compare(low, high).auc == auc


@pytest.mark.parametrize(("way", "kind"), BLIND)
def test_the_end_of_a_round_reveals_neither_choices_nor_the_slow_seat_to_a_third_seat(
    way: str, kind: str
) -> None:
    measured = measure(20, way)[kind]
    assert all(shown.is_blind for shown in measured), measured


def test_rules_that_take_longer_for_one_choice_would_be_noticed() -> None:
    measured = measure(20, "hidden", Telling())["high"]
    assert not measured.since_last.is_blind, measured
