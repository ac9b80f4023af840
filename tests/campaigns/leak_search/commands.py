"""Output and files of the commands: searched as public text."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from referee.replay import files
from tests.campaigns.leak_search.scene import BOT, BOTS
from tests.campaigns.leak_search.search import Leak, Search
from tests.campaigns.leak_search.truth import truth_of

SEED = "seed-of-the-commands"
MATCHES = 6


def main() -> int:
    """Play by `referee play` and `referee serve`, and search what they say; return 1 if there is a leak."""
    leaks = 0
    kinds = ("play", "play --json", "serve", "serve --json")
    with ThreadPoolExecutor() as pool:
        searched = list(pool.map(_leaks_of, kinds))
    for kind, found in zip(kinds, searched, strict=True):
        leaks += len(found)
        sys.stdout.write("".join(f"LEAK {leak}\n" for leak in found[:20]) or f"referee {kind}: no leak\n")
    return 1 if leaks else 0


def _leaks_of(kind: str) -> list[Leak]:
    with tempfile.TemporaryDirectory(prefix="canary-") as folder:
        return list(_searched(kind, Path(folder)))


def _searched(kind: str, folder: Path) -> Iterator[Leak]:
    (folder / "diaries").mkdir()
    verb, *flags = kind.split()
    said = (_played if verb == "play" else _served)(folder, flags)
    paths = sorted((folder / "replays").glob("*.jsonl*"))
    replays = [files.read(path) for path in paths]
    assert len(replays) == MATCHES, said.decode()
    search = Search([truth_of(replay, replay.header.names, reveal=True) for replay in replays], SEED)
    # The operator gave the seed, so it may be printed; cards and keys may not.
    yield from search.unknown_to_public(
        said.replace(SEED.encode(), b""), f"what `referee {kind}` prints", any_card=True
    )
    yield from search.names(folder)
    for page in folder.rglob("*.html"):
        yield from search.unknown_to_public(page.read_bytes(), page.name, any_card=True)
    for replay in replays:
        yield from search.public_feed(replay)


def _command(folder: Path, *words: str) -> "subprocess.Popen[bytes]":
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "referee", *words]
    return subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=subprocess.STDOUT, env=os.environ)


def _bot(folder: Path, name: str) -> list[str]:
    return [sys.executable, str(BOT), name, str(folder / "diaries"), str(folder / "replays")]


def _played(folder: Path, flags: list[str]) -> bytes:
    bots = [word for name, _ in BOTS for word in ("--bot", f"{name}={' '.join(_bot(folder, name))}")]
    words = ["--matches", str(MATCHES), "--seed", SEED, "--replays", "replays", *flags]
    return _command(folder, "play", "sealed", *bots, *words).communicate()[0]


def _served(folder: Path, flags: list[str]) -> bytes:
    words = ["--bind", "0", "--seats", "3", "--folder", "replays", "--matches", str(MATCHES), "--seed", SEED]
    daemon = _command(folder, "serve", "sealed", *words, *flags)
    assert daemon.stdout is not None
    heard: list[bytes] = []
    for line in daemon.stdout:
        heard.append(line)
        if b"tcp://" in line:
            break
    address = heard[-1].partition(b"tcp://")[2].split()[0].split(b'"')[0].decode()
    env = os.environ | {"REFEREE_ADDRESS": f"tcp://{address}"}
    # None that makes mistakes: the daemon would send it away.
    names = ("ann", "bob", "cy")
    bots = [subprocess.Popen(_bot(folder, name), env=env, stderr=subprocess.DEVNULL) for name in names]
    try:
        return b"".join([*heard, daemon.communicate(timeout=120)[0]])
    finally:
        for process in (daemon, *bots):
            process.kill()
            process.wait()
