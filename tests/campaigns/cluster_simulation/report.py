"""The figures of a simulated run, for a terminal."""

from collections.abc import Iterator, Mapping

from tests.campaigns.cluster_simulation.simulation import Outcome
from tests.campaigns.cluster_simulation.world import Setting


def lines(setting: Setting, calm: Outcome, stormy: Outcome) -> Iterator[str]:
    """Return the table of a run, beside the one of the same tournament without faults."""
    yield (
        f"{setting.hosts:,} hosts, {stormy.matches:,} matches, faults for {setting.hours:g} h, "
        f"seed {setting.seed}"
    )
    yield ""
    yield _row("", "without faults", "with faults")
    yield _row("simulated hours", f"{calm.hours:.2f}", f"{stormy.hours:.2f}")
    yield _row("matches an hour", f"{calm.an_hour:,.0f}", f"{stormy.an_hour:,.0f}")
    yield _row("of what all hosts could play", f"{calm.efficiency:.1%}", f"{stormy.efficiency:.1%}")
    yield _row("matches begun on hosts", f"{calm.begun:,}", f"{stormy.begun:,}")
    yield _row("played twice", _share(calm), _share(stormy))
    yield _row("void, and played again", f"{calm.void:,}", f"{stormy.void:,}")
    yield _row("real seconds", f"{calm.seconds:.0f}", f"{stormy.seconds:.0f}")
    yield _row("memory so far, MB", f"{calm.memory_mb:,.0f}", f"{stormy.memory_mb:,.0f}")
    yield ""
    yield from _counted("faults", stormy.happened)
    yield ""
    yield f"{'played twice, because':40}{'matches':>10}{'of all':>10}{'at most':>12}"
    for cause, count in sorted(stormy.twice.items(), key=lambda item: -item[1]):
        most = stormy.at_most.get(cause, 0)
        yield f"  {cause:38}{count:>10,}{count / stormy.matches:>10.3%}{most:>12,}"
    yield ""
    yield from _counted(
        "hosts refused, each time they joined", {name or "sound": n for name, n in stormy.refused.items()}
    )
    yield ""


def _share(outcome: Outcome) -> str:
    return f"{sum(outcome.twice.values()) / outcome.matches:.2%}"


def _row(name: str, calm: str, stormy: str) -> str:
    return f"{name:30}{calm:>16}{stormy:>16}"


def _counted(title: str, counts: Mapping[str, int]) -> Iterator[str]:
    yield title
    for name, count in counts.items():
        yield f"  {name:38}{count:>10,}"
