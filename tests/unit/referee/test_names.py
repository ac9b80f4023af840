"""Names that look alike, and names that mix alphabets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.names import flaw, look_alike, skeletons

CYRILLIC_A = "\u0430"
ALIKE = [
    ("alice", "Alice"),
    ("alice", "al ice"),
    ("alice", " alice"),
    ("alice", "alice "),
    ("alice", f"{CYRILLIC_A}lice"),
    ("alice", "a1ice"),
    ("alice", "aIice"),
    ("alice", "\uff41lice"),
    ("alice", "\U0001d41alice"),
    ("alice", "alice\ufe0f"),
    ("alice", "alice\u3164"),
    ("alice", "al\u034fice"),
    ("al ice", "al\u00a0ice"),
    ("cop", "\u0441\u043e\u0440"),
    ("bot0", "botO"),
    ("HAPPY", "\u041d\u0410\u0420\u0420\u0423"),
    ("KAI", "\u039a\u0391\u0399"),
    ("\u00e9clair", "e\u0301clair"),
    ("first", "\ufb01rst"),
    ("bot-1", "bot\u20101"),
    ("bot-1", "bot\u22121"),
    ("bot-1", "bot\u2013l"),
    ("ann's", "ann\u2019s"),
    ("bot0", "bot\u0966"),
    ("bot1", "bot\u0661"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_alike_are_found(one: str, other: str) -> None:
    assert look_alike(one, ["zoe", other]) == other
    assert look_alike(other, ["zoe", one]) == one


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bot1", "bot2"),
        ("random", "random-2"),
        ("first", "first~2"),
        ("anna", "ann"),
        ("e", "\u00e9"),
        ("a", "a"),
    ],
)
def test_names_that_differ_may_stand_side_by_side(one: str, other: str) -> None:
    assert look_alike(one, [other]) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (f"{CYRILLIC_A}lice", "several alphabets: CYRILLIC, LATIN"),
        ("\u03c9mega", "several alphabets: GREEK, LATIN"),
        ("\u13a0lice", "not in everyday use: CHEROKEE"),
        ("\u1d00lice", "not in everyday use: PHONETIC"),
        ("  ", "no character that is seen"),
        ("\u3164", "no character that is seen"),
    ],
)
def test_a_name_of_several_alphabets_is_refused(name: str, why: str) -> None:
    assert why in flaw(name)


@pytest.mark.parametrize(
    "name",
    [
        "zoe",
        "Na\u00efve-Bot_3.1 (beta)",
        "\u0430\u043b\u0438\u0441\u0430",
        "\u65e5\u672c\u30ab\u30ca\u304b\u306a Bot",
        "\u30b9\u30fc\u30d1\u30fc",
        "\ud55c\uae00",
        "\u05e9\u05dc\u05d5\u05dd",
        "\U0001f431 3",
        "first~2",
    ],
)
def test_an_ordinary_name_is_admitted(name: str) -> None:
    assert flaw(name) == ""


@given(st.text(max_size=20))
def test_blanks_never_make_a_difference(name: str) -> None:
    assert skeletons(f" {name}\u00a0") == skeletons(name) == skeletons(name.replace(" ", ""))
