"""The folder of keys: its files are ours alone, its list is kept in order, and a change is noticed."""

import os
import shlex
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import zmq

from protocol.keys import is_key, read_pair
from referee.errors import ConfigError
from referee.gate.keystore import ALLOWED, SERVER, AllowList, KeyStore, new_bot_key, new_pair


def key() -> str:
    return zmq.curve_keypair()[0].decode()


@pytest.fixture
def folder(tmp_path: Path) -> KeyStore:
    return KeyStore(tmp_path / "deep" / "keys")


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def test_a_new_public_key_needs_no_quotes_and_is_no_option() -> None:
    for _ in range(3):
        pair = new_pair()
        assert is_key(pair.public)
        assert zmq.curve_public(pair.secret.encode()).decode() == pair.public
        assert shlex.quote(pair.public) == pair.public
        assert not pair.public.startswith("-")


@pytest.mark.usefixtures("open_umask")
def test_all_files_have_mode_0600_with_any_umask(folder: KeyStore, tmp_path: Path) -> None:
    pair = new_bot_key(tmp_path / "bot.key")
    folder.allow("alice", pair.public)
    assert read_pair(tmp_path / "bot.key") == pair
    files = [tmp_path / "bot.key", folder.folder / SERVER, folder.folder / ALLOWED]
    assert [stat.S_IMODE(path.stat().st_mode) for path in files] == [0o600] * 3
    assert stat.S_IMODE(folder.folder.stat().st_mode) == 0o700
    assert sorted(path.name for path in folder.folder.iterdir()) == [ALLOWED, SERVER]


def test_keys_are_never_overwritten(folder: KeyStore, tmp_path: Path) -> None:
    pair = new_bot_key(tmp_path / "bot.key")
    with pytest.raises(ConfigError, match="already there"):
        new_bot_key(tmp_path / "bot.key")
    assert read_pair(tmp_path / "bot.key") == pair
    folder.allow("alice", key())
    server = folder.server()
    folder.allow("bob", key())
    assert folder.server() == server


def test_a_list_is_kept(folder: KeyStore) -> None:
    keys = {name: key() for name in ("bob", "alice", "x-2")}
    for name, public in keys.items():
        folder.allow(name, public)
    folder.allow("bob", keys["bob"])  # Once more does no harm.
    assert list(folder.accounts().items()) == sorted(keys.items())
    folder.revoke("bob")
    assert list(folder.accounts()) == ["alice", "x-2"]


def test_commands_at_the_same_time_lose_nothing(folder: KeyStore) -> None:
    names = [f"bot-{n:02}" for n in range(16)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: KeyStore(folder.folder).allow(name, key()), names))
    assert list(folder.accounts()) == names


@pytest.mark.parametrize("name", ["", "-alice", "Alice", "a b", "a" * 33, "ä", "a\n", "a~2", "../x"])
def test_an_account_is_a_plain_name(folder: KeyStore, name: str) -> None:
    with pytest.raises(ConfigError, match="cannot be an account"):
        folder.allow(name, key())
    assert not folder.folder.exists()


def test_an_account_has_one_key_and_a_key_one_account(folder: KeyStore) -> None:
    public = key()
    folder.allow("alice", public)
    with pytest.raises(ConfigError, match="referee key revoke alice"):
        folder.allow("alice", key())
    with pytest.raises(ConfigError, match="already that of alice"):
        folder.allow("bob", public)
    with pytest.raises(ConfigError, match="no public key"):
        folder.allow("bob", "short")
    assert folder.accounts() == {"alice": public}


def test_who_is_not_on_the_list_cannot_be_revoked(folder: KeyStore) -> None:
    with pytest.raises(ConfigError, match="the list is empty"):
        folder.revoke("alice")
    folder.allow("alice", key())
    with pytest.raises(ConfigError, match="did you mean alice"):
        folder.revoke("alcie")


def test_a_folder_without_keys_is_reported(folder: KeyStore) -> None:
    with pytest.raises(ConfigError, match="referee key allow"):
        folder.server()


@pytest.mark.parametrize("name", [SERVER, ALLOWED])
def test_files_others_can_reach_are_refused(folder: KeyStore, name: str) -> None:
    folder.allow("alice", key())
    (folder.folder / name).chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        (folder.server(), folder.accounts())


def rewrite(folder: KeyStore, text: str) -> None:
    path = folder.folder / ALLOWED
    path.unlink(missing_ok=True)
    path.write_text(text)
    path.chmod(0o600)


@pytest.mark.parametrize(
    "text", ["alice", 'alice = "short"', "alice = 7", "[alice]\n", f'Alice = "{"a" * 40}"']
)
def test_a_damaged_list_is_refused(folder: KeyStore, text: str) -> None:
    folder.allow("alice", key())
    rewrite(folder, text)
    with pytest.raises(ConfigError, match=ALLOWED):
        folder.accounts()


def test_two_accounts_with_one_key_are_refused(folder: KeyStore) -> None:
    public = key()
    folder.allow("alice", public)
    rewrite(folder, f'alice = "{public}"\nbob = "{public}"\n')
    with pytest.raises(ConfigError, match="same key"):
        folder.accounts()


def test_a_running_daemon_notices_changes(folder: KeyStore) -> None:
    alice, bob = key(), key()
    folder.allow("alice", alice)
    allowed = AllowList(folder)
    assert allowed.account(alice) == "alice"
    assert allowed.account(None) is None
    assert not allowed.may_enter(bob)
    folder.allow("bob", bob)
    assert allowed.may_enter(bob)
    folder.revoke("alice")
    allowed.refresh()
    assert allowed.account(alice) is None
    assert not allowed.may_enter(alice)


def test_a_list_that_breaks_while_running_admits_no_new_key_and_keeps_the_old_ones(folder: KeyStore) -> None:
    alice = key()
    folder.allow("alice", alice)
    allowed = AllowList(folder)
    whole = (folder.folder / ALLOWED).read_text()
    rewrite(folder, "rubbish")
    assert not allowed.may_enter(alice)
    assert allowed.account(alice) == "alice"
    assert ALLOWED in allowed.trouble
    rewrite(folder, whole)
    assert allowed.may_enter(alice)
    assert not allowed.trouble


def test_a_list_whose_mode_is_mended_as_the_daemon_says_is_read_again(folder: KeyStore) -> None:
    alice = key()
    folder.allow("alice", alice)
    allowed = AllowList(folder)
    rewrite(folder, (folder.folder / ALLOWED).read_text() + "# by hand")
    (folder.folder / ALLOWED).chmod(0o644)
    assert not allowed.may_enter(alice)
    assert "chmod 600" in allowed.trouble
    (folder.folder / ALLOWED).chmod(0o600)
    assert allowed.may_enter(alice)
    assert not allowed.trouble


def test_a_list_that_is_removed_admits_no_key(folder: KeyStore) -> None:
    alice = key()
    folder.allow("alice", alice)
    allowed = AllowList(folder)
    (folder.folder / ALLOWED).unlink()
    assert not allowed.may_enter(alice)
    assert allowed.account(alice) is None
