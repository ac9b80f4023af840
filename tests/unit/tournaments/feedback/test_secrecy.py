"""A folder of feedback is a function of what its bot may know: what is hidden changes no byte of it."""

from collections.abc import Sequence
from itertools import count
from pathlib import Path

from msgspec.structs import replace

from referee import registry
from referee.chance import KeyedChance, deal_key
from referee.match.faults import FaultCode
from referee.replay import files, format
from referee.replay.dossier import DOSSIER_SUFFIX, Dossier, Said, SeatDossier, dossier_bytes
from tests.unit.referee.replay.played import SimulatedMatch
from tournaments.feedback.events import PlayedPart
from tournaments.feedback.gathering import gather
from tournaments.feedback.writing import files_of
from tournaments.results import Played
from tournaments.site.events import rows_event

BOTS = ("Ann", "Bob")
OWN = SeatDossier(
    "Ann",
    stderr="Ann's own words",
    command="python ann.py",
    messages=(Said(4, "from", "hm", 2, 0),),
    folder="/home/org/ann",
)


def hands(seed: str) -> list[list[int]]:
    """Return the hands of a deal of Coins."""
    state, _ = registry.game("coins").new(2, KeyedChance(deal_key(seed, "7")), {"rounds": 3, "peek": "no"})
    found: list[list[int]] = state.reveal()["hands"]
    return found


def worlds() -> tuple[str, str]:
    """Return the seeds of two deals in which seat 0 has the same cards, and seat 1 others."""
    seen: dict[str, str] = {}
    for number in count():
        seed = f"seed-{number}"
        own, other = hands(seed)
        first = seen.setdefault(str(own), seed)
        if hands(first)[1] != other:
            return first, seed
    raise AssertionError


def feedback(
    folder: Path, seed: str, other: SeatDossier, *, own: SeatDossier = OWN, withheld: bool = False
) -> dict[str, bytes]:
    """Play a match in which seat 1 fails at once, and return the files for the author in seat 0."""
    simulated = SimulatedMatch(seed, options={"rounds": 3, "peek": "no"}, strikes=2).ready()
    simulated.fail(0, FaultCode.MALFORMED)
    simulated.answer(1, "no such action: my cards are a secret")
    simulated.fail(1, FaultCode.CRASHED)
    result = simulated.match.result
    assert result is not None
    folder.mkdir()
    about = format.About(bots=("python ann.py", f"python /{seed}/bob.py"), seed=seed, deal="7", started="now")
    text = format.replay_text(simulated.match, about)
    files.write(folder / "m-1.jsonl", text.lines)
    dossier = Dossier("m-1", "coins", "m-1.jsonl", (own, other))
    (folder / f"m-1{DOSSIER_SUFFIX}").write_bytes(dossier_bytes(dossier))
    # What the other bot used is its own affair.
    seats = (result.seats[0], replace(result.seats[1], took_us=len(seed), charged_ms=len(other.stderr)))
    row = Played(1, "b", "d", BOTS, replace(result, seats=seats), text.play, "m-1.jsonl")
    event = rows_event("Cup", "coins", [row], replays=folder, left=int(withheld))
    return dict(files_of(gather([PlayedPart(replace(event, made=""), None)], "Ann")))


def test_what_is_hidden_from_a_bot_changes_no_byte_of_its_feedback(tmp_path: Path) -> None:
    one, two = worlds()
    assert hands(one)[1] != hands(two)[1]
    quiet = SeatDossier("Bob")
    loud = SeatDossier(
        "Bob",
        stderr="Bob's plan",
        command="python bob.py --key K",
        folder="/home/org/bob",
        exit="killed",
        env={"API": "k3y"},
        messages=(Said(3, "from", "Bob's message", 13, 0),),
    )
    first, second = feedback(tmp_path / "a", one, quiet), feedback(tmp_path / "b", two, loud)
    assert first.keys() == second.keys()
    for name in first:
        assert first[name] == second[name], name


def test_what_is_its_own_does_change_the_feedback(tmp_path: Path) -> None:
    one, _ = worlds()
    other = SeatDossier("Bob")
    first = feedback(tmp_path / "a", one, other)
    second = feedback(tmp_path / "b", one, other, own=replace(OWN, stderr="other words of Ann"))
    assert {name for name in first if first[name] != second[name]} == {
        "stderr/m-1.txt",
        "feedback.json",
        "feedback.txt",
        "feedback.html",
    }


def planted(files: dict[str, bytes], secrets: Sequence[str]) -> list[tuple[str, str]]:
    """Return where secrets stand, in any file."""
    return [(name, secret) for name, data in files.items() for secret in secrets if secret.encode() in data]


def test_no_secret_of_others_of_the_organiser_or_of_the_deal_is_in_the_folder(tmp_path: Path) -> None:
    seed, _ = worlds()
    other = SeatDossier(
        "Bob",
        stderr="BOBS-STDERR",
        command="BOBS-COMMAND",
        folder="/BOBS-FOLDER",
        env={"BOBS-ENV": "BOBS-KEY"},
    )
    own = replace(
        OWN, command="/ORGANISER/python ann.py", folder="/ORGANISER/ann", env={"MY-ENV": "ENV-VALUE"}
    )
    own = replace(own, stderr='File "/ORGANISER/ann/bot.py", line 3', exit="exited with code 1")
    found = feedback(tmp_path / "event", seed, other, own=own)
    key = files.read(tmp_path / "event" / "m-1.jsonl").key.hex()
    secrets = [seed, key, "BOBS-", "my cards are a secret", "ORGANISER", "ENV-VALUE", str(tmp_path)]
    assert planted(found, secrets) == []
    assert b'File "./bot.py", line 3' in found["stderr/m-1.txt"]


def test_of_a_deal_that_is_still_to_be_played_only_the_result_is_fed_back(tmp_path: Path) -> None:
    seed, _ = worlds()
    found = feedback(tmp_path / "event", seed, SeatDossier("Bob"), withheld=True)
    assert sorted(found) == ["feedback.html", "feedback.json", "feedback.txt"]
    assert planted(found, ["Ann's own words", "“hm”", "exit code 3"]) == []
    text = found["feedback.txt"].decode()
    assert "1 match of deals that other bots are still to play" in " ".join(text.split())
    assert "withheld" in found["feedback.html"].decode()
