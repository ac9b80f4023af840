"""`referee check`: the conformance kit, which examines whether a bot speaks the protocol."""

import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from referee.cli import examples
from referee.cli.options.common import junit_option, output_option
from referee.cli.options.games import complete_game
from referee.cli.options.terms import limit_option
from referee.cli.output.check_report import CheckReport, show_steps
from referee.cli.output.printer import show_json
from referee.conformance.certificate import Certificate, certify, program_files, write
from referee.conformance.conversation import KitTimeouts
from referee.conformance.findings import Finding, StepResult
from referee.conformance.runner import Examination, ExaminationPlan
from referee.conformance.steps import STEPS
from referee.errors import ConfigError
from referee.process.sandbox import bubblewrap
from referee.process.sandbox.levels import insist
from referee.process.spec import LEVELS, Level, Program, ResourceLimits, Transport
from referee.server.addresses import check_address
from tournaments.config.bots import read_program
from tournaments.config.play_words import confinement_words
from tournaments.report import junit

_TIMEOUT_S = 10.0


def _complete_step(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    return [step.id for step in STEPS if step.id.startswith(incomplete)]


@click.command(
    epilog=examples(
        "referee check -- python mybot.py",
        "referee check --game chicago-poker --seats 2 --junit check.xml -- ./bot --fast",
        "referee check --step ping-thinking --step stale -- java -jar Bot.jar",
        "referee check --address tcp://*:7900",
    )
)
@click.argument("command", nargs=-1)
@click.option("--address", help="Wait at this ZeroMQ address for a bot that you start yourself.")
@click.option(
    "--transport",
    type=click.Choice(["auto", "zmq", "stdio"]),
    default="auto",
    show_default=True,
    help="The transport to examine; auto: each one over which the bot says hello.",
)
@click.option(
    "--game",
    "games",
    multiple=True,
    metavar="GAME",
    shell_complete=complete_game,
    help="Examine only this game.",
)
@click.option("--seats", multiple=True, type=click.IntRange(min=2), help="Examine only this number of seats.")
@click.option(
    "--step",
    "steps",
    multiple=True,
    metavar="STEP",
    shell_complete=_complete_step,
    help="Examine only this step and the steps it needs.",
)
@click.option("--list", "as_list", is_flag=True, help="List the steps and exit.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1, max=3600),
    default=_TIMEOUT_S,
    show_default=True,
    help="Seconds to wait for an answer of the bot. To exit it has a tenth of it, but at least 1 s.",
)
@limit_option()
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="trusted",
    show_default=True,
    help="Examine the bot in the sandbox of this level, as an event plays it.",
)
@junit_option
@output_option(
    "--certificate",
    "certificate_file",
    help="Also write the certificate: all verdicts as JSON, with the hash of the program.",
    begins=b"{",
)
@click.option("--json", "as_json", is_flag=True, help="Print the certificate instead of a report.")
@click.pass_context
def check(
    ctx: click.Context,
    /,
    command: tuple[str, ...],
    address: str | None,
    transport: Transport,
    games: tuple[str, ...],
    seats: tuple[int, ...],
    steps: tuple[str, ...],
    as_list: bool,
    timeout: float,
    limits: ResourceLimits,
    level: Level,
    junit_file: Path | None,
    certificate_file: Path | None,
    as_json: bool,
) -> None:
    """Check step by step whether a bot follows the protocol.

    COMMAND is a command line or the name of a sample bot. The bot is started several times and plays scripted
    matches of every game and number of seats that it claims, over each transport that it offers. A failure is
    printed with the messages sent, what was expected, what the bot sent, and the paragraph of SPEC.md.

    Exits with 0 if everything passed, 1 if a step failed or was not reached, 2 if nothing was examined.
    """
    if as_list:
        show_steps()
        return
    patience = KitTimeouts(timeout, timeout, max(1.0, timeout / 10))
    plan = ExaminationPlan(games, seats, steps, transport, patience)
    plan.check()
    if bool(command) == bool(address):
        raise ConfigError(
            "give either the command of a bot after `--`, or --address ADDRESS for a bot that connects itself"
        )
    if address and level != "trusted":
        raise ConfigError("--level confines a bot that the kit starts, not one that connects to an address")
    if address and transport == "stdio":
        raise ConfigError("a bot that connects to an address speaks ZeroMQ, not stdio")
    insist(level)
    program = read_program(command[0] if len(command) == 1 else command, limits, level) if command else None
    where = check_address(address) if address else ""
    report = CheckReport(quiet=as_json)
    examination = Examination(plan, report.show)
    if program is not None:
        # A file that cannot be certified is refused now, not after the examination.
        list(program_files(program))
        _examine(examination, program)
    else:
        examination.run_remote(where, lambda text: click.echo(f"referee: {text}", err=True))
    certificate = certify(examination, program, where)
    _write(certificate, certificate_file, junit_file)
    if as_json:
        show_json(certificate)
    else:
        asked = [*_asked(plan, limits, level), *(["--address", where] if where else ["--", *command])]
        report.sum_up(certificate, lambda step, transport: _again(step, "" if where else transport, asked))
        if certificate.passed and certificate_file is None:
            click.echo("To keep this as a certificate: --certificate FILE")
    ctx.exit(0 if certificate.passed else 1)


def _again(step: str, transport: str, asked: Sequence[str]) -> str:
    """Return the command line that examines one step again; without a transport if the bot has only one."""
    way = ["--transport", transport] if transport else []
    return shlex.join(["referee", "check", *way, "--step", step, *asked])


def _examine(examination: Examination, program: Program) -> None:
    """Examine a bot, in a copy of its folder if it is confined."""
    if program.level == "trusted":
        examination.run(program)
        return
    with tempfile.TemporaryDirectory() as store:
        examination.run(bubblewrap.take_in(program, Path(store)))


def _asked(plan: ExaminationPlan, limits: ResourceLimits, level: Level) -> list[str]:
    """Return the options for the same games, seats, time, limits and level."""
    asked = [
        (option, word)
        for option, words in (("--game", plan.games), ("--seats", plan.seats))
        for word in words
    ]
    if plan.patience.answer_s != _TIMEOUT_S:
        asked.append(("--timeout", f"{plan.patience.answer_s:g}"))
    return [*(str(word) for pair in asked for word in pair), *confinement_words(level, limits)]


def _write(certificate: Certificate, certificate_file: Path | None, junit_file: Path | None) -> None:
    if certificate_file is not None:
        write(certificate, certificate_file)
    if junit_file is not None:
        junit.write(junit_file, f"referee check {certificate.command}", map(_case, certificate.steps))


def _case(verdict: StepResult) -> junit.TestCase:
    name = f"{verdict.step} ({', '.join(filter(None, (verdict.transport, verdict.case)))})"
    seconds = verdict.ms / 1e3
    if verdict.finding in (Finding.PASSED, Finding.NOTED):
        return junit.TestCase(name, seconds=seconds)
    if verdict.evidence is None:
        return junit.TestCase(name, "skipped", f"{verdict.finding}: {verdict.why}", seconds=seconds)
    proof = verdict.evidence
    detail = "\n".join(
        [
            *(f"sent: {line}" for line in proof.sent),
            f"expected: {proof.expected}",
            *(f"came: {line}" for line in proof.came),
            f"SPEC.md {proof.paragraph}: {proof.quote}",
        ]
    )
    return junit.TestCase(name, "failed", verdict.why, detail, seconds)
