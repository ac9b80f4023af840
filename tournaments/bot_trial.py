"""Tries the bots of a tournament: all of them, also if some fail, so that all failures are known at once.

`look_at` finds out what can be known without a start: whether there is a program, whether its folder may be
shown to it, and which version of the bot it is. `start_all` starts every bot once, in its sandbox.
"""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from referee.errors import LaunchError
from referee.hub.hub import Hub
from referee.hub.roster import StartFailure, unusable
from referee.hub.start_trial import try_bots
from referee.process.sandbox import bubblewrap
from referee.process.sandbox.levels import insist
from referee.process.spec import BotSpec, Program
from tournaments.config.entrants import Entrant
from tournaments.config.host_share import division_of
from tournaments.config.plan import Plan
from tournaments.store.provenance import BotProvenance, program_of
from tournaments.store.versions import Identity

Failures = dict[str, StartFailure]
"""By name why bots do not start."""


class Candidate(Struct, frozen=True):
    """A bot that has a program."""

    spec: BotSpec
    program: BotProvenance
    identity: Identity


class BotLook(Struct, frozen=True):
    """What was found of the bots of a plan, without a start."""

    able: dict[str, Candidate]
    failures: Failures

    def signs(self) -> dict[str, object]:
        """Return what changes when a bot does, by name."""
        known = {name: candidate.identity for name, candidate in self.able.items()}
        return known | {name: failure.message for name, failure in self.failures.items()}


def look_at(plan: Plan, bundles: Path | None = None) -> BotLook:
    """Look at all bots of a plan; with `bundles` those of sandboxes run from copies that are made there."""
    failures: Failures = {}
    specs: dict[str, BotSpec] = {}
    for entrant in plan.bots:
        if not entrant.has_program:
            # It has results of a tournament in rounds, and the organiser has left it out since.
            failures[entrant.name] = unusable(f"bot {entrant.name}: it is no longer in the event")
            continue
        try:
            specs[entrant.name] = entrant.spec()
        except LaunchError as error:
            failures[entrant.name] = unusable(f"bot {entrant.name}: {error}")
    failures |= {name: unusable(flaw) for name, flaw in plan.folder_flaws(specs.values()).items()}
    named = {name: _named_files(spec.program) for name, spec in specs.items()}
    able: dict[str, Candidate] = {}
    for entrant in plan.bots:
        if entrant.name in failures:
            continue
        others = set[Path]().union(*named.values()) - named[entrant.name]
        try:
            able[entrant.name] = _candidate(entrant, specs[entrant.name], bundles, others)
        except LaunchError as error:
            failures[entrant.name] = unusable(str(error))
    return BotLook(able, failures)


def start_all(plan: Plan) -> Failures:
    """Start every bot once, and return why some cannot play; nothing is kept.

    Raises ConfigError for a level that this host cannot keep.
    """
    insist(plan.level, plan.accept_gaps)
    found = look_at(plan)
    specs = [candidate.spec for candidate in found.able.values()]
    with Hub(specs, jobs=division_of(plan).jobs, replays=None, profile=plan.profile) as hub:
        tried = try_bots(hub, list(found.able), [plan.game])
    failures = found.failures | tried
    return {name: failures[name] for name in plan.names if name in failures}


def stand_in(entrant: Entrant) -> BotSpec:
    """Return the entry of a bot that has no program, under which it loses its matches."""
    words = [entrant.command] if isinstance(entrant.command, str) else list(entrant.command or ())
    return BotSpec(entrant.name, Program(words or ["?"], str(entrant.folder), {}), "stdio")


def failure_lines(failures: Mapping[str, StartFailure]) -> list[str]:
    """Return all failures for the operator: a line that names the bot, and below it its stderr."""
    return [
        f"{'    ' if at else '  '}{line}"
        for failure in failures.values()
        for at, line in enumerate(failure.message.splitlines())
    ]


def _candidate(entrant: Entrant, spec: BotSpec, bundles: Path | None, others: set[Path]) -> Candidate:
    if bundles is not None and spec.program.level != "trusted":
        try:
            spec = replace(spec, program=bubblewrap.take_in(spec.program, bundles))
        except LaunchError as error:
            raise LaunchError(f"bot {spec.name}: {error}") from error
    program = program_of(spec)
    return Candidate(spec, program, _identity(entrant, spec, program, others))


def _identity(entrant: Entrant, spec: BotSpec, program: BotProvenance, others: set[Path]) -> Identity:
    """Return what a bot is known by, apart from interpreters of the host and files of other bots."""
    if entrant.digest:
        return Identity(digest=entrant.digest)
    if entrant.sample is not None:
        # It comes with the referee, whose version the provenance has.
        return Identity(command=f"sample {entrant.sample}")
    command = entrant.command or ""
    folder = Path(spec.program.folder)
    known = {path: digest for text, digest in program.files.items() if (path := Path(text)) not in others}
    interpreter = Path(spec.program.argv[0])
    if len(known) > 1 and not interpreter.is_relative_to(folder):
        known.pop(interpreter, None)
    return Identity(
        command=command if isinstance(command, str) else shlex.join(command),
        digest=program.program,
        files={_relative(path, folder): digest for path, digest in known.items() if digest},
    )


def _relative(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else path.name


def _named_files(program: Program) -> set[Path]:
    """Return the files that the command of a bot names."""
    paths = (Path(os.path.normpath(Path(program.folder) / word)) for word in program.argv)
    return {path for path in paths if os.path.isfile(path)}
