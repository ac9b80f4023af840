"""Steps of the greeting: everything before the first match."""

from protocol.limits import VERSION
from protocol.messages import Bye, Ping, Pong, Refuse
from referee.conformance.conversation import called
from referee.conformance.examinee import Examinee
from referee.conformance.findings import Finding, SkipError, UnmetError
from referee.conformance.step import StepNote, step

_WELCOME_S = 0.25
"""How long the welcome is put off: many times what it takes a bot to say what it should not."""


@step("hello", "Says hello as soon as it can talk, and in time.", "4.1")
def hello(examinee: Examinee, _case: str) -> StepNote | None:
    """Hear the hello."""
    conversation = examinee.arrive()
    try:
        examinee.hello = conversation.hello or conversation.greet()
    except UnmetError as unmet:
        if unmet.step == "well-formed":
            # 6.1: a bad message in place of the hello is a bad hello.
            unmet.step = ""
        raise
    return None


@step("version", "Speaks a version of the protocol that the referee speaks.", "6.2", needs=["hello"])
def version(examinee: Examinee, _case: str) -> StepNote | None:
    """Look at the versions in the hello."""
    assert examinee.hello is not None
    if VERSION not in examinee.hello.protocol:
        why = f"the referee speaks version {VERSION}"
        conversation = examinee.arrive()
        conversation.say(Refuse("version", why))
        conversation.say(Bye(why))
        raise UnmetError(f"{VERSION} among the versions in `protocol`", f"{examinee.hello.protocol}", "6.2")
    return None


@step("token", "Sends the REFEREE_TOKEN of its environment back in its hello.", "2.1", needs=["hello"])
def token(examinee: Examinee, _case: str) -> StepNote | None:
    """Compare the token."""
    conversation = examinee.arrive()
    if not conversation.token:
        raise SkipError(Finding.NOT_APPLICABLE, "the kit did not start this bot and gave it no token")
    hello = conversation.hello or conversation.greet()
    if hello.token != conversation.token:
        raise UnmetError(f"the token {conversation.token!r}", f"{hello.token!r} as token", "2.1")
    return None


@step(
    "slow-welcome",
    "Waits for a welcome that is slow to come, and says nothing before it but its hello.",
    "6.1",
    needs=["version", "token"],
)
def slow_welcome(examinee: Examinee, _case: str) -> StepNote | None:
    """Put off the welcome."""
    conversation = examinee.arrive()
    message = conversation.next(_WELCOME_S)
    if message is not None:
        raise UnmetError("nothing until the welcome", f"{called(message)} before the welcome", "6.1")
    if conversation.has_ended():
        raise UnmetError("that the bot waits for its welcome", "it has gone", "6.1")
    return None


@step("early-ping", "Answers a ping that comes before its welcome.", "5.8", needs=["slow-welcome"])
def early_ping(examinee: Examinee, _case: str) -> StepNote | None:
    """Ping before the welcome."""
    conversation = examinee.arrive()
    conversation.say(Ping(), n=0)
    conversation.expect(Pong, "a pong with n 0", "5.8", lambda pong: pong.n == 0)
    return None


GREETING = (hello, version, token, slow_welcome, early_ping)
