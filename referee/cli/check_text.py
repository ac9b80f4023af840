"""An examination told to people: a line for each step, and all there is to know of a failure."""

from collections import Counter

import click

from referee.cli.output import clean, is_for_people, plural, show_table
from referee.conformance.certificate import Certificate
from referee.conformance.steps import STEPS
from referee.conformance.verdict import Finding, Verdict

_STYLES: dict[Finding, str] = {
    "passed": "green",
    "noted": "yellow",
    "failed": "red",
    "not applicable": "bright_black",
    "not offered": "bright_black",
    "not reached": "magenta",
}


def show_steps() -> None:
    """Print all steps."""
    rows = [(step.id, step.title, step.paragraph) for step in STEPS]
    show_table(("step", "the bot...", "SPEC.md"), rows)


class Narrator:
    """Tells verdicts as they are given."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._colour = is_for_people()

    def tell(self, verdict: Verdict) -> None:
        """Tell one verdict."""
        if self._quiet:
            return
        where = clean(f"{verdict.transport:5}  {verdict.step}{f' ({verdict.case})' if verdict.case else ''}")
        said = verdict.title if verdict.finding == "passed" else verdict.why
        word = self._styled(f"{verdict.finding:14}", _STYLES[verdict.finding])
        click.echo(f"{word}  {where}: {clean(said)}")
        if verdict.evidence is not None:
            self._explain(verdict)

    def _explain(self, verdict: Verdict) -> None:
        proof = verdict.evidence
        assert proof is not None
        rows = [("step", verdict.title), *(("sent", line) for line in proof.sent)]
        rows += [("expected", proof.expected), *(("came", line) for line in proof.came)]
        rows += [(f"SPEC {proof.paragraph}", line) for line in proof.quote.splitlines()]
        before = ""
        for label, text in rows:
            click.echo(f"    {'' if label == before else label:9} {clean(text)}")
            before = label

    def sum_up(self, certificate: Certificate) -> None:
        """Tell how it ended."""
        count = Counter(verdict.finding for verdict in certificate.steps)
        told = ", ".join(f"{count[finding]} {finding}" for finding in _STYLES if count[finding])
        name = certificate.bot.name if certificate.bot else certificate.command
        end = "conforms to" if certificate.passed else "does not conform to"
        click.echo()
        style = _STYLES["passed" if certificate.passed else "failed"]
        click.echo(self._styled(clean(f"{name} {end} protocol version {certificate.protocol}"), style))
        if not certificate.whole:
            click.echo("Not everything was examined, as you wished.")
        click.echo(f"{plural(len(certificate.steps), 'verdict')}: {told}")
        for verdict in certificate.steps:
            if verdict.finding == "failed":
                case = f" ({verdict.case})" if verdict.case else ""
                again = f"referee check --transport {verdict.transport} --step {verdict.step}"
                click.echo(clean(f"  {verdict.step}{case}: try again with `{again}`"))

    def _styled(self, text: str, colour: str) -> str:
        return click.style(text, fg=colour) if self._colour else text
