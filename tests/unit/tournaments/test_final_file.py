"""A final of the best bots of a ladder: who is in it, and that its file can be played."""

from pathlib import Path

import msgspec
import pytest

from referee.errors import ConfigError
from tests.unit.tournaments.rows import played_on_ladder
from tournaments.config.entry_record import EntryRecord, Submission, change_record
from tournaments.config.plan import check_bots, load
from tournaments.event_file import event_at
from tournaments.final_file import write_final
from tournaments.store import ladders
from tournaments.store.ladder_versions import NOTE, LadderVersion
from tournaments.store.ladders import LadderTerms
from tournaments.store.store import Store


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    """Return the folder of a ladder on which cleo is best, then bob with his version 2, then alice."""
    folder = tmp_path / "serve"
    folder.mkdir()
    with Store(folder / ladders.STORE) as store:
        ladders.note(store, LadderTerms("Ladder of Coins", "coins", 2, {"rounds": 5}))
        pairs = [("cleo", "bob@2"), ("bob@2", "alice"), ("cleo", "alice"), ("bob@2", "bob")]
        version = LadderVersion("bob", "bob@2", "", "p2", "", "2026-11-18T12:00:00+00:00")
        store.note(NOTE, msgspec.json.encode(version).decode())
        store.add([played_on_ladder(n, *pairs[n % 4]) for n in range(24)])
    return folder


def program(folder: Path, name: str) -> None:
    (folder / name).mkdir(parents=True)
    (folder / name / "bot.py").write_text(
        "from protocol.client import run\nrun(lambda view, legal: legal[0])\n"
    )


def test_the_best_are_listed_by_rank_with_the_programs_that_are_there(tmp_path: Path, ladder: Path) -> None:
    for name in ("cleo", "bob", "alice"):
        program(tmp_path / "bots", name)
    found = write_final(tmp_path / "final.toml", "contest", ladder, 8, tmp_path / "bots")
    assert [(one.rank, one.name) for one in found] == [(1, "cleo"), (2, "bob"), (3, "alice")]
    plan = load(tmp_path / "final.toml")
    check_bots(plan)
    assert list(plan.names) == ["cleo", "bob", "alice"]
    assert (plan.game, plan.seats, plan.options["rounds"]) == ("coins", 2, 5)
    text = (tmp_path / "final.toml").read_text()
    assert "# rank 2 of the ladder: " in text
    assert ", version 2\n" in text


def test_bots_without_a_program_are_left_out(tmp_path: Path, ladder: Path) -> None:
    for name in ("cleo", "alice"):
        program(tmp_path / "bots", name)
    found = write_final(tmp_path / "final.toml", "class", ladder, 8, tmp_path / "bots")
    assert [one.name for one in found if one.entry is None] == ["bob"]
    assert list(load(tmp_path / "final.toml").names) == ["cleo", "alice"]


def test_programs_may_be_those_of_a_tournament_file(tmp_path: Path, ladder: Path) -> None:
    program(tmp_path / "elsewhere" / "entries", "mine")
    (tmp_path / "elsewhere" / "class.toml").write_text(
        'game = "coins"\nseed = "s"\n[[bots]]\nname = "cleo"\nsample = "random"\n'
        '[[bots]]\nname = "bob"\ncommand = "bot.py"\nfolder = "entries/mine"\n'
    )
    write_final(tmp_path / "final.toml", "contest", ladder, 2, tmp_path / "elsewhere" / "class.toml")
    plan = load(tmp_path / "final.toml")
    check_bots(plan)
    assert list(plan.names) == ["cleo", "bob"]


def test_programs_may_be_submissions_without_those_that_are_left_out(tmp_path: Path, ladder: Path) -> None:
    entries = tmp_path / "class-entries"
    for name in ("cleo", "bob", "alice"):
        program(entries / "bots", name)
    moment = "2026-11-18T12:00:00+00:00"
    submissions = [
        Submission(
            number,
            name,
            name,
            "",
            "",
            moment,
            "entered",
            folder=f"bots/{name}",
            command=("python3", "bot.py"),
        )
        for number, name in enumerate(("cleo", "bob", "alice"), 1)
    ]
    change_record(entries, lambda _: EntryRecord(submissions=tuple(submissions), left_out=("bob",)))
    (tmp_path / "class.toml").write_text('game = "coins"\nseed = "s"\nentries = "class-entries"\n')
    found = write_final(tmp_path / "final.toml", "class", ladder, 8, tmp_path / "class.toml")
    assert [one.name for one in found if one.entry is None] == ["bob"]
    plan = load(tmp_path / "final.toml")
    check_bots(plan)
    assert list(plan.names) == ["cleo", "alice"]
    assert plan.bots[0].folder == entries / "bots" / "cleo"


def test_a_final_without_enough_programs_is_not_written_and_the_missing_are_named(
    tmp_path: Path, ladder: Path
) -> None:
    program(tmp_path / "bots", "alice")
    with pytest.raises(ConfigError, match="at least 2 bots of the ladder; missing: cleo, bob"):
        write_final(tmp_path / "final.toml", "contest", ladder, 8, tmp_path / "bots")
    assert not (tmp_path / "final.toml").exists()


def test_only_a_ladder_has_a_final(tmp_path: Path, ladder: Path) -> None:
    (tmp_path / "spring.toml").write_text('game = "coins"\n')
    with pytest.raises(ConfigError, match="this is no ladder"):
        write_final(tmp_path / "final.toml", "contest", tmp_path / "spring.toml", 8, tmp_path)
    assert ladder.exists()


def test_what_a_tournament_file_says_of_a_program_goes_with_it(tmp_path: Path, ladder: Path) -> None:
    (tmp_path / "class.toml").write_text(
        'game = "coins"\nseed = "s"\n[[bots]]\nname = "cleo"\nsample = "random"\n'
        'env = { MODE = "fast \\"1\\"" }\n'
        '[[bots]]\nname = "bob"\nsample = "first"\nlimits = { memory_mib = 700 }\nauthors = ["Bob", "Bo"]\n'
    )
    write_final(tmp_path / "final.toml", "contest", ladder, 2, tmp_path / "class.toml")
    cleo, bob = load(tmp_path / "final.toml").bots
    assert cleo.env == {"MODE": 'fast "1"'}
    assert (bob.limits.memory_mib, bob.authors) == (700, ("Bob", "Bo"))


def test_a_final_may_have_stages(tmp_path: Path, ladder: Path) -> None:
    for name in ("cleo", "bob", "alice"):
        program(tmp_path / "bots", name)
    write_final(tmp_path / "final.toml", "stages", ladder, 8, tmp_path / "bots")
    event = event_at(tmp_path / "final.toml")
    assert [(one.part.name, one.part.take) for one in event.parts] == [("groups", None), ("final", 3)]
    assert {plan.game for plan in event.plans} == {"coins"}
    assert event.plans[0].options["rounds"] == 5
