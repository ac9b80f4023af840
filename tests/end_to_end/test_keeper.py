"""The supervisor: how bots end, and that nothing of them stays, with and without a PID namespace."""

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.gate.channel import Channel
from referee.gate.records import Opened, Up
from referee.gate.router import GateConfig
from referee.process import supervisor
from referee.process.forkserver import Forkserver
from referee.process.spec import Program, ResourceLimits, program
from referee.process.supervisor import Ended, Started, SupervisorReport, Unstartable, Wrote, decode_report
from referee.server.remote_bot import _Process
from tests.end_to_end.hubs import eventually, processes

MARK = f"kept-by-{os.getpid()}"

DAEMON = (
    "import os, signal, time\n"
    "if os.fork() == 0:\n"
    "    os.setsid()\n"
    "    if os.fork() == 0:\n"
    "        signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "        print('settled', flush=True)\n"
    "        time.sleep(600)\n"
    "    os._exit(0)\n"
    "os.wait()\n"
)


def python(code: str, limits: ResourceLimits | None = None) -> Program:
    return program([sys.executable, "-c", code], env={"MARK": MARK}, limits=limits)


def reports(line: socket.socket) -> Iterator[SupervisorReport]:
    while select.select([line], [], [], 60)[0]:
        data = line.recv(1 << 16)
        if not data:
            return
        yield decode_report(data)
    raise AssertionError("the keeper says nothing")


def until_settled(line: socket.socket) -> None:
    for report in reports(line):
        if isinstance(report, Wrote) and b"settled" in report.data:
            return


@contextmanager
def kept(what: Program, *, contained: bool) -> Iterator[socket.socket]:
    """Keep a bot, in a PID namespace or, as on hosts that have none for us, without."""
    if contained:
        nursery = Forkserver()
        with nursery.keep(what) as line:
            yield line
        nursery.close()
        return
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    child = os.fork()
    if child == 0:
        ours.close()
        supervisor.enter_pid_namespace = lambda: False
        supervisor.supervise(what, theirs, None, None)
    theirs.close()
    os.waitpid(child, 0)
    with ours:
        yield ours


both = pytest.mark.parametrize("contained", [True, False])


@both
def test_the_end_of_a_bot_is_reported_with_its_code_and_its_stderr(contained: bool) -> None:
    with kept(python("import sys; sys.exit('enough')"), contained=contained) as line:
        first, *rest = reports(line)
    assert isinstance(first, Started)
    assert first.contained is contained or os.geteuid() != 0
    assert b"enough" in b"".join(report.data for report in rest if isinstance(report, Wrote))
    assert isinstance(rest[-1], Ended)
    assert (rest[-1].code, rest[-1].signal) == (1, None)
    assert rest[-1].in_words() == "exited with code 1"


@both
def test_a_signal_is_reported_by_name(contained: bool) -> None:
    with kept(python("import os; os.kill(os.getpid(), 11)"), contained=contained) as line:
        *_, last = reports(line)
    assert isinstance(last, Ended)
    assert last.in_words() == "ended by signal 11 (SIGSEGV)"


def test_a_signal_without_a_name_is_reported_by_number() -> None:
    with kept(python("import os, signal; os.kill(os.getpid(), signal.SIGRTMIN + 6)"), contained=True) as line:
        *_, last = reports(line)
    assert isinstance(last, Ended)
    assert last.in_words() == f"ended by signal {signal.SIGRTMIN + 6}"


def test_an_order_too_many_does_not_hide_how_a_bot_ended() -> None:
    nursery = Forkserver()
    process = _Process(nursery, python("print('settled'); import time; time.sleep(600)"), lambda _: None)
    with process.line:
        first = next(reports(process.line))
        assert isinstance(first, Started)
        until_settled(process.line)
        # When the supervisor wakes up, the bot has ended and there are more orders than it will read.
        os.kill(first.pid, signal.SIGSTOP)
        bot = int(Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text())
        os.kill(bot, signal.SIGKILL)
        assert eventually(lambda: Path(f"/proc/{bot}/cmdline").read_bytes() == b"")
        for _ in range(3):
            process._order(supervisor.KILL)
        os.kill(first.pid, signal.SIGCONT)
        assert eventually(lambda: not Path(f"/proc/{first.pid}").exists())
        while not process.exit:
            assert select.select([process.line], [], [], 60)[0]
            process.read()
    nursery.close()
    assert process.exit == "ended by signal 9 (SIGKILL)"


@both
def test_what_a_bot_left_running_ends_with_it(contained: bool) -> None:
    with kept(python(DAEMON), contained=contained) as line:
        assert any(isinstance(report, Ended) for report in reports(line))
        assert eventually(lambda: not processes(MARK)), processes(MARK)


@both
def test_all_of_a_bot_ends_when_the_hub_lets_go(contained: bool) -> None:
    with kept(python(DAEMON + "time.sleep(600)"), contained=contained) as line:
        until_settled(line)
        assert len(processes(MARK)) >= 2
        line.close()
        assert eventually(lambda: not processes(MARK)), processes(MARK)


def test_a_killed_supervisor_ends_its_namespace() -> None:
    with kept(python(DAEMON + "time.sleep(600)"), contained=True) as line:
        first = next(reports(line))
        assert isinstance(first, Started)
        if not first.contained:
            pytest.skip("this host has no PID namespace for us")
        until_settled(line)
        os.kill(first.pid, signal.SIGKILL)
        assert eventually(lambda: not processes(MARK)), processes(MARK)


def test_a_program_that_cannot_be_executed_is_reported(tmp_path: os.PathLike[str]) -> None:
    broken = os.path.join(tmp_path, "broken")
    with open(broken, "w") as file:
        file.write("#!/no/such/interpreter\n")
    os.chmod(broken, 0o755)
    with kept(program([broken]), contained=True) as line:
        *_, last = reports(line)
    assert isinstance(last, Unstartable)
    assert "No such file" in last.why


def test_a_bot_gets_a_clean_environment_and_no_descriptor_of_ours() -> None:
    code = "import os; print(sorted(os.environ), sorted(os.listdir('/proc/self/fd')))"
    os.environ["SECRET_OF_THE_OPERATOR"] = "x"
    try:
        with kept(python(code), contained=True) as line:
            told = b"".join(report.data for report in reports(line) if isinstance(report, Wrote)).decode()
    finally:
        del os.environ["SECRET_OF_THE_OPERATOR"]
    assert "MARK" in told
    assert "SECRET_OF_THE_OPERATOR" not in told
    # Its stdin, stdout and stderr, and the one that lists them.
    assert told.rstrip().endswith("['0', '1', '2', '3']")


def test_a_forkserver_ends_its_own_gates_on_request_and_no_other_process() -> None:
    nursery = Forkserver()
    stranger = subprocess.Popen(["sleep", "600"])
    try:
        with nursery.open_gate(GateConfig(f"ipc://{nursery.folder / 'gate'}", "token")) as end:
            line: Channel[Up] = Channel(end, Up)
            assert select.select([end], [], [], 60)[0]
            (first,) = line.receive()
            assert isinstance(first, Opened)
            os.kill(first.pid, signal.SIGSTOP)
            nursery.end_gate(stranger.pid)
            nursery.end_gate(first.pid)
            assert eventually(lambda: not Path(f"/proc/{first.pid}").exists())
            assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()
        nursery.close()
