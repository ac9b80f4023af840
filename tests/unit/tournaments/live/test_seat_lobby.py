"""The lobby hands out each seat once, to people that the others can distinguish."""

import pytest

from tournaments.live.seat_lobby import Lobby
from tournaments.live.seat_session import NotNowError

LINKS = {"browser": "one", "browser-2": "two"}


def lobby() -> Lobby:
    return Lobby("Coins", "class", LINKS)


def free(lobby: Lobby) -> list[bool]:
    return [seat["free"] for seat in lobby.document(())["seats"]]


def test_a_seat_is_found_by_the_secret_of_its_link_only() -> None:
    found = lobby()
    assert [found.seat_of(secret) for secret in ("one", "two", "class", "", "on", "öne")] == [
        "browser",
        "browser-2",
        None,
        None,
        None,
        None,
    ]
    assert found.admits("class")
    assert not found.admits("one")
    assert not Lobby("", "", {}).admits("")


def test_a_seat_is_taken_once_and_can_be_given_back() -> None:
    found = lobby()
    seat, secret = found.take("", "Zoe")
    assert seat == "browser"
    assert found.seat_of(secret) == "browser"
    assert found.seat_of("one") == "browser", "the printed link stays valid"
    assert free(found) == [False, True]
    with pytest.raises(NotNowError, match="just been taken"):
        found.take("browser", "Max")
    found.give_back("browser")
    assert found.seat_of(secret) is None
    assert found.called == {}
    assert free(found) == [True, True]


def test_a_seat_that_is_played_by_its_printed_link_is_not_handed_out() -> None:
    found = lobby()
    found.use("two")
    assert free(found) == [True, False]
    found.take("", "Zoe")
    with pytest.raises(NotNowError, match="all seats are taken"):
        found.take("", "Max")


@pytest.mark.parametrize("name", ["", "  ", "x" * 33, "a\nb\x00", "a\u202eb", "poker", "p0ker", "Browser-2"])
def test_a_name_that_cannot_be_read_or_looks_like_another_is_refused(name: str) -> None:
    with pytest.raises(NotNowError):
        lobby().take("", name, {"poker"})


def test_blanks_around_and_in_a_name_are_made_one() -> None:
    found = lobby()
    found.take("browser-2", "  Zoe   Lee ")
    assert found.called == {"browser-2": "Zoe Lee"}
    assert found.document(["browser-2"])["seats"][1] == {
        "bot": "browser-2",
        "called": "Zoe Lee",
        "free": False,
        "playing": True,
    }
