"""The conformance kit against bots that break one rule each: it fails that step and no other."""

import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from referee.conformance import spec
from referee.conformance.conversation import KitTimeouts
from referee.conformance.findings import StepResult
from referee.conformance.runner import Examination, ExaminationPlan
from referee.conformance.steps import STEPS
from referee.process.forkserver import Forkserver
from referee.process.spec import Transport, program
from tests.bad_bots import nonconforming
from tests.end_to_end.hubs import ROOT

NONCONFORMING = ROOT / "tests" / "bad_bots" / "nonconforming.py"


class Fails(NamedTuple):
    """What the kit must find out about a bot."""

    step: str
    why: str
    """Words of the verdict: its own reason."""
    paragraph: str
    transport: Transport = "stdio"
    waits: str = ""
    """For what the kit waits in vain: it need not wait long then."""
    game: str = "coins"
    seats: tuple[int, ...] = (2,)
    steps: tuple[str, ...] = ()


BROKEN = {
    "Silent": Fails("hello", "nothing of the kind came within 6 s", "4.1", waits="hello"),
    "ExitsAtOnce": Fails("hello", "the bot has gone", "4.1"),
    "NoName": Fails("hello", "$.name: missing", "4.1"),
    "OtherVersion": Fails("version", "[2, 3]", "6.2"),
    "NoToken": Fails("token", "None as token", "2.1"),
    "WrongToken": Fails("token", "'sesame' as token", "2.1", "zmq"),
    "Impatient": Fails("slow-welcome", "a ready before the welcome", "6.1"),
    "HelloTwice": Fails("slow-welcome", "a hello before the welcome", "6.1", "zmq"),
    "DeafBeforeWelcome": Fails("early-ping", "nothing of the kind", "5.8", waits="answer"),
    "StaysWhenRefused": Fails("refused", "it still runs", "11.5", waits="goodbye"),
    "NeverReady": Fails("ready", "nothing of the kind", "6.3", waits="answer"),
    "ReadyForAnother": Fails("ready", "is not that", "6.3"),
    "NeverActs": Fails("act", "nothing of the kind", "6.4", waits="answer"),
    "WrongMatch": Fails("act", "is not that", "6.4"),
    "WrongId": Fails("act", "is not that", "6.4", "zmq"),
    "Illegal": Fails("act", "'play Z99 1' is not legal", "4.3"),
    "CountsOn": Fails("next-match", "is not that", "6.4"),
    "OneMatchOnly": Fails("next-match", "the bot has gone", "6.3"),
    "SaysBye": Fails("next-match", "a bye came that nothing called for", "6.3"),
    "TwoReadies": Fails("once", "a ready came", "6.3"),
    "TwoActs": Fails("once", "an act came", "6.4"),
    "NeverPongs": Fails("ping", "nothing of the kind", "5.8", waits="answer"),
    "PongsZero": Fails("ping", "is not that", "5.8"),
    "DeafInMatches": Fails("ping-thinking", "nothing more came", "11.2", waits="answer"),
    "DiesOfStale": Fails("stale", "nothing more came", "5.8"),
    "AnswersStale": Fails("stale", "an act came", "6.6"),
    "KnowsAllErrors": Fails("errors", "nothing more came", "5.8"),
    "DiesOfStrike": Fails("ask-again", "the bot has gone", "6.4"),
    "OnceAnId": Fails("ask-again", "nothing of the kind", "6.4", waits="answer"),
    "DisturbedByEnd": Fails("void", "the bot has gone", "6.3", steps=("void",)),
    "NeedsN": Fails("absent-fields", "the bot has gone", "3.4"),
    "NeedsMatch": Fails("absent-fields", "the bot has gone", "3.4"),
    "LooksIntoView": Fails("null-fields", "the bot has gone", "6.4"),
    "KnowsAllFields": Fails("unknown-fields", "the bot has gone", "6.4"),
    "SmallNumbers": Fails("numbers", "is not that", "5.8"),
    "ShortIds": Fails("long-ids", "is not that", "6.3"),
    "AsciiOnly": Fails("unicode", "the bot has gone", "6.3"),
    "FewActions": Fails("long-lists", "the bot has gone", "6.4", game="chicago-poker", seats=(6,)),
    "LooksForView": Fails("events-without-view", "the bot has gone", "6.4", steps=("events-without-view",)),
    "LooksForEvents": Fails("view-without-events", "the bot has gone", "6.4", steps=("view-without-events",)),
    "AnswersTell": Fails("stream", "an act came", "5.6"),
    "OneAtATime": Fails("capacity", "the bot has gone", "6.5"),
    "MixesMatches": Fails("capacity", "nothing of the kind", "6.4", waits="answer"),
    "DiesLater": Fails("whole-match", "the bot has gone", "6.4"),
    "IllegalLater": Fails("whole-match", "'cheat' is not legal", "4.3"),
    "NotForThree": Fails("whole-match", "nothing of the kind", "6.3", waits="answer", seats=(2, 3, 4)),
    "BadPlan": Fails("plan", "'cheat' is not legal", "6.8", game="chicago"),
    "ForgetsSession": Fails("resume", "None", "10.9", "zmq"),
    "WrongSession": Fails("resume", "'mine'", "10.9", "zmq"),
    "AnswersOnceOnly": Fails("resume", "nothing of the kind", "6.4", "zmq", waits="answer"),
    "StaysAfterBye": Fails("goodbye", "it still runs", "11.5", waits="goodbye"),
    "IgnoresSigterm": Fails("sigterm", "it still runs", "11.5", waits="goodbye"),
    "Banner": Fails("clean-stdout", "ZooBot 1.0", "2.6"),
    "Chatty": Fails("clean-stdout", "thinking...", "2.6"),
    "ThinksInNumbers": Fails("clean-stdout", "the line 7", "2.6"),
    "TextId": Fails("well-formed", "$.id: expected int, got str", "4.3"),
    "FloatId": Fails("well-formed", "$.id: expected an integer, got a float", "3.2"),
    "ActionAndActions": Fails("well-formed", "exactly one of action and actions", "4.3"),
    "LongPlan": Fails("well-formed", "$.actions: expected array of length <= 64", "4.3"),
    "NewType": Fails("well-formed", "$.type: expected one of", "3.4"),
    "TwoKeys": Fails("well-formed", "key .match twice", "3.3"),
    "LoneSurrogate": Fails("well-formed", "lone surrogate", "3.3"),
    "BinText": Fails("well-formed", "bin", "3.2", "zmq"),
    "TooLarge": Fails("message-size", "more than 65536", "3.5"),
    "EndlessLine": Fails("message-size", "more than 65536", "3.5"),
    "Flood": Fails("allowance", "more came than that", "10.7"),
    "TwoFrames": Fails("one-frame", "2 frames", "2.2", "zmq"),
    "TwoEncodings": Fails("one-encoding", "json after a hello in msgpack", "2.3", "zmq"),
}

NOTED = {
    "TypeFirst": Fails("field-order", "it relies on the order of fields", "3.1"),
    "ShortLines": Fails("mebibyte", "it cannot read a message of nearly 1 MiB", "3.6"),
    "NeverWonders": Fails("reconnect", "it did not come back", "11.1", "zmq", waits="answer"),
    "IgnoresBye": Fails("goodbye", "it does not exit on bye", "11.5"),
    "WaitsForMore": Fails("end-of-input", "it does not exit at the end", "11.5", waits="goodbye"),
}


AT_ONCE = 20
"""Bots that are examined at the same time: most of an examination is waiting."""


@pytest.fixture(scope="module")
def examinations(request: pytest.FixtureRequest) -> Iterator[dict[str, "Future[list[StepResult]]"]]:
    """Begin to examine all bots whose tests are run, those first for which the kit waits in vain."""
    tests = [item for item in request.session.items if isinstance(item, pytest.Function)]
    names = [item.callspec.params["name"] for item in tests if "examinations" in item.fixturenames]
    bots = {name: fails for name, fails in (BROKEN | NOTED).items() if name in names}
    forkserver = Forkserver()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        in_order = sorted(bots, key=lambda name: not bots[name].waits)
        yield {name: pool.submit(examined, name, forkserver, bots[name]) for name in in_order}
        pool.shutdown(cancel_futures=True)
    forkserver.close()


def examined(name: str, forkserver: Forkserver, fails: Fails) -> list[StepResult]:
    """Return all verdicts on one of the bots."""
    patient = {"hello_s": 60.0, "answer_s": 60.0, "goodbye_s": 10.0}
    if fails.waits:
        patient[f"{fails.waits}_s"] = 6.0
    plan = ExaminationPlan((fails.game,), fails.seats, fails.steps, fails.transport, KitTimeouts(**patient))
    examination = Examination(plan)
    examination.run(program([sys.executable, str(NONCONFORMING), name]), forkserver)
    return examination.verdicts


@pytest.mark.parametrize("name", BROKEN)
def test_a_bot_that_breaks_a_rule_fails_the_step_of_that_rule_and_no_other(
    name: str, examinations: dict[str, "Future[list[StepResult]]"]
) -> None:
    fails = BROKEN[name]
    failed = [v for v in examinations[name].result() if v.finding == "failed"]
    assert [(v.step, v.transport) for v in failed] == [(fails.step, fails.transport)], failed
    (verdict,) = failed
    assert fails.why in verdict.why
    assert verdict.evidence is not None
    assert verdict.evidence.paragraph == fails.paragraph
    assert verdict.evidence.quote == spec.quote(fails.paragraph)
    assert verdict.evidence.expected
    assert verdict.evidence.came


@pytest.mark.parametrize("name", NOTED)
def test_what_is_recommended_only_is_noted_and_no_failure(
    name: str, examinations: dict[str, "Future[list[StepResult]]"]
) -> None:
    expected = NOTED[name]
    verdicts = examinations[name].result()
    assert [v for v in verdicts if v.finding == "failed"] == []
    (noted,) = [v for v in verdicts if v.finding == "noted"]
    assert noted.step == expected.step
    assert expected.why in noted.why
    assert f"(SPEC.md {expected.paragraph})" in noted.why


def test_every_nonconforming_bot_is_examined() -> None:
    bots = {
        name
        for name, thing in vars(nonconforming).items()
        if isinstance(thing, type) and issubclass(thing, nonconforming.Honest)
    }
    assert bots == {*BROKEN, *NOTED, "Honest", "SlowToStart"}
    assert len(BROKEN) >= 25
    assert Path(nonconforming.__file__) == NONCONFORMING


def test_every_step_has_a_bot_that_does_not_pass_it() -> None:
    assert {fails.step for fails in (*BROKEN.values(), *NOTED.values())} == {step.id for step in STEPS}
