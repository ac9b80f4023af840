"""The sample bots that are written with the Python kit, by name, and how each is started.

`first`, `random` and `search` play every game. A sample that plays one game is named by that game, in
`GameInfo.samples`: in `sample_bots.python`, or in the distribution that brings the game.
"""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from referee import registry

GENERAL = {
    "first": "sample_bots.python.first",
    "random": "sample_bots.python.random_bot",
    "search": "sample_bots.python.search",
}
"""The samples that play every game, and the module of each."""

_ROOT = Path(__file__).resolve().parents[1]
"""Where our own samples and their kit can be imported from, installed or not."""


class SampleProgram(NamedTuple):
    """How a sample is started."""

    command: list[str]
    env: dict[str, str]
    folder: Path
    """The folder of its source: what a bot in a box may see."""


def samples() -> dict[str, str]:
    """Return the module of every sample by its name."""
    return {name: sample.module for name, sample in registry.samples().items()} | GENERAL


def program_of(name: str) -> SampleProgram:
    """Return how a sample is started."""
    module = GENERAL.get(name) or samples()[name]
    spec = find_spec(module)
    source = Path(spec.origin).resolve() if spec and spec.origin else _ROOT
    roots = dict.fromkeys((str(_ROOT), str(source.parents[module.count(".")])))
    env = {"PYTHONPATH": os.pathsep.join(roots)}
    return SampleProgram([sys.executable, "-m", module], env, source.parent)
