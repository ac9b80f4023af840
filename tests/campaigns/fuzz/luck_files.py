"""The two files of luck with a beacon: any change of either is found, and reported as a flaw."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from referee.chance import plan_hash, tournament_commitment
from tests.campaigns.fuzz.engine import Target
from tests.campaigns.fuzz.mutation import altered, mutated
from tests.campaigns.fuzz.plans import BEACON
from tests.campaigns.fuzz.replays import scratch
from tournaments.config.luck_files import commit, commit_path, drawn, reveal, reveal_path
from tournaments.config.plan import Plan, load


@cache
def whole() -> tuple[Plan, dict[Path, bytes]]:
    """Return a plan whose luck is drawn, and its two files."""
    file = scratch().with_name("luck.toml")
    file.write_bytes(BEACON)
    commit(load(file))
    reveal(load(file), "4 8 15 16 23 42")
    plan = load(file)
    return plan, {path: path.read_bytes() for path in (commit_path(plan), reveal_path(plan))}


def check(data: bytes) -> None:
    """A file that is not as it was written is reported; so is one whose hashes were made anew."""
    plan, files = whole()
    for path, written in files.items():
        path.write_bytes(data)
        found, flaws = drawn(plan)
        assert bool(flaws) == (data != written), flaws
        assert flaws or found == plan
        path.write_bytes(written)


def documents() -> list[bytes]:
    """Return the two files as they were written."""
    return list(whole()[1].values())


def mutate(luck: Random, corpus: Sequence[bytes]) -> bytes:
    """Return a document with something changed; often with all its hashes made anew."""
    data = luck.choice(corpus)
    if luck.random() < 0.3:
        return mutated(data, luck, corpus)
    try:
        document = altered(msgspec.json.decode(data), luck)
    except msgspec.DecodeError:
        return mutated(data, luck, corpus)
    return msgspec.json.format(msgspec.json.encode(_with_hashes(document))) + b"\n"


def _with_hashes(document: Any) -> Any:
    if not isinstance(document, dict) or not {"plan", "seed_hash"} <= document.keys():
        return document
    of_plan = plan_hash(msgspec.json.encode(document["plan"], order="sorted"))
    whole_hash = tournament_commitment(str(document["seed_hash"]), of_plan)
    return document | {"plan_hash": of_plan, "commitment": whole_hash}


LUCK = Target("luck", check, mutate, documents)
