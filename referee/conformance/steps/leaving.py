"""Steps of the end: a refusal, a goodbye, the end of stdin, a signal."""

import time

from protocol.messages import Bye, Refuse
from referee.conformance.conversation import Conversation
from referee.conformance.examinee import Examinee
from referee.conformance.findings import SkipError, UnmetError
from referee.conformance.step import StepNote, step


def _see_out(contact: Conversation, paragraph: str) -> StepNote | None:
    """See the bot out as the referee does: bye has been said, its stdin closes, then SIGTERM comes."""
    limit_s = contact.patience.goodbye_s
    until = time.monotonic() + limit_s
    if contact.leaves(limit_s / 2):
        return None
    contact.wire.hang_up()
    if contact.wire.transport == "stdio" and contact.leaves(limit_s / 4):
        return StepNote("it does not exit on bye, but at the end of its stdin", paragraph)
    assert contact.process is not None
    contact.process.terminate()
    if contact.leaves(until - time.monotonic()):
        return StepNote("it does not exit on bye, but on SIGTERM", paragraph)
    raise UnmetError(
        f"that the bot exits within {limit_s:g} s of the bye, when it is also sent SIGTERM",
        "it still runs",
        "11.5",
    )


@step("refused", "Leaves when it is refused, and does not play on in hope.", "5.2", needs=["slow-welcome"])
def refused(room: Examinee, _case: str) -> StepNote | None:
    """Refuse the bot for its version, for any version."""
    contact = room.another()
    contact.greet()
    why = "this referee speaks version 99 only"
    contact.say(Refuse("version", why))
    contact.say(Bye(why))
    note = _see_out(contact, "5.2")
    room.drop()
    return note


@step("goodbye", "Exits when the referee says bye.", "11.5", needs=["slow-welcome"])
def goodbye(room: Examinee, _case: str) -> StepNote | None:
    """Say bye between two matches."""
    if not room.source.local:
        raise SkipError("not applicable", "the kit did not start this bot, and cannot see its process")
    contact = room.bot()
    contact.say(Bye("the examination is over"))
    note = _see_out(contact, "11.5")
    room.drop()
    return note


@step("end-of-input", "Exits at the end of its stdin.", "11.5", needs=["slow-welcome"], only="stdio")
def end_of_input(room: Examinee, _case: str) -> StepNote | None:
    """Close stdin without a word."""
    contact = room.another()
    room.bot()
    contact.wire.hang_up()
    note = None
    if not contact.leaves(contact.patience.goodbye_s):
        note = StepNote("it does not exit at the end of its stdin", "11.5")
    room.drop()
    return note


@step("sigterm", "Exits on SIGTERM, in the middle of a match.", "11.5", needs=["ready"])
def sigterm(room: Examinee, _case: str) -> StepNote | None:
    """Begin a match and send the signal."""
    contact = room.another()
    room.begun()
    assert contact.process is not None
    contact.process.terminate()
    limit_s = contact.patience.goodbye_s
    if not contact.leaves(limit_s):
        raise UnmetError(f"that the bot exits within {limit_s:g} s of SIGTERM", "it still runs", "11.5")
    room.drop()
    return None


LEAVING = (goodbye, refused, end_of_input, sigterm)
