"""Login by the key of a bot: who holds the secret key gets a token, once for each box."""

from pathlib import Path

import pytest

from protocol.keys import Pair
from referee.gate.keystore import KeyStore, new_pair
from tournaments.live.key_login import TOKEN_S, VALID_S, KeyLogin, LoginRequest, login_grant, login_request

NOW = 1_000_000.0


class Desk:
    """A site with the key of one account."""

    def __init__(self, folder: Path) -> None:
        self.ann, self.eve = new_pair(), new_pair()
        keys = KeyStore(folder)
        keys.allow("ann", self.ann.public)
        self.server = keys.server().public
        self.now = NOW
        self._login = KeyLogin(folder, lambda: self.now)

    def answer(self, request: LoginRequest) -> str | None:
        return self._login.grant(request, lambda account, end: f"{account} until {end}")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "keys")


def test_the_owner_of_a_key_gets_a_token_that_only_it_can_read(desk: Desk) -> None:
    box = desk.answer(login_request(desk.ann, desk.server, NOW))
    assert box is not None
    grant = login_grant(desk.ann, desk.server, box)
    assert grant is not None
    assert (grant.bot, grant.token) == ("ann", f"ann until {int(NOW) + TOKEN_S}")
    assert login_grant(desk.eve, desk.server, box) is None


def test_a_box_is_good_once(desk: Desk) -> None:
    request = login_request(desk.ann, desk.server, NOW)
    assert desk.answer(request) is not None
    assert desk.answer(request) is None


@pytest.mark.parametrize("late", [VALID_S + 1, -VALID_S - 1])
def test_a_box_of_another_time_is_refused(desk: Desk, late: float) -> None:
    assert desk.answer(login_request(desk.ann, desk.server, NOW + late)) is None


def test_a_box_stays_used_as_long_as_it_could_be_valid(desk: Desk) -> None:
    request = login_request(desk.ann, desk.server, NOW + VALID_S - 1)
    assert desk.answer(request) is not None
    desk.now += 2 * VALID_S - 2
    assert desk.answer(request) is None


def test_a_key_without_an_account_is_refused(desk: Desk) -> None:
    assert desk.answer(login_request(desk.eve, desk.server, NOW)) is None


def test_a_public_key_without_its_secret_key_is_refused(desk: Desk) -> None:
    forged = login_request(Pair(desk.ann.public, desk.eve.secret), desk.server, NOW)
    assert desk.answer(forged) is None


@pytest.mark.parametrize("box", ["", "AAAA", "!", "A" * 4_000])
def test_what_is_no_box_is_refused(desk: Desk, box: str) -> None:
    assert desk.answer(LoginRequest(desk.ann.public, box)) is None
