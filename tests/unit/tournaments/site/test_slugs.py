"""File names of bots: safe and unique, also for hostile names."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tournaments.site.events_in_files import HOSTILE
from tournaments.site.slugs import slug, slugs


def test_a_plain_name_is_its_own_file_name() -> None:
    assert slug("minimax-2") == "minimax-2"


def test_names_that_differ_in_case_or_marks_only_get_different_files() -> None:
    names = [
        "Random",
        "random",
        "RANDOM",
        "ránd\u00f6m",
        "random ",
        "nul",
        "con",
        "index",
        "../../x",
        HOSTILE,
        "名前",
    ]
    found = slugs(names)
    assert len({name.lower() for name in found.values()}) == len(names)
    assert found["nul"] != "nul"


@given(st.lists(st.text(min_size=1, max_size=80), unique=True, max_size=20))
def test_every_file_name_is_safe_and_unique(names: list[str]) -> None:
    found = slugs(names)
    assert len(set(found.values())) == len(names)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9-]{0,60}", one) for one in found.values())
