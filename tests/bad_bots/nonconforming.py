"""Bots that break one rule of the protocol each. Run as `nonconforming.py NAME`; without the kit, on either
transport. `Honest` breaks none. `BROKEN` in test_check_nonconforming.py names the step that each must fail.
"""

import json
import os
import select
import signal
import sys
import time
from typing import Any

Message = dict[str, Any]


class Honest:
    """Plays the first legal action, and does everything right."""

    hello: Message = {"protocol": [1], "wants": ["legal"]}  # noqa: RUF012 - never changed

    def __init__(self) -> None:
        self.session: str | None = None
        self.asked: Message = {}
        self.stdin: Any = sys.stdin.buffer
        self.socket: Any = None
        if address := os.environ.get("REFEREE_ADDRESS"):
            import zmq

            self.socket = zmq.Context().socket(zmq.DEALER)
            self.socket.setsockopt(zmq.LINGER, 0)
            self.socket.connect(address)

    # The wire.

    def say(self, **message: Any) -> None:
        """Send a message."""
        if self.socket is None:
            self.raw(json.dumps(message).encode())
        else:
            import msgpack  # type: ignore[import-untyped]

            self.raw(msgpack.packb(message))

    def raw(self, data: bytes) -> None:
        """Send bytes."""
        if self.socket is None:
            sys.stdout.buffer.write(data + b"\n")
            sys.stdout.buffer.flush()
        else:
            self.socket.send(data)

    def heard(self) -> Message:
        """Return the next message; leave at the end of the input."""
        if self.socket is None:
            line = self.stdin.readline()
            if not line:
                sys.exit(0)
            return self.read(line)
        return self.read(self.socket.recv())

    def read(self, data: bytes) -> Message:
        """Read a line or a frame."""
        if self.socket is None:
            message: Message = json.loads(data)
        else:
            import msgpack

            message = msgpack.unpackb(data)
        return message

    # The conversation.

    def run(self) -> None:
        """Talk until the referee says goodbye."""
        self.greet()
        while True:
            message = self.heard()
            getattr(self, f"on_{message['type']}")(message)

    def greet(self, **changes: Any) -> None:
        """Say hello."""
        known = {"type": "hello", "name": "nonconforming", "token": os.environ.get("REFEREE_TOKEN")}
        known["session"] = self.session
        self.say(**(known | self.hello | changes))

    def act(self, ask: Message, **changes: Any) -> None:
        """Answer an ask."""
        answer = {"type": "act", "match": ask["match"], "id": ask["id"], "action": ask["legal"][0]}
        self.say(**{field: value for field, value in (answer | changes).items() if value is not None})

    def on_welcome(self, message: Message) -> None:
        """Keep the session."""
        self.session = message["session"]

    def on_start(self, message: Message) -> None:
        """Be ready."""
        self.say(type="ready", match=message["match"])

    def on_ask(self, message: Message) -> None:
        """Answer."""
        self.asked = message
        self.act(message)

    def on_ping(self, message: Message) -> None:
        """Answer."""
        self.say(type="pong", n=message.get("n", 0))

    def on_error(self, message: Message) -> None:
        """Come back if the referee has lost us; ignore all others."""
        if message["code"] == "no-session":
            self.greet()

    def on_tell(self, message: Message) -> None:
        """Take note."""

    def on_end(self, message: Message) -> None:
        """Take note."""

    def on_pong(self, message: Message) -> None:
        """Take note."""

    def on_refuse(self, message: Message) -> None:
        """Leave."""
        sys.exit(2)

    def on_bye(self, message: Message) -> None:
        """Leave."""
        sys.exit(0)


class SlowToStart(Honest):
    """Takes a while before it says hello, and does everything right."""

    def greet(self, **changes: Any) -> None:
        time.sleep(1.5)
        super().greet(**changes)


def stay() -> None:
    """Never leave."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        signal.pause()


# The greeting.


class Silent(Honest):
    """Never says hello."""

    def greet(self, **changes: Any) -> None: ...


class ExitsAtOnce(Honest):
    """Cannot even start."""

    def greet(self, **changes: Any) -> None:
        sys.stderr.write("cannot find my model\n")
        sys.exit(3)


class NoName(Honest):
    """Leaves out of its hello what must be in it."""

    def greet(self, **changes: Any) -> None:
        self.say(type="hello", protocol=[1])


class OtherVersion(Honest):
    """Speaks versions to come."""

    hello = Honest.hello | {"protocol": [2, 3]}


class NoToken(Honest):
    """Does not send its token."""

    hello = Honest.hello | {"token": None}


class WrongToken(Honest):
    """Sends a token of its own."""

    hello = Honest.hello | {"token": "sesame"}


class Impatient(Honest):
    """Is ready before it is welcome."""

    def greet(self, **changes: Any) -> None:
        super().greet()
        self.say(type="ready", match="m1")


class HelloTwice(Honest):
    """Says hello until it is heard."""

    def greet(self, **changes: Any) -> None:
        super().greet()
        super().greet()


class DeafBeforeWelcome(Honest):
    """Answers pings only when it is welcome."""

    def on_ping(self, message: Message) -> None:
        if self.session:
            super().on_ping(message)


class StaysWhenRefused(Honest):
    """Does not take no for an answer."""

    def on_refuse(self, message: Message) -> None:
        stay()


# Answers.


class NeverReady(Honest):
    """Is never ready."""

    def on_start(self, message: Message) -> None: ...


class ReadyForAnother(Honest):
    """Is ready for a match that was never started."""

    def on_start(self, message: Message) -> None:
        self.say(type="ready", match="another")


class NeverActs(Honest):
    """Thinks for ever."""

    def on_ask(self, message: Message) -> None: ...


class WrongMatch(Honest):
    """Names another match in its answer."""

    def on_ask(self, message: Message) -> None:
        self.act(message, match="another")


class WrongId(Honest):
    """Counts asks from 0."""

    def on_ask(self, message: Message) -> None:
        self.act(message, id=message["id"] - 1)


class Illegal(Honest):
    """Plays what is not allowed."""

    def on_ask(self, message: Message) -> None:
        self.act(message, action="play Z99 1")


class CountsOn(Honest):
    """Counts asks on from match to match."""

    count = 0

    def on_ask(self, message: Message) -> None:
        self.count += 1
        self.act(message, id=self.count)


class OneMatchOnly(Honest):
    """Goes home after its first match."""

    def on_end(self, message: Message) -> None:
        sys.exit(0)


class SaysBye(Honest):
    """Takes its leave after its first match, and waits to be dismissed."""

    def on_end(self, message: Message) -> None:
        self.say(type="bye", why="that was nice")


class TwoReadies(Honest):
    """Is ready twice."""

    def on_start(self, message: Message) -> None:
        super().on_start(message)
        super().on_start(message)


class TwoActs(Honest):
    """Answers twice, to be sure."""

    def on_ask(self, message: Message) -> None:
        self.act(message)
        self.act(message)


class NeverPongs(Honest):
    """Answers no ping, once it is welcome."""

    def on_ping(self, message: Message) -> None:
        if not self.session:
            super().on_ping(message)


class PongsZero(Honest):
    """Does not look at n."""

    def on_ping(self, message: Message) -> None:
        self.say(type="pong", n=0)


class DeafInMatches(Honest):
    """Answers pings only between matches."""

    playing = False

    def on_start(self, message: Message) -> None:
        self.playing = True
        super().on_start(message)

    def on_end(self, message: Message) -> None:
        self.playing = False

    def on_ping(self, message: Message) -> None:
        if not self.playing:
            super().on_ping(message)


class DiesOfStale(Honest):
    """Cannot bear to have been stale."""

    def on_error(self, message: Message) -> None:
        if message["code"] == "stale":
            raise RuntimeError(message["why"])


class AnswersStale(Honest):
    """Answers again what was stale."""

    def on_error(self, message: Message) -> None:
        if message["code"] == "stale":
            self.act(self.asked, id=message["id"])


class KnowsAllErrors(Honest):
    """Has no idea what to do with an error of a new kind."""

    def on_error(self, message: Message) -> None:
        ["stale", "not-now", "unknown-match", "late", "illegal", "no-session"].index(message["code"])


class DiesOfStrike(Honest):
    """Gives up when an action is refused."""

    def on_error(self, message: Message) -> None:
        if message["code"] == "illegal":
            sys.exit(1)


class OnceAnId(Honest):
    """Answers each id once, even if it is asked again."""

    def on_ask(self, message: Message) -> None:
        if (message["match"], message["id"]) != (self.asked.get("match"), self.asked.get("id")):
            super().on_ask(message)


class DisturbedByEnd(Honest):
    """Takes a second for the first decision of a match, and cannot bear the match to end meanwhile."""

    def run(self) -> None:
        self.stdin = open(0, "rb", buffering=0, closefd=False)  # noqa: SIM115 - so that select sees all
        super().run()

    def on_ask(self, message: Message) -> None:
        if message["id"] == 1 and select.select([0], [], [], 1.0)[0]:
            assert self.heard()["type"] != "end", "I was thinking"
        super().on_ask(message)


# Fields.


class NeedsN(Honest):
    """Needs n in a ping."""

    def on_ping(self, message: Message) -> None:
        self.say(type="pong", n=message["n"])


class NeedsMatch(Honest):
    """Needs to know which match an error is about."""

    def on_error(self, message: Message) -> None:
        if message.get("match", "") is not None:
            sys.stderr.write("error in " + message["match"] + "\n")


class LooksIntoView(Honest):
    """Takes a view that is null for a view."""

    def on_ask(self, message: Message) -> None:
        if "view" in message:
            len(message["view"])
        super().on_ask(message)


class KnowsAllFields(Honest):
    """Refuses a message with fields it does not know."""

    def on_ask(self, message: Message) -> None:
        assert set(message) <= {"type", "match", "id", "clock", "events", "view", "legal"}
        super().on_ask(message)


class TypeFirst(Honest):
    """Reads the type where the referee writes it. No rule forbids that, but there is better."""

    def read(self, data: bytes) -> Message:
        assert data.startswith(b'{"type":')
        return super().read(data)


class SmallNumbers(Honest):
    """Counts in 32 bits."""

    def on_ping(self, message: Message) -> None:
        self.say(type="pong", n=message.get("n", 0) & 0xFFFFFFFF)


class ShortIds(Honest):
    """Has no room for long names of matches."""

    def on_start(self, message: Message) -> None:
        self.say(type="ready", match=message["match"][:64])


class AsciiOnly(Honest):
    """Reads ASCII."""

    def read(self, data: bytes) -> Message:
        return super().read(data.decode("ascii").encode())


class FewActions(Honest):
    """Has room for 256 actions."""

    def on_ask(self, message: Message) -> None:
        assert len(message["legal"]) <= 256
        super().on_ask(message)


class ShortLines(Honest):
    """Has room for 64 KiB. No rule forbids that, but there is better."""

    def read(self, data: bytes) -> Message:
        assert len(data) <= 65_536
        return super().read(data)


class LooksForView(Honest):
    """Wants events alone, and looks for a view where its memory ends."""

    hello = Honest.hello | {"wants": ["legal", "events"]}

    def on_ask(self, message: Message) -> None:
        if message["id"] == 3:
            len(message["view"])
        super().on_ask(message)


class LooksForEvents(Honest):
    """Wants a view alone, and looks for what has happened."""

    hello = Honest.hello | {"wants": ["legal", "view"]}

    def on_ask(self, message: Message) -> None:
        if message["id"] == 3:
            message["events"].pop()
        super().on_ask(message)


class AnswersTell(Honest):
    """Takes a `tell` for an ask."""

    hello = Honest.hello | {"wants": ["legal", "stream"]}

    def on_tell(self, message: Message) -> None:
        if self.asked:
            self.act(self.asked)


# Matches.


class OneAtATime(Honest):
    """Claims to play two matches at once, and cannot."""

    hello = Honest.hello | {"capacity": 2}
    playing = 0

    def on_start(self, message: Message) -> None:
        self.playing += 1
        assert self.playing == 1, "one after the other, please"
        super().on_start(message)

    def on_end(self, message: Message) -> None:
        self.playing -= 1


class MixesMatches(Honest):
    """Answers in the match that began last."""

    hello = Honest.hello | {"capacity": 4}
    last = ""

    def on_start(self, message: Message) -> None:
        self.last = message["match"]
        super().on_start(message)

    def on_ask(self, message: Message) -> None:
        self.act(message, match=self.last)


class DiesLater(Honest):
    """Ends at its third decision."""

    def on_ask(self, message: Message) -> None:
        if message["id"] == 3:
            sys.stderr.write("IndexError: list index out of range\n")
            sys.exit(7)
        super().on_ask(message)


class IllegalLater(Honest):
    """Breaks the rules at its third decision."""

    def on_ask(self, message: Message) -> None:
        self.act(message, action="cheat" if message["id"] == 3 else message["legal"][0])


class NotForThree(Honest):
    """Cannot count to three."""

    def on_start(self, message: Message) -> None:
        if message["seats"] != 3:
            super().on_start(message)


class BadPlan(Honest):
    """Plans what cannot be."""

    def on_ask(self, message: Message) -> None:
        self.act(message, action=None, actions=[message["legal"][0], "cheat"])


# Sessions.


class ForgetsSession(Honest):
    """Says hello again as if it had never been here."""

    def on_welcome(self, message: Message) -> None: ...


class WrongSession(Honest):
    """Comes back under a session of its own."""

    def on_error(self, message: Message) -> None:
        if message["code"] == "no-session":
            self.greet(session="mine")


class AnswersOnceOnly(OnceAnId):
    """Comes back, but does not answer again what it has answered (and takes no strikes for it)."""

    refused = False

    def on_error(self, message: Message) -> None:
        self.refused = message["code"] == "illegal"
        super().on_error(message)

    def on_ask(self, message: Message) -> None:
        if self.refused:
            self.refused = False
            self.act(message)
        else:
            super().on_ask(message)


class NeverWonders(Honest):
    """Does not ask in its silence whether the referee is there. No rule forbids that, but there is better."""


# Leaving.


class StaysAfterBye(Honest):
    """Does not go after it has played."""

    def on_end(self, message: Message) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def on_bye(self, message: Message) -> None:
        stay()


class IgnoresSigterm(Honest):
    """Goes on bye only."""

    def run(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().run()


class IgnoresBye(Honest):
    """Goes at the end of stdin only. No rule forbids that, but there is better."""

    def on_bye(self, message: Message) -> None: ...


class WaitsForMore(Honest):
    """Does not go at the end of stdin. No rule forbids that, but there is better."""

    def heard(self) -> Message:
        try:
            return super().heard()
        except SystemExit:
            signal.pause()
            raise


# What is judged all the time.


class Banner(Honest):
    """Introduces itself to people first."""

    def greet(self, **changes: Any) -> None:
        self.raw(b"ZooBot 1.0, all rights reserved")
        super().greet()


class Chatty(Honest):
    """Thinks aloud."""

    def on_ask(self, message: Message) -> None:
        self.raw(b"thinking...")
        super().on_ask(message)


class ThinksInNumbers(Honest):
    """Counts its thoughts aloud."""

    def on_ask(self, message: Message) -> None:
        self.raw(b"7")
        super().on_ask(message)


class TextId(Honest):
    """Writes numbers as texts."""

    def on_ask(self, message: Message) -> None:
        self.act(message, id=str(message["id"]))


class FloatId(Honest):
    """Writes whole numbers with a point."""

    def on_ask(self, message: Message) -> None:
        self.act(message, id=float(message["id"]))


class ActionAndActions(Honest):
    """Gives its action in both ways."""

    def on_ask(self, message: Message) -> None:
        self.act(message, actions=message["legal"][:1])


class LongPlan(Honest):
    """Plans too far ahead."""

    def on_ask(self, message: Message) -> None:
        self.act(message, action=None, actions=message["legal"][:1] * 65)


class NewType(Honest):
    """Invents a message."""

    def on_ask(self, message: Message) -> None:
        self.say(type="thinking", match=message["match"])
        super().on_ask(message)


class TwoKeys(Honest):
    """Says a thing twice in one message."""

    def on_start(self, message: Message) -> None:
        self.raw(b'{"type":"ready","match":"%(m)s","match":"%(m)s"}' % {b"m": message["match"].encode()})


class LoneSurrogate(Honest):
    """Sends half a character."""

    def on_start(self, message: Message) -> None:
        self.raw(b'{"type":"ready","match":"%s","note":"\\ud800"}' % message["match"].encode())


class BinText(Honest):
    """Sends its actions as msgpack bin."""

    def on_ask(self, message: Message) -> None:
        self.act(message, action=message["legal"][0].encode())


class TooLarge(Honest):
    """Sends its whole search tree along."""

    def on_ask(self, message: Message) -> None:
        self.act(message, tree=["x" * 1_000] * 100)


class EndlessLine(Honest):
    """Never comes to the end of its answer."""

    def on_ask(self, message: Message) -> None:
        while True:
            sys.stdout.buffer.write(b'{"tree": [[[[' * 1_000)


class Flood(Honest):
    """Asks again and again whether the referee is there."""

    def on_ask(self, message: Message) -> None:
        for n in range(200):
            self.say(type="ping", n=n)
        super().on_ask(message)


class TwoFrames(Honest):
    """Sends an empty frame before each message, as REQ sockets do."""

    def raw(self, data: bytes) -> None:
        self.socket.send_multipart([b"", data] if b"ready" in data else [data])


class TwoEncodings(Honest):
    """Says hello in msgpack, and answers in JSON."""

    def on_start(self, message: Message) -> None:
        self.raw(json.dumps({"type": "ready", "match": message["match"]}).encode())


if __name__ == "__main__":
    vars()[sys.argv[1]]().run()
