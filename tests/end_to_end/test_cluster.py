"""A Dask cluster of real processes: the same results as on one host, also if parts die or are cut off."""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from referee.hub.capacity import WorkDivision
from referee.hub.pairing import Finished
from referee.worker.cluster_place import ClusterPlace, ClusterUse
from referee.worker.open_hub import open_hub
from tests.end_to_end.clusters import Cluster, cluster_in, free_port
from tests.end_to_end.commands import Command, Workspace, path_for_imports, workspace_in
from tests.end_to_end.hubs import ROOT, UNHURRIED, eventually, pairings, processes, sample
from tests.end_to_end.hubs import play as play_matches
from tests.end_to_end.ladders import check_replays, outcome, play, repeatable, stored, write_plan
from tests.lacking import lacking
from tournaments.results import Played

BOTS = ["ann", "bob", "cleo", "dora"]
BAD_HOST = ROOT / "tests" / "bad_bots" / "bad_host.py"
SEED = "the-seed-that-stays-with-its-organiser"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Yield a cluster of two hosts, for tests that harm none of them."""
    folder = tmp_path_factory.mktemp("pair") / "cluster"
    with cluster_in(folder, "alpha", "beta") as cluster:
        yield cluster
    assert eventually(lambda: not processes(str(folder)))


def played_here(folder: Path, **terms: Any) -> Workspace:
    """Play a tournament on this host alone."""
    folder.mkdir()
    here = Workspace(folder)
    write_plan(here, BOTS, seed=SEED, **terms)
    play(here)
    return here


def run(workspace: Workspace, cluster: Cluster) -> str:
    ended = workspace.run("tournament", "run", "spring.toml", "--cluster", cluster.address, *cluster.tls)
    assert ended.code == 0, ended.err
    return ended.err


def same(here: Workspace, there: Workspace) -> None:
    """See that two runs have the same table, rows and replays, but for the hosts that played."""
    assert outcome(here) == outcome(there)
    assert rows(here) == rows(there)
    assert {one.host for one in stored(there)} <= {"alpha", "beta", "far", "snail"}
    check_replays(there, stored(there))


def rows(workspace: Workspace) -> dict[str, Played]:
    return {one.match: replace(repeatable(one), host="") for one in stored(workspace)}


def has_more_than(count: int, workspace: Workspace) -> bool:
    return len(stored(workspace)) > count


class Tap:
    """Stands before a scheduler, and keeps every byte that its clients send."""

    def __init__(self, port: int) -> None:
        self.heard = bytearray()
        self._port = port
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            scheduler = socket.create_connection(("127.0.0.1", self._port))
            for source, target, keeps in ((client, scheduler, True), (scheduler, client, False)):
                threading.Thread(target=self._pass_on, args=(source, target, keeps), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, keeps: bool) -> None:
        with closing(target):
            try:
                while data := source.recv(1 << 16):
                    if keeps:
                        self.heard += data
                    target.sendall(data)
            except OSError:
                return

    def close(self) -> None:
        self._server.close()


def test_a_cluster_plays_what_one_host_plays_and_never_learns_the_seed(tmp_path: Path, pair: Cluster) -> None:
    here = played_here(tmp_path / "here", blocks=3)
    tap = Tap(int(pair.address.rpartition(":")[2]))
    with closing(tap), workspace_in(_made(tmp_path / "there")) as there:
        write_plan(there, BOTS, seed=SEED, blocks=3, extra=f'[cluster]\naddress = "{tap.address}"')
        ended = there.run("tournament", "run", "spring.toml")
        assert ended.code == 0, ended.err
        assert "host alpha has joined" in ended.err
        assert "host beta has joined" in ended.err
        same(here, there)
        assert stored(there)[0].match.encode() in tap.heard
        assert SEED.encode() not in tap.heard


def test_host_and_speed_stand_in_what_is_reported_and_what_played_ends(tmp_path: Path, pair: Cluster) -> None:
    bots = (sample("first"), sample("random"))
    alone = {
        one.result.match: one.play for one in play_matches(list(bots), pairings(["first", "random"], 12))
    }
    done: list[Finished] = []
    with open_hub(
        bots,
        work=WorkDivision(),
        replays=tmp_path / "replays",
        profile=UNHURRIED,
        report=done.append,
        cluster=ClusterUse(ClusterPlace(pair.address), processors=1),
    ) as hub:
        hub.submit(pairings(["first", "random"], 12))
        hub.run()
    assert {one.result.match: one.play for one in done} == alone
    assert {one.host for one in done} <= {"alpha", "beta"}
    assert all(one.speed > 0 for one in done)
    # What was started for an event ends when no more of it comes.
    assert eventually(lambda: not _players(pair.folder))


def _players(folder: Path) -> list[int]:
    return [pid for pid in processes(str(folder)) if b"referee.worker" in _command(pid)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def play_through_kills(tmp_path: Path, kills: list[str], blocks: int) -> None:
    """Kill what the list names while a tournament is played, and compare with an unbroken run."""
    here = played_here(tmp_path / "here", blocks=blocks)
    (tmp_path / "there").mkdir()
    luck = random.Random("cluster")
    with (
        cluster_in(tmp_path / "cluster", "alpha", "beta") as cluster,
        workspace_in(tmp_path / "there") as there,
    ):
        write_plan(there, BOTS, seed=SEED, blocks=blocks)
        running: Command | None = None
        for victim in kills:
            if running is None:
                running = there.start("tournament", "run", "spring.toml", "--cluster", cluster.address)
            known = len(stored(there))
            assert eventually(partial(has_more_than, known, there)), running.end().err
            time.sleep(luck.random() * 0.3)  # the moment is random
            if victim == "organiser":
                running.process.kill()
                running.end()
                running = None
            elif victim == "scheduler":
                assert cluster.scheduler is not None
                cluster.scheduler.kill()
                cluster.scheduler.log.unlink()
                cluster.start_scheduler()
            elif victim == "player":
                assert eventually(lambda: bool(_players(cluster.folder)))
                with suppress(ProcessLookupError, IndexError):  # it may have ended by itself
                    os.kill(luck.choice(_players(cluster.folder)), signal.SIGKILL)
            else:
                name = luck.choice(["alpha", "beta"])
                cluster.hosts[name].kill()
                cluster.start_host(name)
        if running is not None:
            assert running.end().code == 0
        run(there, cluster)
        same(here, there)
    assert eventually(lambda: not processes(str(tmp_path / "cluster")))


def test_host_scheduler_and_organiser_killed_with_9_cost_time_and_nothing_else(tmp_path: Path) -> None:
    play_through_kills(tmp_path, ["player", "host", "scheduler", "organiser"], blocks=80)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_fifty_kills_cost_time_and_nothing_else(tmp_path: Path) -> None:
    luck = random.Random("fifty")
    kills = [luck.choice(["player", "host", "scheduler", "organiser"]) for _ in range(50)]
    play_through_kills(tmp_path, kills, blocks=700)


def test_a_host_that_is_killed_leaves_no_process_and_no_folder(tmp_path: Path) -> None:
    with cluster_in(tmp_path / "cluster") as cluster, workspace_in(_made(tmp_path / "there")) as there:
        temporary = _made(tmp_path / "tmp")
        alpha = cluster.start_host("alpha", env={"TMPDIR": str(temporary)})
        cluster.wait()
        write_plan(there, BOTS, seed=SEED, blocks=40)
        running = there.start("tournament", "run", "spring.toml", "--cluster", cluster.address)
        assert eventually(lambda: has_more_than(3, there))
        assert list(temporary.iterdir())
        alpha.kill()
        assert eventually(lambda: not processes(str(temporary)))
        assert eventually(lambda: not list(temporary.iterdir()))
        running.signal()
        running.end()


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_ctrl_c_ends_a_run_on_a_cluster_and_keeps_what_was_played(tmp_path: Path, pair: Cluster) -> None:
    with workspace_in(_made(tmp_path / "there")) as there:
        write_plan(there, BOTS, seed=SEED, blocks=60)
        running = there.start("tournament", "run", "spring.toml", "--cluster", pair.address)
        assert eventually(lambda: has_more_than(3, there))
        running.signal()
        ended = running.end()
        assert ended.code == 130, ended.err
        assert 3 < len(stored(there)) < 720
        check_replays(there, stored(there))
        # The host goes on, and what it played for this organiser ends.
        assert eventually(lambda: not _players(pair.folder))


def test_a_host_with_other_code_is_refused_by_its_name(tmp_path: Path) -> None:
    other = tmp_path / "other"
    for package in ("referee", "protocol", "sample_bots", "tournaments"):
        ignored = shutil.ignore_patterns("__pycache__", "target", "node_modules", "*.so")
        shutil.copytree(ROOT / package, other / package, symlinks=True, ignore=ignored)
    # The sample bots come with the referee, and are part of its code.
    changed = other / "sample_bots" / "python" / "random_bot.py"
    changed.write_text(changed.read_text() + "# another line\n")
    game = tmp_path / "game"
    shutil.copytree(ROOT / "tests" / "toys", game, ignore=shutil.ignore_patterns("__pycache__"))
    rules = game / "coins" / "__init__.py"
    rules.write_text(rules.read_text() + "# another line\n")
    with cluster_in(tmp_path / "cluster") as cluster, workspace_in(_made(tmp_path / "there")) as there:
        cluster.start_host("stranger", env={"PYTHONPATH": f"{other}:{path_for_imports()}"})
        cluster.start_host("rules", env={"PYTHONPATH": f"{game}:{path_for_imports()}"})
        cluster.wait()
        write_plan(there, BOTS, seed=SEED, blocks=1)
        ended = there.run("tournament", "run", "spring.toml", "--cluster", cluster.address)
        assert ended.code != 0
        assert "host stranger is refused: its referee is not the same code as here" in ended.err
        assert "host rules is refused: host rules has other code of the game coins" in ended.err
        assert "no host of the cluster can play" in ended.err
        assert not stored(there)


def test_results_that_a_host_sends_twice_count_once_and_are_noted(tmp_path: Path) -> None:
    here = played_here(tmp_path / "here", blocks=3)
    with cluster_in(tmp_path / "cluster") as cluster, workspace_in(_made(tmp_path / "there")) as there:
        cluster.start_host("alpha", command=(str(BAD_HOST), "twice"))
        cluster.wait()
        write_plan(there, BOTS, seed=SEED, blocks=3)
        said = run(there, cluster)
        same(here, there)
    for row in stored(there):
        assert f"match {row.match} came a second time from a worker: the first result stands" in said


@pytest.mark.parametrize(("way", "why"), [("other-cards", "other cards"), ("other-match", "another match")])
def test_a_host_that_sends_what_was_not_ordered_is_refused_and_the_other_one_plays_it(
    tmp_path: Path, way: str, why: str
) -> None:
    here = played_here(tmp_path / "here", blocks=10)
    with (
        cluster_in(tmp_path / "cluster", "alpha") as cluster,
        workspace_in(_made(tmp_path / "there")) as there,
    ):
        cluster.start_host("beta", command=(str(BAD_HOST), way))
        cluster.wait()
        write_plan(there, BOTS, seed=SEED, blocks=10)
        said = run(there, cluster)
        assert "host beta is refused" in said
        assert why in said
        same(here, there)
        assert {one.host for one in stored(there)} == {"alpha"}
    assert eventually(lambda: not processes(str(tmp_path / "cluster")))


@pytest.mark.slow
def test_results_that_come_late_are_not_taken(tmp_path: Path) -> None:
    here = played_here(tmp_path / "here", blocks=50)
    folder = _made(tmp_path / "cluster")
    # The scheduler gives up a host that is silent for so long.
    cluster = Cluster(folder, env={"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "3s"})
    with workspace_in(_made(tmp_path / "there")) as there, closing(cluster):
        cluster.start_scheduler()
        cluster.start_host("alpha")
        late = cluster.start_host("beta")
        cluster.wait()
        write_plan(there, BOTS, seed=SEED, blocks=50)
        running = there.start("tournament", "run", "spring.toml", "--cluster", cluster.address)
        assert eventually(lambda: any(one.host == "beta" for one in stored(there)))
        # Its players go on, and what they play waits for it.
        os.kill(late.pid, signal.SIGSTOP)
        running.wait_for("host beta has left the cluster")
        os.kill(late.pid, signal.SIGCONT)
        ended = running.end()
        assert ended.code == 0, ended.err
        same(here, there)
    assert eventually(lambda: not processes(str(folder)))


@contextmanager
def slowed(pid: int, share: float = 0.25, period_s: float = 0.004) -> Iterator[None]:
    """Let a process run for a share of the time only."""
    stop = threading.Event()

    def throttle() -> None:
        while not stop.is_set():
            os.kill(pid, signal.SIGSTOP)
            time.sleep(period_s * (1 - share))
            os.kill(pid, signal.SIGCONT)
            time.sleep(period_s * share)

    thread = threading.Thread(target=throttle)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_host_that_is_much_slower_than_the_others_is_refused_and_the_others_play_on(tmp_path: Path) -> None:
    here = played_here(tmp_path / "here", blocks=1000)
    with (
        cluster_in(tmp_path / "cluster", "alpha", "beta", "snail") as cluster,
        workspace_in(_made(tmp_path / "there")) as there,
        slowed(cluster.hosts["snail"].pid),
    ):
        write_plan(there, BOTS, seed=SEED, blocks=1000)
        running = there.start("tournament", "run", "spring.toml", "--cluster", cluster.address)
        said = running.wait_for("host snail is refused")
        assert "of the speed of the others" in said
        ended = running.end()
        assert ended.code == 0, ended.err
        same(here, there)


BOT = """
import os, sys
from protocol.client import run
import helper
print("cwd", os.getcwd(), file=sys.stderr)
run(lambda view, legal: helper.choose(legal))
"""


def test_bots_travel_with_their_folders_and_run_from_a_copy(tmp_path: Path, pair: Cluster) -> None:
    with workspace_in(_made(tmp_path / "there")) as there:
        own = _made(there.folder / "own")
        (own / "bot.py").write_text(BOT)
        (own / "helper.py").write_text("def choose(legal):\n    return legal[0]\n")
        env = f'env = {{ PYTHONPATH = "{ROOT}" }}'
        mine = f'[[bots]]\nname = "own"\ncommand = ["{sys.executable}", "bot.py"]\nfolder = "own"\n{env}'
        write_plan(there, ["ann", "bob"], seed=SEED, blocks=2, extra=mine)
        said = run(there, pair)
        assert len(stored(there)) == 12, said
        assert not any(seat.fault for one in stored(there) for seat in one.result.seats)


def test_a_folder_with_files_of_the_event_does_not_travel(tmp_path: Path, pair: Cluster) -> None:
    with workspace_in(tmp_path) as there:
        there.write("bot.py", BOT.replace("import helper", "").replace("helper.choose(legal)", "legal[0]"))
        env = f'env = {{ PYTHONPATH = "{ROOT}" }}'
        mine = f'[[bots]]\nname = "own"\ncommand = ["{sys.executable}", "bot.py"]\n{env}'
        write_plan(there, ["ann"], seed=SEED, blocks=1, extra=mine)
        ended = there.run("tournament", "run", "spring.toml", "--cluster", pair.address)
        assert ended.code != 0
        assert "bot own cannot be sent to other hosts" in ended.err
        assert "holds spring.toml, which stays here; give it a folder of its own" in ended.err


def certificates(folder: Path) -> dict[str, Path]:
    """Make an authority and a certificate that it has signed."""
    ca, ca_key, cert, key = (folder / name for name in ("ca.pem", "ca-key.pem", "host.pem", "host-key.pem"))
    new: list[str | Path] = ["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj"]
    sign: list[str | Path] = ["openssl", "x509", "-req", "-days", "2", "-CAcreateserial"]
    for words in (
        [*new, "/CN=authority", "-x509", "-days", "2", "-keyout", ca_key, "-out", ca],
        [*new, "/CN=host", "-keyout", key, "-out", folder / "host.csr"],
        [*sign, "-in", folder / "host.csr", "-CA", ca, "-CAkey", ca_key, "-out", cert],
    ):
        subprocess.run(words, check=True, capture_output=True)
    return {"ca": ca, "cert": cert, "key": key}


def test_with_tls_only_those_with_a_certificate_of_the_authority_take_part(tmp_path: Path) -> None:
    ours, others = certificates(_made(tmp_path / "ours")), certificates(_made(tmp_path / "others"))
    with (
        cluster_in(tmp_path / "cluster", "alpha", tls=ours) as cluster,
        workspace_in(_made(tmp_path / "there")) as there,
    ):
        write_plan(there, BOTS[:2], seed=SEED, blocks=2)
        words = ("tournament", "run", "spring.toml", "--cluster", cluster.address)
        strange = [word for name, path in others.items() for word in (f"--tls-{name}", str(path))]
        refused = there.run(*words, *strange)
        assert refused.code != 0
        assert "no scheduler of a cluster answers" in refused.err
        plain = there.run(*words)
        assert plain.code == 2
        assert "needs three files" in plain.err
        mixed = [word for name in ("ca", "cert") for word in (f"--tls-{name}", str(ours[name]))]
        for command in (words, ("worker", cluster.address)):
            wrong = there.run(*command, *mixed, "--tls-key", str(others["key"]))
            assert wrong.code == 2
            assert "are not a certificate and its private key: key values mismatch" in wrong.err
        run(there, cluster)
        assert len(stored(there)) == 4


def test_a_host_that_cannot_listen_at_an_address_says_so_at_once(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as workspace, socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for listen, why in (
            (f"127.0.0.1:{port}", "Address already in use"),
            ("192.0.2.1:8790", "Cannot assign requested address"),
            (":99999", "--listen is HOST:PORT or :PORT"),
        ):
            ended = workspace.run("worker", "tcp://127.0.0.1:8786", "--listen", listen)
            assert (ended.code, why in ended.err) == (2, True), ended.err
        ended = workspace.run("worker", "tcp://127.0.0.1:99999")
        assert (ended.code, "a cluster is at tcp://HOST:PORT" in ended.err) == (2, True), ended.err


class Cable:
    """A network namespace for a host, and the cable to it, which can be pulled."""

    def __init__(self) -> None:
        self.name = f"ref{os.getpid() % 100_000}"
        net = f"10.{os.getpid() % 200 + 20}.77"
        self.near, far = f"{net}.1", f"{net}.2/24"
        self._end = f"{self.name}a"
        for words in (
            f"ip netns add {self.name}",
            f"ip link add {self._end} type veth peer name {self.name}b netns {self.name}",
            f"ip addr add {self.near}/24 dev {self._end}",
            f"ip link set {self._end} up",
            f"ip -n {self.name} addr add {far} dev {self.name}b",
            f"ip -n {self.name} link set {self.name}b up",
            f"ip -n {self.name} link set lo up",
        ):
            subprocess.run(words.split(), check=True, capture_output=True)

    def set(self, state: str) -> None:
        subprocess.run(["ip", "link", "set", self._end, state], check=True)

    def close(self) -> None:
        subprocess.run(["ip", "netns", "del", self.name], check=True)


@pytest.fixture
def cable() -> Iterator[Cable]:
    try:
        made = Cable()
    except (OSError, subprocess.CalledProcessError):
        subprocess.run(
            ["ip", "netns", "del", f"ref{os.getpid() % 100_000}"], capture_output=True, check=False
        )
        lacking("network namespaces")
    with closing(made):
        yield made


@pytest.mark.slow
def test_a_host_whose_network_is_cut_and_heals_costs_time_and_nothing_else(
    tmp_path: Path, cable: Cable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP", "11s")
    here = played_here(tmp_path / "here", blocks=25)
    cluster = Cluster(_made(tmp_path / "cluster"), host=cable.near)
    with workspace_in(_made(tmp_path / "there")) as there, closing(cluster):
        cluster.start_scheduler()
        cluster.start_host("far", first=("ip", "netns", "exec", cable.name))
        cluster.wait()
        write_plan(there, BOTS, seed=SEED, blocks=25)
        running = there.start("tournament", "run", "spring.toml", "--cluster", cluster.address)
        running.wait_for("host far has joined")
        assert eventually(lambda: has_more_than(3, there))
        cable.set("down")
        running.wait_for("host far has left the cluster")
        cable.set("up")
        running.wait_for("host far has joined")
        ended = running.end()
        assert ended.code == 0, ended.err
        assert "played again" in ended.err
        same(here, there)


def test_a_cluster_that_is_not_there_is_named(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as workspace:
        write_plan(workspace, BOTS[:2], seed=SEED)
        address = f"tcp://127.0.0.1:{free_port()}"
        ended = workspace.run("tournament", "run", "spring.toml", "--cluster", address)
        assert ended.code != 0
        assert f"no scheduler of a cluster answers at {address}" in ended.err
        wrong = workspace.run("tournament", "run", "spring.toml", "--cluster", "10.0.0.1")
        assert wrong.code == 2
        assert "tcp://HOST:PORT" in wrong.err
