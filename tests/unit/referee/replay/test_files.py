import gzip
import hashlib
import os
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.messages import Ask, TimeControl
from referee import registry
from referee.chance import Beacon, deal_key
from referee.errors import FormatVersionError, RecordError
from referee.match.faults import Fault, FaultCode, Profile
from referee.match.match import Match
from referee.match.result import Acted, Withdrew
from referee.match.seat import SeatConfig
from referee.replay import files, format, playback
from referee.replay.dossier import Dossier, Said, SeatDossier, dossier_bytes, read_dossier
from referee.replay.format import PlayHash, Replay, Reveal, chained, parse, play_hash, replay_text
from referee.replay.hashchain import START, link
from tests.unit.referee.replay.played import ABOUT, CLOCK, MS, NAMES, SimulatedMatch


def played(**given: object) -> SimulatedMatch:
    return SimulatedMatch(**given).ready().play_out()  # type: ignore[arg-type]  # passed on as it comes


def parsed(simulated: SimulatedMatch) -> Replay:
    return parse(b"".join(simulated.lines()), "x.jsonl")


def forged(replay: Replay, **changes: object) -> Replay:
    """Return a replay with changes, with chain and hash of the play computed again, as by a forger."""
    replay = msgspec.structs.replace(replay, **changes)
    play = play_hash(replay.header, replay.entries, replay.result, replay.key)
    ending = [replay.result, Reveal(replay.key.hex()), PlayHash(play)]
    return parse(b"".join(chained([replay.header, *replay.entries, *ending])), "forged.jsonl")


# Writing and reading.


@pytest.mark.parametrize("compress", [False, True])
def test_a_replay_is_read_as_it_was_written(tmp_path: Path, compress: bool) -> None:
    simulated = played()
    replay = files.read(simulated.save(tmp_path / "m-1.replay", compress))
    assert (replay.header.match, replay.header.game, replay.header.names) == ("m-1", "coins", NAMES[:2])
    assert (replay.header.seed, replay.header.deal, replay.header.referee) == ("s", "7", "1.2.3")
    assert replay.entries == simulated.match.log
    assert simulated.match.result is not None
    assert replay.result.ranks == simulated.match.result.ranks
    assert replay.key == simulated.match.key
    playback.verify(replay)


def test_a_packed_replay_is_a_gzip_file_that_repeats(tmp_path: Path) -> None:
    simulated = played()
    first = simulated.save(tmp_path / "a.jsonl.gz", compress=True).read_bytes()
    again = simulated.save(tmp_path / "b.jsonl.gz", compress=True).read_bytes()
    assert first == again
    assert gzip.decompress(first) == b"".join(simulated.lines())


def test_the_header_gives_the_grace_of_each_seat() -> None:
    assert parsed(played()).header.grace_ms == (5, 5)


def test_the_header_gives_the_clock_of_each_seat_where_they_differ() -> None:
    assert isinstance(parsed(played()).header.clocks, msgspec.UnsetType)
    slow = msgspec.structs.replace(CLOCK, move_ms=60_000)
    profile = Profile("test", 1, CLOCK)
    configs = [SeatConfig("Ada", clock=slow), SeatConfig("Bo")]
    match = Match("m-1", registry.game("coins"), configs, deal_key("s", "7"), profile)
    match.begin(0)
    match.fault(1, FaultCode.CRASHED, "", 1)
    header = parse(b"".join(format.replay_text(match, ABOUT).lines), "x.jsonl").header
    assert header.clocks == (slow, CLOCK)
    assert (header.clock_of(0), header.clock_of(1)) == (slow, CLOCK)
    assert match.clock(0).control == slow


def test_every_line_is_chained_to_the_one_before() -> None:
    previous = "0" * 64
    for line in played().lines():
        body, mark, chain = line.decode().removesuffix('"}\n').rpartition(',"chain":"')
        assert mark
        previous = hashlib.sha256((previous + body + "}").encode()).hexdigest()
        assert chain == previous


def test_a_match_that_goes_on_has_no_replay() -> None:
    with pytest.raises(RecordError, match="not over"):
        SimulatedMatch().lines()


def test_writing_replaces_a_file_and_leaves_no_other(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text("old")
    played().save(path)
    playback.verify(files.read(path))
    assert os.listdir(tmp_path) == ["m.jsonl"]


def test_files_that_are_written_together_fail_one_by_one(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "inside").touch()
    together = {tmp_path / "a": b"1", taken: b"2", tmp_path / "b": b"3"}
    failed = files.write_together(together)
    assert list(failed) == [taken]
    assert "cannot be written" in str(failed[taken])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "taken"]
    assert (tmp_path / "b").read_bytes() == b"3"
    everywhere = files.write_together({tmp_path / "none" / name: b"" for name in "ab"})
    assert len(everywhere) == 2


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002, 0])
def test_only_the_owner_may_read_a_replay(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        files.write(tmp_path / "m.jsonl", played().lines())
    finally:
        os.umask(before)
    assert (tmp_path / "m.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_write_that_fails_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.mkdir()
    with pytest.raises(RecordError, match="cannot be written"):
        played().save(path)
    assert os.listdir(tmp_path) == ["m.jsonl"]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"none\.jsonl: cannot be read: No such file"):
        files.read(tmp_path / "none.jsonl")


# Every byte counts.


def short() -> SimulatedMatch:
    return played(options={"rounds": 1, "hand": 1})


def test_every_changed_byte_is_found() -> None:
    data = b"".join(short().lines())
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1 + place % 255
        with pytest.raises(RecordError, match=r"x\.jsonl, line \d+: "):
            parse(bytes(changed), "x.jsonl")


def test_every_changed_byte_of_a_packed_replay_is_found(tmp_path: Path) -> None:
    path = short().save(tmp_path / "m.jsonl.gz", compress=True)
    data = path.read_bytes()
    for place in range(len(data)):
        for bit in (1, 128):
            changed = bytearray(data)
            changed[place] ^= bit
            path.write_bytes(changed)
            with pytest.raises(RecordError, match=r"m\.jsonl\.gz"):
                files.read(path)


LONG = b"".join(played(seats=4, options={"rounds": 6}).lines())
PACKED = files.pack(LONG)


@given(st.integers(0, 8 * len(LONG) - 1))
def test_any_flipped_bit_is_found(place: int) -> None:
    changed = bytearray(LONG)
    changed[place // 8] ^= 1 << place % 8
    with pytest.raises(RecordError):
        parse(bytes(changed), "x.jsonl")


@given(st.integers(0, len(LONG) - 1))
def test_a_replay_cut_short_is_found(length: int) -> None:
    with pytest.raises(RecordError):
        parse(LONG[:length], "x.jsonl")


@given(st.binary(min_size=1, max_size=20))
def test_bytes_added_are_found(tail: bytes) -> None:
    with pytest.raises(RecordError):
        parse(LONG + tail, "x.jsonl")


@pytest.mark.parametrize(
    "damaged",
    [PACKED[:-1], PACKED + b"\0", PACKED + PACKED, gzip.compress(LONG, mtime=0)],
    ids=["cut short", "a byte more", "twice", "packed by another"],
)
def test_a_changed_gzip_file_is_found(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "m.jsonl.gz").write_bytes(damaged)
    with pytest.raises(RecordError, match="gzip"):
        files.read(tmp_path / "m.jsonl.gz")


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl.gz").write_bytes(files.pack(bytes(files.FILE_BYTES + 1)))
    with pytest.raises(RecordError, match="does not unpack"):
        files.read(tmp_path / "m.jsonl.gz")


def test_lines_left_out_doubled_or_exchanged_are_found() -> None:
    lines = short().lines()
    for place in range(len(lines)):
        without = lines[:place] + lines[place + 1 :]
        doubled = [*lines[:place], lines[place], *lines[place:]]
        exchanged = list(lines)
        exchanged[place], exchanged[place - 1] = exchanged[place - 1], exchanged[place]
        for damaged in (without, doubled, exchanged):
            with pytest.raises(RecordError):
                parse(b"".join(damaged), "x.jsonl")


def test_other_line_endings_are_found() -> None:
    with pytest.raises(RecordError, match="line 1"):
        parse(LONG.replace(b"\n", b"\r\n"), "x.jsonl")


def test_an_empty_file_is_no_replay() -> None:
    with pytest.raises(RecordError, match="this is no replay: the file is empty"):
        parse(b"", "x.jsonl")


def test_a_dossier_is_not_called_a_changed_replay() -> None:
    with pytest.raises(RecordError, match="line 1: this is no replay"):
        parse(dossier_bytes(Dossier("m", "coins", "", ())), "x.jsonl")


def test_a_text_with_accents_is_not_called_binary() -> None:
    with pytest.raises(RecordError, match="line 1: this is no replay: "):
        parse("é\n".encode(), "x.jsonl")


def test_a_replay_that_another_program_packed_is_refused_with_the_way_to_read_it(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(LONG))
    with pytest.raises(RecordError, match="another program packed it; unpack it with gunzip"):
        files.read(path)


@pytest.mark.parametrize(
    "data", [b"name = 'spring'\n", b"{}\n", b"SQLite format 3\0\n", b"\x7fELF\x02\x01", b"\xff"]
)
def test_another_kind_of_file_is_refused_as_such_and_not_as_changed(data: bytes) -> None:
    with pytest.raises(RecordError, match="line 1: this is no replay"):
        parse(data, "x.toml")


@pytest.mark.parametrize(
    "body", ['{"type":"play","hash":"x","more":1}', '{"type":"play", "hash":"x"}', "{", "[]"]
)
def test_a_line_spelled_otherwise_is_refused_though_its_chain_fits(body: str) -> None:
    chain = hashlib.sha256(("0" * 64 + body[:-1] + "}").encode()).hexdigest()
    line = f'{body[:-1]},"chain":"{chain}"}}\n'.encode()
    with pytest.raises(RecordError, match="line 1: not "):
        parse(line, "x.jsonl")


# Verifying.


def test_every_kind_of_match_verifies() -> None:
    reasons = set()
    for number in range(150):
        luck = Random(number)
        strikes, seats = luck.choice([1, 2, 3]), luck.choice([2, 3, 4])
        simulated = SimulatedMatch(f"kind {number}", seats=seats, strikes=strikes).misbehave(
            luck.choice([3, 5, 9])
        )
        replay = parsed(simulated)
        playback.verify(replay)
        reasons.add(replay.result.public_reason)
    assert reasons == {"forfeit", "most coins", ""}


@settings(max_examples=60)
@given(st.text(max_size=8), st.integers(2, 4), st.integers(1, 3), st.integers(2, 12))
def test_a_match_verifies_for_all_behaviour_of_the_bots(
    seed: str, seats: int, strikes: int, wildness: int
) -> None:
    playback.verify(parsed(SimulatedMatch(f"any {seed}", seats=seats, strikes=strikes).misbehave(wildness)))


def test_the_state_played_again_is_the_state_of_the_match() -> None:
    compared = 0
    for number in range(60):
        simulated = SimulatedMatch(f"state {number}", seats=4, strikes=2).misbehave(9)
        *_, last = playback.replay_events(parsed(simulated))
        assert last.state.reveal() == simulated.match.state.reveal()
        assert last.state.outcome() == simulated.match.state.outcome()
        compared += any(isinstance(entry, Withdrew) for entry in simulated.match.log)
    assert compared > 10


def test_a_seat_that_fails_during_the_first_decision_of_others_leaves_after_it() -> None:
    simulated = played(seats=3, options={"rounds": 2})
    chooser = SimulatedMatch("s", seats=3, options={"rounds": 2}).ready()
    assert chooser.owing() == [0, 1, 2]
    chooser.fail(2)
    chooser.play_out()
    for one in (simulated, chooser):
        playback.verify(parsed(one))
    kinds = [type(step.entry) for step in playback.replay_events(parsed(chooser))]
    assert kinds[1] is Fault
    assert kinds.index(Withdrew) > 3


def test_a_choice_made_before_the_fault_stands() -> None:
    simulated = SimulatedMatch("s", seats=4).ready()
    simulated.answer(0, simulated.pick(0))
    for seat in (0, 1):
        simulated.fail(seat)
    simulated.play_out()
    replay = parsed(simulated)
    assert [(e.seat, e.by) for e in replay.entries if isinstance(e, Acted)][:2] == [(0, "bot"), (1, "house")]
    playback.verify(replay)


def test_seats_late_together_share_their_rank_and_verify() -> None:
    simulated = SimulatedMatch("s", seats=4).ready()
    simulated.answer(3, simulated.pick(3))
    simulated.answer(2, simulated.pick(2))
    simulated.wait()
    simulated.play_out()
    replay = parsed(simulated)
    assert replay.result.faults == ("late", "late", "", "")
    assert replay.result.ranks[0] == replay.result.ranks[1] == 3
    playback.verify(replay)


def test_a_void_match_verifies() -> None:
    simulated = SimulatedMatch("s").ready()
    simulated.answer(0, simulated.pick(0))
    simulated.match.abandon("no more light")
    replay = parsed(simulated)
    assert (replay.result.void, replay.result.void_reason) == (True, "no more light")
    playback.verify(replay)


def test_an_action_put_in_place_of_another_is_found_though_chain_and_seal_are_made_anew() -> None:
    replay = parsed(played(seats=3))
    for place, entry in enumerate(replay.entries):
        assert isinstance(entry, Acted)
        other = msgspec.structs.replace(entry, action="show 25")
        entries = [*replay.entries[:place], other, *replay.entries[place + 1 :]]
        with pytest.raises(RecordError, match=f"forged.jsonl, line {place + 2}: .*'show 25' is not legal"):
            playback.verify(forged(replay, entries=entries))


def test_another_action_that_is_legal_changes_the_seal() -> None:
    replay = parsed(played())
    entry = replay.entries[0]
    assert isinstance(entry, Acted)
    state = next(iter(playback.replay_events(replay))).state
    other = next(action for action in state.legal(entry.seat) if action != entry.action)
    changed = forged(replay, entries=[msgspec.structs.replace(entry, action=other), *replay.entries[1:]])
    assert changed.play != replay.play
    with pytest.raises(RecordError, match="the hash of the play does not fit"):
        playback.verify(msgspec.structs.replace(changed, play=replay.play))


def test_another_key_is_found() -> None:
    with pytest.raises(RecordError, match="does not open the commitment"):
        playback.verify(forged(parsed(played()), key=bytes(32)))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("match", "m-2"),
        ("game", "chess"),
        ("reason", "luck"),
        ("ties", "unordered"),
        ("decisions", 1),
        ("void", True),
    ],
)
def test_another_result_is_found(field: str, value: object) -> None:
    replay = parsed(played())
    result = msgspec.structs.replace(replay.result, **{field: value})
    with pytest.raises(RecordError, match=f"line {len(replay.entries) + 2}: .* should be"):
        playback.verify(forged(replay, result=result))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "Zoe"),
        ("rank", 9),
        ("score", 99),
        ("fault", "late"),
        ("charged_ms", 0),
        ("took_us", 1),
        ("median_us", 1),
        ("slowest_us", 1),
    ],
)
def test_another_result_of_a_seat_is_found(field: str, value: object) -> None:
    replay = parsed(played())
    first, *others = replay.result.seats
    seats = (msgspec.structs.replace(first, **{field: value}), *others)
    result = msgspec.structs.replace(replay.result, seats=seats)
    with pytest.raises(RecordError, match=f"line {len(replay.entries) + 2}: .* should be"):
        playback.verify(forged(replay, result=result))


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("game", "chess", "there is no game 'chess'"),
        ("options", {"hand": 3, "rounds": 4}, "not all the options"),
        ("options", {"hand": 3, "rounds": 99, "peek": "yes"}, "rounds cannot be 99"),
    ],
)
def test_another_header_is_found(field: str, value: object, reason: str) -> None:
    replay = parsed(played())
    header = msgspec.structs.replace(replay.header, **{field: value})
    with pytest.raises(RecordError, match=f"line 1: .*{reason}"):
        playback.verify(forged(replay, header=header))


def test_a_log_that_stops_early_is_found() -> None:
    replay = parsed(played())
    with pytest.raises(RecordError, match="the game goes on"):
        playback.verify(forged(replay, entries=replay.entries[:-1]))


def test_a_log_that_goes_on_after_the_end_is_found() -> None:
    replay = parsed(played())
    for more in (replay.entries[0], Fault(0, FaultCode.LATE, "", 7, 99, False)):
        with pytest.raises(RecordError, match=f"line {len(replay.entries) + 2}: "):
            playback.verify(forged(replay, entries=[*replay.entries, more]))


def failing() -> Replay:
    """Return a match of three in which the house plays one decision for a seat that was late."""
    simulated = SimulatedMatch("house", seats=3, strikes=2).ready()
    simulated.answer(0, simulated.pick(0))
    simulated.answer(1, simulated.pick(1))
    simulated.wait()
    simulated.play_out()
    replay = parsed(simulated)
    assert [e.seat for e in replay.entries if isinstance(e, Acted) and e.by == "house"] == [2]
    playback.verify(replay)
    return replay


def test_the_house_may_not_choose() -> None:
    replay = failing()
    place = next(i for i, e in enumerate(replay.entries) if isinstance(e, Acted) and e.by == "house")
    entry = replay.entries[place]
    hand = [a for a in map("show {}".format, range(1, 25)) if a != getattr(entry, "action", "")]
    for action in hand:
        entries = list(replay.entries)
        entries[place] = Acted(entry.seat, action, 0, "house")
        with pytest.raises(RecordError, match="the house plays"):
            playback.verify(forged(replay, entries=entries))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"final": True}, "not final"),
        ({"code": FaultCode.CRASHED}, "is final"),
        ({"seat": 0}, "cannot act for seat 2"),
    ],
)
def test_another_fault_is_found(change: dict[str, object], reason: str) -> None:
    replay = failing()
    fault = replay.entries[0]
    assert isinstance(fault, Fault)
    entries = [msgspec.structs.replace(fault, **change), *replay.entries[1:]]
    with pytest.raises(RecordError, match=reason):
        playback.verify(forged(replay, entries=entries))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"us": 3_001}, "3001 us are charged for an answer that took 8000 us, of which 5000 us are grace"),
        ({"took_us": 7_999}, "3000 us are charged for an answer that took 7999 us"),
        ({"us": -1}, "cannot be negative"),
        ({"us": 0, "took_us": -1}, "cannot be negative"),
        ({"by": "plan"}, "takes no time"),
    ],
)
def test_more_time_than_there_was_cannot_be_charged(change: dict[str, object], reason: str) -> None:
    replay = parsed(played())
    entry = replay.entries[2]
    assert isinstance(entry, Acted)
    assert (entry.us, entry.took_us) == (3_000, 8_000)
    entries = list(replay.entries)
    entries[2] = msgspec.structs.replace(entry, **change)
    with pytest.raises(RecordError, match=f"line 4: .*{reason}"):
        playback.verify(forged(replay, entries=entries))


def test_a_seat_that_has_used_its_allowance_for_latency_is_charged_in_full() -> None:
    # 9.4: two thousand milliseconds of allowance are spent after a few answers.
    far = Profile("far", 1, TimeControl(ready_ms=50, first_ms=9_000, move_ms=9_000, bank_ms=0, grace_ms=5))
    far = msgspec.structs.replace(far, latency_cap_ms=900)
    configs = [SeatConfig("near"), SeatConfig("far", latency_ms=900)]
    match = Match("m", registry.game("coins"), configs, deal_key("s", "7"), far)
    now_ns = 0
    sends = match.begin(now_ns) + match.ready(0, now_ns) + match.ready(1, now_ns)
    while match.result is None:
        asks = [(seat, message) for seat, message in sends if isinstance(message, Ask)]
        now_ns += 1_000 * MS
        sends = []
        for seat, ask in asks:
            sends += match.act(seat, ask.id, [match.state.legal(seat)[0]], 0, now_ns)
    replay = parse(b"".join(replay_text(match, ABOUT).lines), "far.jsonl")
    playback.verify(replay)
    used_us = [entry.us for entry in replay.entries if isinstance(entry, Acted) and entry.seat == 1]
    assert used_us[:4] == [95_000, 95_000, 795_000, 995_000]
    entries = list(replay.entries)
    first = next(n for n, entry in enumerate(entries) if isinstance(entry, Acted) and entry.seat == 1)
    entries[first] = msgspec.structs.replace(replay.entries[first], us=95_001)
    with pytest.raises(RecordError, match="of which 905000 us are grace"):
        playback.verify(forged(replay, entries=entries))


# Other versions.


OLD = Path(__file__).parents[4] / "tests" / "data" / "referee-0.1.0"


OLD_REPLAYS = [
    *((path, "0.1.0", 1) for path in sorted(OLD.rglob("*-[r1]*.jsonl*"))),
    *((path, "0.2.0", 2) for path in sorted(OLD.with_name("referee-0.2.0").rglob("*.jsonl"))),
]


@pytest.mark.parametrize(("path", "version", "number"), OLD_REPLAYS, ids=lambda value: str(value)[-40:])
def test_a_replay_of_an_older_referee_is_refused_with_its_version(
    path: Path, version: str, number: int
) -> None:
    with pytest.raises(FormatVersionError) as caught:
        files.read(path)
    assert str(caught.value) == (
        f"{path}: a replay written by referee {version} (format {number}), which this version does not read; "
        f"read it with referee {version}"
    )


def test_a_changed_replay_of_another_version_is_found_too(tmp_path: Path) -> None:
    (old, *_) = (OLD / "replays").iterdir()
    changed = tmp_path / old.name
    changed.write_bytes(old.read_bytes().replace(b'"format":1', b'"format":3', 1))
    with pytest.raises(RecordError, match="line 1: the chain breaks"):
        files.read(changed)


# The hash of the play.


def test_the_seal_holds_nothing_that_is_measured_or_a_name() -> None:
    simulated, other = played(), SimulatedMatch(match="m-2").ready()
    other.now_ns += 5_000_000
    other.play_out()
    about = format.About(bots=("./a", "./b"), version="9", started="never")
    one = parsed(simulated)
    another = parse(b"".join(other.lines(about)), "y.jsonl")
    slower = [
        msgspec.structs.replace(e, us=e.us + 9, took_us=e.took_us + 99)
        for e in one.entries
        if isinstance(e, Acted)
    ]
    assert one.play == another.play == forged(one, entries=slower).play
    assert one.header != another.header


def test_the_seal_takes_faults_between_two_actions_by_seat() -> None:
    replay = parsed(played(seats=3))
    strikes = [Fault(seat, FaultCode.MALFORMED, str(seat), 1, 0, False) for seat in (0, 1)]
    there = forged(replay, entries=[*strikes, *replay.entries])
    back = forged(replay, entries=[*reversed(strikes), *replay.entries])
    assert there.play == back.play != replay.play


# Dossiers.


def test_a_dossier_is_read_as_it_was_written(tmp_path: Path) -> None:
    said = (
        Said(12, "to", "ask id=1"),
        Said(15, "from", "\x1b]0;\udfff act".encode(errors="replace").decode()),
    )
    seat = SeatDossier("Ada", "./ada", "exit code 3", "crashed", "gone", "Traceback\n", 512, said)
    dossier = Dossier("m-1", "coins", "m-1.jsonl", (seat, SeatDossier("Bo")))
    path = tmp_path / "m-1.dossier.json"
    path.write_bytes(dossier_bytes(dossier))
    assert read_dossier(path) == dossier


def test_a_file_that_is_no_dossier_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m-1.dossier.json"
    path.write_text('{"match": 1}')
    with pytest.raises(RecordError, match="not a dossier"):
        read_dossier(path)


def test_bots_are_in_the_header_if_they_are_given() -> None:
    about = msgspec.structs.replace(ABOUT, bots=("./a", "./b"))
    assert parse(b"".join(played().lines(about)), "x").header.bots == ("./a", "./b")


# Luck and its parts.

BEACON = Beacon("drand round 5000000", "9f3e", "ab" * 32)


def drawn() -> Replay:
    """Return the replay of a match in whose luck a beacon has a part."""
    simulated = SimulatedMatch(BEACON.seed("operator")).ready().play_out()
    about = msgspec.structs.replace(ABOUT, seed="operator", beacon=BEACON)
    return parse(b"".join(replay_text(simulated.match, about).lines), "x.jsonl")


def test_a_replay_holds_all_parts_of_the_luck_of_a_beacon() -> None:
    replay = drawn()
    playback.verify(replay)
    header = replay.header
    assert (header.seed, header.beacon, header.deal_seed) == ("operator", BEACON, BEACON.seed("operator"))
    assert replay.key == deal_key(header.deal_seed, header.deal)


def test_a_replay_without_a_beacon_says_nothing_of_one() -> None:
    simulated = played()
    assert b"beacon" not in b"".join(simulated.lines())
    assert parsed(simulated).header.deal_seed == "s"


@pytest.mark.parametrize(
    "change",
    [
        {"seed": "operatoR"},
        {"deal": "8"},
        {"beacon": msgspec.UNSET},
        {"beacon": msgspec.structs.replace(BEACON, source="drand round 5000001")},
        {"beacon": msgspec.structs.replace(BEACON, value="9f3f")},
        {"beacon": msgspec.structs.replace(BEACON, plan="ab" * 31 + "ac")},
        {"beacon": Beacon("drand round 50000009", "f3e", "ab" * 32)},
    ],
    ids=str,
)
def test_each_part_of_the_luck_that_is_forged_is_found(change: dict[str, object]) -> None:
    replay = drawn()
    header = msgspec.structs.replace(replay.header, **change)
    with pytest.raises(RecordError, match="line 1: the key does not follow from the seed, the beacon"):
        playback.verify(forged(replay, header=header))


@pytest.mark.parametrize("change", [{"seed": "S"}, {"deal": "8"}, {"beacon": BEACON}], ids=str)
def test_a_seed_that_did_not_make_the_key_is_found_without_a_beacon_too(change: dict[str, object]) -> None:
    replay = parsed(played())
    header = msgspec.structs.replace(replay.header, **change)
    with pytest.raises(RecordError, match="line 1: the key does not follow from the seed"):
        playback.verify(forged(replay, header=header))


def test_the_beacon_of_a_header_holds_nothing_else() -> None:
    replay = drawn()
    line = chained([replay.header])[0]
    body = line.split(b',"chain":"')[0] + b"}"
    more = body.replace(b'"source"', b'"more":1,"source"')
    with pytest.raises(RecordError, match="not spelled as the referee spells it"):
        parse(more[:-1] + b',"chain":"' + link(START, more).encode() + b'"}\n', "x.jsonl")
