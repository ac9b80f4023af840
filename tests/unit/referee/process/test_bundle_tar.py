"""Bundles that travel arrive as they were, or not at all."""

import io
import tarfile
from pathlib import Path

import pytest

from referee.errors import LaunchError
from referee.process.bundle import digest_of, manifest_of
from referee.process.bundle_tar import pack, unpack


def folder_of_a_bot(path: Path) -> Path:
    (path / "lib").mkdir(parents=True)
    (path / "bot").write_text("#!/bin/sh\n")
    (path / "bot").chmod(0o755)
    (path / "lib" / "data").write_bytes(bytes(range(256)))
    (path / "link").symlink_to("lib/data")
    return path


def store_in(path: Path) -> Path:
    path.mkdir()
    return path


def test_a_bundle_arrives_as_it_was_sent(tmp_path: Path) -> None:
    bot = folder_of_a_bot(tmp_path / "bot")
    digest, tar = pack(bot)
    there = unpack(tar, digest, store_in(tmp_path / "store"))
    assert digest_of(manifest_of(there)) == digest == digest_of(manifest_of(bot))
    assert (there / "link").read_bytes() == bytes(range(256))
    assert (there / "bot").stat().st_mode & 0o111


def test_a_bundle_that_is_not_the_one_announced_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    _, tar = pack(folder_of_a_bot(tmp_path / "bot"))
    store = store_in(tmp_path / "store")
    with pytest.raises(LaunchError, match="not the one that was announced"):
        unpack(tar, "0" * 64, store)
    assert not list(store.iterdir())


@pytest.mark.parametrize(
    ("name", "kind", "leads"),
    [
        ("../out", tarfile.REGTYPE, ""),
        ("/out", tarfile.REGTYPE, ""),
        ("pipe", tarfile.FIFOTYPE, ""),
        ("hard", tarfile.LNKTYPE, "/etc/passwd"),
        ("soft", tarfile.SYMTYPE, "/etc/../root"),
    ],
)
def test_what_leads_out_of_a_bundle_is_refused(tmp_path: Path, name: str, kind: bytes, leads: str) -> None:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as tar:
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = kind, leads
        tar.addfile(entry)
    store = store_in(tmp_path / "store")
    with pytest.raises(LaunchError):
        unpack(target.getvalue(), "0" * 64, store)
    assert [path.name for path in tmp_path.iterdir()] == ["store"]
    assert not list(store.iterdir())


def test_bytes_that_are_no_tar_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match="cannot be unpacked"):
        unpack(b"no tar at all", "0" * 64, store_in(tmp_path / "store"))
