"""What is kept of a match that is being played."""

from referee import registry
from referee.gate.records import Misbehaved, Quote
from referee.hub.pairing import Pairing
from referee.hub.running_match import RunningMatch
from referee.match.faults import PROFILES, FaultCode
from referee.match.result import Result, SeatResult


def test_the_dossier_has_the_last_messages_and_every_broken_one_in_order() -> None:
    pairing = Pairing("m", registry.game("coins"), ("a", "b"), b"k" * 32, PROFILES["classroom"], {})
    running = RunningMatch(pairing, [None, None], (None, None))
    broken = Misbehaved(0, FaultCode.MALFORMED, "no message", Quote("thinking", 0, 8))
    second = Misbehaved(0, FaultCode.MALFORMED, "no message", Quote("still thinking", 0, 14))
    for number in range(60):
        if number in (1, 50):
            running.note_broken(0, running.began_ns + number, broken if number == 1 else second)
        running.traffic[0].append((running.began_ns + number, b'{"type":"ping","n":1}'))
    result = Result("m", "coins", (SeatResult("a"), SeatResult("b")), "", "draw", 0)
    messages = running.seat_dossier(result, 0).messages
    assert [said.line for said in messages if said.bytes] == ["thinking", "still thinking"]
    assert messages[0].line == "thinking", "the cause of an early strike is kept too"
    assert len(messages) == 17
    assert running.seat_dossier(result, 1).messages == ()
