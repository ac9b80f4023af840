"""A person's seat without I/O: lines of the protocol in, the state of the page out."""

import json
import random
from typing import Any

import pytest

from protocol.codec import Encoding, encode
from protocol.messages import (
    Act,
    Ask,
    AskClock,
    Bye,
    End,
    Error,
    Hello,
    Message,
    Ping,
    Pong,
    Ready,
    Start,
    TimeControl,
)
from protocol.untrusted import from_bot
from referee import registry
from referee.game import Game
from referee.match.faults import PROFILES
from referee.match.match import Match, Sends
from referee.match.seat import SeatConfig
from tournaments.live.seat_session import NotNowError, SeatSession

CLOCK = TimeControl(1_000, 1_000, 1_000, 5_000, 50)
START = Start("m", "coins", {}, 0, 2, ["Ann", "Bob\x1b"], CLOCK, "")


def line(message: Message) -> bytes:
    return encode(message, Encoding.JSON)


def session_in_match(*, timed: bool = False) -> SeatSession:
    session = SeatSession("Ann", timed=timed)
    session.greet()
    session.hear(line(START), 0)
    return session


def asked(session: SeatSession, number: int = 1, now_ms: int = 0) -> None:
    ask = Ask("m", number, AskClock(1_000, 5_000, 50), [], None, ["pass", "peek 1"])
    session.hear(line(ask), now_ms)


def now_of(session: SeatSession, now_ms: int = 0, **called: str) -> dict[str, Any]:
    now = session.state(called, now_ms)["now"]
    assert isinstance(now, dict)
    return now


class Table:
    """A match of the real engine, with a person's session in one seat."""

    def __init__(self, game: Game, key: bytes, seat: int = 0) -> None:
        self.seat = seat
        self.session = SeatSession("bot0", timed=False)
        hello = from_bot(self.session.greet())
        assert isinstance(hello, Hello)
        wants = frozenset(str(want) for want in hello.wants)
        seats = [SeatConfig(f"bot{number}", wants) for number in range(game.info.least_seats)]
        self.match = Match("m", game, seats, key, PROFILES["strict"], game.resolve(None, len(seats)))
        self.asks: dict[int, int] = {}
        self.take(self.match.begin(0))
        for number in range(len(seats)):
            self.take(self.match.ready(number, 0))

    def take(self, sends: Sends) -> None:
        for seat, message in sends:
            if seat == self.seat:
                self.session.hear(line(message), 0)
            if isinstance(message, Ask):
                self.asks[seat] = message.id

    def play(self, luck: random.Random, most: int) -> int:
        """Play on, and check each time that the page has what the seat may see; return the decisions."""
        decisions = 0
        while self.match.result is None and decisions < most:
            for seat in tuple(self.match.state.to_act()):
                action = luck.choice(self.match.state.legal(seat))
                if seat == self.seat:
                    self.check_question()
                    sent = from_bot(self.session.act("m", self.asks[seat], action))
                    assert sent == Act("m", self.asks[seat], action)
                    decisions += 1
                self.take(self.match.act(seat, self.asks[seat], [action], 0, 0))
                self.take(self.match.show(0))
        return decisions

    def check_question(self) -> None:
        now = now_of(self.session)
        assert now["phase"] == "decide"
        shown = {name: value for name, value in now["view"].items() if name != "text"}
        assert json.loads(json.dumps(shown)) == json.loads(json.dumps(self.match.state.view(self.seat)))
        assert [action for action, _ in now["ask"]["legal"]] == self.match.state.legal(self.seat)


@pytest.mark.parametrize("id_", registry.ids())
def test_a_page_shows_what_its_seat_may_see_through_a_whole_match(id_: str) -> None:
    table = Table(registry.game(id_), bytes(32))
    assert table.play(random.Random(4), 60)
    state = json.dumps(table.session.state({}, 0))
    if table.match.result is not None:
        assert table.session.state({}, 0)["last"]["phase"] == "over"
    else:
        assert bytes(32).hex() not in state


@pytest.mark.parametrize("id_", registry.ids())
def test_the_state_is_a_function_of_the_lines(id_: str) -> None:
    first, second = (Table(registry.game(id_), bytes(32)) for _ in range(2))
    for table in (first, second):
        table.play(random.Random(9), 12)
    assert json.dumps(first.session.state({}, 7)) == json.dumps(second.session.state({}, 7))


def test_a_session_greets_is_ready_and_answers_pings() -> None:
    session = SeatSession("Ann", timed=False)
    hello = from_bot(session.greet())
    assert isinstance(hello, Hello)
    assert (hello.name, hello.kit) == ("Ann", "browser")
    assert from_bot(session.hear(line(START), 0)) == Ready("m")
    assert from_bot(session.hear(line(Ping(3)), 0)) == Pong(3)


def test_a_person_with_a_real_clock_says_when_to_begin() -> None:
    session = session_in_match(timed=True)
    assert now_of(session)["phase"] == "ready"
    assert from_bot(session.begin("m")) == Ready("m")
    with pytest.raises(NotNowError):
        session.begin("m")
    assert now_of(session)["phase"] == "others"


def test_one_question_has_one_answer() -> None:
    session = session_in_match()
    with pytest.raises(NotNowError, match="made already"):
        session.act("m", 1, "pass")
    asked(session)
    for match, ask, action in (("m", 2, "pass"), ("m", 1, "fly"), ("other", 1, "pass")):
        with pytest.raises(NotNowError):
            session.act(match, ask, action)
    assert from_bot(session.act("m", 1, "pass")) == Act("m", 1, "pass")
    assert now_of(session)["phase"] == "sent"
    assert now_of(session)["ask"] is None
    with pytest.raises(NotNowError):
        session.act("m", 1, "pass")


def test_a_clock_is_shown_if_it_is_one_to_watch() -> None:
    session = session_in_match()
    asked(session, now_ms=1_000)
    clock = now_of(session, 1_400)["ask"]["clock"]
    assert clock == {"move_ms": 1_000, "bank_ms": 5_000, "grace_ms": 50, "elapsed_ms": 400}
    week = AskClock(604_800_000, 0, 50)
    session.hear(line(Ask("m", 2, week, [], None, ["pass"])), 0)
    assert now_of(session)["ask"]["clock"] is None


def test_names_cannot_command_a_terminal_and_people_have_the_name_they_chose() -> None:
    session = session_in_match()
    assert now_of(session)["names"] == ["Ann", "Bob\\x1b"]
    assert now_of(session, Ann="Zoe")["names"] == ["Zoe", "Bob\\x1b"]


def test_a_fault_is_shown_and_a_new_question_may_follow() -> None:
    session = session_in_match()
    asked(session)
    session.hear(line(Error("late", "no answer within 1000 ms", match="m", id=1)), 0)
    now = now_of(session)
    assert now["phase"] == "out"
    assert now["fault"]["code"] == "late"
    assert now["ask"] is None
    asked(session, 2)
    assert now_of(session)["phase"] == "decide"


def test_the_result_stays_when_the_next_match_begins() -> None:
    session = session_in_match()
    session.hear(line(End("m", [2, 1], [3, 4], "coins", "draw", ["", ""], None)), 0)
    assert session.state({}, 0)["now"] is None
    session.hear(line(Start("n", "coins", {}, 1, 2, ["Bob", "Ann"], CLOCK, "")), 0)
    state = session.state({"Ann": "Zoe"}, 0)
    assert state["now"]["match"] == "n"
    assert state["last"]["result"]["rows"][0]["seat"] == 1
    assert state["last"]["result"]["verdict"].startswith("Bob")
    session.hear(line(End("n", [1, 1], [0, 0], "", "draw", ["", ""], None, [], True)), 0)
    assert "does not count" in session.state({}, 0)["last"]["result"]["verdict"]


def test_a_person_that_resigns_says_bye_and_the_match_is_over_for_it() -> None:
    session = session_in_match()
    asked(session)
    assert from_bot(session.resign("m")) == Bye("resigned")
    with pytest.raises(NotNowError):
        session.act("m", 1, "pass")
    session.leave()
    state = session.state({}, 0)
    assert (state["connected"], state["now"]) == (False, None)
    assert state["last"]["result"]["verdict"] == "You have resigned. The match is lost."
    session.greet()
    assert session.state({}, 0)["connected"]
