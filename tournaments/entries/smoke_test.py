"""The smoke test of a bot: a few steps of `referee check` in the games of the event, in its box."""

import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.conformance.conversation import KitTimeouts
from referee.conformance.findings import Finding, StepResult
from referee.conformance.runner import Examination, ExaminationPlan
from referee.errors import ConfigError, LaunchError
from referee.process.forkserver import Forkserver
from referee.process.sandbox import bubblewrap
from tournaments.config.entrants import Entrant
from tournaments.config.plan import Plan

STEPS: Final = ("hello", "version", "token", "act", "next-match", "whole-match")
MOST_S: Final = 60.0
"""How long the test may take."""
DECISIONS: Final = 60
"""The most decisions of one match."""

_MISSING: Final = re.compile(r"No module named ['\"]([\w.]+)|Cannot find (?:module|package) ['\"]([^'\"]+)")


class SmokeReport(Struct, frozen=True):
    """What the smoke test found."""

    why: str
    """Why the bot cannot play, in one line; '' if it can."""
    text: str
    """All verdicts, with the evidence of a failure."""


def smoke_test(bot: Entrant, plans: Sequence[Plan], forkserver: Forkserver, store: Path) -> SmokeReport:
    """Try a bot in the games and seats of an event; copies for its box are made in `store`."""
    profile = plans[0].profile
    clock = profile.clock
    patience = KitTimeouts(
        hello_s=_between(5.0, profile.hello_ms / 1_000, 20.0),
        answer_s=_between(5.0, (clock.first_ms + clock.bank_ms) / 1_000, 10.0),
        end=time.monotonic() + MOST_S,
    )
    examination = Examination(
        ExaminationPlan(
            games=tuple(dict.fromkeys(plan.game for plan in plans)),
            seats=tuple(dict.fromkeys(plan.seats for plan in plans)),
            steps=STEPS,
            transport=bot.transport,
            patience=patience,
            decisions=DECISIONS,
        )
    )
    try:
        program = bot.spec().program
        if bot.level != "trusted":
            program = bubblewrap.take_in(program, store)
        examination.run(program, forkserver)
    except (LaunchError, ConfigError) as error:
        return SmokeReport(str(error), str(error))
    text = "\n".join(line for verdict in examination.verdicts for line in _lines(verdict))
    if examination.passed:
        return SmokeReport("", text)
    if patience.is_over:
        return SmokeReport(f"its test took longer than {MOST_S:.0f} s: is it slow, or does it wait?", text)
    failed = [one for one in examination.verdicts if one.finding == Finding.FAILED]
    first = failed[0] if failed else examination.verdicts[0]
    return SmokeReport(_explained(first, patience), text)


def _between(least: float, value: float, most: float) -> float:
    return min(most, max(least, value))


def _lines(verdict: StepResult) -> list[str]:
    where = f" ({verdict.case})" if verdict.case else ""
    head = f"{verdict.finding}: {verdict.step}{where}, over {verdict.transport}"
    lines = [f"{head}: {verdict.why}" if verdict.why else head]
    if (proof := verdict.evidence) is not None:
        lines += [f"    sent: {line}" for line in proof.sent]
        lines += [f"    expected: {proof.expected}", *(f"    came: {line}" for line in proof.came)]
        lines += [f"    SPEC.md {proof.paragraph}: {proof.quote.splitlines()[0]}"]
    return lines


def _explained(failed: StepResult, patience: KitTimeouts) -> str:
    """Return a failure in one line for the author: what went wrong, and the cure or the end of its stderr."""
    came = failed.evidence.came if failed.evidence else []
    errors = [line.removeprefix("[stderr] ").strip() for line in came if line.startswith("[stderr]")]
    if found := _MISSING.search("\n".join(errors)):
        return (
            f"it needs the package {found[1] or found[2]}, which is not installed here; ask, or leave it out"
        )
    if failed.step == "clean-stdout":
        return f"{failed.why}; print to stderr instead, in Python with print(..., file=sys.stderr)"
    last = next((line for line in reversed(errors) if line), "")
    ended = next((line.strip("[]") for line in came if line.startswith("[its process")), "")
    if ended:
        when = "before its hello" if failed.step == "hello" else f"in the step {failed.step}"
        said = f"{ended} {when}"
    elif failed.step == "hello" and not _said_anything(came):
        said = f"it said no hello within {patience.hello_s:.0f} s: does it loop, or wait for something?"
    else:
        said = f"{failed.step}: {failed.why}"
    return f"{said}; its stderr ends with: {last}" if last else said


def _said_anything(came: Sequence[str]) -> bool:
    return any(not line.startswith("[stderr]") and line != "nothing" for line in came)
