"""Seats that choose at once: a third one learns neither who was first nor when, and every choice stands."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from protocol.messages import TimeControl
from referee import registry
from referee.chance import deal_key
from referee.game import Options
from referee.hub.event_loop import Callback, EventLoop
from referee.hub.hub import Hub
from referee.hub.pairing import Pairing
from referee.hub.reveal_timing import RevealTiming
from referee.hub.session import Session
from referee.match.clock import MS
from referee.match.result import Acted
from referee.process.spec import BotSpec, program
from referee.replay import files
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


def test_they_are_asked_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[tuple[str, int], list[str]] = {}

    def listen(session: Session) -> None:
        honest = session.transport.send

        def send(data: bytes, match: str, ask: int, now_ns: int) -> None:
            if ask:
                asked.setdefault((match, ask), []).append(session.name)
            honest(data, match, ask, now_ns)

        monkeypatch.setattr(session.transport, "send", send)

    with Hub(bots("a", "b", "c"), profile=UNHURRIED) as hub:
        hub.preflight()
        for session in hub.sessions:
            listen(session)
        hub.submit(coins(30, "a", "b", "c"))
        hub.run()
    assert {tuple(names) for names in asked.values()} == set(permutations("abc"))


class Watchful(RevealTiming):
    """Counts how often the loop looks just to stay awake, and notes for how long choices are hidden."""

    def __init__(self, loop: EventLoop, *settings: Any) -> None:
        super().__init__(loop, *settings)
        self.looks = 0
        self.hidden_ns: list[int] = []

    def doze(self) -> None:
        super().doze()
        self.looks += 1

    def later(self, show: Callback) -> None:
        since_ns = time.monotonic_ns()

        def timed() -> None:
            self.hidden_ns.append(time.monotonic_ns() - since_ns)
            show()

        super().later(timed)


@contextmanager
def watched(bots: list[BotSpec], *settings: Any) -> Iterator[tuple[Hub, Watchful]]:
    """A hub whose reveal timing is watched."""
    made: list[Watchful] = []

    def make(loop: EventLoop) -> Watchful:
        made.append(Watchful(loop, *settings))
        return made[0]

    with Hub(bots, profile=UNHURRIED, reveal_timing=make) as hub:
        yield hub, made[0]


def hiding(most_ns: int, lot: float) -> Callable[[EventLoop], RevealTiming]:
    """Return a timing that hides all choices for this share of a time."""
    return lambda loop: RevealTiming(loop, most_ns, lambda: lot)


def test_choices_stay_hidden_for_a_time_drawn_by_lot_where_a_third_seat_looks_on() -> None:
    # As long as can be, and as short: only so long that no noise of this host can be taken for it.
    for lot in (0.0, 0.999):
        for names in ("ab", "abc", "abcd"):
            with watched(bots(*names), 100 * MS, partial(float, lot)) as (hub, timing):
                hub.submit(coins(1, *names))
                hub.run()
            assert len(timing.hidden_ns) == (ROUNDS if len(names) > 2 else 0)
            if timing.hidden_ns:
                assert min(timing.hidden_ns) < 90 * MS if lot == 0 else min(timing.hidden_ns) > 90 * MS


def test_no_bot_is_charged_for_the_time_in_which_choices_are_hidden(tmp_path: Path) -> None:
    timing = hiding(300_000 * MS, 0.001)
    (finished,) = play(bots("a", "b", "c"), coins(1, "a", "b", "c"), replays=tmp_path, reveal_timing=timing)
    assert finished.replay is not None
    took_us = [entry.us for entry in files.read(finished.replay).entries if isinstance(entry, Acted)]
    assert len(took_us) == 3 * ROUNDS
    assert sorted(took_us)[len(took_us) // 2] < 150_000


def test_who_is_late_after_choices_were_hidden_beyond_the_deadline_is_found() -> None:
    script = (
        "import time\nfrom protocol.client import run\n"
        "run(lambda view, legal: legal[0] if view['turn'] == 1 else time.sleep(20), name='mute')"
    )
    mute = BotSpec("mute", program([sys.executable, "-c", script], ROOT), "stdio")
    clock = TimeControl(ready_ms=60_000, first_ms=400, move_ms=400, bank_ms=0, grace_ms=0)
    (pairing,) = coins(1, "mute", "a", "b")
    pairing = replace(
        pairing, profile=replace(UNHURRIED, clock=clock), options=pairing.options | {"rounds": 2}
    )
    (finished,) = play([mute, *bots("a", "b")], [pairing], reveal_timing=hiding(1_500 * MS, 0.999))
    assert finished.result.faults[0] == "late"


def test_the_hub_hardly_sleeps_while_they_choose_where_a_third_seat_looks_on() -> None:
    script = (
        "import time\nfrom protocol.client import run\n"
        "run(lambda view, legal: time.sleep(0.05) or legal[0], name='slow')"
    )
    slow = BotSpec("slow", program([sys.executable, "-c", script], ROOT), "stdio")
    for names in (("slow", "a"), ("slow", "a", "b")):
        with watched([slow, *bots("a", "b")]) as (hub, timing):
            hub.preflight()
            hub.submit(coins(1, *names))
            began_ns = time.monotonic_ns()
            hub.run()
            taken_ms = (time.monotonic_ns() - began_ns) / MS
        if len(names) > 2:
            # Some in each round; and one row of looks for all rounds, not one for each.
            assert 5 * ROUNDS < timing.looks <= 2 * taken_ms + 1
        else:
            assert timing.looks == 0


def test_the_hub_goes_to_sleep_when_they_think_for_long() -> None:
    with closing(EventLoop()) as loop:
        watchful = Watchful(loop)
        watchful.stay_awake(time.monotonic_ns() - 800 * MS)
        while watchful.is_awake:
            loop.turn()
        looks = watchful.looks
        loop.turn()
        assert 1 < watchful.looks == looks


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
    # In some of these it answers last, and has ended before the match handles the answer.
    for finished in play([hasty, *bots("a", "b")], coins(20, "hasty", "a", "b"), replays=tmp_path):
        assert finished.result.faults == ("crashed", "", "")
        assert finished.replay is not None
        acted = [entry for entry in files.read(finished.replay).entries if isinstance(entry, Acted)]
        assert next(entry.by for entry in acted if entry.seat == 0) == "bot"
