"""Grades one bot: starts it, examines it, plays it against the staff bots, all within one time limit.

What the bot does wrong is a fact of its grade, never an error. A staff bot that does not start is a mistake
of the teacher: ConfigError.
"""

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from referee.errors import ConfigError, LaunchError
from referee.hub.signals import Stop
from referee.process.sandbox.levels import check_folders
from referee.process.spec import BotSpec, starts_fresh
from tournaments.config.bots import name_of, read_program
from tournaments.config.cautions import memory_caution, seed_caution
from tournaments.config.plan import Plan
from tournaments.grading.confinement import Confinement
from tournaments.grading.facts import BotStart, ConformanceTrial, GradingFacts, StaffMeeting
from tournaments.grading.meetings import Meetings
from tournaments.grading.staff import STUDENT
from tournaments.grading.trials import examine, try_start
from tournaments.host_paths import hider

_EXAMINATION_SHARE: Final = 0.25
"""The part of the time that the conformance kit may use: a bot that hangs makes it slow."""


class GradingSetting(Struct, frozen=True):
    """Everything that was asked for, checked: nothing has been started yet."""

    command: str | Sequence[str]
    """The bot, as `read_program` takes it."""
    name: str
    """The bot's name in the grade; '' for that of its file."""
    plans: tuple[Plan, ...]
    """The staff bots, a plan for each game, at the level of the confinement."""
    confinement: Confinement
    examines: bool
    """Whether the conformance kit is run."""
    limit_s: float
    replays: Path | None = None
    secrets: tuple[Path, ...] = ()
    """Files that the bot must not see, besides those of the plans."""


class GradingRunner:
    """The grading of one bot."""

    def __init__(self, setting: GradingSetting, note: Callable[[str], None] = lambda _: None) -> None:
        """Prepare to grade; `note` gets lines about the progress."""
        self._setting = setting
        self._note = note
        self._began = time.monotonic()
        self._until = self._began + setting.limit_s
        self._start = BotStart(False, "the grading was interrupted before it had started")
        self._examined: ConformanceTrial | None = None
        self._found: list[Meetings] = []

    def run(self, stop: Stop) -> GradingFacts:
        """Grade the bot; a signal ends it early, and what was found out by then counts.

        Raises ConfigError for a mistake of the teacher.
        """
        try:
            self._grade(stop)
        except KeyboardInterrupt:
            # Before the matches there is nothing that could be let end.
            if not stop.asked:
                raise
        return self._facts(stop)

    def _grade(self, stop: Stop) -> None:
        plans = self._setting.plans
        staff = [_staff_of(plan) for plan in plans]
        try:
            students = [self._student(plan) for plan in plans]
        except LaunchError as error:
            _check_folders(self._setting, staff)
            self._start = BotStart(False, str(error))
            return
        specs = [[*others, student] for others, student in zip(staff, students, strict=True)]
        _check_folders(self._setting, specs)
        self._note("starting the bot")
        for plan, student in zip(plans, students, strict=True):
            trial = try_start(student, plan)
            if not trial.started:
                self._start = trial
                return
        self._start = BotStart(True)
        self._found = [
            Meetings(plan, bots, self._until, self._setting.replays, self._note)
            for plan, bots in zip(plans, specs, strict=True)
        ]
        self._examined = self._examine(students[0])
        for meetings in self._found:
            meetings.play(stop)

    def _examine(self, student: BotSpec) -> ConformanceTrial | None:
        if not self._setting.examines:
            return None
        self._note("examining whether it follows the protocol")
        left_s = self._until - time.monotonic()
        return examine(student, self._setting.plans, _EXAMINATION_SHARE * left_s)

    def _student(self, plan: Plan) -> BotSpec:
        level = self._setting.confinement.level
        found = read_program(self._setting.command, plan.limits, level)
        return BotSpec(STUDENT, found, "auto", starts_fresh(level, plan.fresh))

    def _facts(self, stop: Stop) -> GradingFacts:
        setting, found, hide = self._setting, self._found, _hider_for(self._setting)
        start, examined = self._start, self._examined
        meetings: list[StaffMeeting] = [
            one.meeting(name) for one, plan in zip(found, setting.plans, strict=False) for name in plan.names
        ]
        return GradingFacts(
            bot=setting.name or self._own_name(),
            start=replace(start, why=hide(start.why), stderr=hide(start.stderr)),
            conformance=examined and replace(examined, failures=tuple(map(hide, examined.failures))),
            meetings=tuple(meetings),
            confinement=setting.confinement,
            out_of_time=not stop.asked and not all(one.is_complete for one in found),
            interrupted=stop.asked,
            limit_s=setting.limit_s,
            took_s=round(time.monotonic() - self._began, 1),
            stderr=hide(next((one.stderr for one in found if one.stderr), "")),
            cautions=tuple(_cautions(setting)),
        )

    def _own_name(self) -> str:
        try:
            return name_of(self._student(self._setting.plans[0]).program)
        except LaunchError:
            return "bot"


def _hider_for(setting: GradingSetting) -> Callable[[str], str]:
    """Return what takes the paths of this host out of what the author of the bot reads."""
    folders = [os.getcwd()]
    with contextlib.suppress(LaunchError):
        found = read_program(setting.command)
        files = [path for word in found.argv if (path := Path(found.folder, word)).is_file()]
        # An interpreter is not in a folder of the bot.
        folders += [found.folder, *(str(path.parent) for path in files if path.parent.name != "bin")]
    return hider(setting.plans[0].file.parent.absolute(), *folders, called="(staff)")


def _staff_of(plan: Plan) -> list[BotSpec]:
    specs = []
    for entrant in plan.bots:
        try:
            specs.append(entrant.spec())
        except LaunchError as error:
            raise ConfigError(f"{plan.file}: the staff bot {entrant.name}: {error}") from error
    return specs


def _check_folders(setting: GradingSetting, specs: Sequence[Sequence[BotSpec]]) -> None:
    """Refuse bots in sandboxes whose folders would show them the files of the staff, or other bots."""
    for plan, bots in zip(setting.plans, specs, strict=True):
        own = [setting.replays] if setting.replays is not None else []
        check_folders(bots, [plan.file, plan.store_file, plan.replays, *setting.secrets, *own])


def _cautions(setting: GradingSetting) -> list[str]:
    """Return what the teacher is warned of: a seed that can be guessed, bots that can remember."""
    plan, level = setting.plans[0], setting.confinement.level
    fresh = starts_fresh(level, plan.fresh)
    found = [
        seed_caution(plan.seed, "write a longer one"),
        memory_caution(level, fresh, only_samples=False, in_file=True),
    ]
    return [text for text in found if text]
