"""Tokens of the organiser and of authors."""

from pathlib import Path

import pytest

from referee.errors import ConfigError
from tournaments.live.tokens import Tokens, Visitor, secret_of, secret_path

TOKENS = Tokens("ab" * 32)
HOSTILE = 'a.b."\u202e<b>'


@pytest.mark.parametrize("bot", ["ann", HOSTILE, "", "a b"])
def test_a_token_names_its_bot(bot: str) -> None:
    assert TOKENS.visitor(TOKENS.author(bot)) == Visitor(bot)


def test_the_organiser_has_a_token_that_names_no_bot() -> None:
    visitor = TOKENS.visitor(TOKENS.organiser())
    assert visitor is not None
    assert visitor.is_organiser


@pytest.mark.parametrize(
    "token",
    [
        "",
        "o",
        "o.",
        "a.YW5u.0.",
        "x.y",
        TOKENS.author("ann")[:-1],
        TOKENS.author("ann").replace("YW5u", "Ym9i"),
    ],
)
def test_what_was_not_made_with_the_secret_is_not_valid(token: str) -> None:
    assert TOKENS.visitor(token) is None
    assert Tokens("cd" * 32).visitor(TOKENS.organiser()) is None


def test_without_a_secret_no_token_is_valid() -> None:
    nothing = Tokens("")
    assert nothing.visitor(nothing.organiser()) is None


def test_a_token_ends() -> None:
    token = TOKENS.author("ann", 1_000)
    assert TOKENS.visitor(token, now=999) == Visitor("ann")
    assert TOKENS.visitor(token, now=1_001) is None


def test_the_secret_is_made_once_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    store = tmp_path / "results.db"
    assert secret_of(store, make=False) == ""
    made = secret_of(store, make=True)
    assert secret_of(store, make=False) == secret_of(store, make=True) == made
    assert secret_path(store).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["", "zz" * 32, "ab" * 31])
def test_a_file_that_holds_no_secret_is_refused(tmp_path: Path, text: str) -> None:
    store = tmp_path / "results.db"
    secret_path(store).write_text(text)
    secret_path(store).chmod(0o600)
    with pytest.raises(ConfigError, match="remove it"):
        secret_of(store, make=True)


def test_a_secret_that_others_can_read_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "results.db"
    secret_of(store, make=True)
    secret_path(store).chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        secret_of(store, make=False)
