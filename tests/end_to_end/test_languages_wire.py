"""The sample bots of every language across the wire: what they say, and what they bear to hear."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]
import msgspec
import pytest

from protocol.messages import (
    Act,
    Bye,
    Error,
    FromBot,
    Hello,
    Limits,
    Message,
    Ping,
    Pong,
    Ready,
    Refuse,
    Welcome,
)
from protocol.untrusted import from_bot
from sample_bots.languages import samples
from tests.end_to_end.workshop import Workshop, buildable, each_sample, may_build, say_who_was_absent
from tests.unit.protocol.referees import PATIENCE_S, WELCOME, PipeReferee, Process, RouterReferee, ask, start

pytestmark = may_build

TOKEN = r'a "token" with \ and {'
LEGAL = ["draw", 'say "no"', "back\\slash", "play [R7], 2", '"', "\\"]


def on(transport: str) -> pytest.MarkDecorator:
    """Take the samples that talk this way."""
    named = [name for name, (_, bot) in samples().items() if bot.transport == transport]
    return pytest.mark.parametrize("name", named)


class Talk:
    """A bot and its referee, over any transport."""

    def __init__(self, name: str, command: list[str], folder: Path, held: ExitStack) -> None:
        self.lines = samples()[name][1].transport == "stdio"
        self.referee: PipeReferee | RouterReferee
        self.bot: Process
        if self.lines:
            self.bot = self.referee = PipeReferee(command, REFEREE_TOKEN=TOKEN)
        else:
            self.referee = held.enter_context(RouterReferee(f"ipc://{folder}/r"))
            self.bot = Process(command, REFEREE_TOKEN=TOKEN, REFEREE_ADDRESS=self.referee.address)
        held.enter_context(self.bot)
        self.hello = self.hear()

    def say(self, *messages: Message) -> None:
        self.referee.say(*messages)

    def say_oddly(self, message: Message, **unknown: object) -> None:
        """Send a message with unknown fields, and its own in another order."""
        plain: dict[str, Any] = msgspec.to_builtins(message)
        self.say_plainly(unknown | dict(reversed(plain.items())) | {"zzz": unknown})

    def say_plainly(self, message: dict[str, Any]) -> None:
        self.referee.say_raw(json.dumps(message).encode() if self.lines else msgpack.packb(message))

    def hear(self) -> FromBot:
        """Return what the bot says."""
        return self.referee.hear()

    def leave(self) -> int:
        """Wait for the end of the bot and return its exit status."""
        return self.bot.leave()[0]


@pytest.fixture
def talk(name: str, workshop: Workshop, tmp_path: Path) -> Iterator[Talk]:
    with ExitStack() as held:
        yield Talk(name, workshop(name), tmp_path, held)


@each_sample
def test_it_says_hello_answers_pings_and_leaves_after_bye(name: str, talk: Talk) -> None:
    assert isinstance(talk.hello, Hello)
    assert talk.hello == Hello([1], name, wants=["legal"], capacity=64, token=TOKEN, kit=talk.hello.kit)
    talk.say(WELCOME, Ping(9007199254740991), Ping())
    assert [talk.hear(), talk.hear()] == [Pong(9007199254740991), Pong()]
    talk.say(Bye("it was a pleasure"))
    assert talk.leave() == 0


@each_sample
def test_it_ends_with_2_when_it_is_refused(talk: Talk) -> None:
    talk.say(Refuse("token", "not this one"), Bye())
    assert talk.leave() == 2


@each_sample
def test_it_ends_on_sigterm(talk: Talk) -> None:
    talk.say(WELCOME)
    os.kill(talk.bot.process.pid, signal.SIGTERM)
    assert talk.leave() in {0, -signal.SIGTERM, 128 + signal.SIGTERM}


@each_sample
def test_it_reads_what_is_meant_and_not_what_looks_like_it(name: str, talk: Talk) -> None:
    talk.say(WELCOME)
    named = msgspec.structs.replace(start("m 1"), names=["legal", '"type":"bye"', "\\", '}{ Zoë\\"'])
    talk.say_oddly(named, unknown={"type": "bye", "match": "m2"}, legal=["never"])
    assert talk.hear() == Ready("m 1")
    if name != "python":  # The kit takes the referee at its word, and version 1 has no such message.
        talk.say_plainly({"type": "weather", "match": "m 1", "id": 7, "legal": ["rain"]})
    asked = msgspec.structs.replace(ask(7, LEGAL, match="m 1"), view={"legal": ["never"], "id": 8})
    talk.say_oddly(asked, unknown=[[{"id": 3, "legal": ["never"]}], -1, None, "legal"])
    act = talk.hear()
    assert isinstance(act, Act)
    assert (act.match, act.id) == ("m 1", 7)
    assert act.action in LEGAL


@each_sample
def test_it_takes_many_actions_and_odd_ids_of_matches(talk: Talk) -> None:
    match, legal = '"m" \\ {[1]}, ~\'', [f"play {number} {'x' * 100}" for number in range(2_000)]
    talk.say(WELCOME, start(match))
    assert talk.hear() == Ready(match)
    talk.say(ask(1, legal, match=match))
    act = talk.hear()
    assert isinstance(act, Act)
    assert act.match == match
    assert act.action in legal


@on("stdio")
def test_it_leaves_at_the_end_of_stdin(talk: Talk) -> None:
    talk.say(WELCOME)
    assert talk.leave() == 0  # Which closes its stdin.


@on("zmq")
def test_it_comes_back_with_its_session_and_answers_what_comes_again(talk: Talk) -> None:
    legal = [f"play {number}" for number in range(1_000)]
    talk.say(Welcome(1, "one", Limits()), start(), ask(1, legal))
    assert talk.hear() == Ready("m1")
    assert isinstance(talk.hear(), Act)
    talk.say(Error("no-session", "who are you?"))
    again = talk.hear()
    assert isinstance(again, Hello)
    assert (again.session, again.token) == ("one", TOKEN)
    talk.say(Welcome(1, "one", Limits(), resumed=True), ask(1, legal))
    act = talk.hear()
    assert isinstance(act, Act)
    assert (act.match, act.id) == ("m1", 1)
    assert act.action in legal


def test_after_a_silence_they_ask_whether_the_referee_is_still_there(
    workshop: Workshop, tmp_path: Path
) -> None:
    talks: list[Talk] = []
    with ExitStack() as held:
        # All together, because it takes a while.
        for name in [name for name, sample in buildable().items() if sample.transport == "zmq"]:
            (tmp_path / name).mkdir()
            talks.append(Talk(name, workshop(name), tmp_path / name, held))
            talks[-1].say(WELCOME)
        routers = [talk.referee for talk in talks if isinstance(talk.referee, RouterReferee)]
        assert [router.hear(pings=True) for router in routers] == [Ping()] * len(talks)
    say_who_was_absent()


@on("zmq")
def test_without_an_address_it_says_so_or_talks_on_stdout(name: str, workshop: Workshop) -> None:
    with Process(workshop(name)) as bot:
        said, log = bot.process.communicate(timeout=PATIENCE_S)
    if bot.process.returncode == 0:
        assert isinstance(from_bot(said.rstrip(b"\n")), Hello)
    else:
        assert bot.process.returncode == 2
        assert said == b""
        assert log.count(b"\n") == 1
        assert b"REFEREE_ADDRESS" in log
