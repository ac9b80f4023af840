"""Print an examination: a line for each step, and the evidence of a failure."""

from collections import Counter
from collections.abc import Callable, Iterable

import click

from referee.cli.output.printer import is_for_people, show_labelled, show_table
from referee.conformance.certificate import Certificate
from referee.conformance.findings import Evidence, Finding, StepResult
from referee.conformance.steps import STEPS
from referee.wording import clean, plural

_STYLES: dict[Finding, str] = {
    Finding.PASSED: "green",
    Finding.NOTED: "yellow",
    Finding.FAILED: "bold red",
    Finding.NOT_APPLICABLE: "dim",
    Finding.NOT_OFFERED: "dim",
    Finding.NOT_REACHED: "magenta",
}


def show_steps() -> None:
    """Print all steps."""
    rows = [(step.id, step.title, step.paragraph) for step in STEPS]
    show_table(("step", "the bot...", "SPEC.md"), rows)


class CheckReport:
    """Prints verdicts as they come: in colour and wrapped on a terminal, one line each for a pipe."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._people = is_for_people()
        self._unreached: dict[str, list[StepResult]] = {}
        """By transport, to be printed in one line each: the failure before them is the cause."""

    def show(self, verdict: StepResult) -> None:
        """Print one verdict; steps that were not reached are printed at the end."""
        if self._quiet:
            return
        if verdict.finding == Finding.NOT_REACHED:
            self._unreached.setdefault(verdict.transport, []).append(verdict)
            return
        where = f"{verdict.transport:5}  {verdict.step}{f' ({verdict.case})' if verdict.case else ''}"
        said = verdict.title if verdict.finding == Finding.PASSED else verdict.why
        self._print(f"{verdict.finding:14}", f"{where}: {said}", _STYLES[verdict.finding])
        if verdict.evidence is not None:
            show_labelled(_rows(verdict.title, verdict.evidence))

    def sum_up(self, certificate: Certificate, again: Callable[[str, str], str]) -> None:
        """Print the result; `again` returns the command that examines a step again over a transport."""
        count = Counter(verdict.finding for verdict in certificate.steps)
        counted = ", ".join(f"{count[finding]} {finding}" for finding in _STYLES if count[finding])
        name = certificate.bot.name if certificate.bot else certificate.command
        end = "conforms to" if certificate.passed else "does not conform to"
        if not certificate.passed and not count[Finding.FAILED]:
            end = "could not be examined completely for"
        style = _STYLES[Finding.PASSED if certificate.passed else Finding.FAILED]
        for transport, verdicts in self._unreached.items():
            first = verdicts[0]
            text = f"{plural(len(verdicts), 'step')}, from {first.step} on: {first.why}"
            self._print(f"{Finding.NOT_REACHED:14}", f"{transport:5}  {text}", _STYLES[Finding.NOT_REACHED])
        click.echo()
        self._print(f"{name} {end} protocol version {certificate.protocol}", "", style)
        if not certificate.whole:
            click.echo("Not everything was examined, because options left steps, games or seats out.")
        click.echo(f"{plural(len(certificate.steps), 'verdict')}: {counted}")
        for step, transport in sorted(
            {(v.step, v.transport) for v in certificate.steps if v.finding == Finding.FAILED}
        ):
            click.echo(clean(f"To examine only {step} again: {again(step, transport)}"))

    def _print(self, head: str, text: str, style: str) -> None:
        line = f"{clean(head)}  {clean(text)}" if text else clean(head)
        if not self._people:
            click.echo(line)
            return
        from rich.console import Console
        from rich.text import Text

        shown = Text(line)
        shown.stylize(style, 0, len(clean(head)))
        Console(highlight=False).print(shown)


def _rows(title: str, proof: Evidence) -> Iterable[tuple[str, str]]:
    """Return the evidence of a failure as labelled lines; a repeated label is left out."""
    rows = [("step", title), *(("sent", line) for line in proof.sent)]
    rows += [("expected", proof.expected), *(("came", line) for line in proof.came)]
    rows += [(f"SPEC {proof.paragraph}", line) for line in proof.quote.splitlines()]
    before = ""
    for label, text in rows:
        yield "" if label == before else label, text
        before = label
