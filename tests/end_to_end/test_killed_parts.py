"""The referee's own processes, killed one at a time: which bot is charged.

A supervisor and a gate belong to one bot, which may have ended them: their end is that bot's fault alone.
No bot reaches the forkserver: its end is a failure of the referee, and no bot is charged.
"""

import os
import resource
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from referee.errors import RefereeError
from referee.hub.hub import Hub
from referee.hub.pairing import Finished
from referee.hub.session import Session, SessionState
from referee.process.spec import BotSpec, Transport, program
from tests.end_to_end.commands import workspace_in
from tests.end_to_end.hubs import STRICT, UNHURRIED, eventually, has_ended, pairings, sample, supervisor_pid
from tests.end_to_end.ladders import outcome, play, stored, write_plan

BOTH = pytest.mark.parametrize("transport", ["stdio", "zmq"])
ALL: tuple[Transport, ...] = ("stdio", "zmq", "auto")


def two(transport: Transport) -> list[BotSpec]:
    return [BotSpec(name, sample(name).program, transport) for name in ("first", "random")]


def play_until_asked(hub: Hub, match: str) -> None:
    """Play until a seat of the match is asked."""
    while not ((running := hub.running.get(match)) and running.match.log):
        hub.turn()


def forkserver_of(hub: Hub) -> int:
    return hub.forkserver.pid


@BOTH
def test_a_killed_supervisor_costs_only_its_bot_the_match(transport: Transport) -> None:
    done: list[Finished] = []
    others = [BotSpec(name, sample(name).program, "stdio") for name in ("first", "random")]
    victims = [BotSpec(f"v{bot.name}", bot.program, transport) for bot in two(transport)]
    with Hub([*victims, *others], jobs=8, report=done.append, profile=UNHURRIED) as hub:
        hub.preflight()
        hub.submit([*pairings(["vfirst", "vrandom"], 1, "v"), *pairings(["first", "random"], 6, "m")])
        play_until_asked(hub, "v0")
        session: Session = next(s for s in hub.sessions if s.name == "vrandom")
        while not supervisor_pid(session):
            hub.loop.turn()
        supervisor = supervisor_pid(session)
        os.kill(supervisor, signal.SIGKILL)
        # On a busy host the bot would go on for a while, and may come to the end of its match.
        assert eventually(partial(has_ended, supervisor))
        hub.run()
    results = {one.result.match: one.result for one in done}
    assert results["v0"].faults == ("", "crashed")
    assert results["v0"].ranks == (1, 2)
    assert all(results[f"m{n}"].faults == ("", "") for n in range(6))


@BOTH
def test_a_killed_forkserver_voids_running_matches_and_blames_no_bot(
    transport: Transport, tmp_path: Path
) -> None:
    done: list[Finished] = []
    with Hub(two(transport), jobs=4, replays=tmp_path, report=done.append, profile=UNHURRIED) as hub:
        hub.preflight()
        hub.submit(pairings(["first", "random"], 40))
        play_until_asked(hub, "m3")
        running = set(hub.running)
        os.kill(forkserver_of(hub), signal.SIGKILL)
        assert eventually(hub.forkserver.has_ended)
        with pytest.raises(RefereeError, match="the process from which the referee starts bots has ended"):
            hub.run()
    void = {one.result.match for one in done if one.result.void}
    assert void
    assert void <= running
    assert not any(fault for one in done for fault in one.result.faults)


def test_a_forkserver_killed_while_bots_start_is_no_fault_of_theirs() -> None:
    with Hub(two("zmq"), profile=UNHURRIED) as hub:
        os.kill(forkserver_of(hub), signal.SIGSTOP)
        for name in hub.roster.specs:
            hub.start(name)
        os.kill(forkserver_of(hub), signal.SIGKILL)
        with pytest.raises(RefereeError, match=r"has ended|cannot start bot"):
            hub.preflight()


@pytest.fixture
def slow() -> Iterator[Hub]:
    """A hub whose bots have no time at all to say hello, on a host that does not come to start them."""
    mute = program(["sleep", "60"])
    bots = [BotSpec(transport, mute, transport) for transport in ALL]
    with Hub(bots, profile=STRICT.timed({"hello_ms": 1})) as hub:
        os.kill(forkserver_of(hub), signal.SIGSTOP)
        try:
            yield hub
        finally:
            os.kill(forkserver_of(hub), signal.SIGCONT)


@pytest.mark.parametrize("transport", ALL)
def test_what_our_own_processes_take_to_come_up_is_not_the_bots_time(slow: Hub, transport: str) -> None:
    slow.start(transport)
    (session,) = slow.sessions
    over: list[SessionState] = []
    slow.loop.at(time.monotonic_ns() + 50_000_000, lambda: over.append(session.state))
    while not over:
        slow.loop.turn()
    assert over == [SessionState.STARTING]
    os.kill(forkserver_of(slow), signal.SIGCONT)
    while slow.sessions:
        slow.loop.turn()
    assert supervisor_pid(session), "it lost before it was started"


@pytest.mark.parametrize("transport", ALL)
def test_a_host_on_which_nothing_comes_up_is_not_waited_for_without_end(
    slow: Hub, transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.hub.local_bot.OURS_S", 1)
    slow.start(transport)

    def wait() -> None:
        while slow.sessions:
            slow.loop.turn()

    with pytest.raises(
        RefereeError, match=f"cannot start bot {transport}: its process did not start within 1 s"
    ):
        wait()


@BOTH
def test_a_bot_that_cannot_be_started_leaves_no_descriptor_behind(transport: Transport) -> None:
    with Hub(two(transport), profile=UNHURRIED) as hub:
        os.kill(forkserver_of(hub), signal.SIGKILL)
        assert eventually(hub.forkserver.has_ended)
        before = len(os.listdir("/proc/self/fd"))
        with pytest.raises(RefereeError, match="cannot start bot first: "):
            hub.start("first")
        assert len(os.listdir("/proc/self/fd")) == before


@BOTH
@pytest.mark.parametrize("room", [0, 3, 6])
def test_a_bot_for_which_the_host_has_no_room_has_done_nothing_wrong(transport: Transport, room: int) -> None:
    with Hub(two(transport), profile=UNHURRIED) as hub:
        hub.preflight()
        # Without room it can be sent no descriptor any more, so what it forks has no socket to the hub.
        # With some, supervisor or gate find out that there is none for them.
        few = 3 + room
        resource.prlimit(forkserver_of(hub), resource.RLIMIT_NOFILE, (few, few))
        hub.start("first")

        def turn_until_it_is_gone() -> None:
            while len(hub.sessions) == 3:
                hub.loop.turn()

        with pytest.raises(RefereeError, match="cannot start bot first: "):
            turn_until_it_is_gone()


def test_a_tournament_whose_forkserver_was_killed_goes_on_with_the_same_command(tmp_path: Path) -> None:
    unbroken, broken = tmp_path / "unbroken", tmp_path / "broken"
    unbroken.mkdir()
    broken.mkdir()
    with workspace_in(unbroken) as whole, workspace_in(broken) as workspace:
        for each in (whole, workspace):
            write_plan(each, blocks=200)
        play(whole)
        running = workspace.start("tournament", "run", "spring.toml")
        running.wait_for("/400 matches")
        children = Path(f"/proc/{running.process.pid}/task/{running.process.pid}/children")
        (forkserver,) = map(int, children.read_text().split())
        os.kill(forkserver, signal.SIGKILL)
        ended = running.end()
        assert ended.code == 1
        assert "the process from which the referee starts bots has ended" in ended.err
        assert "to continue: referee tournament run spring.toml" in ended.err
        assert 0 < len(stored(workspace)) < 400
        assert not any(fault for one in stored(workspace) for fault in one.result.faults)
        assert workspace.run("tournament", "run", "spring.toml").code == 0
        assert outcome(workspace) == outcome(whole)
