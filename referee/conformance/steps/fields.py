"""Steps about what a message may hold: fields left out, null, unknown; long lists, any script."""

from protocol.limits import INTEGER
from protocol.messages import Error, Ping, Pong
from referee.conformance.examinee import Examinee
from referee.conformance.findings import Finding, SkipError, UnmetError
from referee.conformance.scripted_match import crowded
from referee.conformance.step import StepNote, step

_UNKNOWN = {"x_new": {"deep": [1, None, True, {"legal": ["?"]}]}, "x_text": "ignore me"}
"""Fields that no version of the protocol has."""

_LONG_ID = "check~" + "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) not in '"\\')
_LONG_ID = (_LONG_ID * 2)[:128]
"""As long as a match id may be, with every character it may have."""

_NAMES = ('Zoë "the \\ fox" {["legal"]},', "王小明 ♠ 🂡", "עברית ñandú ﬁ", "Ἀθηνᾶ", "приве́т", "हिन्दी")

_MEBIBYTE = 1 << 20


@step(
    "absent-fields",
    "Takes the defaults of optional fields that are left out.",
    "3.4",
    needs=["next-match", "ping"],
)
def absent_fields(examinee: Examinee, _case: str) -> StepNote | None:
    """Send a ping without n, and an error without match and id."""
    conversation = examinee.bot()
    conversation.say(Error("not-now", "sent by the conformance kit"))
    conversation.say(Ping())
    conversation.expect(Pong, "a pong with n 0, or without n", "3.4", lambda pong: pong.n == 0)
    return None


@step(
    "null-fields",
    "Takes null, or the default, in optional fields as if they were left out.",
    "3.4",
    needs=["next-match", "ping"],
)
def null_fields(examinee: Examinee, _case: str) -> StepNote | None:
    """Send as null or by its default what the bot does not want."""
    conversation = examinee.bot()
    assert conversation.hello is not None
    wants = conversation.hello.wants
    changes: dict[str, object] = {field: None for field in ("view", "legal") if field not in wants}
    if not {"events", "stream"} & set(wants):
        changes["events"] = []
    conversation.say(Error("not-now", "sent by the conformance kit"), match=None, id=None)
    conversation.say(Ping(), n=0)
    conversation.expect(Pong, "a pong with n 0", "3.4", lambda pong: pong.n == 0)
    match = examinee.begun()
    match.decide(**changes)
    match.close()
    return None


@step(
    "unknown-fields", "Ignores fields that the protocol does not know.", "3.4", needs=["next-match", "ping"]
)
def unknown_fields(examinee: Examinee, _case: str) -> StepNote | None:
    """Put unknown fields into a start, an ask and a ping."""
    conversation = examinee.bot()
    match = examinee.match()
    conversation.say(match.start(), **_UNKNOWN)
    match.expect_ready()
    match.decide(**_UNKNOWN)
    match.close()
    conversation.say(Ping(5), **_UNKNOWN)
    conversation.expect(Pong, "a pong with n 5", "3.4", lambda pong: pong.n == 5)
    return None


@step("field-order", "Relies on no order of fields.", "3.1", needs=["next-match", "ping"])
def field_order(examinee: Examinee, _case: str) -> StepNote | None:
    """Send a start, an ask and a ping with `type` last."""
    conversation = examinee.bot()
    match = examinee.match()
    try:
        conversation.say_reversed(match.start())
        match.expect_ready()
        ask = match.prepare()
        assert ask is not None
        conversation.say_reversed(ask)
        match.take(match.hear())
    except UnmetError as unmet:
        examinee.drop()
        return StepNote(f"it relies on the order of fields: {unmet}", "3.1")
    match.close()
    return None


@step("numbers", "Reads and writes integers up to 2^53 - 1.", "3.2", needs=["ping"])
def numbers(examinee: Examinee, _case: str) -> StepNote | None:
    """Ping with the largest integers."""
    conversation = examinee.bot()
    for n in (255, 65_536, 2**31, 2**32, INTEGER):
        conversation.ping(n)
    return None


@step(
    "long-ids",
    "Copies match ids of 128 characters, of every kind they may have.",
    "3.7",
    needs=["next-match"],
)
def long_ids(examinee: Examinee, _case: str) -> StepNote | None:
    """Play a match of an odd name."""
    match = examinee.begun(match=_LONG_ID)
    match.decide()
    match.close()
    return None


@step("unicode", "Reads names in any script, with quotes and brackets in them.", "3.3", needs=["next-match"])
def unicode(examinee: Examinee, _case: str) -> StepNote | None:
    """Play a match among bots of many names."""
    game, seats = examinee.setups()[-1]
    match = examinee.begun((game, seats), names=[_NAMES[n % len(_NAMES)] for n in range(seats)])
    match.decide()
    match.close()
    return None


def _crowds(examinee: Examinee) -> list[str]:
    return [game.info.id for game in examinee.games() if examinee.seats_of(game)]


@step(
    "long-lists",
    "Reads long lists of legal actions in each game, and hundreds of events.",
    "3.6",
    needs=["next-match"],
    cases=_crowds,
)
def long_lists(examinee: Examinee, case: str) -> StepNote | None:
    """Ask at the most crowded position of a match."""
    game = next(game for game in examinee.games() if game.info.id == case)
    seats = examinee.seats_of(game)[-1]
    position = crowded(game, seats)
    opening = (position.state.clone(), position.events)
    match = examinee.begun((game, seats), position.seat, opening=opening)
    match.decide()
    match.close()
    return None


@step("mebibyte", "Reads a message of 1 MiB.", "3.6", needs=["unknown-fields"])
def mebibyte(examinee: Examinee, _case: str) -> StepNote | None:
    """Send an ask with an unknown field that is very long."""
    try:
        match = examinee.begun()
        match.decide(x_padding="x" * (_MEBIBYTE - 65_536))
        match.close()
    except UnmetError as unmet:
        examinee.drop()
        return StepNote(f"it cannot read a message of nearly 1 MiB: {unmet}", "3.6")
    return None


def _plays_a_little(examinee: Examinee) -> None:
    match = examinee.begun()
    for _ in range(10):
        if not match.decide():
            break
    match.close()


def _wants(examinee: Examinee) -> set[str]:
    assert examinee.hello is not None
    return set(examinee.hello.wants)


@step(
    "events-without-view",
    "Plays on events without a view, if that is what it wants.",
    "7.2",
    needs=["next-match"],
)
def events_without_view(examinee: Examinee, _case: str) -> StepNote | None:
    """Play some decisions on that diet."""
    wants = _wants(examinee)
    if "view" in wants or not wants & {"events", "stream"}:
        raise SkipError(Finding.NOT_APPLICABLE, f"it wants {', '.join(sorted(wants)) or 'nothing'}")
    _plays_a_little(examinee)
    return None


@step(
    "view-without-events",
    "Plays on a view without events, if that is what it wants.",
    "7.2",
    needs=["next-match"],
)
def view_without_events(examinee: Examinee, _case: str) -> StepNote | None:
    """Play some decisions on that diet."""
    wants = _wants(examinee)
    if "view" not in wants or wants & {"events", "stream"}:
        raise SkipError(Finding.NOT_APPLICABLE, f"it wants {', '.join(sorted(wants)) or 'nothing'}")
    _plays_a_little(examinee)
    return None


@step("stream", "Takes events as they happen, if it wants them; answers no `tell`.", "5.6", needs=["once"])
def stream(examinee: Examinee, _case: str) -> StepNote | None:
    """Play some decisions with `tell` messages between them, and check that each ask is answered once."""
    if "stream" not in _wants(examinee):
        raise SkipError(Finding.NOT_APPLICABLE, "it does not want stream")
    conversation = examinee.bot()
    match = examinee.begun()
    for _ in range(10):
        ask = match.prepare()
        if ask is None:
            break
        conversation.only_pong("nothing in answer to a tell", "5.6")
        conversation.say(ask)
        match.take(match.hear())
    match.close()
    return None


FIELDS = (
    absent_fields,
    null_fields,
    unknown_fields,
    field_order,
    numbers,
    long_ids,
    unicode,
    long_lists,
    mebibyte,
    events_without_view,
    view_without_events,
    stream,
)
