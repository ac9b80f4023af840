"""The sample bots of every language, built once in a test run, by the first process that needs them."""

import fcntl
import subprocess
from pathlib import Path

import pytest

from referee.process.spec import BotSpec, program
from sample_bots.languages import Language, Sample, samples
from tests.end_to_end.hubs import ROOT
from tests.lacking import lacking

each_sample = pytest.mark.parametrize("name", samples())

may_build = pytest.mark.timeout(1_800)
"""A compiler's first run fetches its libraries, and the test that waits for it is not at fault."""


class Workshop:
    """Where samples are built."""

    def __init__(self, shared: Path) -> None:
        """Keep what has been built in a folder that all processes of the test run share."""
        self._shared = shared

    def __call__(self, name: str) -> list[str]:
        """Return the words that start a sample; skip the test if this host cannot build it."""
        language, sample = samples()[name]
        if language.missing(sample):
            lacking(_wanting(language, sample))
        trouble = self._shared / f"{name}.built"
        with (self._shared / f"{Path(language.folder).name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not trouble.exists():
                try:
                    language.build(sample)
                    trouble.write_text("")
                except subprocess.CalledProcessError as error:
                    trouble.write_text(f"{sample.build}\n{error.stdout}{error.stderr}")
        if trouble.read_text():
            pytest.fail(f"{name} cannot be built: {trouble.read_text()}", pytrace=False)
        return language.command(sample)


def _wanting(language: Language, sample: Sample) -> str:
    """Describe what a sample needs and this host has not."""
    missing = ", no ".join(language.missing(sample))
    return f"{language.language} ({sample.name}) is not tested: this host has no {missing}"


def buildable() -> dict[str, Sample]:
    """Return the samples that this host has the tools for."""
    return {name: sample for name, (language, sample) in samples().items() if not language.missing(sample)}


def say_who_was_absent() -> None:
    """End a test of all samples together that has passed with those that could be built, if not all could."""
    absent = [_wanting(*pair) for pair in samples().values() if pair[0].missing(pair[1])]
    if absent:
        lacking(f"passed without some: {'; '.join(absent)}")


def seated(called: str, name: str, command: list[str], mode: str) -> BotSpec:
    """Return a sample as a bot of the hub."""
    started = program([*command, mode], env={"PYTHONPATH": str(ROOT)})
    return BotSpec(called, started, samples()[name][1].transport)
