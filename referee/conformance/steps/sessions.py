"""Steps of lost connections, which only bots on ZeroMQ can have, and which they may come back from."""

import time

from protocol.messages import Error, Hello, Ping, Pong
from referee.conformance.conversation import Conversation
from referee.conformance.examinee import Examinee, Stray
from referee.conformance.findings import Finding, SkipError, UnmetError
from referee.conformance.launcher import SocketLauncher
from referee.conformance.scripted_match import ScriptedMatch
from referee.conformance.step import StepNote, step
from referee.conformance.transports import SocketTransport

_SILENCE_S = 5.0
"""After this time without a word a bot should ask whether the referee is still there."""


@step(
    "resume",
    "Says hello with its session when the referee has lost it, and answers what is sent again.",
    "11.3",
    needs=["ping-thinking"],
    only="zmq",
)
def resume(examinee: Examinee, _case: str) -> StepNote | None:
    """Lose an answer, and the session with it."""
    conversation = examinee.bot()
    match = examinee.begun()
    match.ask()
    before = match.hear()
    conversation.say(Error("no-session", "the referee does not know this connection: say hello"))
    conversation.say(Ping(3))
    message = conversation.next(conversation.patience.answer_s)
    if isinstance(message, Pong):
        match.take(before)
        match.close()
        raise SkipError(
            Finding.NOT_OFFERED, "it does not say hello again when the referee has lost its session"
        )
    if not isinstance(message, Hello):
        raise UnmetError("a hello with its session, or else a pong", "neither", "11.3")
    note = _welcome_back(conversation, match, message, before.action)
    if isinstance(examinee.launcher, SocketLauncher):
        lost = examinee.launcher.fresh_at("tcp://127.0.0.1:*")
        try:
            examinee.stray = _lose(lost, examinee)
        except UnmetError:
            lost.close()
            raise
    return note


def _welcome_back(
    conversation: Conversation, match: ScriptedMatch, hello: Hello, action: str | None
) -> StepNote | None:
    """Resume the session and send the open ask again."""
    if hello.session != conversation.session:
        raise UnmetError(
            f"a hello with session {conversation.session!r}, from the welcome", f"{hello.session!r}", "10.9"
        )
    conversation.take_hello(hello)
    conversation.welcome(resumed=True)
    conversation.say(match.asked)
    again = match.hear()
    match.take(again)
    match.close()
    if again.action != action:
        return StepNote("it answers an ask that is sent again in another way than before", "11.3")
    return None


def _lose(conversation: Conversation, examinee: Examinee) -> Stray:
    """Play up to an answer, and lose it with the connection."""
    conversation.greet()
    conversation.welcome()
    match = ScriptedMatch(conversation, "check-lost", *examinee.setups()[0])
    match.begin()
    match.ask()
    act = match.hear()
    assert isinstance(conversation.wire, SocketTransport)
    conversation.wire.reopen()
    return Stray(conversation, match, act, time.monotonic())


@step(
    "reconnect",
    "Notices in its silence that its connection was lost, and comes back with its session.",
    "11.1",
    needs=["resume"],
    last=True,
    only="zmq",
)
def reconnect(examinee: Examinee, _case: str) -> StepNote | None:
    """Wait for a bot whose connection was lost some time ago."""
    if examinee.stray is None:
        if examinee.launcher.local:
            raise SkipError(Finding.NOT_OFFERED, "it does not come back, see resume")
        raise SkipError(
            Finding.NOT_APPLICABLE, "the kit did not start this bot: interrupt its connection yourself"
        )
    examinee.drop()
    conversation, match, act, lost_s = examinee.stray
    examinee.conversation, examinee.stray = conversation, None
    # The match may have been lost long ago, and the bot be late for reasons of its own.
    left_s = conversation.patience.answer_s + max(0.0, lost_s + _SILENCE_S - time.monotonic())
    try:
        hello = conversation.expect(Hello, "a hello with its session", "11.1", within_s=left_s)
    except UnmetError as unmet:
        return StepNote(f"its connection was lost, and it did not come back: {unmet}", "11.1")
    return _welcome_back(conversation, match, hello, act.action)


SESSIONS = (resume, reconnect)
