"""Makes a grade of what was found out about a bot: points by the scale, reasons in plain words. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import referee
from referee.match.faults import ADVICE, MEANING, FaultCode
from referee.wording import clean_lines, plural
from tournaments.grading.facts import GradingFacts, StaffMeeting, win_rate
from tournaments.grading.grade import Grade, GradedTest
from tournaments.grading.scale_file import CHECK_NAMES, RateTest, Scale
from tournaments.rating.clustered import LEAST_DEALS, Estimate

_STDERR_LINES: Final = 20
_STDERR_LETTERS: Final = 300


def grade_of(scale: Scale, facts: GradingFacts) -> Grade:
    """Return the grade of a bot."""
    marks = [*_checks(scale, facts), *(_rated(test, facts) for test in scale.tests)]
    return Grade(
        title=scale.title,
        bot=facts.bot,
        points=round(min(scale.most, sum(mark.points for mark in marks)), 2),
        most=scale.most,
        marks=tuple(marks),
        notes=tuple(_notes(scale, facts)),
        staff_notes=tuple(_staff_notes(facts)),
        took_s=facts.took_s,
        referee=referee.version(),
    )


def _checks(scale: Scale, facts: GradingFacts) -> Iterable[GradedTest]:
    """Return the marks of the checks that have points."""
    points = scale.checks
    found = {
        "submitted": (points.submitted, points.submitted, ["A submission was handed in."]),
        "starts": (points.starts * facts.start.started, points.starts, _start_lines(scale, facts)),
        "conformance": (
            points.conformance * (facts.conformance is not None and facts.conformance.passed),
            points.conformance,
            _conformance_lines(facts),
        ),
        "no_faults": (_fault_points(scale, facts), points.no_faults, _fault_lines(scale, facts)),
    }
    for key, (reached, most, lines) in found.items():
        if most:
            yield GradedTest(CHECK_NAMES[key], round(reached, 2), most, tuple(lines))


def _start_lines(scale: Scale, facts: GradingFacts) -> list[str]:
    if facts.start.started:
        return ["The bot starts, and says hello in time."]
    return [*_cause(facts), *_stderr(scale, facts.start.stderr)]


def _cause(facts: GradingFacts) -> list[str]:
    """Return why the bot could not play, in lines."""
    why = clean_lines(facts.start.why)
    return [f"The bot could not play: {why[0] if why else 'the reason is not known'}", *why[1:]]


def _conformance_lines(facts: GradingFacts) -> list[str]:
    found = facts.conformance
    if found is None:
        why = "the grading was interrupted" if facts.start.started else "the bot does not start"
        return [f"Not examined, because {why}."]
    if found.passed:
        return ["The bot follows the protocol."]
    lines = [line for text in found.failures for line in clean_lines(text)]
    if found.out_of_time:
        lines.append("The time was over before everything was examined: the bot answers too slowly.")
    return [*lines, "To see what was sent and what was expected: referee check -- COMMAND"]


def _fault_points(scale: Scale, facts: GradingFacts) -> float:
    """Return what is left after the faults; a bot that played nothing has shown nothing."""
    points = scale.checks
    each = points.no_faults if points.each_fault is None else points.each_fault
    if not any(meeting.played for meeting in facts.meetings):
        return 0.0
    return max(0.0, points.no_faults - each * _faults(facts.meetings).total())


def _fault_lines(scale: Scale, facts: GradingFacts) -> list[str]:
    if not any(meeting.played for meeting in facts.meetings):
        return ["No match was played."]
    faults = _faults(facts.meetings)
    lines = [_fault_line(code, count) for code, count in faults.most_common()]
    return [*lines, *_stderr(scale, facts.stderr)] if lines else ["No match was lost by a fault."]


def _fault_line(code: str, count: int) -> str:
    known = FaultCode(code)
    advice = ADVICE[known].partition(", or give it more")[0]
    return f"{plural(count, 'match')} lost because the bot {MEANING[known]} ({code}): {advice}."


def _faults(meetings: Iterable[StaffMeeting]) -> Counter[str]:
    total: Counter[str] = Counter()
    for meeting in meetings:
        total.update(meeting.faults)
    return total


def _rated(test: RateTest, facts: GradingFacts) -> GradedTest:
    """Return the mark of a test about a win rate."""
    meetings = [
        meeting
        for meeting in facts.meetings
        if test.against in (None, meeting.against) and test.game in (None, meeting.game)
    ]
    rate = win_rate(block for meeting in meetings for block in meeting.blocks)
    measured = _measured(test, rate)
    points = 0.0 if measured is None else test.points(measured)
    lines = _rate_lines(test, meetings, rate, points) if facts.start.started else _cause(facts)
    return GradedTest(test.name, round(points, 2), test.most, tuple(lines), rate, test.visibility)


def _measured(test: RateTest, rate: Estimate | None) -> float | None:
    """Return the number that the scale is applied to."""
    if rate is None or test.measure == "estimate":
        return None if rate is None else rate.value
    return None if rate.interval is None else rate.interval[0]


def _rate_lines(
    test: RateTest, meetings: Sequence[StaffMeeting], rate: Estimate | None, points: float
) -> list[str]:
    lines = [] if rate is None else [_rate_line(test, rate)]
    if rate is None:
        lines.append("No deal was played in all seats, so there is no win rate.")
    elif test.measure == "low" and rate.interval is None:
        lines.append(f"With fewer than {LEAST_DEALS} deals there is no interval, so there are no points.")
    elif points < test.most:
        lines.append(_next_step(test, points))
    left_out = sum(meeting.planned - meeting.played for meeting in meetings)
    if left_out:
        planned = sum(meeting.planned for meeting in meetings)
        lines.append(f"{left_out} of {plural(planned, 'match')} were not played.")
    if lost := _faults(meetings).total():
        lines.append(f"{plural(lost, 'match')} lost by a fault.")
    return lines


def _rate_line(test: RateTest, rate: Estimate) -> str:
    if rate.interval is None:
        return f"{rate.value:g} % won in {plural(rate.deals, 'deal')}, each played in all seats."
    low, high = rate.interval
    counts = f"; the lower end, {low:g} %, counts" if test.measure == "low" else ""
    deals = f"{plural(rate.deals, 'deal')}, each played in all seats"
    return f"{rate.value:g} % won in {deals} (95 % interval {low:g} to {high:g} %{counts})."


def _next_step(test: RateTest, points: float) -> str:
    percent, more = next(pair for pair in test.at if pair[1] > points)
    return f"The next step: {more:g} points from {percent:g} % on."


def _stderr(scale: Scale, text: str) -> list[str]:
    """Return the end of what the bot wrote to stderr, bounded; nothing if the teacher keeps it back."""
    if not text.strip() or not scale.shows_stderr:
        return []
    lines = clean_lines(text.strip())[-_STDERR_LINES:]
    return ["The end of its stderr:", *(f"  {line[:_STDERR_LETTERS]}" for line in lines)]


def _notes(scale: Scale, facts: GradingFacts) -> Iterable[str]:
    # What a check would explain is said here if the scale has no such check.
    if not scale.checks.starts and not facts.start.started:
        yield from _start_lines(scale, facts)
    if not scale.checks.no_faults and _faults(facts.meetings):
        yield from _fault_lines(scale, facts)
    left_out = sum(meeting.planned - meeting.played for meeting in facts.meetings)
    if left_out and (facts.interrupted or facts.out_of_time):
        why = "The grading was interrupted" if facts.interrupted else f"The {facts.limit_s:g} s were over"
        yield f"{why}: {plural(left_out, 'match')} were not played, the others count."


def _staff_notes(facts: GradingFacts) -> Iterable[str]:
    yield from facts.confinement.lines()
    yield from facts.cautions
    for meeting in facts.meetings:
        lost = sum(meeting.staff_faults.values())
        if lost:
            codes = ", ".join(f"{count} {code}" for code, count in meeting.staff_faults.items())
            yield f"the staff bot {meeting.against} lost {plural(lost, 'match')} by its own faults ({codes})"
        for why in meeting.void:
            yield f"a match against {meeting.against} is void: {why}"
    if facts.out_of_time:
        yield f"{facts.limit_s:g} s were too short: raise --time-limit, or lower blocks"
