"""SPEC.md: it mentions everything there is, and its examples are true."""

import json
import re
import sys
from hashlib import sha256
from pathlib import Path
from typing import get_args

import msgspec
import pytest

import protocol
from protocol import limits
from protocol.codec import from_referee
from protocol.messages import (
    Act,
    Ask,
    AskClock,
    Bye,
    End,
    Error,
    FromBot,
    FromReferee,
    Hello,
    Limits,
    Message,
    Ping,
    Pong,
    Ready,
    Start,
    TimeControl,
    Want,
    Welcome,
)
from protocol.untrusted import from_bot
from referee import registry
from referee.chance import KeyedChance
from referee.errors import IllegalActionError
from referee.match.clock import LATENCY_BUDGET_MS
from referee.match.faults import PROFILES, FaultCode, Profile
from tests.unit.protocol.referees import WELCOME, PipeReferee, ask, end, start

SPEC = (Path(protocol.__file__).parent / "SPEC.md").read_text(encoding="utf-8")
RECORDS = list(dict.fromkeys((*get_args(FromBot), *get_args(FromReferee), Limits, TimeControl, AskClock)))
NUMBERS = {name: value for name, value in vars(limits).items() if name.isupper()}


def section(number: int) -> str:
    """Return the text of one numbered section."""
    return SPEC.split(f"\n## {number}. ")[1].split("\n## ")[0]


def block(language: str, appendix: str) -> str:
    """Return the first code block of an appendix."""
    return SPEC.split(f"\n## Appendix {appendix}. ")[1].split(f"\n```{language}\n")[1].split("\n```")[0]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_every_message_and_field_is_specified(record: type[Message]) -> None:
    if issubclass(record, Message):
        assert f"`{record.__name__.lower()}`" in section(4) + section(5)
    for field in msgspec.structs.fields(record):
        assert f"`{field.name}`" in section(4) + section(5)


@pytest.mark.parametrize("record", [Hello, Ready, Act, Welcome, Start, Ask, End])
def test_fields_with_a_default_are_called_optional(record: type[Message]) -> None:
    text = section(4) + section(5)
    table = text.split(f"** `{record.__name__.lower()}` ", 1)[1].split("\n**")[0]
    for field in msgspec.structs.fields(record):
        row = next(row for row in table.splitlines() if row.startswith(f"| `{field.name}` |"))
        assert ("optional" in row) is not field.required


@pytest.mark.parametrize("code", FaultCode)
def test_every_fault_is_specified(code: FaultCode) -> None:
    assert f"| `{code.value}` |" in section(10)


def test_no_other_fault_is_specified() -> None:
    table = section(10).split("**10.2**")[0]
    assert set(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) == {code.value for code in FaultCode}


@pytest.mark.parametrize("code", ["stale", "unknown-match", "no-session", "not-now"])
def test_every_error_that_is_no_fault_is_specified(code: str) -> None:
    assert f"| `{code}` |" in section(10).split("**10.9**")[1]


@pytest.mark.parametrize("word", get_args(Want))
def test_every_want_is_specified(word: str) -> None:
    assert f"| `{word}` |" in section(7)


@pytest.mark.parametrize("name", sorted(NUMBERS))
def test_every_limit_is_specified(name: str) -> None:
    numbers = set(re.findall(r"\d+", SPEC.split("## Appendix C.")[1])) | {str(limits.VERSION)}
    assert str(NUMBERS[name]) in numbers


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda profile: profile.name)
def test_the_times_of_the_profiles_are_specified(profile: Profile) -> None:
    times = " | ".join(map(str, msgspec.structs.astuple(profile.clock)))
    assert f"| `{profile.name}` | {times} |" in section(10)


def test_paragraphs_are_numbered_without_gaps() -> None:
    numbers = [tuple(map(int, pair)) for pair in re.findall(r"^\*\*(\d+)\.(\d+)\*\*", SPEC, re.MULTILINE)]
    expected = []
    for chapter, count in sorted(
        (chapter, [n[0] for n in numbers].count(chapter)) for chapter, _ in set(numbers)
    ):
        expected += [(chapter, i) for i in range(1, count + 1)]
    assert numbers == list(dict.fromkeys(expected))
    headings = [int(number) for number in re.findall(r"^## (\d+)\. ", SPEC, re.MULTILINE)]
    assert headings == list(range(1, len(headings) + 1))


def test_paragraphs_that_are_cited_exist() -> None:
    cited = set(re.findall(r"(?:see|of|by|to|and) (\d+\.\d+)\b", SPEC)) | set(
        re.findall(r"\| (\d+\.\d+) \|", SPEC)
    )
    assert len(cited) > 10
    assert all(f"**{number}**" in SPEC for number in cited)


def test_the_example_conversation_is_made_of_good_messages() -> None:
    lines = [line.split(">", 1) for line in block("", "A").splitlines()]
    messages = [
        (
            speaker,
            from_bot(text.strip().encode()) if speaker == "bot" else from_referee(text.strip().encode()),
        )
        for speaker, text in lines
    ]
    assert isinstance(messages[0][1], Hello)
    assert isinstance(messages[-1][1], Bye)
    opening = next(message for _, message in messages if isinstance(message, Start))
    ending = next(message for _, message in messages if isinstance(message, End))
    assert ending.reveal
    key = bytes.fromhex(ending.reveal)
    assert sha256(b"commit:" + key + opening.match.encode()).hexdigest() == opening.commit


def test_10_4_the_example_has_an_ask_that_is_sent_again_after_a_strike() -> None:
    said = [line.split(">", 1)[1].strip().encode() for line in block("", "A").splitlines() if line[0] == "r"]
    messages = [from_referee(text) for text in said]
    [at] = [n for n, message in enumerate(messages) if isinstance(message, Error) and message.id]
    before, again = messages[at - 1], messages[at + 1]
    assert isinstance(before, Ask)
    assert again == msgspec.structs.replace(before, events=[])


def test_the_example_gives_the_reason_that_the_game_gives() -> None:
    said = [line.split(">", 1)[1].strip().encode() for line in block("", "A").splitlines() if line[0] == "r"]
    [why] = [message.why for message in map(from_referee, said) if isinstance(message, Error)]
    state, _ = registry.game("chicago-poker").new(2, KeyedChance(bytes(32)), {"first": "0"})
    with pytest.raises(IllegalActionError) as refused:
        state.apply(0, "play R7 9")
    assert why == f"'play R7 9' is not legal: {refused.value.reason}"


def test_9_4_the_allowance_for_latency_is_specified() -> None:
    assert {profile.latency_cap_ms for profile in PROFILES.values()} == {100}
    for number in (100, LATENCY_BUDGET_MS):
        assert f"{number} ms" in section(9)
        assert f"{number} ms" in SPEC.split("## Appendix C.")[1]


@pytest.mark.parametrize("game", ["chicago", "chicago-poker", "gangsters", "vengeance"])
def test_10_5_the_rules_of_a_game_name_the_action_of_the_house(game: str) -> None:
    assert re.search(r"[Tt]he house plays", registry.rules(registry.game(game)))


def test_the_bot_in_the_appendix_plays(tmp_path: Path) -> None:
    code = block("python", "B")
    assert len([line for line in code.splitlines() if line.strip()]) <= 15
    script = tmp_path / "minimal.py"
    script.write_text(code, encoding="utf-8")
    with PipeReferee([sys.executable, str(script)], REFEREE_TOKEN="sesame") as referee:
        assert referee.hear() == Hello([1], "minimal", wants=["legal"], token="sesame")
        referee.say(WELCOME, start())
        assert referee.hear() == Ready("m1")
        referee.say(Ping(4), ask(1))
        assert referee.hear() == Pong(4)
        assert referee.hear() == Act("m1", 1, "draw")
        referee.say(end(), Bye())
        assert referee.leave() == (0, "")


def test_the_schema_and_the_vectors_it_speaks_of_exist() -> None:
    here = Path(protocol.__file__).parent
    assert json.loads((here / "messages.schema.json").read_text(encoding="utf-8"))
    assert (here / "vectors" / "chance.json").exists()
