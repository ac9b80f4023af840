"""Several workers: the same results as with one, also if a worker or the organiser is killed."""

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from referee.errors import RefereeError
from referee.hub.capacity import WorkDivision
from referee.hub.pairing import Finished
from referee.process.spec import BotSpec, program
from referee.replay.dossier import read_dossier
from referee.worker.local_member import WORKER, LocalMember
from referee.worker.organiser import OrganiserHub
from tests.end_to_end.commands import Workspace, path_for_imports, workspace_in
from tests.end_to_end.hubs import BAD, ROOT, UNHURRIED, eventually, pairings, processes, sample
from tests.end_to_end.hubs import play as play_matches
from tests.end_to_end.ladders import check_replays, outcome, play, repeatable, stored, write_plan

BOTS = ["ann", "bob", "cleo", "dora"]
MATCHES = 60
"""As many as last until several workers are killed."""

BROKEN = ROOT / "tests" / "bad_bots" / "bad_worker.py"


def broken(way: str) -> tuple[str, ...]:
    return (sys.executable, str(BROKEN), way)


class Crew:
    """A hub with two workers, and what it reports."""

    def __init__(
        self,
        folder: Path,
        command: tuple[str, ...] = WORKER,
        bots: tuple[BotSpec, ...] = (),
        jobs: int = 4,
    ) -> None:
        self.done: list[Finished] = []
        self.notes: list[str] = []
        self.hub = OrganiserHub(
            bots or (sample("first"), sample("random")),
            work=WorkDivision(workers=2, jobs=jobs),
            replays=folder,
            profile=UNHURRIED,
            report=self.done.append,
            note=self.notes.append,
            start=partial(LocalMember, command=command),
        )

    @property
    def plays(self) -> dict[str, str]:
        return {one.result.match: one.play for one in self.done}

    def play(self, count: int, meanwhile: Callable[[], None] = lambda: None) -> None:
        with self.hub as hub:
            hub.submit(pairings(["first", "random"], count))
            while hub.is_busy:
                hub.turn()
                meanwhile()
            hub.check_trouble()


@pytest.fixture(scope="module")
def alone() -> dict[str, str]:
    """Return the hashes of what is played without workers."""
    return {
        one.result.match: one.play
        for one in play_matches(
            [sample("first"), sample("random")], pairings(["first", "random"], MATCHES), jobs=2
        )
    }


@pytest.mark.parametrize(
    "terms", [{"blocks": 4}, {"format": "swiss", "rounds": 3, "blocks": 2}], ids=["all", "swiss"]
)
def test_every_table_is_the_same_with_any_number_of_workers(tmp_path: Path, terms: dict[str, Any]) -> None:
    found = []
    for workers in (1, 2, 3):
        folder = tmp_path / str(workers)
        folder.mkdir()
        workspace = Workspace(folder)
        write_plan(workspace, BOTS, jobs=4, workers=workers, **terms)
        play(workspace)
        check_replays(workspace, stored(workspace))
        found.append((outcome(workspace), [repeatable(one) for one in stored(workspace)]))
    assert found[0] == found[1] == found[2]


def test_workers_killed_at_any_moment_cost_time_and_nothing_else(
    tmp_path: Path, alone: dict[str, str]
) -> None:
    crew, luck = Crew(tmp_path), random.Random("workers")
    killed: list[int] = []

    def kill() -> None:
        living = [pid for pid in processes("referee.worker") if pid not in killed and _is_child(pid)]
        if living and len(killed) < 4 and luck.random() < 0.3 and len(crew.done) >= len(killed):
            killed.append(luck.choice(living))
            os.kill(killed[-1], signal.SIGKILL)

    crew.play(MATCHES, kill)
    assert crew.plays == alone
    assert len(killed) == 4
    assert sum("ended by signal 9" in note for note in crew.notes) >= 1
    assert eventually(lambda: not [pid for pid in processes("referee.worker") if _is_child(pid)])


def test_a_worker_that_can_start_no_bots_any_more_is_replaced(tmp_path: Path, alone: dict[str, str]) -> None:
    crew, killed = Crew(tmp_path), list[int]()

    def kill() -> None:
        if len(crew.done) > 4 and not killed:
            (worker, *_) = (pid for pid in processes("referee.worker") if _is_child(pid))
            (forkserver,) = Path(f"/proc/{worker}/task/{worker}/children").read_text().split()
            killed.append(int(forkserver))
            os.kill(killed[-1], signal.SIGKILL)

    crew.play(MATCHES, kill)
    assert crew.plays == alone
    (note,) = crew.notes
    assert "a worker failed: the process from which the referee starts bots has ended" in note


def test_a_worker_that_hangs_does_not_hold_up_a_run_that_is_abandoned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.worker.organiser._LAST_NS", 200_000_000)
    crew, workers = Crew(tmp_path, jobs=16), list[int]()

    def stop() -> None:
        if not workers:
            workers.extend(pid for pid in processes("referee.worker") if _is_child(pid))
        if crew.done and not crew.hub.draining:
            os.kill(workers[0], signal.SIGSTOP)
            crew.hub.abandon("enough")

    crew.play(MATCHES, stop)
    assert len(crew.done) < MATCHES
    assert eventually(lambda: not [pid for pid in processes("referee.worker") if _is_child(pid)])


def _is_child(pid: int) -> bool:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) == os.getpid()
    except OSError:
        return False


def test_a_result_that_comes_twice_counts_once(tmp_path: Path, alone: dict[str, str]) -> None:
    crew = Crew(tmp_path, broken("twice"))
    crew.play(MATCHES)
    assert crew.plays == alone
    assert len(crew.done) == MATCHES
    assert any("came a second time" in note for note in crew.notes)


@pytest.mark.parametrize(("way", "why"), [("other-cards", "other cards"), ("other-match", "another match")])
def test_what_was_not_ordered_is_not_taken(tmp_path: Path, way: str, why: str) -> None:
    crew = Crew(tmp_path, broken(way))
    with pytest.raises(RefereeError, match="workers have ended"):
        crew.play(24)
    assert any(why in note for note in crew.notes)
    assert not [one for one in crew.done if not one.result.void and way == "other-cards"]


def test_a_match_that_ends_its_worker_again_and_again_is_void_and_the_others_are_played(
    tmp_path: Path, alone: dict[str, str]
) -> None:
    crew = Crew(tmp_path, broken("dies-of-deal"))
    crew.play(MATCHES)
    void = [one.result for one in crew.done if one.result.void]
    assert [one.match for one in void] == ["m3"]
    assert "2 workers ended while it was played" in void[0].reason
    counts = crew.hub.counts
    assert counts.submitted == counts.begun, "a match that is played again is counted as waiting until then"
    assert {match: play for match, play in crew.plays.items() if match != "m3"} == {
        match: play for match, play in alone.items() if match != "m3"
    }


def test_a_worker_with_other_code_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefereeError, match="code of the referee was changed"):
        Crew(tmp_path, broken("other-code")).play(24)


def test_bots_at_the_workers_are_counted_while_they_play(tmp_path: Path) -> None:
    crew, seen = Crew(tmp_path), set[int]()

    def look() -> None:
        seen.add(crew.hub.connected)
        if 8 in seen:
            crew.hub.drain()

    # On a busy host it may take a while until a look meets four matches at once.
    crew.play(400, look)
    assert max(seen) == 8, "four matches at once"
    assert crew.hub.connected == 0


def test_another_thread_may_look_at_what_workers_play(tmp_path: Path) -> None:
    crew, wrong, over = Crew(tmp_path, jobs=16), list[Exception](), Event()

    def look() -> None:
        while not over.is_set():
            try:
                # As the thread of the metrics does.
                assert crew.hub.connected >= 0
            except RuntimeError as error:
                wrong.append(error)

    looking, interval = Thread(target=look), sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    looking.start()
    try:
        crew.play(MATCHES)
    finally:
        over.set()
        looking.join()
        sys.setswitchinterval(interval)
    assert not wrong


def test_faults_in_workers_are_explained_as_elsewhere(tmp_path: Path) -> None:
    exits = BotSpec("first", program([sys.executable, str(BAD), "exits"]), "stdio")
    crew = Crew(tmp_path, bots=(exits, sample("random")))
    crew.play(4)
    assert {one.result.faults for one in crew.done} == {("crashed", ""), ("", "crashed")}
    for one in crew.done:
        seat = read_dossier(tmp_path / f"{one.result.match}.dossier.json").seats[
            one.pairing.bots.index("first")
        ]
        assert "out of ideas" in seat.stderr


def has_more_than(count: int, workspace: Workspace) -> bool:
    return len(stored(workspace)) > count


def test_an_organiser_that_is_killed_leaves_nothing_and_its_run_goes_on(tmp_path: Path) -> None:
    whole, halves = tmp_path / "whole", tmp_path / "halves"
    whole.mkdir()
    halves.mkdir()
    terms: dict[str, Any] = {"blocks": 40, "jobs": 4}
    write_plan(Workspace(whole), BOTS, **terms)
    play(Workspace(whole))
    with workspace_in(halves) as workspace:
        write_plan(workspace, BOTS, **terms)
        for wanted in (5, 40):
            running = workspace.start("tournament", "run", "spring.toml", "--workers", "2")
            assert eventually(partial(has_more_than, wanted, workspace))
            running.process.kill()
            running.end()
            assert eventually(lambda: not processes(str(workspace.folder)))
        assert 0 < len(stored(workspace)) < 480
        ended = workspace.run("tournament", "run", "spring.toml", "--workers", "2")
        assert ended.code == 0, ended.err
        assert outcome(workspace) == outcome(Workspace(whole))


def test_ctrl_c_lets_the_matches_of_all_workers_end(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as workspace:
        write_plan(workspace, BOTS, blocks=40, jobs=4, workers=2)
        running = workspace.start("tournament", "run", "spring.toml")
        assert eventually(lambda: len(stored(workspace)) > 3)
        running.signal()
        ended = running.end()
        assert ended.code == 130, ended.err
        assert "stopping" in ended.err
        there = len(stored(workspace))
        assert 3 < there < 480
        check_replays(workspace, stored(workspace))
        assert f"kept in the store: {there} matches" in ended.err
        assert eventually(lambda: not processes(str(workspace.folder)))


PLAY = ("play", "coins", "--bot", "first", "--bot", "random", "--deals", "6", "--seed", "w")
SPRT = ("sprt", "first", "again=first", "--game", "coins", "--seed", "w", "--elo1", "60")
MEASURED = ("charged_ms", "took_us", "median_us", "slowest_us")


def test_sprt_and_play_come_to_the_same_with_workers(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as workspace:
        tables, scores = [], []
        for workers in ("1", "2"):
            crew = ("--jobs", "8", "--workers", workers, "--json", "--replays", workers)
            played, tested = workspace.run(*PLAY, *crew), workspace.run(*SPRT, *crew)
            assert played.code == 0, played.err
            lines = json.loads(played.out)["table"]
            tables.append([{k: v for k, v in line.items() if k not in MEASURED} for line in lines])
            verdict = json.loads(tested.out)
            scores.append((tested.code, verdict | {"replays": "", "took_s": 0}))
        assert tables[0] == tables[1]
        assert scores[0] == scores[1]


def test_people_do_not_play_with_workers(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as workspace:
        refused = workspace.run("play", "coins", "--bot", "human", "--bot", "random", "--workers", "2")
        assert refused.code == 2
        assert "--workers is for bots that are started here" in refused.err


LAUNCHER = """
import subprocess, sys
subprocess.run([sys.executable, "-m", "referee", "--die-with-parent", *sys.argv[1:]])
"""


def test_a_command_ends_if_its_launcher_was_gone_before_it_could_look(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "referee", "--die-with-parent", "games"]
    # The shell ends at once, so that its child has another parent.
    launched = subprocess.run(
        ["sh", "-c", '"$@" & exit 0', "sh", *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path_for_imports()},
        start_new_session=True,
        capture_output=True,
        text=True,
    )
    assert launched.stdout == ""
    assert launched.stderr == "referee: the process that started this command has ended, so it ends too\n"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_command_ends_with_its_launcher_if_it_is_asked_to(tmp_path: Path, workers: str) -> None:
    with workspace_in(tmp_path) as workspace:
        write_plan(workspace, BOTS, blocks=200, jobs=2)
        words = ("tournament", "run", "spring.toml", "--quiet", "--workers", workers)
        launcher = subprocess.Popen(
            [sys.executable, "-c", LAUNCHER, *words],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": path_for_imports(), "MARK": str(tmp_path)},
            stderr=subprocess.DEVNULL,
        )
        assert eventually(partial(has_more_than, 2, workspace))
        launcher.kill()
        launcher.wait()
        assert eventually(lambda: not processes(str(tmp_path)))
        there = stored(workspace)
        check_replays(workspace, there)
        assert 2 < len(there) < 2_400
