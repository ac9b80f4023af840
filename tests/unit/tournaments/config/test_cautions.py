"""What operators are warned of: seeds that can be guessed, and settings that let bots remember a deal."""

import pytest

from referee.process.spec import LEVELS, Level
from tournaments.config.cautions import LEAST_BITS, memory_caution, new_seed, seed_bits, seed_caution

REPEATED = ["0" * 99, "a" * 300, "spring " * 20, "0123456789" * 5, "deadbeef" * 4, "01" * 64]
IN_ORDER = ["0123456789abcdef", "fedcba9876543210", "abcdefghijklmnopqrstuvwxyz0123456789"]


@pytest.mark.parametrize(
    "seed",
    [
        *("", "7", "demo", "s3cret", "2026-11-18", "123456789012", "a tournament of mine", "0" * 40),
        *(*REPEATED, *IN_ORDER),
    ],
)
def test_a_seed_that_can_be_guessed_is_warned_of(seed: str) -> None:
    warning = seed_caution(seed, "take a longer one")
    assert f"about {seed_bits(seed)} of {LEAST_BITS} bits" in warning
    assert warning.endswith("; take a longer one")


def test_a_seed_of_the_right_length_is_not_warned_of() -> None:
    for seed in ("b0b5c1d2e4f6a798", "8302756190483726154093", "dice thrown by all eight teams, in turn"):
        assert seed_caution(seed, "") == ""


def test_no_seed_of_ours_is_ever_warned_of() -> None:
    assert not any(seed_caution(new_seed(), "") for _ in range(2_000))


@pytest.mark.parametrize("fresh", [True, False])
@pytest.mark.parametrize("level", LEVELS)
def test_a_setting_that_lets_bots_remember_is_warned_of(level: Level, fresh: bool) -> None:
    warning = memory_caution(level, fresh, only_samples=False, in_file=True)
    assert bool(warning) == (level == "trusted" or not fresh)
    if warning:
        assert ('level = "class"' if level == "trusted" else "fresh = false") in warning
        # No setting makes it impossible on one host.
        assert warning.endswith("makes that hard (docs/security.md)")


def test_the_warning_names_the_options_of_the_command_line() -> None:
    assert "--level class" in memory_caution("trusted", True, only_samples=False, in_file=False)
    assert "--no-fresh" in memory_caution("class", False, only_samples=False, in_file=False)


def test_our_samples_are_trusted_not_to_remember() -> None:
    assert memory_caution("trusted", False, only_samples=True, in_file=False) == ""
