"""Archives of authors: what is unpacked, and what every attack comes to."""

import io
import os
import stat
import struct
import tarfile
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.classroom.submissions import fifo, link
from tournaments.entries import archives
from tournaments.entries.archives import BOUNDS, unpack
from tournaments.entries.submission_error import SubmissionError


@pytest.fixture
def into(tmp_path: Path) -> Path:
    folder = tmp_path / "outer" / "into"
    folder.mkdir(parents=True)
    return folder


def zipped(path: Path, files: dict[str, bytes], **modes: int) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = modes.get(name, stat.S_IFREG | 0o644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return path


def tarred(path: Path, mode: str, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for member, data in members:
            member.size = len(data) or member.size
            archive.addfile(member, io.BytesIO(data) if data else None)
    return path


def member(name: str, data: bytes = b"x") -> tuple[tarfile.TarInfo, bytes]:
    return tarfile.TarInfo(name), data


def refusal(archive: Path, into: Path) -> str:
    with pytest.raises(SubmissionError) as raised:
        unpack(archive, archive.name, into)
    outside = [path for path in into.parent.rglob("*") if not path.is_relative_to(into)]
    assert outside == []
    return str(raised.value)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("suffix", "mode"), [(".tar", "w"), (".tar.gz", "w:gz"), (".tar.xz", "w:xz"), (".tbz2", "w:bz2")]
)
def test_every_kind_of_tar_is_unpacked(tmp_path: Path, into: Path, suffix: str, mode: str) -> None:
    archive = tarred(tmp_path / f"a{suffix}", mode, member("bot/main.py", b"print()"), member("./lib/x", b""))
    unpack(archive, archive.name, into)
    assert contents(into) == {"bot/main.py": b"print()", "lib/x": b""}


def test_a_zip_is_unpacked_by_what_it_is_and_not_by_its_name(tmp_path: Path, into: Path) -> None:
    archive = zipped(
        tmp_path / "a.tar.gz", {"run": b"#!/bin/sh\n", "folder\\note.txt": b"n"}, run=stat.S_IFREG | 0o755
    )
    unpack(archive, archive.name, into)
    assert contents(into) == {"run": b"#!/bin/sh\n", "folder/note.txt": b"n"}
    assert os.access(into / "run", os.X_OK)
    assert not os.access(into / "folder" / "note.txt", os.X_OK)


def test_what_programs_leave_behind_is_ignored_and_said(tmp_path: Path, into: Path) -> None:
    files = {"main.py": b"", "__MACOSX/._main.py": b"", "a/.git/config": b"", "a/.git/HEAD": b""}
    archive = zipped(tmp_path / "a.zip", files)
    found = unpack(archive, archive.name, into, {"__MACOSX", ".git"})
    assert contents(into) == {"main.py": b""}
    assert found.ignored == ("__MACOSX", "a/.git")


def test_links_inside_are_kept_and_files_are_never_written_through_them(tmp_path: Path, into: Path) -> None:
    good = tarred(tmp_path / "a.tar", "w", (link("new/latest", "../old"), b""), member("old/x", b"1"))
    unpack(good, good.name, into)
    assert (into / "new/latest/x").read_bytes() == b"1"


@pytest.mark.parametrize("leads", ["/etc", "..", "../..", "a/../../b"])
def test_a_link_out_is_refused(tmp_path: Path, into: Path, leads: str) -> None:
    archive = tarred(tmp_path / "a.tar", "w", (link("out", leads), b""), member("out/passwd"))
    assert "is a link to" in refusal(archive, into)
    zip_link = zipped(tmp_path / "a.zip", {"out": leads.encode()}, out=stat.S_IFLNK | 0o777)
    assert "is a link to" in refusal(zip_link, into)


def test_links_one_after_the_other_do_not_lead_out(tmp_path: Path, into: Path) -> None:
    up = (link("sub/deep/up", "../.."), b"")
    archive = tarred(tmp_path / "a.tar", "w", up, (link("out", "sub/deep/up/../secret"), b""))
    assert "'..' after a name" in refusal(archive, into)


def test_a_link_in_place_of_a_folder_is_refused(tmp_path: Path, into: Path) -> None:
    archive = tarred(tmp_path / "a.tar", "w", member("a/x"), (link("a", "b"), b""))
    assert "cannot be made" in refusal(archive, into)


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/x", "C:\\x", "..\\x", "a/.."])
def test_a_path_out_is_refused(tmp_path: Path, into: Path, name: str) -> None:
    assert "outside of the bot's folder" in refusal(zipped(tmp_path / "a.zip", {name: b""}), into)
    assert "outside of the bot's folder" in refusal(tarred(tmp_path / "a.tar", "w", member(name)), into)


def test_special_files_are_refused(tmp_path: Path, into: Path) -> None:
    device, hard = tarfile.TarInfo("null"), tarfile.TarInfo("twin")
    device.type, hard.type, hard.linkname = tarfile.CHRTYPE, tarfile.LNKTYPE, "/etc/passwd"
    assert "pipe is a FIFO" in refusal(tarred(tmp_path / "a.tar", "w", (fifo("pipe"), b"")), into)
    assert "a device" in refusal(tarred(tmp_path / "b.tar", "w", (device, b"")), into)
    assert "twin is a hard link" in refusal(tarred(tmp_path / "c.tar", "w", (hard, b"")), into)
    pipe = zipped(tmp_path / "d.zip", {"pipe": b""}, pipe=stat.S_IFIFO | 0o644)
    assert "no file or folder" in refusal(pipe, into)


def test_a_bomb_stops_at_the_bound_and_not_at_what_it_announces(tmp_path: Path, into: Path) -> None:
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("zeros", "w") as file:
        for _ in range(1 + (BOUNDS.file_bytes >> 20)):
            file.write(bytes(1 << 20))
    # The announced size is a lie: 5 bytes, in both heads.
    data = bytearray(bomb.read_bytes())
    at = data.rindex(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, 5)
    bomb.write_bytes(data)
    assert "zeros" in refusal(bomb, into) or "damaged" in refusal(bomb, into)
    assert sum(map(len, contents(into).values())) <= BOUNDS.file_bytes + (1 << 16)


def test_too_many_entries_are_refused_early(
    tmp_path: Path, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = zipped(tmp_path / "a.zip", {f"{number}": b"" for number in range(BOUNDS.entries + 1)})
    assert "more than 10,000 files" in refusal(many, into)
    monkeypatch.setattr(archives, "_MOST_DIRECTORY", 1_000)
    assert "more than 10,000 files" in refusal(many, into)


def test_a_sparse_file_of_a_terabyte_is_refused_at_a_look(tmp_path: Path, into: Path) -> None:
    huge = tarfile.TarInfo("data.bin")
    huge.type, huge.size = tarfile.REGTYPE, 1 << 40
    archive = tmp_path / "a.tar"
    archive.write_bytes(huge.tobuf(tarfile.GNU_FORMAT) + bytes(1024))
    assert "data.bin is larger than" in refusal(archive, into)


def test_two_files_of_one_name_are_refused(tmp_path: Path, into: Path) -> None:
    archive = tarred(tmp_path / "a.tar", "w", member("main.py", b"1"), member("./main.py", b"2"))
    assert "two files called main.py" in refusal(archive, into)


def test_a_name_that_is_a_file_and_a_folder_is_refused(tmp_path: Path, into: Path) -> None:
    assert "a file and a folder" in refusal(tarred(tmp_path / "a.tar", "w", member("a"), member("a/b")), into)
    assert "a file and a folder" in refusal(tarred(tmp_path / "b.tar", "w", member("c/b"), member("c")), into)


def test_names_are_cleaned(tmp_path: Path, into: Path) -> None:
    odd = tarfile.TarInfo("a\nb\udcff\u202e.py")
    archive = tmp_path / "a.tar"
    archive.write_bytes(odd.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape") + bytes(1024))
    unpack(archive, archive.name, into)
    assert list(contents(into)) == ["a_b__.py"]


def test_long_and_deep_paths_are_refused(tmp_path: Path, into: Path) -> None:
    assert "too long or too deep" in refusal(tarred(tmp_path / "a.tar", "w", member("a/" * 40 + "x")), into)
    assert "too long a name" in refusal(tarred(tmp_path / "b.tar", "w", member("x" * 256)), into)


def test_a_zip_with_a_password_is_refused(tmp_path: Path, into: Path) -> None:
    archive = zipped(tmp_path / "a.zip", {"main.py": b"print()"})
    data = bytearray(archive.read_bytes())
    for head, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(head) + offset] |= 1
    archive.write_bytes(data)
    assert "password" in refusal(archive, into)


@given(data=st.binary(max_size=3_000), cut=st.integers(0, 400), flip=st.integers(0, 10_000))
def test_damaged_archives_are_refused_or_unpacked_and_never_an_error_of_ours(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, cut: int, flip: int
) -> None:
    folder = tmp_path_factory.mktemp("archive")
    whole = zipped(folder / "a.zip", {"main.py": data, "b/c": data}).read_bytes()
    tar = tarred(
        folder / "a.tar.gz", "w:gz", member("main.py", data or b"x"), (link("l", "main.py"), b"")
    ).read_bytes()
    for number, good in enumerate((whole, tar, data)):
        damaged = bytearray(good[: len(good) - cut] or b"x")
        damaged[flip % len(damaged)] ^= 1 + flip % 255
        archive, into = folder / f"{number}.zip", folder / f"into-{number}"
        archive.write_bytes(damaged)
        into.mkdir()
        with suppress(SubmissionError):
            unpack(archive, archive.name, into)
        left = {path.name for path in folder.iterdir()}
        assert left == {"a.zip", "a.tar.gz"} | {f"{n}.zip" for n in range(number + 1)} | {
            f"into-{n}" for n in range(number + 1)
        }


def with_heads(path: Path, *heads: tuple[bytes, bytes]) -> Path:
    """Write a tar with heads of these types and contents, a folder after each, and a file."""
    folder = tarfile.TarInfo("folder")
    folder.type = tarfile.DIRTYPE
    data = b""
    for kind, body in heads:
        head = tarfile.TarInfo("head")
        head.type, head.size = kind, len(body)
        data += head.tobuf(tarfile.USTAR_FORMAT) + body + bytes(-len(body) % tarfile.BLOCKSIZE)
        data += folder.tobuf(tarfile.USTAR_FORMAT)
    data += tarfile.TarInfo("main.py").tobuf(tarfile.USTAR_FORMAT)
    path.write_bytes(data + bytes(2 * tarfile.BLOCKSIZE))
    return path


@pytest.mark.timeout(20)
def test_long_notes_in_a_tar_are_refused_before_they_are_read(tmp_path: Path, into: Path) -> None:
    # Python looks for the character set in time that grows with the square of such a text.
    one = with_heads(tmp_path / "one.tar", (tarfile.XHDTYPE, b"1" * 400_000))
    assert "the notes about its files are too long" in refusal(one, into)
    name = with_heads(tmp_path / "name.tar", (tarfile.GNUTYPE_LONGNAME, b"n" * 400_000))
    assert "the notes about its files are too long" in refusal(name, into)


@pytest.mark.timeout(60)
def test_many_notes_in_a_tar_are_refused(tmp_path: Path, into: Path) -> None:
    records = b"".join(b"12 %07d=\n" % number for number in range(500))
    for kind, many in ((tarfile.XGLTYPE, 5), (tarfile.XHDTYPE, 700)):
        archive = with_heads(tmp_path / "many.tar", *[(kind, records)] * many)
        assert "the notes about its files are too long" in refusal(archive, into)


def test_notes_of_usual_tars_are_read(tmp_path: Path, into: Path) -> None:
    long = "folder/" * 20 + "main.py"
    for number, form in enumerate((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT)):
        with tarfile.open(
            tmp_path / "usual.tar", "w", format=form, pax_headers={"comment": "a" * 40}
        ) as made:
            info = tarfile.TarInfo(long)
            info.mtime = 1_700_000_000.5
            made.addfile(info)
        (into / str(number)).mkdir()
        unpack(tmp_path / "usual.tar", "usual.tar", into / str(number))
        assert (into / str(number) / long).is_file()


@pytest.mark.timeout(20)
def test_a_sparse_tar_is_refused_before_its_map_is_read(tmp_path: Path, into: Path) -> None:
    fields = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n"
    archive = with_heads(tmp_path / "new.tar", (tarfile.XHDTYPE, fields))
    with archive.open("r+b") as file:
        file.seek(3 * tarfile.BLOCKSIZE)
        file.write(b"99999999\n" + b"0\n" * 20_000_000)
    assert "folder is a sparse file" in refusal(archive, into)
    info = tarfile.TarInfo("main.py")
    info.type = tarfile.GNUTYPE_SPARSE
    assert "main.py is a sparse file" in refusal(tarred(tmp_path / "old.tar", "w", (info, b"")), into)


def test_a_zip_whose_reader_unpacks_without_bounds_is_refused(tmp_path: Path, into: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("main.py", b"x")
    assert "packed in an unusual way" in refusal(path, into)


def test_a_long_list_of_contents_is_refused_in_a_large_zip_too(tmp_path: Path, into: Path) -> None:
    contents = bytes(9 << 20)
    large = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, len(contents), 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(contents), 1)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, 46, 0, 0)
    path = tmp_path / "a.zip"
    path.write_bytes(contents + large + locator + end)
    assert "more than 10,000 files" in refusal(path, into)
