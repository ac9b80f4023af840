"""The outcome of a sequential test, and the forecast of one, as people read them: 80 columns at most."""

from collections.abc import Iterator

import click

from referee.cli.output.printer import show_facts, show_table
from referee.wording import aligned, clean, lasting, plural
from tournaments.rating.basis import Basis
from tournaments.rating.sprt import SprtState, Unit
from tournaments.rating.sprt_plan import PlanLine, SprtPlan
from tournaments.report import junit
from tournaments.report.words import memory_warning
from tournaments.sprt_runner import SprtVerdict

_BINS = 10
"""Of the histogram of block scores, where a block has more than two matches."""


def answer(verdict: SprtVerdict) -> str:
    """Return the answer in one sentence."""
    after = plural(verdict.state.blocks, "block")
    text = {
        "better": f"{verdict.new} is better than {verdict.old}",
        "not better": f"{verdict.new} is not better than {verdict.old}",
        None: f"It is not known yet whether {verdict.new} is better than {verdict.old}",
    }[verdict.state.decided]
    between = _between(verdict.elo0, verdict.elo1, verdict.unit, verdict.alpha, verdict.beta)
    return f"{text}: {after} of {plural(verdict.seats, 'match')}, {between}."


def _between(elo0: float, elo1: float, unit: Unit, alpha: float, beta: float) -> str:
    normalised = " (normalised Elo)" if unit == "nElo" else ""
    return f"elo0 {elo0:g}, elo1 {elo1:g}{normalised}, alpha {alpha:g}, beta {beta:g}"


def show_verdict(verdict: SprtVerdict, *, quiet: bool) -> None:
    """Print the answer, and all that it rests on unless quiet."""
    click.echo(clean(answer(verdict)))
    for line in [] if quiet else details(verdict):
        click.echo(line)


def details(verdict: SprtVerdict) -> list[str]:
    """Return the figures of a test, a line each."""
    played = f"{verdict.game}, {plural(verdict.seats, 'seat')}, seed {verdict.seed}, {verdict.took_s:.1f} s"
    return [
        *aligned(_figures(verdict)),
        *map(clean, faults(verdict)),
        *(clean(f"warning: {memory_warning(line)}") for line in verdict.memory if line.named),
        clean(played),
    ]


def _figures(verdict: SprtVerdict) -> Iterator[tuple[str, str]]:
    state = verdict.state
    yield "log likelihood ratio", f"{state.llr:+.2f} in [{state.lower:.2f}, {state.upper:.2f}]"
    if state.score is not None:
        yield "score", f"{100 * state.score:.2f} % of the comparisons, as played"
    if state.interval is not None:
        corrected = ", corrected for the end" if state.decided is not None else ""
        yield "Elo", f"{_elo(state.elo, state)} ({_range(state.interval)}){corrected}"
    if state.nelo is not None and state.nelo_interval is not None:
        yield "normalised Elo", f"{state.nelo:+z.1f} ({_range(state.nelo_interval)})"
    if state.los is not None:
        yield "likely to be better", _likely(state.los)
    yield from _counts(verdict)
    if verdict.drawn is not None and verdict.split is not None:
        of_what = "matches" if verdict.seats == 2 else "comparisons"
        split = f"{_percent(verdict.split)} of the blocks split"
        yield "drawn", f"{_percent(verdict.drawn)} of the {of_what}; {split}"
    lengths = [f"{blocks} at {elo} {verdict.unit}" for elo, blocks in verdict.expected.items() if blocks]
    if lengths:
        yield "expected length", f"{', '.join(lengths)}, in blocks"


def _elo(elo: float | None, state: SprtState) -> str:
    if elo is not None:
        return f"{elo:+z.1f}"
    return "infinite" if state.score is not None and state.score > 0.5 else "minus infinite"


def _range(interval: tuple[float | None, float | None]) -> str:
    low, high = interval
    if low is None:
        return "no bounds" if high is None else f"at most {high:+z.1f}"
    return f"at least {low:+z.1f}" if high is None else f"{low:+z.1f} to {high:+z.1f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _likely(los: float) -> str:
    """Return a likelihood, which is never rounded to certainty."""
    if los >= 0.9995:
        return "over 99.9 %"
    return "under 0.1 %" if los < 0.0005 else _percent(los)


def _counts(verdict: SprtVerdict) -> Iterator[tuple[str, str]]:
    """Return how often blocks had which score: the pentanomial counts, or a histogram."""
    scores = [(*map(int, score.split("/")), count) for score, count in verdict.scores.items()]
    if not scores:
        return
    if verdict.seats == 2:
        counts = [sum(n for halves, _, n in scores if halves == points) for points in range(5)]
        yield (
            "pairs by points",
            ", ".join(f"{name}: {n}" for name, n in zip(("0", "½", "1", "1½", "2"), counts, strict=True)),
        )
        return
    bins = [0] * _BINS
    for halves, of, count in scores:
        if of:
            bins[min(_BINS - 1, _BINS * halves // of)] += count
    yield "blocks by score", f"{' '.join(map(str, bins))} (tenths, from lost to won)"


def faults(verdict: SprtVerdict) -> list[str]:
    """Return a line for each bot that lost matches by a fault."""
    lines = []
    for bot, codes in verdict.faults.items():
        if codes:
            counts = ", ".join(f"{count} {code}" for code, count in codes.items())
            is_all = bot == verdict.new and sum(codes.values()) >= verdict.state.blocks * verdict.seats
            extent = ", every match it played" if is_all else ""
            why = "" if verdict.replays else " (with --replays FOLDER, `referee why` explains them)"
            lines.append(f"{bot} lost by faults: {counts}{extent}{why}")
    return lines


def junit_case(verdict: SprtVerdict) -> junit.TestCase:
    """Return the outcome for a build server."""
    name = f"{verdict.new} is better than {verdict.old} at {verdict.game}"
    detail = "\n".join(details(verdict))
    if verdict.failure:
        return junit.TestCase(name, "error", verdict.failure, detail, verdict.took_s)
    if verdict.state.decided == "better":
        return junit.TestCase(name, detail=detail, seconds=verdict.took_s)
    return junit.TestCase(name, "failed", answer(verdict), detail, verdict.took_s)


def show_plan(plan: SprtPlan, new: str, old: str, most_blocks: int) -> None:
    """Print the forecast of a test as a table, and that the test may be cut off after the most blocks."""
    between = _between(plan.elo0, plan.elo1, plan.unit, plan.alpha, plan.beta)
    click.echo(clean(f"Is {new} better than {old}? {between}."))
    show_facts(basis_facts(plan.basis))
    show_table(
        ("way to an answer", "blocks", "19 of 20 within", "matches", "time here"),
        (_row(line) for line in plan.lines),
        numbers=("blocks", "19 of 20 within", "matches", "time here"),
        aligned_in_pipes=True,
    )
    click.echo(f"After n blocks a difference is known to ± {plan.reach:.0f} / √n Elo.")
    if any(line.within is not None and line.within > most_blocks for line in plan.lines):
        click.echo(f"After {most_blocks} blocks a test ends unanswered, unless --max-blocks is raised.")


def _row(line: PlanLine) -> tuple[str, ...]:
    within = "" if line.within is None else str(line.within)
    time = "unknown" if line.seconds is None else lasting(line.seconds)
    return line.what, str(line.blocks), within, str(line.matches), time


def basis_facts(basis: Basis) -> Iterator[tuple[str, str]]:
    """Return what a forecast rests on, a name and a value each."""
    yield (
        "rests on",
        {
            "pilot": f"a pilot of {plural(basis.blocks, 'block')}",
            "results": f"{plural(basis.blocks, 'block')} in the store",
            "assumption": "an assumption, no measurement",
        }[basis.source],
    )
    known = f"; numbers of blocks are known to ± {100 * basis.error:.0f} %" if basis.error else ""
    yield "score of a block", f"deviation {basis.sd:.3f}{known}"
    if basis.drawn is not None:
        yield "drawn", f"{_percent(basis.drawn)} of the comparisons"
    if basis.time is not None:
        error = f" ± {100 * basis.time.error:.0f} %" if basis.time.error else ""
        yield "time of a match", f"{_short(basis.time.seconds)}{error}"


def _short(seconds: float) -> str:
    return f"{1_000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
