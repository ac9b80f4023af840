"""The supervisor: how bots end, and that no process of them stays, with and without a PID namespace."""

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from referee.gate.channel import Channel
from referee.gate.config import GateConfig
from referee.gate.records import Opened, Up
from referee.process import supervisor
from referee.process.client import BotProcess
from referee.process.forkserver import Forkserver
from referee.process.reports import EndCause, Ended
from referee.process.spec import Program, ResourceLimits, program
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


class Uncontained(Forkserver):
    """Forks supervisors without a PID namespace, as on a host that gives us none."""

    def supervise(
        self, program: Program, stdin: int | None = None, stdout: int | None = None
    ) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        child = os.fork()
        if child == 0:
            ours.close()
            supervisor.enter_pid_namespace = lambda: False
            if os.fork() == 0:
                supervisor.supervise(program, theirs, stdin, stdout)
            os._exit(0)
        theirs.close()
        os.waitpid(child, 0)
        ours.setblocking(False)
        return ours


def wait_for(process: BotProcess, holds: Callable[[], bool]) -> None:
    """Read the reports about a bot until something holds."""
    while not holds():
        assert process.end is None, process.end
        assert select.select([process], [], [], 60)[0], "the supervisor reports nothing"
        process.read()


def until_settled(process: BotProcess) -> None:
    wait_for(process, lambda: "settled" in process.stderr.since(0))


def end_of(process: BotProcess) -> Ended:
    wait_for(process, lambda: process.end is not None)
    assert process.end is not None
    return process.end


@contextmanager
def started(what: Program, *, contained: bool = True) -> Iterator[BotProcess]:
    """Start a bot, in a PID namespace or, as on hosts that have none for us, without."""
    with (
        closing(Forkserver() if contained else Uncontained()) as forkserver,
        closing(BotProcess(forkserver, what)) as process,
    ):
        yield process


both = pytest.mark.parametrize("contained", [True, False])


@both
def test_the_end_of_a_bot_is_reported_with_its_code_and_the_end_of_its_stderr(contained: bool) -> None:
    with started(python("import sys; sys.exit('enough')"), contained=contained) as process:
        end = end_of(process)
    assert process.pid
    assert process.contained is contained or os.geteuid() != 0
    assert "enough" in process.stderr.since(0)
    assert (end.cause, end.code, end.signal) == (EndCause.EXITED, 1, None)
    assert end.in_words() == "exited with code 1"
    assert not end.is_success


def test_only_an_exit_with_code_0_is_a_success() -> None:
    with started(python("pass")) as process:
        assert end_of(process).is_success
    ends = [Ended(cause, code=0) for cause in EndCause if cause is not EndCause.EXITED]
    assert not any(end.is_success for end in ends)


@both
def test_a_signal_is_reported_by_name(contained: bool) -> None:
    with started(python("import os; os.kill(os.getpid(), 11)"), contained=contained) as process:
        end = end_of(process)
    assert (end.cause, end.signal) == (EndCause.SIGNALLED, signal.SIGSEGV)
    assert end.in_words() == "ended by signal 11 (SIGSEGV)"


def test_a_signal_without_a_name_is_reported_by_number() -> None:
    with started(python("import os, signal; os.kill(os.getpid(), signal.SIGRTMIN + 6)")) as process:
        assert end_of(process).in_words() == f"ended by signal {signal.SIGRTMIN + 6}"


def test_a_bot_is_terminated_or_killed() -> None:
    stubborn = "import signal, time; signal.signal(15, signal.SIG_IGN); print('settled'); time.sleep(600)"
    with started(python("print('settled'); import time; time.sleep(600)")) as process:
        until_settled(process)
        process.terminate()
        assert end_of(process).signal == signal.SIGTERM
    with started(python(stubborn)) as process:
        until_settled(process)
        process.terminate()
        process.kill()
        assert end_of(process).signal == signal.SIGKILL


def test_an_order_too_many_does_not_hide_how_a_bot_ended() -> None:
    with started(python("print('settled'); import time; time.sleep(600)")) as process:
        until_settled(process)
        supervisor_pid = process.pid
        # When the supervisor wakes up, the bot has ended and there are more orders than it will read.
        os.kill(supervisor_pid, signal.SIGSTOP)
        bot = int(Path(f"/proc/{supervisor_pid}/task/{supervisor_pid}/children").read_text())
        os.kill(bot, signal.SIGKILL)
        assert eventually(lambda: Path(f"/proc/{bot}/cmdline").read_bytes() == b"")
        for _ in range(3):
            process.kill()
        os.kill(supervisor_pid, signal.SIGCONT)
        assert eventually(lambda: not Path(f"/proc/{supervisor_pid}").exists())
        assert end_of(process).in_words() == "ended by signal 9 (SIGKILL)"


@both
def test_what_a_bot_left_running_ends_with_it(contained: bool) -> None:
    with started(python(DAEMON), contained=contained) as process:
        end_of(process)
        assert eventually(lambda: not processes(MARK)), processes(MARK)


@both
def test_all_of_a_bot_ends_when_its_socket_closes(contained: bool) -> None:
    with started(python(DAEMON + "time.sleep(600)"), contained=contained) as process:
        until_settled(process)
        assert len(processes(MARK)) >= 2
        process.close()
        assert eventually(lambda: not processes(MARK)), processes(MARK)


def test_a_killed_supervisor_takes_its_namespace_along() -> None:
    with started(python(DAEMON + "time.sleep(600)")) as process:
        until_settled(process)
        if not process.contained:
            pytest.skip("this host has no PID namespace for us")
        os.kill(process.pid, signal.SIGKILL)
        assert eventually(lambda: not processes(MARK)), processes(MARK)
        assert end_of(process) == Ended(EndCause.SUPERVISOR_LOST)


def test_a_program_that_cannot_be_executed_is_reported(tmp_path: os.PathLike[str]) -> None:
    broken = os.path.join(tmp_path, "broken")
    with open(broken, "w") as file:
        file.write("#!/no/such/interpreter\n")
    os.chmod(broken, 0o755)
    with started(program([broken])) as process:
        end = end_of(process)
    assert end.cause is EndCause.NOT_EXECUTED
    assert "No such file" in end.why


def test_a_bot_gets_a_clean_environment_and_no_descriptor_of_ours() -> None:
    code = "import os; print(sorted(os.environ), sorted(os.listdir('/proc/self/fd')))"
    os.environ["SECRET_OF_THE_OPERATOR"] = "x"
    try:
        with started(python(code)) as process:
            end_of(process)
            told = process.stderr.since(0)
    finally:
        del os.environ["SECRET_OF_THE_OPERATOR"]
    assert "MARK" in told
    assert "SECRET_OF_THE_OPERATOR" not in told
    # Its stdin, stdout and stderr, and the one that lists them.
    assert told.rstrip().endswith("['0', '1', '2', '3']")


def test_a_forkserver_ends_its_own_gates_on_order_and_no_other_process() -> None:
    forkserver = Forkserver()
    stranger = subprocess.Popen(["sleep", "600"])
    try:
        with forkserver.open_gate(GateConfig(f"ipc://{forkserver.folder / 'gate'}", "token")) as end:
            channel: Channel[Up] = Channel(end, Up)
            assert select.select([end], [], [], 60)[0]
            (first,) = channel.receive()
            assert isinstance(first, Opened)
            os.kill(first.pid, signal.SIGSTOP)
            forkserver.end_gate(stranger.pid)
            forkserver.end_gate(first.pid)
            assert eventually(lambda: not Path(f"/proc/{first.pid}").exists())
            assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()
        forkserver.close()
