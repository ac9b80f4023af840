"""Where a site listens: addresses that operators write."""

import pytest
from click.testing import CliRunner

from referee.cli import main
from referee.errors import AddressError
from tournaments.live.site_process import WebAddress, listen, url_of, web_address


@pytest.mark.parametrize(
    ("text", "host", "port", "is_local"),
    [
        ("8000", "127.0.0.1", 8000, True),
        (":0", "127.0.0.1", 0, True),
        ("localhost:80", "localhost", 80, True),
        ("[::1]:80", "::1", 80, True),
        ("0.0.0.0:8000", "0.0.0.0", 8000, False),
        ("contest.example:8000", "contest.example", 8000, False),
    ],
)
def test_an_address_is_a_port_or_host_and_port(text: str, host: str, port: int, is_local: bool) -> None:
    found = web_address(text)
    assert (found, found.is_local) == (WebAddress(host, port), is_local)


@pytest.mark.parametrize("text", ["", "99999", "nonsense", "::1:80", "http://localhost:80/", "localhost:"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(AddressError, match="is no address"):
        web_address(text)


def test_a_host_that_does_not_exist_is_refused() -> None:
    with pytest.raises(AddressError, match="cannot listen"):
        listen(web_address("host.invalid:0"))


def test_a_free_port_is_in_the_address_for_people() -> None:
    address = web_address("0")
    with listen(address) as listener:
        assert url_of(listener, address) == f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_help_names_the_commands_of_a_site() -> None:
    shown = CliRunner().invoke(main, ["site", "--help"]).output
    for name in ("show", "token", "login", "announce", "freeze", "reveal"):
        assert f"\n  {name} " in shown, name
