"""Bundles: what is copied of a bot's folder, what is refused, and that nothing else is ever read."""

import os
import socket
import stat
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from referee.errors import LaunchError
from referee.process import bundle
from referee.process.bundle import BundleEntry, digest_of, file_digest, manifest_of, take_in


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "lib").mkdir(parents=True)
    (folder / "bot.py").write_text("import book")
    (folder / "lib" / "book.py").write_text("openings = []")
    (folder / "run").write_text("#!/bin/sh")
    (folder / "run").chmod(0o700)
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "bots"


def modes(path: Path) -> dict[str, int]:
    return {str(each.relative_to(path)): stat.S_IMODE(each.lstat().st_mode) for each in path.rglob("*")}


def test_a_bundle_is_a_copy_that_any_user_can_read_and_none_can_change(folder: Path, store: Path) -> None:
    taken = take_in(folder, store)
    assert taken.path == store / taken.digest
    assert (taken.path / "lib" / "book.py").read_text() == "openings = []"
    assert modes(taken.path) == {"bot.py": 0o444, "lib": 0o755, "lib/book.py": 0o444, "run": 0o555}
    assert stat.S_IMODE(store.stat().st_mode) == 0o700
    assert taken.manifest == (
        BundleEntry("bot.py", "file", sha256(b"import book").hexdigest()),
        BundleEntry("lib", "folder"),
        BundleEntry("lib/book.py", "file", sha256(b"openings = []").hexdigest()),
        BundleEntry("run", "executable", sha256(b"#!/bin/sh").hexdigest()),
    )
    assert taken.digest == digest_of(taken.manifest) == digest_of(manifest_of(folder))


def test_the_mode_of_a_bundle_does_not_depend_on_the_umask(folder: Path, store: Path) -> None:
    before = os.umask(0o077)
    try:
        taken = take_in(folder, store)
    finally:
        os.umask(before)
    assert modes(taken.path)["lib"] == stat.S_IMODE(taken.path.stat().st_mode) == 0o755


def test_folders_of_equal_content_share_a_bundle_and_others_do_not(
    folder: Path, store: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    folder.rename(other)
    first = take_in(other, store)
    other.rename(folder)
    assert take_in(folder, store) == first
    (folder / "run").chmod(0o600)
    second = take_in(folder, store)
    assert second.digest != first.digest
    assert sorted(path.name for path in store.iterdir()) == sorted([first.digest, second.digest])


def test_the_time_of_a_file_is_kept_and_does_not_count(folder: Path, store: Path) -> None:
    os.utime(folder / "bot.py", ns=(10**18, 10**18))
    taken = take_in(folder, store)
    assert (taken.path / "bot.py").stat().st_mtime_ns == 10**18
    os.utime(folder / "bot.py")
    assert take_in(folder, store).digest == taken.digest


def damage_a_file(path: Path) -> None:
    (path / "bot.py").chmod(0o644)
    (path / "bot.py").write_text("import other")


@pytest.mark.parametrize(
    "change",
    [
        damage_a_file,
        lambda path: (path / "bot.py").unlink(),
        lambda path: (path / "more.py").touch(),
        lambda path: (path / "bot.py").chmod(0o555),
        lambda path: os.mkfifo(path / "fifo"),
    ],
    ids=["changed", "missing", "added", "mode", "fifo"],
)
def test_a_bundle_that_is_not_what_it_was_is_made_anew(
    folder: Path, store: Path, change: Callable[[Path], None]
) -> None:
    taken = take_in(folder, store)
    change(taken.path)
    again = take_in(folder, store)
    assert again == taken
    assert manifest_of(again.path) == taken.manifest


def test_links_that_lead_inside_to_the_system_or_to_our_interpreter_are_kept(
    folder: Path, store: Path
) -> None:
    links = {
        "inside": "lib/book.py",
        "lib/up": "../bot.py",
        "shell": "/bin/sh",
        "python": sys.executable,
        "nowhere": "not/there",
    }
    for name, target in links.items():
        (folder / name).symlink_to(target)
    (folder / "whole").symlink_to(folder / "lib")
    (folder / "lib" / "around").symlink_to("../../bot/run")
    taken = take_in(folder, store)
    links |= {"whole": "lib", "lib/around": "../run"}
    assert {e.path: e.content for e in taken.manifest if e.kind == "link"} == links
    assert {name: os.readlink(taken.path / name) for name in links} == links


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(200 << 30)


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as end:
        # A path of a socket may have only 107 bytes.
        before = os.open(".", os.O_RDONLY)
        os.chdir(path.parent)
        end.bind(path.name)
        os.fchdir(before)
        os.close(before)


def deep(path: Path) -> None:
    for _ in range(bundle.MOST_DEPTH + 1):
        path = path / "d"
    path.mkdir(parents=True)


def crowded(path: Path) -> None:
    path.mkdir()
    for number in range(bundle.MOST_ENTRIES):
        os.mknod(path / str(number))


def around(path: Path) -> None:
    # For the kernel it leads to /usr/../etc/shadow.
    (path.parent / "system").symlink_to("/usr")
    path.symlink_to("system/../etc/shadow")


HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "x.py": (lambda path: path.symlink_to("/proc/kmsg"), "a link to '/proc/kmsg'"),
    "sh.py": (lambda path: path.symlink_to("/etc/shadow"), "a link to '/etc/shadow'"),
    "up.py": (lambda path: path.symlink_to("../../secret"), "a link to '../../secret'"),
    "out": (lambda path: path.symlink_to("/usr/../etc"), "a link to '/usr/../etc'"),
    "around": (around, "a link to 'system/../etc/shadow'"),
    "fifo": (os.mkfifo, "a FIFO"),
    "socket": (listening, "a socket"),
    "sparse": (sparse, "larger than 512 MiB"),
    "deep": (deep, "more than 32 folders deep"),
    "crowd": (crowded, "more than 50,000 files"),
    "two\nlines": (Path.touch, "control characters"),
    "\udcff.py": (Path.touch, "not UTF-8"),
    "\x1b[2J": (Path.touch, "control characters"),
    "yp.\u202etob": (Path.touch, "control characters"),  # looks like 'yp.bot'
}


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_what_a_bundle_cannot_hold_is_refused_by_name_and_nothing_is_left(
    folder: Path, store: Path, name: str
) -> None:
    make, why = HOSTILE[name]
    make(folder / name)
    for take in (lambda: take_in(folder, store), lambda: manifest_of(folder)):
        with pytest.raises(LaunchError) as refusal:
            take()
        said = str(refusal.value)
        assert why in said
        assert ascii(name)[1:-1] in said
        assert said.isprintable()
    assert not store.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="root is missing: no devices can be made")
def test_a_device_is_refused(folder: Path, store: Path) -> None:
    os.mknod(folder / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    with pytest.raises(LaunchError, match="null: it is a device"):
        take_in(folder, store)


@pytest.mark.skipif(os.geteuid() != 0, reason="root is missing: all files are ours")
def test_a_closed_file_of_another_user_is_refused(folder: Path, store: Path) -> None:
    (folder / "bot.py").chmod(0o600)
    os.chown(folder, 61_234, 61_234)
    with pytest.raises(LaunchError, match=r"bot\.py: it is closed to others"):
        take_in(folder, store)


def test_the_bytes_of_all_files_together_are_bounded(folder: Path, store: Path) -> None:
    for number in range(3):
        with (folder / f"part-{number}").open("wb") as file:
            file.truncate(400 << 20)
    with pytest.raises(LaunchError, match=r"part-2: with this file the bot has more than 1,024 MiB"):
        take_in(folder, store)


def test_a_link_in_the_path_of_the_folder_is_not_followed(folder: Path, store: Path, tmp_path: Path) -> None:
    folder.rename(tmp_path / "secret")
    folder.symlink_to(tmp_path / "secret")
    with pytest.raises(LaunchError, match="cannot be read"):
        take_in(folder, store)
    with pytest.raises(LaunchError, match="not the folder it was"):
        take_in(folder / "lib", store)


def test_unfinished_copies_can_be_removed(folder: Path, store: Path) -> None:
    taken = take_in(folder, store)
    (store / ".unfinished-1" / "x").mkdir(parents=True)
    bundle.remove_unfinished(store)
    assert list(store.iterdir()) == [taken.path]


def test_the_digest_of_one_file_is_read_with_the_same_care(folder: Path) -> None:
    (folder / "same.py").symlink_to("lib/book.py")
    assert file_digest(folder / "same.py", folder) == sha256(b"openings = []").hexdigest()
    assert file_digest(Path(sys.executable), folder)
    for name, why in (
        ("x.py", "a link to /proc/kmsg"),
        ("sh.py", "a link to /etc/shadow"),
        ("fifo", "FIFO"),
        ("sparse", "larger"),
    ):
        HOSTILE[name][0](folder / name)
        with pytest.raises(LaunchError, match=f"{name}: it is .*{why}"):
            file_digest(folder / name, folder)
    with pytest.raises(LaunchError, match="cannot be read"):
        file_digest(folder / "missing", folder)
