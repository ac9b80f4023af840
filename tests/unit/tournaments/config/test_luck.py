"""Luck with a beacon: what is committed, what is revealed, and what can no longer change."""

import json
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from hashlib import sha256
from hmac import digest
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.chance import seed_hash
from referee.errors import ConfigError
from tests.lacking import lacking
from tests.unit.tournaments.plans import plan as plan_of
from tournaments.config.luck import (
    MOST_VALUE,
    BeaconLuck,
    Commitment,
    commitment_of,
    next_step,
    origin_of,
    public_plan,
    reveal_of,
    state_in_words,
)
from tournaments.config.luck_files import commit, commit_path, drawn, reveal, reveal_path
from tournaments.config.mistakes import PlanError
from tournaments.config.plan import Plan, load, load_for_audit
from tournaments.pairing.blocks import planner_of
from tournaments.pairing.schedule import fixtures
from tournaments.store import terms

SEED = "b0b5c1d2e4f6a7981c2d3e4f5a6b7c8d"
FILE = f"""
name = "Spring"
game = "coins"
seed = "{SEED}"
beacon = "drand round 5000000"
format = "swiss"
rounds = 2
blocks = 2
anchor = "ann"

[clock]
move_ms = 700

[[bots]]
name = "ann"
sample = "first"
luck = "seven hens"

[[bots]]
name = "bob"
sample = "random"
luck = 'a "fox" \\ 🎲 Zoë'

[[bots]]
name = "cleo"
sample = "random"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "spring.toml"
    path.write_text(FILE, encoding="utf-8")
    return path


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def swap(file: Path, one: str, other: str) -> None:
    change(file, one, "\0")
    change(file, other, one)
    change(file, "\0", other)


def draw(file: Path, value: str = "9f3e") -> Plan:
    """Commit and reveal; return the plan with its luck."""
    commit(load(file))
    reveal(load(file), value)
    return load(file)


def beacon_plan(**changes: Any) -> Plan:
    """Return a plan with a beacon that is in no file."""
    return plan_of(seed="", luck=BeaconLuck("tomorrow's lottery", SEED), **changes)


# The way to a seed.


def test_before_the_value_is_known_no_deal_can_be_computed(file: Path) -> None:
    for step in (lambda: None, lambda: commit(load(file))):
        step()
        plan = load(file)
        assert (plan.seed, plan.is_drawn, fixtures(plan)) == ("", False, [])
        with pytest.raises(PlanError, match="the luck is not drawn yet by beacon 'drand round 5000000'"):
            planner_of(plan)


def test_the_error_before_each_step_names_the_command(file: Path) -> None:
    with pytest.raises(PlanError, match=f"referee tournament commit {file}"):
        load(file).check_drawn()
    with pytest.raises(PlanError, match=f"nothing is committed.*referee tournament commit {file}"):
        reveal(load(file), "9f3e")
    commit(load(file))
    with pytest.raises(PlanError, match=f"referee tournament reveal {file} --beacon VALUE"):
        load(file).check_drawn()
    reveal(load(file), "9f3e")
    load(file).check_drawn()
    assert next_step(load(file)) == ""


def test_the_seed_is_the_one_of_the_specification(file: Path) -> None:
    plan = draw(file)
    committed = json.loads(commit_path(plan).read_bytes())
    revealed = json.loads(reveal_path(plan).read_bytes())
    text = json.dumps(committed["plan"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    of_plan = sha256(b"plan:" + text.encode()).hexdigest()
    parts = [of_plan.encode(), b"drand round 5000000", b"9f3e"]
    message = b"luck:" + b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    seed = digest(SEED.encode(), message, "sha256").hex()
    assert (committed["plan_hash"], plan.seed) == (of_plan, seed)
    assert revealed["fingerprint"] == sha256(b"seed:" + seed.encode()).hexdigest()
    planner = planner_of(plan)
    assert (planner.seed, planner.operator_seed) == (seed, SEED)


NODE = """
const crypto = require("crypto"), fs = require("fs");
const sha = text => crypto.createHash("sha256").update(text, "utf8").digest("hex");
const sorted = value => value === null || typeof value !== "object" ? JSON.stringify(value)
  : Array.isArray(value) ? "[" + value.map(sorted).join(",") + "]"
  : "{" + Object.keys(value).sort().map(key => sorted(key) + ":" + sorted(value[key])).join(",") + "}";
const field = text => {
  const bytes = Buffer.from(text, "utf8"), size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(bytes.length));
  return Buffer.concat([size, bytes]);
};
const [seed, commit, reveal] = process.argv.slice(1);
const committed = JSON.parse(fs.readFileSync(commit)), revealed = JSON.parse(fs.readFileSync(reveal));
const plan = sha("plan:" + sorted(committed.plan)), own = sha("seed:" + seed);
const message = [Buffer.from("luck:"), field(plan), field(committed.plan.beacon), field(revealed.value)];
const made = crypto.createHmac("sha256", seed).update(Buffer.concat(message)).digest("hex");
console.log([plan, own, sha("tournament:" + own + plan), made, sha("seed:" + made)].join("\\n"));
"""


@pytest.mark.parametrize("name", ["Spring", r"\\ \" \u0001\u0008\u0009\u000c\u001f\u007f\u2028 é 🎲"])
def test_a_program_in_another_language_makes_the_same_seed(file: Path, name: str) -> None:
    if not (node := shutil.which("node")):
        lacking("node is not installed")
    change(file, '"Spring"', f'"{name}"')
    plan = draw(file, "Zoë 🎲")
    words = [node, "-e", NODE, SEED, str(commit_path(plan)), str(reveal_path(plan))]
    made = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    committed, origin = commitment_of(plan), origin_of(plan)
    hashes = [committed.plan_hash, committed.seed_hash, committed.commitment]
    assert made == [*hashes, plan.seed, origin.fingerprint]


def test_everything_that_is_decided_by_lot_follows_from_the_value(file: Path) -> None:
    one = draw(file, "one")
    reveal_path(one).unlink()
    reveal(load(file), "two")
    other = load(file)
    for of in (one, other):
        assert {fixture.deal for fixture in fixtures(of)}
    assert not {each.match for each in fixtures(one)} & {each.match for each in fixtures(other)}
    pairs = {
        frozenset(fixtures(msgspec.structs.replace(one, seed=seed_hash(str(n))))[0].bots) for n in range(20)
    }
    assert len(pairs) > 1


# What is committed.

BOUND: dict[str, Callable[[Path], None]] = {
    "name": lambda file: change(file, '"Spring"', '"Summer"'),
    "game": lambda file: change(file, '"coins"', '"gangsters"'),
    "options": lambda file: change(file, "[clock]", "[options]\nrounds = 5\n[clock]"),
    "seats": lambda file: change(file, "blocks = 2", "blocks = 2\nseats = 3"),
    "format": lambda file: change(file, 'format = "swiss"\nrounds = 2', 'format = "knockout"'),
    "third_place": lambda file: change(
        file, 'format = "swiss"\nrounds = 2', 'format = "knockout"\nthird_place = true'
    ),
    "blocks": lambda file: change(file, "blocks = 2", "blocks = 3"),
    "rounds": lambda file: change(file, "rounds = 2", "rounds = 1"),
    "common_deals": lambda file: change(file, "blocks = 2", "blocks = 2\ncommon_deals = true"),
    "aliases": lambda file: change(file, "blocks = 2", "blocks = 2\naliases = true"),
    "profile": lambda file: change(file, "move_ms = 700", "move_ms = 701"),
    "beacon": lambda file: change(file, "5000000", "5000001"),
    "bots": lambda file: change(file, "seven hens", "seven hen"),
    "seed": lambda file: change(file, SEED, SEED[:-1] + "e"),
}
OTHER_BOTS: dict[str, Callable[[Path], None]] = {
    "a bot dropped": lambda file: change(file, '[[bots]]\nname = "cleo"\nsample = "random"', ""),
    "a bot added": lambda file: change(file, "[clock]", '[[bots]]\nname = "dora"\nsample = "first"\n[clock]'),
    "a bot renamed": lambda file: change(file, '"cleo"', '"clio"'),
    "a text added": lambda file: change(file, '"cleo"', '"cleo"\nluck = "me too"'),
    "a text taken out": lambda file: change(file, 'luck = "seven hens"', ""),
    "another order": lambda file: swap(file, '"ann"\nsample', '"cleo"\nsample'),
}


@pytest.mark.parametrize("name", BOUND)
@pytest.mark.parametrize("revealed", [False, True])
def test_what_was_committed_can_no_longer_change(file: Path, name: str, revealed: bool) -> None:
    draw(file) if revealed else commit(load(file))
    BOUND[name](file)
    with pytest.raises(PlanError, match=rf"spring.toml: (\w+, )*{name}(, \w+)*: not as committed"):
        load(file)


@pytest.mark.parametrize("what", OTHER_BOTS)
def test_bots_can_neither_come_nor_go_nor_change_places_after_the_commitment(file: Path, what: str) -> None:
    commit(load(file))
    OTHER_BOTS[what](file)
    with pytest.raises(PlanError, match=r"spring.toml: bots(, \w+)*: not as committed"):
        load(file)


def test_every_key_of_the_public_plan_is_among_these_changes() -> None:
    # Groups, hero and pools belong to formats of their own.
    fields = set(public_plan(beacon_plan()).__struct_fields__) | {"seed"}
    assert fields - set(BOUND) == {"groups", "hero", "pools"}


def test_pools_are_bound_and_a_commitment_without_them_reads_as_before() -> None:
    before = public_plan(beacon_plan()).text()
    assert b"pools" not in before
    assert b"third_place" not in before
    assert b'"pools":2' in public_plan(msgspec.structs.replace(beacon_plan(), pools=2)).text()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('anchor = "ann"', 'anchor = "bob"'),
        ("blocks = 2", "blocks = 2\njobs = 3"),
        ("blocks = 2", 'blocks = 2\nstore = "x.sqlite"\nreplays = "x"'),
        ("blocks = 2", "blocks = 2\nfresh = true"),
        ('sample = "first"', 'command = "./mine"\nenv = {A = "1"}'),
    ],
)
def test_what_decides_no_match_and_no_luck_may_change(file: Path, old: str, new: str) -> None:
    before = draw(file)
    change(file, old, new)
    assert load(file).seed == before.seed


def test_a_change_of_the_plan_would_give_other_luck() -> None:
    plan, other = beacon_plan(), beacon_plan(blocks=7)
    seeds = {reveal_of(each, commitment_of(each), "x").fingerprint for each in (plan, other)}
    assert len(seeds) == 2


def test_the_beacon_cannot_be_taken_back(file: Path) -> None:
    plan = draw(file)
    change(file, 'beacon = "drand round 5000000"\n', "")
    text = file.read_text()
    file.write_text("\n".join(line for line in text.split("\n") if not line.startswith("luck")))
    with pytest.raises(
        PlanError, match=r"names no beacon, but there is spring.commit.json and spring.reveal"
    ):
        load(file)
    commit_path(plan).unlink()
    reveal_path(plan).unlink()
    assert load(file).seed == SEED


def test_neither_file_holds_the_seed(file: Path) -> None:
    plan = draw(file)
    for path in (commit_path(plan), reveal_path(plan)):
        data = path.read_text()
        assert SEED not in data
        assert plan.seed not in data
    for text in (repr(plan), repr(plan.luck), *state_in_words(plan), str(origin_of(plan))):
        assert SEED not in text
        assert plan.seed not in text


@pytest.mark.parametrize("seed", ["7", "spring 2026", "0" * 64])
def test_a_seed_that_can_be_guessed_is_not_committed_to(file: Path, seed: str) -> None:
    change(file, SEED, seed)
    with pytest.raises(PlanError, match=r"the seed is short.*has the published hash"):
        commit(load(file))
    assert not commit_path(load(file)).exists()


# The files.


def test_a_second_time_writes_the_same_and_says_so(file: Path) -> None:
    plan = load(file)
    first, is_new = commit(plan)
    data, mode = commit_path(plan).read_bytes(), commit_path(plan).stat().st_mode
    assert is_new
    assert commit(load(file)) == (first, False)
    assert commit_path(plan).read_bytes() == data
    assert stat.S_IMODE(mode) == 0o666 & ~_umask()
    revealed, is_new = reveal(load(file), "9f3e")
    assert is_new
    assert reveal(load(file), "\t9f3e \r\n") == (revealed, False)
    assert sorted(os.listdir(file.parent)) == ["spring.commit.json", "spring.reveal.json", "spring.toml"]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_beacon_has_one_value(file: Path) -> None:
    plan = draw(file)
    before = reveal_path(plan).read_bytes()
    with pytest.raises(PlanError, match="a beacon has one value, and another one was revealed before"):
        reveal(load(file), "9F3E")
    assert reveal_path(plan).read_bytes() == before


def test_of_two_that_reveal_at_the_same_time_the_second_is_refused(file: Path) -> None:
    commit(load(file))
    early, late = load(file), load(file)
    reveal(early, "one")
    with pytest.raises(PlanError, match="a beacon has one value"):
        reveal(late, "two")
    assert origin_of(load(file)).value == "one"


def test_of_two_that_commit_to_different_files_the_second_is_refused(file: Path) -> None:
    early = load(file)
    change(file, "blocks = 2", "blocks = 3")
    late = load(file)
    commit(early)
    with pytest.raises(PlanError, match="another commitment was written meanwhile"):
        commit(late)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("", "is not empty"),
        (" \t\r\n", "is not empty"),
        ("a\nb", "one line"),
        ("\u202e4", "one line"),
        ("a\u200b", "one line"),
        ("\udcff", "one line"),
        ("a\x00", "one line"),
        ("a" * (MOST_VALUE + 1), "at most 1000 characters, not 1001"),
    ],
)
def test_a_text_that_can_be_no_value_is_refused(file: Path, value: str, why: str) -> None:
    commit(load(file))
    with pytest.raises(ConfigError, match=f"--beacon: the value of a beacon .*{why}"):
        reveal(load(file), value)
    assert not reveal_path(load(file)).exists()


@given(st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=40))
def test_any_printable_text_can_be_a_value_and_blanks_around_it_are_no_part_of_it(text: str) -> None:
    plan = beacon_plan()
    committed = commitment_of(plan)
    plain = reveal_of(plan, committed, text)
    assert plain.is_sound
    assert plain.value == text
    assert reveal_of(plan, committed, f" \t{text}\r\n") == plain


def test_without_a_beacon_there_is_nothing_to_commit_or_to_reveal(file: Path) -> None:
    text = file.read_text().replace('beacon = "drand round 5000000"\n', "")
    file.write_text("\n".join(line for line in text.split("\n") if not line.startswith("luck")))
    plan = load(file)
    for step in (lambda: commit(plan), lambda: reveal(plan, "9f3e")):
        with pytest.raises(PlanError, match="no beacon is named"):
            step()
    assert (plan.seed, origin_of(plan).chosen_by) == (SEED, ("operator",))


def test_any_changed_byte_of_the_two_files_is_found(file: Path) -> None:
    plan = draw(file)
    for path in (commit_path(plan), reveal_path(plan)):
        data = path.read_bytes()
        for place in range(0, len(data), 3):
            path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
            assert drawn(plan)[1], f"{path.name}, byte {place}"
        path.write_bytes(data)
    assert load_for_audit(file) == (plan, [])


def test_options_in_another_order_are_a_change_of_the_file(file: Path) -> None:
    path = commit_path(draw(file))
    document = json.loads(path.read_bytes())
    options = document["plan"]["options"]
    assert list(options) == sorted(options)
    document["plan"]["options"] = dict(reversed(options.items()))
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    with pytest.raises(PlanError, match=r"spring.commit.json: not as it was written"):
        load(file)


@pytest.mark.parametrize("which", [commit_path, reveal_path])
@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"null", b"[" * 9_999, b"\xff\xfe", b"{", b'{"format": 2}', b"1" * 9_999],
    ids=range(8),
)
def test_a_file_that_is_cut_short_or_something_else_is_reported_with_its_name(
    file: Path, which: Callable[[Plan], Path], data: bytes
) -> None:
    path = which(draw(file))
    path.write_bytes(data)
    with pytest.raises(PlanError, match=f"{path}: not as it was written; restore the file"):
        load(file)


@pytest.mark.parametrize("which", [commit_path, reveal_path])
def test_a_pipe_a_folder_and_a_link_to_nothing_are_no_files_of_ours(
    file: Path, which: Callable[[Plan], Path]
) -> None:
    path = which(draw(file))
    makers: list[Callable[[], None]] = [
        lambda: os.mkfifo(path),
        lambda: path.symlink_to(path.with_name("nowhere")),
        lambda: path.mkdir(),
    ]
    for make in makers:
        path.unlink()
        make()
        with pytest.raises(PlanError, match=str(path)):
            load(file)


def test_nothing_is_written_through_a_link(file: Path, tmp_path: Path) -> None:
    plan = load(file)
    commit_path(plan).symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(PlanError, match=r"spring.commit.json: cannot be read"):
        commit(plan)
    assert not (tmp_path / "elsewhere.json").exists()


def test_a_commitment_that_was_removed_after_the_reveal_is_missed(file: Path) -> None:
    plan = draw(file)
    commit_path(plan).unlink()
    with pytest.raises(PlanError, match=r"spring.commit.json: there is no such file, but spring.reveal.json"):
        load(file)


def test_the_value_for_another_commitment_is_refused(file: Path) -> None:
    plan = draw(file)
    commit_path(plan).unlink()
    kept = reveal_path(plan).read_bytes()
    reveal_path(plan).unlink()
    change(file, "blocks = 2", "blocks = 3")
    commit(load(file))
    reveal_path(plan).write_bytes(kept)
    with pytest.raises(PlanError, match=r"spring.reveal.json: this is the value for another commitment"):
        load(file)


def test_a_forged_value_with_the_old_fingerprint_is_found(file: Path) -> None:
    path = reveal_path(draw(file))
    path.write_text(path.read_text().replace('"9f3e"', '"9f3f"'))
    with pytest.raises(PlanError, match="the fingerprint is not that of the value"):
        load(file)


def test_a_forged_plan_with_hashes_made_anew_is_no_longer_that_of_the_file(file: Path) -> None:
    plan = draw(file)
    change(file, "blocks = 2", "blocks = 3")
    forged = commitment_of(load_for_audit(file)[0])
    assert isinstance(forged, Commitment)
    assert forged.commitment != commitment_of(plan).commitment
    commit_path(plan).write_bytes(
        msgspec.json.format(msgspec.json.encode(forged, order="deterministic")) + b"\n"
    )
    with pytest.raises(PlanError, match="this is the value for another commitment"):
        load(file)


def test_a_folder_that_cannot_be_written_is_reported(file: Path) -> None:
    plan = msgspec.structs.replace(load(file), file=file.parent / "nowhere" / "spring.toml")
    with pytest.raises(PlanError, match=r"spring.commit.json: cannot be written: No such file"):
        commit(plan)


# What readers are shown.


def test_the_origin_names_all_that_have_a_part(file: Path) -> None:
    assert origin_of(load(file)).chosen_by == ("operator", "beacon", "entrants")
    assert origin_of(beacon_plan()).chosen_by == ("operator", "beacon")
    origin = origin_of(draw(file))
    assert (origin.value, origin.texts) == ("9f3e", {"ann": "seven hens", "bob": 'a "fox" \\ 🎲 Zoë'})
    assert origin.fingerprint == seed_hash(load(file).seed)


def test_the_terms_of_a_store_hold_commitment_and_value_but_no_seed(file: Path) -> None:
    plan = draw(file)
    noted = terms.text_of(plan)
    assert plan.luck is not None
    assert plan.luck.commitment in noted
    assert "9f3e" in noted
    assert SEED not in noted
    assert plan.seed not in noted
    other = msgspec.structs.replace(plan.luck, commitment="0" * 64)
    assert terms.differences(msgspec.structs.replace(plan, luck=other), noted) == ["commitment"]


# Mistakes of the tournament file.


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        ('"drand round 5000000"', '""', r"5: beacon: is a text of 1 to 200 characters"),
        ('"drand round 5000000"', '" x"', r"5: beacon: is a text of 1 to 200 characters"),
        ('"drand round 5000000"', "5000000", r"5: beacon: is a text of 1 to 200 characters"),
        ('"drand round 5000000"', '"a\\u202eb"', r"5: beacon: has a character that is not printed"),
        ('"seven hens"', '"a\\u200bb"', r"17: bots 1, luck: has a character that is not printed"),
        ('"seven hens"', '"a\\nb"', r"17: bots 1, luck: is a text of 1 to 200 characters"),
        ('"seven hens"', f'"{"a" * 201}"', r"17: bots 1, luck: is a text of 1 to 200 characters"),
        ('beacon = "drand round 5000000"', "", r"17: bots 1, luck: belongs to a tournament with a beacon"),
    ],
)
def test_mistakes_about_luck_are_reported_with_their_lines(
    file: Path, old: str, new: str, mistake: str
) -> None:
    change(file, old, new)
    with pytest.raises(PlanError, match=f"spring.toml:{mistake}"):
        load(file)
