"""The soak finds what grows, and nothing else."""

import pytest
from msgspec.structs import replace

from benchmarks.soak import Figures, complaints

FLAT = [Figures(float(n), 100 * n, 60_000 + n % 3, 21 + n % 2, 2, 8 + n % 2, 50_000) for n in range(20)]


def test_what_goes_up_and_down_is_flat() -> None:
    assert complaints(FLAT) == []


def test_what_grows_in_the_first_two_minutes_is_the_warm_up() -> None:
    hasty = [replace(one, minute=one.minute / 5, rss_kib=one.rss_kib + 900 * n) for n, one in enumerate(FLAT)]
    assert complaints(hasty)
    assert complaints(hasty[:10] + [replace(one, rss_kib=60_000) for one in hasty[10:]]) == []


def test_what_grows_in_the_first_tenth_is_the_warm_up() -> None:
    assert complaints([replace(one, rss_kib=one.rss_kib // 2) for one in FLAT[:2]] + FLAT[2:]) == []


def test_one_look_shows_nothing_and_does_not_pass() -> None:
    assert complaints(FLAT[:1]) == ["too few looks to tell whether anything grows"]


@pytest.mark.parametrize("name", ["rss_kib", "descriptors", "threads", "processes"])
def test_what_grows_is_named(name: str) -> None:
    step = 1_000 if name == "rss_kib" else 1
    growing = [replace(one, **{name: getattr(one, name) + step * n}) for n, one in enumerate(FLAT)]
    (told,) = complaints(growing)
    assert told.startswith(name)
