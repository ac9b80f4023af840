"""The sample bots of every language: described, built, speaking alike, and meeting in one match."""

import json
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import msgpack  # type: ignore[import-untyped]
import msgspec
import pytest

from protocol.messages import TimeControl
from referee import registry
from referee.chance import deal_key
from referee.hub.pairing import Finished, Pairing
from referee.process.spec import BotSpec, program
from sample_bots.languages import Language, Sample, languages, samples
from tests.end_to_end.boxes import needs_box
from tests.end_to_end.hubs import ROOT, STRICT, play, sample
from tests.end_to_end.workshop import Workshop, buildable, each_sample, may_build, say_who_was_absent, seated

pytestmark = may_build

VECTORS = json.loads((ROOT / "protocol" / "vectors" / "messages.json").read_text(encoding="utf-8"))
READ = ("type", "match", "id", "legal")
"""All that the smallest bots read of a message."""

GAMES = tuple(registry.ids())
PATIENT = msgspec.structs.replace(
    STRICT,
    clock=TimeControl(ready_ms=60_000, first_ms=60_000, move_ms=60_000, bank_ms=60_000, grace_ms=50),
    hello_ms=60_000,
)
"""Limits that no bot exceeds on a busy host."""


def every_game(bots: tuple[str, ...]) -> Iterator[Pairing]:
    for game in GAMES:
        yield Pairing(game, registry.game(game), bots, deal_key("languages", game), PATIENT)


def spotless(played: list[Finished], count: int) -> None:
    """See that so many matches were played to their end, by the bots themselves."""
    assert len(played) == count
    for one in played:
        assert not one.result.void, one
        assert not any(one.result.faults), (one.pairing, one.result.faults)


@cache
def as_first_plays() -> list[str]:
    """Return the hashes of what two bots of the Python kit play when both take the first action."""
    pair = [msgspec.structs.replace(sample("first"), name=seat) for seat in "ab"]
    played = play(pair, every_game(("a", "b")), profile=PATIENT)
    spotless(played, len(GAMES))
    return [one.play for one in played]


# The folders.


@pytest.mark.parametrize("folder", languages())
def test_a_folder_explains_itself_in_few_lines(folder: str) -> None:
    language = languages()[folder]
    text = (Path(language.folder) / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 14
    assert "Your idea" in text
    assert "nstall" in text
    for bot in language.bot:
        assert bot.build in text
        # In the folder itself one may write `node bot.js` or `node ./bot.js`.
        assert bot.run.replace("{here}", ".") in text or bot.run.replace("{here}/", "") in text


def test_names_of_samples_are_unique() -> None:
    assert sum(len(language.bot) for language in languages().values()) == len(samples())


def test_every_language_of_the_house_is_there() -> None:
    # One that is deleted or misspelled is missed here; more are welcome.
    assert set(languages()) >= {
        "bash",
        "c",
        "cpp",
        "go",
        "java",
        "javascript",
        "perl",
        "python",
        "rust",
        "typescript",
    }
    assert {"c", "c-lines"} <= set(samples())


def test_what_the_languages_need_is_installed_where_all_tests_run() -> None:
    known = {
        line.split()[0] for line in (ROOT / ".ci" / "setup").read_text().splitlines() if line[:1] not in "# "
    }
    needed = {need for language, sample in samples().values() for need in language.needed(sample)}
    assert {need.partition(">=")[0] for need in needed} <= known


def test_a_tool_that_is_too_old_is_missing() -> None:
    needs = ["python3>=3.0", "python3>=99", "bash>=2.0", "no-such-tool>=1.0"]
    sample = Sample("new", "stdio", "python3", "bytes", needs=["perl:No::Such"])
    assert Language("New", needs, [sample]).missing(sample) == [
        "python3>=99",
        "no-such-tool>=1.0",
        "perl:No::Such",
    ]


# What they read and write.


def echoed(command: list[str], lines: list[str]) -> list[str]:
    done = subprocess.run(
        [*command, "echo"], input="".join(f"{line}\n" for line in lines), capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def read(line: str, transport: str) -> Any:
    return msgpack.unpackb(bytes.fromhex(line)) if transport == "zmq" else json.loads(line)


@each_sample
def test_golden_messages_survive_reading_and_writing(name: str, workshop: Workshop) -> None:
    command, bot = workshop(name), samples()[name][1]
    lines = [vector["msgpack" if bot.transport == "zmq" else "json"] for vector in VECTORS]
    came = echoed(command, lines)
    if bot.echo == "bytes":
        assert came == lines
        return
    expected = [read(line, bot.transport) for line in lines]
    if bot.echo == "fields":
        expected = [{key: message[key] for key in READ if key in message} for message in expected]
    assert [read(line, bot.transport) for line in came] == expected


# What they play.


@needs_box
@each_sample
def test_it_plays_in_a_box(workshop: Workshop, name: str) -> None:
    """Everything that its runtime needs of the host is there, and its socket or its pipes too."""
    language, chosen = samples()[name]
    started = program(
        [*workshop(name), "first"], Path(language.folder), {"PYTHONPATH": str(ROOT)}, level="class"
    )
    boxed = BotSpec("boxed", started, chosen.transport)
    pairing = Pairing(
        "boxed", registry.game("gangsters"), ("boxed", "first"), deal_key("boxes", name), PATIENT
    )
    spotless(play([boxed, sample("first")], [pairing], profile=PATIENT), 1)


@each_sample
def test_it_plays_every_game_to_the_end(name: str, workshop: Workshop) -> None:
    command = workshop(name)
    bots = [seated("a", name, command, "random"), seated("b", name, command, "random")]
    spotless(play(bots, every_game(("a", "b")), profile=PATIENT), len(GAMES))


@each_sample
def test_the_same_seed_and_the_first_action_give_the_same_game_in_every_language(
    name: str, workshop: Workshop
) -> None:
    command = workshop(name)
    bots = [seated("a", name, command, "first"), seated("b", name, command, "first")]
    played = play(bots, every_game(("a", "b")), profile=PATIENT)
    spotless(played, len(GAMES))
    assert [one.play for one in played] == as_first_plays()


def groups(names: list[str], seats: int) -> Iterator[tuple[str, ...]]:
    """Return groups in which every two bots meet: any two halves are together once."""
    half = seats // 2
    halves = [tuple(names[at : at + half]) for at in range(0, len(names), half)]
    yield from (one + other for one, other in combinations(halves, 2))


def test_groups_let_every_two_bots_meet() -> None:
    names = [str(number) for number in range(11)]
    sat = list(groups(names, 6))
    assert all(2 <= len(group) <= 6 for group in sat)
    met = {pair for group in sat for pair in combinations(sorted(group), 2)}
    assert met == set(combinations(sorted(names), 2))


def test_all_languages_meet_in_one_match(workshop: Workshop) -> None:
    present = list(buildable())
    bots = [seated(name, name, workshop(name), "random") for name in present]
    poker = registry.game("chicago-poker")
    matches = [
        Pairing(f"m{number}", poker, group, deal_key("table", str(number)), PATIENT)
        for number, group in enumerate(groups(present, 6))
    ]
    spotless(play(bots, matches, profile=PATIENT), len(matches))
    say_who_was_absent()
