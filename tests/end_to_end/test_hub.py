"""The hub with real processes and sockets: transports, crowds, deaths."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from referee.errors import ConfigError, LaunchError, RefereeError
from referee.hub.gate_client import GateClient
from referee.hub.hub import Hub
from referee.hub.pairing import Finished
from referee.process.spec import BotSpec, Transport, program
from referee.replay import files, playback
from referee.replay.dossier import read_dossier
from tests.end_to_end.boxes import needs_box
from tests.end_to_end.hubs import (
    BAD,
    ROOT,
    STRICT,
    UNHURRIED,
    bad,
    eventually,
    pairings,
    play,
    processes,
    sample,
    supervisor_pid,
)


def test_the_same_seed_gives_the_same_replay_hash_over_every_transport() -> None:
    def hashes(*bots: BotSpec) -> list[str]:
        return [f.play for f in play(bots, pairings(["first", "random"], 6), jobs=3)]

    pipes = hashes(sample("first"), sample("random"))
    packed = hashes(sample("first", "zmq"), sample("random", "zmq"))
    text = hashes(
        sample("first", "zmq", REFEREE_ENCODING="json"), sample("random", "zmq", REFEREE_ENCODING="json")
    )
    guessed = hashes(sample("first", "auto"), sample("random"))
    assert pipes == packed == text == guessed
    assert len(set(pipes)) == 6


def test_two_hundred_matches_at_once_over_sixty_four_bots(tmp_path: Path) -> None:
    names = [f"bot{n}" for n in range(64)]
    command = [sys.executable, "-m", "sample_bots.python.first"]
    bots = [
        BotSpec(name, program(command, ROOT), "zmq" if n % 2 else "stdio") for n, name in enumerate(names)
    ]
    matches = []
    for n in range(200):
        pair = [names[n % 64], names[(n + 1 + n // 64) % 64]]
        matches += list(pairings(pair, 1, f"m{n}-"))
    busiest = 0
    done: list[Finished] = []
    with Hub(bots, jobs=200, replays=tmp_path, report=done.append, profile=UNHURRIED) as hub:
        hub.preflight()
        hub.submit(matches)
        while len(done) < 200:
            hub.turn()
            busiest = max(busiest, len(hub.running))
    assert busiest == 200
    assert {f.result.faults for f in done} == {("", "")}
    for finished in done[:20]:
        assert finished.replay is not None
        playback.verify(files.read(finished.replay))


@pytest.mark.parametrize("transport", ["stdio", "zmq"])
def test_a_bot_killed_in_mid_match_loses_it_at_once_and_no_other_match_is_harmed(transport: str) -> None:
    done: list[Finished] = []
    slow = BotSpec("victim", program([sys.executable, str(BAD), "thinks_for_ever"]), "stdio")
    if transport == "zmq":
        script = (
            "import time\nfrom protocol.client import run\n"
            "run(lambda view, legal: time.sleep(1000), name='victim')"
        )
        slow = BotSpec("victim", program([sys.executable, "-c", script], ROOT), "zmq")
    bots = [slow, sample("first"), sample("random")]
    with Hub(bots, jobs=4, report=done.append, profile=UNHURRIED) as hub:
        hub.submit([*pairings(["victim", "first"], 1, "v"), *pairings(["random", "first"], 6, "m")])
        killed = False
        while len(done) < 7:
            hub.turn()
            running = hub.running.get("v0")
            if not killed and len(done) == 6 and running is not None and running.match.owes(0):
                session = running.seats[0]
                assert session is not None
                supervisor = supervisor_pid(session)
                children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
                os.kill(int(children[0]), signal.SIGKILL)
                killed = True
    results = {f.result.match: f.result for f in done}
    assert results["v0"].faults == ("crashed", "")
    assert results["v0"].ranks == (2, 1)
    assert all(results[f"m{n}"].faults == ("", "") for n in range(6))


@needs_box
def test_a_killed_gate_costs_only_its_bot_the_match(tmp_path: Path) -> None:
    done: list[Finished] = []
    # Without its connection the bot stays: otherwise its own end may be noticed first.
    (tmp_path / "bot.py").write_text(
        "import signal\nfrom protocol.client import run\n"
        "try:\n    run(lambda view, legal: legal[0])\nfinally:\n    signal.pause()\n"
    )
    # A trusted bot has no gate process.
    boxed = program([sys.executable, "bot.py"], tmp_path, level="class")
    bots = [BotSpec("zfirst", boxed, "zmq"), sample("random", "zmq"), sample("first")]
    with Hub(bots, jobs=20, report=done.append, profile=UNHURRIED) as hub:
        hub.preflight()
        hub.submit([*pairings(["zfirst", "random"], 1, "z"), *pairings(["first", "random"], 10, "m")])
        hub.turn(0)
        assert "z0" in hub.running
        gate = next(s for s in hub.sessions if s.name == "zfirst").transport.gate
        assert isinstance(gate, GateClient)
        os.kill(gate.pid, signal.SIGKILL)
        hub.run()
    results = {f.result.match: f.result for f in done}
    assert results["z0"].faults == ("disconnected", "")
    assert all(results[f"m{n}"].faults == ("", "") for n in range(10))


def test_a_referee_killed_with_minus_nine_leaves_no_process_and_no_folder_behind(tmp_path: Path) -> None:
    marker = f"left-behind-{os.getpid()}"
    script = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.end_to_end.hubs import UNHURRIED, bad, pairings, sample
from referee.hub.hub import Hub
from referee.process.spec import BotSpec
from referee.process.spec import program
from msgspec.structs import replace
def marked(spec):
    return replace(spec, program=replace(spec.program, env=spec.program.env | {{"MARK": {marker!r}}}))
bots = [marked(sample("first", "zmq")), marked(sample("random", "auto")), marked(bad("leaves_a_daemon"))]
with Hub(bots, jobs=4, profile=UNHURRIED) as hub:
    hub.preflight()
    hub.submit(pairings(["first", "random", "bad"], 100_000))
    while not any(t.match.log for t in hub.running.values()):
        hub.turn()
    print("playing", flush=True)
    hub.run()
"""
    env = os.environ | {"MARK": marker, "TMPDIR": str(tmp_path)}
    referee = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=env)
    assert referee.stdout is not None
    with referee, referee.stdout:
        assert referee.stdout.readline() == "playing\n"
        assert os.listdir(tmp_path)
        # Bots, supervisors, gates, the forkserver, and a daemon a bot has started.
        assert eventually(lambda: len(processes(marker)) >= 8)
        referee.kill()
    assert eventually(lambda: not processes(marker)), processes(marker)
    assert eventually(lambda: not os.listdir(tmp_path))


def test_a_bot_may_get_a_fresh_process_for_every_match() -> None:
    seen = set()
    spec = sample("first")
    bots = [BotSpec("first", spec.program, "stdio", fresh=True), sample("random")]
    with Hub(bots, jobs=1, profile=UNHURRIED) as hub:
        hub.submit(pairings(["first", "random"], 4))
        while hub.queue or hub.running:
            hub.turn()
            seen |= {pid for s in hub.sessions if s.name == "first" and (pid := supervisor_pid(s))}
    assert len(seen) >= 4


@pytest.mark.parametrize("transport", ["auto", "zmq", "stdio"])
def test_a_bot_that_has_gone_leaves_no_file_and_no_descriptor(transport: Transport) -> None:
    bots = [BotSpec("first", sample("first").program, transport, fresh=True), sample("random")]
    with Hub(bots, jobs=1, profile=UNHURRIED) as hub:
        before = len(os.listdir("/proc/self/fd"))
        hub.submit(pairings(["first", "first"], 2))
        hub.run()
        while hub.sessions:
            hub.loop.turn()
        assert eventually(lambda: os.listdir(hub.forkserver.folder) == [])

        def descriptors() -> int:
            hub.loop.turn(0)
            return len(os.listdir("/proc/self/fd"))

        # The socket to a supervisor is open until the hub has seen the end of all processes.
        assert eventually(lambda: descriptors() == before)


def test_bots_that_live_on_play_many_matches_in_one_process() -> None:
    seen = set()
    with Hub([sample("first"), sample("random")], jobs=8, profile=UNHURRIED) as hub:
        hub.submit(pairings(["first", "random"], 16))
        while hub.queue or hub.running:
            hub.turn()
            seen |= {pid for s in hub.sessions if (pid := supervisor_pid(s))}
    assert len(seen) == 2


def test_a_bot_may_play_against_itself_in_two_processes() -> None:
    (finished,) = play([sample("first")], pairings(["first", "first"], 1), jobs=1)
    assert finished.result.faults == ("", "")


def test_of_two_bots_that_never_came_neither_beats_the_other(tmp_path: Path) -> None:
    bots = [BotSpec(name, bad("exits_at_once").program, "stdio") for name in ("one", "two")]
    (finished,) = play(bots, pairings(["one", "two"], 1), jobs=1, replays=tmp_path)
    assert finished.result.faults == ("crashed", "crashed")
    assert finished.result.ranks == (1, 1)
    assert finished.replay is not None
    playback.verify(files.read(finished.replay))


def test_a_hub_that_lacks_the_means_to_start_a_bot_reports_it_and_blames_no_bot() -> None:
    done: list[Finished] = []
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Hub([sample("first")], jobs=50, report=done.append, profile=UNHURRIED) as hub:
        hub.preflight()
        hub.submit(pairings(["first", "first"], 50))
        taken = set(map(int, os.listdir("/proc/self/fd")))
        free = [number for number in range(max(taken) + 9) if number not in taken]
        resource.setrlimit(resource.RLIMIT_NOFILE, (free[3], hard))
        try:
            with pytest.raises(RefereeError, match="cannot start bot first: Too many open files"):
                hub.run()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert not any(any(finished.result.faults) for finished in done)


def test_a_bot_that_connects_again_and_again_is_a_flood() -> None:
    script = (
        "import json, os, zmq\n"
        "context = zmq.Context()\n"
        "hello = {'type': 'hello', 'protocol': [1], 'name': 'x', 'token': os.environ['REFEREE_TOKEN']}\n"
        "dealers = []\n"
        "while len(dealers) < 20:\n"
        "    dealers.append(context.socket(zmq.DEALER))\n"
        "    dealers[-1].connect(os.environ['REFEREE_ADDRESS'])\n"
        "    dealers[-1].send_string(json.dumps(hello))\n"
        "    for _ in range(32):\n"
        "        dealers[-1].send_string(json.dumps({'type': 'pong'}))\n"
        "    dealers[-1].recv()\n"
    )
    bot = BotSpec("x", program([sys.executable, "-c", script], ROOT), "zmq")
    (finished,) = play([bot, sample("first")], pairings(["x", "first"], 1), jobs=1)
    assert finished.result.faults == ("flood", "")


def test_messages_of_several_frames_are_a_flood_too() -> None:
    script = (
        "import json, os, zmq\n"
        "dealer = zmq.Context().socket(zmq.DEALER)\n"
        "dealer.connect(os.environ['REFEREE_ADDRESS'])\n"
        "hello = {'type': 'hello', 'protocol': [1], 'name': 'x', 'token': os.environ['REFEREE_TOKEN']}\n"
        "dealer.send_string(json.dumps(hello))\n"
        "for _ in range(500):\n"
        "    dealer.send_multipart([b'one', b'two'])\n"
        "while True:\n"
        "    dealer.recv()\n"
    )
    with Hub([BotSpec("x", program([sys.executable, "-c", script], ROOT), "zmq")], profile=UNHURRIED) as hub:
        hub.preflight()

        def is_gone() -> bool:
            hub.loop.turn(10_000_000)
            return not hub.sessions

        assert eventually(is_gone)


def test_a_bot_that_cannot_start_is_known_before_any_match(tmp_path: Path) -> None:
    with (
        Hub([bad("exits_at_once"), sample("first")], replays=tmp_path, profile=UNHURRIED) as hub,
        pytest.raises(LaunchError) as e,
    ):
        hub.preflight()
    assert "exited with code 3" in str(e.value)
    assert "cannot find my model" in str(e.value)
    assert "bad.py exits_at_once" in str(e.value)


def test_a_program_that_is_not_there_is_refused_with_its_command_line() -> None:
    with pytest.raises(LaunchError, match=r"no program '\./nobot'"):
        program("./nobot --fast")


def test_a_bot_that_does_not_play_the_game_is_refused() -> None:
    script = "from protocol.client import run\nrun(lambda view, legal: legal[0], name='x', games=['chess'])"
    only = BotSpec("chess", program([sys.executable, "-c", script], ROOT), "stdio")
    with (
        Hub([only], profile=UNHURRIED) as hub,
        pytest.raises(ConfigError, match="does not play chicago-poker; it plays chess"),
    ):
        hub.preflight(["chicago-poker"])


def test_what_a_lost_bot_wrote_and_said_is_kept_with_its_replay(tmp_path: Path) -> None:
    play([bad("exits"), sample("first")], pairings(["bad", "first"], 1), jobs=1, replays=tmp_path)
    dossier = read_dossier(tmp_path / "m0.dossier.json")
    seat = dossier.seats[0]
    assert "out of ideas" in seat.stderr
    assert seat.exit == "exited with code 7"
    assert seat.fault == "crashed"
    assert any(said.line.startswith("ask ") for said in seat.messages)


def test_a_chatty_bot_is_heard_only_up_to_a_cap(tmp_path: Path) -> None:
    with Hub([bad("chatters"), sample("first")], jobs=1, replays=tmp_path, profile=UNHURRIED) as hub:
        hub.submit(pairings(["bad", "first"], 1))
        hub.run()
        stderr = next(s for s in hub.sessions if s.name == "bad").stderr
        assert len(stderr.since(0)) <= 65_536 + 100


def test_a_zeromq_bot_may_print_to_its_stdout() -> None:
    script = (
        "from protocol.client import run\n"
        "def choose(view, legal):\n    print('{ my move', legal[0]); return legal[0]\n"
        "run(choose, name='printer')"
    )
    for transport in ("auto", "zmq", "stdio"):
        printer = BotSpec("printer", program([sys.executable, "-c", script], ROOT), transport)
        (finished,) = play([printer, sample("first")], pairings(["printer", "first"], 1), jobs=1)
        assert finished.result.faults == ("", "")


def test_a_replay_that_cannot_be_written_stops_the_hub_and_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "replays"
    done: list[Finished] = []
    with Hub(
        [sample("first"), sample("random")], jobs=1, replays=folder, report=done.append, profile=UNHURRIED
    ) as hub:
        hub.submit(pairings(["first", "random"], 50, "m", STRICT))
        folder.rmdir()
        folder.touch()
        with pytest.raises(Exception, match="must be played again"):
            hub.run()
    assert not done


def test_what_a_bot_wrote_before_its_fault_is_kept_though_it_comes_later(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom protocol.client import run\n"
        "def play(view, legal):\n    print('my last words', file=sys.stderr, flush=True)\n    return 'no'\n"
        "run(play, name='bad')"
    )
    bots = [BotSpec("bad", program([sys.executable, "-c", script], ROOT), "stdio"), sample("first")]
    stopped = 0
    with Hub(bots, replays=tmp_path, profile=STRICT) as hub:
        hub.preflight()
        hub.submit(pairings(["bad", "first"], 1))
        hub.turn(0)
        session = hub.running["m0"].seats[0]
        assert session is not None
        # What passes on stderr is stopped, so the illegal action comes first.
        stopped = supervisor_pid(session)
        os.kill(stopped, signal.SIGSTOP)
        try:
            while hub.running:
                hub.turn()
        finally:
            os.kill(stopped, signal.SIGCONT)
        hub.run()
    assert "my last words" in read_dossier(tmp_path / "m0.dossier.json").seats[0].stderr
