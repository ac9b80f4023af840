"""Bots that do not start, that change, or that come late: events go on, and results are not mixed."""

import csv
import io
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from referee.errors import LaunchError
from tests.end_to_end.boxes import needs_box
from tests.end_to_end.commands import Workspace, workspace_in
from tests.end_to_end.hubs import ROOT
from tests.end_to_end.ladders import Ear, said, stored, write_plan
from tournaments.audit.store_audit import audit_store
from tournaments.config.plan import Plan, load
from tournaments.report.results_so_far import results_of
from tournaments.results import Played
from tournaments.runner import Ran, TournamentRunner
from tournaments.site.events import event_of
from tournaments.site.pages import render_page
from tournaments.store.errors import StoreError
from tournaments.store.store import Store

FIRST = "from protocol.client import run\nrun(lambda view, legal: legal[0])\n"
LAST = "from protocol.client import run\nrun(lambda view, legal: legal[-1])\n"
CRASHING = "import sys\nsys.exit('my book of openings is in /home/ann/secret')\n"
CHESS = "from protocol.client import run\nrun(lambda view, legal: legal[0], games=['chess'])\n"
GHOST = '[[bots]]\nname = "ghost"\ncommand = "./nowhere --key k3y"\n'


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        yield workspace


def bot(workspace: Workspace, name: str, source: str) -> str:
    """Write a bot in Python, and return its table in the tournament file."""
    workspace.write(f"{name}.py", source)
    command = json.dumps([sys.executable, f"{name}.py"])
    return f'[[bots]]\nname = "{name}"\ncommand = {command}\nenv = {{ PYTHONPATH = "{ROOT}" }}\n'


class Notes(Ear):
    """Listens to a runner that has something to say."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.said: list[str] = []

    def note(self, text: str) -> None:
        self.said.append(text)


def played(workspace: Workspace, *, reads_again: bool = False) -> tuple[Ran, str]:
    """Run the tournament in process, and return what came of it and what was said."""
    file = workspace.folder / "spring.toml"
    plan = load(file)
    with Store(plan.store) as store:
        heard = Notes(store)
        again = (lambda: load(file)) if reads_again else None
        ran = TournamentRunner(plan, store, heard, read_again=again).run()
    assert heard.voids == []
    return ran, "\n".join(heard.said)


def check_readers_agree(workspace: Workspace) -> list[Played]:
    """See that all readers count the same results, and that nothing is wrong with them; return these."""
    file = workspace.folder / "spring.toml"
    counted = results_of(file)
    status = json.loads(said(workspace, "status", "--json"))
    event = event_of(file)
    lines = said(workspace, "export").splitlines()[1:]
    assert len(counted.played) == status["played"] == len(event.played) == counted.standings.matches
    assert [one.match for one in counted.played] == [one.match for one in event.played]
    assert {line.split(",")[0] for line in lines} == {one.match for one in counted.played}
    assert status["left_out"] == counted.standings.left_out == event.standings.left_out
    assert status["versions"] == counted.standings.versions == event.standings.versions
    plan = load(file)
    assert list(audit_store(plan.store, plan).flaws) == []
    return counted.played


def ids(rows: Sequence[Played], *, of: str = "") -> set[str]:
    return {row.match for row in rows if not of or of in row.bots}


# Bots that do not start.


def test_an_event_is_played_without_the_bots_that_do_not_start_and_says_so(workspace: Workspace) -> None:
    broken = bot(workspace, "crash", CRASHING) + bot(workspace, "chess", CHESS) + GHOST
    write_plan(workspace, ["ann", "bob", "cleo"], extra=broken, blocks=1)
    ended = workspace.run("tournament", "run", "spring.toml", "--html", "spring.html", "--site", "site")
    assert ended.code == 0
    assert "3 of 6 bots do not start and are left out:" in ended.err
    # All at once, each with what its author needs.
    assert "bot ghost: cannot start './nowhere --key k3y'" in ended.err
    assert "crash.py) did not start: crashed: exited with code 1" in ended.err
    assert "    my book of openings is in /home/ann/secret" in ended.err
    assert "bot chess does not play coins; it plays chess" in ended.err
    assert "left out: crash, chess, ghost; to see why" in ended.err
    reasons = {
        "crash": "does not start: its process ended before its hello",
        "chess": "does not start: it does not play coins",
        "ghost": "does not start: its program or its folder cannot be used",
    }
    for name, why in reasons.items():
        assert f"Left out: {name}: {why}." in ended.out
    status = json.loads(said(workspace, "status", "--json"))
    assert (status["bots"], status["left_out"], status["complete"]) == (["ann", "bob", "cleo"], reasons, True)
    assert len(check_readers_agree(workspace)) == 6
    table = csv.DictReader(io.StringIO(said(workspace, "export", "--table")))
    assert {line["bot"]: line["left_out"] for line in table if line["left_out"]} == reasons
    public = (workspace.folder / "spring.html").read_text()
    for page in (workspace.folder / "site").rglob("*.*"):
        if page.suffix in (".html", ".json", ".csv"):
            public += page.read_text()
    assert "its process ended before its hello" in (workspace.folder / "site" / "index.html").read_text()
    assert "its process ended before its hello" in (workspace.folder / "spring.html").read_text()
    # What a bot wrote and how it is started is for the organiser alone.
    assert "my book" not in public
    assert "k3y" not in public
    assert "crash.py" not in public


def test_a_mended_bot_plays_what_it_lacks(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob"], extra=bot(workspace, "mine", CRASHING), blocks=1)
    played(workspace)
    before = check_readers_agree(workspace)
    # Nothing is left to play, and the bot is still broken.
    ran, heard = played(workspace)
    assert (ran.played, "mine" in heard) == (0, True)
    workspace.write("mine.py", FIRST)
    ran, heard = played(workspace)
    assert (ran.played, heard, ran.left_out) == (4, "", {})
    after = check_readers_agree(workspace)
    assert ids(before) < ids(after)
    assert ids(after) - ids(before) == ids(after, of="mine")
    assert json.loads(said(workspace, "status", "--json"))["versions"] == {}


def test_a_bot_that_breaks_between_two_runs_keeps_its_results_and_plays_no_more(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob"], extra=bot(workspace, "mine", FIRST), blocks=1)
    played(workspace)
    before = stored(workspace)
    workspace.write("mine.py", CRASHING)
    write_plan(workspace, ["ann", "bob"], extra=bot(workspace, "mine", CRASHING), blocks=2)
    ran, heard = played(workspace)
    assert ran.played == 2
    assert "1 of 3 bots does not start and is left out:" in heard
    counted = check_readers_agree(workspace)
    assert ids(before) < ids(counted)
    assert json.loads(said(workspace, "status", "--json"))["complete"]
    workspace.write("mine.py", FIRST)
    assert played(workspace)[0].played == 4
    assert len(check_readers_agree(workspace)) == 12


def test_a_mended_bot_changes_no_pool_of_the_others(workspace: Workspace) -> None:
    extra = "".join(bot(workspace, name, CRASHING if name == "b" else FIRST) for name in "abcdef")
    write_plan(workspace, [], extra=extra, blocks=1, pools=2)
    played(workspace)
    before = check_readers_agree(workspace)
    assert len(before) == 8, "three bots meet in one pool, and two in the other"
    workspace.write("b.py", FIRST)
    assert played(workspace)[0].played == 4
    assert ids(before) < ids(check_readers_agree(workspace))


@pytest.mark.parametrize(
    ("terms", "said_of_it"),
    [
        ({"broken": "stop"}, 'broken = "stop" lets nothing be played'),
        ({"seats": 4}, "a match has 4 seats: nothing can be played"),
        ({"format": "gauntlet", "hero": "mine"}, "mine is the bot that meets all others"),
    ],
)
def test_a_start_that_fails_reports_all_bots_and_leaves_nothing(
    workspace: Workspace, terms: dict[str, Any], said_of_it: str
) -> None:
    write_plan(workspace, ["ann", "bob", "cleo"], extra=bot(workspace, "mine", CRASHING) + GHOST, **terms)
    before = sorted(workspace.folder.iterdir())
    with pytest.raises(LaunchError) as refusal:
        played(workspace)
    assert f"2 of 5 bots do not start, and {said_of_it}" in str(refusal.value)
    assert "bot ghost: cannot start" in str(refusal.value)
    assert "my book of openings" in str(refusal.value)
    assert sorted(workspace.folder.iterdir()) == before


def test_an_anchor_that_does_not_start_is_named_and_the_event_goes_on(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob"], extra=bot(workspace, "mine", CRASHING), anchor="mine", blocks=1)
    _, heard = played(workspace)
    assert "the anchor mine is left out: the mean of the bots is 1500" in heard
    assert json.loads(said(workspace, "standings", "--json"))["standings"]["anchor"] is None


def test_bots_that_forfeit_lose_every_match_at_once(workspace: Workspace) -> None:
    extra = bot(workspace, "mine", "import time\ntime.sleep(99)\n") + GHOST + "[clock]\nhello_ms = 5000\n"
    write_plan(workspace, ["ann"], extra=extra, blocks=3, broken="forfeit")
    text = (workspace.folder / "spring.toml").read_text()
    (workspace.folder / "spring.toml").write_text(
        re.sub(r"\[clock\]\nhello_ms = \d+\nready.*\n", "", text, count=1)
    )
    ran, heard = played(workspace)
    assert "2 of 3 bots do not start and lose their matches:" in heard
    assert (ran.played, ran.left_out) == (18, {})
    for one in check_readers_agree(workspace):
        ranks = dict(zip(one.bots, one.result.ranks, strict=True))
        faults = dict(zip(one.bots, one.result.faults, strict=True))
        assert {faults.get("mine", "no-hello"), faults.get("ghost", "crashed")} == {"no-hello", "crashed"}
        if "ann" in ranks:
            assert ranks["ann"] == 1
        else:
            assert set(ranks.values()) == {1}, "neither beats the other"
    # What did not start was another program: the mended one plays anew.
    workspace.write("mine.py", FIRST)
    ran, heard = played(workspace)
    assert ran.played == 12
    assert "bot mine has changed: it is version 2" in heard
    now = [one.result.faults for one in check_readers_agree(workspace) if set(one.bots) == {"ann", "mine"}]
    assert now == [("", "")] * 6


def test_a_bot_that_breaks_during_a_run_stops_nothing(workspace: Workspace) -> None:
    once = (
        "import os\nfrom protocol.client import run\nos.unlink(__file__)\nrun(lambda view, legal: legal[0])\n"
    )
    again = "import os, sys\nif os.path.exists('been'): sys.exit(5)\nopen('been', 'w')\n" + FIRST
    extra = bot(workspace, "gone", once) + bot(workspace, "dies", again)
    write_plan(workspace, ["ann"], extra=extra, blocks=2, fresh=True, jobs=2)
    ran, heard = played(workspace)
    assert (ran.played, ran.left, heard) == (12, 0, "")
    lost = {bot for one in stored(workspace) for bot, seat in one.seats() if seat.fault == "crashed"}
    assert lost == {"gone", "dies"}


@needs_box
def test_all_failures_of_a_class_are_reported_by_check_and_no_file_is_written(workspace: Workspace) -> None:
    for name in ("mine", "fifo"):
        (workspace.folder / name).mkdir()
    (workspace.folder / "fifo" / "bot.py").write_text(FIRST)
    (workspace.folder / "fifo" / "out").symlink_to("/etc/shadow")
    (workspace.folder / "mine" / "bot.py").write_text(CRASHING)
    extra = "".join(
        f'[[bots]]\nname = "{name}"\ncommand = "python3 bot.py"\nfolder = "{folder}"\n'
        for name, folder in (("mine", "mine"), ("fifo", "fifo"), ("open", "."), ("none", "nowhere"))
    )
    write_plan(workspace, [], extra=extra, level="class")
    before = sorted(workspace.folder.rglob("*"))
    ended = workspace.run("tournament", "check", "spring.toml", "--start", "--json")
    assert ended.code == 1, ended.err
    bots = {one["name"]: one for one in json.loads(ended.out)["bots"]}
    assert [one["starts"] for one in bots.values()] == [False] * 4
    assert "my book of openings" in bots["mine"]["stderr"]
    assert "it is a link to" in bots["fifo"]["message"]
    assert "it can read all of its folder" in bots["open"]["message"]
    assert "does not exist" in bots["none"]["message"]
    there = [path for path in sorted(workspace.folder.rglob("*")) if not path.name.startswith("other-")]
    assert there == before


def test_check_prints_a_table_of_all_bots(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob"], extra=bot(workspace, "mine", CRASHING) + GHOST)
    ended = workspace.run("tournament", "check", "spring.toml", "--start")
    assert ended.code == 1
    assert re.search(r"ann +starts\n", ended.out)
    assert re.search(r"mine +does not start +its process ended before its hello\n", ended.out)
    assert "    my book of openings is in /home/ann/secret\n" in ended.out
    assert "2 of 4 bots cannot play: `run` leaves them out.\n" in ended.out
    write_plan(workspace, ["ann", "bob"])
    ended = workspace.run("tournament", "check", "spring.toml", "--start")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "All bots start.")


# Versions.


def test_a_changed_bot_is_another_version_and_nothing_else_is_played_again(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob"], extra=bot(workspace, "mine", FIRST), blocks=2)
    played(workspace)
    first = check_readers_agree(workspace)
    workspace.write("mine.py", LAST)
    ran, heard = played(workspace)
    assert heard == "bot mine has changed: it is version 2, and plays its matches anew"
    assert ran.played == 8
    second = check_readers_agree(workspace)
    assert len(second) == 12
    # What others played stays; no match and no deal of the earlier version comes again.
    assert ids(first) - ids(first, of="mine") == ids(second) - ids(second, of="mine")
    assert not ids(first, of="mine") & ids(second)
    deals = [{row.deal for row in rows if "mine" in row.bots} for rows in (first, second)]
    assert not deals[0] & deals[1]
    lines = json.loads(said(workspace, "versions", "--bot", "mine", "--json"))
    assert [(line["version"], line["matches"], line["counts"]) for line in lines] == [
        (1, 8, False),
        (2, 8, True),
    ]
    assert len(said(workspace, "export", "--all").splitlines()) == 1 + 2 * 20
    page = render_page(event_of(workspace.folder / "spring.toml"), "bots/mine.html")
    assert "Version 2." in page
    # The earlier program is the earlier version again, with its results.
    workspace.write("mine.py", FIRST)
    ran, heard = played(workspace)
    assert heard == "bot mine is version 1 again: its results of then count, and no later ones"
    assert ran.played == 0
    assert ids(check_readers_agree(workspace)) == ids(first)


def test_a_killed_run_of_a_changed_bot_goes_on_as_the_same_version(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob"], extra=bot(workspace, "mine", FIRST), blocks=1)
    played(workspace)
    write_plan(workspace, ["ann", "bob"], extra=bot(workspace, "mine", LAST), blocks=60)
    command = workspace.start("tournament", "run", "spring.toml")
    command.wait_for("matches, ")
    command.process.kill()
    command.end()
    killed = check_readers_agree(workspace)
    assert json.loads(said(workspace, "status", "--json"))["versions"] == {"mine": 2}
    write_plan(workspace, ["ann", "bob"], extra=bot(workspace, "mine", LAST), blocks=2)
    _, heard = played(workspace)
    assert "version" not in heard
    after = check_readers_agree(workspace)
    assert len(after) == 12
    assert {one.match for one in killed} <= {one.match for one in stored(workspace)}


def test_a_bot_beside_others_does_not_change_with_them(workspace: Workspace) -> None:
    mine = bot(workspace, "mine", FIRST)
    write_plan(workspace, ["ann"], extra=mine, blocks=1)
    played(workspace)
    write_plan(workspace, ["ann"], extra=mine + bot(workspace, "yours", LAST), blocks=1)
    ran, heard = played(workspace)
    assert (ran.played, heard) == (4, "")
    workspace.write("yours.py", FIRST)
    assert played(workspace)[1] == "bot yours has changed: it is version 2, and plays its matches anew"


def test_common_deals_may_be_known_to_the_author_of_a_new_version(workspace: Workspace) -> None:
    write_plan(workspace, ["ann"], extra=bot(workspace, "mine", FIRST), blocks=1, common_deals=True)
    played(workspace)
    workspace.write("mine.py", LAST)
    _, heard = played(workspace)
    assert "with common_deals version 2 of mine gets deals that its author may have seen" in heard
    assert len(check_readers_agree(workspace)) == 2


# Tournaments in rounds.


@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_the_field_of_a_tournament_in_rounds_is_that_of_its_first_match(
    workspace: Workspace, form: str
) -> None:
    extra = bot(workspace, "mine", CRASHING) + bot(workspace, "yours", FIRST)
    rounds = {"rounds": 2} if form == "swiss" else {}
    write_plan(workspace, ["ann", "bob"], extra=extra, format=form, blocks=1, next_event="in May", **rounds)
    ran, heard = played(workspace)
    assert "1 of 4 bots does not start and is left out:" in heard
    assert "takes no bots after its first match" not in heard, "it was not too late, it is broken"
    first = check_readers_agree(workspace)
    assert {bot for one in first for bot in one.bots} == {"ann", "bob", "yours"}
    workspace.write("mine.py", FIRST)
    ran, heard = played(workspace)
    assert (ran.played, check_readers_agree(workspace)) == (0, first)
    assert heard.startswith("bot mine does not play: spring has begun, and a ")
    assert heard.endswith("the next event starts in May")


SWISS: dict[str, Any] = {"format": "swiss", "blocks": 1, "rounds": 3}


def begun_swiss(workspace: Workspace) -> set[str]:
    """Play the first round of a Swiss tournament, and return the ids of its matches."""
    write_plan(workspace, ["ann", "bob", "cleo"], extra=bot(workspace, "mine", FIRST), **SWISS)
    plan = load(workspace.folder / "spring.toml")

    class StopsAfterOne(Notes):
        def expects(self, total: int) -> None:
            if self.heard:
                raise KeyboardInterrupt

    with Store(plan.store) as store, pytest.raises(KeyboardInterrupt):
        TournamentRunner(plan, store, StopsAfterOne(store)).run()
    return ids(stored(workspace))


def test_a_bot_that_the_organiser_leaves_out_of_a_swiss_loses_its_later_matches(workspace: Workspace) -> None:
    before = begun_swiss(workspace)
    assert workspace.run("entries", "leave-out", "spring.toml", "mine").code == 0
    ran, heard = played(workspace)
    assert (ran.left, ran.void) == (0, {})
    assert "1 of 4 bots does not start and loses its matches:" in heard
    assert "bot mine: it is no longer in the event" in heard
    later = [row for row in stored(workspace) if row.match not in before and "mine" in row.bots]
    assert later
    assert all(row.result.seats[row.bots.index("mine")].fault for row in later)
    check_readers_agree(workspace)


def test_a_swiss_goes_on_with_a_bot_that_broke_and_with_no_other_program_and_no_other_bots(
    workspace: Workspace,
) -> None:
    terms = SWISS
    before = begun_swiss(workspace)
    mine = bot(workspace, "mine", FIRST)
    assert before
    workspace.write("mine.py", LAST)
    with pytest.raises(StoreError, match="bot mine has changed since the first match of this swiss"):
        played(workspace)
    write_plan(workspace, ["ann", "bob", "cleo"], **terms)
    with pytest.raises(StoreError, match=r"spring.toml: mine is missing, but a swiss is played to its end"):
        played(workspace)
    assert ids(stored(workspace)) == before
    assert ids(check_readers_agree(workspace)) == before
    write_plan(workspace, ["ann", "bob", "cleo"], extra=mine, **terms)
    workspace.write("mine.py", CRASHING)
    ran, heard = played(workspace)
    assert "1 of 4 bots does not start and loses its matches:" in heard
    assert ran.left == 0
    after = check_readers_agree(workspace)
    assert len(after) == 12
    lost = {one.match for one in after if "crashed" in one.result.faults}
    assert lost == ids([one for one in after if one.match not in before], of="mine")


# Bots that come during a run.


ADDING = """
import pathlib
from protocol.client import run
plan = pathlib.Path("spring.toml")
def choose(view, legal):
    text = plan.read_text()
    if "late" not in text:
        plan.write_text(text + '[[bots]]\\nname = "late"\\nsample = "random"\\n')
    return legal[0]
run(choose)
"""


def test_a_bot_that_is_added_during_a_run_plays_in_the_same_run(workspace: Workspace) -> None:
    write_plan(workspace, ["ann"], extra=bot(workspace, "adds", ADDING), blocks=1)
    ended = workspace.run("tournament", "run", "spring.toml")
    assert ended.code == 0, ended.err
    assert len(check_readers_agree(workspace)) == 6
    assert "late" in ended.out


def test_a_bot_that_comes_during_a_swiss_reads_when_the_next_event_starts(workspace: Workspace) -> None:
    extra = bot(workspace, "adds", ADDING)
    write_plan(workspace, ["ann"], extra=extra, blocks=1, format="swiss", rounds=2, next_event="in May")
    ran, heard = played(workspace, reads_again=True)
    assert (ran.played, ran.left) == (4, 0)
    late = "spring has begun, and a swiss takes no bots after its first match: the next event starts in May"
    assert heard == f"bot late does not play: {late}"
    check_readers_agree(workspace)


def test_a_bot_that_changes_during_a_run_plays_in_the_same_run_and_a_broken_file_stops_nothing(
    workspace: Workspace,
) -> None:
    file = workspace.folder / "spring.toml"
    write_plan(workspace, ["ann"], extra=bot(workspace, "mine", FIRST), blocks=1)
    good = file.read_text()
    plan, turns = load(file), iter(range(9))

    def again() -> Plan:
        turn = next(turns)
        workspace.write("mine.py", LAST)
        file.write_text("blocks = many" if turn == 1 else good)
        return load(file)

    with Store(plan.store) as store:
        heard = Notes(store)
        ran = TournamentRunner(plan, store, heard, read_again=again).run()
    assert ran.played == 4
    changed, broken = heard.said
    assert changed == "bot mine has changed: it is version 2, and plays its matches anew"
    assert "spring.toml was read again, and is not played as it is now:" in broken
    file.write_text(good)
    assert len(check_readers_agree(workspace)) == 2


def test_a_bot_that_is_taken_out_of_the_file_leaves_the_table_and_its_rows_stay(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob", "cleo"], blocks=1)
    played(workspace)
    write_plan(workspace, ["ann", "bob"], blocks=1)
    assert played(workspace)[0].played == 0
    assert len(check_readers_agree(workspace)) == 2
    assert len(stored(workspace)) == 6
