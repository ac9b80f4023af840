"""Tries a bot before its matches: whether it starts, and whether it follows the protocol."""

import time
from collections.abc import Sequence
from typing import Final

from referee.conformance.conversation import KitTimeouts
from referee.conformance.findings import Finding, StepResult
from referee.conformance.runner import Examination, ExaminationPlan
from referee.hub.hub import Hub
from referee.hub.start_trial import try_bots
from referee.process.spec import BotSpec
from tournaments.config.plan import Plan
from tournaments.grading.facts import BotStart, ConformanceTrial

_SHOWN_FAILURES: Final = 5
_LEAST_ANSWER_S: Final = 2.0
_MOST_ANSWER_S: Final = 10.0


def try_start(spec: BotSpec, plan: Plan) -> BotStart:
    """Start the bot once, and wait for its hello."""
    with Hub([spec], profile=plan.profile) as hub:
        failure = try_bots(hub, [spec.name], [plan.game]).get(spec.name)
    return BotStart(True) if failure is None else BotStart(False, failure.why, failure.stderr)


def examine(spec: BotSpec, plans: Sequence[Plan], within_s: float) -> ConformanceTrial:
    """Run the conformance kit in the games and numbers of seats of the plans.

    The time is looked at after each step: a bot that hangs makes each of them slow.
    """
    end = time.monotonic() + within_s
    answer_s = max(_LEAST_ANSWER_S, min(_MOST_ANSWER_S, within_s / 10))
    found: list[StepResult] = []

    def take(step: StepResult) -> None:
        found.append(step)
        if time.monotonic() > end:
            raise _OutOfTimeError

    asked = ExaminationPlan(
        games=tuple(dict.fromkeys(plan.game for plan in plans)),
        seats=tuple(sorted({plan.seats for plan in plans})),
        patience=KitTimeouts(answer_s, answer_s, max(1.0, answer_s / 10)),
    )
    examination = Examination(asked, take)
    is_late = False
    try:
        examination.run(spec.program)
    except _OutOfTimeError:
        is_late = True
    failures = (f"{step.step}: {step.why}" for step in found if step.finding == Finding.FAILED)
    # On both transports a step often fails for the same reason.
    failed = tuple(dict.fromkeys(failures))[:_SHOWN_FAILURES]
    return ConformanceTrial(examination.passed and not is_late, failed, is_late)


class _OutOfTimeError(Exception):
    """The kit has used its time. It never leaves this module."""
