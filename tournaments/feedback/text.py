"""Feedback about a bot as text of 80 columns, for a terminal and for a file."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final

from referee.replay.ledger import LedgerLine
from referee.wording import aligned, clean, clean_lines, in_ms, plural
from tournaments.feedback.choosing import kinds_of_faults, with_advice_once
from tournaments.feedback.model import (
    BotFeedback,
    FaultNote,
    OwnMatch,
    PartFeedback,
    StartNote,
    Suggestion,
    ThinkingTime,
)
from tournaments.feedback.repeating import REPEATING
from tournaments.feedback.starts import TRYING, fate

_WIDTH: Final = 80

MOST_FAULTS: Final = 20
"""Kinds of faults that are described."""

MOST_SAME: Final = 10
"""Matches that are named in which the same happened."""

MOST_MATCHES: Final = 100
"""Matches that are listed; the JSON file has all."""

_STDERR_LINES: Final = 30


def text_of(feedback: BotFeedback, *, files: bool = True) -> Iterator[str]:
    """Return the feedback line by line; with `files` it names those of the folder that it is in."""
    sections: list[StartNote | PartFeedback] = [*feedback.starts, *feedback.parts]
    if feedback.whole:
        yield from _folded(f"{feedback.bot}. {feedback.whole}")
        yield ""
    for number, one in enumerate(sections):
        if number:
            yield ""
        yield from _start(one, feedback.bot) if isinstance(one, StartNote) else _part(one, feedback.bot)
    if not sections:
        yield f"{clean(feedback.bot)} has not played."
    if files and any(part.worth for part in feedback.parts):
        yield ""
        yield from _folded(REPEATING)


def _start(note: StartNote, bot: str) -> Iterator[str]:
    yield from _title(bot, note)
    yield from _folded(fate(note))
    if note.fault:
        yield from _folded(f"{note.fault}: {note.why}", "  ")
    if note.exit:
        yield from _folded(f"Its process: {note.exit}", "  ")
    if note.advice:
        yield from _folded(f"What to do: {note.advice}.")
    if note.stderr:
        yield "The end of its stderr:"
        yield from (f"  {line}" for line in clean_lines(note.stderr)[-_STDERR_LINES:])
    if note.command:
        yield from _folded(TRYING)
        yield f"  $ {clean(note.command)}"


def _title(bot: str, of: PartFeedback | StartNote) -> Iterator[str]:
    title = f"{clean(bot)}: {clean(of.event)}, {of.title}"
    yield title
    yield "=" * min(len(title), _WIDTH)
    yield ""


def _part(part: PartFeedback, bot: str) -> Iterator[str]:
    yield from _title(bot, part)
    yield from _folded(standing(part))
    yield from _folded(thinking(part.time))
    for note in part.notes:
        yield from _folded(note)
    if part.worth:
        yield from _heading("Worth a look")
        for at, suggestion in enumerate(part.worth):
            yield from ([""] if at else [])
            yield from _suggestion(suggestion)
    yield from _heading("Faults")
    yield from _all_faults(part)
    yield from _heading("Matches and thinking time")
    yield from _matches(part.matches[-MOST_MATCHES:])
    if len(part.matches) > MOST_MATCHES:
        yield f"{plural(len(part.matches) - MOST_MATCHES, 'match')} before these are in feedback.json."


def _all_faults(part: PartFeedback) -> Iterator[str]:
    kinds = kinds_of_faults(part.matches)
    if not kinds:
        yield no_faults(part)
    for at, (match, others) in enumerate(with_advice_once(kinds[-MOST_FAULTS:])):
        yield from ([""] if at else [])
        yield from _about_faults(match)
        if others:
            yield f"  The same happened in {plural(len(others), 'other match')}:"
            yield from (f"    {clean(other.match)}" for other in others[-MOST_SAME:])
            if len(others) > MOST_SAME:
                yield f"    and {len(others) - MOST_SAME} before these"
    if len(kinds) > MOST_FAULTS:
        yield f"{plural(len(kinds) - MOST_FAULTS, 'kind')} of faults before these are in feedback.json."


def no_faults(part: PartFeedback) -> str:
    """Return what is said where no fault is described."""
    return "None that may be shown." if any(match.fault for match in part.matches) else "None."


def standing(part: PartFeedback) -> str:
    """Return the result of a bot in words."""
    facts = part.facts
    place = f"Place {facts.place_text} of {facts.places}" + ("" if part.final else " so far")
    rating = "" if facts.elo is None else f", rating {facts.elo:.0f}"
    if facts.interval is not None:
        rating += f" (95 %: {facts.interval[0]:.0f} to {facts.interval[1]:.0f})"
    return (
        f"{place}{rating}. {plural(facts.matches, 'match')}: {facts.wins} won, {facts.draws} drawn, "
        f"{facts.losses} lost, {facts.points:g} points of {facts.matches}."
    )


def thinking(time: ThinkingTime) -> str:
    """Return in words what a bot's answers took."""
    return (
        f"Thinking time: {_seconds(time.took_us)} in all, of which {_seconds(time.free_us)} were free within "
        f"the grace of each answer and {_seconds(time.charged_us)} were charged to its clocks. The median "
        f"answer took {in_ms(time.median_us)}, the slowest {in_ms(time.slowest_us)}."
    )


def _seconds(us: int) -> str:
    return f"{us / 1e6:.2f} s"


def _suggestion(suggestion: Suggestion) -> Iterator[str]:
    yield (
        f"The {suggestion.kind}: {clean(suggestion.match)}"
        if suggestion.kind != "fault"
        else (f"A fault: {clean(suggestion.match)}")
    )
    yield from _folded(suggestion.about, "  ")
    yield from (f"  $ {clean(command)}" for command in suggestion.commands)


def _about_faults(match: OwnMatch) -> Iterator[str]:
    yield f"{clean(match.match)}, seat {match.seat}, against {', '.join(clean(o.name) for o in match.others)}"
    for fault in match.faults:
        yield from _about_fault(fault)
    if match.exit:
        yield from _folded(f"Its process: {match.exit}", "  ")
    if match.clock:
        yield f"  Its clock, the last {len(match.clock)} of {plural(match.decisions, 'decision')}:"
        yield from aligned([CLOCK_HEADS, *map(clock_row, match.clock)], "    ")
    if match.stderr:
        dropped = f" ({match.stderr_dropped} bytes before it were not kept)" if match.stderr_dropped else ""
        yield f"  The end of its stderr{dropped}:"
        lines = clean_lines(match.stderr)
        yield from (f"    {line}" for line in lines[-_STDERR_LINES:])


def _about_fault(fault: FaultNote) -> Iterator[str]:
    yield from _folded(f"It {fault.meaning} {fault.when}. {fault.verdict}", "  ")
    yield from _folded(f"{fault.code}: {fault.why}", "    ")
    if fault.sent:
        yield f"  It sent, as it came ({plural(fault.sent_bytes, 'byte')}):"
        yield from (f"    {clean(line)}" for line in fault.sent)
    if fault.printed:
        yield from _folded(f"What happened: {fault.printed}", "  ")
    elif fault.advice:
        yield from _folded(f"What to do: {fault.advice}.", "  ")


CLOCK_HEADS: Final = ("decision", "took", "free", "charged", "bank left", "action")


def clock_row(line: LedgerLine) -> tuple[str, ...]:
    """Return one decision of the clock's ledger as cells."""
    if not line.by:
        return (str(line.decision), "", "", "", in_ms(line.bank_us), "no answer")
    action = line.action if line.by != "house" else f"{line.action} (the house)"
    times = (line.took_us, line.free_us, line.charged_us, line.bank_us)
    return (str(line.decision), *map(in_ms, times), action[:40])


def _matches(matches: Sequence[OwnMatch]) -> Iterator[str]:
    if not matches:
        yield "None."
        return
    heads = ("result", "score", "against", "took", "free", "charged", "slowest", "fault")
    rows = [
        (
            match.outcome,
            f"{match.score}:{max((other.score for other in match.others), default=0)}",
            ", ".join(other.name for other in match.others)[:20],
            *map(in_ms, (match.time.took_us, match.time.free_us, match.time.charged_us)),
            in_ms(match.time.slowest_us),
            match.fault or ("withheld" if match.withheld else ""),
        )
        for match in matches
    ]
    yield from aligned([heads, *rows], "")


def _heading(title: str) -> Iterator[str]:
    yield ""
    yield title
    yield "-" * len(title)


def _folded(text: str, indent: str = "") -> list[str]:
    return wrap(
        clean(text),
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
