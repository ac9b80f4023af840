"""Accounts at a ladder share its tables: a slow account costs itself matches, and not the others."""

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from referee import registry
from tests.end_to_end.hubs import STRICT
from tests.end_to_end.keyed import Keys, Listener, Peer, serving
from tournaments.ladder import Ladder
from tournaments.store.ladders import ladder_row

CLOCK = STRICT.timed({"ready_ms": 3_000, "first_ms": 1_500, "move_ms": 1_500, "bank_ms": 0})
TABLES = 3
HONEST = [f"honest{n}" for n in range(6)]
WINDOW_S = 8.0
MARGIN = 0.6
"""Of the promised share: the window is short. A slow account begins without a debt, against a quick one."""
TURN_NS = 100_000


class Pace(NamedTuple):
    """How long an account lets others wait, and how many matches it offers to play at once."""

    ready_s: float = 0.0
    answer_s: float = 0.0
    capacity: int = 1


class Player:
    """A bot of an account that plays the first legal action, at its own pace."""

    def __init__(self, served: Listener, keys: Keys, account: str, pace: Pace) -> None:
        self.peer = Peer(served.address, keys.pairs[account], keys.server)
        self._pace = pace
        self._owed: list[tuple[float, dict[str, Any]]] = []
        self.peer.say(type="hello", protocol=[1], name=account, wants=["legal"], capacity=pace.capacity)

    def play(self) -> None:
        """Take what has come, and send what is due."""
        now_s = time.monotonic()
        while (said := self.peer.hear()) is not None:
            if said["type"] == "ping":
                self.peer.say(type="pong", n=said.get("n", 0))
            elif said["type"] == "start":
                self._owed.append((now_s + self._pace.ready_s, {"type": "ready", "match": said["match"]}))
            elif said["type"] == "ask":
                act = {"type": "act", "match": said["match"], "id": said["id"], "action": said["legal"][0]}
                self._owed.append((now_s + self._pace.answer_s, act))
        for _, message in [one for one in self._owed if one[0] <= now_s]:
            self.peer.say(**message)
        self._owed = [one for one in self._owed if one[0] > now_s]


class Scene:
    """A ladder with its honest accounts, beside slow ones."""

    def __init__(self, folder: Path, slow: int, pace: Pace, stack: ExitStack) -> None:
        folder.mkdir()
        self.slow = slow
        self._ladder = Ladder("evening", "coins", 2)
        paces = dict.fromkeys(HONEST, Pace()) | {f"slow{n}": pace for n in range(slow)}
        keys = Keys(folder, *paces)
        settings = {"jobs": TABLES, "profile": CLOCK, "choose": self._ladder.choose}
        self._served, self._done = stack.enter_context(
            serving(folder, keys, game=registry.game("coins"), **settings)
        )
        self._players = [Player(self._served, keys, account, pace) for account, pace in paces.items()]
        for player in self._players:
            stack.enter_context(player.peer)

    def arrive(self) -> bool:
        """Let accounts arrive, and begin no match; return whether all are there and may play."""
        self._served.hub.loop.turn(TURN_NS)
        for player in self._players:
            player.play()
        return sum(s.admission.measured for s in self._served.hub.sessions) == len(self._players)

    def turn(self) -> None:
        """Let the daemon and all its bots do what is due."""
        self._served.turn(TURN_NS)
        for player in self._players:
            player.play()
        for one in self._done:
            assert one.result.faults == ("", "")
            self._ladder.add(ladder_row(one, len(self._ladder.played)))
        self._done.clear()

    @property
    def honest_matches(self) -> int:
        """How many matches were played among honest accounts."""
        return sum(set(one.bots) <= set(HONEST) for one in self._ladder.played)

    @property
    def pairs(self) -> set[frozenset[str]]:
        """Which accounts have met."""
        return {frozenset(one.bots) for one in self._ladder.played}

    @property
    def other_matches(self) -> int:
        """How many matches were played with a slow account."""
        return len(self._ladder.played) - self.honest_matches


@pytest.mark.parametrize(
    "pace",
    [
        pytest.param(Pace(ready_s=2.2, capacity=256), id="late with ready"),
        pytest.param(Pace(answer_s=0.7, capacity=256), id="late with answers", marks=pytest.mark.slow),
    ],
)
def test_honest_accounts_keep_their_share_of_the_matches_beside_slow_ones(tmp_path: Path, pace: Pace) -> None:
    with ExitStack() as stack:
        scenes = [Scene(tmp_path / str(slow), slow, pace, stack) for slow in (0, 1, 3)]
        # All ladders run side by side: other work of this host slows them down alike.
        while not all(scene.arrive() for scene in scenes):
            pass
        end_s = time.monotonic() + WINDOW_S
        while time.monotonic() < end_s:
            for scene in scenes:
                scene.turn()
        control = scenes[0].honest_matches
        for scene in scenes[1:]:
            promised = len(HONEST) / (len(HONEST) + scene.slow)
            assert scene.honest_matches > MARGIN * promised * control
            # A slow account is not shut out.
            assert scene.other_matches


def test_bots_that_play_one_match_at_a_time_meet_all_others(tmp_path: Path) -> None:
    with ExitStack() as stack:
        # Six bots could fill three tables. When a match ends, its own two bots would be the only free ones.
        scene = Scene(tmp_path / "full", 0, Pace(), stack)
        while not scene.arrive():
            pass
        while len(scene.pairs) < 15 and scene.honest_matches < 400:
            scene.turn()
        assert len(scene.pairs) == 15
