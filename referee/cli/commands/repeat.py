"""`referee repeat`: repeats a recorded match with the bot of one seat."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

import click
from msgspec.structs import asdict

from referee.cli import examples
from referee.cli.options.common import json_option
from referee.cli.options.terms import level_options, limit_option
from referee.cli.output.printer import show_json, show_stderr
from referee.errors import ConfigError, RecordError
from referee.hub.repetition import (
    FaultOfMatch,
    RepeatedDecision,
    RepeatedFault,
    Repetition,
    RepetitionReport,
)
from referee.match.faults import ADVICE, MEANING, FaultCode
from referee.player.seat_track import seat_track
from referee.process.sandbox.levels import check_folders
from referee.process.spec import BotSpec, Level, ResourceLimits
from referee.registry import game
from referee.replay.seat_file import SeatFile
from referee.replay.seat_playback import SeatPlayback
from referee.wording import clean, in_ms, plural, shell_line
from tournaments.config.bots import name_of, read_program
from tournaments.config.play_words import confinement_words

_WIDTH: Final = 80


@click.command(
    epilog=examples(
        "referee repeat feedback/alice/replays/m-1.seat.json -- python mybot.py",
        "referee repeat m-1.seat.json --level class --limit memory=512 -- ./bot",
        "referee repeat replays/m-1.jsonl --seat alice -- python mybot.py",
        "referee repeat replays/m-1.jsonl --seat 0 --json -- python mybot.py",
    )
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("command", nargs=-1, required=True)
@click.option(
    "--seat",
    metavar="SEAT",
    help="The seat: its number, or the name of its bot. A file of `referee feedback` has one seat only.",
)
@limit_option()
@level_options()
@json_option
@click.pass_context
def repeat(
    ctx: click.Context,
    /,
    file: Path,
    command: tuple[str, ...],
    seat: str | None,
    limits: ResourceLimits,
    level: Level,
    as_json: bool,
) -> None:
    """Repeat a recorded match with the bot of one seat.

    FILE is a seat file of `referee feedback`, or a replay. The bot is started once and goes through the match
    of its seat: the same start, asks, events and result, with the clock and the strikes of the match. The
    other seats are played by the record. No seed is needed, and nothing is shown that the seat did not see.
    After an answer that differs the match goes on as it was played. COMMAND is a command line or the name of
    a sample bot.

    Exits with 0 if the bot made no fault, 1 if it made one, 2 if the bot or the file could not be used.
    """
    playback = _playback(file, seat)
    program = read_program(command, limits, level)
    spec = BotSpec(name_of(program), program)
    check_folders([spec], [file])
    if not as_json:
        _show_head(playback)
    with Repetition(spec, playback, (lambda _: None) if as_json else _show_line) as repetition:
        report = repetition.run()
    if as_json:
        show_json(_document(playback.file, report))
    else:
        _show_summary(report)
        where = [str(file), *(["--seat", seat] if seat is not None else [])]
        for decision in _worth_a_look(report):
            words = [*where, "--decision", str(decision), *confinement_words(level, limits)]
            click.echo(f"To look at decision {decision}:")
            click.echo(f"  {shell_line(['referee', 'at', *words, '--', *command])}")
        show_stderr(report.stderr, "The end of its stderr:")
    ctx.exit(1 if report.faults else 0)


def _playback(file: Path, seat: str | None) -> SeatPlayback:
    try:
        return SeatPlayback(file, seat_track(file, seat))
    except RecordError as error:
        raise ConfigError(str(error)) from error


def _document(file: SeatFile, report: RepetitionReport) -> dict[str, Any]:
    first = report.first_difference
    return {
        "match": file.frames.match,
        "game": file.frames.game,
        "seat": file.seat,
        "name": file.frames.names[file.seat],
        "profile": file.frames.profile,
        "decisions": report.decisions,
        "first_difference": first.decision if first is not None else None,
        "faults": [asdict(fault) | _explained(fault.code) for fault in report.faults],
        "faults_of_match": report.faults_of_match,
        "stderr": report.stderr,
    }


def _explained(code: str) -> dict[str, str]:
    return {"meaning": MEANING[FaultCode(code)], "advice": ADVICE[FaultCode(code)]}


def _show_head(playback: SeatPlayback) -> None:
    file, frames = playback.file, playback.file.frames
    own, title = frames.names[file.seat], game(frames.game).info.title
    decisions = plural(len(playback.decisions), "decision")
    click.echo(clean(f"{title}, match {frames.match}, seat {file.seat} ({own}), {decisions}"))
    click.echo()


# Lines as they come.


def _show_line(what: RepeatedDecision | RepeatedFault) -> None:
    lines = _decision_lines(what) if isinstance(what, RepeatedDecision) else _fault_lines(what)
    for line in lines:
        click.echo(line)


def _decision_lines(one: RepeatedDecision) -> list[str]:
    verdict = {"new": "answered", "none": "no answer"}.get(one.verdict, one.verdict)
    if one.verdict == "same":
        return _lines(one.decision, verdict, in_ms(one.us), _actions(one.answer))
    by_house = " by the house" if one.played_by == "house" else ""
    played = f"{_actions(one.played)}{by_house}" if one.played else "nothing"
    text = f"{_actions(one.answer)} (played: {played})"
    return _lines(one.decision, verdict, in_ms(one.us), text.lstrip())


def _fault_lines(fault: RepeatedFault) -> list[str]:
    text = f"it {MEANING[FaultCode(fault.code)]} ({fault.code}: {fault.why})"
    return _lines(fault.decision, "fault" if fault.final else "strike", "", text)


def _lines(decision: int, verdict: str, time: str, text: str) -> list[str]:
    """Return a line with its columns, folded where it is long."""
    head = f"{decision or '':>4}  {verdict:<9} {time:>10}  "
    return wrap(clean(text), _WIDTH, initial_indent=head, subsequent_indent=" " * len(head))


def _actions(actions: list[str]) -> str:
    return ", then ".join(actions[:1] + [", ".join(actions[1:])] * bool(actions[1:]))


# What came of it.


def _show_summary(report: RepetitionReport) -> None:
    click.echo()
    for sentence in [*_sentences(report), *_about_faults(report)]:
        for line in wrap(clean(sentence), _WIDTH):
            click.echo(line)


def _sentences(report: RepetitionReport) -> Iterator[str]:
    compared = [one for one in report.decisions if one.verdict in ("same", "differs")]
    first = report.first_difference
    if not compared:
        yield "There is no answer that can be compared with one of the match."
    elif first is None:
        yield f"{plural(len(compared), 'answer')}, all the same as in the match."
    else:
        differ = sum(one.verdict == "differs" for one in compared)
        yield f"{plural(len(compared), 'answer')}; different from the match: {differ}."
        yield (
            f"First different answer: decision {first.decision}, {_actions(first.answer)} in place of "
            f"{_actions(first.played)}. After it the asks showed the match as it was played, not what would "
            "have followed from this answer."
        )


def _worth_a_look(report: RepetitionReport) -> list[int]:
    """Return the decisions of the first different answer and of the first fault."""
    first = report.first_difference
    differs = [first.decision] if first is not None else []
    return sorted({*differs, *[fault.decision for fault in report.faults if fault.decision][:1]})


def _about_faults(report: RepetitionReport) -> Iterator[str]:
    yield from map(_came_again, report.faults_of_match)
    if not report.faults:
        return
    yield f"The bot made {plural(len(report.faults), 'fault')} now."
    prints = {fault.printed for fault in report.faults if fault.printed}
    advice = {ADVICE[FaultCode(fault.code)] for fault in report.faults if not fault.printed}
    for text in [*sorted(prints), *sorted(advice)]:
        yield f"What to do: {text}."


def _came_again(fault: FaultOfMatch) -> str:
    where = f"at decision {fault.decision}" if fault.decision else "before the first decision"
    again = {True: "came again", False: "did not come again", None: "was not reached"}[fault.again]
    return f"The fault of the match, {fault.code} {where}, {again}."
