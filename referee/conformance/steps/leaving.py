"""Steps of the end: a refusal, a goodbye, the end of stdin, a signal."""

import time

from protocol.messages import Bye, Refuse
from referee.conformance.conversation import Conversation
from referee.conformance.examinee import Examinee
from referee.conformance.findings import Finding, SkipError, UnmetError
from referee.conformance.step import StepNote, step


def _see_out(conversation: Conversation, paragraph: str) -> StepNote | None:
    """See the bot out as the referee does: bye has been said, its stdin closes, then SIGTERM comes."""
    limit_s = conversation.patience.goodbye_s
    until = time.monotonic() + limit_s
    if conversation.leaves(limit_s / 2):
        return None
    conversation.wire.hang_up()
    if conversation.wire.transport == "stdio" and conversation.leaves(limit_s / 4):
        return StepNote("it does not exit on bye, but at the end of its stdin", paragraph)
    assert conversation.process is not None
    conversation.process.terminate()
    if conversation.leaves(until - time.monotonic()):
        return StepNote("it does not exit on bye, but on SIGTERM", paragraph)
    raise UnmetError(
        f"that the bot exits within {limit_s:g} s of the bye, when it is also sent SIGTERM",
        "it still runs",
        "11.5",
    )


@step("refused", "Leaves when it is refused, and does not play on in hope.", "5.2", needs=["slow-welcome"])
def refused(examinee: Examinee, _case: str) -> StepNote | None:
    """Refuse the bot for its version, for any version."""
    conversation = examinee.another()
    conversation.greet()
    why = "this referee speaks version 99 only"
    conversation.say(Refuse("version", why))
    conversation.say(Bye(why))
    note = _see_out(conversation, "5.2")
    examinee.drop()
    return note


@step("goodbye", "Exits when the referee says bye.", "11.5", needs=["slow-welcome"])
def goodbye(examinee: Examinee, _case: str) -> StepNote | None:
    """Say bye between two matches."""
    if not examinee.launcher.local:
        raise SkipError(Finding.NOT_APPLICABLE, "the kit did not start this bot, and cannot see its process")
    conversation = examinee.bot()
    conversation.say(Bye("the examination is over"))
    note = _see_out(conversation, "11.5")
    examinee.drop()
    return note


@step("end-of-input", "Exits at the end of its stdin.", "11.5", needs=["slow-welcome"], only="stdio")
def end_of_input(examinee: Examinee, _case: str) -> StepNote | None:
    """Close stdin without a word."""
    conversation = examinee.another()
    examinee.bot()
    conversation.wire.hang_up()
    note = None
    if not conversation.leaves(conversation.patience.goodbye_s):
        note = StepNote("it does not exit at the end of its stdin", "11.5")
    examinee.drop()
    return note


@step("sigterm", "Exits on SIGTERM, in the middle of a match.", "11.5", needs=["ready"])
def sigterm(examinee: Examinee, _case: str) -> StepNote | None:
    """Begin a match and send the signal."""
    conversation = examinee.another()
    examinee.begun()
    assert conversation.process is not None
    conversation.process.terminate()
    limit_s = conversation.patience.goodbye_s
    if not conversation.leaves(limit_s):
        raise UnmetError(f"that the bot exits within {limit_s:g} s of SIGTERM", "it still runs", "11.5")
    examinee.drop()
    return None


LEAVING = (goodbye, refused, end_of_input, sigterm)
