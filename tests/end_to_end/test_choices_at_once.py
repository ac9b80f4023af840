"""Seats that choose at once: a third one learns neither who was first nor when, and every choice stands."""

import sys
import time
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

from protocol.messages import Ask
from referee import record, registry
from referee.chance import deal_key
from referee.clock import MS
from referee.game import Options
from referee.hub import Hub
from referee.launch import BotSpec, program
from referee.match import Sends
from referee.result import Acted
from referee.session import Session
from referee.table import Pairing, Table
from tests.end_to_end.hubs import ROOT, UNHURRIED, play, sample

ROUNDS = 6


def bots(*names: str) -> list[BotSpec]:
    return [BotSpec(name, sample("first").program, "stdio") for name in names]


def coins(count: int, *names: str) -> Iterator[Pairing]:
    """Return matches in which all seats choose at once, and nothing else happens."""
    options: Options = {"peek": "no", "rounds": ROUNDS, "hand": 2}
    for n in range(count):
        key = deal_key("at once", str(n))
        yield Pairing(f"m{n}", registry.game("coins"), names, key, UNHURRIED, options)


class AskOrder(Hub):
    """A hub that notes in which order seats are asked that are asked at once."""

    seen: set[tuple[int, ...]]

    def _deal(self, table: Table, sends: Sends) -> None:
        self.loop.flush()
        super()._deal(table, sends)
        if sum(isinstance(message, Ask) for _, message in sends) > 1:
            self.seen.add(tuple(table.seat_of(one) for one in self.loop.dirty if isinstance(one, Session)))


def test_they_are_asked_in_any_order() -> None:
    with AskOrder(bots("a", "b", "c")) as hub:
        hub.seen = set()
        hub.submit(coins(30, "a", "b", "c"))
        hub.run()
    assert hub.seen == set(permutations(range(3)))


class Holding(Hub):
    """A hub that notes for how long answers were kept from their matches, and how often it stayed awake."""

    held_ns: list[int]
    looks: int

    def _release(self, table: Table, seat: int) -> None:
        if table.held is not None and table.held[0] == seat:
            self.held_ns.append(time.monotonic_ns() - table.held[1].received_ns)
        super()._release(table, seat)

    def _stay_awake(self, table: Table) -> None:
        super()._stay_awake(table)
        self.looks += table.awake


def test_the_last_answer_is_held_for_a_time_drawn_by_lot_where_a_third_seat_looks_on() -> None:
    held_ns: dict[int, list[int]] = {}
    for names in ("ab", "abc", "abcd"):
        with Holding(bots(*names)) as hub:
            hub.held_ns, hub.looks = held_ns.setdefault(len(names), []), 0
            hub.submit(coins(5, *names))
            hub.run()
    assert {seats: len(times) for seats, times in held_ns.items()} == {2: 0, 3: 5 * ROUNDS, 4: 5 * ROUNDS}
    for times in (held_ns[3], held_ns[4]):
        assert max(times) - min(times) > 2 * MS


def test_the_hub_stays_awake_while_they_choose_where_a_third_seat_looks_on() -> None:
    script = (
        "import time\nfrom protocol.client import run\n"
        "run(lambda view, legal: time.sleep(0.05) or legal[0], name='slow')"
    )
    slow = BotSpec("slow", program([sys.executable, "-c", script], ROOT), "stdio")
    for names in (("slow", "a"), ("slow", "a", "b")):
        with Holding([slow, *bots("a", "b")]) as hub:
            hub.held_ns, hub.looks = [], 0
            hub.preflight()
            hub.submit(coins(1, *names))
            began_ns = time.monotonic_ns()
            hub.run()
            taken_ms = (time.monotonic_ns() - began_ns) / MS
        if len(names) > 2:
            # Some in each round; and one row of looks for all rounds, not one for each.
            assert 5 * ROUNDS < hub.looks <= 2 * taken_ms
        else:
            assert hub.looks == 0


def test_a_choice_stands_although_its_bot_ends_at_once(tmp_path: Path) -> None:
    script = (
        "import json, os, sys\n"
        "def say(**message):\n"
        "    print(json.dumps(message), flush=True)\n"
        "say(type='hello', protocol=[1], name='x', wants=['legal'])\n"
        "for message in map(json.loads, sys.stdin):\n"
        "    if message['type'] == 'start':\n"
        "        say(type='ready', match=message['match'])\n"
        "    elif message['type'] == 'ask':\n"
        "        say(type='act', match=message['match'], id=message['id'], action=message['legal'][-1])\n"
        "        os._exit(0)\n"
    )
    hasty = BotSpec("hasty", program([sys.executable, "-c", script], ROOT), "stdio")
    # In some of these it is the last to answer, and gone before the match has been told.
    for finished in play([hasty, *bots("a", "b")], coins(20, "hasty", "a", "b"), replays=tmp_path):
        assert finished.result.faults == ("crashed", "", "")
        assert finished.replay is not None
        acted = [entry for entry in record.read(finished.replay).entries if isinstance(entry, Acted)]
        assert next(entry.by for entry in acted if entry.seat == 0) == "bot"
