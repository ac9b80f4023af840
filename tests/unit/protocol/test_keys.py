"""Key files: what is one, and who may read it."""

import os
from pathlib import Path

import pytest
import zmq

from protocol.keys import KeyFileError, is_key, read_pair


def write(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def pair_text() -> tuple[str, str, str]:
    public, secret = (key.decode() for key in zmq.curve_keypair())
    return public, secret, f'public = "{public}"\nsecret = "{secret}"\n'


def test_every_key_of_libzmq_is_one() -> None:
    assert all(is_key(key.decode()) for _ in range(50) for key in zmq.curve_keypair())


@pytest.mark.parametrize("text", ["", "a" * 39, "a" * 41, "ä" * 40, '"' * 40, " " * 40, "#" * 40])
def test_other_texts_are_none(text: str) -> None:
    assert not is_key(text)


def test_a_pair_is_read_from_its_file(tmp_path: Path) -> None:
    public, secret, text = pair_text()
    assert read_pair(write(tmp_path / "k", "# A comment.\n" + text)) == (public, secret)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660, 0o666, 0o601])
def test_a_file_others_can_reach_is_refused_with_the_command_that_helps(tmp_path: Path, mode: int) -> None:
    path = write(tmp_path / "k", pair_text()[2], mode)
    with pytest.raises(KeyFileError, match=f"has mode {mode:04o}.*chmod 600 {path}"):
        read_pair(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "k", pair_text()[2])
    os.chown(path, 12_345, 12_345)
    with pytest.raises(KeyFileError, match="belongs to another user"):
        read_pair(path)


@pytest.mark.parametrize("text", ["", "rubbish", 'public = "a"\nsecret = "b"\n', "public = 1\n", "\x00"])
def test_a_file_without_a_pair_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(KeyFileError, match="is no key file"):
        read_pair(write(tmp_path / "k", text))


def test_a_file_that_is_no_text_or_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="No such file"):
        read_pair(tmp_path / "k")
    (tmp_path / "k").write_bytes(b"\xff\xfe")
    (tmp_path / "k").chmod(0o600)
    with pytest.raises(KeyFileError, match="it is no text"):
        read_pair(tmp_path / "k")
