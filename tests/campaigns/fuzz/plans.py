"""The tournament file: any content is a plan, or a mistake that is reported."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

import tournaments
from referee.errors import ConfigError
from tests.campaigns.fuzz.engine import Target
from tests.campaigns.fuzz.mutation import mutated
from tests.campaigns.fuzz.replays import scratch
from tournaments.config.luck import commitment_of
from tournaments.config.plan import check_bots, load

EXAMPLES = Path(tournaments.__path__[0]) / "examples"
BEACON = b"""name = "Spring"
game = "coins"
seed = "b0b5c1d2e4f6a7981c2d3e4f5a6b7c8d"
beacon = "drand round 5000000"

[[bots]]
name = "ann"
sample = "first"
luck = "seven hens"

[[bots]]
name = "bob"
sample = "random"
"""
"""A tournament in whose luck a beacon has a part."""

VALUES = (
    *("0", "-1", "1", "3", "1000000", "0x" + "f" * 99, "1e400", "nan", "true", "2020-01-01", "[]", "{}"),
    *(
        '""',
        '"a"',
        '"\\u0000"',
        '"\\u202e"',
        '"../../x"',
        '"\'"',
        '"' + "a" * 300 + '"',
        "[[[[1]]]]",
        "{a={b=1}}",
    ),
)


def check(data: bytes) -> None:
    """A file is a plan, or a ConfigError names the mistake."""
    file = scratch()
    file.write_bytes(data)
    with suppress(ConfigError):
        plan = load(file)
        check_bots(plan)
        if plan.luck is not None:
            assert commitment_of(plan).is_sound


def examples() -> list[bytes]:
    """Return the tournament files that come with the referee, and one with a beacon."""
    return [*(path.read_bytes() for path in sorted(EXAMPLES.rglob("*.toml"))), BEACON]


def mutate(luck: Random, corpus: Sequence[bytes]) -> bytes:
    """Return a file with bytes, values or whole lines changed."""
    data = luck.choice(corpus)
    if luck.random() < 0.4:
        return mutated(data, luck, corpus)
    lines = data.split(b"\n")
    for _ in range(1 + luck.getrandbits(1)):
        at = luck.randrange(len(lines))
        key, equals, _ = lines[at].partition(b"=")
        if equals and luck.random() < 0.7:
            lines[at] = key + b"= " + luck.choice(VALUES).encode()
        elif luck.random() < 0.5:
            lines.insert(at, luck.choice(luck.choice(corpus).split(b"\n")))
        else:
            del lines[at : at + 1 + luck.getrandbits(1)]
            lines = lines or [b""]
    return b"\n".join(lines)


PLAN = Target("plan", check, mutate, examples)
