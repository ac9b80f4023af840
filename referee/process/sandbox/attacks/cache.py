"""Attacks with the cache of files, which all processes of the host share: a memory that outlives them."""

import contextlib
import ctypes
import mmap
import os
from collections.abc import Callable, Iterator

from referee.process.sandbox.attacks.tools import Attack, Decoys, libc, map_memory, read

_NOWAIT, _DONTCACHE = 0x8, 0x80
_PAGEOUT = 21

_FILE = os.__file__
"""A small file that all can read, and that no process has mapped."""


def cache_probing(_: Decoys) -> str:
    """Ask whether a page of a file is in the cache, without reading it."""
    found = []
    with _opened() as descriptor:
        for name, flags in (("RWF_NOWAIT", _NOWAIT), ("RWF_DONTCACHE", _DONTCACHE)):
            with contextlib.suppress(OSError):
                # To be refused because the page is not there is an answer as well.
                with contextlib.suppress(BlockingIOError):
                    os.preadv(descriptor, [bytearray(1)], 0, flags)
                found.append(name)
        with _mapped(descriptor) as page:
            if libc.mincore(page, ctypes.c_size_t(mmap.PAGESIZE), ctypes.create_string_buffer(1)) == 0:
                found.append("mincore")
    return f"asked by {', '.join(found)}" if found else ""


def cache_evicting(_: Decoys) -> str:
    """Put a page of a file out of the cache, so that the next process finds it missing."""

    def by_fadvise(descriptor: int) -> None:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)

    def by_madvise(descriptor: int) -> None:
        with _mapped(descriptor) as page:
            ctypes.string_at(page.value or 0, 1)
            libc.madvise(page, ctypes.c_size_t(mmap.PAGESIZE), _PAGEOUT)

    ways = {"fadvise": by_fadvise, "madvise": by_madvise}
    found = [name for name, way in ways.items() if _evicts(way)]
    return f"put out by {', '.join(found)}" if found else ""


def _evicts(way: Callable[[int], None]) -> bool:
    """Return whether the page has to be read from the disk again."""
    with _opened() as descriptor:
        os.pread(descriptor, 1, 0)
        way(descriptor)
        before = _bytes_from_disk()
        os.pread(descriptor, 1, 0)
        return _bytes_from_disk() > before


def _bytes_from_disk() -> int:
    fields = dict(line.split(": ") for line in read("/proc/self/io").splitlines())
    return int(fields["read_bytes"])


@contextlib.contextmanager
def _opened() -> Iterator[int]:
    descriptor = os.open(_FILE, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _mapped(descriptor: int) -> Iterator[ctypes.c_void_p]:
    page = map_memory(mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_PRIVATE, descriptor)
    try:
        yield page
    finally:
        libc.munmap(page, ctypes.c_size_t(mmap.PAGESIZE))


CACHE: tuple[Attack, ...] = (cache_probing, cache_evicting)
"""In the order of the report."""
