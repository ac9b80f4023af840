"""Steps about what a message may hold: fields left out, null, unknown; long lists, any script."""

from protocol.limits import INTEGER
from protocol.messages import Error, Ping, Pong
from referee.conformance.examinee import Examinee
from referee.conformance.findings import SkipError, UnmetError
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
def absent_fields(room: Examinee, _case: str) -> StepNote | None:
    """Send a ping without n, and an error without match and id."""
    contact = room.bot()
    contact.say(Error("not-now", "sent by the conformance kit"))
    contact.say(Ping())
    contact.expect(Pong, "a pong with n 0, or without n", "3.4", lambda pong: pong.n == 0)
    return None


@step(
    "null-fields",
    "Takes null, or the default, in optional fields as if they were left out.",
    "3.4",
    needs=["next-match", "ping"],
)
def null_fields(room: Examinee, _case: str) -> StepNote | None:
    """Send as null or by its default what the bot does not want."""
    contact = room.bot()
    assert contact.hello is not None
    wants = contact.hello.wants
    changes: dict[str, object] = {field: None for field in ("view", "legal") if field not in wants}
    if not {"events", "stream"} & set(wants):
        changes["events"] = []
    contact.say(Error("not-now", "sent by the conformance kit"), match=None, id=None)
    contact.say(Ping(), n=0)
    contact.expect(Pong, "a pong with n 0", "3.4", lambda pong: pong.n == 0)
    match = room.begun()
    match.decide(**changes)
    match.close()
    return None


@step(
    "unknown-fields", "Ignores fields that the protocol does not know.", "3.4", needs=["next-match", "ping"]
)
def unknown_fields(room: Examinee, _case: str) -> StepNote | None:
    """Put unknown fields into a start, an ask and a ping."""
    contact = room.bot()
    match = room.match()
    contact.say(match.start(), **_UNKNOWN)
    match.expect_ready()
    match.decide(**_UNKNOWN)
    match.close()
    contact.say(Ping(5), **_UNKNOWN)
    contact.expect(Pong, "a pong with n 5", "3.4", lambda pong: pong.n == 5)
    return None


@step("field-order", "Relies on no order of fields.", "3.1", needs=["next-match", "ping"])
def field_order(room: Examinee, _case: str) -> StepNote | None:
    """Send a start, an ask and a ping with `type` last."""
    contact = room.bot()
    match = room.match()
    try:
        contact.say_reversed(match.start())
        match.expect_ready()
        ask = match.prepare()
        assert ask is not None
        contact.say_reversed(ask)
        match.take(match.hear())
    except UnmetError as unmet:
        room.drop()
        return StepNote(f"it relies on the order of fields: {unmet}", "3.1")
    match.close()
    return None


@step("numbers", "Reads and writes integers up to 2^53 - 1.", "3.2", needs=["ping"])
def numbers(room: Examinee, _case: str) -> StepNote | None:
    """Ping with the largest integers."""
    contact = room.bot()
    for n in (255, 65_536, 2**31, 2**32, INTEGER):
        contact.ping(n)
    return None


@step(
    "long-ids",
    "Copies match ids of 128 characters, of every kind they may have.",
    "3.7",
    needs=["next-match"],
)
def long_ids(room: Examinee, _case: str) -> StepNote | None:
    """Play a match of an odd name."""
    match = room.begun(match=_LONG_ID)
    match.decide()
    match.close()
    return None


@step("unicode", "Reads names in any script, with quotes and brackets in them.", "3.3", needs=["next-match"])
def unicode(room: Examinee, _case: str) -> StepNote | None:
    """Play a match among bots of many names."""
    game, seats = room.tables()[-1]
    match = room.begun((game, seats), names=[_NAMES[n % len(_NAMES)] for n in range(seats)])
    match.decide()
    match.close()
    return None


def _crowds(room: Examinee) -> list[str]:
    return [game.info.id for game in room.games() if room.seats_of(game)]


@step(
    "long-lists",
    "Reads long lists of legal actions in each game, and hundreds of events.",
    "3.6",
    needs=["next-match"],
    cases=_crowds,
)
def long_lists(room: Examinee, case: str) -> StepNote | None:
    """Ask at the most crowded position of a match."""
    game = next(game for game in room.games() if game.info.id == case)
    seats = room.seats_of(game)[-1]
    position = crowded(game, seats)
    opening = (position.state.clone(), position.events)
    match = room.begun((game, seats), position.seat, opening=opening)
    match.decide()
    match.close()
    return None


@step("mebibyte", "Reads a message of 1 MiB.", "3.6", needs=["unknown-fields"])
def mebibyte(room: Examinee, _case: str) -> StepNote | None:
    """Send an ask with an unknown field that is very long."""
    try:
        match = room.begun()
        match.decide(x_padding="x" * (_MEBIBYTE - 65_536))
        match.close()
    except UnmetError as unmet:
        room.drop()
        return StepNote(f"it cannot read a message of nearly 1 MiB: {unmet}", "3.6")
    return None


def _plays_a_little(room: Examinee) -> None:
    match = room.begun()
    for _ in range(10):
        if not match.decide():
            break
    match.close()


def _wants(room: Examinee) -> set[str]:
    assert room.hello is not None
    return set(room.hello.wants)


@step(
    "events-without-view",
    "Plays on events without a view, if that is what it wants.",
    "7.2",
    needs=["next-match"],
)
def events_without_view(room: Examinee, _case: str) -> StepNote | None:
    """Play some decisions on that diet."""
    wants = _wants(room)
    if "view" in wants or not wants & {"events", "stream"}:
        raise SkipError("not applicable", f"it wants {', '.join(sorted(wants)) or 'nothing'}")
    _plays_a_little(room)
    return None


@step(
    "view-without-events",
    "Plays on a view without events, if that is what it wants.",
    "7.2",
    needs=["next-match"],
)
def view_without_events(room: Examinee, _case: str) -> StepNote | None:
    """Play some decisions on that diet."""
    wants = _wants(room)
    if "view" not in wants or wants & {"events", "stream"}:
        raise SkipError("not applicable", f"it wants {', '.join(sorted(wants)) or 'nothing'}")
    _plays_a_little(room)
    return None


@step("stream", "Takes events as they happen, if it wants them; answers no `tell`.", "5.6", needs=["once"])
def stream(room: Examinee, _case: str) -> StepNote | None:
    """Play some decisions with `tell` messages between them, and check that each ask is answered once."""
    if "stream" not in _wants(room):
        raise SkipError("not applicable", "it does not want stream")
    contact = room.bot()
    match = room.begun()
    for _ in range(10):
        ask = match.prepare()
        if ask is None:
            break
        contact.only_pong("nothing in answer to a tell", "5.6")
        contact.say(ask)
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
