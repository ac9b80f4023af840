"""A deal that comes again comes to processes that cannot know it: real processes that would pass it on."""

import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from referee import registry
from referee.chance import deal_key
from referee.hub.hub import Hub
from referee.hub.pairing import Finished, Pairing
from referee.hub.session import Session
from referee.process.spec import BotSpec, Level, program
from referee.replay import files
from tests.end_to_end.boxes import needs_box
from tests.end_to_end.commands import workspace_in
from tests.end_to_end.hubs import ROOT, START_MS, UNHURRIED

WHISPERER = ROOT / "tests" / "bad_bots" / "whisperer.py"


def whisperer(folder: Path, name: str, level: Level, *, fresh: bool = True) -> BotSpec:
    """Return a bot in a folder of its own."""
    own = folder / name
    own.mkdir(mode=0o755, exist_ok=True)
    shutil.copy(WHISPERER, own / "bot.py")
    return BotSpec(name, program([sys.executable, "bot.py"], own, level=level), "stdio", fresh)


def matches(bots: Sequence[str], deals: Iterable[int]) -> list[Pairing]:
    """Return matches of these deals, which may come again: each time in another rotation of the seats."""
    seen: list[int] = []
    found = []
    for deal in deals:
        turn = seen.count(deal) % len(bots)
        seen.append(deal)
        found.append(
            Pairing(
                f"d{deal}-{len(seen)}",
                registry.game("gangsters"),
                (*bots[turn:], *bots[:turn]),
                deal_key("again", str(deal)),
                UNHURRIED,
            )
        )
    return found


def known_before(
    bots: Sequence[BotSpec], pairings: Iterable[Pairing], jobs: int
) -> dict[tuple[str, str], set[int]]:
    """Play matches; return, by bot and match, the deals that the bot knew when the match began."""
    texts: list[tuple[str, str]] = []
    done: list[Finished] = []

    def on_gone(session: Session, _: str) -> None:
        texts.append((session.name, session.stderr.since(0)))

    with Hub(bots, jobs=jobs, profile=UNHURRIED, report=done.append, on_gone=on_gone) as hub:
        hub.submit(pairings)
        hub.run()
    assert {one.result.faults for one in done} == {("", "")}
    lines = [(name, line.split()) for name, text in texts for line in text.splitlines()]
    return {(name, match): set(map(int, deals)) for name, (match, *deals) in lines}


def deal_of(match: str) -> int:
    return int(match.partition("-")[0][1:])


ORDERS = {
    "the rotations of a deal at once": [0, 0, 1, 1, 2, 2],
    "all deals, then all again": [0, 1, 2, 0, 1, 2],
    "a deal that comes again and again": [0, 1, 0, 2, 0],
}


@needs_box
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("deals", ORDERS.values(), ids=ORDERS)
def test_no_process_in_a_box_knows_the_deal_when_it_comes_again(
    tmp_path: Path, deals: list[int], jobs: int
) -> None:
    tmp_path.chmod(0o755)
    bots = [whisperer(tmp_path, name, "class") for name in ("ann", "bob")]
    known = known_before(bots, matches(["ann", "bob"], deals), jobs)
    assert len(known) == 2 * len(deals)
    assert [(bot, match) for (bot, match), deals in known.items() if deal_of(match) in deals] == []
    if deals[0] != deals[1]:
        # They do whisper: what was played beside them or just before is known.
        assert any(known.values())


def test_a_bot_that_may_remember_does(tmp_path: Path) -> None:
    bots = [whisperer(tmp_path, name, "trusted", fresh=False) for name in ("ann", "bob")]
    known = known_before(bots, matches(["ann", "bob"], [0, 0]), 1)
    assert known["ann", "d0-2"] == {0}


def test_one_program_under_two_names_is_one_bot(tmp_path: Path) -> None:
    ann = whisperer(tmp_path, "ann", "trusted")
    bots = [ann, BotSpec("zoe", ann.program, "stdio", fresh=True), whisperer(tmp_path, "bob", "trusted")]
    pairings = [*matches(["ann", "bob"], [0, 1]), *matches(["zoe", "bob"], [2, 0])]
    known = known_before(bots, pairings, 1)
    assert 0 not in known["zoe", "d0-2"]


def test_a_slow_goodbye_delays_the_same_deal_and_no_other_bot(tmp_path: Path) -> None:
    names = ["ann", "bob", "cleo", "dora"]
    bots = [whisperer(tmp_path, name, "trusted") for name in names]
    again = matches(["ann", "bob"], [0, 0])
    others = matches(["cleo", "dora"], [1, 2, 3])
    done: list[Finished] = []
    begun: list[str] = []
    with Hub(bots, profile=UNHURRIED, report=done.append) as hub:
        hub.submit([*again, *others])
        while len(done) < 5:
            hub.turn()
            begun += [match for match in hub.running if match not in begun]
            if "d0-2" in hub.running and begun[-1] == "d0-2":
                left = [s for s in hub.sessions if s.name in ("ann", "bob") and not s.matches]
                assert left == []
    # The others are further behind in the queue, and play while the old processes of ann and bob linger.
    assert begun[:2] == ["d0-1", "d1-1"]


PLAN = f"""
game = "coins"
seed = "b0b5c1d2e4f6a798"
blocks = 3
jobs = 1
replays = "replays"
[clock]
hello_ms = {START_MS}
ready_ms = {START_MS}
[[bots]]
name = "first"
sample = "first"
[[bots]]
name = "random"
sample = "random"
"""

COMMANDS = {
    "play": ["play", "coins", "--bot", "first", "--bot", "random", "--deals", "3", "--replays", "replays"],
    "sprt": ["sprt", "first", "random", "--game", "coins", "--max-blocks", "3", "--replays", "replays"],
    "tournament": ["tournament", "run", "plan.toml"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_other_deals_come_between_two_matches_of_one_deal(tmp_path: Path, command: str) -> None:
    with workspace_in(tmp_path) as workspace:
        workspace.write("plan.toml", PLAN)
        workspace.run(*COMMANDS[command], "--jobs", "1")
    replays = sorted((tmp_path / "replays").glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
    deals = [files.read(path).header.deal for path in replays]
    assert len(deals) == 6
    assert deals[:3] == deals[3:]
    assert len(set(deals)) == 3
