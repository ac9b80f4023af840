"""The Python kit, against scripted referees: real processes, real pipes, real sockets."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol import client
from protocol.codec import Encoding
from protocol.messages import Act, Bye, Error, Hello, Ping, Pong, Ready, Refuse, Tell, Welcome
from sample_bots.catalog import GENERAL
from tests.unit.protocol.referees import (
    PATIENCE_S,
    WELCOME,
    PipeReferee,
    Process,
    RouterReferee,
    ask,
    end,
    start,
)

FIRST = """
from protocol.client import run

def choose(view, legal):
    print("choosing at", view["ask"])
    return legal[0]

run(choose)
"""

DIARY = """
import sys
from protocol.client import Bot, run

def note(*words):
    print(*words, file=sys.stderr)

class Diary(Bot):
    def __init__(self):
        self.seen = []
    def start(self, start):
        self.match = start.match
        note("start", start.match, start.seat)
    def see(self, events):
        self.seen += [event["event"] for event in events]
    def choose(self, view, legal):
        note("choose", self.match, self.clock.bank_ms, *self.seen)
        return legal if len(legal) > 2 else legal[-1]
    def end(self, end):
        note("end", end.match, end.ranks, *self.seen)

run(Diary, name="diary", games=["toy"], capacity=3)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "my_bot.py"


@pytest.fixture
def router(tmp_path: Path) -> Iterator[RouterReferee]:
    with RouterReferee(f"ipc://{tmp_path}/r") as referee:
        yield referee


def pipes(script: Path, code: str, **environment: str) -> PipeReferee:
    script.write_text(code, encoding="utf-8")
    return PipeReferee([sys.executable, str(script)], **environment)


def connected(script: Path, code: str, router: RouterReferee, **environment: str) -> Process:
    script.write_text(code, encoding="utf-8")
    return Process([sys.executable, str(script)], REFEREE_ADDRESS=router.address, **environment)


def test_a_function_makes_a_bot(script: Path) -> None:
    with pipes(script, FIRST) as referee:
        hello = referee.begin()
        assert hello == Hello([1], "my_bot", wants=["view", "legal"], kit=client.KIT)
        referee.say(ask(1, ["draw", "pass"]))
        assert referee.hear() == Act("m1", 1, "draw")
        referee.say(end(), Bye())
        assert referee.leave() == (0, "choosing at 1\n")


def test_the_token_of_the_environment_is_echoed(script: Path) -> None:
    with pipes(script, FIRST, REFEREE_TOKEN="sesame") as referee:
        assert referee.begin().token == "sesame"


def test_a_class_receives_everything_and_has_one_object_for_each_match(script: Path) -> None:
    with pipes(script, DIARY) as referee:
        hello = referee.begin()
        assert (hello.name, hello.games, hello.capacity) == ("diary", ["toy"], 3)
        assert hello.wants == ["view", "legal", "events"]
        referee.say(start("m2", seat=1), ask(1, events=[{"event": "deal"}]))
        assert referee.hear() == Ready("m2")
        assert referee.hear() == Act("m1", 1, "pass")
        referee.say(ask(1, match="m2"), Tell("m1", [{"event": "storm"}]), ask(2, events=[{"event": "calm"}]))
        assert referee.hear() == Act("m2", 1, "pass")
        assert referee.hear() == Act("m1", 2, "pass")
        referee.say(end(events=[{"event": "last"}]), end("m2"), Bye())
        assert referee.leave() == (
            0,
            "start m1 0\nstart m2 1\nchoose m1 2000 deal\nchoose m2 2000\nchoose m1 2000 deal storm calm\n"
            "end m1 [1, 2] deal storm calm last\nend m2 [1, 2]\n",
        )


def test_a_list_is_a_plan(script: Path) -> None:
    with pipes(script, DIARY) as referee:
        referee.begin()
        referee.say(ask(1, ["a", "b", "c"]))
        assert referee.hear() == Act("m1", 1, actions=["a", "b", "c"])


def test_pings_are_answered(script: Path) -> None:
    with pipes(script, FIRST) as referee:
        referee.begin()
        referee.say(Ping(42), Pong())
        assert referee.hear() == Pong(42)


def test_after_an_illegal_action_the_bot_gets_an_error_and_tries_again(script: Path) -> None:
    with pipes(script, FIRST) as referee:
        referee.begin()
        referee.say(ask(1))
        assert referee.hear() == Act("m1", 1, "draw")
        referee.say(Error("illegal", "no cards left", match="m1", id=1), ask(1, ["pass"]))
        assert referee.hear() == Act("m1", 1, "pass")
        referee.say(Bye())
        status, log = referee.leave()
        assert status == 0
        assert 'referee: error code=illegal why="no cards left" match=m1 id=1\n' in log


@pytest.mark.parametrize(
    "error",
    [
        Error("illegal", "", match="m1"),
        Error("illegal", "", match="m2", id=1),
        Error("stale", "", match="m1", id=1),
        Error("late", "", match="m1", id=1),
        Error("malformed", ""),
    ],
)
def test_other_errors_are_passed_to_the_bot_and_not_answered(script: Path, error: Error) -> None:
    with pipes(script, FIRST) as referee:
        referee.begin()
        referee.say(ask(1))
        assert referee.hear() == Act("m1", 1, "draw")
        referee.say(error, Ping(1))
        assert referee.hear() == Pong(1)
        referee.say(Bye())
        assert f"referee: error code={error.code}" in referee.leave()[1]


def test_what_comes_again_is_answered_as_before(script: Path) -> None:
    with pipes(script, DIARY) as referee:
        referee.begin()
        referee.say(start())
        assert referee.hear() == Ready("m1")
        question = ask(1, events=[{"event": "deal"}])
        referee.say(question, question, Bye())
        assert [referee.hear(), referee.hear()] == [Act("m1", 1, "pass")] * 2
        assert referee.leave()[1] == "start m1 0\nchoose m1 2000 deal\n"


@pytest.mark.parametrize(
    ("choose", "complaint"),
    [
        ("raise RuntimeError('I am lost')", "RuntimeError: I am lost"),
        ("return None", "TypeError: choose returned None, which is neither"),
        ("return []", "TypeError: choose returned [], which is neither"),
    ],
)
def test_a_bug_in_the_bot_ends_it_with_a_traceback(script: Path, choose: str, complaint: str) -> None:
    code = f"from protocol.client import run\n\ndef choose(view, legal):\n    {choose}\n\nrun(choose)\n"
    with pipes(script, code) as referee:
        referee.begin()
        referee.say(ask(1))
        status, log = referee.leave()
        assert status == 1
        assert "Traceback" in log
        assert complaint in log


def test_a_bot_without_choose_says_what_is_missing(script: Path) -> None:
    code = "from protocol.client import Bot, run\n\nclass Mute(Bot):\n    pass\n\nrun(Mute)\n"
    with pipes(script, code) as referee:
        assert referee.begin().wants == ["view", "legal"]
        referee.say(ask(1))
        assert "Mute has no method choose(self, view, legal)" in referee.leave()[1]


def test_a_class_that_is_no_bot_is_refused_at_once() -> None:
    with pytest.raises(TypeError, match=r"int is no subclass of protocol\.client\.Bot"):
        client.run(int)  # type: ignore[arg-type]


def test_a_refused_bot_says_why_and_exits_with_2(script: Path) -> None:
    with pipes(script, FIRST) as referee:
        referee.hear()
        referee.say(Refuse("version", "this referee speaks version 9"), Bye())
        assert referee.leave() == (2, "referee: refused: version: this referee speaks version 9\n")


def test_the_end_of_stdin_ends_the_bot(script: Path) -> None:
    with pipes(script, FIRST) as referee:
        referee.begin()
        assert referee.leave() == (0, "")


def test_a_closed_pipe_ends_the_bot(script: Path) -> None:
    with pipes(script, FIRST) as referee:
        referee.begin()
        assert referee.process.stdout
        referee.process.stdout.close()
        referee.process.stdout = None
        referee.say(Ping())
        assert referee.leave() == (0, "")


def test_sigterm_ends_the_bot_in_peace(script: Path) -> None:
    with pipes(script, FIRST) as referee:
        referee.begin()
        referee.process.send_signal(signal.SIGTERM)
        assert referee.process.wait(PATIENCE_S) == 0


@pytest.mark.parametrize("encoding", Encoding)
def test_over_zeromq_a_bot_speaks_msgpack_or_json(
    script: Path, router: RouterReferee, encoding: Encoding
) -> None:
    with connected(script, FIRST, router, REFEREE_ENCODING=encoding.value, REFEREE_TOKEN="t") as bot:
        hello = router.hear()
        assert hello == Hello([1], "my_bot", wants=["view", "legal"], token="t", kit=client.KIT)
        assert router.encoding is encoding
        router.say(WELCOME, start(), ask(1), ask(2), end(), Bye())
        assert [router.hear() for _ in range(3)] == [Ready("m1"), Act("m1", 1, "draw"), Act("m1", 2, "draw")]
        assert bot.leave()[0] == 0


def test_a_bot_started_on_this_host_needs_no_zeromq_and_ends_with_the_connection(
    script: Path, router: RouterReferee
) -> None:
    note = 'import atexit, sys\natexit.register(lambda: sys.stderr.write(str("zmq" in sys.modules)))\n'
    with connected(script, note + FIRST, router, REFEREE_TOKEN="t") as bot:
        assert isinstance(router.hear(), Hello)
        router.say(WELCOME, start(), ask(1, legal=["draw", "x" * 70_000]))
        assert [router.hear() for _ in range(2)] == [Ready("m1"), Act("m1", 1, "draw")]
        router.close()
        assert bot.leave() == (0, "False")


def test_over_zeromq_msgpack_is_the_default_and_sigterm_ends_the_bot(
    script: Path, router: RouterReferee
) -> None:
    with connected(script, FIRST, router) as bot:
        router.hear()
        assert router.encoding is Encoding.MSGPACK
        bot.process.send_signal(signal.SIGTERM)
        assert bot.leave() == (0, "")


def test_after_a_silence_the_bot_sends_a_ping(script: Path, router: RouterReferee) -> None:
    code = "import protocol.client\nprotocol.client.SILENCE_MS = 200\n" + FIRST
    with connected(script, code, router):
        assert isinstance(router.hear(), Hello)
        assert router.hear(pings=True) == Ping()


def test_a_bot_that_is_not_known_any_more_says_hello_with_its_session(
    script: Path, router: RouterReferee
) -> None:
    # However long this host takes from the first complaint to the second.
    code = "import protocol.client\nprotocol.client.GREETING_S = 60\n" + DIARY
    with connected(script, code, router) as bot:
        hello = router.hear()
        assert isinstance(hello, Hello)
        assert hello.session is None
        router.say(WELCOME, start())
        assert router.hear() == Ready("m1")
        # Two complaints, because two messages were sent; one hello is enough.
        router.say(Error("no-session", "who are you?"), Error("no-session", "who are you?"))
        again = router.hear()
        assert isinstance(again, Hello)
        assert again.session == "session-1"
        router.say(Welcome(1, "session-1", WELCOME.limits, resumed=True), ask(1), Bye())
        assert router.hear() == Act("m1", 1, "pass")
        assert bot.leave() == (0, "start m1 0\nchoose m1 2000\n")


def test_a_bot_finds_a_referee_that_was_restarted(script: Path, router: RouterReferee) -> None:
    code = "import protocol.client\nprotocol.client.SILENCE_MS, protocol.client.SILENCES = 200, 600\n" + FIRST
    with connected(script, code, router) as bot:
        assert isinstance(router.hear(), Hello)
        router.say(WELCOME, start())
        router.close()
        router.open()
        while not isinstance(heard := router.hear(pings=True), Hello):
            router.say(Error("no-session", "who are you?"))
        assert heard.session in {None, "session-1"}
        router.say(Welcome(1, "session-2", WELCOME.limits), start("m2"), Bye())
        while router.hear() != Ready("m2"):
            pass
        assert bot.leave()[0] == 0


@pytest.mark.parametrize(
    ("key", "server", "why"),
    [
        ("k", "", "REFEREE_KEY (a file) and REFEREE_SERVER_KEY (40 characters) go together"),
        ("", "a" * 40, "go together"),
        ("k", "short", "go together"),
        ("k", "a" * 40, "cannot read the keys in k: No such file"),
    ],
)
def test_a_bot_with_half_a_key_says_so_and_ends(
    script: Path, router: RouterReferee, key: str, server: str, why: str
) -> None:
    with connected(script, FIRST, router, REFEREE_KEY=key, REFEREE_SERVER_KEY=server) as bot:
        code, log = bot.leave()
        assert code == 1
        assert why in log


@pytest.mark.parametrize("name", ["first", "random"])
def test_a_sample_bot_plays_legal_actions_and_the_same_ones_again(name: str) -> None:
    legal = ["draw", *(f"play R{i} 2" for i in range(1, 9)), "pass"]
    runs = []
    for match in ("m1", "m1", "m2"):
        with PipeReferee([sys.executable, "-m", GENERAL[name]]) as referee:
            hello = referee.hear()
            assert isinstance(hello, Hello)
            assert (hello.name, hello.games, hello.capacity) == (name, [], 64)
            referee.say(WELCOME, start(match))
            assert referee.hear() == Ready(match)
            chosen = []
            for number in range(1, 31):
                referee.say(ask(number, legal, match=match))
                act = referee.hear()
                assert isinstance(act, Act)
                chosen.append(act.action)
            referee.say(end(match), Bye())
            assert referee.leave() == (0, "")
            runs.append(chosen)
    assert set(runs[0]) <= set(legal)
    assert runs[0] == runs[1]
    if name == "random":
        assert runs[0] != runs[2]
        # Three verbs, each as likely: were it three in ten, `play` would hardly leave room for the others.
        assert min(runs[0].count("draw"), runs[0].count("pass")) >= 3


def test_a_bot_imports_little_because_each_match_may_start_one() -> None:
    # What the referee needs, and what a bot needs in rare cases only. They cost a bot a fifth of its start.
    dear = {
        *("json", "msgpack", "zmq", "pathlib", "dataclasses", "inspect", "logging", "subprocess"),
        *("typing_extensions", "protocol.untrusted"),
    }
    code = "import sys, sample_bots.python.first, protocol.local_socket; print(*sys.modules)"
    imported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "protocol.client" in imported.split()
    assert dear.isdisjoint(imported.split())


def test_what_is_hidden_from_msgspec_can_be_imported_before_and_after() -> None:
    for first, second in (("protocol.client", "typing_extensions"), ("typing_extensions", "protocol.client")):
        code = f"import {first}, {second}, sys; print(sys.modules['typing_extensions'].NotRequired)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout == "typing.NotRequired\n"
