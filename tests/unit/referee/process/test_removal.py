"""Folders that a bot has filled are removed, however they are made."""

import os
import subprocess
from pathlib import Path

from referee.process.removal import remove_tree

DEEPER = 3_000
"""Levels: deeper than a function can call itself, and as a path longer than the kernel takes."""


def dig(folder: Path, levels: int) -> None:
    """Make folders in a folder, each in the one before."""
    place = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d", dir_fd=place)
        inner = os.open("d", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)


def test_a_folder_with_files_folders_and_links_is_removed_and_what_links_lead_to_is_not(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    folder = tmp_path / "folder"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "file").touch()
    (folder / "a" / "link").symlink_to(kept)
    (folder / "file").touch()
    os.mkfifo(folder / "a" / "fifo")
    remove_tree(folder)
    assert not folder.exists()
    assert (kept / "file").exists()


def test_a_folder_that_is_deeper_than_functions_may_call_themselves_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    dig(folder, DEEPER)
    try:
        remove_tree(folder)
        assert not folder.exists()
    finally:
        # What is left of it pytest could not remove.
        subprocess.run(["rm", "-rf", folder], check=True)


def test_a_folder_that_was_closed_is_removed(tmp_path: Path) -> None:
    closed = tmp_path / "folder" / "a" / "b"
    closed.mkdir(parents=True)
    (closed / "file").touch()
    for path in (closed, closed.parent):
        path.chmod(0)
    remove_tree(tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


def test_what_is_not_there_is_removed_already(tmp_path: Path) -> None:
    remove_tree(tmp_path / "nothing")


def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    (tmp_path / "folder").symlink_to("kept")
    remove_tree(tmp_path / "folder")
    assert (tmp_path / "kept" / "file").exists()
