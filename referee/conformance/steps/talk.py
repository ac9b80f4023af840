"""Steps of the conversation in a match: one answer to each ask, with other messages in between."""

from msgspec.structs import replace

from protocol.messages import Act, Error, Message, Ping, Pong
from referee.conformance.conversation import came_instead
from referee.conformance.examinee import Examinee
from referee.conformance.findings import UnmetError
from referee.conformance.step import StepNote, step

_ERRORS = ("not-now", "unknown-match", "late", "something-new")
"""Codes of errors that ask nothing of a bot, the last one unknown to it."""


@step("ready", "Answers the start of a match with ready.", "6.3", needs=["slow-welcome"])
def ready(examinee: Examinee, _case: str) -> StepNote | None:
    """Begin a match."""
    examinee.opened = examinee.begun()
    return None


@step(
    "act", "Answers an ask with an act of the same match and id, and a legal action.", "6.4", needs=["ready"]
)
def act(examinee: Examinee, _case: str) -> StepNote | None:
    """Ask for one decision of the match that has begun."""
    match = examinee.opened or examinee.begun()
    match.decide()
    match.close()
    return None


@step(
    "next-match", "Plays another match after the end of one, its asks counted from 1.", "5.5", needs=["act"]
)
def next_match(examinee: Examinee, _case: str) -> StepNote | None:
    """Ask for two decisions in each of two matches."""
    for _ in range(2):
        match = examinee.begun()
        match.decide()
        match.decide()
        match.close()
    return None


@step("ping", "Answers a ping with a pong of the same n.", "5.8", needs=["ready"])
def ping(examinee: Examinee, _case: str) -> StepNote | None:
    """Ping twice between two matches."""
    conversation = examinee.bot()
    conversation.ping(2)
    conversation.ping(41)
    return None


@step(
    "ping-thinking",
    "Answers a ping that comes while it thinks, before or after its act.",
    "11.2",
    needs=["next-match", "ping"],
)
def ping_thinking(examinee: Examinee, _case: str) -> StepNote | None:
    """Send a ping right after an ask."""
    conversation = examinee.bot()
    match = examinee.begun()
    match.ask()
    conversation.say(Ping(7))
    heard: set[type[Message]] = set()
    while len(heard) < 2:
        message = conversation.next(conversation.patience.answer_s)
        if isinstance(message, Pong) and message.n == 7:
            heard.add(Pong)
        elif isinstance(message, Act) and conversation.open.pop(message.match, 0) == message.id:
            heard.add(Act)
            match.take(message)
        elif message is None or not conversation.is_stale(message):
            missing = "an act" if Pong in heard else "a pong with n 7"
            raise UnmetError(f"an act and a pong with n 7; now {missing}", came_instead(message), "11.2")
    match.close()
    return None


@step("once", "Says ready once for each start, and answers each ask once.", "6.4", needs=["ping-thinking"])
def once(examinee: Examinee, _case: str) -> StepNote | None:
    """Look for superfluous messages; the pong shows that all have arrived."""
    match = examinee.begun()
    examinee.bot().only_pong("one ready", "6.3")
    match.decide()
    examinee.bot().only_pong("one act", "6.4")
    match.close()
    return None


@step("stale", "Takes an error about a stale answer calmly, and answers the open ask.", "6.6", needs=["once"])
def stale(examinee: Examinee, _case: str) -> StepNote | None:
    """Call an answer stale that was taken, and ask on."""
    conversation = examinee.bot()
    match = examinee.begun()
    match.decide()
    match.ask()
    asked = match.asked
    conversation.say(
        Error("stale", "answer to ask 1, but the open ask is 2", match=asked.match, id=asked.id - 1)
    )
    match.take(match.hear())
    examinee.bot().only_pong("one act for each ask", "6.6")
    match.close()
    return None


@step(
    "errors",
    "Takes errors that ask nothing of it calmly, also those of a code it does not know.",
    "10.4",
    needs=["once"],
)
def errors(examinee: Examinee, _case: str) -> StepNote | None:
    """Send errors in the middle of a match."""
    conversation = examinee.bot()
    match = examinee.begun()
    match.decide()
    for code in _ERRORS:
        conversation.say(Error(code, "sent by the conformance kit", match=match.match.id))
    examinee.bot().only_pong("nothing in answer to an error", "10.4")
    match.decide()
    match.close()
    return None


@step(
    "ask-again",
    "Answers an ask that is sent again after a strike, without its events.",
    "10.4",
    needs=["next-match"],
)
def ask_again(examinee: Examinee, _case: str) -> StepNote | None:
    """Refuse an answer as a strike."""
    conversation = examinee.bot()
    match = examinee.begun()
    match.ask()
    asked = match.asked
    match.hear()
    why = "refused by the conformance kit: answer the same ask once more"
    conversation.say(Error("illegal", why, match=asked.match, id=asked.id))
    conversation.say(replace(asked, events=[]))
    match.take(match.hear())
    match.decide()
    match.close()
    return None


@step(
    "void", "Drops a match that ends while an ask is open, and plays the next.", "5.7", needs=["next-match"]
)
def void(examinee: Examinee, _case: str) -> StepNote | None:
    """End a match right after an ask."""
    match = examinee.begun()
    match.ask()
    match.close()
    another = examinee.begun()
    another.decide()
    another.close()
    return None


TALK = (ready, act, next_match, ping, ping_thinking, once, stale, errors, ask_again, void)
