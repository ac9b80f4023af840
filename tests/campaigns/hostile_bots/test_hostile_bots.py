"""Every hostile kind, once, beside honest matches: it loses for its own reason or gets nowhere.

`make hostile` plays them many times, and prints how fast honest bots were served meanwhile.
"""

from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.chance import commitment, deal_key
from referee.match.faults import FaultCode
from referee.process.spec import Transport
from tests.bad_bots import bad
from tests.campaigns.hostile_bots import gate, host, wire
from tests.campaigns.hostile_bots.__main__ import Figures, latencies, verdicts
from tests.campaigns.hostile_bots.arena import Bout, each, fight
from tests.campaigns.hostile_bots.kinds import AT_THE_GATE, HARMLESS, KINDS, STARTED, Kind
from tests.campaigns.hostile_bots.remainder import BITS, Remainder, measure
from tests.campaigns.hostile_bots.siege import besiege
from tests.end_to_end.boxes import needs_box

PROGRAMS = {
    "bad_bots/bad.py": set(bad.BOTS),
    "campaigns/hostile_bots/wire.py": set(wire.BOTS),
    "campaigns/hostile_bots/host.py": set(host.BOTS),
    "campaigns/hostile_bots/gate.py": set(gate.STRANGERS),
}


def named(*names: str) -> list[Kind]:
    return [next(kind for kind in STARTED if kind.name == name) for name in names]


def test_the_table_has_all_kinds_and_the_programs_no_others() -> None:
    assert {kind.number for kind in KINDS} == set(range(49))
    for file, programs in PROGRAMS.items():
        assert {kind.words[0] for kind in KINDS if kind.file == file} == programs
    messages = [kind.words[1] for kind in KINDS if kind.words[0] == "one_bad_message"]
    assert sorted(messages) == sorted(wire.MESSAGES)
    assert {kind.fault for kind in KINDS} - {HARMLESS} == {code.value for code in FaultCode}
    assert all(kind.cap and kind.does for kind in KINDS)


@pytest.mark.parametrize("transport", ["stdio", "zmq"])
def test_hostile_bots_on_the_wire_lose_for_their_own_reason(transport: Transport, tmp_path: Path) -> None:
    kinds = [pair for pair in each(STARTED) if pair[1] == transport and pair[0].level == "trusted"]
    played = fight(kinds, tmp_path)
    assert len(played.bouts) == len(kinds) >= 30
    assert len(played.honest) >= 2
    assert played.wrong() == {}


@needs_box
def test_hostile_bots_in_their_boxes_harm_neither_host_nor_others(tmp_path: Path) -> None:
    kinds = [pair for pair in each(STARTED) if pair[0].level == "contest"]
    played = fight(kinds, tmp_path)
    assert len(played.bouts) == len(kinds) >= 15
    assert played.wrong() == {}


def test_strangers_at_the_gate_harm_no_bot(tmp_path: Path) -> None:
    attacks = besiege(AT_THE_GATE, tmp_path)
    assert {attack.kind: attack.wrong() for attack in attacks} == dict.fromkeys(AT_THE_GATE, "")
    # All that come from elsewhere also come to a gate with keys.
    assert {kind.number for kind in AT_THE_GATE if kind.keyed} >= {28, 29, 30, 31, 48}


def test_what_is_contained_in_a_box_succeeds_without_one(tmp_path: Path) -> None:
    # An attack that could not succeed anywhere would show nothing.
    kinds = [replace(kind, level="trusted") for kind in named("reads", "network", "courier", "fills")]
    played = fight([(kind, "stdio") for kind in kinds], tmp_path)
    got = {bout.kind.name: [attack for attack, got in bout.told.items() if got] for bout in played.bouts}
    assert all(got.values()), got
    assert [bout.faults for bout in played.bouts] == [("", "")] * len(kinds)


def test_a_bot_that_ends_has_crashed_whether_gate_or_supervisor_reports_it_first(tmp_path: Path) -> None:
    # Its gate may notice its end before the supervisor reports it.
    (ends,) = named("exits-while-answered")
    kinds = [replace(ends, name=f"ends-{n}") for n in range(12)]
    assert fight([(kind, "zmq") for kind in kinds], tmp_path).wrong() == {}


def test_a_seed_that_can_be_guessed_is_guessed() -> None:
    commit = commitment(deal_key("77", "1"), "m-1")
    assert list(host.seeds_of(commit, "m-1")) == ["'77', deal '1'"]


def test_a_verdict_that_is_not_as_expected_is_found(tmp_path: Path) -> None:
    (illegal,) = named("illegal")
    played = fight([(replace(illegal, fault="late"), "stdio")], tmp_path)
    (complaint,) = played.wrong().values()
    assert complaint.startswith("illegal instead of late")
    figures = Figures()
    figures.busy = figures.quiet = [played]
    assert verdicts(figures).rows[0][-3:] == ("late", 1, 0)
    assert [goal.value for goal in latencies(figures).goals] == [1.0]
    assert complaint in figures.wrong()[0]


def test_what_an_attack_got_is_found_and_what_why_does_not_say_as_well() -> None:
    reads, illegal = named("reads", "illegal")
    bout = Bout(reads, "stdio", ("", ""), None, {"load": "reads /proc/stat"}, "", "")
    assert "reads /proc/stat" in bout.wrong()
    assert "does not say" in Bout(illegal, "stdio", ("illegal", ""), None, {}, "", "It failed.").wrong()
    assert "opponent" in Bout(reads, "stdio", ("", "late"), None, {"load": ""}, "", "").wrong()


@needs_box
@pytest.mark.parametrize("way", BITS)
def test_what_a_process_can_leave_for_the_next_is_measured(way: str) -> None:
    got = measure(way, 12)
    assert (got.way, got.bits) == (way, 12)
    assert 0 <= got.wrong <= got.bits
    assert got.seconds > 0


def test_bits_that_are_wrong_as_often_as_right_say_nothing() -> None:
    assert Remainder("names", bits=100, wrong=0, seconds=2.0).bits_per_second == 50
    assert Remainder("names", bits=100, wrong=50, seconds=2.0).bits_per_second == 0
    assert 0 < Remainder("names", bits=100, wrong=10, seconds=2.0).bits_per_second < 50
