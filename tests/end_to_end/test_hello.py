"""What comes in place of a hello, or of a message, and how it is reported."""

import sys
from pathlib import Path

import pytest

from referee.match.faults import ADVICE, FaultCode, Profile
from referee.process.spec import BotSpec, Transport, program
from referee.replay.dossier import DOSSIER_SUFFIX, read_dossier
from tests.end_to_end.hubs import ROOT, UNHURRIED, pairings, play, sample

HELLO = """
import json, os, sys
hello = {"type": "hello", "protocol": [1], "name": "x", "wants": ["legal"]}
def send(message):
    print(json.dumps(message), flush=True)
def play():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            send({"type": "ready", "match": message["match"]})
        elif message["type"] == "ask":
            decide(message)
        elif message["type"] in ("bye", "refuse"):
            sys.exit(0)
def decide(ask):
    send({"type": "act", "match": ask["match"], "id": ask["id"], "action": ask["legal"][0]})
"""


def fault_of(
    folder: Path, script: str, transport: Transport, profile: Profile = UNHURRIED
) -> tuple[str, str]:
    """Return fault and reason of a bot with this script, in a match against a sample."""
    bot = BotSpec("x", program([sys.executable, "-c", HELLO + script], ROOT), transport)
    matches = pairings(["x", "first"], 1)
    (finished,) = play([bot, sample("first")], matches, jobs=1, replays=folder, profile=profile)
    assert finished.replay is not None
    if not any(finished.result.faults):
        return "", ""
    seat = read_dossier(folder / f"{finished.result.match}{DOSSIER_SUFFIX}").seats[0]
    return seat.fault, seat.why


@pytest.mark.parametrize("token", ["'wrong'", "None"])
def test_2_1_a_wrong_token_is_refused_on_stdin_and_stdout_too(tmp_path: Path, token: str) -> None:
    script = f"print('a log line'); send(hello | {{'token': {token}}})\nplay()"
    fault, why = fault_of(tmp_path, script, "auto")
    assert fault == "no-hello"
    assert "REFEREE_TOKEN" in why


def test_2_1_the_right_token_is_admitted_on_stdin_and_stdout(tmp_path: Path) -> None:
    script = "print('a log line'); send(hello | {'token': os.environ['REFEREE_TOKEN']})\nplay()"
    assert fault_of(tmp_path, script, "auto") == ("", "")
    assert "REFEREE_TOKEN" in ADVICE[FaultCode.NO_HELLO], "a bot that is written by hand often forgets it"


@pytest.mark.parametrize(
    ("hello", "why"),
    [
        ("send(hello | {'name': ''})", "$.name"),
        ("send(hello | {'capacity': 0})", "$.capacity"),
        ("""print('{"type": "hello", "protocol": [1], "name": x}', flush=True)""", "JSON text wrong"),
    ],
)
@pytest.mark.parametrize("transport", ["auto", "stdio"])
def test_6_1_a_bad_hello_is_malformed_on_every_transport(
    tmp_path: Path, hello: str, why: str, transport: Transport
) -> None:
    fault, reason = fault_of(tmp_path, f"{hello}\nplay()", transport)
    assert fault == "malformed"
    assert why in reason


@pytest.mark.parametrize("transport", ["auto", "zmq"])
def test_6_1_a_bad_hello_over_zeromq_is_malformed(tmp_path: Path, transport: Transport) -> None:
    script = (
        "import zmq\n"
        "dealer = zmq.Context().socket(zmq.DEALER)\n"
        "dealer.connect(os.environ['REFEREE_ADDRESS'])\n"
        "dealer.send_string(json.dumps(hello | {'capacity': 0}))\n"
        "dealer.recv()\n"
    )
    fault, why = fault_of(tmp_path, script, transport)
    assert fault == "malformed"
    assert "$.capacity" in why


DEALER = """
import zmq
dealer = zmq.Context().socket(zmq.DEALER)
dealer.connect(os.environ['REFEREE_ADDRESS'])
"""


@pytest.mark.parametrize("token", ["'wrong'", "None"])
@pytest.mark.parametrize("transport", ["auto", "zmq"])
def test_2_1_a_wrong_token_over_zeromq_is_reported_as_one(
    tmp_path: Path, token: str, transport: Transport
) -> None:
    sent = f"dealer.send_string(json.dumps(hello | {{'token': {token}}}))\ndealer.recv()\n"
    fault, why = fault_of(tmp_path, DEALER + sent, transport)
    assert fault == "no-hello"
    assert "REFEREE_TOKEN" in why


STRANGERS = {
    "wrong token": "json.dumps(hello | {'token': 'wrong'}).encode()",
    "bad hello": "json.dumps(hello | {'capacity': 0}).encode()",
    "no message": "b'Hello there'",
}


@pytest.mark.parametrize("sent", STRANGERS.values(), ids=STRANGERS)
def test_what_a_stranger_says_at_its_gate_does_not_harm_a_bot(tmp_path: Path, sent: str) -> None:
    # At level trusted another program can find the socket, and be there before the bot.
    script = f"""{DEALER}
dealer.send({sent})
dealer.recv()
dealer.close()
os.environ["REFEREE_TRANSPORT"] = "zmq"
from protocol.client import run
run(lambda view, legal: legal[0], name="x")
"""
    assert fault_of(tmp_path, script, "zmq") == ("", "")


def test_a_bad_hello_is_the_reason_if_no_good_one_comes_in_time(tmp_path: Path) -> None:
    sent = "dealer.send_string(json.dumps(hello | {'capacity': 0}))\nwhile True: dealer.recv()\n"
    fault, why = fault_of(tmp_path, DEALER + sent, "zmq", UNHURRIED.timed({"hello_ms": 4_000}))
    assert fault == "malformed"
    assert "$.capacity" in why


def test_2_2_a_hello_of_several_frames_is_malformed(tmp_path: Path) -> None:
    sent = "dealer.send_multipart([b'', json.dumps(hello).encode()])\ndealer.recv()\n"
    fault, why = fault_of(tmp_path, DEALER + sent, "zmq")
    assert fault == "malformed"
    assert "a message of 2 frames instead of one" in why


def test_2_2_a_frame_of_plain_text_is_reported_with_its_text(tmp_path: Path) -> None:
    sent = "dealer.send(b'Hello there')\ndealer.recv()\n"
    fault, why = fault_of(tmp_path, DEALER + sent, "zmq")
    assert fault == "malformed"
    assert "it was 'Hello there'" in why


@pytest.mark.parametrize("transport", ["auto", "stdio"])
def test_2_6_a_stray_line_on_stdout_is_reported_with_its_text(tmp_path: Path, transport: Transport) -> None:
    script = (
        "def decide(ask): print('debug: my hand is bad', flush=True)\n"
        "send(hello | {'token': os.environ.get('REFEREE_TOKEN')})\nplay()"
    )
    fault, why = fault_of(tmp_path, script, transport)
    assert fault == "malformed"
    assert "debug: my hand is bad" in why
    assert "msgpack" not in why
    assert "a log belongs on stderr" in why


def test_7_1_words_in_wants_that_are_not_known_are_ignored(tmp_path: Path) -> None:
    script = "send(hello | {'wants': ['legal', 'weather']})\nplay()"
    assert fault_of(tmp_path, script, "stdio") == ("", "")
