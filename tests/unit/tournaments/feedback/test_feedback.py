"""What is fed back about a bot: the matches worth a look, faults in words, and text that fits a terminal."""

from itertools import pairwise
from pathlib import Path
from zipfile import ZipFile

import msgspec
import pytest
from msgspec.structs import replace

from referee.errors import ConfigError
from referee.replay import files
from tests.unit.referee.replay.played import SimulatedMatch
from tests.unit.tournaments.site.events_in_files import HOSTILE, plan_in, play_all
from tournaments.config.entrants import Entrant
from tournaments.feedback.choosing import (
    a_fault,
    closest_loss,
    kinds_of_faults,
    with_advice_once,
    worst_blunder,
)
from tournaments.feedback.events import PlayedPart, bots_of
from tournaments.feedback.gathering import gather
from tournaments.feedback.model import FaultNote, OtherSeat, OwnMatch, Swing, ThinkingTime
from tournaments.feedback.repeating import ask_again, own_command, repeat_match
from tournaments.feedback.swings import worst_swing
from tournaments.feedback.text import text_of
from tournaments.feedback.writing import files_of, write_feedback
from tournaments.pairing.schedule import fixtures
from tournaments.site.events import plan_event, tournament_event
from tournaments.store.store import Store


def match(name: str, score: int, best: int, *, fault: str = "", drop: int = 0, **more: object) -> OwnMatch:
    return OwnMatch(
        match=name,
        seat=0,
        outcome="won" if score > best else "lost",
        rank=1 if score > best else 2,
        score=score,
        others=(OtherSeat("Bob", 1, best, ""),),
        reason="goal",
        fault=fault,
        time=ThinkingTime(),
        file=str(more.get("file", f"replays/{name}.seat.json")),
        decisions=9,
        faults=(FaultNote(fault, "did wrong", "at its decision 4", "That lost it.", "x", 4, 7, True),)
        if fault
        else (),
        swing=Swing(5, drop, 1, 1 - drop) if drop else None,
    )


def test_the_closest_loss_is_the_one_with_the_smallest_margin_and_no_fault() -> None:
    matches = [
        match("far", 1, 9),
        match("near", 7, 9),
        match("won", 9, 1),
        match("fault", 9, 9, fault="late"),
    ]
    found = closest_loss(matches)
    assert found is not None
    assert (found.match.match, found.about) == ("near", "Lost with 7 to 9, 2 points behind; Bob was first.")
    assert closest_loss([match("won", 9, 1), match("fault", 0, 9, fault="late")]) is None


def test_the_worst_blunder_is_the_largest_fall_between_two_decisions() -> None:
    found = worst_blunder([match("a", 1, 9, drop=3), match("b", 8, 9, drop=5), match("c", 0, 9)])
    assert found is not None
    assert (found.match.match, found.decision) == ("b", 5)
    assert "from +1 to -4" in found.about


def test_where_a_game_shows_no_scores_the_worst_blunder_is_the_largest_defeat() -> None:
    found = worst_blunder([match("a", 1, 3), match("b", 1, 9), match("c", 9, 1)])
    assert found is not None
    assert found.match.match == "b"
    assert worst_blunder([match("c", 9, 1), match("level", 3, 3)]) is None


def test_matches_that_are_withheld_are_not_chosen() -> None:
    hidden = match("hidden", 8, 9, fault="late", drop=4, file="")
    assert closest_loss([hidden]) is worst_blunder([hidden]) is a_fault([hidden]) is None


def test_the_same_fault_is_described_once() -> None:
    matches = [
        match("a", 0, 1, fault="late"),
        match("b", 0, 1, fault="crashed"),
        match("c", 0, 1, fault="late"),
    ]
    found = {shown.match: [other.match for other in others] for shown, others in kinds_of_faults(matches)}
    assert found == {"c": ["a"], "b": []}


def test_prints_with_other_words_and_late_answers_with_another_bank_are_the_same_fault() -> None:
    def note(code: str, why: str, decision: int, printed: str = "", *, final: bool) -> FaultNote:
        return FaultNote(code, "did", "at it", "", why, decision, 1, final, printed=printed)

    def with_faults(name: str, *faults: FaultNote) -> OwnMatch:
        return replace(match(name, 0, 1), faults=faults)

    matches = [
        with_faults("a", note("malformed", "was 11", 2, "it printed 11", final=True)),
        with_faults(
            "b",
            note("malformed", "was 12", 3, "it printed 12", final=False),
            note("malformed", "was 13", 4, "it printed 13", final=True),
        ),
        with_faults("strike", note("malformed", "was 12", 3, "it printed 12", final=False)),
        with_faults("c", note("late", "800 ms of bank", 7, final=True)),
        with_faults("d", note("late", "20 ms of bank", 9, final=True)),
        with_faults("e", note("illegal", "'x'", 9, final=True)),
        with_faults("f", note("illegal", "'y'", 9, final=True)),
    ]
    found = {shown.match: [other.match for other in others] for shown, others in kinds_of_faults(matches)}
    assert found == {"b": ["a"], "strike": [], "d": ["c"], "e": [], "f": []}


def test_each_advice_is_given_once_in_the_text_and_on_the_page(tmp_path: Path) -> None:
    names = ("Ann", "Bob", "Cem")
    plan = plan_in(tmp_path, names, blocks=2)
    failed = [one for one in fixtures(plan) if one.bots[1] == "Bob"]
    play_all(plan, failing=[one.match for one in failed])
    with Store(plan.store, write=False) as store:
        found = gather([PlayedPart(tournament_event(plan, store), plan)], "Bob")
    (whole,) = found.feedback.parts
    # Faults of one code for several reasons are several kinds, with one cure.
    other = [
        replace(match, faults=tuple(replace(fault, why=match.match) for fault in match.faults))
        for match in whole.matches
    ]
    found = replace(
        found, feedback=replace(found.feedback, parts=(replace(whole, matches=tuple(other), worth=()),))
    )
    assert len(kinds_of_faults(other)) == len(failed) > 1
    advice = "What to do: look at the end of its stderr, and start it by hand as its command says."
    texts = {name: data.decode() for name, data in files_of(found) if name.startswith("feedback.")}
    assert " ".join(texts["feedback.txt"].split()).count(advice) == 1
    assert texts["feedback.html"].count(advice) == 1
    assert texts["feedback.html"].count("ended its process in mid-match") == len(failed)


def test_a_print_that_comes_again_is_explained_once_and_gets_no_other_advice() -> None:
    note = FaultNote(
        "malformed", "did", "at 1", "Strike.", "x", 1, 1, False, printed="it printed a", advice="y"
    )
    same = replace(
        match("m", 0, 1), faults=(note, replace(note, decision=2), replace(note, printed="it printed b"))
    )
    ((shown, _),) = with_advice_once([(same, [])])
    assert [(fault.printed, fault.advice) for fault in shown.faults] == [
        ("it printed a", "y"),
        ("", ""),
        ("it printed b", "y"),
    ]


@pytest.mark.parametrize("game", ["gangsters", "chicago", "vengeance", "chicago-poker"])
def test_the_fall_of_a_lead_is_that_of_the_scores_in_its_views(tmp_path: Path, game: str) -> None:
    simulated = SimulatedMatch("s-1", game=game).ready()
    leads: list[int] = []
    rules = simulated.match.game
    while simulated.match.result is None:
        seat = simulated.owing()[0]
        if seat == 0:
            scores = rules.scores_so_far(simulated.match.state.view(0))
            assert scores is not None
            leads.append(scores[0] - max(scores[1:]))
        simulated.answer(seat, simulated.pick(seat))
    outcome = simulated.match.state.outcome()
    assert outcome is not None
    leads.append(outcome.scores[0] - max(outcome.scores[1:]))
    falls = [(before - after, number) for number, (before, after) in enumerate(pairwise(leads), 1)]
    largest = max(fall for fall, _ in falls)
    swing = worst_swing(files.read(simulated.save(tmp_path / "m.jsonl")), 0)
    if largest <= 0:
        assert swing is None
    else:
        assert swing is not None
        assert (swing.drop, swing.decision) in falls
        assert swing.drop == largest


def test_the_command_of_a_bot_has_no_path_of_the_organiser() -> None:
    entrant = Entrant("Ann", Path("/org/bots/ann"), command="/usr/bin/python3 /org/bots/ann/x/bot.py --n 3")
    assert own_command(entrant) == ("python3", "x/bot.py", "--n", "3")
    assert own_command(Entrant("R", Path("/org"), sample="random")) == ("random",)
    words = ("sh", "-c", "cd /org/bots/x; ./bot", "--book=/org/bots/x/b")
    within = own_command(Entrant("X", Path("/org/bots"), command=words))
    assert within == ("sh", "-c", "cd ./x; ./bot", "--book=./x/b")
    assert "YOUR-COMMAND" in ask_again("replays/m.seat.json", 3, None)
    assert repeat_match("replays/m.seat.json", entrant) == (
        'cd "$BOT" && referee repeat "$FEEDBACK"/replays/m.seat.json -- python3 x/bot.py --n 3'
    )


@pytest.fixture
def part(tmp_path: Path) -> PlayedPart:
    names = ("Ann Ünï", HOSTILE, "con")
    plan = plan_in(tmp_path, names, blocks=1)
    play_all(plan, failing=[fixtures(plan)[0].match])
    with Store(plan.store, write=False) as store:
        return PlayedPart(tournament_event(plan, store), plan)


def test_every_bot_gets_a_folder_with_a_safe_name_closed_to_others(tmp_path: Path, part: PlayedPart) -> None:
    out = tmp_path / "out"
    written = list(write_feedback([part], bots_of([part]), out))
    assert len(written) == 3
    for one in written:
        assert one.path.parent == out
        assert one.path.name.isascii()
        assert one.path.name not in ("con", "..")
        assert {"feedback.html", "feedback.txt", "feedback.json"} <= {
            path.name for path in one.path.iterdir()
        }
        assert all(not path.stat().st_mode & 0o077 for path in [one.path, *one.path.rglob("*")])
        data = msgspec.json.decode((one.path / "feedback.json").read_bytes())
        assert data["bot"] == one.bot
        assert "<img" not in (one.path / "feedback.html").read_text()


def test_feedback_that_is_written_again_has_the_same_bytes_and_no_old_files(
    tmp_path: Path, part: PlayedPart
) -> None:
    out = tmp_path / "out"
    (first,) = write_feedback([part], ["con"], out)
    before = {path: path.read_bytes() for path in first.path.rglob("*") if path.is_file()}
    (first.path / "replays" / "old.seat.json").write_text("{}")
    list(write_feedback([part], ["con"], out))
    assert {path: path.read_bytes() for path in first.path.rglob("*") if path.is_file()} == before


def test_an_archive_has_the_files_of_the_folder(tmp_path: Path, part: PlayedPart) -> None:
    (folder,) = write_feedback([part], ["con"], tmp_path / "out")
    (archive,) = write_feedback([part], ["con"], tmp_path / "zips", zipped=True)
    with ZipFile(archive.path) as found:
        assert {
            f"{folder.path.name}/{path.relative_to(folder.path)}": path.read_bytes()
            for path in folder.path.rglob("*")
            if path.is_file()
        } == {name: found.read(name) for name in found.namelist()}


def test_a_replay_that_is_gone_is_said_and_the_rest_is_written(tmp_path: Path, part: PlayedPart) -> None:
    assert part.event.replays is not None
    lost = next(one for one in part.event.played if "con" in one.bots)
    (part.event.replays / lost.replay).unlink()
    (written,) = write_feedback([part], ["con"], tmp_path / "out")
    assert written.broken == 1
    assert "no replay" in (written.path / "feedback.html").read_text()


def test_the_text_fits_a_terminal_and_commands_nothing(part: PlayedPart) -> None:
    for bot in bots_of([part]):
        lines = list(text_of(gather([part], bot).feedback))
        assert all(line.isprintable() for line in lines)
        assert [line for line in lines if len(line) > 100 and not line.startswith("  $ ")] == []


def test_a_bot_that_the_event_does_not_have_is_refused_with_the_nearest(part: PlayedPart) -> None:
    with pytest.raises(ConfigError, match="has no bot 'cn': did you mean con"):
        bots_of([part], ("cn",))


def test_under_pseudonyms_other_bots_keep_theirs(tmp_path: Path) -> None:
    masks = {"alice": "red fox", "bobby": "blue owl"}
    plan = plan_in(tmp_path, ("alice", "bobby"), pseudonyms=True, masks=masks)
    play_all(plan, failing=[fixtures(plan)[0].match])
    part = PlayedPart(plan_event(plan), plan)
    assert sorted(bots_of([part])) == ["alice", "bobby"]
    found = dict(files_of(gather([part], "alice")))
    assert [name for name, data in found.items() if b"bobby" in data] == []
    text = found["feedback.txt"].decode()
    assert "In this event it is called red fox" in text
    assert "blue owl" in text


def test_an_event_of_several_parts_is_one_page(tmp_path: Path) -> None:
    plans = [plan_in(tmp_path / name, 2, name=name, seed=name) for name in ("one", "two")]
    for plan in plans:
        plan.store_file.parent.mkdir()
        play_all(plan)
    parts = [PlayedPart(plan_event(plan), plan) for plan in plans]
    found = dict(files_of(gather(parts, "bot00")))
    assert {name.rpartition("/")[0] for name in found} == {"", "replays/1", "replays/2"}
    page = found["feedback.html"].decode()
    assert "<bdi>one</bdi>" in page
    assert "<bdi>two</bdi>" in page
